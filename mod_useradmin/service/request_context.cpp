#include "service/request_context.hpp"

#include "httpd/response.hpp"
#include "service/caller.hpp"
#include "service/log_module.hpp"

#include <utility>

namespace useradmin::service {

namespace {

store::PluginPolicy plugin_policy(const ServiceSettings& settings) {
    return {settings.get<CleansUp>(), settings.get<MailCommandLine>() != nullptr};
}

} // namespace

RequestContext::RequestContext(request_rec* request)
    : request_(request), settings_(settings_of(request)),
      backend_(request, useradmin_module, backend_settings(settings_)),
      hasher_(backend_.settings().hash_format, backend_.slots()),
      operation_settings_(service::operation_settings(request, request->per_dir_config)),
      headers_(request),
      body_(request, backend_.log(), settings_.get<MaxBody>(), backend_.settings().body_timeout),
      caller_(read_caller(request, settings_, backend_.log())) {
    const StorageSetting storage = settings_.get<SecondaryStorage>();
    backend_.store().set_plugin_policy(plugin_policy(settings_));
    backend_.store().reject_revocations(storage.is_required &&
                                        has_failed(storage, request->server));
}

int RequestContext::send(http::Response response, httpd::Content content) {
    if (response.status == HTTP_UNAUTHORIZED && caller_)
        backend_.log().write_rejection(
            text::Level::warning,
            "UA0224: a change was rejected (401): the caller was deleted or banned", "");
    else if (response.status == HTTP_UNAUTHORIZED)
        log_missing_caller(request_, settings_, backend_.log());
    if (backend_.store().has_revoked() && response.status < 300 &&
        has_failed(settings_.get<SecondaryStorage>(), request_->server))
        response.headers.push_back({"Warning", failure_warning});
    backend_.finish_event();
    if (body_.has_sent_response())
        return AP_FILTER_ERROR;
    if (body_.has_unread_data())
        request_->connection->keepalive = AP_CONN_CLOSE;
    return httpd::send(request_, std::move(response), content);
}

} // namespace useradmin::service
