#include "api/columns.hpp"
#include "apr/pool.hpp"
#include "console/page.hpp"
#include "httpd/auth_information.hpp"
#include "httpd/request_log.hpp"
#include "httpd/response.hpp"
#include "service/caller.hpp"
#include "service/configuration.hpp"
#include "service/log_module.hpp"
#include "service/page.hpp"
#include "json/writer.hpp"

#include <memory>
#include <utility>

namespace useradmin::service {

namespace {

/// Percent-encodes the path for links and requests.
std::string_view encoded(apr_pool_t* pool, const char* path) {
    return apr::view_of(ap_os_escape_path(pool, path, 1));
}

console::PageSettings console_settings(request_rec* request, const ServiceOfPage& service) {
    console::PageSettings settings;
    const ServiceSettings& own = settings_of(request);
    settings.base = encoded(request->pool, service.base);
    settings.sign_in_page = apr::view_of(own.get<ConsoleSignIn>());
    if (settings.sign_in_page.empty())
        if (const char* address = httpd::sign_in_address(request))
            settings.sign_in = encoded(request->pool, address);
    settings.title = apr::view_of(own.get<ConsoleTitle>());
    settings.logo = apr::view_of(own.get<ConsoleLogo>());
    settings.accent = own.get<ConsoleAccent>();
    settings.max_limit = service.settings.get<MaxLimit>();
    settings.has_extras = service.settings.get<HasExtras>();
    settings.has_history = httpd::descriptor_of(service.settings.get<httpd::AuditLogTarget>()) >= 0;
    const api::OperationSettings rules = operation_settings(request, service.configuration);
    settings.ends_sessions = rules.ends_sessions;
    const bool sends_verification = api::offers_link(mail::Kind::verify_email, rules);
    if (api::offers_link(mail::Kind::set_password, rules))
        settings.links = sends_verification ? "password verification" : "password";
    else if (sends_verification)
        settings.links = "verification";
    settings.application_cache = service.settings.get<ApplicationCache>();
    return settings;
}

/// The caller according to the service's own configuration, and the subrequest's status.
struct ConsoleCaller {
    int status;
    std::optional<api::Caller> caller;
};
/// Looks up the base address in a subrequest. httpd runs all phases before the handler, including
/// authentication.
ConsoleCaller console_caller_of(request_rec* request, const ServiceOfPage& service) {
    const std::unique_ptr<request_rec, decltype(&ap_destroy_sub_req)> call(
        ap_sub_req_lookup_uri(
            apr_pstrcat(request->pool, encoded(request->pool, service.base).data(), "/", nullptr),
            request, nullptr),
        ap_destroy_sub_req);
    httpd::RequestLog log(request, useradmin_module,
                          *server_configuration_of(request->server).log_throttle);
    ConsoleCaller visitor = {call->status, read_caller(call.get(), service.settings, log)};
    if (!visitor.caller && !ap_is_HTTP_SERVER_ERROR(visitor.status))
        log_missing_caller(call.get(), service.settings, log);
    if (visitor.caller)
        for (std::string_view* text :
             {&visitor.caller->id, &visitor.caller->roles, &visitor.caller->impersonated_by})
            *text = apr::copy_view(request->pool, *text);
    return visitor;
}

/// Writes the names and types of the extra columns that superAdmins can see. Returns false if the
/// database catalog could not be read.
bool write_columns(request_rec* request, const ServiceOfPage& service, json::Writer& writer) {
    const api::OperationSettings rules = operation_settings(request, service.configuration);
    if (!api::has_readable_columns(rules))
        return true;
    httpd::RequestBackend backend(request, useradmin_module, backend_settings(service.settings));
    const auto columns = backend.store().extra_columns();
    if (!columns)
        return false;
    writer.key("columns").begin_array();
    for (const store::ExtraColumn& column : *columns) {
        if (!api::may_read_column(rules, column.name))
            continue;
        writer.begin_object().key("name").string(column.name);
        writer.key("type").string(api::text_of(column.kind));
        writer.key("nullable").boolean(column.is_nullable);
        writer.key("editable").boolean(api::may_change_column(rules, column)).end_object();
    }
    writer.end_array();
    return true;
}

/// Sends {"id":"…","role":"…"} or null. Administrators also get the settings that apply to them.
int send_caller(request_rec* request, const ServiceOfPage& service) {
    const ConsoleCaller visitor = console_caller_of(request, service);
    if (ap_is_HTTP_SERVER_ERROR(visitor.status))
        return visitor.status;
    http::Response response;
    json::Writer writer(response.body);
    if (!visitor.caller) {
        writer.null();
        return httpd::send(request, std::move(response));
    }
    const api::Role role = visitor.caller->role();
    writer.begin_object().key("id").string(visitor.caller->id);
    writer.key("role").string(api::text_of(role));
    if (role == api::Role::super_admin) {
        writer.key("protectedEmail").string(protected_email_of(request, service.settings));
        writer.key("lowersEmail").boolean(service.settings.get<LowersEmail>());
        if (!write_columns(request, service, writer))
            return HTTP_SERVICE_UNAVAILABLE;
    } else if (role == api::Role::admin) {
        writer.key("rank").boolean(service.settings.get<GuardWords>().rank);
    }
    writer.end_object();
    return httpd::send(request, std::move(response));
}

int send_page(request_rec* request, const ServiceOfPage& service) {
    console::Page page = console::make_page(console_settings(request, service));
    return send_if_modified(request,
                            {HTTP_OK,
                             std::move(page.html),
                             {{"Content-Type", "text/html; charset=utf-8"},
                              {"Cache-Control", "no-cache"},
                              {"Content-Security-Policy", std::move(page.policy)},
                              {"Referrer-Policy", "no-referrer"},
                              {"Cross-Origin-Opener-Policy", "same-origin"},
                              {"Cross-Origin-Resource-Policy", "same-origin"}}},
                            page.tag);
}

} // namespace

int handle_console(request_rec* request) {
    if (const std::optional<int> result = httpd::reject_unless_get(request))
        return *result;
    const std::optional<ServiceOfPage> service = service_of_page(request);
    if (!service)
        return HTTP_INTERNAL_SERVER_ERROR;
    return apr::view_of(request->args) == "caller" ? send_caller(request, *service)
                                                   : send_page(request, *service);
}

} // namespace useradmin::service
