// The context of a request to the service's own API or to better-auth's endpoints.
#pragma once

#include "api/service.hpp"
#include "httpd/backend.hpp"
#include "httpd/body.hpp"
#include "httpd/headers.hpp"
#include "httpd/response.hpp"
#include "password/hasher.hpp"
#include "service/configuration.hpp"

#include <optional>

namespace useradmin::service {

class RequestContext {
  public:
    explicit RequestContext(request_rec* request);

    const ServiceSettings& settings() const noexcept { return settings_; }
    const api::OperationSettings& operation_settings() const noexcept {
        return operation_settings_;
    }
    const std::optional<api::Caller>& caller() const noexcept { return caller_; }
    httpd::RequestBackend& backend() noexcept { return backend_; }
    store::Store& store() noexcept { return backend_.store(); }
    password::Hasher& hasher() noexcept { return hasher_; }
    const http::Headers& headers() const noexcept { return headers_; }
    http::BodySource& body() noexcept { return body_; }

    /// Logs the event and sends the response. Returns the handler's result.
    int send(http::Response response, httpd::Content content = httpd::Content::plain);

  private:
    request_rec* request_;
    const ServiceSettings& settings_;
    httpd::RequestBackend backend_;
    password::BoundedHasher hasher_;
    api::OperationSettings operation_settings_;
    httpd::RequestHeaders headers_;
    httpd::RequestBody body_;
    std::optional<api::Caller> caller_;
};

} // namespace useradmin::service
