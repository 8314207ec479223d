#include "httpd/backend.hpp"

#include "apr/guard.hpp"
#include "apr/pool.hpp"
#include "crypto/sha256.hpp"
#include "httpd/connection_pools.hpp"
#include "httpd/first_request.hpp"
#include "httpd/shared_memory.hpp"
#include "store/dialect.hpp"
#include "store/schema.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace useradmin::httpd {

namespace {

/// Returns the names of the tables that a request uses, including those of plugins.
store::TableNames names_of(const BackendSettings& settings) {
    store::TableNames names = settings.tables.names;
    names.has_plugins = settings.has_plugins;
    if (settings.last_seen != nullptr)
        names.last_seen = settings.last_seen;
    return names;
}

/// Returns the label for the tables that names_of() returns.
const char* label_of(apr_pool_t* pool, const BackendSettings& settings) {
    const char* const label =
        settings.has_plugins ? settings.tables.plugins_label : settings.tables.label;
    return settings.last_seen != nullptr
               ? apr_pstrcat(pool, label, ", last seen in ", settings.last_seen, nullptr)
               : label;
}

/// Returns a limit of the MPM, at least 1.
unsigned query_mpm(int query) {
    int number = 0;
    return ap_mpm_query(query, &number) == APR_SUCCESS ? static_cast<unsigned>(std::max(number, 1))
                                                       : 1U;
}

/// Returns the maximum number of worker threads in all children.
unsigned worker_count() {
    return query_mpm(AP_MPMQ_MAX_DAEMONS) * query_mpm(AP_MPMQ_MAX_THREADS);
}

/// Returns whether the database allows only one writer at a time.
bool is_single_writer(const ConnectionPool& pool) {
    const store::Dialect* const dialect = store::find_dialect(pool.driver);
    return dialect != nullptr && dialect->product().is_single_writer;
}

/// Returns the virtual host's name for metrics, followed by its port if it has one.
const char* name_of(apr_pool_t* pool, const server_rec* server) {
    const char* const name = server->server_hostname != nullptr ? server->server_hostname : "";
    const unsigned own_port = server->addrs != nullptr ? server->addrs->host_port : 0;
    const unsigned port = own_port != 0 ? own_port : server->port;
    return port != 0 ? apr_psprintf(pool, "%s:%u", name, port) : apr_pstrdup(pool, name);
}

/// Returns the configured limits, or defaults based on the number of processors and workers.
ipc::FairSemaphore::Counts slot_capacity(const HashLimits& configured) {
    constexpr unsigned workers_per_waiter = 4; // most workers stay free for other requests
    return {configured.limit != 0 ? configured.limit
                                  : std::max(1U, std::thread::hardware_concurrency()),
            configured.queue != 0 ? configured.queue
                                  : std::max(1U, worker_count() / workers_per_waiter)};
}

SharedState create_shared_state(apr_pool_t* configuration_pool, const server_rec* servers,
                                const HashLimits& hash_limits) {
    apr_pool_t* const process_pool = servers->process->pool;
    return {shared_semaphore(configuration_pool, "hashing slots", slot_capacity(hash_limits)),
            shared_object<password::AttemptLimiter>(process_pool, "sign-in attempts"),
            shared_object<store::SessionCache>(process_pool, "sessions"),
            shared_object<SharedTotals::Table>(process_pool, "totals"),
            shared_zeroed_object<MetricsRegistry>(process_pool, "metrics registry"),
            &apr::find_or_emplace<std::vector<HostDelivery>>(configuration_pool,
                                                             "useradmin deliveries of hosts")};
}

/// Sets the members that servers with the same database share. Only database_id depends on
/// DBDInitSQL, because its statements may select a schema.
void share_database(apr_pool_t* configuration_pool, const ConnectionPool& pool,
                    const std::vector<std::string>& init_statements, Backend& backend) {
    // Use a digest, because the parameters may contain a password.
    std::vector<std::string_view> texts = {pool.driver, pool.parameters};
    const std::string id = crypto::hex(crypto::digest(texts));
    texts.insert(texts.end(), init_statements.begin(), init_statements.end());
    backend.database_id =
        apr::copy_c_string(configuration_pool, crypto::hex(crypto::digest(texts)));
    backend.log_throttle =
        shared_object<ipc::LogThrottle>(configuration_pool, "log throttle of " + id);
    if (is_single_writer(pool))
        backend.write_semaphore = shared_semaphore(configuration_pool, "writers to " + id,
                                                   {1, std::max(1U, worker_count())});
}

/// Returns the child's data for mod_dbd's pools. Both modules share it.
std::deque<PoolState>& pools_of_child(apr_pool_t* child_pool, const server_rec* servers) {
    auto& states =
        apr::find_or_emplace<std::deque<PoolState>>(child_pool, "useradmin database pools");
    if (states.empty()) {
        const ConnectionPools all(servers);
        for (const ServerDatabase& server : all.server_databases())
            // mod_dbd runs the statements of the pool's first server.
            if (server.pool == states.size())
                states.emplace_back(std::max(all.pools()[server.pool].max, 1),
                                    server.init_statements);
    }
    return states;
}

/// Returns the time that both modules have spent waiting for databases during a client's request.
store::Clock::duration& elapsed_of_request(request_rec* request) {
    return apr::find_or_emplace<store::Clock::duration>(first_request(request)->pool,
                                                        "useradmin time waited");
}

} // namespace

