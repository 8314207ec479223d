#include "http/authentication.hpp"

#include "api/sessions.hpp"
#include "apr/guard.hpp"
#include "apr/pool.hpp"
#include "http/auth_configuration.hpp"
#include "http/log.hpp"
#include "http/notes.hpp"
#include "http/role_provider.hpp"
#include "http/token.hpp"
#include "password/secret.hpp"
#include "password/signature.hpp"
#include "store/database_store.hpp"

APLOG_USE_MODULE(auth_useradmin);

namespace useradmin::http {

namespace {

constexpr std::string_view auth_type = "UserAdmin";

/// What the request carries as its token. A bearer token counts before a cookie, as in better-auth.
password::Secret credential_of(const request_rec* request, const AuthConfiguration& configuration) {
    std::optional<std::string> token;
    if (configuration.reads_bearer())
        token = token_in_authorization(
            apr::view_of(apr_table_get(request->headers_in, "Authorization")));
    if (!token)
        token = token_in_cookie(apr::view_of(apr_table_get(request->headers_in, "Cookie")),
                                configuration.cookie_name());
    return password::Secret(std::move(token).value_or(""));
}

/// The session's token in what the request carries: with a secret its signature must be right,
/// without one a signature is passed over.
std::string_view token_of(std::string_view credential, const AuthConfiguration& configuration) {
    if (configuration.secret != nullptr)
        return password::verified(credential, configuration.secret).value_or("");
    return credential.substr(0, credential.find('.'));
}

/// Says who is calling: in the notes, and as httpd's user.
void announce(request_rec* request, const api::Identity& identity) {
    const char* id = apr::terminated(request->pool, identity.user_id);
    apr_table_setn(request->notes, id_note, id);
    apr_table_setn(request->notes, role_note, apr::terminated(request->pool, identity.role));
    request->user = const_cast<char*>(id);
}

int authenticate(request_rec* request) {
    const AuthConfiguration& configuration = auth_configuration_of(request);
    if (!configuration.is_enabled())
        return DECLINED;
    const password::Secret credential = credential_of(request, configuration);
    const std::string_view token = token_of(credential.view(), configuration);
    if (token.empty())
        return DECLINED;

    const AuthServerConfiguration& server = auth_configuration_of(request->server);
    RequestLog log(request, auth_useradmin_module);
    DatabaseConnections connections(request, log, server.database, *server.gate,
                                    configuration.wait());
    const Tables tables = tables_or_default(configuration.tables, "auth_useradmin");
    store::DatabaseStore store(connections, log, request->pool, tables.names, tables.label);
    const auto identity = api::identify(store, token, text::now());
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

/// What no single directive can see. Runs for `apachectl configtest` as well.
int check(apr_pool_t*, apr_pool_t*, apr_pool_t*, server_rec* servers) noexcept {
    for (const server_rec* server = servers; server != nullptr; server = server->next) {
        if (!auth_configuration_of(server).is_used)
            continue;
        if (const char* problem = database_problem()) {
            ap_log_error(APLOG_MARK, APLOG_EMERG, 0, server, "UA0302: AuthUserAdmin: %s", problem);
            return HTTP_INTERNAL_SERVER_ERROR;
        }
    }
    return OK;
}

int start(apr_pool_t*, apr_pool_t*, apr_pool_t*, server_rec* servers) noexcept {
    for (server_rec* server = servers; server != nullptr; server = server->next)
        auth_configuration_of(server).database = DatabaseModule::find();
    return OK;
}

void start_child(apr_pool_t* pool, server_rec* servers) noexcept {
    apr::guarded(
        [&] {
            Gate& gate = gate_of_child(pool, smallest_connection_limit());
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
    ap_hook_check_authn(check_user, nullptr, nullptr, APR_HOOK_MIDDLE, AP_AUTH_INTERNAL_PER_CONF);
    ap_hook_check_config(check, nullptr, nullptr, APR_HOOK_MIDDLE);
    ap_hook_post_config(start, nullptr, nullptr, APR_HOOK_MIDDLE);
    ap_hook_child_init(start_child, nullptr, nullptr, APR_HOOK_MIDDLE);
    ap_hook_check_access(check_access, nullptr, nullptr, APR_HOOK_FIRST, AP_AUTH_INTERNAL_PER_CONF);
}

} // namespace useradmin::http
