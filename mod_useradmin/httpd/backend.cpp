#include "httpd/backend.hpp"

#include "apr/guard.hpp"
#include "apr/pool.hpp"
#include "crypto/sha256.hpp"
#include "httpd/connection_pools.hpp"
#include "httpd/first_request.hpp"
#include "httpd/shared_memory.hpp"
#include "store/dialect.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace useradmin::httpd {

namespace {

/// Returns a name for prepared statements, the same for the same tables (FNV-1a).
const char* label_of(apr_pool_t* pool, const char* prefix, const store::TableNames& names) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (std::string_view name : {names.user, names.session, names.account}) {
        for (char character : name)
            hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3;
        hash = (hash ^ 0xff) * 0x100000001b3;
    }
    return apr_psprintf(pool, "%s_%" APR_UINT64_T_HEX_FMT, prefix, hash);
}

/// Queries a limit of the MPM; at least 1.
unsigned query_mpm(int query) {
    int number = 0;
    return ap_mpm_query(query, &number) == APR_SUCCESS ? static_cast<unsigned>(std::max(number, 1))
                                                       : 1U;
}

/// Returns the number of worker threads of all children: MaxRequestWorkers.
unsigned worker_count() {
    return query_mpm(AP_MPMQ_MAX_DAEMONS) * query_mpm(AP_MPMQ_MAX_THREADS);
}

/// Returns whether the database has one writer at a time.
bool is_single_writer(const ConnectionPool& pool) {
    const store::Dialect* const dialect = store::find_dialect(pool.driver);
    return dialect != nullptr && dialect->product().is_single_writer;
}

std::optional<ipc::FairSemaphore> write_semaphore_of(const Backend& backend) {
    if (backend.write_semaphore == nullptr)
        return std::nullopt;
    return ipc::FairSemaphore(backend.write_semaphore);
}

/// Returns the maximum number of children: ServerLimit.
unsigned child_limit() {
    return query_mpm(AP_MPMQ_HARD_LIMIT_DAEMONS);
}

/// Returns the maximum number of a pool's connections. A thread uses one at most.
unsigned max_connections(const ConnectionPool& pool) {
    const auto of_child = static_cast<unsigned>(std::max(pool.max, 1));
    return query_mpm(AP_MPMQ_MAX_DAEMONS) * std::min(of_child, query_mpm(AP_MPMQ_MAX_THREADS));
}

/// Returns the name of a virtual host for operators, with its port if it has one.
const char* name_of(apr_pool_t* pool, const server_rec* server) {
    const char* const name = server->server_hostname != nullptr ? server->server_hostname : "";
    const unsigned own_port = server->addrs != nullptr ? server->addrs->host_port : 0;
    const unsigned port = own_port != 0 ? own_port : server->port;
    return port != 0 ? apr_psprintf(pool, "%s:%u", name, port) : apr_pstrdup(pool, name);
}

/// Returns the configured limits, or defaults by the number of processors and workers.
ipc::FairSemaphore::Counts slot_bounds(const HashBounds& said) {
    constexpr unsigned workers_a_place = 4; // most workers stay free for other requests
    return {said.limit != 0 ? said.limit : std::max(1U, std::thread::hardware_concurrency()),
            said.queue != 0 ? said.queue : std::max(1U, worker_count() / workers_a_place)};
}

void log_no_memory(const server_rec* server, const module& owner, const char* purpose,
                   apr_status_t status) {
    ap_log_error(__FILE__, __LINE__, owner.module_index, APLOG_EMERG, status, server,
                 "UA0203: cannot allocate shared memory for the %s", purpose);
}

/// Returns shared memory for a purpose. On failure, logs it and returns nullptr.
void* shared_memory_or_log(apr_pool_t* pool, const server_rec* server, const module& owner,
                           const char* purpose, std::size_t size,
                           const std::function<bool(void*)>& init) {
    // The number is the version of the memory layout.
    const auto memory = shared_memory_for_key(
        pool, ("useradmin " + std::string(purpose) + " 5").c_str(), size, init);
    if (const auto* status = std::get_if<apr_status_t>(&memory)) {
        log_no_memory(server, owner, purpose, *status);
        return nullptr;
    }
    return std::get<void*>(memory);
}

/// Returns an object in shared memory for a purpose. On failure, logs it and returns nullptr.
template <class T>
T* shared_object_or_log(apr_pool_t* pool, const server_rec* server, const module& owner,
                        const char* purpose) {
    return static_cast<T*>(shared_memory_or_log(
        pool, server, owner, purpose, sizeof(T),
        [](void* memory) { return (new (memory) T())->init(); }));
}

