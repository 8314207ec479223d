// The interface for mailing links.
#pragma once

#include "mail/templates.hpp"

#include <cstdint>
#include <string_view>

namespace useradmin::mail {

/// The settings of UserAdminMailCommand and the other directives for mailed links.
struct Settings {
    std::string_view from = {};
    std::string_view from_name = {};
    /// The URL of the page where a user sets a password, with token_placeholder in place of the
    /// token. Empty if no password links are sent.
    std::string_view password_link = {};
    /// The URL that verifies an address, with token_placeholder in place of the token. Empty if no
    /// verification links are sent.
    std::string_view verify_link = {};
    const Templates* templates = &default_templates;
    /// The maximum number of messages per hour.
    std::int64_t limit = 100;
    /// The application's secret, which signs the tokens of verify_link.
    std::string_view secret = {};
};

class Mailer {
  public:
    virtual ~Mailer() = default;
    /// Sends a message from format(). On failure, logs the cause and returns false.
    virtual bool send(std::string_view message) = 0;
};

} // namespace useradmin::mail
