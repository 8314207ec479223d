#include "store/cached_connection.hpp"

#include "apr/pool.hpp"

#include <algorithm>
#include <utility>

namespace useradmin::store {

namespace {

constexpr apr_time_t schema_max_age = apr_time_from_sec(10);
constexpr apr_time_t liveness_max_age = apr_time_from_sec(1);

bool is_fresh(apr_time_t read_at, apr_time_t max_age = schema_max_age) noexcept {
    const apr_time_t now = apr_time_now();
    return now - read_at < max_age && now >= read_at;
}

} // namespace

CachedConnection& CachedConnection::get(const Connection& connection, const Dialect& dialect,
                                        const char* label) {
    void* known = nullptr;
    apr_pool_userdata_get(&known, label, connection.pool);
    if (known == nullptr) {
        label = apr_pstrdup(connection.pool, label);
        known = &apr::emplace<CachedConnection>(
            connection.pool, dialect.create_client(connection, label),
            connection.schemas != nullptr ? &connection.schemas->entry(label) : nullptr);
        apr_pool_userdata_set(known, label, apr_pool_cleanup_null, connection.pool);
    }
    return *static_cast<CachedConnection*>(known);
}

bool CachedConnection::refresh_schema(const Dialect& dialect, const TableNames& names,
                                      Deadline deadline, apr_pool_t* pool) {
    if (is_fresh(schema_read_at_))
        return true;
    if (shared_ == nullptr)
        return read_schema(dialect, names, pool);
    if (take_shared())
        return true;
    std::unique_lock reading(shared_->reading, std::defer_lock);
    const bool has_schema = is_fresh(schema_read_at_, 2 * schema_max_age);
    // While another connection reads the catalog, use the old schema. If the schema is too old,
    // wait for the other connection, but only briefly, because its server may not respond.
    constexpr std::chrono::milliseconds max_wait(500);
    if (has_schema && !reading.try_lock())
        return true;
    if (!has_schema)
        static_cast<void>(reading.try_lock_until(std::min(deadline, Clock::now() + max_wait)));
    if (take_shared())
        return true;
    return read_schema(dialect, names, pool);
}

bool CachedConnection::read_schema(const Dialect& dialect, const TableNames& names,
                                   apr_pool_t* pool) {
    const apr_time_t now = apr_time_now();
    auto read = std::make_shared<Schema>(*schema_);
    if (!dialect.read_schema(*client_, pool, names, *read))
        return false;
    const bool is_same =
        read->fingerprint == schema_->fingerprint && read->has_same_size_and_scale(*schema_);
    set_schema(is_same ? schema_ : std::move(read), now);
    if (shared_ != nullptr) {
        const std::lock_guard lock(shared_->mutex);
        shared_->schema = schema_;
        shared_->read_at = now;
    }
    return true;
}

bool CachedConnection::take_shared() {
    std::unique_lock lock(shared_->mutex);
    if (!is_fresh(shared_->read_at) || shared_->read_at < invalidated_at_)
        return false;
    std::shared_ptr<const Schema> schema = shared_->schema;
    const apr_time_t read_at = shared_->read_at;
    // set_schema() may wait for the database.
    lock.unlock();
    set_schema(std::move(schema), read_at);
    return true;
}

void CachedConnection::set_schema(std::shared_ptr<const Schema> schema, apr_time_t read_at) {
    const bool has_changed = schema->fingerprint != schema_->fingerprint;
    schema_ = std::move(schema);
    schema_read_at_ = read_at;
    if (has_changed)
        client_->discard_prepared();
}

void CachedConnection::invalidate_schema() {
    schema_read_at_ = 0;
    invalidated_at_ = apr_time_now();
}

bool CachedConnection::is_alive() {
    const apr_time_t now = apr_time_now();
    const apr_time_t idle = now - std::exchange(last_checked_at_, now);
    return (idle >= 0 && idle < liveness_max_age && client_->has_no_pending_input()) ||
           client_->ping();
}

} // namespace useradmin::store