/// Opens the metrics of each server. On failure, logs it and returns false.
bool find_metrics(apr_pool_t* configuration_pool, server_rec* servers, const module& owner) {
    const auto is_there = [&](const auto& found) {
        const auto* const status = std::get_if<apr_status_t>(&found);
        if (status != nullptr)
            log_no_memory(servers, owner, "figures", *status);
        return status == nullptr;
    };
    const auto registry =
        MetricsRegistry::open(servers->process->pool, configuration_pool, child_limit());
    if (!is_there(registry))
        return false;
    for (const server_rec* server = servers; server != nullptr; server = server->next) {
        Backend& backend = backend_of(server, owner);
        backend.name = name_of(configuration_pool, server);
        backend.metrics_registry = std::get<MetricsRegistry*>(registry);
        const auto metrics = backend.metrics_registry->metrics_of(backend.name);
        if (!is_there(metrics))
            return false;
        backend.metrics = std::get<Metrics>(metrics);
    }
    return true;
}

/// The hash formats of a configuration's Locations so far.
struct SeenHashFormats {
    struct Entry {
        const server_rec* server;
        HashUse use;
        password::Format format;
    };
    std::vector<Entry> noted;
    bool has_warned = false;
};

SeenHashFormats& seen_hash_formats(apr_pool_t* configuration_pool) {
    constexpr const char* key = "useradmin hashes of locations 1";
    void* noted = nullptr;
    apr_pool_userdata_get(&noted, key, configuration_pool);
    if (noted == nullptr) {
        noted = &apr::emplace<SeenHashFormats>(configuration_pool);
        apr_pool_userdata_setn(noted, key, apr_pool_cleanup_null, configuration_pool);
    }
    return *static_cast<SeenHashFormats*>(noted);
}

/// Returns an id for each pool, the same for the same database. It is a digest because the
/// parameters may contain a password.
std::vector<const char*> database_ids(apr_pool_t* configuration_pool,
                                      const std::vector<ConnectionPool>& pools) {
    std::vector<const char*> ids;
    ids.reserve(pools.size());
    for (const ConnectionPool& pool : pools)
        ids.push_back(apr::copy_c_string(
            configuration_pool, crypto::hex(crypto::digest({pool.driver, pool.parameters}))));
    return ids;
}

/// Returns the child's connection limiters, the same for both modules; created by the first call.
std::deque<ConnectionLimiter>& limiters_of_child(apr_pool_t* child_pool,
                                                 const server_rec* servers) {
    constexpr const char* key = "useradmin connection gates 1";
    void* limiters = nullptr;
    apr_pool_userdata_get(&limiters, key, child_pool);
    if (limiters == nullptr) {
        auto& made = apr::emplace<std::deque<ConnectionLimiter>>(child_pool);
        const ConnectionPools all(servers);
        for (const ConnectionPool& pool : all.pools())
            made.emplace_back(std::max(pool.max, 1));
        limiters = &made;
        apr_pool_userdata_setn(limiters, key, apr_pool_cleanup_null, child_pool);
    }
    return *static_cast<std::deque<ConnectionLimiter>*>(limiters);
}

/// Returns the time that a client's request has waited for databases, in both modules.
store::Clock::duration& elapsed_of_request(request_rec* request) {
    constexpr const char* key = "useradmin time waited 1";
    apr_pool_t* const pool = first_request(request)->pool;
    void* waited = nullptr;
    apr_pool_userdata_get(&waited, key, pool);
    if (waited == nullptr) {
        waited = &apr::emplace<store::Clock::duration>(pool, 0);
        apr_pool_userdata_setn(waited, key, apr_pool_cleanup_null, pool);
    }
    return *static_cast<store::Clock::duration*>(waited);
}

} // namespace

const char* TablesReader::operator()(const ConfigLine& line, Tables& tables) const {
    const auto parsed = store::parse_table_names(line.words);
    if (const auto* right = std::get_if<std::string>(&parsed))
        return line.copy("must be " + *right);
    const auto& names = std::get<store::TableNames>(parsed);
    tables = {names, label_of(line.pool(), label_prefix, names)};
    return nullptr;
}

const char* read_trusted_origins(const ConfigLine& line, http::Origins& origins) {
    auto& kept = *static_cast<apr_array_header_t*>(
        apr_array_make(line.pool(), static_cast<int>(line.words.size()), sizeof(std::string_view)));
    for (const std::string_view word : line.words) {
        const auto origin = http::parse_origin(word);
        if (!origin)
            return line.copy("'" + std::string(word) +
                             "' is no origin; right is http:// or https://, a host and, if it is "
                             "not the scheme's own, a port, without a path or a wildcard: "
                             "https://app.example.com");
        *static_cast<std::string_view*>(apr_array_push(&kept)) = line.copy(*origin);
    }
    if (line.words.empty())
        return "must be one or more origins, such as https://app.example.com";
    origins = {reinterpret_cast<const std::string_view*>(kept.elts),
               static_cast<std::size_t>(kept.nelts)};
    return nullptr;
}

