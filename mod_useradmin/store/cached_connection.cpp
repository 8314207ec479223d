#include "store/cached_connection.hpp"

#include "apr/pool.hpp"

#include <utility>

namespace useradmin::store {

namespace {

constexpr apr_time_t catalogue_age = apr_time_from_sec(10);
constexpr apr_time_t answer_age = apr_time_from_sec(1);

} // namespace

KnownConnection& KnownConnection::of(const Connection& connection, const Dialect& dialect,
                                     const char* label) {
    void* known = nullptr;
    apr_pool_userdata_get(&known, label, connection.pool);
    if (known == nullptr) {
        known =
            &apr::emplace<KnownConnection>(connection.pool, dialect.client_of(connection, label));
        apr_pool_userdata_set(known, label, apr_pool_cleanup_null, connection.pool);
    }
    return *static_cast<KnownConnection*>(known);
}

std::optional<Fault> KnownConnection::learn(const Dialect& dialect, const TableNames& names,
                                            apr_pool_t* pool) {
    const apr_time_t now = apr_time_now();
    if (now - read_at_ < catalogue_age && now >= read_at_)
        return std::nullopt;
    const auto answer = dialect.read_schema(*client_, pool, names, schema_);
    if (const auto* fault = std::get_if<Fault>(&answer))
        return *fault;
    read_at_ = now;
    if (std::get<Catalogue>(answer) == Catalogue::changed)
        client_->forget();
    return std::nullopt;
}

void KnownConnection::doubt() {
    read_at_ = 0;
    client_->forget();
}

bool KnownConnection::answers() {
    const apr_time_t now = apr_time_now();
    const apr_time_t idle = now - std::exchange(used_at_, now);
    return (idle >= 0 && idle < answer_age && client_->is_quiet()) || client_->ping();
}

} // namespace useradmin::store
