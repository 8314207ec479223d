// Sign-in through better-auth's endpoints. Independent of httpd and SQL.
#pragma once

#include "audit/event.hpp"
#include "crypto/signature.hpp"
#include "http/message.hpp"
#include "http/origin.hpp"
#include "sign_in/cookies.hpp"
#include "sign_in/credentials.hpp"
#include "store/store.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace useradmin::sign_in {

struct Client {
    std::string_view ip;
    /// Failed attempts are counted for this network.
    text::Network network;
    /// The session token in the request, or empty. Its signature has been verified.
    std::string_view token;
    /// Whether the dont_remember cookie was sent. If so, the session ends when the browser closes.
    bool has_dont_remember = false;
    /// The values of the two_factor and trust_device cookies, or empty. Their signatures have been
    /// verified.
    std::string_view challenge = {};
    std::string_view trusted_device = {};
};

struct Service {
    store::Store& store;
    CredentialVerifier& credentials;
    const Cookies& cookies;
    /// Trusted origins, in addition to the server's own.
    http::Origins trusted_origins = {};
    text::Timestamp now;
    /// Filled in before any change. handle_request() sets its status at the end.
    audit::Event& event;
    /// The maximum number of a user's active sessions. The oldest ones are ended first.
    std::int64_t max_sessions = 100;
    /// Whether impersonated sessions are rejected.
    bool rejects_impersonated = false;
    /// The application's secrets. Empty if second factors are not verified.
    crypto::SigningSecrets second_factor_secrets = {};
};

/// Handles a request below the base address.
http::Response handle_request(const http::Request& request, const Client& client,
                              const Service& service);

/// Returns the names of all endpoints, as used in metrics and in the audit log.
std::vector<std::string_view> operation_names();

/// Returns the name of the endpoint for a path below the base address, or an empty string if there
/// is none.
std::string_view operation_name(std::string_view path) noexcept;

} // namespace useradmin::sign_in
