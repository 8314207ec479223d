#pragma once

#include "auth/configuration.hpp"
#include "httpd/backend.hpp"
#include "sign_in/credentials.hpp"

namespace useradmin::auth {

/// Creates a CredentialVerifier for one request and owns its dependencies.
class RequestVerifier final {
  public:
    explicit RequestVerifier(request_rec* request);

    httpd::RequestBackend& backend() noexcept { return backend_; }
    sign_in::CredentialVerifier& credentials() noexcept { return credentials_; }

  private:
    httpd::RequestBackend backend_;
    sign_in::BoundedPasswordVerifier passwords_;
    sign_in::CredentialVerifier credentials_;
};

} // namespace useradmin::auth
