#include "service/secondary_storage.hpp"

#include "apr/guard.hpp"
#include "apr/pool.hpp"
#include "crypto/sha256.hpp"
#include "crypto/source.hpp"
#include "httpd/backend.hpp"
#include "httpd/connection_pools.hpp"
#include "httpd/shared_memory.hpp"
#include "secondary_storage/delivery.hpp"
#include "secondary_storage/tls.hpp"
#include "service/better_auth.hpp"
#include "service/configuration.hpp"
#include "service/log_module.hpp"
#include "store/database_store.hpp"
#include "text/number.hpp"
#include "text/unicode.hpp"
#include "text/url.hpp"

#include <apr_uri.h>
#include <mod_watchdog.h>

#include <algorithm>
#include <mutex>
#include <variant>
#include <vector>

namespace useradmin::service {

namespace {

using httpd::DeliveryResult;
using httpd::DeliveryState;
using secondary_storage::Delivery;
using secondary_storage::RedisAddress;
using secondary_storage::RedisStorage;

constexpr std::chrono::seconds storage_timeout(1);

/// Returns the time in seconds since the epoch.
std::int64_t now() noexcept {
    return apr_time_sec(apr_time_now());
}

/// Parses a redis: or rediss: URL. Returns false if it is invalid.
bool parse_address(apr_pool_t* pool, const char* text, RedisAddress& address) {
    apr_uri_t url{};
    if (apr_uri_parse(pool, text, &url) != APR_SUCCESS || apr::view_of(url.hostname).empty() ||
        url.query != nullptr || url.fragment != nullptr)
        return false;
    address.has_tls = apr::view_of(url.scheme) == "rediss";
    if (!address.has_tls && apr::view_of(url.scheme) != "redis")
        return false;
    for (char** part : {&url.user, &url.password}) {
        const std::string decoded = text::decode_path_segment(apr::view_of(*part));
        if (decoded.find('\0') != decoded.npos)
            return false;
        *part = apr_pstrdup(pool, decoded.c_str());
    }
    const std::string_view path = apr::view_of(url.path);
    if (path.size() > 1) {
        const auto database = text::parse_integer(path.substr(1), 0, 1000000);
        if (!database)
            return false;
        address.database = *database;
    }
    address.host = url.hostname;
    if (const std::string_view port = apr::view_of(url.port_str); !port.empty()) {
        const auto number = text::parse_integer(port, 1, 65535);
        if (!number)
            return false;
        address.port = static_cast<decltype(address.port)>(*number);
    }
    if (!apr::view_of(url.user).empty())
        address.user = url.user;
    if (!apr::view_of(url.password).empty())
        address.password = url.password;
    return address.user == nullptr || address.password != nullptr;
}

/// Delivers revocations from one set of tables to one storage. Each child has its own jobs.
class DeliveryJob {
  public:
    DeliveryJob(server_rec* server, const httpd::BackendSettings& settings,
                const RedisAddress* address, DeliveryState& state)
        : server_(server), settings_(settings), state_(state), storage_(*address, storage_timeout),
          address_(address) {}

    const DeliveryState* state() const noexcept { return &state_; }

    /// Waits until a running run() returns, and disables later calls.
    void stop() {
        storage_.stop();
        const std::lock_guard wait(running_);
    }

    /// Delivers pending revocations. Does nothing if another child is delivering, after stop(), or
    /// before the child is initialized.
    void run(apr_pool_t* pool) {
        const std::lock_guard lock(running_);
        if (storage_.is_stopped() || backend().pool_state == nullptr)
            return;
        is_delivering_ = is_delivering_ || state_.delivering.try_lock();
        if (!is_delivering_)
            return;
        httpd::ServerLog log(server_, useradmin_module, *backend().log_throttle);
        const std::int64_t started = now();
        if (!storage_.connect())
            return note_failure(log);
        Delivery::Outcome outcome = Delivery::Outcome::partial;
        const auto progressed_before = state_.progressed_at.load();
        while (outcome == Delivery::Outcome::partial && !storage_.is_stopped()) {
            outcome = deliver(pool, log);
            if (outcome == Delivery::Outcome::partial || outcome == Delivery::Outcome::complete)
                state_.progressed_at = DeliveryState::Clock::now();
        }
        // The next run delivers the same pages again, so this run made no progress.
        if (outcome == Delivery::Outcome::database_failed)
            state_.progressed_at = progressed_before;
        if (outcome == Delivery::Outcome::storage_failed)
            return note_failure(log);
        if (outcome == Delivery::Outcome::no_table)
            return note_unusable_table(
                log, "UA0222: table useradmin_revocation does not exist, so revoked sessions stay "
                     "valid in the application; run: useradminctl schema");
        if (outcome == Delivery::Outcome::unreadable_table)
            return note_unusable_table(
                log, "UA0222: table useradmin_revocation cannot be read, so revoked sessions stay "
                     "valid in the application; see UA0103 or UA0106");
        if (outcome != Delivery::Outcome::complete)
            return;
        state_.delivered_until = started;
        if (state_.last_result.exchange(DeliveryResult::delivered) == DeliveryResult::unreachable)
            log.write(text::Level::warning,
                      "UA0219: the secondary storage is reachable again; sessions "
                      "revoked in the meantime were deleted from it");
    }

