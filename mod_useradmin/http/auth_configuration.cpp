#include "http/auth_configuration.hpp"

#include "http/directive.hpp"
#include "http/inherit.hpp"

#include <algorithm>

extern module auth_useradmin_module;

namespace useradmin::http {

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
    return set_directive(command, [&]() -> const char* {
        if (!is_token(apr::view_of(name)))
            return refusal(command,
                           "must be the name of a cookie, such as better-auth.session_token");
        of(configuration).cookie = name;
        return nullptr;
    });
}

const char* set_bearer(cmd_parms*, void* configuration, int flag) noexcept {
    of(configuration).bearer = flag != 0;
    return nullptr;
}

const char* set_timeout(cmd_parms* command, void* configuration, const char* text) noexcept {
    return set_directive(command,
                         [&] { return set_seconds(command, of(configuration).timeout, text); });
}

} // namespace

const command_rec auth_directives[] = {
    AP_INIT_FLAG("AuthUserAdmin", set_enabled, nullptr, anywhere,
                 "On: find out from the session table who is calling"),
    AP_INIT_TAKE1("AuthUserAdminCookie", set_cookie, nullptr, anywhere,
                  "the name of the cookie that carries the session token"),
    AP_INIT_FLAG("AuthUserAdminBearer", set_bearer, nullptr, anywhere,
                 "On: a token in 'Authorization: Bearer' is read too"),
    AP_INIT_TAKE1("AuthUserAdminTimeout", set_timeout, nullptr, anywhere,
                  "how many seconds a request waits for a database connection"),
    {nullptr, {nullptr}, nullptr, 0, RAW_ARGS, nullptr}};

void* create_auth_configuration(apr_pool_t* pool, char*) noexcept {
    return &apr::emplace<AuthConfiguration>(pool);
}

void* merge_auth_configuration(apr_pool_t* pool, void* base, void* addition) noexcept {
    AuthConfiguration& merged = apr::emplace<AuthConfiguration>(pool, of(addition));
    const AuthConfiguration& inherited = of(base);
    inherit(merged.enabled, inherited.enabled);
    inherit(merged.cookie, inherited.cookie);
    inherit(merged.bearer, inherited.bearer);
    inherit(merged.timeout, inherited.timeout);
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

} // namespace useradmin::http
