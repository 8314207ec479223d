// Whether an address and a password are those of a user, asked for one request.
#pragma once

#include "auth/configuration.hpp"
#include "httpd/backend.hpp"
#include "sign_in/credentials.hpp"

#include <string_view>

namespace useradmin::auth {

/// What signing in works with. Lives for one request.
class RequestVerifier final {
  public:
    explicit RequestVerifier(request_rec* request);

    httpd::RequestBackend& backend() noexcept { return backend_; }
    sign_in::CredentialVerifier& credentials() noexcept { return credentials_; }

  private:
    RequestVerifier(request_rec* request, const Settings& settings);

    httpd::RequestBackend backend_;
    sign_in::HashWork work_;
    sign_in::BoundedPasswordVerifier passwords_;
    sign_in::CredentialVerifier credentials_;
};

/// What the failed attempts of a request's client count for: its IPv4 address, or the /64 network
/// of its IPv6 address, since each of those is one customer's. Lives as long as the request.
std::string_view counted_address(const request_rec* request) noexcept;

} // namespace useradmin::auth
