#include "store/database_store.hpp"

#include "apr/pool.hpp"
#include "store/cached_connection.hpp"
#include "store/lists.hpp"
#include "store/privileges.hpp"
#include "store/statements.hpp"
#include "store/work.hpp"

#include <apr_time.h>

#include <algorithm>
#include <memory>
#include <string>

namespace useradmin::store {

namespace {

constexpr std::chrono::milliseconds busy_retry_delay(5);

/// Returns the further needs of a change that ends sessions.
constexpr unsigned needs_of(SessionPolicy sessions) noexcept {
    return sessions == SessionPolicy::revoke ? needs_session : 0U;
}

/// What a change needs further whose caller is looked at.
constexpr unsigned needs_of(const std::optional<Actor>& actor) noexcept {
    return actor ? needs_user : 0U;
}

/// Returns the deadline for answers on a connection. If acquiring it took long, allows a little
/// more time: the connection is good, and closing it would make the next request wait as long.
Deadline deadline_of(Clock::time_point asked, Deadline deadline) {
    constexpr std::chrono::milliseconds little(250);
    const auto now = Clock::now();
    return now - asked < little ? deadline : std::max(deadline, now + little);
}

/// Runs the work in a transaction.
template <class T, class Operation>
Result<T> in_transaction(Work& piece, const Dialect& dialect, const Operation& work) {
    const std::unique_ptr<Transaction> transaction = dialect.begin_transaction(piece);
    if (transaction == nullptr)
        return Failure::failed;
    Result<T> result = work(piece, dialect);
    return !result || transaction->commit() ? std::move(result) : Result<T>(Failure::failed);
}

} // namespace

Failure DatabaseStore::timeout_failure() {
    return log_unavailable("UA0107: ", "the query timed out after " +
                                           std::to_string(timeout_policy_.timeout.count() / 1000) +
                                           " s");
}

Failure DatabaseStore::lock_failure() {
    return log_unavailable("UA0104: ", "timed out waiting for the database lock");
}

Failure DatabaseStore::connection_failure(const Client& client) {
    return log_unavailable("UA0105: ", "cannot connect to the database: " + client.error_message());
}

Failure DatabaseStore::log_unavailable(std::string_view tag, std::string_view reason) {
    log_.write_throttled(text::Level::error, std::string(tag) += reason);
    return Failure::unavailable;
}

Failure DatabaseStore::log_failed(std::string_view tag, std::string_view reason) {
    log_.write(text::Level::error, std::string(tag) += reason);
    return Failure::failed;
}

std::string DatabaseStore::missing_grants(const Dialect& dialect, Client& client,
                                          const Schema& schema, unsigned needs) {
    const auto is_needed = [&](const Privilege& right) {
        const unsigned need = right.table == 'u'   ? needs_user
                              : right.table == 's' ? needs_session
                                                   : needs_account;
        return (needs & need) != 0;
    };
    // Suggest the least privilege first.
    for (const std::span<const Privilege> all :
         {std::span<const Privilege>(service_privileges),
          std::span<const Privilege>(session_privileges),
          (needs & needs_new_hash) != 0 ? std::span<const Privilege>(extras_privileges)
                                        : std::span<const Privilege>(),
          std::span<const Privilege>(password_privileges),
          std::span<const Privilege>(sign_in_privileges)}) {
        std::vector<Privilege> privileges;
        std::copy_if(all.begin(), all.end(), std::back_inserter(privileges), is_needed);
        auto answer =
            client.execute(dialect.missing_privileges_query(schema, privileges).c_str(), pool_);
        Rows* rows = std::get_if<Rows>(&answer);
        std::string grants;
        const Table* granted = nullptr;
        std::string end;
        while (rows != nullptr && rows->next()) {
            const Table& table = schema.table(rows->take().value_or("u").front());
            grants += &table == granted ? ", " : end + " GRANT ";
            granted = &table;
            grants += rows->take().value_or("");
            if (const std::string_view column = rows->take().value_or(""); !column.empty())
                grants += " (" + quoted_identifier(column) + ")";
            end = " ON " + table.name + " TO " + std::string(rows->take().value_or("")) + ";";
        }
        if (!grants.empty())
            return "; run:" + grants.append(end);
    }
    return {};
}

template <class T, class Operation>
Result<T> DatabaseStore::run(unsigned needs, Retry repeatable, const Operation& work,
                             Access access) {
    // After this many busy retries, readers queue like writers.
    constexpr int tries_of_readers = 40;
    const TimeBudget::Scope use(time_budget_);
    std::optional<ipc::FairSemaphore::Permit> turn;
    for (int tries = 0;; ++tries) {
        if (write_semaphore_ && !turn && (access == Access::write || tries == tries_of_readers)) {
            auto slot =
                write_semaphore_->acquire(std::chrono::duration_cast<std::chrono::milliseconds>(
                    use.deadline() - Clock::now()));
            if (!std::holds_alternative<ipc::FairSemaphore::Permit>(slot))
                return lock_failure();
            turn.emplace(std::get<ipc::FairSemaphore::Permit>(std::move(slot)));
        }
        if (timeout_policy_.applies_to_statements && Clock::now() >= use.deadline())
            return tries == 0 ? timeout_failure() : lock_failure();
        {
            const auto asked = Clock::now();
            Lease lease(source_, use.deadline());
            if (!lease)
                return Failure::unavailable;
            const Dialect* dialect = find_dialect(apr::view_of(apr_dbd_name((*lease).driver)));
            if (dialect == nullptr)
                return log_failed("UA0101: ", "DBDriver must be " + driver_names());
            if (auto result = run_on<T>(*lease, *dialect, needs, repeatable,
                                        deadline_of(asked, use.deadline()), work))
                return *std::move(result);
        }
        // Release the connection while waiting.
        if (Clock::now() + busy_retry_delay >= use.deadline())
            return lock_failure();
        apr_sleep(apr_time_from_msec(busy_retry_delay.count()));
    }
}

template <class T, class Operation>
std::optional<Result<T>> DatabaseStore::run_on(const Connection& connection, const Dialect& dialect,
                                               unsigned needs, Retry repeatable, Deadline deadline,
                                               const Operation& work) {
    CachedConnection& known = CachedConnection::get(connection, dialect, label_);
    Client& client = known.client();
    client.set_deadline(timeout_policy_.applies_to_statements ? deadline : no_deadline);
    // Each transient failure is retried once.
    bool may_reconnect = true;
    bool may_doubt = true;
    while (true) {
        if (const auto error_kind = known.refresh_schema(dialect, names_, pool_)) {
            if (error_kind == ErrorKind::busy)
                return std::nullopt;
            if (error_kind == ErrorKind::timed_out)
                return Result<T>(timeout_failure());
            const std::string reason = client.error_message();
            if (std::exchange(may_reconnect, false) && client.ensure_connected())
                continue;
            if (error_kind == ErrorKind::connection_lost)
                return Result<T>(connection_failure(client));
            return Result<T>(
                log_unavailable("UA0102: ", "cannot read the database's catalogue: " + reason));
        }
        if (const Problem* problem = known.schema().find_problem(needs)) {
            // The remedy may just have been applied: read the catalogue again.
            if (!std::exchange(may_doubt, false))
                return Result<T>(log_failed("UA0103: ", problem->text));
            known.invalidate_schema();
            continue;
        }
        // Do not begin a write that must not be repeated on a closed connection.
        if (repeatable == Retry::no && may_reconnect && !known.is_alive()) {
            may_reconnect = false;
            // A pooler accepts connections even if the database is down.
            if (!client.ensure_connected() || !client.ping())
                return Result<T>(connection_failure(client));
            continue;
        }
        Work piece(client, known.schema(), pool_, change_listener_ != nullptr);
        Result<T> result = work(piece, dialect);
        if (result || result.failure() != Failure::failed)
            return result;
        switch (piece.error_kind().value_or(ErrorKind::rejected)) {
        case ErrorKind::busy:
            return std::nullopt;
        case ErrorKind::timed_out:
            return Result<T>(timeout_failure());
        case ErrorKind::stale_schema:
        case ErrorKind::insufficient_privilege:
            // The tables or rights may have changed since the catalogue was read.
            if (std::exchange(may_doubt, false)) {
                known.invalidate_schema();
                continue;
            }
            break;
        case ErrorKind::read_only:
            // The primary may have become a standby. Nothing was done; another connection may lead
            // to the new primary.
            if (!std::exchange(may_reconnect, false))
                return Result<T>(log_unavailable(
                    "UA0108: ", "the database is read-only: " + piece.error_message() + "; " +
                                    dialect.product().read_only_hint));
            if (!client.reconnect())
                return Result<T>(connection_failure(client));
            continue;
        case ErrorKind::connection_lost: {
            const bool is_first = std::exchange(may_reconnect, false);
            const bool is_back = client.ensure_connected();
            if (repeatable == Retry::no) {
                // One line for each such write, without throttling.
                log_failed("UA0105: ", "the connection to the database was lost; the outcome of "
                                       "the write is unknown: " +
                                           piece.error_message());
                return Result<T>(Failure::unavailable);
            }
            if (!is_back || !is_first)
                return Result<T>(connection_failure(client));
            continue;
        }
        case ErrorKind::unique_violation:
        case ErrorKind::rejected:
            break;
        }
        std::string reason = "the database reported an error: " + piece.error_message();
        if (piece.error_kind() == ErrorKind::insufficient_privilege)
            reason += missing_grants(dialect, client, known.schema(), needs);
        return Result<T>(log_failed("UA0106: ", reason));
    }
}

template <class T, class Operation>
Result<T> DatabaseStore::write(unsigned needs, Retry repeatable, const Operation& work) {
    return run<T>(
        needs, repeatable,
        [&](Work& piece, const Dialect& dialect) {
            // Outside a transaction, a statement that must wait for readers at its end would be
            // repeated and let new readers in.
            return noted(dialect.product().is_single_writer
                             ? in_transaction<T>(piece, dialect, work)
                             : work(piece, dialect),
                         piece);
        },
        Access::write);
}

template <class T>
Result<T> DatabaseStore::noted(Result<T> result, const Work& piece) {
    if (!result && change_listener_ != nullptr && piece.may_be_committed())
        change_listener_->on_unknown_outcome();
    return result;
}

template <class T, class Operation>
Result<T> DatabaseStore::change(unsigned needs, Retry repeatable, const Operation& work) {
    if (change_listener_ == nullptr)
        return write<T>(needs, repeatable, work);
    const auto tell = [&](const RowChange& seen) {
        return change_listener_->on_change(seen.user_id, seen.before ? &*seen.before : nullptr,
                                           seen.after ? &*seen.after : nullptr);
    };
    if (!change_listener_->runs_before_commit()) {
        RowChange seen;
        Result<T> result = write<T>(needs, repeatable, [&](Work& piece, const Dialect& dialect) {
            Result<T> done = work(piece, dialect);
            seen = piece.row_change();
            return done;
        });
        // Only this request waits for the listener.
        if (result)
            tell(seen);
        return result;
    }
    return run<T>(
        needs, Retry::no,
        [&](Work& piece, const Dialect& dialect) {
            bool is_told = false;
            Result<T> result =
                noted(in_transaction<T>(piece, dialect,
                                        [&](Work&, const Dialect&) -> Result<T> {
                                            Result<T> done = work(piece, dialect);
                                            if (!done)
                                                return done;
                                            is_told = tell(piece.row_change());
                                            return is_told ? std::move(done)
                                                           : Result<T>(Failure::unavailable);
                                        }),
                      piece);
            // Do not repeat a reported change.
            return is_told && !result && piece.error_kind() == ErrorKind::busy
                       ? Result<T>(lock_failure())
                       : std::move(result);
        },
        Access::write);
}

template <class T>
Result<T> DatabaseStore::invalidate_totals_after(Result<T> result) {
    // Also on failure: the database may have done it all the same.
    if (totals_ != nullptr)
        totals_->invalidate();
    return result;
}

Result<Page> DatabaseStore::list(const Filter& filter, const Window& window) {
    const auto is_shared = [&](CountSharing sharing) {
        return totals_ != nullptr &&
               (sharing == CountSharing::always ||
                (sharing == CountSharing::when_cached && totals_->is_caching()));
    };
    const TimeBudget::Scope use(time_budget_);
    std::optional<std::vector<model::User>> users;
    using Total = std::optional<std::int64_t>;
    // Returns nothing if the total is to be shared with other requests.
    const auto count = [&](bool leaves_shared, LastTotal last) {
        return run<Total>(
            needs_user, Retry::yes, [&](Work& work, const Dialect& dialect) -> Result<Total> {
                const ListQueries& lists = dialect.lists(work.schema());
                if (leaves_shared && is_shared(lists.count_sharing(work.schema(), filter)))
                    return Total();
                Result<CountedPage> counted = lists.count(work, dialect, filter, window, last);
                if (!counted)
                    return counted.failure();
                users = std::move(counted->users);
                return Total(counted->total);
            });
    };
    Result<Total> total = count(true, {});
    if (total && !*total) {
        // Hold no connection while another request counts.
        const Result<std::int64_t> shared =
            totals_->total(filter, use.deadline(), [&](LastTotal last) -> Result<std::int64_t> {
                const Result<Total> own = count(false, last);
                if (!own)
                    return own.failure();
                return **own;
            });
        if (!shared)
            return shared.failure();
        total = Total(*shared);
    }
    if (!total)
        return total.failure();
    // A total counted after this request arrived proves that a page past the end is empty.
    if (totals_ != nullptr && !totals_->is_caching() && window.offset >= **total)
        users.emplace();
    if (!users) {
        Result<std::vector<model::User>> page = run<std::vector<model::User>>(
            needs_user, Retry::yes, [&](Work& work, const Dialect& dialect) {
                return dialect.lists(work.schema()).page(work, dialect, filter, **total, window);
            });
        if (!page)
            return page.failure();
        users = std::move(*page);
    }
    return Page{*std::move(users), **total};
}

Result<model::User> DatabaseStore::find(std::string_view id) {
    return run<model::User>(
        needs_user, Retry::yes,
        [&](Work& work, const Dialect& dialect) { return statements::find(work, dialect, id); });
}

Result<model::User> DatabaseStore::find_by_email(std::string_view email) {
    return run<model::User>(
        needs_user, Retry::yes,
        [&](Work& work, const Dialect&) { return statements::find_by_email(work, email); });
}

Result<model::User> DatabaseStore::create(const NewUser& user, const std::optional<Actor>& actor) {
    return invalidate_totals_after(change<model::User>(
        needs_user | needs_account | needs_creation, Retry::no,
        [&](Work& work, const Dialect& dialect) {
            return statements::create(work, dialect, user, actor);
        }));
}

Result<model::User> DatabaseStore::update(std::string_view id, const Changes& changes,
                                          const UpdateGuard& guard, SessionPolicy sessions) {
    // A second try would find the row changed by the first.
    const bool may_change_caller = guard.actor && guard.actor->id == id;
    return invalidate_totals_after(change<model::User>(
        needs_user | needs_of(sessions),
        guard.versions || may_change_caller ? Retry::no : Retry::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::update(work, dialect, id, changes, guard, sessions);
        }));
}

