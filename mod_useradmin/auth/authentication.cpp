#include "auth/authentication.hpp"

#include "apr/guard.hpp"
#include "apr/pool.hpp"
#include "auth/configuration.hpp"
#include "auth/password_provider.hpp"
#include "auth/role_provider.hpp"
#include "auth/session_token.hpp"
#include "auth/sign_in_handler.hpp"
#include "httpd/hashing.hpp"
#include "httpd/log.hpp"
#include "httpd/notes.hpp"
#include "httpd/shared_memory.hpp"
#include "sign_in/attempts.hpp"
#include "sign_in/identity.hpp"
#include "store/database_store.hpp"

APLOG_USE_MODULE(auth_useradmin);

namespace useradmin::auth {

namespace {

constexpr std::string_view auth_type = "UserAdmin";

/// Says who is calling: in the notes, and as httpd's user.
void announce(request_rec* request, const sign_in::Identity& identity) {
    httpd::note_caller(request, identity.user_id, identity.role);
    request->user = const_cast<char*>(apr_table_get(request->notes, httpd::id_note));
}

int authenticate(request_rec* request) {
    const AuthConfiguration& configuration = auth_configuration_of(request);
    if (!configuration.is_enabled())
        return DECLINED;
    const secret::Secret credential = credential_of(request, configuration);
    const std::string_view token = token_of(credential.view(), configuration);
    if (token.empty())
        return DECLINED;

    const AuthServerConfiguration& server = auth_configuration_of(request->server);
    httpd::RequestLog log(request, auth_useradmin_module);
    httpd::DatabaseConnections connections(request, log, server.database, *server.gate,
                                           configuration.wait());
    const httpd::Tables tables = httpd::tables_or_default(configuration.tables, "auth_useradmin");
    store::DatabaseStore store(connections, log, request->pool, tables.names, tables.label);
    const auto identity = sign_in::identify(store, token, text::now());
    if (!identity)
        return identity.failure() == store::Failure::unavailable ? HTTP_SERVICE_UNAVAILABLE
                                                                 : HTTP_INTERNAL_SERVER_ERROR;
    if (*identity)
        announce(request, **identity);
    return DECLINED;
}

/// Runs for every request, also where `Require all granted` skips the hooks of authentication.
int check_access(request_rec* request) noexcept {
    return apr::guarded([&] { return authenticate(request); },
                        [&](const char* reason) {
                            ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, request,
                                          "UA0301: a session could not be looked up: %s", reason);
                            return HTTP_INTERNAL_SERVER_ERROR;
                        });
}

/// Where a Require asks for a user and there is no session. Another AuthType than this module's has
/// a way of its own to find one.
int check_user(request_rec* request) noexcept {
    const std::string_view type = apr::view_of(ap_auth_type(request));
    if (!auth_configuration_of(request).is_enabled() || (!type.empty() && type != auth_type))
        return DECLINED;
    if (request->user != nullptr)
        return OK;
    apr_table_setn(request->err_headers_out, "WWW-Authenticate", "Bearer");
    return HTTP_UNAUTHORIZED;
}

bool needs_database(const server_rec* servers) {
    for (const server_rec* server = servers; server != nullptr; server = server->next)
        if (auth_configuration_of(server).is_used)
            return true;
    return names_password_provider();
}

/// What no single directive can see. Runs for `apachectl configtest` as well.
int check(apr_pool_t*, apr_pool_t*, apr_pool_t*, server_rec* servers) noexcept {
    return apr::guarded(
        [&] {
            const char* problem = needs_database(servers) ? httpd::database_problem() : nullptr;
            if (problem == nullptr)
                return OK;
            ap_log_error(APLOG_MARK, APLOG_EMERG, 0, servers, "UA0302: AuthUserAdmin: %s", problem);
            return HTTP_INTERNAL_SERVER_ERROR;
        },
        [](const char*) { return HTTP_INTERNAL_SERVER_ERROR; });
}

int start(apr_pool_t* pool, apr_pool_t*, apr_pool_t*, server_rec* servers) noexcept {
    return apr::guarded(
        [&] {
            void* slots = httpd::hashing_slots(pool, servers, 0);
            void* attempts =
                httpd::shared_memory(pool, "useradmin attempts to sign in 1",
                                     sign_in::Attempts::size_of(), sign_in::Attempts::lay_out);
            if (attempts == nullptr)
                ap_log_error(APLOG_MARK, APLOG_EMERG, 0, servers,
                             "UA0310: no shared memory for the attempts to sign in");
            if (slots == nullptr || attempts == nullptr)
                return HTTP_INTERNAL_SERVER_ERROR;
            for (server_rec* server = servers; server != nullptr; server = server->next) {
                AuthServerConfiguration& configuration = auth_configuration_of(server);
                configuration.database = httpd::DatabaseModule::find();
                configuration.slots = slots;
                configuration.attempts = attempts;
            }
            return OK;
        },
        [](const char*) { return HTTP_INTERNAL_SERVER_ERROR; });
}

void start_child(apr_pool_t* pool, server_rec* servers) noexcept {
    apr::guarded(
        [&] {
            httpd::Gate& gate = httpd::gate_of_child(pool, httpd::smallest_connection_limit());
            for (server_rec* server = servers; server != nullptr; server = server->next)
                auth_configuration_of(server).gate = &gate;
        },
        [&](const char* reason) {
            ap_log_error(APLOG_MARK, APLOG_EMERG, 0, servers, "UA0303: a child cannot start: %s",
                         reason);
        });
}

} // namespace

void register_authentication_hooks(apr_pool_t* pool) noexcept {
    register_role_provider(pool);
    register_password_provider(pool);
    register_sign_in_hooks(pool);
    ap_hook_check_authn(check_user, nullptr, nullptr, APR_HOOK_MIDDLE, AP_AUTH_INTERNAL_PER_CONF);
    ap_hook_check_config(check, nullptr, nullptr, APR_HOOK_MIDDLE);
    // After the service, whose UserAdminHashLimit decides how many hashing slots there are.
    ap_hook_post_config(start, nullptr, nullptr, APR_HOOK_LAST);
    ap_hook_child_init(start_child, nullptr, nullptr, APR_HOOK_MIDDLE);
    ap_hook_check_access(check_access, nullptr, nullptr, APR_HOOK_FIRST, AP_AUTH_INTERNAL_PER_CONF);
}

} // namespace useradmin::auth
