#pragma once

#include "auth/log_module.hpp"
#include "crypto/signature.hpp"
#include "httpd/backend.hpp"
#include "httpd/directives.hpp"
#include "httpd/httpd.hpp"
#include "httpd/location.hpp"
#include "password/attempt_limiter.hpp"
#include "sign_in/credentials.hpp"
#include "sign_in/observed_formats.hpp"

#include <chrono>
#include <tuple>
#include <type_traits>

namespace useradmin::auth {

/// The value of `AuthUserAdminSecret`.
struct Signing {
    /// If empty, tokens are not signed and signatures are ignored.
    crypto::SigningSecrets secrets;
    /// A digest that identifies the secrets without revealing them.
    const char* label = "";
};

const char* read_enabled(const httpd::ConfigLine& line, bool& is_enabled);
const char* read_cookie(const httpd::ConfigLine& line, const char*& name);
const char* read_secrets(const httpd::ConfigLine& line, Signing& signing);
const char* read_base(const httpd::ConfigLine& line, httpd::Base& base);
const char* read_second_factor(const httpd::ConfigLine& line, sign_in::SecondFactor& mode);
const char* read_limit(const httpd::ConfigLine& line, password::AttemptLimit& limit);

inline constexpr auto directives = std::tuple_cat(
    httpd::backend_directives("AuthUserAdminTimeout", "auth_useradmin", "auth_useradmin_keys"),
    std::tuple{
        httpd::directive<struct Enabled>(
            "AuthUserAdmin", FLAG, httpd::except_htaccess,
            "whether to authenticate callers against the session table", false, read_enabled),
        httpd::directive<struct CookieName>("AuthUserAdminCookie", TAKE1, httpd::except_htaccess,
                                            "the name of the cookie that carries the session token",
                                            static_cast<const char*>("better-auth.session_token"),
                                            read_cookie),
        httpd::directive<struct ReadsBearer>(
            "AuthUserAdminBearer", FLAG, httpd::except_htaccess,
            "whether to also accept a token in 'Authorization: Bearer'", true,
            httpd::SwitchReader()),
        httpd::directive<struct ReadsApiKeys>(
            "AuthUserAdminApiKey", FLAG, httpd::except_htaccess,
            "whether an API key of the application authenticates its owner", false,
            httpd::SwitchReader()),
        httpd::directive<struct SessionAge>("AuthUserAdminCache", TAKE1, httpd::except_htaccess,
                                            "how many seconds a session is cached",
                                            std::chrono::seconds(0),
                                            httpd::NumberReader{"a number of seconds", 0, 3600}),
        httpd::directive<struct SigningSecrets>(
            "AuthUserAdminSecret", TAKE_ARGV, httpd::except_htaccess,
            "the secret that signs tokens: text, file:path or env:NAME [other secrets to accept]",
            Signing(), read_secrets),
        httpd::directive<struct SignInBase>("AuthUserAdminSignIn", FLAG, httpd::except_htaccess,
                                            "whether this Location is the base address of "
                                            "sign-in/email, two-factor, sign-out and get-session",
                                            httpd::Base(), read_base),
        httpd::directive<struct MaxSessions>(
            "AuthUserAdminMaxSessions", TAKE1, httpd::except_htaccess,
            "the maximum number of sessions per user; a further sign-in ends the oldest session",
            100, httpd::NumberReader{"an integer", 1, 100000}),
        httpd::directive<struct SignInLimit>(
            "AuthUserAdminSignInLimit", TAKE123, httpd::except_htaccess,
            "the number of failed sign-in attempts allowed for an account from a client "
            "address [period in seconds [shared]]",
            password::AttemptLimit(), read_limit),
        httpd::directive<struct SecondFactorMode>(
            "AuthUserAdminSecondFactor", TAKE1, httpd::except_htaccess,
            "sign-in with a second factor: verify (requires a code), refuse, or "
            "ignore (password alone)",
            sign_in::SecondFactor::verified, read_second_factor),
        // false means "allow".
        httpd::directive<struct RejectsImpersonated>(
            "AuthUserAdminImpersonated", TAKE1, httpd::except_htaccess,
            "whether to accept a session in which an administrator impersonates its user: allow or "
            "refuse",
            false, httpd::ChoiceReader{"allow", "refuse"}),
    });

/// The directives in effect for a Location or a server.
using AuthSettings = httpd::DirectiveSettings<directives>;

struct ServerConfiguration : httpd::Backend {
    /// Whether AuthUserAdmin or AuthUserAdminSignIn is on anywhere in this server.
    bool is_used = false;
    /// Set in each child, nullptr in the parent.
    sign_in::ObservedFormats* formats = nullptr;
};
static_assert(std::is_trivially_destructible_v<ServerConfiguration>);

void* create_server_configuration(apr_pool_t* pool, server_rec* server) noexcept;
void* merge_server_configuration(apr_pool_t* pool, void* base, void* addition) noexcept;

inline constexpr httpd::SettingsOf<directives, auth_useradmin_module> settings_of;
ServerConfiguration& server_configuration_of(const server_rec* server) noexcept;

} // namespace useradmin::auth