Result<Done> DatabaseStore::remove(std::string_view id, const ProtectedEmail& spared,
                                   const UpdateGuard& guard) {
    return invalidate_totals_after(change<Done>(
        needs_user | needs_session | needs_account, Retry::no,
        [&](Work& work, const Dialect& dialect) {
            return statements::remove(work, dialect, id, spared, guard);
        }));
}

Result<Done> DatabaseStore::exists_other_with_role(std::string_view id, std::string_view role,
                                                   text::Timestamp now) {
    return run<Done>(
        needs_user, Retry::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::exists_other_with_role(work, dialect, id, role, now);
        });
}

Result<Credential> DatabaseStore::find_credential(std::string_view email) {
    return run<Credential>(
        needs_user | needs_account, Retry::yes,
        [&](Work& work, const Dialect&) { return statements::find_credential(work, email); });
}

Result<Done> DatabaseStore::set_password(const model::Account& account, SessionPolicy sessions,
                                         const UpdateGuard& guard) {
    return change<Done>(
        needs_user | needs_account | needs_new_hash | needs_of(sessions), Retry::no,
        [&](Work& work, const Dialect& dialect) {
            return statements::set_password(work, dialect, account, sessions, guard);
        });
}

Result<Done> DatabaseStore::replace_hash(const model::Account& account,
                                         std::string_view instead_of) {
    return change<Done>(
        needs_user | needs_account, Retry::no,
        [&](Work& work, const Dialect& dialect) {
            return statements::replace_hash(work, dialect, account, instead_of);
        });
}

