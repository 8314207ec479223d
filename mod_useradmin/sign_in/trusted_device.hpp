// Devices that need no second factor, compatible with better-auth's twoFactor plugin.
#pragma once

#include "sign_in/service.hpp"

#include <string>
#include <string_view>

namespace useradmin::sign_in {

/// The verification row and the cookie that make a device trusted for 30 days. The references must
/// outlive the object.
class TrustedDevice {
  public:
    TrustedDevice(std::string_view user_id, const Service& service);

    /// Returns the row. Its views refer to this object.
    model::VerificationValue row() const;
    void add_cookie(http::Response& response) const;

  private:
    const Service& service_;
    std::string_view user_id_;
    std::string identifier_;
};

/// Returns whether the user may sign in on the client's device with only the password.
bool is_trusted_device(std::string_view user_id, const Client& client, const Service& service);

/// Trusts the client's device for another 30 days and adds the cookie. If this fails, the store
/// logs why and the next sign-in requires a code.
void renew_trust(http::Response& response, std::string_view user_id, const Client& client,
                 const Service& service);

} // namespace useradmin::sign_in
