#include "service/handler.hpp"

#include "apr/guard.hpp"
#include "apr/pool.hpp"
#include "httpd/body.hpp"
#include "httpd/hashing.hpp"
#include "httpd/log.hpp"
#include "httpd/reply.hpp"
#include "service/caller.hpp"
#include "service/configuration.hpp"
#include "service/response.hpp"
#include "store/database_store.hpp"

APLOG_USE_MODULE(useradmin);

namespace useradmin::service {

namespace {

/// The protected address: the directive's, the environment's, or the built-in one (4.4.1, check 5).
const char* protected_email(const Configuration& configuration, const ServerConfiguration& server) {
    if (configuration.protected_email != nullptr)
        return configuration.protected_email;
    return server.admin_email != nullptr ? server.admin_email : "admin@example.com";
}

int answer(request_rec* request) {
    const Configuration& configuration = configuration_of(request);
    const ServerConfiguration& server = configuration_of(request->server);
    httpd::RequestLog log(request, useradmin_module);

    httpd::DatabaseConnections connections(request, log, server.database, *server.gate,
                                           configuration.wait());
    const httpd::Tables tables = httpd::tables_or_default(configuration.tables, "useradmin");
    store::DatabaseStore store(connections, log, request->pool, tables.names, tables.label);
    password::BoundedHasher hasher(configuration.hash_format(), password::Slots(server.slots),
                                   configuration.wait());
    api::Settings settings;
    settings.protected_email = protected_email(configuration, server);
    settings.max_limit = configuration.largest_page();
    settings.account_id_is_user_id = configuration.account_id_is_user_id.value_or(false);
    settings.lowers_email = configuration.lowers_email.value_or(false);

    httpd::RequestBody body(request, configuration.largest_body());
    api::Reply reply =
        api::answer({request->method, httpd::path_below(request, configuration.base),
                     apr::view_of(request->args), caller_of(request, configuration, log), body},
                    {store, hasher, settings});
    if (body.was_answered())
        return AP_FILTER_ERROR;
    if (body.is_left())
        request->connection->keepalive = AP_CONN_CLOSE;
    return httpd::send(request, std::move(reply));
}

/// The request below a base address whose error this ErrorDocument is for, with that base address.
const char* base_of_failed(const request_rec* request) {
    return request->prev != nullptr && ap_is_HTTP_ERROR(request->prev->status)
               ? base_of(request->prev)
               : nullptr;
}

int handle(request_rec* request) noexcept {
    return apr::guarded(
        [&] {
            if (const char* base = base_of_failed(request))
                return httpd::send(request, envelope_of(request->prev, base));
            return configuration_of(request).is_enabled() ? answer(request) : DECLINED;
        },
        [&](const char* reason) {
            ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, request, "UA0205: a request failed: %s",
                          reason);
            return HTTP_INTERNAL_SERVER_ERROR;
        });
}

/// Takes the address as it was sent: the operations decode the id themselves.
int claim_encoded(request_rec* request) noexcept {
    return configuration_of(request).is_enabled() ? DONE : DECLINED;
}

int claim(request_rec* request) noexcept {
    return configuration_of(request).is_enabled() ? httpd::keep_from_files(request) : DECLINED;
}

void insert_envelope(request_rec* request) noexcept {
    if (const char* base = base_of(request))
        ap_add_output_filter(envelope_filter, const_cast<char*>(base), request,
                             request->connection);
}

/// What no single directive can see. Runs for `apachectl configtest` as well.
int check(apr_pool_t*, apr_pool_t*, apr_pool_t*, server_rec* servers) noexcept {
    for (const server_rec* server = servers; server != nullptr; server = server->next) {
        if (configuration_of(server).bases->nelts == 0)
            continue;
        if (const char* problem = httpd::database_problem()) {
            ap_log_error(APLOG_MARK, APLOG_EMERG, 0, server, "UA0206: UserAdmin: %s", problem);
            return HTTP_INTERNAL_SERVER_ERROR;
        }
    }
    return OK;
}

int start(apr_pool_t* pool, apr_pool_t*, apr_pool_t*, server_rec* servers) noexcept {
    return apr::guarded(
        [&] {
            const httpd::DatabaseModule database = httpd::DatabaseModule::find();
            void* slots = httpd::hashing_slots(pool, servers, configuration_of(servers).hash_limit);
            if (slots == nullptr)
                return HTTP_INTERNAL_SERVER_ERROR;
            for (server_rec* server = servers; server != nullptr; server = server->next) {
                configuration_of(server).database = database;
                configuration_of(server).slots = slots;
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
                configuration_of(server).gate = &gate;
        },
        [&](const char* reason) {
            ap_log_error(APLOG_MARK, APLOG_EMERG, 0, servers, "UA0207: a child cannot start: %s",
                         reason);
        });
}

} // namespace

void register_service_hooks(apr_pool_t*) noexcept {
    // Rewrite rules of the server come first; what proxies or aliases the address comes after.
    static constexpr const char* before[] = {"mod_rewrite.c", nullptr};
    static constexpr const char* after[] = {"mod_proxy.c", "mod_alias.c", nullptr};
    ap_hook_check_config(check, nullptr, nullptr, APR_HOOK_MIDDLE);
    ap_hook_post_config(start, nullptr, nullptr, APR_HOOK_MIDDLE);
    ap_hook_child_init(start_child, nullptr, nullptr, APR_HOOK_MIDDLE);
    ap_hook_pre_translate_name(claim_encoded, nullptr, nullptr, APR_HOOK_REALLY_FIRST);
    ap_hook_translate_name(claim, before, after, APR_HOOK_FIRST);
    ap_hook_map_to_storage(httpd::keep_from_storage, nullptr, nullptr, APR_HOOK_REALLY_FIRST);
    ap_hook_handler(handle, nullptr, nullptr, APR_HOOK_REALLY_FIRST);
    ap_register_output_filter(envelope_filter, put_envelope, nullptr, AP_FTYPE_RESOURCE);
    ap_hook_insert_error_filter(insert_envelope, nullptr, nullptr, APR_HOOK_LAST);
}

} // namespace useradmin::service