Result<std::vector<std::string>> DatabaseStore::password_formats() {
    return run<std::vector<std::string>>(
        needs_account, Retry::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::password_formats(work, dialect);
        });
}

Result<SessionWithUser> DatabaseStore::find_session(std::string_view token) {
    return run<SessionWithUser>(
        needs_user | needs_session, Retry::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::find_session(work, dialect, token);
        });
}

Result<SessionWithUser> DatabaseStore::find_caller(std::string_view token) {
    return run<SessionWithUser>(
        needs_user | needs_session, Retry::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::find_caller(work, dialect, token);
        });
}

Result<std::vector<model::Session>> DatabaseStore::list_sessions(std::string_view user_id) {
    return run<std::vector<model::Session>>(
        needs_session, Retry::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::list_sessions(work, dialect, user_id);
        });
}

Result<std::vector<model::Session>> DatabaseStore::list_active_sessions(std::string_view user_id,
                                                                        text::Timestamp now,
                                                                        std::int64_t most) {
    return run<std::vector<model::Session>>(
        needs_session, Retry::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::list_active_sessions(work, dialect, user_id, now, most);
        });
}

Result<std::string_view> DatabaseStore::create_session(const model::Session& session,
                                                       const SessionTerms& terms) {
    return change<std::string_view>(
        needs_user | needs_session | (terms.password_hash ? needs_account : 0U), Retry::no,
        [&](Work& work, const Dialect& dialect) {
            return statements::create_session(work, dialect, session, terms);
        });
}

