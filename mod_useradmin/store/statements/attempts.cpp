#include "crypto/sha256.hpp"
#include "store/statements/parts.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::store::statements {

namespace {

/// Returns the key of each counter's row. Includes the names of the application's tables, because
/// applications with other tables in the same schema share the table of attempts.
std::vector<std::string> keys_of(const Schema& schema, std::span<const AttemptCounter> counters) {
    std::vector<std::string> keys;
    for (const AttemptCounter& counter : counters)
        keys.push_back(crypto::hex(crypto::digest(
            {counter.subject, schema.user.sql, schema.session.sql, schema.account.sql})));
    return keys;
}

/// Reads counts from rows of key, failures and remaining seconds.
FailedAttempts read_attempts(Rows& rows, std::span<const AttemptCounter> counters,
                             const std::vector<std::string>& keys) {
    FailedAttempts found;
    while (rows.next()) {
        const std::string_view key = rows.take().value_or("");
        const std::int64_t failures = rows.take_number();
        const std::chrono::seconds wait(rows.take_number());
        for (std::size_t index = 0; index < counters.size(); ++index) {
            if (keys[index] != key)
                continue;
            found.has_first = found.has_first || (index == 0 && failures > 0);
            if (failures < counters[index].limit)
                continue;
            found.exceeded = std::min(index, found.exceeded.value_or(index));
            found.retry_after = std::max(found.retry_after, wait);
        }
    }
    return found;
}

} // namespace

Result<FailedAttempts> failed_attempts(Work& work, std::span<const AttemptCounter> counters) {
    const Table& table = work.schema().attempt;
    if (!table.exists())
        return FailedAttempts{false};
    const std::string now = work.dialect().product().current_unix_time;
    const std::vector<std::string> keys = keys_of(work.schema(), counters);
    Statement statement = work.statement();
    statement << "SELECT subject, failures, expires_at" << table.op("-") << now << " FROM " << table
              << " WHERE expires_at" << table.op(">") << now << " AND (";
    for (const std::string& key : keys)
        statement << (&key == &keys.front() ? "subject" : " OR subject") << table.op("=")
                  << argument(key);
    statement << ")";
    Result<Rows> rows = work.run(statement);
    if (!rows)
        return rows.failure();
    return read_attempts(*rows, counters, keys);
}

Result<FailedAttempts> record_failed_attempt(Work& work, std::span<const AttemptCounter> counters,
                                             std::chrono::seconds window) {
    const Table& table = work.schema().attempt;
    if (!table.exists())
        return FailedAttempts{false};
    const std::string now = work.dialect().product().current_unix_time;
    // Remove expired rows before counting, so a retry after a conflict counts nothing twice.
    constexpr std::int64_t max_removed = 20; // one attempt adds fewer rows
    const auto [before, after] = work.dialect().product().any_of_skip_locked;
    Statement remove = work.statement();
    remove << "DELETE FROM " << table << " WHERE subject" << before << "SELECT subject FROM "
           << table << " WHERE expires_at" << table.op("<") << now << " ORDER BY expires_at LIMIT "
           << argument(max_removed) << after;
    if (const Result<Done> removed = work.apply(remove); !removed)
        return removed.failure();
    // Sort by subject to avoid deadlocks between concurrent statements. SQLite needs WHERE TRUE to
    // distinguish ON CONFLICT from a join's ON.
    const std::vector<std::string> keys = keys_of(work.schema(), counters);
    Statement count = work.statement();
    count << "INSERT INTO " << table
          << " AS a (subject, failures, expires_at) SELECT s.subject, 1, " << now << table.op("+")
          << "CAST(" << argument(std::int64_t{window.count()}) << " AS bigint) FROM (";
    for (const std::string& key : keys)
        count << (&key == &keys.front() ? "SELECT CAST(" : " UNION ALL SELECT CAST(")
              << argument(key) << " AS text) AS subject";
    count << ") AS s WHERE TRUE ORDER BY s.subject ON CONFLICT (subject) DO UPDATE SET failures = "
             "CASE WHEN a.expires_at"
          << table.op(">") << now << " THEN a.failures" << table.op("+")
          << "1 ELSE 1 END, expires_at = CASE WHEN a.expires_at" << table.op(">") << now
          << " THEN a.expires_at ELSE excluded.expires_at END RETURNING subject, failures, "
             "expires_at"
          << table.op("-") << now;
    Result<Rows> rows = work.run(count);
    if (!rows)
        return rows.failure();
    return read_attempts(*rows, counters, keys);
}

Result<FailedAttempts> count_mail(Work& work, std::span<const AttemptCounter> counters,
                                  std::chrono::seconds window) {
    Result<FailedAttempts> state = failed_attempts(work, counters);
    if (!state || state->exceeded)
        return state;
    // This message may be the last that a limit allows. Reject only a later, concurrent one.
    std::vector<AttemptCounter> limits(counters.begin(), counters.end());
    for (AttemptCounter& counter : limits)
        ++counter.limit;
    return record_failed_attempt(work, limits, window);
}

Result<Done> use_once(Work& work, std::string_view subject, std::chrono::seconds window) {
    // The second use reaches the limit.
    const AttemptCounter counter = {std::string(subject), 2};
    const Result<FailedAttempts> uses = record_failed_attempt(work, {&counter, 1}, window);
    if (!uses)
        return uses.failure();
    return uses->exceeded ? Result<Done>(Failure::already_done) : Done();
}

Result<Done> clear_failed_attempts(Work& work, const AttemptCounter& counter) {
    const Table& table = work.schema().attempt;
    if (!table.exists())
        return Done();
    Statement statement = work.statement();
    statement << "DELETE FROM " << table << " WHERE subject" << table.op("=")
              << argument(keys_of(work.schema(), {&counter, 1}).front());
    return work.apply(statement);
}

} // namespace useradmin::store::statements
