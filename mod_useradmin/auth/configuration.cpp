#include "auth/configuration.hpp"

#include "httpd/base.hpp"
#include "httpd/directive.hpp"
#include "httpd/inherit.hpp"
#include "httpd/password_hash.hpp"
#include "secret/source.hpp"

#include <algorithm>
#include <string>

extern module auth_useradmin_module;

namespace useradmin::auth {

namespace {

AuthConfiguration& of(void* configuration) {
    return *static_cast<AuthConfiguration*>(configuration);
}

const char* set_enabled(cmd_parms* command, void* configuration, int flag) noexcept {
    of(configuration).enabled = flag != 0;
    if (flag != 0)
        auth_configuration_of(command->server).is_used = true;
    return nullptr;
}

/// RFC 6265: a cookie's name is a token.
bool is_token(std::string_view name) {
    constexpr std::string_view separators = "()<>@,;:\\\"/[]?={} \t";
    return !name.empty() && std::all_of(name.begin(), name.end(), [&](char character) {
        return character > ' ' && character < 0x7f && separators.find(character) == separators.npos;
    });
}

const char* set_cookie(cmd_parms* command, void* configuration, const char* name) noexcept {
    return httpd::set_directive(
        command,
        [&]() -> const char* {
            if (!is_token(apr::view_of(name)))
                return httpd::refusal(
                    command, "must be the name of a cookie, such as better-auth.session_token");
            of(configuration).cookie = name;
            return nullptr;
        });
}

const char* set_bearer(cmd_parms*, void* configuration, int flag) noexcept {
    of(configuration).bearer = flag != 0;
    return nullptr;
}

const char* set_timeout(cmd_parms* command, void* configuration, const char* text) noexcept {
    return httpd::set_directive(
        command, [&] { return httpd::set_seconds(command, of(configuration).timeout, text); });
}

const char* set_secret(cmd_parms* command, void* configuration, const char* source) noexcept {
    return httpd::set_directive(
        command,
        [&]() -> const char* {
            const auto read = secret::read_source(
                apr::view_of(source), apr::view_of(ap_server_root_relative(command->pool, "")));
            if (const auto* problem = std::get_if<std::string>(&read))
                return httpd::refusal(command, problem->c_str());
            of(configuration).secret =
                apr::terminated(command->pool, std::get<secret::SourcedSecret>(read).secret.view());
            return nullptr;
        });
}

const char* set_auth_tables(cmd_parms* command, void* configuration, const char* user,
                            const char* session, const char* account) noexcept {
    return httpd::set_directive(
        command,
        [&] {
            return httpd::set_tables(command, of(configuration).tables, "auth_useradmin", user,
                                     session, account);
        });
}

const char* set_auth_hash(cmd_parms* command, void* configuration, int count,
                          char* const words[]) noexcept {
    return httpd::set_directive(
        command,
        [&] {
            return httpd::set_password_hash(command, of(configuration).password_hash, count, words);
        });
}

const char* set_sign_in(cmd_parms* command, void* configuration, int flag) noexcept {
    return httpd::set_directive(
        command,
        [&]() -> const char* {
            const char* problem = nullptr;
            const char* base = httpd::location_of(command, "/api/auth", problem);
            if (base == nullptr)
                return httpd::refusal(command, problem);
            of(configuration).sign_in = flag != 0;
            of(configuration).sign_in_base = base;
            if (flag != 0)
                auth_configuration_of(command->server).is_used = true;
            return nullptr;
        });
}

const char* set_sign_in_limit(cmd_parms* command, void* configuration, const char* attempts,
                              const char* seconds) noexcept {
    return httpd::set_directive(
        command,
        [&]() -> const char* {
            const std::optional<long> most = httpd::number_within(attempts, 1, 1000000);
            const std::optional<long> window = seconds != nullptr
                                                   ? httpd::number_within(seconds, 1, 86400)
                                                   : std::optional<long>(60);
            if (!most || !window)
                return httpd::refusal(
                    command, "must be how many attempts may fail (1 to 1000000) and, if not "
                             "60, within how many seconds (1 to 86400)");
            of(configuration).limit =
                sign_in::Limit{static_cast<unsigned>(*most), std::chrono::seconds(*window)};
            return nullptr;
        });
}

} // namespace

const command_rec auth_directives[] = {
    AP_INIT_FLAG("AuthUserAdmin", set_enabled, nullptr, httpd::anywhere,
                 "On: find out from the session table who is calling"),
    AP_INIT_TAKE1("AuthUserAdminCookie", set_cookie, nullptr, httpd::anywhere,
                  "the name of the cookie that carries the session token"),
    AP_INIT_FLAG("AuthUserAdminBearer", set_bearer, nullptr, httpd::anywhere,
                 "On: a token in 'Authorization: Bearer' is read too"),
    AP_INIT_TAKE1("AuthUserAdminTimeout", set_timeout, nullptr, httpd::anywhere,
                  "how many seconds a request waits for a database connection or to hash"),
    AP_INIT_TAKE1("AuthUserAdminSecret", set_secret, nullptr, httpd::anywhere,
                  "the secret that signs the tokens: text, file:path or env:NAME"),
    AP_INIT_TAKE3("UserAdminTables", set_auth_tables, nullptr, httpd::anywhere,
                  "the names of the user, session and account tables"),
    AP_INIT_TAKE_ARGV("UserAdminPasswordHash", set_auth_hash, nullptr, httpd::anywhere,
                      "argon2id [m=KiB] [t=N] [p=N], or scrypt"),
    AP_INIT_FLAG(
        "AuthUserAdminSignIn", set_sign_in, nullptr, httpd::anywhere,
        "On: this Location is the base address of sign-in/email, sign-out and get-session"),
    AP_INIT_TAKE12("AuthUserAdminSignInLimit", set_sign_in_limit, nullptr, httpd::anywhere,
                   "how many attempts to sign in may fail for an account, three times as many for "
                   "an address [, within how many seconds]"),
    {nullptr, {nullptr}, nullptr, 0, RAW_ARGS, nullptr}};

void* create_auth_configuration(apr_pool_t* pool, char*) noexcept {
    return &apr::emplace<AuthConfiguration>(pool);
}

void* merge_auth_configuration(apr_pool_t* pool, void* base, void* addition) noexcept {
    AuthConfiguration& merged = apr::emplace<AuthConfiguration>(pool, of(addition));
    const AuthConfiguration& inherited = of(base);
    httpd::inherit(merged.enabled, inherited.enabled);
    httpd::inherit(merged.cookie, inherited.cookie);
    httpd::inherit(merged.bearer, inherited.bearer);
    httpd::inherit(merged.timeout, inherited.timeout);
    httpd::inherit(merged.secret, inherited.secret);
    httpd::inherit(merged.tables, inherited.tables);
    httpd::inherit(merged.password_hash, inherited.password_hash);
    httpd::inherit(merged.sign_in, inherited.sign_in);
    httpd::inherit(merged.sign_in_base, inherited.sign_in_base);
    httpd::inherit(merged.limit, inherited.limit);
    return &merged;
}

void* create_auth_server_configuration(apr_pool_t* pool, server_rec*) noexcept {
    return &apr::emplace<AuthServerConfiguration>(pool);
}

const AuthConfiguration& auth_configuration_of(const request_rec* request) noexcept {
    return *static_cast<const AuthConfiguration*>(
        ap_get_module_config(request->per_dir_config, &auth_useradmin_module));
}

AuthServerConfiguration& auth_configuration_of(const server_rec* server) noexcept {
    return *static_cast<AuthServerConfiguration*>(
        ap_get_module_config(server->module_config, &auth_useradmin_module));
}

} // namespace useradmin::auth
