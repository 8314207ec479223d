// Signing in, as better-auth's endpoints do it. Nothing here knows of httpd or of SQL.
#pragma once

#include "audit/event.hpp"
#include "http/message.hpp"
#include "http/origin.hpp"
#include "sign_in/cookies.hpp"
#include "sign_in/credentials.hpp"
#include "store/store.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace useradmin::sign_in {

/// Who sends a request, and what it carries.
struct Client {
    std::string_view ip;
    /// For which its attempts count.
    text::Network network;
    /// The session token that the request carries, its signature verified; empty: none.
    std::string_view token;
    /// Whether the request says that its session is not to be remembered.
    bool has_dont_remember = false;
};

/// What the endpoints work with.
struct Service {
    store::Store& store;
    CredentialVerifier& credentials;
    const Cookies& cookies;
    /// Whether tokens are read from `Authorization: Bearer` as well.
    bool takes_bearer = true;
    /// Whose pages may sign in and out, beside the server's own.
    http::Origins trusted_origins = {};
    text::Timestamp now;
    /// Filled in before anything is changed, its status at the end.
    audit::Event& event;
    /// How many live sessions a user keeps at most; the oldest end first.
    std::int64_t max_sessions = 100;
    /// Whether a session in which an administrator acts as the user is none.
    bool refuses_impersonated = false;
};

/// Answers a request under the base address.
http::Reply handle_request(const http::Request& request, const Client& client,
                           const Service& service);

/// What the endpoints are called where they are counted or told of.
std::span<const std::string_view> operation_names() noexcept;

/// Which of them a request is for, by its path below the base address; empty where it is for none.
std::string_view operation_name(std::string_view path) noexcept;

} // namespace useradmin::sign_in
