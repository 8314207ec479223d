#pragma once

#include "ipc/fair_semaphore.hpp"
#include "store/connection.hpp"
#include "store/dialect.hpp"
#include "store/schema.hpp"
#include "store/statements.hpp"
#include "store/store.hpp"
#include "store/totals.hpp"
#include "text/logger.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace useradmin::store {

class CachedConnection;
class SessionCache;

/// A Store for one request. Each call acquires a connection and releases it before returning.
class DatabaseStore : public Store {
  public:
    /// `label` must be unique for each set of table names that is used on a connection. `pool` owns
    /// the results. `totals` is shared with other requests, and may be nullptr. `write_semaphore`
    /// has one permit and queues the writers of a database that allows only one at a time. Without
    /// the semaphore, writers retry in no particular order, and some may time out.
    DatabaseStore(ConnectionSource& source, text::Logger& log, apr_pool_t* pool,
                  const TableNames& names, const char* label, const TimeoutPolicy& timeout_policy,
                  Totals* totals = nullptr, ipc::FairSemaphore* write_semaphore = nullptr) noexcept
        : source_(source), log_(log), pool_(pool), names_(names), label_(label),
          timeout_policy_(timeout_policy), time_budget_(timeout_policy), totals_(totals),
          write_semaphore_(write_semaphore) {}

    /// Sets the listener for changes, or removes it if nullptr. The listener must outlive the
    /// store.
    void set_change_listener(ChangeListener* listener) noexcept { change_listener_ = listener; }
    /// Sets the session cache. The store invalidates its entries on each attempt to change a user
    /// or end a session, even if the attempt fails, because the outcome may be unknown. The cache
    /// must outlive the store.
    void set_session_cache(SessionCache* sessions) noexcept { sessions_ = sessions; }
    /// Sets whether changes that revoke privileges or sessions fail with `unavailable`.
    void reject_revocations(bool are_rejected) noexcept { rejects_revocations_ = are_rejected; }
    /// Returns whether a change that revokes privileges or sessions was attempted.
    bool has_revoked() const noexcept { return has_revoked_; }
    void set_plugin_policy(PluginPolicy policy) noexcept { plugin_policy_ = policy; }

