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

/// Returns the deadline for responses. If acquiring the connection took a long time, extends the
/// deadline a little. Otherwise, a timeout would close a working connection, and the next request
/// would have to wait for a new one.
Deadline deadline_of(Clock::time_point asked, Deadline deadline) {
    constexpr std::chrono::milliseconds min_remaining(250);
    const auto now = Clock::now();
    return now - asked < min_remaining ? deadline : std::max(deadline, now + min_remaining);
}

std::string seconds_of(const TimeoutPolicy& policy) {
    return std::to_string(policy.timeout.count() / 1000);
}

/// Returns " (directive)", or an empty string for nullptr.
std::string in_parentheses(const char* directive) {
    return directive == nullptr ? "" : std::string(" (").append(directive) + ')';
}

std::string timeout_message(const TimeoutPolicy& policy) {
    return "UA0107: the query timed out after " + seconds_of(policy) + " s" +
           in_parentheses(policy.directive);
}

} // namespace

Failure DatabaseStore::timeout_failure() {
    return log_unavailable(WorkOutcome::timed_out, timeout_message(timeout_policy_));
}

Failure DatabaseStore::lock_failure() {
    return log_unavailable(WorkOutcome::lock_timed_out,
                           "UA0104: timed out after " + seconds_of(timeout_policy_) +
                               " s waiting for a database lock" +
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
    const Deadline limit = timeout_policy_.applies_to_statements ? deadline : no_deadline;
    client.set_deadline(limit);
    // mod_dbd may have reconnected.
    if (!client.init_session())
        return connection_failure(client);
    Remedies remedies;
    while (true) {
        if (!known.refresh_schema(dialect, names_, limit, pool_)) {
            if (client.error_kind() == ErrorKind::busy)
                return std::nullopt;
            if (const auto failure = handle_catalog_error(client, remedies))
                return *failure;
            continue;
        }
        if (const Problem* problem = known.schema().find_problem(needs)) {
            // The problem may have been fixed in the meantime: read the catalog again.
            if (!std::exchange(remedies.may_invalidate, false))
                return problem_failure(*problem);
            known.invalidate_schema();
            continue;
        }
        const unsigned row_needs =
            needs_all_rows | (plugin_policy_.uses_tables() ? needs_all_plugin_rows : 0U);
        if (const Problem* hidden = known.schema().find_problem(row_needs))
            log_.write_throttled(text::Level::warning, "UA0109: " + hidden->text);
        // A write that must not be repeated must not start on a closed connection.
        if (retry == Retry::no && remedies.may_reconnect && !known.is_alive()) {
            remedies.may_reconnect = false;
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
            log_.write(text::Level::info, "UA0106: a column cannot hold a value of the request: " +
                                              work.error_message());
        if (result || result.failure() != Failure::failed)
            return result;
        if (work.error_kind() == ErrorKind::busy)
            return std::nullopt;
        if (const auto failure = handle_error(work, known, retry, remedies))
            return *failure;
    }
}

std::optional<Failure> DatabaseStore::handle_catalog_error(Client& client, Remedies& remedies) {
    const ErrorKind error_kind = client.error_kind();
    if (error_kind == ErrorKind::timed_out)
        return timeout_failure();
    const std::string reason = client.error_message();
    if (std::exchange(remedies.may_reconnect, false) && client.ensure_connected())
        return std::nullopt;
    if (error_kind == ErrorKind::connection_lost)
        return connection_failure(client);
    return log_unavailable(WorkOutcome::failed,
                           "UA0102: cannot read the database's catalog: " + reason);
}

Failure DatabaseStore::problem_failure(const Problem& problem) {
    const std::string line = "UA0103: " + problem.text;
    if (problem.need != needs_revocations)
        return log_failed(WorkOutcome::failed, line);
    // Revocations are read once a second.
    log_.write_throttled(text::Level::error, line);
    return Failure::failed;
}

std::optional<Failure> DatabaseStore::handle_error(Work& work, CachedConnection& known, Retry retry,
                                                   Remedies& remedies) {
    Client& client = work.client();
    std::string reason = "the database reported an error: " + work.error_message();
    const bool is_outcome_unknown = retry == Retry::no && work.may_be_committed();
    // Logs every write whose outcome is unknown, without throttling.
    const auto unknown_outcome = [this](WorkOutcome outcome, const std::string& cause) {
        log_failed(outcome, cause + "; the outcome of the write is unknown");
        return Failure::unavailable;
    };
    switch (work.error_kind().value_or(ErrorKind::rejected)) {
    case ErrorKind::canceled:
        return log_unavailable(WorkOutcome::timed_out,
                               "UA0107: the database canceled the query: " + work.error_message());
    case ErrorKind::stale_schema:
    case ErrorKind::insufficient_privilege:
        // The tables or privileges may have changed since the catalog was read.
        if (std::exchange(remedies.may_invalidate, false)) {
            // Privileges are checked at each execution, so prepared statements stay valid.
            if (work.error_kind() == ErrorKind::stale_schema)
                client.discard_prepared();
            known.invalidate_schema();
            return std::nullopt;
        }
        if (work.error_kind() == ErrorKind::insufficient_privilege)
            reason += "; to list the missing GRANTs, connect as the same database role and run: "
                      "useradminctl check --verbose";
        break;
    case ErrorKind::read_only:
        // The primary may have become a standby. Nothing was done, and a new connection may reach
        // the new primary.
        if (!std::exchange(remedies.may_reconnect, false))
            return log_unavailable(WorkOutcome::read_only,
                                   "UA0108: the database is read-only: " + work.error_message() +
                                       "; " + work.dialect().product().read_only_hint);
        return client.reconnect() ? std::nullopt : std::optional(connection_failure(client));
    case ErrorKind::timed_out:
        return is_outcome_unknown
                   ? unknown_outcome(WorkOutcome::timed_out, timeout_message(timeout_policy_))
                   : timeout_failure();
    case ErrorKind::connection_lost: {
        const bool is_first = std::exchange(remedies.may_reconnect, false);
        const bool is_connected = client.ensure_connected();
        if (is_outcome_unknown)
            return unknown_outcome(WorkOutcome::connection_lost,
                                   "UA0105: lost the connection to the database: " +
                                       work.error_message());
        return is_connected && is_first ? std::nullopt : std::optional(connection_failure(client));
    }
    case ErrorKind::foreign_key_violation:
        reason += "; to delete a user, delete the rows that refer to it, or declare the foreign "
                  "key ON DELETE CASCADE or ON DELETE SET NULL";
        break;
    case ErrorKind::busy:
    case ErrorKind::unique_violation:
    case ErrorKind::invalid_value:
    case ErrorKind::unencodable:
    case ErrorKind::rejected:
        break;
    }
    return log_failed(WorkOutcome::failed, "UA0106: " + reason);
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
        // readers blocked its commit, and new readers could start in the meantime.
        const bool needs_transaction =
            reports_first || has_key || work.dialect().product().is_single_writer;
        std::unique_ptr<Transaction> transaction;
        if (needs_transaction)
            transaction = work.dialect().begin_transaction(work);
        bool is_reported = false;
        Result<Done> done = Failure::failed;
        if (transaction != nullptr || !needs_transaction)
            done = has_key ? statements::use_once(work, idempotency_key_, std::chrono::hours(24))
                           : Done();
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
        // Do not retry: the listener has already been notified, and would be notified again.
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

DatabaseStore::Invalidation::~Invalidation() {
    if (sessions == nullptr)
        return;
    if (token)
        sessions->invalidate_session(*token);
    else
        sessions->invalidate_user(user_id);
}

namespace {

/// Returns the filter without a search or role that the database cannot encode: they match no user,
/// but another condition may.
Filter without_unencodable(Work& work, const Filter& filter) {
    if (filter.matches_all)
        return filter;
    Filter possible = filter;
    for (model::NullableText* const text : {&possible.search, &possible.role})
        if (*text && !work.can_encode(work.schema().user.at("email"), **text))
            text->reset();
    return possible.is_empty() ? filter : possible;
}

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
    Filter possible;
    std::optional<std::vector<model::User>> users;
    using Total = std::optional<std::int64_t>;
    // Returns std::nullopt if the total should be shared with other requests.
    const auto count = [&](bool leaves_shared, LastTotal last) {
        return read(needs_user, [&](Work& work) -> Result<Total> {
            const Table& user = work.schema().user;
            for (const Condition& condition : filter.conditions)
                if (!is_possible(condition, user))
                    return Failure::invalid_condition;
            possible = without_unencodable(work, filter);
            const ListQueries& lists = work.dialect().lists(work.schema());
            has_extra_columns = !work.schema().extra_user_columns().empty();
            if (leaves_shared && is_shared(lists.count_sharing(work.schema(), filter)))
                return Total();
            const Window usable = usable_window(window, user);
            Result<CountedPage> counted = lists.count(work, possible, usable, last);
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
                work.dialect().lists(work.schema()).page(work, possible, **total, usable);
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

} // namespace useradmin::store
