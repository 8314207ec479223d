#include "httpd/database.hpp"

#include "apr/pool.hpp"
#include "httpd/configuration_tree.hpp"
#include "httpd/first_request.hpp"
#include "store/dialect.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace useradmin::httpd {

DatabaseModule DatabaseModule::find() noexcept {
    return {ap_find_linked_module("mod_dbd.c"), APR_RETRIEVE_OPTIONAL_FN(ap_dbd_open),
            APR_RETRIEVE_OPTIONAL_FN(ap_dbd_close), APR_RETRIEVE_OPTIONAL_FN(ap_dbd_acquire)};
}

ap_dbd_t* DatabaseModule::connection_of_request(request_rec* request) const noexcept {
    if (request == nullptr || record == nullptr || acquire == nullptr)
        return nullptr;
    return ap_get_module_config(first_request(request)->request_config, record) != nullptr
               ? acquire(request)
               : nullptr;
}

std::string database_problem() {
    if (APR_RETRIEVE_OPTIONAL_FN(ap_dbd_open) == nullptr)
        return "mod_dbd is required but not loaded; load mod_dbd with LoadModule";
    bool has_driver = false;
    bool is_known = true;
    for_each_directive([&](const TreeDirective& found) {
        if (!is_named(found.directive, "DBDriver"))
            return;
        const std::string_view said = apr::view_of(found.directive.args);
        const auto dialects = store::dialects();
        has_driver = true;
        is_known = is_known && std::ranges::any_of(dialects, [&](auto* dialect) {
                       return said.find(dialect->product().driver) != said.npos;
                   });
    });
    if (!has_driver)
        return "DBDriver is not set; set DBDriver (" + store::driver_names() + ") and DBDParams";
    if (!is_known)
        return "DBDriver must be " + store::driver_names();
    return {};
}

/// Returns a connection to mod_dbd's pool at the end of the scope. Does not take the PoolLock: its
/// holder may be waiting for this connection.
class DatabaseConnections::ConnectionReturner {
  public:
    ConnectionReturner(const DatabaseConnections& connections, ap_dbd_t* connection) noexcept
        : close_(connections.database_.close), server_(connections.server_),
          limiter_(connections.limiter_), connection_(connection) {}
    ~ConnectionReturner() {
        const ConnectionLimiter::ReleasePriority priority(limiter_);
        close_(server_, connection_);
        limiter_.release();
    }
    ConnectionReturner(const ConnectionReturner&) = delete;
    ConnectionReturner& operator=(const ConnectionReturner&) = delete;

  private:
    APR_OPTIONAL_FN_TYPE(ap_dbd_close) * close_;
    server_rec* server_;
    ConnectionLimiter& limiter_;
    ap_dbd_t* connection_;
};

const store::Connection* DatabaseConnections::acquire(store::Deadline deadline) {
    const auto requested_at = store::Clock::now();
    deadline_ = deadline;
    if (const ap_dbd_t* held = database_.connection_of_request(request_))
        return make_connection(*held, requested_at);
    if (!limiter_.acquire(deadline)) {
        metrics_.count(Rejection::connection_wait);
        log_.write_throttled(text::Level::error,
                             "UA0201: no database connection was available within " +
                                 std::to_string(timeout_.count() / 1000) + " s; raise DBDMax or " +
                                 directive_);
        return nullptr;
    }
    bool has_time = false;
    {
        ConnectionLimiter::PoolLock pool_lock(limiter_, deadline);
        has_time = pool_lock && pool_lock.has_time_to_connect(timeout_);
        if (has_time)
            owned_connection_ = database_.open(memory_, server_);
        if (owned_connection_ != nullptr &&
            !std::exchange(
                apr::find_or_emplace<bool>(owned_connection_->pool, "useradmin connection"), true))
            pool_lock.mark_connected();
    }
    if (owned_connection_ == nullptr) {
        limiter_.release();
        metrics_.count(has_time ? Rejection::connection_failed : Rejection::connection_wait);
        log_.write_throttled(text::Level::error,
                             has_time
                                 ? "UA0202: mod_dbd provided no connection; see mod_dbd's error in "
                                   "this log, check DBDParams, and make sure that the database is "
                                   "running"
                                 : "UA0229: no time was left to connect to the database, because "
                                   "another thread was connecting or connections take long to "
                                   "open; make sure that the database is running");
        return nullptr;
    }
    return make_connection(*owned_connection_, requested_at);
}

void DatabaseConnections::release(const store::Connection&) noexcept {
    metrics_.connection_released(
        std::chrono::duration_cast<std::chrono::microseconds>(store::Clock::now() - acquired_at_));
    if (owned_connection_ == nullptr)
        return;
    ap_dbd_t* const connection = std::exchange(owned_connection_, nullptr);
    if (store::Clock::now() < deadline_) {
        const ConnectionReturner returner(*this, connection);
        return;
    }
    // The database may be unresponsive, and returning the connection may then block behind a thread
    // that is connecting. Return it after the response, when the memory pool is destroyed. Without
    // DBDPersist, the connection is in a child of that pool.
    apr::emplace_before_children<ConnectionReturner>(memory_, *this, connection);
}

const store::Connection*
DatabaseConnections::make_connection(const ap_dbd_t& connection,
                                     store::Clock::time_point requested_at) noexcept {
    acquired_at_ = store::Clock::now();
    metrics_.connection_acquired(
        std::chrono::duration_cast<std::chrono::microseconds>(acquired_at_ - requested_at));
    connection_ = {connection.driver, connection.handle, connection.pool, &schemas_,
                   init_statements_};
    return &connection_;
}

} // namespace useradmin::httpd
