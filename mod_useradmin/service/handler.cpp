#include "service/handler.hpp"

#include "apr/guard.hpp"
#include "apr/pool.hpp"
#include "httpd/auth_information.hpp"
#include "httpd/backend.hpp"
#include "httpd/body_timeout.hpp"
#include "httpd/location.hpp"
#include "httpd/monitoring.hpp"
#include "httpd/response.hpp"
#include "mail/command.hpp"
#include "service/better_auth.hpp"
#include "service/caller.hpp"
#include "service/configuration.hpp"
#include "service/configuration_check.hpp"
#include "service/error_envelope.hpp"
#include "service/log_module.hpp"
#include "service/page.hpp"
#include "service/request_context.hpp"

namespace useradmin::service {

namespace {

bool is_enabled(const ServiceSettings& settings) noexcept {
    return settings.get<ServiceBase>().is_on;
}

/// Returns whether the service handles the request. If sign-in has a longer base address, the auth
/// module handles the request.
bool is_for_service(const request_rec* request) noexcept {
    const httpd::Base base = settings_of(request).get<ServiceBase>();
    return base.is_on && apr::view_of(base.path).size() >=
                             httpd::token_settings(request->per_dir_config).sign_in_base.size();
}

int handle_request(request_rec* request) {
    RequestContext context(request);
    const char* const base = context.settings().get<ServiceBase>().path;
    mail::CommandMailer mailer(context.settings().get<MailCommandLine>(),
                               context.backend().settings().timeout, context.backend().log());
    return context.send(api::handle_request(
        {.method = request->method,
         .path = httpd::path_below(request, base),
         .query = apr::view_of(request->args),
         .headers = context.headers(),
         .body = context.body(),
         .base = apr::view_of(base)},
        context.caller(),
        {.store = context.store(),
         .hasher = context.hasher(),
         .settings = context.operation_settings(),
         .audit_log = httpd::descriptor_of(context.settings().get<httpd::AuditLogTarget>()),
         .mailer = &mailer,
         .next_event = [&] { context.backend().next_event(); }},
        context.backend().event()));
}

int handle(request_rec* request) noexcept {
    return apr::guarded(
        [&] {
            // The response to the failed request takes precedence over the ErrorDocument.
            if (request->prev != nullptr)
                if (auto response = error_response(request->prev))
                    return httpd::send(request, *std::move(response));
            if (is_page_request(request))
                return handle_page(request);
            if (const admin::Endpoint* const endpoint = better_auth_endpoint(request))
                return handle_better_auth(request, *endpoint);
            return is_for_service(request) ? handle_request(request) : DECLINED;
        },
        [&](const char* reason) {
            return httpd::log_failed_request(request, useradmin_module, reason);
        });
}

httpd::BackendSettings request_backend_settings(const request_rec* request) {
    return backend_settings(settings_of(request));
}

/// Returns the base address of a finished request, or nullptr. An error may have occurred before
/// httpd found the Location.
const char* base_of_finished(request_rec* request) noexcept {
    const httpd::Base base = settings_of(request).get<ServiceBase>();
    if (base.is_on)
        return is_for_service(request) ? base.path : nullptr;
    return ap_is_HTTP_ERROR(request->status) ? base_of(request) : nullptr;
}

int count_request(request_rec* first) noexcept {
    for (request_rec* request = first; request != nullptr; request = request->next) {
        if (const admin::Endpoint* const endpoint = better_auth_endpoint(request)) {
            if (is_handled(request, *endpoint))
                httpd::count_request(first, server_configuration_of(request->server),
                                     admin::operation_name(*endpoint));
            break;
        }
        const char* const base = base_of_finished(request);
        if (base == nullptr || is_page_request(request))
            continue;
        httpd::count_request(first, server_configuration_of(request->server),
                             api::operation_name(original_method(request),
                                                 httpd::path_below(request, base),
                                                 settings_of(request).get<HasExtras>()));
        break;
    }
    return DECLINED;
}

int keep_endpoint_errors(request_rec* request) noexcept {
    if (better_auth_endpoint(request) != nullptr)
        httpd::ignore_error_documents(request);
    return DECLINED;
}

int claim_request(request_rec* request) noexcept {
    const httpd::Base base = settings_of(request).get<ServiceBase>();
    return base.is_on ? httpd::claim_request(request, base.path) : DECLINED;
}

void insert_envelope(request_rec* request) noexcept {
    if (ap_is_HTTP_ERROR(request->status))
        ap_add_output_filter(envelope_filter, request, request, request->connection);
}

/// Also runs for `apachectl configtest`.
int check(apr_pool_t* pool, apr_pool_t*, apr_pool_t*, server_rec* servers) noexcept {
    return apr::guarded(
        [&] {
            if (has_better_auth_endpoints(pool) &&
                !httpd::check_database(useradmin_module, "SetHandler useradmin-better-auth"))
                return HTTP_INTERNAL_SERVER_ERROR;
            for (const server_rec* server = servers; server != nullptr; server = server->next) {
                if (!bases_of(server).empty() &&
                    !httpd::check_database(useradmin_module, "UserAdmin"))
                    return HTTP_INTERNAL_SERVER_ERROR;
                for (const char* const base : bases_of(server)) {
                    const ap_conf_vector_t* const configuration =
                        httpd::configuration_at(pool, server, base);
                    if (!is_enabled(settings_of(configuration)))
                        continue;
                    if (const char* const problem = mail_configuration_error(configuration)) {
                        ap_log_error(APLOG_MARK, APLOG_EMERG, 0, servers, "UA0230: %s: %s",
                                     httpd::location_text(base).c_str(), problem);
                        return HTTP_INTERNAL_SERVER_ERROR;
                    }
                }
                if (const char* const missing = missing_delivery_requirement(pool, server)) {
                    ap_log_error(APLOG_MARK, APLOG_EMERG, 0, servers,
                                 "UA0221: UserAdminSecondaryStorage: %s", missing);
                    return HTTP_INTERNAL_SERVER_ERROR;
                }
            }
            warn_of_mistakes(pool, servers);
            return OK;
        },
        [&](const char* reason) {
            ap_log_error(APLOG_MARK, APLOG_EMERG, 0, servers,
                         "UA0211: cannot check the configuration: %s", reason);
            return HTTP_INTERNAL_SERVER_ERROR;
        });
}

int start(apr_pool_t* pool, apr_pool_t*, apr_pool_t*, server_rec* servers) noexcept {
    return httpd::start(
        pool, servers, useradmin_module, httpd::hash_limits(settings_of(servers)),
        [&](httpd::MetricsRegistry& metrics) {
            metrics.add_operations(api::operation_names());
            metrics.add_operations(admin::operation_names());
            start_deliveries(pool, servers);
        });
}

void start_child(apr_pool_t* pool, server_rec* servers) noexcept {
    httpd::start_child(pool, servers, useradmin_module);
    stop_deliveries_at_exit(pool, servers);
}

} // namespace

void register_service_hooks(apr_pool_t*) noexcept {
    ap_hook_check_config(check, nullptr, nullptr, APR_HOOK_MIDDLE);
    ap_hook_post_config(start, nullptr, nullptr, APR_HOOK_MIDDLE);
    ap_hook_child_init(start_child, nullptr, httpd::before_connections, APR_HOOK_MIDDLE);
    httpd::register_body_timeout();
    httpd::register_location(claim_request);
    ap_hook_post_perdir_config(keep_endpoint_errors, nullptr, nullptr, APR_HOOK_MIDDLE);
    ap_hook_fixups(keep_caller_notes, nullptr, nullptr, APR_HOOK_REALLY_LAST);
    ap_hook_handler(handle, nullptr, nullptr, APR_HOOK_REALLY_FIRST);
    httpd::register_monitoring<useradmin_module, request_backend_settings>();
    ap_hook_log_transaction(count_request, nullptr, nullptr, APR_HOOK_MIDDLE);
    ap_register_output_filter(envelope_filter, envelope_output_filter, nullptr, AP_FTYPE_RESOURCE);
    ap_hook_insert_error_filter(insert_envelope, nullptr, nullptr, APR_HOOK_LAST);
}

} // namespace useradmin::service