const char* read_password_hash(const ConfigLine& line, password::Format& format) {
    const auto parsed = password::parse_format(line.words);
    if (const auto* right = std::get_if<std::string>(&parsed))
        return line.copy("must be " + *right);
    format = std::get<password::Format>(parsed);
    return nullptr;
}

const char* ServerNumberReader::operator()(const ConfigLine& line, unsigned& value) const {
    if (ap_check_cmd_context(line.command, GLOBAL_ONLY) != nullptr)
        return "counts for the whole server, and stands outside of every <VirtualHost>";
    return NumberReader{"a whole number", 1, max}(line, value);
}

Backend& backend_of(const server_rec* server, const module& owner) noexcept {
    return *static_cast<Backend*>(ap_get_module_config(server->module_config, &owner));
}

bool check_database(const module& owner, const char* directive) noexcept {
    return apr::guarded(
        [&] {
            const std::string problem = database_problem();
            // While reading the configuration, a virtual host has no log.
            if (!problem.empty())
                ap_log_error(__FILE__, __LINE__, owner.module_index, APLOG_EMERG, APR_SUCCESS,
                             nullptr, "UA0206: %s: %s", directive, problem.c_str());
            return problem.empty();
        },
        [&](const char* reason) {
            ap_log_error(__FILE__, __LINE__, owner.module_index, APLOG_EMERG, APR_SUCCESS, nullptr,
                         "UA0206: %s: the database could not be checked: %s", directive, reason);
            return false;
        });
}

void check_hash_formats(apr_pool_t* configuration_pool, const server_rec* server,
                        const module& owner, HashUse use, const password::Format& format) {
    SeenHashFormats& hashes = seen_hash_formats(configuration_pool);
    const bool differs =
        std::any_of(hashes.noted.begin(), hashes.noted.end(), [&](const auto& other) {
            return other.server == server && other.use != use && other.format != format;
        });
    if (differs && !hashes.has_warned)
        ap_log_error(__FILE__, __LINE__, owner.module_index, APLOG_WARNING, APR_SUCCESS, nullptr,
                     "UA0210: UserAdminPasswordHash differs between a Location with UserAdmin On "
                     "and one with AuthUserAdminSignIn On; the response time of a failed sign-in "
                     "then reveals which accounts exist");
    hashes.has_warned = hashes.has_warned || differs;
    hashes.noted.push_back({server, use, format});
}

