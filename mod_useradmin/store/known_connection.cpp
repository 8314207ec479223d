#include "store/known_connection.hpp"

#include "apr/pool.hpp"

namespace useradmin::store {

namespace {

constexpr apr_time_t catalogue_age = apr_time_from_sec(10);

} // namespace

KnownConnection* KnownConnection::of(const Connection& connection, const Dialect& dialect,
                                     const TableNames& names, const char* label, apr_pool_t* pool) {
    void* data = nullptr;
    apr_pool_userdata_get(&data, label, connection.pool);
    auto* known = static_cast<KnownConnection*>(data);
    if (known == nullptr) {
        known = &apr::emplace<KnownConnection>(connection.pool, connection, dialect, label);
        dialect.set_up(connection);
        apr_pool_userdata_set(known, label, apr_pool_cleanup_null, connection.pool);
    }
    if (apr_time_now() - known->read_at_ > catalogue_age && !known->refresh(names, pool))
        return nullptr;
    return known;
}

bool KnownConnection::answers(apr_pool_t* pool) {
    const apr_time_t now = apr_time_now();
    const bool is_fresh = now - used_at_ < apr_time_from_sec(1);
    used_at_ = now;
    return is_fresh || dialect_.session_identity(connection_, pool) == identity_;
}

bool KnownConnection::refresh(const TableNames& names, apr_pool_t* pool) {
    std::string identity = dialect_.session_identity(connection_, pool);
    std::optional<Schema> schema = dialect_.read_schema(connection_, pool, names);
    if (identity.empty() || !schema)
        return false;
    read_at_ = apr_time_now();
    if (identity == identity_ && schema->fingerprint == schema_.fingerprint)
        return true;
    identity_ = std::move(identity);
    schema_ = std::move(*schema);
    forget_statements();
    return true;
}

void KnownConnection::forget_statements() noexcept {
    // What was prepared under an old label stays with the backend until it ends; it is never used
    // again.
    statements_ = {};
    ++generation_;
}

apr_dbd_prepared_t* KnownConnection::prepared(Query query) {
    apr_dbd_prepared_t*& prepared = statements_[static_cast<std::size_t>(query)];
    if (prepared != nullptr)
        return prepared;
    const std::string label =
        label_ + "_" + std::to_string(static_cast<int>(query)) + "_" + std::to_string(generation_);
    apr_dbd_prepared_t* made = nullptr;
    // The handle lives in the connection's pool: once for each connection, never for each request.
    if (apr_dbd_prepare(connection_.driver, connection_.pool, connection_.handle,
                        statement(query, schema_, dialect_).c_str(), label.c_str(), &made) == 0)
        prepared = made;
    return prepared;
}

Health KnownConnection::examine(apr_pool_t* pool) {
    const Health health = dialect_.examine(connection_, pool, identity_);
    if (health != Health::sound)
        read_at_ = 0;
    return health;
}

bool KnownConnection::has_changed(const TableNames& names, apr_pool_t* pool) {
    const unsigned generation = generation_;
    if (dialect_.statements_expire())
        forget_statements();
    return refresh(names, pool) && generation != generation_;
}

Result<Rows> Work::run(Query query, std::span<const char* const> arguments) {
    const Connection& connection = known_.connection();
    apr_dbd_prepared_t* prepared = known_.prepared(query);
    if (prepared == nullptr) {
        note_error(-1);
        return Failure::failed;
    }
    apr_dbd_results_t* results = nullptr;
    const int status = apr_dbd_pselect(connection.driver, pool_, connection.handle, &results,
                                       prepared, 1, static_cast<int>(arguments.size()),
                                       const_cast<const char**>(arguments.data()));
    if (status != 0) {
        note_error(status);
        return Failure::failed;
    }
    return Rows(connection.driver, pool_, results);
}

bool Work::execute(const char* sql) {
    int rows = 0;
    const Connection& connection = known_.connection();
    const int status = apr_dbd_query(connection.driver, connection.handle, &rows, sql);
    if (status != 0)
        note_error(status);
    return status == 0;
}

bool Work::can_hold(std::string_view field) {
    if (schema().user.find(field) != nullptr)
        return true;
    error_ = "table " + schema().user.sql + " has no column \"" + std::string(field) +
             "\"; add it with 'useradminctl schema'";
    return false;
}

void Work::note_error(int status) {
    if (!error_.empty())
        return;
    const Connection& connection = known_.connection();
    found_busy_ = dialect().is_busy(connection);
    const std::string_view text =
        apr::view_of(apr_dbd_error(connection.driver, connection.handle, status));
    error_ = text.substr(0, text.find('\n'));
}

} // namespace useradmin::store
