#include "store/database_store.hpp"

#include "apr/pool.hpp"
#include "store/known_connection.hpp"
#include "store/rights.hpp"
#include "store/work.hpp"

#include <apr_time.h>

#include <algorithm>
#include <string>

namespace useradmin::store {

namespace {

constexpr apr_interval_time_t busy_pause = apr_time_from_msec(20);

// How many accounts are looked at for the ways in which passwords are hashed.
constexpr std::int64_t sampled_accounts = 10000;

/// The role as the interface sees it: NULL, or no such column, is 'user'.
std::string role_of(const Table& user, const Dialect& dialect) {
    const Column* role = user.find("role");
    if (role == nullptr)
        return "'user'";
    const bool is_text = role->kind == Column::Kind::text && !role->is_loose;
    return "coalesce(" + (is_text ? role->sql() : dialect.as_text(role->sql())) + ", 'user')";
}

/// Appends the condition that a row matches the filter (4.1).
void append_filter(Statement& statement, const Schema& schema, const Dialect& dialect,
                   const Filter& filter) {
    const char* before = " WHERE ";
    if (filter.role) {
        (statement << before << role_of(schema.user, dialect) << " = ").text(*filter.role);
        before = " OR ";
    }
    if (!filter.search)
        return;
    for (const std::string_view field : {"name", "email"}) {
        statement << std::exchange(before, " OR ");
        dialect.contains(statement, schema.user.at(field).sql(), *filter.search);
    }
}

/// The columns that the newest row is found by; without the first, rows come by their ids.
std::string created_at(const Table& table) {
    const Column* created = table.find("createdAt");
    return created != nullptr ? created->sql() : "NULL";
}

std::string newest_first(const Table& table) {
    const std::string id = table.at("id").sql();
    return table.find("createdAt") != nullptr ? created_at(table) + " DESC, " + id : id;
}

/// A page and the total of its filter in one statement. The total comes in every row, and in a row
/// of its own where the page is empty.
Statement list_statement(const Work& work, const Dialect& dialect, const Filter& filter,
                         std::int64_t limit, std::int64_t offset) {
    const Schema& schema = work.schema();
    const Table& user = schema.user;
    Statement statement = work.statement();
    statement << "SELECT t.total, p.* FROM (SELECT count(*) AS total FROM " << user.sql;
    append_filter(statement, schema, dialect, filter);
    statement << ") t LEFT JOIN (SELECT " << created_at(user) << " AS useradmin_time, "
              << user.at("id").sql() << " AS useradmin_id, " << user.read << " FROM " << user.sql;
    append_filter(statement, schema, dialect, filter);
    (statement << " ORDER BY " << newest_first(user) << " LIMIT ").number(limit) << " OFFSET ";
    statement.number(offset) << ") p ON 1 = 1 ORDER BY p.useradmin_time DESC, p.useradmin_id";
    return statement;
}

/// Appends "field = value, …" for what has a column; whether there was any.
bool append_changes(Statement& statement, const Table& table, const Changes& changes) {
    bool is_first = true;
    for (const Change& change : changes) {
        const Column* column = table.find(change.field);
        if (column == nullptr)
            continue;
        (statement << (is_first ? "" : ", ") << column->sql() << " = ")
            .value(*column, change.value);
        is_first = false;
    }
    return !is_first;
}

Result<User> user_where(Work& work, const Dialect& dialect, std::string_view field,
                        std::string_view value) {
    const Table& user = work.schema().user;
    const Column& column = user.at(field);
    Statement statement = work.statement();
    statement << "SELECT " << user.read << " FROM " << user.sql << " WHERE ";
    if (field == "id")
        dialect.is_exactly(statement, column.sql(), column, value);
    else
        (statement << column.sql() << " = ").text(value);
    Result<Rows> rows = work.run(statement);
    if (!rows)
        return rows.failure();
    return rows->next() ? Result<User>(rows->take_record<User>()) : Failure::not_found;
}

/// Whether another user has the address, or one that differs from it in case alone.
bool is_taken(Work& work, std::string_view email) {
    const Table& user = work.schema().user;
    const std::string column = user.at("email").sql();
    Statement statement = work.statement();
    (statement << "SELECT 1 FROM " << user.sql << " WHERE " << column << " = ").text(email)
        << " OR lower(" << column << ") = lower(";
    statement.text(email) << ") LIMIT 1";
    const Result<Rows> rows = work.run(statement);
    return rows && rows->count() > 0;
}

Result<Done> any_affected(const Result<Rows>& rows) {
    if (!rows)
        return rows.failure();
    return rows->affected() > 0 ? Result<Done>(Done()) : Failure::not_found;
}

Result<Done> done(const Result<Rows>& rows) {
    return rows ? Result<Done>(Done()) : rows.failure();
}

template <class Record>
Statement insertion(const Work& work, const Table& table, const Record& record) {
    Statement statement = work.statement();
    (statement << "INSERT INTO " << table.sql << " (").columns(table, record) << ") VALUES (";
    statement.values(table, record) << ")";
    return statement;
}

} // namespace

Failure DatabaseStore::unavailable(std::string_view tag, std::string_view reason) {
    failed(tag, reason);
    return Failure::unavailable;
}

Failure DatabaseStore::failed(std::string_view tag, std::string_view reason) {
    log_.write(text::Level::error, std::string(tag) += reason);
    return Failure::failed;
}

std::string DatabaseStore::missing_grant(const Dialect& dialect, Client& client,
                                         const Schema& schema, unsigned needs) {
    std::vector<Right> rights;
    const auto add = [&](std::span<const Right> all) {
        std::copy_if(all.begin(), all.end(), std::back_inserter(rights), [&](const Right& right) {
            const unsigned need = right.table == 'u'   ? needs_user
                                  : right.table == 's' ? needs_session
                                                       : needs_account;
            return (needs & need) != 0;
        });
    };
    add(service_rights);
    add(session_rights);
    add(sign_in_rights);
    add(password_rights);
    auto answer = client.execute(dialect.missing_rights_query(schema, rights).c_str(), pool_);
    Rows* rows = std::get_if<Rows>(&answer);
    if (rows == nullptr || !rows->next())
        return {};
    const Table& table = schema.table(rows->take().value_or("u").front());
    std::string grant = "; run: GRANT " + std::string(rows->take().value_or(""));
    if (const std::string_view column = rows->take().value_or(""); !column.empty())
        grant += " (" + quoted_identifier(column) + ")";
    return grant + " ON " + table.sql + " TO " + std::string(rows->take().value_or("")) + ";";
}

template <class T, class Operation>
Result<T> DatabaseStore::run(unsigned needs, Repeatable repeatable, const Operation& work) {
    const apr_time_t deadline = apr_time_now() + 1000 * patience_.count();
    while (true) {
        {
            Lease lease(source_);
            if (!lease)
                return Failure::unavailable;
            const Dialect* dialect = dialect_of(apr::view_of(apr_dbd_name((*lease).driver)));
            if (dialect == nullptr)
                return failed("UA0101: ", "DBDriver must be pgsql or sqlite3");
            if (auto result = run_on<T>(*lease, *dialect, needs, repeatable, work))
                return *std::move(result);
        }
        // Others may use the connection meanwhile.
        if (apr_time_now() + busy_pause >= deadline)
            return unavailable("UA0104: ", "the database is locked by another process");
        apr_sleep(busy_pause);
    }
}

template <class T, class Operation>
std::optional<Result<T>> DatabaseStore::run_on(const Connection& connection, const Dialect& dialect,
                                               unsigned needs, Repeatable repeatable,
                                               const Operation& work) {
    KnownConnection& known = KnownConnection::of(connection, dialect, label_);
    Client& client = known.client();
    // Each passing reason passes once: a connection is made anew, the catalogue is read again.
    bool may_reconnect = true;
    bool may_doubt = true;
    while (true) {
        if (const auto fault = known.learn(dialect, names_, pool_)) {
            if (fault == Fault::busy)
                return std::nullopt;
            const std::string reason = client.error();
            if (std::exchange(may_reconnect, false) && client.reconnect())
                continue;
            return Result<T>(
                unavailable("UA0102: ", "the database's catalogue cannot be read: " + reason));
        }
        if (const Problem* problem = known.schema().problem_of(needs)) {
            // Whoever has just followed the remedy need not wait for it to be noticed.
            if (!std::exchange(may_doubt, false))
                return Result<T>(failed("UA0103: ", problem->text));
            known.doubt();
            continue;
        }
        // What must not be done twice is not begun on a connection that the database has closed.
        if (repeatable == Repeatable::no && may_reconnect && !known.answers()) {
            may_reconnect = false;
            client.reconnect();
            continue;
        }
        Work piece(client, known.schema(), pool_);
        Result<T> result = work(piece, dialect);
        if (result || result.failure() != Failure::failed)
            return result;
        switch (piece.fault().value_or(Fault::refused)) {
        case Fault::busy:
            return std::nullopt;
        case Fault::outdated:
            if (!std::exchange(may_doubt, false))
                break;
            known.doubt();
            continue;
        case Fault::lost: {
            const bool may_repeat =
                std::exchange(may_reconnect, false) && repeatable == Repeatable::yes;
            if (!client.reconnect())
                return Result<T>(
                    unavailable("UA0105: ", "the database is out of reach: " + piece.error()));
            if (!may_repeat)
                break;
            continue;
        }
        case Fault::forbidden:
            return Result<T>(
                failed("UA0106: ", "the database refused: " + piece.error() +
                                       missing_grant(dialect, client, known.schema(), needs)));
        case Fault::conflict:
        case Fault::refused:
            break;
        }
        return Result<T>(failed("UA0106: ", "the database refused: " + piece.error()));
    }
}

Result<Page> DatabaseStore::list(const Filter& filter, std::int64_t limit, std::int64_t offset) {
    return run<Page>(
        needs_user, Repeatable::yes,
        [&](Work& work, const Dialect& dialect) -> Result<Page> {
            Result<Rows> rows = work.run(list_statement(work, dialect, filter, limit, offset));
            if (!rows)
                return rows.failure();
            Page page;
            page.users.reserve(rows->count());
            while (rows->next()) {
                page.total = rows->take_number();
                static_cast<void>(rows->take()); // the time, which the page is sorted by
                // An empty page is one row with the total alone.
                if (rows->take())
                    page.users.push_back(rows->take_record<User>());
            }
            return page;
        });
}

Result<User> DatabaseStore::find(std::string_view id) {
    return run<User>(
        needs_user, Repeatable::yes,
        [&](Work& work, const Dialect& dialect) -> Result<User> {
            if (!work.schema().user.at("id").can_hold_id(id))
                return Failure::not_found;
            return user_where(work, dialect, "id", id);
        });
}

Result<User> DatabaseStore::find_by_email(std::string_view email) {
    return run<User>(
        needs_user, Repeatable::yes,
        [&](Work& work, const Dialect& dialect) {
            return user_where(work, dialect, "email", email);
        });
}

Result<User> DatabaseStore::create(const NewUser& user) {
    return run<User>(
        needs_user | needs_account | needs_creation, Repeatable::no,
        [&](Work& work, const Dialect& dialect) -> Result<User> {
            if (!work.can_hold("role", user.role))
                return Failure::failed;
            Result<User> made = dialect.create(work, user);
            // Some value that must be unique is there already: is it the address?
            if (!made && work.fault() == Fault::conflict && is_taken(work, user.email))
                return Failure::address_taken;
            return made;
        });
}

Result<User> DatabaseStore::update(std::string_view id, const Changes& changes) {
    return run<User>(
        needs_user, Repeatable::yes,
        [&](Work& work, const Dialect& dialect) -> Result<User> {
            const Schema& schema = work.schema();
            const Column& key = schema.user.at("id");
            if (!key.can_hold_id(id))
                return Failure::not_found;
            for (const Change& change : changes)
                if (!work.can_hold(change.field, change.value))
                    return Failure::failed;
            Statement statement = work.statement();
            statement << "UPDATE " << schema.user.sql << " AS useradmin_row SET ";
            if (!append_changes(statement, schema.user, changes))
                statement << key.sql() << " = " << key.sql();
            statement << " WHERE ";
            dialect.is_exactly(statement, key.sql(), key, id);
            statement << " RETURNING " << schema.user.read;
            for (const std::string& object : schema.other_columns)
                statement << ", " << object;
            Result<Rows> rows = work.run(statement);
            if (!rows)
                return rows.failure();
            return rows->next() ? Result<User>(work.take_full_user(*rows)) : Failure::not_found;
        });
}

Result<Done> DatabaseStore::remove(std::string_view id, const ProtectedAddress& spared) {
    return run<Done>(
        needs_user | needs_session | needs_account, Repeatable::no,
        [&](Work& work, const Dialect& dialect) -> Result<Done> {
            if (!work.schema().user.at("id").can_hold_id(id))
                return Failure::not_found;
            return dialect.remove(work, id, spared);
        });
}

Result<Credential> DatabaseStore::credential(std::string_view email) {
    return run<Credential>(
        needs_user | needs_account, Repeatable::yes,
        [&](Work& work, const Dialect&) -> Result<Credential> {
            const Schema& schema = work.schema();
            const Table& account = schema.account;
            Statement statement = work.statement();
            statement << "SELECT " << schema.user.read_as_u << ", a."
                      << account.at("password").sql() << " FROM " << schema.user.sql << " u JOIN "
                      << account.sql << " a ON a." << account.at("userId").sql() << " = u."
                      << schema.user.at("id").sql() << " AND a." << account.at("providerId").sql()
                      << " = ";
            statement.text(Account().provider_id)
                << " WHERE u." << schema.user.at("email").sql() << " = ";
            Result<Rows> rows = work.run(statement.text(email));
            if (!rows)
                return rows.failure();
            if (!rows->next())
                return Failure::not_found;
            Credential found;
            found.user = rows->take_record<User>();
            found.password_hash = rows->take();
            return found;
        });
}

Result<Done> DatabaseStore::set_password(const Account& account) {
    return run<Done>(
        needs_user | needs_account, Repeatable::no,
        [&](Work& work, const Dialect& dialect) -> Result<Done> {
            const Table& table = work.schema().account;
            const Column& user_id = table.at("userId");
            Statement statement = work.statement();
            statement << "UPDATE " << table.sql << " SET ";
            append_changes(statement, table,
                           {{"password", *account.password}, {"updatedAt", *account.updated_at}});
            statement << " WHERE ";
            dialect.is_exactly(statement, user_id.sql(), user_id, account.user_id);
            (statement << " AND " << table.at("providerId").sql() << " = ")
                .text(account.provider_id);
            const Result<Done> replaced = any_affected(work.run(statement));
            return replaced.is_not_found() ? done(work.run(insertion(work, table, account)))
                                           : replaced;
        });
}

Result<std::vector<std::string>> DatabaseStore::password_formats() {
    using Formats = std::vector<std::string>;
    return run<Formats>(
        needs_account, Repeatable::yes, [&](Work& work, const Dialect& dialect) -> Result<Formats> {
            const Table& account = work.schema().account;
            const std::string password = account.at("password").sql();
            Statement statement = work.statement();
            // "$argon2id$v=19$" has fifteen characters; the parameters end at the next dollar sign.
            statement << "SELECT DISTINCT CASE WHEN substr(p, 1, 15) = '$argon2id$v=19$' THEN "
                         "substr(p, 1, 15 + "
                      << dialect.position_function()
                      << "(substr(p, 16), '$')) WHEN length(p) = 161 THEN 'scrypt' ELSE 'other' "
                         "END FROM (SELECT "
                      << password << " AS p FROM " << account.sql << " WHERE "
                      << account.at("providerId").sql() << " = ";
            statement.text(Account().provider_id) << " AND " << password << " IS NOT NULL LIMIT ";
            Result<Rows> rows = work.run(statement.number(sampled_accounts) << ") s");
            if (!rows)
                return rows.failure();
            Formats formats;
            while (rows->next())
                formats.emplace_back(rows->take().value_or(""));
            return formats;
        });
}

Result<SignedIn> DatabaseStore::session(std::string_view token) {
    return run<SignedIn>(
        needs_user | needs_session, Repeatable::yes,
        [&](Work& work, const Dialect& dialect) -> Result<SignedIn> {
            const Schema& schema = work.schema();
            const Column& column = schema.session.at("token");
            Statement statement = work.statement();
            statement << "SELECT " << schema.session.read_as_s << ", " << schema.user.read_as_u
                      << " FROM " << schema.session.sql << " s JOIN " << schema.user.sql
                      << " u ON u." << schema.user.at("id").sql() << " = s."
                      << schema.session.at("userId").sql() << " WHERE ";
            dialect.is_exactly(statement, "s." + column.sql(), column, token);
            Result<Rows> rows = work.run(statement);
            if (!rows)
                return rows.failure();
            if (!rows->next())
                return Failure::not_found;
            SignedIn found;
            found.session = rows->take_record<Session>();
            found.user = rows->take_record<User>();
            return found;
        });
}

Result<std::vector<Session>> DatabaseStore::sessions_of(std::string_view user_id) {
    using Sessions = std::vector<Session>;
    return run<Sessions>(needs_session, Repeatable::yes,
                         [&](Work& work, const Dialect& dialect) -> Result<Sessions> {
                             const Table& table = work.schema().session;
                             const Column& column = table.at("userId");
                             if (!column.can_hold_id(user_id))
                                 return Sessions();
                             Statement statement = work.statement();
                             statement << "SELECT " << table.read << " FROM " << table.sql
                                       << " WHERE ";
                             dialect.is_exactly(statement, column.sql(), column, user_id);
                             Result<Rows> rows =
                                 work.run(statement << " ORDER BY " << newest_first(table));
                             if (!rows)
                                 return rows.failure();
                             Sessions sessions;
                             while (rows->next())
                                 sessions.push_back(rows->take_record<Session>());
                             return sessions;
                         });
}

Result<std::string_view> DatabaseStore::open_session(const Session& session) {
    return run<std::string_view>(
        needs_session, Repeatable::no,
        [&](Work& work, const Dialect&) -> Result<std::string_view> {
            const Table& table = work.schema().session;
            Result<Rows> rows =
                work.run(insertion(work, table, session) << " RETURNING " << table.at("id").sql());
            if (!rows || !rows->next())
                return Failure::failed;
            return rows->take().value_or("");
        });
}

Result<Done> DatabaseStore::extend_session(std::string_view token, Timestamp expires_at,
                                           Timestamp now) {
    return run<Done>(
        needs_session, Repeatable::yes,
        [&](Work& work, const Dialect& dialect) {
            const Table& table = work.schema().session;
            const Column& column = table.at("token");
            Statement statement = work.statement();
            statement << "UPDATE " << table.sql << " SET ";
            append_changes(statement, table, {{"expiresAt", expires_at}, {"updatedAt", now}});
            dialect.is_exactly(statement << " WHERE ", column.sql(), column, token);
            return any_affected(work.run(statement));
        });
}

Result<Done> DatabaseStore::close_session(std::string_view token) {
    return run<Done>(
        needs_session, Repeatable::yes,
        [&](Work& work, const Dialect& dialect) {
            const Table& table = work.schema().session;
            const Column& column = table.at("token");
            Statement statement = work.statement();
            dialect.is_exactly(statement << "DELETE FROM " << table.sql << " WHERE ", column.sql(),
                               column, token);
            return any_affected(work.run(statement));
        });
}

Result<std::int64_t> DatabaseStore::close_sessions_of(std::string_view user_id) {
    return run<std::int64_t>(
        needs_session, Repeatable::yes,
        [&](Work& work, const Dialect& dialect) -> Result<std::int64_t> {
            const Table& table = work.schema().session;
            const Column& column = table.at("userId");
            if (!column.can_hold_id(user_id))
                return 0;
            Statement statement = work.statement();
            dialect.is_exactly(statement << "DELETE FROM " << table.sql << " WHERE ", column.sql(),
                               column, user_id);
            const Result<Rows> rows = work.run(statement);
            return rows ? Result<std::int64_t>(rows->affected()) : rows.failure();
        });
}

Result<AddressSurvey> DatabaseStore::survey_addresses(const ProtectedAddress& spared) {
    return run<AddressSurvey>(
        needs_user, Repeatable::yes,
        [&](Work& work, const Dialect&) -> Result<AddressSurvey> {
            const Table& user = work.schema().user;
            const std::string email = user.at("email").sql();
            Statement statement = work.statement();
            statement << "SELECT EXISTS (SELECT 1 FROM " << user.sql << " WHERE "
                      << (spared.ignores_case ? "lower(" + email + ") = lower(" : email + " = (");
            statement.text(spared.email)
                << ")), EXISTS (SELECT 1 FROM " << user.sql << " u WHERE u." << email
                << " <> lower(u." << email << ") AND EXISTS (SELECT 1 FROM " << user.sql
                << " v WHERE v." << email << " = lower(u." << email << ")))";
            Result<Rows> rows = work.run(statement);
            if (!rows || !rows->next())
                return Failure::failed;
            AddressSurvey survey;
            survey.has_protected = rows->take_boolean();
            survey.has_twins = rows->take_boolean();
            return survey;
        });
}

} // namespace useradmin::store