Result<Done> DatabaseStore::extend_session(std::string_view token, text::Timestamp expires_at,
                                           text::Timestamp now) {
    return write<Done>(
        needs_session, Retry::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::extend_session(work, dialect, token, expires_at, now);
        });
}

Result<Done> DatabaseStore::delete_session(std::string_view token) {
    return change<Done>(
        needs_session, Retry::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::delete_session(work, dialect, token);
        });
}

Result<Done> DatabaseStore::delete_session_of_user(std::string_view user_id, std::string_view id,
                                                   const std::optional<Actor>& actor) {
    return change<Done>(
        needs_session | needs_of(actor), Retry::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::delete_session_of_user(work, dialect, user_id, id, actor);
        });
}

Result<std::int64_t> DatabaseStore::delete_sessions_of_user(std::string_view user_id,
                                                            const std::optional<Actor>& actor) {
    return change<std::int64_t>(
        needs_session | needs_of(actor), Retry::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::delete_sessions_of_user(work, dialect, user_id, actor);
        });
}

Result<std::vector<ExtraColumn>> DatabaseStore::extra_columns() {
    return run<std::vector<ExtraColumn>>(
        needs_user, Retry::yes,
        [](Work& work, const Dialect&) {
            return Result<std::vector<ExtraColumn>>(statements::extra_columns(work));
        });
}

Result<Survey> DatabaseStore::survey(const ProtectedEmail& spared) {
    return run<Survey>(
        needs_user, Retry::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::survey(work, dialect, spared);
        });
}

Result<Done> DatabaseStore::ping() {
    return run<Done>(
        needs_user, Retry::yes,
        [](Work& work, const Dialect&) -> Result<Done> {
            const Result<Rows> answer = work.execute("SELECT 1");
            if (!answer)
                return answer.failure();
            return Done();
        });
}

} // namespace useradmin::store