const char* TablesReader::operator()(const ConfigLine& line, Tables& tables) const {
    const auto parsed = store::parse_table_names(line.arguments);
    if (const auto* expected = std::get_if<std::string>(&parsed))
        return line.copy("must be " + *expected);
    const auto& names = std::get<store::TableNames>(parsed);
    std::string label = label_prefix;
    for (const std::string_view name : {names.user, names.session, names.account})
        (label += ' ') += store::quoted_table(name); // names may contain spaces
    tables = {names, line.copy(label), line.copy(label + ", plugins")};
    return nullptr;
}

const char* read_trusted_origins(const ConfigLine& line, http::Origins& origins) {
    auto& kept = apr::emplace<std::vector<std::string_view>>(line.pool());
    for (const std::string_view word : line.arguments) {
        const auto origin = http::parse_origin(word);
        if (!origin)
            return line.copy(
                "'" + std::string(word) +
                "' is not an origin; use http:// or https://, a host and, unless it is the "
                "default, a port, without a path or wildcard, such as https://app.example.com");
        kept.push_back(line.copy(*origin));
    }
    if (line.arguments.empty())
        return "must be one or more origins, such as https://app.example.com";
    origins = kept;
    return nullptr;
}

const char* read_password_hash(const ConfigLine& line, password::Format& format) {
    const auto parsed = password::parse_format(line.arguments);
    if (const auto* expected = std::get_if<std::string>(&parsed))
        return line.copy("must be " + *expected);
    format = std::get<password::Format>(parsed);
    return nullptr;
}

const char* ServerNumberReader::operator()(const ConfigLine& line, unsigned& value) const {
    if (ap_check_cmd_context(line.command, GLOBAL_ONLY) != nullptr)
        return "applies to the whole server and must be outside <VirtualHost>";
    return NumberReader{"an integer", 1, max}(line, value);
}

Backend& backend_of(const server_rec* server, const module& owner) noexcept {
    return *static_cast<Backend*>(ap_get_module_config(server->module_config, &owner));
}

bool check_database(const module& owner, const char* directive) noexcept {
    const auto fail = [&](const char* what, const char* reason) {
        // The virtual hosts' logs are not open yet, so do not log for a particular server.
        ap_log_error(__FILE__, __LINE__, owner.module_index, APLOG_EMERG, APR_SUCCESS, nullptr,
                     "UA0206: %s: %s%s", directive, what, reason);
        return false;
    };
    return apr::guarded(
        [&] {
            const std::string problem = database_problem();
            return problem.empty() || fail("", problem.c_str());
        },
        [&](const char* reason) {
            return fail("cannot check the configuration of mod_dbd: ", reason);
        });
}

void warn_of_missing_database(apr_pool_t* pool, const module& owner, const char* directive,
                              const server_rec* servers,
                              const std::function<bool(const server_rec*)>& uses_directive) {
    auto& reported =
        apr::find_or_emplace<std::set<const server_rec*>>(pool, "useradmin without database");
    const ConnectionPools pools(servers);
    auto database = pools.server_databases().begin();
    for (const server_rec* server = servers; server != nullptr; server = server->next) {
        const char* const missing = pools.pools()[database++->pool].missing_directive();
        if (missing == nullptr || !uses_directive(server) ||
            (server->is_virtual == 0 && std::ranges::any_of(pools.pools(), std::logical_not<>(),
                                                            &ConnectionPool::missing_directive)) ||
            !reported.insert(server).second)
            continue;
        const std::string where = server->is_virtual == 0
                                      ? "the main server"
                                      : "the virtual host at " + std::string(server->defn_name) +
                                            ':' + std::to_string(server->defn_line_number);
        ap_log_error(__FILE__, __LINE__, owner.module_index, APLOG_WARNING, APR_SUCCESS, nullptr,
                     "UA0228: %s: no %s applies to %s, so requests to the module get 503; add it "
                     "outside any <VirtualHost>, or to each one that uses the module",
                     directive, missing, where.c_str());
    }
}