int start(apr_pool_t* configuration_pool, server_rec* servers, const module& owner,
          const HashBounds& hash_bounds) noexcept {
    return apr::guarded(
        [&] {
            // As the configuration: old children keep theirs, new ones start with fresh memory.
            const ipc::FairSemaphore::Counts bounds = slot_bounds(hash_bounds);
            void* const slots = shared_memory_or_log(
                configuration_pool, servers, owner, "hashing slots",
                ipc::FairSemaphore::size_of(bounds),
                [bounds](void* memory) { return ipc::FairSemaphore::init(memory, bounds); });
            auto* const attempts = shared_object_or_log<sign_in::AttemptLimiter>(
                configuration_pool, servers, owner, "counts of failed attempts to sign in");
            // Shared with old children: invalidations by either apply to both.
            apr_pool_t* const process_pool = servers->process->pool;
            auto* const sessions = shared_object_or_log<sign_in::SessionCache>(
                process_pool, servers, owner, "sessions that were looked up");
            auto* const totals = shared_object_or_log<SharedTotals::Table>(
                process_pool, servers, owner, "totals of filters");
            const ConnectionPools pools(servers);
            const std::size_t server_count = pools.of_servers().size();
            auto* surveyed = static_cast<SharedFlag*>(shared_memory_or_log(
                configuration_pool, servers, owner, "surveys of databases",
                server_count * sizeof(SharedFlag),
                [server_count](void* memory) {
                    std::uninitialized_value_construct_n(static_cast<SharedFlag*>(memory),
                                                         server_count);
                    return true;
                }));
            const std::size_t pool_count = pools.pools().size();
            auto* const throttles = static_cast<ipc::LogThrottles*>(shared_memory_or_log(
                configuration_pool, servers, owner, "tallies of lines",
                pool_count * sizeof(ipc::LogThrottles),
                [pool_count](void* memory) {
                    std::uninitialized_value_construct_n(static_cast<ipc::LogThrottles*>(memory),
                                                         pool_count);
                    return true;
                }));
            const ipc::FairSemaphore::Counts queue_bounds{1, std::max(1U, worker_count())};
            const std::size_t queue_size = ipc::FairSemaphore::size_of(queue_bounds);
            auto* const queues = static_cast<char*>(shared_memory_or_log(
                configuration_pool, servers, owner, "queues before databases",
                pool_count * queue_size,
                [=](void* memory) {
                    bool ready = true;
                    for (std::size_t index = 0; index < pool_count; ++index)
                        ready = ready &&
                                ipc::FairSemaphore::init(
                                    static_cast<char*>(memory) + index * queue_size, queue_bounds);
                    return ready;
                }));
            if (slots == nullptr || attempts == nullptr || sessions == nullptr ||
                totals == nullptr || surveyed == nullptr || throttles == nullptr ||
                queues == nullptr || !find_metrics(configuration_pool, servers, owner))
                return HTTP_INTERNAL_SERVER_ERROR;
            if (!open_audit_logs(configuration_pool, servers, owner))
                return HTTP_INTERNAL_SERVER_ERROR;
            sessions->invalidate_all();
            totals->invalidate();
            const std::vector<const char*> ids = database_ids(configuration_pool, pools.pools());
            auto pool = pools.of_servers().begin();
            for (const server_rec* server = servers; server != nullptr; server = server->next) {
                Backend& backend = backend_of(server, owner);
                backend.database = DatabaseModule::find();
                backend.slots = slots;
                backend.attempts = attempts;
                backend.sessions = sessions;
                backend.totals = totals;
                backend.is_surveyed = surveyed++;
                backend.pool = *pool++;
                backend.log_throttles = throttles + backend.pool;
                backend.write_semaphore = is_single_writer(pools.pools()[backend.pool])
                                              ? queues + backend.pool * queue_size
                                              : nullptr;
                backend.max_connections = max_connections(pools.pools()[backend.pool]);
                backend.database_id = ids.at(backend.pool);
            }
            return OK;
        },
        [&](const char* reason) {
            ap_log_error(__FILE__, __LINE__, owner.module_index, APLOG_EMERG, APR_SUCCESS, servers,
                         "UA0208: the module cannot start: %s", reason);
            return HTTP_INTERNAL_SERVER_ERROR;
        });
}

void start_child(apr_pool_t* child_pool, server_rec* servers, const module& owner) noexcept {
    apr::guarded(
        [&] {
            for (const store::Dialect* dialect : store::dialects())
                dialect->set_connect_timeout();
            std::deque<ConnectionLimiter>& limiters = limiters_of_child(child_pool, servers);
            const int child = backend_of(servers, owner).metrics_registry->register_child();
            auto& hash_memory = apr::emplace<password::HashMemory>(child_pool);
            for (const server_rec* server = servers; server != nullptr; server = server->next) {
                Backend& backend = backend_of(server, owner);
                backend.limiter = &limiters.at(backend.pool);
                backend.formats = &apr::emplace<sign_in::ObservedFormats>(child_pool);
                backend.hash_memory = &hash_memory;
                backend.metrics = backend.metrics.in_child(child);
            }
        },
        [&](const char* reason) {
            ap_log_error(__FILE__, __LINE__, owner.module_index, APLOG_EMERG, APR_SUCCESS, servers,
                         "UA0207: a child cannot start: %s", reason);
            std::exit(APEXIT_CHILDSICK);
        });
}

RequestBackend::RequestBackend(request_rec* request, const module& owner,
                               const BackendSettings& settings)
    : settings_(settings), backend_(backend_of(request->server, owner)),
      log_(request, owner, *backend_.log_throttles),
      network_(text::Network::of(apr::view_of(request->useragent_ip))),
      slots_(ipc::FairSemaphore(backend_.slots),
             {settings_.timeout, settings_.timeout_directive,
              backend_.metrics.counter(Rejection::hash_queue),
              backend_.metrics.counter(Rejection::hash_wait), backend_.hash_memory,
              network_.bits()},
             log_),
      connections_(request, log_, backend_.database, *backend_.limiter, backend_.metrics,
                   settings_.timeout, settings_.timeout_directive),
      place_(std::string(backend_.database_id) + settings_.tables.label),
      totals_(*backend_.totals,
              {place_, settings_.total_age, settings_.timeout, settings_.timeout_directive}, log_),
      store_(*backend_.sessions, connections_, log_, request->pool, settings_.tables.names,
             settings_.tables.label,
             store::TimeoutPolicy{settings_.timeout, true, &elapsed_of_request(request)}, &totals_,
             write_semaphore_of(backend_)),
      request_(request), audit_(trail_of(settings_.audit_log), origin_of(request), log_) {
    if (audit_.is_enabled())
        store_.set_change_listener(&audit_);
    backend_.metrics.activate();
}

} // namespace useradmin::httpd
