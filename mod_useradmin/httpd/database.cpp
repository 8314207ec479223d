#include "httpd/database.hpp"

#include "apr/pool.hpp"

#include <algorithm>
#include <charconv>

namespace useradmin::httpd {

namespace {

constexpr int default_connection_limit = 10;

void each_directive_from(const ap_directive_t* directive, const char* name, bool is_top,
                         const std::function<void(const char* arguments, bool is_top)>& visit) {
    for (; directive != nullptr; directive = directive->next) {
        if (strcasecmp(directive->directive, name) == 0)
            visit(directive->args, is_top);
        if (directive->first_child != nullptr)
            each_directive_from(directive->first_child, name, false, visit);
    }
}

} // namespace

void each_directive(const char* name,
                    const std::function<void(const char* arguments, bool is_top)>& visit) {
    each_directive_from(ap_conftree, name, true, visit);
}

bool Gate::enter(std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    if (!freed_.wait_for(lock, timeout, [this] { return permits_ > 0; }))
        return false;
    --permits_;
    return true;
}

void Gate::leave() noexcept {
    {
        const std::lock_guard lock(mutex_);
        ++permits_;
    }
    freed_.notify_one();
}

Gate& gate_of_child(apr_pool_t* child_pool, int permits) {
    constexpr const char* key = "useradmin connection gate 1";
    void* gate = nullptr;
    apr_pool_userdata_get(&gate, key, child_pool);
    if (gate == nullptr) {
        gate = &apr::emplace<Gate>(child_pool, permits);
        apr_pool_userdata_setn(gate, key, apr_pool_cleanup_null, child_pool);
    }
    return *static_cast<Gate*>(gate);
}

int smallest_connection_limit() {
    bool has_top_limit = false;
    int smallest = default_connection_limit;
    int smallest_given = -1;
    each_directive("DBDMax", [&](const char* arguments, bool is_top) {
        const std::string_view text = apr::view_of(arguments);
        int limit = 0;
        if (std::from_chars(text.data(), text.data() + text.size(), limit).ec != std::errc())
            return;
        has_top_limit = has_top_limit || is_top;
        smallest_given = smallest_given < 0 ? limit : std::min(smallest_given, limit);
    });
    if (has_top_limit)
        smallest = smallest_given;
    else if (smallest_given >= 0)
        smallest = std::min(smallest, smallest_given);
    return std::max(smallest, 1);
}

DatabaseModule DatabaseModule::find() {
    return {APR_RETRIEVE_OPTIONAL_FN(ap_dbd_open), APR_RETRIEVE_OPTIONAL_FN(ap_dbd_close)};
}

const char* database_problem() {
    if (APR_RETRIEVE_OPTIONAL_FN(ap_dbd_open) == nullptr)
        return "mod_dbd is not loaded; load it (a2enmod dbd), it holds the database connections";
    bool has_driver = false;
    bool is_known = true;
    each_directive("DBDriver", [&](const char* arguments, bool) {
        const std::string_view driver = apr::view_of(arguments);
        has_driver = true;
        is_known = is_known &&
                   (driver.find("pgsql") != driver.npos || driver.find("sqlite3") != driver.npos);
    });
    if (!has_driver)
        return "there is no DBDriver; add 'DBDriver pgsql' or 'DBDriver sqlite3', and DBDParams";
    if (!is_known)
        return "DBDriver must be pgsql or sqlite3";
    return nullptr;
}

const store::Connection* DatabaseConnections::acquire() {
    if (!gate_.enter(timeout_)) {
        log_.write(
            text::Level::error,
            "UA0201: no database connection came free in time; raise DBDMax or UserAdminTimeout");
        return nullptr;
    }
    open_ = database_.open(request_->pool, request_->server);
    if (open_ == nullptr) {
        gate_.leave();
        log_.write(text::Level::error, "UA0202: mod_dbd has no connection; its own line says why");
        return nullptr;
    }
    connection_ = {open_->driver, open_->handle, open_->pool};
    return &connection_;
}

void DatabaseConnections::release(const store::Connection&) noexcept {
    database_.close(request_->server, open_);
    gate_.leave();
}

} // namespace useradmin::httpd