    Result<Page> list(const Filter& filter, const Window& window) override;
    Result<model::User> find(std::string_view id, UserColumns columns) override {
        return read(needs_user, statements::find, id, columns);
    }
    Result<Done> read_last_activity(std::span<model::User> users) override {
        return read(needs_user, statements::read_last_activity, users);
    }
    Result<model::User> find_by_email(std::string_view email) override {
        return read(needs_user, statements::find_by_email, email);
    }
    model::NullableTime last_replay_time() override {
        if (!is_standby_)
            return {};
        const auto time = read(needs_user, statements::last_replay_time);
        return time ? *time : model::NullableTime();
    }
    Result<model::User> create(const NewUser& user, const std::optional<Actor>& actor) override {
        return invalidate_totals_after(run(Access::change, needs_user | needs_account, Retry::no,
                                           statements::create, user, actor));
    }
    Result<model::User> update(std::string_view id, const Changes& changes,
                               const UpdateGuard& guard, SessionPolicy sessions) override {
        if (statements::may_revoke_privileges(changes) && !begin_revocation())
            return Failure::unavailable;
        const Invalidation invalidation{sessions_, id};
        // If the first attempt succeeded, a retry would fail the check of the row version or of the
        // caller.
        const bool may_change_caller = guard.actor && guard.actor->id == id;
        bool is_rejected = false;
        const auto change = [&](Work& work) {
            Result<model::User> updated = statements::update(work, id, changes, guard, sessions);
            is_rejected = !updated && work.has_rejected_value();
            return updated;
        };
        const Result<model::User> updated = invalidate_totals_after(
            run(Access::change, needs_user | needs_of(sessions),
                guard.versions || may_change_caller ? Retry::no : Retry::yes, change));
        if (!is_rejected)
            return updated;
        // PostgreSQL rejects a value before it looks for the row and checks the guard.
        const Result<Done> allowed = read(needs_user, statements::check_guard, id, guard);
        return allowed ? updated : allowed.failure();
    }
    Result<Done> remove(std::string_view id, const ProtectedEmail& protected_email,
                        const UpdateGuard& guard) override {
        return invalidate_totals_after(revoke(id, needs_user | needs_session | needs_account,
                                              Retry::no, statements::remove, id, protected_email,
                                              guard));
    }
    Result<Credential> find_credential(std::string_view email) override {
        return read(needs_user | needs_account | needs_second_factor_flag,
                    statements::find_credential, email);
    }
    Result<Done> set_password(const model::Account& account, SessionPolicy sessions,
                              const UpdateGuard& guard) override {
        const bool revokes = sessions == SessionPolicy::revoke;
        if (revokes && !begin_revocation())
            return Failure::unavailable;
        const Invalidation invalidation{revokes ? sessions_ : nullptr, account.user_id};
        return run(Access::change, needs_user | needs_account | needs_of(sessions), Retry::no,
                   statements::set_password, account, sessions, guard);
    }
    Result<Done> replace_hash(const model::Account& account, std::string_view old_hash) override {
        return run(Access::write, needs_user | needs_account, Retry::no, statements::replace_hash,
                   account, old_hash);
    }
    Result<std::vector<std::string>> password_formats() override {
        return read(needs_account, statements::password_formats);
    }
    Result<SessionWithUser> find_session(std::string_view token) override {
        return read(needs_user | needs_session, statements::find_session, token);
    }
    Result<SessionWithUser> find_caller(std::string_view token) override {
        return read(needs_user | needs_session, statements::find_caller, token);
    }
    Result<model::Session> find_session_by_token_or_id(std::string_view token_or_id) override {
        return read(needs_session, statements::find_session_by_token_or_id, token_or_id);
    }
    Result<std::vector<model::Session>> list_sessions(std::string_view user_id,
                                                      std::int64_t limit) override {
        return read(needs_session, statements::list_sessions, user_id, limit);
    }
    Result<std::vector<model::Session>> list_active_sessions(std::string_view user_id,
                                                             text::Timestamp now,
                                                             std::int64_t limit) override {
        return read(needs_session, statements::list_active_sessions, user_id, now, limit);
    }
    Result<std::string_view> create_session(const model::Session& session,
                                            const SessionTerms& terms) override {
        const Invalidation invalidation{terms.max_sessions != 0 ? sessions_ : nullptr,
                                        session.user_id};
        return run(Access::change,
                   needs_user | needs_session | (terms.password_hash ? needs_account : 0U),
                   Retry::no, statements::create_session, session, terms);
    }
    Result<Done> extend_session(std::string_view token, text::Timestamp expires_at,
                                text::Timestamp now) override {
        return run(Access::write, needs_session, Retry::yes, statements::extend_session, token,
                   expires_at, now);
    }
    Result<Done> delete_session(std::string_view token) override {
        if (!begin_revocation())
            return Failure::unavailable;
        const Invalidation invalidation{sessions_, {}, token};
        return run(Access::change, needs_session, Retry::yes, statements::delete_session, token);
    }
    Result<Done> delete_session_of_user(std::string_view user_id, std::string_view id,
                                        const UpdateGuard& guard) override {
        return revoke(user_id, needs_user | needs_session, Retry::yes,
                      statements::delete_session_of_user, user_id, id, guard);
    }
    Result<std::int64_t> delete_sessions_of_user(std::string_view user_id,
                                                 const UpdateGuard& guard) override {
        return revoke(user_id, needs_user | needs_session, Retry::yes,
                      statements::delete_sessions_of_user, user_id, guard);
    }
    Result<Done> remove_second_factor(std::string_view id, const UpdateGuard& guard) override {
        return revoke(id, needs_user | needs_session, Retry::no, statements::remove_second_factor,
                      id, guard);
    }
    Result<std::vector<model::SignInMethod>> list_sign_in_methods(std::string_view user_id,
                                                                  std::int64_t limit) override {
        return read(needs_user | needs_account, statements::list_sign_in_methods, user_id, limit);
    }
    Result<Done> remove_sign_in_method(std::string_view user_id, model::MethodKind kind,
                                       std::string_view id, const UpdateGuard& guard) override {
        return run(Access::change, needs_user | needs_account, Retry::no,
                   statements::remove_sign_in_method, user_id, kind, id, guard);
    }
    Result<FailedAttempts> failed_attempts(std::span<const AttemptCounter> counters) override {
        return read(needs_nothing, statements::failed_attempts, counters);
    }
    Result<FailedAttempts> record_failed_attempt(std::span<const AttemptCounter> counters,
                                                 std::chrono::seconds window) override {
        return run(Access::write, needs_nothing, Retry::yes, statements::record_failed_attempt,
                   counters, window);
    }
    Result<Done> clear_failed_attempts(const AttemptCounter& counter) override {
        return run(Access::write, needs_nothing, Retry::yes, statements::clear_failed_attempts,
                   counter);
    }
    Result<Revocations> revocations_since(std::int64_t position,
                                          std::optional<std::int64_t> after_id) override {
        return read(needs_user | needs_revocations, statements::revocations_since, position,
                    after_id);
    }
    Result<ApiKeyWithUser> find_api_key(std::string_view digest) override {
        return read(needs_user | needs_api_keys, statements::find_api_key, digest);
    }
    Result<Done> use_api_key(const ApiKeyUse& use) override {
        return run(Access::write, needs_api_keys, Retry::no, statements::use_api_key, use);
    }
    Result<std::string_view> find_verification(std::string_view identifier,
                                               text::Timestamp now) override {
        return read(needs_second_factors, statements::find_verification, identifier, now);
    }
    Result<UserWithSecondFactor> find_second_factor(std::string_view user_id) override {
        return read(needs_user | needs_second_factors, statements::find_second_factor, user_id);
    }
    Result<Done> change_second_factor(const SecondFactorChange& change) override {
        return run(Access::write, needs_second_factors, Retry::no, statements::change_second_factor,
                   change);
    }
    Result<Done> use_code(std::string_view subject, std::chrono::seconds window) override {
        // A repeated use would look like a second one.
        return run(Access::write, needs_nothing, Retry::no, statements::use_once, subject, window);
    }
    Result<Done> record_second_factor_failure(std::string_view user_id,
                                              const SecondFactorLock& lock) override {
        // If the outcome is unknown, counting twice is safer than not counting.
        return run(Access::write, needs_second_factors, Retry::yes,
                   statements::record_second_factor_failure, user_id, lock);
    }
    Result<FailedAttempts> count_mail(std::span<const AttemptCounter> counters,
                                      std::chrono::seconds window) override {
        // A repeated count could reject the last message that a limit allows.
        return run(Access::write, needs_attempt_table | needs_mail, Retry::no,
                   statements::count_mail, counters, window);
    }
    Result<Done> add_verification(const model::VerificationValue& row) override {
        return run(Access::write, needs_mail, Retry::no, statements::add_verification, row);
    }
    Result<Done> issue_verification(std::string_view user_id,
                                    const std::optional<model::VerificationValue>& row,
                                    const UpdateGuard& guard) override {
        return run(Access::change, needs_user | needs_mail, Retry::no,
                   statements::issue_verification, user_id, row, guard);
    }
    Result<Done> remove_verification(std::string_view identifier) override {
        return run(Access::write, needs_mail, Retry::yes, statements::remove_verification,
                   identifier);
    }
    void set_idempotency_key(std::string key) override { idempotency_key_ = std::move(key); }
    Result<std::vector<ExtraColumn>> extra_columns() override {
        return read(needs_user, statements::extra_columns);
    }
    Result<bool> has_protected_user(const ProtectedEmail& protected_email) override {
        return read(needs_user, statements::has_protected_user, protected_email);
    }

