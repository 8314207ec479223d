// What the service and the auth module both stand on: the directives that both take, what the
// server shares among its children, and the database of a request.
#pragma once

#include "http/origin.hpp"
#include "httpd/audit_log.hpp"
#include "httpd/database.hpp"
#include "httpd/directives.hpp"
#include "httpd/httpd.hpp"
#include "httpd/metrics_registry.hpp"
#include "httpd/notes.hpp"
#include "httpd/request_log.hpp"
#include "httpd/request_store.hpp"
#include "httpd/shared_totals.hpp"
#include "ipc/fair_semaphore.hpp"
#include "password/format.hpp"
#include "password/hash_memory.hpp"
#include "password/hasher.hpp"
#include "password/slots.hpp"
#include "sign_in/attempt_limiter.hpp"
#include "sign_in/hash_cost_equalizer.hpp"
#include "sign_in/session_cache.hpp"
#include "store/table_names.hpp"
#include "text/network.hpp"

#include <atomic>
#include <chrono>
#include <string>
#include <tuple>

namespace useradmin::httpd {

/// The application's tables, as a directive named them. Lives as long as the configuration.
struct Tables {
    store::TableNames names;
    /// Tells this set of tables from others on one connection; see store::DatabaseStore.
    const char* label;
};

/// Reads the three names. Two modules that share a connection are told apart by their prefix.
struct TablesReader {
    const char* label_prefix;
    const char* operator()(const ConfigLine& line, Tables& tables) const;
};

const char* read_trusted_origins(const ConfigLine& line, http::Origins& origins);
const char* read_password_hash(const ConfigLine& line, password::Format& format);

/// Reads a whole number that counts for the whole server: in no <VirtualHost>.
struct ServerNumberReader {
    long max;
    const char* operator()(const ConfigLine& line, unsigned& value) const;
};

// The tags of the directives below.
struct Timeout;
struct ApplicationTables;
struct TrustedOrigins;
struct PasswordHash;
struct HashLimit;
struct HashQueue;
struct BodyTimeLimit;
struct AuditLogFile;

/// The directives that both modules take. The module names the one for its wait, and itself.
constexpr auto backend_directives(const char* wait, const char* label_prefix) {
    return std::tuple{
        directive<Timeout>(wait, TAKE1, anywhere,
                           "how many seconds a request waits for its database, and to hash",
                           std::chrono::seconds(5), NumberReader{"a number of seconds", 1, 300}),
        directive<ApplicationTables>("UserAdminTables", TAKE3, anywhere,
                                     "the names of the user, session and account tables",
                                     Tables{{}, label_prefix}, TablesReader{label_prefix}),
        directive<TrustedOrigins>("UserAdminTrustedOrigin", TAKE_ARGV, anywhere,
                                  "the origins whose pages may send requests, beside the own one",
                                  http::Origins(), read_trusted_origins),
        directive<PasswordHash>(
            "UserAdminPasswordHash", TAKE_ARGV, anywhere,
            "how new passwords are hashed: argon2id [m=KiB] [t=N] [p=N], or scrypt",
            password::Format(password::Argon2id()), read_password_hash),
        // 0: the number of processors.
        directive<HashLimit>("UserAdminHashLimit", TAKE1, RSRC_CONF,
                             "how many passwords the whole server hashes at once", 0U,
                             ServerNumberReader{1024}),
        // 0: a quarter of the workers.
        directive<HashQueue>("UserAdminHashQueue", TAKE1, RSRC_CONF,
                             "how many requests of the whole server wait for their turn to hash",
                             0U, ServerNumberReader{10000}),
        directive<BodyTimeLimit>("UserAdminBodyTimeout", TAKE1, anywhere,
                                 "how many seconds a whole request body may take to arrive",
                                 std::chrono::seconds(10),
                                 NumberReader{"a number of seconds", 1, 3600}),
        directive<AuditLogFile>("UserAdminAuditLog", TAKE12, anywhere,
                                "who is told who did what: a file or \"|program\" [, required], or "
                                "none",
                                AuditLog(), read_audit_log),
    };
}

/// What those directives come to for one request.
struct BackendSettings {
    std::chrono::milliseconds timeout;
    /// The directive that sets the wait.
    const char* timeout_directive;
    Tables tables;
    password::Format hash_format;
    std::chrono::seconds body_timeout;
    AuditLog audit_log;
    /// How long a filter's total may be kept.
    std::chrono::seconds total_age{0};
};

template <const auto& table>
BackendSettings backend_settings(const DirectiveSettings<table>& settings) {
    return {settings.template get<Timeout>(),
            DirectiveSettings<table>::template name<Timeout>(),
            settings.template get<ApplicationTables>(),
            settings.template get<PasswordHash>(),
            settings.template get<BodyTimeLimit>(),
            settings.template get<AuditLogFile>(),
            std::chrono::seconds(0)};
}

/// What the directives say of the whole server's hashing; 0 where they say nothing.
struct HashBounds {
    unsigned limit;
    unsigned queue;
};

template <const auto& table>
HashBounds hash_bounds(const DirectiveSettings<table>& settings) {
    return {settings.template get<HashLimit>(), settings.template get<HashQueue>()};
}

/// A flag in memory that all children share.
using SharedFlag = std::atomic<bool>;
static_assert(SharedFlag::is_always_lock_free);

/// What a module has of a server (a virtual host, say) once httpd has started: each module's
/// configuration of a server is derived from it. The members are filled in by start and, in each
/// child, by start_child.
struct Backend {
    DatabaseModule database;
    /// Of password::HashSlots.
    void* slots = nullptr;
    sign_in::AttemptLimiter attempts = sign_in::AttemptLimiter(nullptr);
    sign_in::SessionCache sessions = sign_in::SessionCache(nullptr);
    /// Of SharedTotals.
    void* totals = nullptr;
    /// Of the lines that many requests write at once, of its database's pool.
    ipc::LogThrottles* log_throttles = nullptr;
    /// Of a ipc::FairSemaphore, for those who write to its database one at a time; nullptr where
    /// they need not.
    void* write_semaphore = nullptr;
    /// Whether the server's database was looked at since httpd started.
    SharedFlag* is_surveyed = nullptr;
    /// Which of mod_dbd's pools the server has: a place in the list of their gates.
    unsigned pool = 0;
    /// How many connections to it all children together may have.
    unsigned max_connections = 0;
    /// Tells its database from others, as far as their parameters differ.
    const char* database_id = nullptr;
    ConnectionLimiter* limiter = nullptr;
    /// Of this child.
    sign_in::ObservedFormats* formats = nullptr;
    /// The same, of all virtual hosts.
    password::HashMemory* hash_memory = nullptr;
    /// Of all virtual hosts.
    MetricsRegistry* metrics_registry = nullptr;
    /// Its own, as this child counts them.
    Metrics metrics = {};
    /// Under which they are kept.
    const char* name = nullptr;
};

/// A module's part of a server. It must have given httpd a Backend as its configuration of servers,
/// and the flag AP_MODULE_FLAG_ALWAYS_MERGE, so that no two virtual hosts share one.
Backend& backend_of(const server_rec* server, const module& owner) noexcept;

/// In check_config: whether the database is there that the module's directive needs; what is
/// missing is logged.
bool check_database(const module& owner, const char* directive) noexcept;

/// Visits the settings of each Location that counts in a server, the server's own part and other
/// servers' included, with what they inherit. There are Locations once the configuration is read.
template <const auto& table, class Visit>
void for_each_location(const server_rec* server, const module& owner, const Visit& visit) {
    const auto& core =
        *static_cast<const core_server_config*>(ap_get_core_module_config(server->module_config));
    const auto& around = *static_cast<const DirectiveSettings<table>*>(
        ap_get_module_config(server->lookup_defaults, &owner));
    for (int index = 0; index < core.sec_url->nelts; ++index) {
        const auto* section =
            reinterpret_cast<const ap_conf_vector_t* const*>(core.sec_url->elts)[index];
        const auto* own =
            static_cast<const DirectiveSettings<table>*>(ap_get_module_config(section, &owner));
        if (own == nullptr)
            continue;
        DirectiveSettings<table> settings = *own;
        settings.inherit(around);
        visit(settings);
    }
}

/// What a Location hashes passwords for.
enum class HashUse { storing, verifying };

/// In check_config: notes how a server's Location hashes, and warns once where what one module
/// stores is not what the other one takes an unknown address' time from.
void check_hash_formats(apr_pool_t* configuration_pool, const server_rec* server,
                        const module& owner, HashUse use, const password::Format& format);

/// In post_config: makes what the children share, the same for both modules. What fails is logged;
/// the result is the hook's.
int start(apr_pool_t* configuration_pool, server_rec* servers, const module& owner,
          const HashBounds& hash_bounds) noexcept;

/// What start_child comes before, for its hook: mod_dbd makes its first connections there.
inline constexpr const char* before_connections[] = {"mod_dbd.c", nullptr};

/// In child_init: makes what a child needs. A child for which that fails ends here, and httpd makes
/// another one after a while.
void start_child(apr_pool_t* child_pool, server_rec* servers, const module& owner) noexcept;

/// The database and the hashing slots for the length of one request.
class RequestBackend {
  public:
    RequestBackend(request_rec* request, const module& owner, const BackendSettings& settings);

    RequestLog& log() noexcept { return log_; }
    /// What the request does, for the audit log and the notes.
    audit::Event& event() noexcept { return audit_.event(); }
    /// Tells of it, once the request is answered; false where it could not be.
    bool finish_event() {
        note_event(request_, event());
        return audit_.finish();
    }
    store::Store& store() noexcept { return store_; }
    const password::HashSlots& slots() const noexcept { return slots_; }
    const Backend& server() const noexcept { return backend_; }
    const BackendSettings& settings() const noexcept { return settings_; }
    /// The client's, as mod_remoteip has it.
    text::Network network() const noexcept { return network_; }
    /// Tells the request's database and tables from others.
    const std::string& place() const noexcept { return place_; }

  private:
    BackendSettings settings_;
    const Backend& backend_;
    RequestLog log_;
    text::Network network_;
    password::HashSlots slots_;
    DatabaseConnections connections_;
    std::string place_;
    SharedTotals totals_;
    RequestStore store_;
    request_rec* request_;
    audit::Recorder audit_;
};

} // namespace useradmin::httpd