int start(apr_pool_t* configuration_pool, server_rec* servers, const module& owner,
          const HashLimits& hash_limits,
          const std::function<void(MetricsRegistry&)>& start_more) noexcept {
    return apr::guarded(
        [&] {
            if (!open_audit_logs(configuration_pool, servers, owner))
                return HTTP_INTERNAL_SERVER_ERROR;
            const SharedState shared =
                create_shared_state(configuration_pool, servers, hash_limits);
            shared.sessions->invalidate_all();
            shared.totals->invalidate();
            const ConnectionPools pools(servers);
            auto database = pools.server_databases().begin();
            for (const server_rec* server = servers; server != nullptr; server = server->next) {
                Backend& backend = backend_of(server, owner);
                backend.database = DatabaseModule::find();
                backend.shared = shared;
                backend.pool = database->pool;
                share_database(configuration_pool, pools.pools()[backend.pool],
                               database->init_statements, backend);
                ++database;
                backend.name = name_of(configuration_pool, server);
                backend.shared_metrics = shared_zeroed_object<SharedMetrics>(
                    servers->process->pool, "metrics of " + std::string(backend.name));
            }
            start_more(*shared.metrics);
            return OK;
        },
        [&](const char* reason) {
            ap_log_error(__FILE__, __LINE__, owner.module_index, APLOG_EMERG, APR_SUCCESS, servers,
                         "UA0208: cannot initialize the module: %s", reason);
            return HTTP_INTERNAL_SERVER_ERROR;
        });
}

void start_child(apr_pool_t* child_pool, server_rec* servers, const module& owner) noexcept {
    apr::guarded(
        [&] {
            // libpq 16 and earlier do not support a shorter timeout.
            for (const store::Dialect* dialect : store::dialects())
                dialect->set_connect_timeout(std::chrono::seconds(2));
            std::deque<PoolState>& pools = pools_of_child(child_pool, servers);
            const int child = backend_of(servers, owner).shared.metrics->register_child();
            for (const server_rec* server = servers; server != nullptr; server = server->next) {
                Backend& backend = backend_of(server, owner);
                backend.pool_state = &pools.at(backend.pool);
                backend.metrics = Metrics(*backend.shared_metrics, child);
            }
        },
        [&](const char* reason) {
            ap_log_error(__FILE__, __LINE__, owner.module_index, APLOG_EMERG, APR_SUCCESS, servers,
                         "UA0207: cannot initialize the child process: %s", reason);
            std::exit(APEXIT_CHILDSICK);
        });
}

RequestBackend::RequestBackend(request_rec* request, const module& owner,
                               const BackendSettings& settings)
    : settings_(settings), backend_(backend_of(request->server, owner)),
      log_(request, owner, *backend_.log_throttle),
      network_(text::Network::of(apr::view_of(request->useragent_ip))),
      slots_(*backend_.shared.hash_slots,
             {settings_.timeout, settings_.timeout_directive,
              &backend_.metrics.counter(Rejection::hash_queue),
              &backend_.metrics.counter(Rejection::hash_wait), network_.bits()},
             log_),
      connections_(request, log_, backend_.database, *backend_.pool_state, backend_.metrics,
                   settings_.timeout, settings_.timeout_directive),
      tables_id_(std::string(backend_.database_id) + settings_.tables.label),
      totals_(*backend_.shared.totals,
              {tables_id_, settings_.total_age, settings_.timeout, settings_.timeout_directive},
              log_),
      store_(connections_, log_, request->pool, names_of(settings_),
             label_of(request->pool, settings_),
             store::TimeoutPolicy{.timeout = settings_.timeout,
                                  .elapsed = &elapsed_of_request(request),
                                  .directive = settings_.timeout_directive},
             &totals_, backend_.write_semaphore),
      request_(request), audit_(trail_of(settings_.audit_log), origin_of(request), log_) {
    store_.set_session_cache(backend_.shared.sessions);
    if (audit_.is_enabled())
        store_.set_change_listener(&audit_);
}

} // namespace useradmin::httpd
