// Directives, shared memory and database access that both modules use.
#pragma once

#include "apr/pool.hpp"
#include "http/origin.hpp"
#include "httpd/audit_log.hpp"
#include "httpd/database.hpp"
#include "httpd/deliveries.hpp"
#include "httpd/directives.hpp"
#include "httpd/httpd.hpp"
#include "httpd/location.hpp"
#include "httpd/metrics.hpp"
#include "httpd/notes.hpp"
#include "httpd/request_log.hpp"
#include "httpd/shared_totals.hpp"
#include "ipc/fair_semaphore.hpp"
#include "password/attempt_limiter.hpp"
#include "password/format.hpp"
#include "password/hasher.hpp"
#include "password/slots.hpp"
#include "store/database_store.hpp"
#include "store/schema.hpp"
#include "store/session_cache.hpp"
#include "text/network.hpp"

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace useradmin::httpd {

/// The application's tables, as configured. Valid for the lifetime of the configuration.
struct Tables {
    store::TableNames names;
    /// Identifies this set of tables within a database. Backend::database_id identifies the
    /// database, and RequestBackend::tables_id() combines both.
    const char* label;
    /// The label to use if the plugins' tables are also used.
    const char* plugins_label;
};

/// Parses the names of the user, session and account tables. label_prefix keeps the two modules'
/// prepared statements apart on a shared connection.
struct TablesReader {
    const char* label_prefix;
    const char* operator()(const ConfigLine& line, Tables& tables) const;
};

const char* read_trusted_origins(const ConfigLine& line, http::Origins& origins);
const char* read_password_hash(const ConfigLine& line, password::Format& format);

/// Parses an integer that applies to the whole server and is not allowed in a <VirtualHost>.
struct ServerNumberReader {
    long max;
    const char* operator()(const ConfigLine& line, unsigned& value) const;
};

struct Timeout;
struct ApplicationTables;
struct TrustedOrigins;
struct PasswordHash;
struct HashLimit;
struct HashQueue;
struct BodyTimeLimit;
struct AuditLogTarget;
struct HealthNeedsWrites;
struct DrainFile;

/// Returns the directives that both modules have. timeout_name: the name of the module's timeout
/// directive. label_prefix and plugins_label: the labels for the default tables, without and with
/// the plugins' tables.
constexpr auto backend_directives(const char* timeout_name, const char* label_prefix,
                                  const char* plugins_label = nullptr) {
    return std::tuple{
        directive<Timeout>(
            timeout_name, TAKE1, except_htaccess,
            "how many seconds a request waits for the database and for a hashing slot",
            std::chrono::seconds(5), NumberReader{"a number of seconds", 1, 300}),
        directive<ApplicationTables>("UserAdminTables", TAKE3, except_htaccess,
                                     "the names of the user, session and account tables",
                                     Tables{{}, label_prefix, plugins_label},
                                     TablesReader{label_prefix}),
        directive<TrustedOrigins>(
            "UserAdminTrustedOrigin", TAKE_ARGV, except_htaccess,
            "the origins whose pages may send requests, besides the server's own", http::Origins(),
            read_trusted_origins),
        directive<PasswordHash>(
            "UserAdminPasswordHash", TAKE_ARGV, except_htaccess,
            "how new passwords are hashed: argon2id [m=KiB] [t=N] [p=N], or scrypt",
            password::Format(password::Argon2id()), read_password_hash),
        // 0 means the number of processors.
        directive<HashLimit>(
            "UserAdminHashLimit", TAKE1, RSRC_CONF,
            "the maximum number of passwords that the whole server hashes concurrently", 0U,
            ServerNumberReader{1024}),
        // 0 means a quarter of the workers.
        directive<HashQueue>(
            "UserAdminHashQueue", TAKE1, RSRC_CONF,
            "the maximum number of requests, across the whole server, that wait for a hashing slot",
            0U, ServerNumberReader{10000}),
        directive<BodyTimeLimit>("UserAdminBodyTimeout", TAKE1, except_htaccess,
                                 "the time limit in seconds for receiving a whole request body",
                                 std::chrono::seconds(10),
                                 NumberReader{"a number of seconds", 1, 3600}),
        directive<AuditLogTarget>("UserAdminAuditLog", TAKE12, except_htaccess,
                                  "the audit log: a file or \"|program\" [required], or none",
                                  AuditLogSetting(), read_audit_log),
        directive<HealthNeedsWrites>("UserAdminHealth", TAKE1, except_htaccess,
                                     "whether the health check requires a writable database", false,
                                     ChoiceReader{"readable", "writable"}),
        directive<DrainFile>("UserAdminDrainFile", TAKE1, except_htaccess,
                             "while this file exists, the health check fails",
                             static_cast<const char*>(nullptr), PathReader{}),
    };
}

/// The values of the shared directives for a request, and the module's own settings for the
/// database.
struct BackendSettings {
    std::chrono::milliseconds timeout;
    /// The directive that sets the timeout, for log messages.
    const char* timeout_directive;
    Tables tables;
    password::Format hash_format;
    std::chrono::seconds body_timeout;
    AuditLogSetting audit_log;
    /// Whether the health check fails on a read-only database.
    bool health_needs_writes = false;
    /// While this file exists, the health check fails. nullptr if no file is configured.
    const char* drain_file = nullptr;
    /// The maximum age of a cached total.
    std::chrono::seconds total_age{0};
    /// Whether the schema includes the plugins' tables.
    bool has_plugins = false;
    /// The user table's column with the last activity, or nullptr to use the sessions instead.
    const char* last_seen = nullptr;
};

template <const auto& table>
BackendSettings backend_settings(const DirectiveSettings<table>& settings,
                                 bool has_plugins = false) {
    return {settings.template get<Timeout>(),
            DirectiveSettings<table>::template name<Timeout>(),
            settings.template get<ApplicationTables>(),
            settings.template get<PasswordHash>(),
            settings.template get<BodyTimeLimit>(),
            settings.template get<AuditLogTarget>(),
            settings.template get<HealthNeedsWrites>(),
            settings.template get<DrainFile>(),
            std::chrono::seconds(0),
            has_plugins};
}

/// The configured hashing limits. 0 means not configured.
struct HashLimits {
    unsigned limit;
    unsigned queue;
};

template <const auto& table>
HashLimits hash_limits(const DirectiveSettings<table>& settings) {
    return {settings.template get<HashLimit>(), settings.template get<HashQueue>()};
}

/// The state that all children share.
struct SharedState {
    ipc::FairSemaphore* hash_slots = nullptr;
    /// Attempts, sessions, totals and metrics are also shared with the children of the previous
    /// generation, so an invalidation reaches both generations.
    password::AttemptLimiter* attempts = nullptr;
    store::SessionCache* sessions = nullptr;
    SharedTotals::Table* totals = nullptr;
    MetricsRegistry* metrics = nullptr;
    /// Not modified after the children are forked.
    std::vector<HostDelivery>* deliveries = nullptr;
};

/// A module's data for a server (main server or virtual host) after startup. The module's server
/// configuration derives from this struct. start() and start_child() set the members.
struct Backend {
    DatabaseModule database;
    SharedState shared;
    /// Shared by all servers with the same database.
    ipc::LogThrottle* log_throttle = nullptr;
    /// nullptr unless the database allows only one writer at a time.
    ipc::FairSemaphore* write_semaphore = nullptr;
    /// The index of the server's mod_dbd pool.
    unsigned pool = 0;
    /// A digest of DBDriver, DBDParams and DBDInitSQL.
    const char* database_id = nullptr;
    /// Data of this child. Both modules, and all servers with the same mod_dbd pool, share it.
    PoolState* pool_state = nullptr;
    /// The server's name in the metrics.
    const char* name = nullptr;
    SharedMetrics* shared_metrics = nullptr;
    /// This child's counters.
    Metrics metrics;
};

/// Returns a module's data for a server. The module's server configuration must be a Backend. The
/// module must set AP_MODULE_FLAG_ALWAYS_MERGE. Otherwise, virtual hosts would share one Backend.
Backend& backend_of(const server_rec* server, const module& owner) noexcept;

/// Call from check_config. Returns whether the database that a directive needs is configured.
/// Otherwise, logs what is missing.
bool check_database(const module& owner, const char* directive) noexcept;

/// Call from check_config. Logs a warning for each server that uses a directive but has no DBDriver
/// or, with SQLite, no DBDParams, unless the other module has already warned. Does not warn about
/// the main server if a virtual host has a database, because virtual hosts may complete the main
/// server's configuration. pool: the configuration's pool.
void warn_of_missing_database(apr_pool_t* pool, const module& owner, const char* directive,
                              const server_rec* servers,
                              const std::function<bool(const server_rec*)>& uses_directive);

/// Calls visit with the merged settings of each Location that has directives of the module,
/// including Locations inherited from the main server. The settings are valid only during the call.
/// Call after httpd has read the configuration.
template <const auto& table, class Visit>
void for_each_location(apr_pool_t* pool, const server_rec* server, const module& owner,
                       const Visit& visit) {
    for (ap_conf_vector_t* const section : locations_of(server))
        if (ap_get_module_config(section, &owner) != nullptr) {
            const apr::ScopedPool merged(pool);
            visit(*static_cast<const DirectiveSettings<table>*>(
                ap_get_module_config(configuration_in(merged.get(), server, section), &owner)));
        }
}

/// Call from post_config. Opens the audit logs, creates the data that all children and both modules
/// share, and invalidates the cached sessions and totals. Finally calls start_more, which must add
/// the module's operations to the metrics. Logs failures. Returns the hook's result.
int start(apr_pool_t* configuration_pool, server_rec* servers, const module& owner,
          const HashLimits& hash_limits,
          const std::function<void(MetricsRegistry&)>& start_more) noexcept;

/// For registering child_init hooks. start_child() must run before mod_dbd's hook opens
/// connections, and before mod_watchdog's thread uses the child's data.
inline constexpr const char* before_connections[] = {"mod_dbd.c", "mod_watchdog.c", nullptr};

/// Call from child_init. Creates the child's data. On failure, the child exits, and httpd later
/// starts another one.
void start_child(apr_pool_t* child_pool, server_rec* servers, const module& owner) noexcept;

/// Gives a request access to its database, the hashing slots, the logs and the audit event.
class RequestBackend {
  public:
    RequestBackend(request_rec* request, const module& owner, const BackendSettings& settings);

    RequestLog& log() noexcept { return log_; }
    audit::Event& event() noexcept { return audit_.event(); }
    /// Writes the event to the notes and the audit log.
    void finish_event() {
        note_event(request_, event());
        if (!audit_.finish())
            backend_.metrics.count_lost_audit_line();
    }
    /// Finishes the event and begins a new one.
    void next_event() {
        finish_event();
        audit_.begin({});
    }
    store::DatabaseStore& store() noexcept { return store_; }
    const password::HashSlots& slots() const noexcept { return slots_; }
    const Backend& server() const noexcept { return backend_; }
    const BackendSettings& settings() const noexcept { return settings_; }
    /// The network of the client's address. mod_remoteip may have replaced the address.
    text::Network network() const noexcept { return network_; }
    /// Returns an identifier of the database and its tables, for cache keys: the database_id and
    /// the tables' label.
    const std::string& tables_id() const noexcept { return tables_id_; }

  private:
    BackendSettings settings_;
    const Backend& backend_;
    RequestLog log_;
    text::Network network_;
    password::HashSlots slots_;
    DatabaseConnections connections_;
    std::string tables_id_;
    SharedTotals totals_;
    store::DatabaseStore store_;
    request_rec* request_;
    audit::Recorder audit_;
};

} // namespace useradmin::httpd
