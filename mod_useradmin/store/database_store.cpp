#include "store/database_store.hpp"

#include "apr/pool.hpp"
#include "store/arguments.hpp"
#include "store/known_connection.hpp"

#include <apr_time.h>

#include <charconv>
#include <string>

namespace useradmin::store {

namespace {

constexpr apr_interval_time_t busy_pause = apr_time_from_msec(20);

/// Whether a uuid column can hold the id. Only the canonical text counts: the database would take
/// others for the same id, and the comparison with the caller's own id would not.
bool is_uuid(std::string_view id) {
    if (id.size() != 36)
        return false;
    for (std::size_t at = 0; at < id.size(); ++at) {
        const bool is_hyphen = at == 8 || at == 13 || at == 18 || at == 23;
        const char c = id[at];
        if (is_hyphen ? c != '-' : !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
            return false;
    }
    return true;
}

bool can_hold(const Schema& schema, std::string_view id) {
    return !schema.user.find("id")->is_uuid() || is_uuid(id);
}

Result<std::optional<User>> find_where(Work& work, Query query, std::string_view value) {
    Arguments arguments(work.pool(), work.dialect());
    Result<Rows> rows = work.run(query, arguments.text(value).view());
    if (!rows)
        return rows.failure();
    return rows->next() ? std::optional(user_of(*rows, 0)) : std::nullopt;
}

Result<bool> was_done(const Result<Rows>& rows) {
    return rows ? Result<bool>(true) : Result<bool>(rows.failure());
}

Result<bool> has_row(const Result<Rows>& rows) {
    return rows ? Result<bool>(rows->count() > 0) : Result<bool>(rows.failure());
}

} // namespace

template <class T, class Operation>
Result<T> DatabaseStore::run(unsigned needs, Repeatable repeatable, const Operation& work) {
    Lease lease(source_);
    if (!lease)
        return Failure::unavailable;
    const Connection& connection = *lease;
    const Dialect* dialect = dialect_of(apr::view_of(apr_dbd_name(connection.driver)));
    if (dialect == nullptr) {
        log_.write(text::Level::error, "UA0101: DBDriver must be pgsql or sqlite3");
        return Failure::failed;
    }
    const apr_time_t deadline = apr_time_now() + 1000 * patience_.count();
    // A piece of work that found the database locked costs no try: it waits, up to the deadline.
    const auto waits = [&](bool found_busy, int& tries_left) {
        if (!found_busy || apr_time_now() >= deadline)
            return false;
        apr_sleep(busy_pause);
        ++tries_left;
        return true;
    };
    for (int tries_left = 2;; --tries_left) {
        KnownConnection* known = KnownConnection::of(connection, *dialect, names_, label_, pool_);
        if (known == nullptr) {
            // Nothing was done yet, so that a mended connection is worth another try.
            if (waits(dialect->is_busy(connection), tries_left) ||
                (dialect->examine(connection, pool_, {}) != Health::broken && tries_left > 0))
                continue;
            log_.write(text::Level::error, "UA0102: the database's catalogue cannot be read");
            return Failure::unavailable;
        }
        if (const Problem* problem = known->schema().problem_of(needs)) {
            // Whoever has just followed the remedy need not wait for it to be noticed.
            if (tries_left > 0 && known->has_changed(names_, pool_))
                continue;
            log_.write(text::Level::error, "UA0103: " + problem->text);
            return Failure::failed;
        }
        // What must not be done twice is not begun on a connection that the database may have
        // closed.
        if (repeatable == Repeatable::no && tries_left > 0 && !known->answers(pool_)) {
            known->examine(pool_);
            continue;
        }
        Work piece(*known, pool_);
        Result<T> result = work(piece);
        if (result)
            return result;
        if (waits(piece.found_busy(), tries_left))
            continue;
        if (piece.found_busy()) {
            log_.write(text::Level::error,
                       "UA0104: the database is busy: " + std::string(piece.error()));
            return Failure::unavailable;
        }
        const Health health = known->examine(pool_);
        if (health == Health::broken) {
            log_.write(text::Level::error,
                       "UA0105: the database is out of reach: " + std::string(piece.error()));
            return Failure::unavailable;
        }
        const bool was_not_done = health == Health::reset ||
                                  (health == Health::sound && known->has_changed(names_, pool_)) ||
                                  (health == Health::lost && repeatable == Repeatable::yes);
        if (tries_left == 0 || !was_not_done) {
            log_.write(text::Level::error,
                       "UA0106: the database refused: " + std::string(piece.error()));
            return Failure::failed;
        }
    }
}

Result<Page> DatabaseStore::list(const Filter& filter, std::int64_t limit, std::int64_t offset) {
    const Query query = filter.role && filter.search ? Query::list_by_role_or_search
                        : filter.role                ? Query::list_by_role
                        : filter.search              ? Query::list_by_search
                                                     : Query::list_all;
    return run<Page>(needs_user, Repeatable::yes, [&](Work& work) -> Result<Page> {
        Arguments arguments(work.pool(), work.dialect());
        // The filter stands in the statement twice: for the total and for the page.
        for (int time = 0; time < 2; ++time) {
            if (filter.role)
                arguments.text(*filter.role);
            if (filter.search) {
                const std::string search = work.dialect().search_argument(*filter.search);
                arguments.text(search).text(search);
            }
        }
        Result<Rows> rows = work.run(query, arguments.number(limit).number(offset).view());
        if (!rows)
            return rows.failure();
        Page page;
        page.users.reserve(static_cast<std::size_t>(rows->count()));
        while (rows->next()) {
            const std::string_view total = rows->text(0).value_or("0");
            std::from_chars(total.data(), total.data() + total.size(), page.total);
            // An empty page is one row with the total alone.
            if (rows->text(1))
                page.users.push_back(user_of(*rows, 1));
        }
        return page;
    });
}

Result<std::optional<User>> DatabaseStore::find(std::string_view id) {
    return run<std::optional<User>>(
        needs_user, Repeatable::yes,
        [&](Work& work) -> Result<std::optional<User>> {
            if (!can_hold(work.schema(), id))
                return std::optional<User>();
            return find_where(work, Query::find, id);
        });
}

Result<std::optional<User>> DatabaseStore::find_by_email(std::string_view email) {
    return run<std::optional<User>>(
        needs_user, Repeatable::yes,
        [&](Work& work) { return find_where(work, Query::find_by_email, email); });
}

Result<std::optional<User>> DatabaseStore::create(const NewUser& user) {
    return run<std::optional<User>>(
        needs_user | needs_account | needs_creation, Repeatable::no,
        [&](Work& work) -> Result<std::optional<User>> {
            // A user without a role is read as one of the role user.
            if (user.role != "user" && !work.can_hold("role"))
                return Failure::failed;
            return work.dialect().create(work, user);
        });
}

Result<std::optional<User>> DatabaseStore::update(std::string_view id, const Changes& changes) {
    return run<std::optional<User>>(
        needs_user, Repeatable::yes,
        [&](Work& work) -> Result<std::optional<User>> {
            const Table& table = work.schema().user;
            if (!can_hold(work.schema(), id))
                return std::optional<User>();
            if ((changes.role.value_or("user") != "user" && !work.can_hold("role")) ||
                (changes.banned.value_or(false) && !work.can_hold("banned")) ||
                (changes.ban_reason && !work.can_hold("banReason")))
                return Failure::failed;
            Arguments arguments(work.pool(), work.dialect());
            append_changes(arguments, table, changes);
            Result<Rows> rows = work.run(Query::update, arguments.text(id).view());
            if (!rows)
                return rows.failure();
            return rows->next() ? std::optional(full_user_of(*rows)) : std::nullopt;
        });
}

Result<Removal> DatabaseStore::remove(std::string_view id, std::string_view protected_email) {
    return run<Removal>(
        needs_user | needs_session | needs_account, Repeatable::no,
        [&](Work& work) -> Result<Removal> {
            if (!can_hold(work.schema(), id))
                return Removal::not_found;
            return work.dialect().remove(work, id, protected_email);
        });
}

Result<bool> DatabaseStore::set_ban(std::string_view id, const std::optional<Ban>& ban,
                                    Timestamp now) {
    return run<bool>(
        needs_user, Repeatable::yes,
        [&](Work& work) -> Result<bool> {
            if (!can_hold(work.schema(), id))
                return false;
            if (ban && (!work.can_hold("banned") || (ban->reason && !work.can_hold("banReason")) ||
                        (ban->expires && !work.can_hold("banExpires"))))
                return Failure::failed;
            Arguments arguments(work.pool(), work.dialect());
            append_ban(arguments, work.schema().user, ban, now);
            return has_row(work.run(Query::set_ban, arguments.text(id).view()));
        });
}

Result<std::optional<Credential>> DatabaseStore::credential(std::string_view email) {
    return run<std::optional<Credential>>(
        needs_user | needs_account, Repeatable::yes,
        [&](Work& work) -> Result<std::optional<Credential>> {
            Arguments arguments(work.pool(), work.dialect());
            Result<Rows> rows = work.run(Query::credential, arguments.text(email).view());
            if (!rows)
                return rows.failure();
            if (!rows->next())
                return std::optional<Credential>();
            return std::optional(Credential{user_of(*rows, 0), rows->text(std::size(user_fields))});
        });
}

Result<bool> DatabaseStore::set_password(const NewUser& user) {
    return run<bool>(
        needs_user | needs_account, Repeatable::no,
        [&](Work& work) -> Result<bool> {
            const Table& table = work.schema().account;
            Arguments arguments(work.pool(), work.dialect());
            arguments.field(table, "password", Text(user.password_hash))
                .field(table, "updatedAt", user.now)
                .text(user.id);
            const Result<bool> was_replaced =
                has_row(work.run(Query::set_password, arguments.view()));
            if (!was_replaced || *was_replaced)
                return was_replaced;
            Arguments account(work.pool(), work.dialect());
            append_account(account, table, user);
            return was_done(work.run(Query::create_account, account.view()));
        });
}

Result<std::optional<SignedIn>> DatabaseStore::session(std::string_view token) {
    return run<std::optional<SignedIn>>(
        needs_user | needs_session, Repeatable::yes,
        [&](Work& work) -> Result<std::optional<SignedIn>> {
            Arguments arguments(work.pool(), work.dialect());
            Result<Rows> rows = work.run(Query::session, arguments.text(token).view());
            if (!rows)
                return rows.failure();
            if (!rows->next())
                return std::optional<SignedIn>();
            return std::optional(SignedIn{session_of(*rows), user_of(*rows, session_width)});
        });
}

Result<std::vector<Session>> DatabaseStore::sessions_of(std::string_view user_id) {
    return run<std::vector<Session>>(
        needs_session, Repeatable::yes,
        [&](Work& work) -> Result<std::vector<Session>> {
            Arguments arguments(work.pool(), work.dialect());
            Result<Rows> rows = work.run(Query::sessions_of, arguments.text(user_id).view());
            if (!rows)
                return rows.failure();
            std::vector<Session> sessions;
            while (rows->next())
                sessions.push_back(session_of(*rows));
            return sessions;
        });
}

Result<bool> DatabaseStore::open_session(const NewSession& session) {
    return run<bool>(
        needs_session, Repeatable::no,
        [&](Work& work) {
            Arguments arguments(work.pool(), work.dialect());
            append_session(arguments, work.schema().session, session);
            return was_done(work.run(Query::open_session, arguments.view()));
        });
}

Result<bool> DatabaseStore::extend_session(std::string_view token, Timestamp expires_at,
                                           Timestamp now) {
    return run<bool>(
        needs_session, Repeatable::yes,
        [&](Work& work) {
            const Table& table = work.schema().session;
            Arguments arguments(work.pool(), work.dialect());
            arguments.field(table, "expiresAt", expires_at)
                .field(table, "updatedAt", now)
                .text(token);
            return has_row(work.run(Query::extend_session, arguments.view()));
        });
}

Result<bool> DatabaseStore::close_session(std::string_view token) {
    return run<bool>(
        needs_session, Repeatable::yes,
        [&](Work& work) {
            Arguments arguments(work.pool(), work.dialect());
            return has_row(work.run(Query::close_session, arguments.text(token).view()));
        });
}

Result<bool> DatabaseStore::close_sessions_of(std::string_view user_id) {
    return run<bool>(
        needs_session, Repeatable::yes,
        [&](Work& work) {
            Arguments arguments(work.pool(), work.dialect());
            return was_done(work.run(Query::remove_sessions, arguments.text(user_id).view()));
        });
}

} // namespace useradmin::store
