// Sign-in with better-auth's endpoints. Independent of httpd and SQL.
#pragma once

#include "audit/event.hpp"
#include "crypto/signature.hpp"
#include "http/message.hpp"
#include "http/origin.hpp"
#include "sign_in/cookies.hpp"
#include "sign_in/credentials.hpp"
#include "store/store.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace useradmin::sign_in {

struct Client {
    std::string_view ip;
    /// The network for which failed attempts count.
    text::Network network;
    /// The request's session token with a verified signature; empty if there is none.
    std::string_view token;
    /// Whether the cookies mark the session as not remembered.
    bool has_dont_remember = false;
    /// The values of the cookies two_factor and trust_device with a verified signature, or empty.
    std::string_view challenge = {};
    std::string_view trusted_device = {};
};

/// The dependencies of the endpoints.
struct Service {
    store::Store& store;
    CredentialVerifier& credentials;
    const Cookies& cookies;
    /// Whether `Authorization: Bearer` is also accepted.
    bool takes_bearer = true;
    /// Trusted origins in addition to the server's own.
    http::Origins trusted_origins = {};
    text::Timestamp now;
    /// Filled in before any change. Its status is set at the end.
    audit::Event& event;
    /// The maximum number of live sessions of a user. The oldest end first.
    std::int64_t max_sessions = 100;
    /// Whether impersonated sessions are rejected.
    bool refuses_impersonated = false;
    /// The application's secrets if second factors are verified; otherwise empty.
    crypto::SigningSecrets second_factor_secrets = {};
};

/// Handles a request below the base address.
http::Reply handle_request(const http::Request& request, const Client& client,
                           const Service& service);

/// Returns the names of the endpoints for metrics and the audit log.
std::span<const std::string_view> operation_names() noexcept;

/// Returns the name of the endpoint for a path below the base address, or an empty string.
std::string_view operation_name(std::string_view path) noexcept;

} // namespace useradmin::sign_in