  private:
    const httpd::Backend& backend() const { return httpd::backend_of(server_, useradmin_module); }

    Delivery::Outcome deliver(apr_pool_t* parent, text::Logger& log) {
        const apr::ScopedPool pool(parent);
        httpd::DatabaseConnections connections(pool.get(), server_, log, backend().database,
                                               *backend().pool_state, backend().metrics,
                                               settings_.timeout, settings_.timeout_directive);
        store::DatabaseStore store(connections, log, pool.get(), settings_.tables.names,
                                   settings_.tables.label,
                                   store::TimeoutPolicy{.timeout = settings_.timeout,
                                                        .directive = settings_.timeout_directive});
        return delivery_.run(store, storage_);
    }

    void note_failure(text::Logger& log) {
        if (storage_.is_stopped())
            return;
        state_.last_result = DeliveryResult::unreachable;
        log.write_throttled(text::Level::error,
                            "UA0218: the secondary storage at " + std::string(address_->host) +
                                ":" + std::to_string(address_->port) +
                                " failed: " + storage_.problem() +
                                "; the application accepts revoked sessions until the "
                                "revocations are delivered");
    }

    void note_unusable_table(text::Logger& log, const char* message) {
        state_.last_result = DeliveryResult::unusable_table;
        log.write_throttled(text::Level::error, message);
    }