    /// Creates an API key with the digest. Returns the key's id, which the database may generate.
    Result<std::string_view> create_api_key(const model::ApiKey& key, std::string_view digest) {
        return run(Access::change, needs_api_keys, Retry::no, statements::create_api_key, key,
                   digest);
    }
    /// Returns the user's API keys, newest first.
    Result<std::vector<model::ApiKey>> list_api_keys(std::string_view user_id) {
        return read(needs_api_keys, statements::list_api_keys, user_id);
    }
    /// Deletes an API key. Returns not_found if there is no such key.
    Result<Done> delete_api_key(std::string_view id) {
        return run(Access::change, needs_api_keys, Retry::yes, statements::delete_api_key, id);
    }

    /// Checks that the database responds and has the user table.
    Result<Done> ping() {
        return read(
            needs_user,
            [](Work& work) -> Result<Done> {
                const Result<Rows> answer = work.execute("SELECT 1");
                if (!answer)
                    return answer.failure();
                return Done();
            });
    }
    /// Like ping(), but also checks that users can be changed. A standby, for example, is
    /// read-only.
    Result<Done> check_writable() {
        return run(Access::write, needs_user, Retry::yes, statements::check_writable);
    }

  private:
    /// Lists users without their extra columns. Sets `has_extra_columns` to whether the table has
    /// extra columns. Window::column must be empty.
    Result<Page> list_known(const Filter& filter, const Window& window, bool& has_extra_columns);
    /// Whether to repeat an operation if the connection broke and the outcome is unknown.
    enum class Retry { no, yes };

