#include "store/database_store.hpp"

#include "apr/pool.hpp"
#include "store/cached_connection.hpp"
#include "store/conditions.hpp"
#include "store/lists.hpp"
#include "store/session_cache.hpp"
#include "store/statements.hpp"
#include "store/work.hpp"

#include <apr_time.h>

#include <algorithm>
#include <memory>
#include <string>

namespace useradmin::store {

namespace {

constexpr std::chrono::milliseconds busy_retry_delay(5);

/// Returns the additional needs of a change that may end sessions.
constexpr unsigned needs_of(SessionPolicy sessions) noexcept {
    return sessions == SessionPolicy::revoke ? needs_session : 0U;
}

/// Returns the deadline for responses. If acquiring the connection took a long time, extends the
/// deadline a little. Otherwise, a timeout would close a working connection, and the next request
/// would have to wait for a new one.
Deadline deadline_of(Clock::time_point asked, Deadline deadline) {
    constexpr std::chrono::milliseconds min_remaining(250);
    const auto now = Clock::now();
    return now - asked < min_remaining ? deadline : std::max(deadline, now + min_remaining);
}

/// Returns " (directive)", or an empty string for nullptr.
std::string in_parentheses(const char* directive) {
    return directive == nullptr ? "" : std::string(" (").append(directive) + ')';
}

} // namespace

Failure DatabaseStore::timeout_failure() {
    return log_unavailable(WorkOutcome::timed_out,
                           "UA0107: the query timed out after " +
                               std::to_string(timeout_policy_.timeout.count() / 1000) + " s" +
                               in_parentheses(timeout_policy_.directive));
}

Failure DatabaseStore::lock_failure() {
    return log_unavailable(WorkOutcome::lock_timed_out,
                           "UA0104: timed out because the database was locked or busy" +
                               in_parentheses(timeout_policy_.directive));
}

Failure DatabaseStore::connection_failure(const Client& client) {
    return log_unavailable(WorkOutcome::connection_lost,
                           "UA0105: cannot connect to the database: " + client.error_message());
}

Failure DatabaseStore::log_unavailable(WorkOutcome outcome, const std::string& line) {
    source_.on_outcome(outcome);
    log_.write_throttled(text::Level::error, line);
    return Failure::unavailable;
}

Failure DatabaseStore::log_failed(WorkOutcome outcome, const std::string& line) {
    source_.on_outcome(outcome);
    log_.write(text::Level::error, line);
    return Failure::failed;
}

Result<Done> DatabaseStore::repeat(Access access, unsigned needs, Retry retry,
                                   const Attempt& attempt) {
    // After this many busy retries, readers queue like writers.
    constexpr int reader_attempts = 40;
    const TimeBudget::Scope use(time_budget_);
    std::optional<ipc::FairSemaphore::Permit> permit;
    for (int attempts = 0;; ++attempts) {
        if (write_semaphore_ != nullptr && !permit &&
            (access != Access::read || attempts == reader_attempts)) {
            auto slot =
                write_semaphore_->acquire(std::chrono::duration_cast<std::chrono::milliseconds>(
                    use.deadline() - Clock::now()));
            if (!std::holds_alternative<ipc::FairSemaphore::Permit>(slot))
                return lock_failure();
            permit.emplace(std::get<ipc::FairSemaphore::Permit>(std::move(slot)));
        }
        if (timeout_policy_.applies_to_statements && Clock::now() >= use.deadline())
            return attempts == 0 ? timeout_failure() : lock_failure();
        {
            const auto asked = Clock::now();
            const auto release = [this](const Connection* connection) {
                source_.release(*connection);
            };
            const std::unique_ptr<const Connection, decltype(release)> connection(
                source_.acquire(use.deadline()), release);
            if (connection == nullptr)
                return Failure::unavailable;
            const Dialect* dialect = find_dialect(apr::view_of(apr_dbd_name(connection->driver)));
            if (dialect == nullptr)
                return log_failed(WorkOutcome::failed,
                                  "UA0101: DBDriver must be " + driver_names());
            if (const auto result = repeat_on(*connection, *dialect, needs, retry,
                                              deadline_of(asked, use.deadline()), attempt))
                return *result;
        }
        // Wait without holding the connection.
        if (Clock::now() + busy_retry_delay >= use.deadline())
            return lock_failure();
        apr_sleep(apr_time_from_msec(busy_retry_delay.count()));
    }
}

std::optional<Result<Done>> DatabaseStore::repeat_on(const Connection& connection,
                                                     const Dialect& dialect, unsigned needs,
                                                     Retry retry, Deadline deadline,
                                                     const Attempt& attempt) {
    CachedConnection& known = CachedConnection::get(connection, dialect, label_);
    Client& client = known.client();
    client.set_deadline(timeout_policy_.applies_to_statements ? deadline : no_deadline);
    // Retry each kind of transient failure once.
    bool may_reconnect = true;
    bool may_invalidate = true;
    while (true) {
        if (!known.refresh_schema(dialect, names_,
                                  timeout_policy_.applies_to_statements ? deadline : no_deadline,
                                  pool_)) {
            const ErrorKind error_kind = client.error_kind();
            if (error_kind == ErrorKind::busy)
                return std::nullopt;
            if (error_kind == ErrorKind::timed_out)
                return timeout_failure();
            const std::string reason = client.error_message();
            if (std::exchange(may_reconnect, false) && client.ensure_connected())
                continue;
            if (error_kind == ErrorKind::connection_lost)
                return connection_failure(client);
            return log_unavailable(WorkOutcome::failed,
                                   "UA0102: cannot read the database's catalog: " + reason);
        }
        if (const Problem* problem = known.schema().find_problem(needs)) {
            // The problem may have been fixed in the meantime: read the catalog again.
            if (std::exchange(may_invalidate, false)) {
                known.invalidate_schema();
                continue;
            }
            // Throttled, since revocations are read once a second.
            if (problem->need == needs_revocations)
                log_.write_throttled(text::Level::error, "UA0103: " + problem->text);
            else
                log_failed(WorkOutcome::failed, "UA0103: " + problem->text);
            return Failure::failed;
        }
        if (const Problem* hidden = known.schema().find_problem(needs_all_rows))
            log_.write_throttled(text::Level::warning, "UA0109: " + hidden->text);
        // A write that must not be repeated must not start on a closed connection.
        if (retry == Retry::no && may_reconnect && !known.is_alive()) {
            may_reconnect = false;
            // A pooler accepts connections even while the database is down.
            if (!client.ensure_connected() || !client.ping())
                return connection_failure(client);
            continue;
        }
        Work work(client, dialect, known.schema(), pool_, change_listener_ != nullptr,
                  plugin_policy_);
        const Result<Done> result = attempt(work);
        is_standby_ = client.is_standby();
        if (!result && result.failure() == Failure::invalid_value)
            log_.write(text::Level::info,
                       "UA0106: the database rejected a value: " + work.error_message());
        if (result || result.failure() != Failure::failed)
            return result;
        switch (work.error_kind().value_or(ErrorKind::rejected)) {
        case ErrorKind::busy:
            return std::nullopt;
        case ErrorKind::timed_out:
            return timeout_failure();
        case ErrorKind::canceled:
            return log_unavailable(WorkOutcome::timed_out,
                                   "UA0107: the database canceled the query: " +
                                       work.error_message());
        case ErrorKind::stale_schema:
        case ErrorKind::insufficient_privilege:
            // The tables or privileges may have changed since the catalog was read.
            if (std::exchange(may_invalidate, false)) {
                // Privileges are checked at each execution, so prepared statements stay valid.
                if (work.error_kind() == ErrorKind::stale_schema)
                    client.discard_prepared();
                known.invalidate_schema();
                continue;
            }
            break;
        case ErrorKind::read_only:
            // The primary may have become a standby. Nothing was done, and a new connection may
            // reach the new primary.
            if (!std::exchange(may_reconnect, false))
                return log_unavailable(
                    WorkOutcome::read_only,
                    "UA0108: the database is read-only: " + work.error_message() + "; " +
                        dialect.product().read_only_hint);
            if (!client.reconnect())
                return connection_failure(client);
            continue;
        case ErrorKind::connection_lost: {
            const bool is_first = std::exchange(may_reconnect, false);
            const bool is_connected = client.ensure_connected();
            if (retry == Retry::no) {
                // Log every write whose outcome is unknown, without throttling.
                log_failed(WorkOutcome::connection_lost,
                           "UA0105: lost the connection to the database: " + work.error_message() +
                               "; the outcome of the write is unknown");
                return Failure::unavailable;
            }
            if (!is_connected || !is_first)
                return connection_failure(client);
            continue;
        }
        case ErrorKind::unique_violation:
        case ErrorKind::invalid_value:
        case ErrorKind::unencodable:
        case ErrorKind::foreign_key_violation:
        case ErrorKind::rejected:
            break;
        }
        std::string reason = "the database reported an error: " + work.error_message();
        if (work.error_kind() == ErrorKind::insufficient_privilege)
            reason += "; for the missing GRANTs, run with the same account: useradminctl check "
                      "--verbose";
        if (work.error_kind() == ErrorKind::foreign_key_violation)
            reason += "; to delete a user, delete the rows that refer to it, or declare the "
                      "foreign key ON DELETE CASCADE or ON DELETE SET NULL";
        return log_failed(WorkOutcome::failed, "UA0106: " + reason);
    }
}

Result<Done> DatabaseStore::execute(Access access, unsigned needs, Retry retry,
                                    const Attempt& attempt) {
    if (access == Access::read)
        return repeat(access, needs, retry, attempt);
    ChangeListener* const listener = access == Access::change ? change_listener_ : nullptr;
    const bool has_key = access == Access::change && !idempotency_key_.empty();
    const bool reports_first = listener != nullptr && listener->runs_before_commit();
    RowChange change;
    const auto report = [&] {
        return listener->on_change(change.user_id, change.before ? &*change.before : nullptr,
                                   change.after ? &*change.after : nullptr);
    };
    const auto attempt_write = [&](Work& work) -> Result<Done> {
        // On a single-writer database, a statement outside a transaction would be repeated if
        // readers blocked its commit, and new readers could start in between.
        const bool needs_transaction =
            reports_first || has_key || work.dialect().product().is_single_writer;
        std::unique_ptr<Transaction> transaction;
        if (needs_transaction)
            transaction = work.dialect().begin_transaction(work);
        bool is_reported = false;
        Result<Done> done = Failure::failed;
        if (transaction != nullptr || !needs_transaction)
            done = has_key ? record_idempotency_key(work) : Done();
        if (done)
            done = attempt(work);
        if (done) {
            change = work.row_change();
            is_reported = reports_first && report();
            if (reports_first && !is_reported)
                done = Failure::unavailable;
            else if (transaction != nullptr && !transaction->commit())
                done = Failure::failed;
        }
        if (!done && listener != nullptr && work.may_be_committed())
            listener->on_unknown_outcome();
        // Do not repeat a reported change.
        if (!done && is_reported && work.error_kind() == ErrorKind::busy)
            return lock_failure();
        return done;
    };
    // If the first attempt was committed, a second one would find its key or report no change.
    const Result<Done> result =
        repeat(access, has_key ? needs | needs_attempt_table : needs,
               has_key || listener != nullptr ? Retry::no : retry, attempt_write);
    if (result)
        source_.on_outcome(WorkOutcome::written);
    // The connection has been released, so only this request waits for the listener.
    if (result && listener != nullptr && !reports_first)
        report();
    return result;
}

Result<Done> DatabaseStore::record_idempotency_key(Work& work) const {
    // The second change with the key reaches the limit.
    const AttemptCounter counter = {idempotency_key_, 2};
    const auto counted =
        statements::record_failed_attempt(work, {&counter, 1}, std::chrono::hours(24));
    if (!counted)
        return counted.failure();
    return counted->exceeded ? Result<Done>(Failure::already_done) : Done();
}

template <class Operation, class... Arguments>
auto DatabaseStore::run(Access access, unsigned needs, Retry retry, const Operation& operation,
                        const Arguments&... arguments) {
    decltype(operation(std::declval<Work&>(), arguments...)) result = Failure::failed;
    const Result<Done> done = execute(access, needs, retry, [&](Work& work) -> Result<Done> {
        result = operation(work, arguments...);
        return result ? Result<Done>(Done()) : result.failure();
    });
    if (!done)
        result = done.failure();
    return result;
}

template <class Operation, class... Arguments>
auto DatabaseStore::revoke(std::string_view user_id, unsigned needs, Retry retry,
                           const Operation& operation, const Arguments&... arguments) {
    using Result = decltype(run(Access::change, needs, retry, operation, arguments...));
    if (!begin_revocation())
        return Result(Failure::unavailable);
    const Invalidation invalidation{sessions_, user_id};
    return run(Access::change, needs, retry, operation, arguments...);
}

template <class T>
Result<T> DatabaseStore::invalidate_totals_after(Result<T> result) {
    // The database may have made the change even if the result is a failure.
    if (totals_ != nullptr)
        totals_->invalidate();
    return result;
}

DatabaseStore::Invalidation::~Invalidation() {
    if (sessions == nullptr)
        return;
    if (token)
        sessions->invalidate_session(*token);
    else
        sessions->invalidate_user(user_id);
}

bool DatabaseStore::begin_revocation() noexcept {
    has_revoked_ = true;
    return !refuses_revocations_;
}

namespace {

/// Reverses a page that was read in reverse order.
void restore_order(std::vector<model::User>& users, const Window& window) {
    if (window.position && window.position->is_end)
        std::ranges::reverse(users);
}

} // namespace

Result<Page> DatabaseStore::list(const Filter& filter, const Window& window) {
    // If the page is sorted by Window::column, list_known() supplies only the total.
    constexpr Window one_user = {1};
    bool has_extra_columns = false;
    Result<Page> page =
        list_known(filter, window.column.empty() ? window : one_user, has_extra_columns);
    if (page && !window.column.empty()) {
        Result<std::vector<model::User>> users =
            read(needs_user, [&](Work& work) { return page_by_column(work, filter, window); });
        if (!users)
            return users.failure();
        page->users = *std::move(users);
    }
    if (page && window.columns == UserColumns::all && has_extra_columns) {
        const Result<Done> extras =
            read(needs_user, statements::read_extra_columns, std::span<model::User>(page->users));
        if (!extras)
            return extras.failure();
    }
    return page;
}

Result<Page> DatabaseStore::list_known(const Filter& filter, const Window& window,
                                       bool& has_extra_columns) {
    const auto is_shared = [&](CountSharing sharing) {
        return totals_ != nullptr &&
               (sharing == CountSharing::always ||
                (sharing == CountSharing::when_cached && totals_->is_caching()));
    };
    const TimeBudget::Scope use(time_budget_);
    std::optional<std::vector<model::User>> users;
    using Total = std::optional<std::int64_t>;
    // Returns std::nullopt if the total should be shared with other requests.
    const auto count = [&](bool leaves_shared, LastTotal last) {
        return read(needs_user, [&](Work& work) -> Result<Total> {
            const Table& user = work.schema().user;
            for (const Condition& condition : filter.conditions)
                if (!is_possible(condition, user))
                    return Failure::invalid_condition;
            const ListQueries& lists = work.dialect().lists(work.schema());
            has_extra_columns = !work.schema().extra_user_columns().empty();
            if (leaves_shared && is_shared(lists.count_sharing(work.schema(), filter)))
                return Total();
            const Window usable = usable_window(window, user);
            Result<CountedPage> counted = lists.count(work, filter, usable, last);
            if (!counted)
                return counted.failure();
            users = std::move(counted->users);
            if (users)
                restore_order(*users, usable);
            return Total(counted->total);
        });
    };
    Result<Total> total = count(true, {});
    if (total && !*total) {
        // Do not hold a connection while another request counts.
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
    // Only a total counted after this request arrived proves that a page past the end is empty.
    if (window.limit == 0 || (totals_ != nullptr && !totals_->is_caching() && !window.position &&
                              window.offset >= **total))
        users.emplace();
    if (!users) {
        Result<std::vector<model::User>> page = read(needs_user, [&](Work& work) {
            const Window usable = usable_window(window, work.schema().user);
            Result<std::vector<model::User>> listed =
                work.dialect().lists(work.schema()).page(work, filter, **total, usable);
            if (listed)
                restore_order(*listed, usable);
            return listed;
        });
        if (!page)
            return page.failure();
        users = std::move(*page);
    }
    return Page{*std::move(users), **total};
}

Result<model::User> DatabaseStore::find(std::string_view id, UserColumns columns) {
    return read(needs_user, statements::find, id, columns);
}

Result<Done> DatabaseStore::read_last_activity(std::span<model::User> users) {
    return read(needs_user, statements::read_last_activity, users);
}

Result<model::User> DatabaseStore::find_by_email(std::string_view email) {
    return read(needs_user, statements::find_by_email, email);
}

Result<model::User> DatabaseStore::create(const NewUser& user, const std::optional<Actor>& actor) {
    return invalidate_totals_after(run(Access::change, needs_user | needs_account | needs_creation,
                                       Retry::no, statements::create, user, actor));
}

Result<model::User> DatabaseStore::update(std::string_view id, const Changes& changes,
                                          const UpdateGuard& guard, SessionPolicy sessions) {
    if (statements::may_revoke_privileges(changes) && !begin_revocation())
        return Failure::unavailable;
    const Invalidation invalidation{sessions_, id};
    // If the first attempt succeeded, a retry would fail the check of the row version or of the
    // caller.
    const bool may_change_caller = guard.actor && guard.actor->id == id;
    return invalidate_totals_after(run(Access::change, needs_user | needs_of(sessions),
                                       guard.versions || may_change_caller ? Retry::no : Retry::yes,
                                       statements::update, id, changes, guard, sessions));
}

Result<Done> DatabaseStore::remove(std::string_view id, const ProtectedEmail& protected_email,
                                   const UpdateGuard& guard) {
    return invalidate_totals_after(revoke(id, needs_user | needs_session | needs_account, Retry::no,
                                          statements::remove, id, protected_email, guard));
}

Result<Done> DatabaseStore::exists_other_with_role(std::string_view id, std::string_view role,
                                                   text::Timestamp now) {
    return read(needs_user, statements::exists_other_with_role, id, role, now);
}

Result<Credential> DatabaseStore::find_credential(std::string_view email) {
    return read(needs_user | needs_account | needs_second_factor_flag, statements::find_credential,
                email);
}

Result<Done> DatabaseStore::set_password(const model::Account& account, SessionPolicy sessions,
                                         const UpdateGuard& guard) {
    const bool revokes = sessions == SessionPolicy::revoke;
    if (revokes && !begin_revocation())
        return Failure::unavailable;
    const Invalidation invalidation{revokes ? sessions_ : nullptr, account.user_id};
    return run(Access::change, needs_user | needs_account | needs_of(sessions), Retry::no,
               statements::set_password, account, sessions, guard);
}

Result<Done> DatabaseStore::replace_hash(const model::Account& account, std::string_view old_hash) {
    return run(Access::write, needs_user | needs_account, Retry::no, statements::replace_hash,
               account, old_hash);
}

Result<std::vector<std::string>> DatabaseStore::password_formats() {
    return read(needs_account, statements::password_formats);
}

Result<SessionWithUser> DatabaseStore::find_session(std::string_view token) {
    return read(needs_user | needs_session, statements::find_session, token);
}

Result<SessionWithUser> DatabaseStore::find_caller(std::string_view token) {
    return read(needs_user | needs_session, statements::find_caller, token);
}

Result<model::Session> DatabaseStore::find_session_by_token_or_id(std::string_view token_or_id) {
    return read(needs_session, statements::find_session_by_token_or_id, token_or_id);
}

Result<std::vector<model::Session>> DatabaseStore::list_sessions(std::string_view user_id,
                                                                 std::int64_t limit) {
    return read(needs_session, statements::list_sessions, user_id, limit);
}

Result<std::vector<model::Session>> DatabaseStore::list_active_sessions(std::string_view user_id,
                                                                        text::Timestamp now,
                                                                        std::int64_t limit) {
    return read(needs_session, statements::list_active_sessions, user_id, now, limit);
}

Result<std::string_view> DatabaseStore::create_session(const model::Session& session,
                                                       const SessionTerms& terms) {
    const Invalidation invalidation{terms.max_sessions != 0 ? sessions_ : nullptr, session.user_id};
    return run(Access::change,
               needs_user | needs_session | (terms.password_hash ? needs_account : 0U), Retry::no,
               statements::create_session, session, terms);
}

Result<Done> DatabaseStore::extend_session(std::string_view token, text::Timestamp expires_at,
                                           text::Timestamp now) {
    return run(Access::write, needs_session, Retry::yes, statements::extend_session, token,
               expires_at, now);
}

Result<Done> DatabaseStore::delete_session(std::string_view token) {
    if (!begin_revocation())
        return Failure::unavailable;
    const Invalidation invalidation{sessions_, {}, token};
    return run(Access::change, needs_session, Retry::yes, statements::delete_session, token);
}

Result<Done> DatabaseStore::delete_session_of_user(std::string_view user_id, std::string_view id,
                                                   const UpdateGuard& guard) {
    return revoke(user_id, needs_user | needs_session, Retry::yes,
                  statements::delete_session_of_user, user_id, id, guard);
}

Result<std::int64_t> DatabaseStore::delete_sessions_of_user(std::string_view user_id,
                                                            const UpdateGuard& guard) {
    return revoke(user_id, needs_user | needs_session, Retry::yes,
                  statements::delete_sessions_of_user, user_id, guard);
}

Result<Done> DatabaseStore::remove_second_factor(std::string_view id, const UpdateGuard& guard) {
    return revoke(id, needs_user | needs_session, Retry::no, statements::remove_second_factor, id,
                  guard);
}

Result<std::vector<model::SignInMethod>>
DatabaseStore::list_sign_in_methods(std::string_view user_id, std::int64_t limit) {
    return read(needs_user | needs_account, statements::list_sign_in_methods, user_id, limit);
}

Result<Done> DatabaseStore::remove_sign_in_method(std::string_view user_id, model::MethodKind kind,
                                                  std::string_view id, const UpdateGuard& guard) {
    return run(Access::change, needs_user | needs_account, Retry::no,
               statements::remove_sign_in_method, user_id, kind, id, guard);
}

Result<Revocations> DatabaseStore::revocations_since(std::int64_t position,
                                                     std::optional<std::int64_t> after_id) {
    return read(needs_user | needs_revocations, statements::revocations_since, position, after_id);
}

Result<FailedAttempts> DatabaseStore::failed_attempts(std::span<const AttemptCounter> counters) {
    return read(needs_nothing, statements::failed_attempts, counters);
}

Result<FailedAttempts>
DatabaseStore::record_failed_attempt(std::span<const AttemptCounter> counters,
                                     std::chrono::seconds window) {
    return run(Access::write, needs_nothing, Retry::yes, statements::record_failed_attempt,
               counters, window);
}

Result<Done> DatabaseStore::clear_failed_attempts(const AttemptCounter& counter) {
    return run(Access::write, needs_nothing, Retry::yes, statements::clear_failed_attempts,
               counter);
}

Result<ApiKeyWithUser> DatabaseStore::find_api_key(std::string_view digest) {
    return read(needs_user | needs_api_keys, statements::find_api_key, digest);
}

Result<Done> DatabaseStore::use_api_key(const ApiKeyUse& use) {
    return run(Access::write, needs_api_keys, Retry::no, statements::use_api_key, use);
}

Result<std::string_view> DatabaseStore::create_api_key(const model::ApiKey& key,
                                                       std::string_view digest) {
    return run(Access::change, needs_api_keys, Retry::no, statements::create_api_key, key, digest);
}

Result<std::vector<model::ApiKey>> DatabaseStore::list_api_keys(std::string_view user_id) {
    return read(needs_api_keys, statements::list_api_keys, user_id);
}

Result<Done> DatabaseStore::delete_api_key(std::string_view id) {
    return run(Access::change, needs_api_keys, Retry::yes, statements::delete_api_key, id);
}

Result<std::string_view> DatabaseStore::find_verification(std::string_view identifier,
                                                          text::Timestamp now) {
    return read(needs_second_factors, statements::find_verification, identifier, now);
}

Result<UserWithSecondFactor> DatabaseStore::find_second_factor(std::string_view user_id) {
    return read(needs_user | needs_second_factors, statements::find_second_factor, user_id);
}

Result<Done> DatabaseStore::change_second_factor(const SecondFactorChange& change) {
    return run(Access::write, needs_second_factors, Retry::no, statements::change_second_factor,
               change);
}

Result<Done> DatabaseStore::record_second_factor_failure(std::string_view user_id,
                                                         const SecondFactorLock& lock) {
    // If the outcome is unknown, counting twice is safer than not counting.
    return run(Access::write, needs_second_factors, Retry::yes,
               statements::record_second_factor_failure, user_id, lock);
}

Result<FailedAttempts> DatabaseStore::count_mail(std::span<const AttemptCounter> counters,
                                                 std::chrono::seconds window) {
    return run(Access::write, needs_attempt_table | needs_mail, Retry::yes,
               statements::record_failed_attempt, counters, window);
}

Result<Done> DatabaseStore::add_verification(const model::VerificationValue& row) {
    return run(Access::write, needs_mail, Retry::no, statements::add_verification, row);
}

Result<Done> DatabaseStore::issue_verification(std::string_view user_id,
                                               const std::optional<model::VerificationValue>& row,
                                               const UpdateGuard& guard) {
    return run(Access::change, needs_user | needs_mail, Retry::no, statements::issue_verification,
               user_id, row, guard);
}

Result<Done> DatabaseStore::remove_verification(std::string_view identifier) {
    return run(Access::write, needs_mail, Retry::yes, statements::remove_verification, identifier);
}

Result<std::vector<ExtraColumn>> DatabaseStore::extra_columns() {
    return read(needs_user, statements::extra_columns);
}

Result<bool> DatabaseStore::has_protected_user(const ProtectedEmail& protected_email) {
    return read(needs_user, statements::has_protected_user, protected_email);
}

model::NullableTime DatabaseStore::last_replay_time() {
    if (!is_standby_)
        return {};
    const auto time = read(needs_user, statements::last_replay_time);
    return time ? *time : model::NullableTime();
}

Result<Done> DatabaseStore::ping() {
    return read(
        needs_user,
        [](Work& work) -> Result<Done> {
            const Result<Rows> answer = work.execute("SELECT 1");
            if (!answer)
                return answer.failure();
            return Done();
        });
}

Result<Done> DatabaseStore::check_writable() {
    return run(Access::write, needs_user, Retry::yes, statements::check_writable);
}

} // namespace useradmin::store
