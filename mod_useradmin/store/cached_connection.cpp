#include "store/cached_connection.hpp"

#include "apr/pool.hpp"

#include <utility>

namespace useradmin::store {

namespace {

constexpr apr_time_t schema_max_age = apr_time_from_sec(10);
constexpr apr_time_t liveness_max_age = apr_time_from_sec(1);

} // namespace

CachedConnection& CachedConnection::get(const Connection& connection, const Dialect& dialect,
                                        const char* label) {
    void* known = nullptr;
    apr_pool_userdata_get(&known, label, connection.pool);
    if (known == nullptr) {
        known = &apr::emplace<CachedConnection>(connection.pool,
                                                dialect.create_client(connection, label));
        apr_pool_userdata_set(known, label, apr_pool_cleanup_null, connection.pool);
    }
    return *static_cast<CachedConnection*>(known);
}

std::optional<ErrorKind> CachedConnection::refresh_schema(const Dialect& dialect,
                                                          const TableNames& names,
                                                          apr_pool_t* pool) {
    const apr_time_t now = apr_time_now();
    if (now - schema_read_at_ < schema_max_age && now >= schema_read_at_)
        return std::nullopt;
    const auto answer = dialect.read_schema(*client_, pool, names, schema_);
    if (const auto* error_kind = std::get_if<ErrorKind>(&answer))
        return *error_kind;
    schema_read_at_ = now;
    if (std::get<CatalogChange>(answer) == CatalogChange::changed)
        client_->discard_prepared();
    return std::nullopt;
}

void CachedConnection::invalidate_schema() {
    schema_read_at_ = 0;
    client_->discard_prepared();
}

bool CachedConnection::is_alive() {
    const apr_time_t now = apr_time_now();
    const apr_time_t idle = now - std::exchange(last_used_at_, now);
    return (idle >= 0 && idle < liveness_max_age && client_->has_no_pending_input()) ||
           client_->ping();
}

} // namespace useradmin::store