    /// What an operation does. A change is a write that is reported to the listener.
    enum class Access { read, write, change };

    /// One attempt at an operation on a connection. The function itself stores the operation's
    /// result.
    using Attempt = std::function<Result<Done>(Work&)>;

    /// Repeats the attempt until it succeeds, fails permanently, or runs out of time. `needs` is a
    /// combination of Need flags.
    Result<Done> repeat(Access access, unsigned needs, Retry retry, const Attempt& attempt);
    /// Like repeat(), but on one connection. Returns std::nullopt if the database is busy.
    std::optional<Result<Done>> repeat_on(const Connection& connection, const Dialect& dialect,
                                          unsigned needs, Retry retry, Deadline deadline,
                                          const Attempt& attempt);
    /// The remedies for a transient failure that have not been tried yet. Each is tried only once.
    struct Remedies {
        bool may_reconnect = true;
        bool may_invalidate = true;
    };
    /// These functions handle a failure other than a busy database. They return std::nullopt if
    /// another attempt may succeed. Otherwise, they log the failure and return it.
    std::optional<Failure> handle_catalog_error(Client& client, Remedies& remedies);
    std::optional<Failure> handle_error(Work& work, CachedConnection& known, Retry retry,
                                        Remedies& remedies);
    /// Logs a problem of the schema and returns the failure.
    Failure problem_failure(const Problem& problem);
    /// Like repeat(), but begins a transaction for a write if necessary, and reports a change to
    /// the listener.
    Result<Done> execute(Access access, unsigned needs, Retry retry, const Attempt& attempt);
    /// Runs an operation on a Work, such as a function from statements.hpp. Returns its result.
    template <class Operation, class... Arguments>
    std::invoke_result_t<Operation, Work&, const Arguments&...>
    run(Access access, unsigned needs, Retry retry, const Operation& operation,
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
    std::invoke_result_t<Operation, Work&, const Arguments&...>
    read(unsigned needs, const Operation& operation, const Arguments&... arguments) {
        return run(Access::read, needs, Retry::yes, operation, arguments...);
    }
    /// Runs a change that revokes privileges or sessions of the user.
    template <class Operation, class... Arguments>
    std::invoke_result_t<Operation, Work&, const Arguments&...>
    revoke(std::string_view user_id, unsigned needs, Retry retry, const Operation& operation,
           const Arguments&... arguments) {
        if (!begin_revocation())
            return Failure::unavailable;
        const Invalidation invalidation{sessions_, user_id};
        return run(Access::change, needs, retry, operation, arguments...);
    }
    /// Records that a revocation was attempted. Returns whether it is allowed.
    bool begin_revocation() noexcept {
        has_revoked_ = true;
        return !rejects_revocations_;
    }
    /// Returns the additional needs of a change that may end sessions.
    static constexpr unsigned needs_of(SessionPolicy sessions) noexcept {
        return sessions == SessionPolicy::revoke ? needs_session : 0U;
    }

    /// When destroyed, invalidates the user's sessions, or only the token's session, unless there
    /// is no cache.
    struct Invalidation {
        SessionCache* sessions;
        std::string_view user_id;
        std::optional<std::string_view> token = {};
        ~Invalidation();
    };

    /// Invalidates the cached totals, and returns the result.
    template <class T>
    Result<T> invalidate_totals_after(Result<T> result) {
        // The database may have made the change even if the result is a failure.
        if (totals_ != nullptr)
            totals_->invalidate();
        return result;
    }

    // These functions log the failure, report the outcome to the connection source, and return the
    // failure.
    Failure timeout_failure();
    Failure lock_failure();
    Failure connection_failure(const Client& client);
    Failure log_unavailable(WorkOutcome outcome, const std::string& line);
    Failure log_failed(WorkOutcome outcome, const std::string& line);

    ConnectionSource& source_;
    text::Logger& log_;
    apr_pool_t* pool_;
    TableNames names_;
    const char* label_;
    TimeoutPolicy timeout_policy_;
    TimeBudget time_budget_;
    Totals* totals_;
    ipc::FairSemaphore* write_semaphore_;
    ChangeListener* change_listener_ = nullptr;
    std::string idempotency_key_;
    PluginPolicy plugin_policy_;
    SessionCache* sessions_ = nullptr;
    bool rejects_revocations_ = false;
    bool has_revoked_ = false;
    /// Whether the server of the last call was a standby.
    bool is_standby_ = false;
};

} // namespace useradmin::store
