// mod_auth_useradmin's configuration: its directives, their defaults, their merge.
#pragma once

#include "httpd/database.hpp"
#include "httpd/httpd.hpp"
#include "httpd/tables.hpp"
#include "password/hash.hpp"
#include "sign_in/attempts.hpp"

#include <chrono>
#include <optional>
#include <type_traits>

namespace useradmin::auth {

/// What the directives say; what they leave unsaid is inherited. Nothing here has a destructor.
struct AuthConfiguration {
    std::optional<bool> enabled;
    const char* cookie = nullptr;
    std::optional<bool> bearer;
    std::optional<int> timeout;
    /// Signs the tokens; nullptr: they are not signed.
    const char* secret = nullptr;
    const httpd::Tables* tables = nullptr;
    std::optional<password::Format> password_hash;
    std::optional<bool> sign_in;
    /// The Location of `AuthUserAdminSignIn On`, without a slash at its end.
    const char* sign_in_base = nullptr;
    std::optional<sign_in::Limit> limit;

    // The defaults are applied where a value is read.
    bool is_enabled() const noexcept { return enabled.value_or(false); }
    const char* cookie_name() const noexcept {
        return cookie != nullptr ? cookie : "better-auth.session_token";
    }
    bool reads_bearer() const noexcept { return bearer.value_or(true); }
    /// The hash that stands in for one that is not there.
    password::Format hash_format() const noexcept {
        return password_hash.value_or(password::Format(password::Argon2id()));
    }
    bool signs_in() const noexcept { return sign_in.value_or(false) && sign_in_base != nullptr; }
    sign_in::Limit sign_in_limit() const noexcept { return limit.value_or(sign_in::Limit()); }
    std::chrono::milliseconds wait() const noexcept {
        return std::chrono::seconds(timeout.value_or(5));
    }
};
static_assert(std::is_trivially_destructible_v<AuthConfiguration>);

/// What belongs to a server as a whole.
struct AuthServerConfiguration {
    /// Whether AuthUserAdmin or AuthUserAdminSignIn is on anywhere in this server.
    bool is_used = false;
    // Filled in when the server has started: by post_config, and by each child for itself.
    void* slots = nullptr;
    void* attempts = nullptr;
    httpd::Gate* gate = nullptr;
    httpd::DatabaseModule database = {nullptr, nullptr};
};
static_assert(std::is_trivially_destructible_v<AuthServerConfiguration>);

extern const command_rec auth_directives[];

void* create_auth_configuration(apr_pool_t* pool, char* directory) noexcept;
void* merge_auth_configuration(apr_pool_t* pool, void* base, void* addition) noexcept;
void* create_auth_server_configuration(apr_pool_t* pool, server_rec* server) noexcept;

const AuthConfiguration& auth_configuration_of(const request_rec* request) noexcept;
AuthServerConfiguration& auth_configuration_of(const server_rec* server) noexcept;

} // namespace useradmin::auth