    server_rec* server_;
    httpd::BackendSettings settings_;
    DeliveryState& state_;
    RedisStorage storage_;
    const RedisAddress* address_;
    Delivery delivery_;
    std::mutex running_;
    /// Whether this child's thread holds state_.delivering.
    bool is_delivering_ = false;
};

/// The configuration pool owns the jobs.
std::vector<DeliveryJob*>& jobs_of(apr_pool_t* configuration_pool) {
    return apr::find_or_emplace<std::vector<DeliveryJob*>>(configuration_pool,
                                                           "useradmin deliveries");
}

apr_status_t run_job(int state, void* data, apr_pool_t* pool) noexcept {
    if (state == AP_WATCHDOG_STATE_RUNNING)
        apr::guarded([&] { static_cast<DeliveryJob*>(data)->run(pool); },
                     [](const char* reason) {
                         ap_log_error(APLOG_MARK, APLOG_ERR, APR_SUCCESS, ap_server_conf,
                                      "UA0220: cannot deliver revocations: %s", reason);
                     });
    return APR_SUCCESS;
}

/// Calls visit with the settings of the server and of each Location that have a storage and
/// UserAdmin On. If any server has endpoints for better-auth's admin client, UserAdmin need not be
/// On, because their Location needs no directive of the module. Also visits every remaining
/// Location, such as a <LocationMatch>, if neither the server nor a Location with UserAdmin On has
/// the same storage.
template <class Visit>
void for_each_storage(apr_pool_t* pool, const server_rec* server, const Visit& visit) {
    const auto address_of = [](const ServiceSettings& settings) {
        return settings.get<SecondaryStorage>().address;
    };
    std::vector<const RedisAddress*> known = {address_of(settings_of(server))};
    std::vector<ServiceSettings> found;
    const auto collect = [&](const ServiceSettings& settings) {
        if (address_of(settings) == nullptr)
            return;
        found.push_back(settings);
        if (settings.get<ServiceBase>().is_on)
            known.push_back(address_of(settings));
    };
    collect(settings_of(server));
    httpd::for_each_location<directives>(pool, server, useradmin_module, collect);
    const bool has_endpoints = !found.empty() && has_better_auth_endpoints(pool);
    for (const ServiceSettings& settings : found) {
        const bool is_other = std::ranges::find(known, address_of(settings)) == known.end();
        if (is_other || settings.get<ServiceBase>().is_on || has_endpoints)
            visit(settings);
    }
}

} // namespace

const char* read_secondary_storage(const httpd::ConfigLine& line, StorageSetting& storage) {
    constexpr const char* expected =
        "must be none, or a URL (redis://[user:password@]host[:port][/database] or rediss://, "
        "file:PATH or env:NAME), then optionally a key prefix and 'required'";
    storage = {};
    // Deliveries start with httpd, before any request that such a section may apply to.
    if (ap_check_cmd_context(line.command, NOT_IN_DIRECTORY | NOT_IN_FILES) != nullptr)
        return "not allowed in a <Directory>, <Files> or <If>; move it to a <Location> or out of "
               "all sections";
    auto arguments = line.arguments;
    if (arguments.size() == 1 && text::equals_ignoring_case(arguments[0], "none"))
        return nullptr;
    if (arguments.size() > 1 && text::equals_ignoring_case(arguments.back(), "required")) {
        storage.is_required = true;
        arguments = arguments.first(arguments.size() - 1);
    }
    if (arguments.empty() || arguments.size() > 2)
        return expected;
    const auto read =
        crypto::load_secret(arguments[0], apr::view_of(ap_server_root_relative(line.pool(), "")));
    if (const auto* problem = std::get_if<std::string>(&read))
        return line.copy(*problem);
    auto& address = apr::emplace<RedisAddress>(line.pool());
    const auto& source = std::get<crypto::LoadedSecret>(read);
    const char* const url = line.copy(source.secret.view());
    if (!parse_address(line.pool(), url, address))
        return expected;
    if (address.has_tls && !secondary_storage::is_tls_available)
        return "cannot use TLS (rediss:), because this build does not support it (hiredis 1.0 or "
               "later is required); use redis: through a tunnel such as stunnel";
    if (address.password != nullptr)
        httpd::warn_of_source(line, useradmin_module, source);
    if (arguments.size() > 1)
        address.prefix = line.copy(arguments[1]);
    storage.address = &address;
    // Use a digest, because the URL may contain a password.
    storage.id = line.copy(crypto::hex(crypto::digest({url, address.prefix})));
    return nullptr;
}

bool has_failed(const StorageSetting& storage, const server_rec* host) {
    if (storage.address == nullptr)
        return false;
    const auto deliveries =
        httpd::snapshot_of(*httpd::backend_of(host, useradmin_module).shared.deliveries,
                           [&](const httpd::HostDelivery& delivery) {
                               return delivery.host == host && delivery.storage_id == storage.id;
                           });
    return !deliveries || deliveries->has_failed(DeliveryState::Clock::now());
}

const char* missing_delivery_requirement(apr_pool_t* pool, const server_rec* server) {
    bool has_storage = false;
    for_each_storage(pool, server, [&](const ServiceSettings&) { has_storage = true; });
    return !has_storage || APR_RETRIEVE_OPTIONAL_FN(ap_watchdog_get_instance) != nullptr
               ? nullptr
               : "mod_watchdog is required but not loaded; load mod_watchdog with LoadModule";
}

void start_deliveries(apr_pool_t* configuration_pool, server_rec* servers) {
    if (ap_state_query(AP_SQ_MAIN_STATE) == AP_SQ_MS_CREATE_PRE_CONFIG)
        return; // httpd reads the configuration twice at startup
    auto& jobs = jobs_of(configuration_pool);
    const httpd::ConnectionPools pools(servers);
    const auto add = [&](server_rec* server, const ServiceSettings& settings) {
        const auto storage = settings.get<SecondaryStorage>();
        const httpd::BackendSettings backend = backend_settings(settings);
        const auto& host = httpd::backend_of(server, useradmin_module);
        // The main server may have no database of its own.
        if (pools.pools()[host.pool].missing_directive() != nullptr)
            return;
        auto* const state = httpd::shared_object<DeliveryState>(
            servers->process->pool, "delivery from " + std::string(host.database_id) +
                                        backend.tables.label + " to " + storage.id);
        if (state->delivered_until == 0)
            state->delivered_until = now();
        // The previous configuration may not have had this delivery.
        state->progressed_at = DeliveryState::Clock::now();
        if (std::ranges::find(jobs, state, &DeliveryJob::state) == jobs.end())
            jobs.push_back(&apr::emplace<DeliveryJob>(configuration_pool, server, backend,
                                                      storage.address, *state));
        host.shared.deliveries->push_back({server, storage.id, state});
    };
    for (server_rec* server = servers; server != nullptr; server = server->next)
        for_each_storage(configuration_pool, server,
                         [&](const ServiceSettings& settings) { add(server, settings); });
    if (jobs.empty())
        return;
    constexpr bool in_parent = false;
    // A singleton watchdog would move to another child only ten seconds after its child ended.
    constexpr bool in_one_child = false;
    auto* const get_instance = APR_RETRIEVE_OPTIONAL_FN(ap_watchdog_get_instance);
    auto* const register_callback = APR_RETRIEVE_OPTIONAL_FN(ap_watchdog_register_callback);
    apr_status_t status = APR_SUCCESS;
    int number = 0;
    for (auto job = jobs.begin(); status == APR_SUCCESS && job != jobs.end(); ++job) {
        // Each job has its own thread, so a slow database does not delay other deliveries.
        const char* const name = apr_psprintf(configuration_pool, "mod_useradmin %d", ++number);
        ap_watchdog_t* watchdog = nullptr;
        status = get_instance(&watchdog, name, in_parent, in_one_child, configuration_pool);
        if (status == APR_SUCCESS)
            status = register_callback(watchdog, AP_WD_TM_INTERVAL, *job, run_job);
    }
    if (status != APR_SUCCESS)
        throw std::runtime_error("cannot register with mod_watchdog");
}

void stop_deliveries_at_exit(apr_pool_t* child_pool, server_rec* servers) noexcept {
    // Stop the jobs before any pool is destroyed, because mod_watchdog's thread outlives mod_dbd's
    // connections.
    for (DeliveryJob* job : jobs_of(servers->process->pconf))
        apr_pool_pre_cleanup_register(child_pool, job, [](void* data) -> apr_status_t {
            static_cast<DeliveryJob*>(data)->stop();
            return APR_SUCCESS;
        });
}

} // namespace useradmin::service
