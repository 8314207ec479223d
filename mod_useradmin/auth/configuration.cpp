#include "auth/configuration.hpp"

#include "apr/pool.hpp"
#include "crypto/sha256.hpp"
#include "crypto/source.hpp"
#include "text/number.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

namespace useradmin::auth {

namespace {

/// A cookie's name is a token (RFC 6265).
bool is_token(std::string_view name) {
    constexpr std::string_view separators = "()<>@,;:\\\"/[]?={} \t";
    return !name.empty() && std::ranges::all_of(name, [&](char character) {
        return character > ' ' && character < 0x7f && separators.find(character) == separators.npos;
    });
}

void warn_of(const crypto::LoadedSecret& sourced, const httpd::ConfigLine& line) {
    httpd::warn_of_source(line, auth_useradmin_module, sourced);
    if (sourced.is_short())
        httpd::warn(*line.command->directive, auth_useradmin_module,
                    "UA0313: a secret in AuthUserAdminSecret is shorter than " +
                        std::to_string(crypto::min_secret_length) +
                        " bytes and can be guessed; use a longer one, both here and in the "
                        "application");
}

} // namespace

const char* read_enabled(const httpd::ConfigLine& line, bool& is_enabled) {
    is_enabled = line.is_on;
    if (is_enabled)
        server_configuration_of(line.command->server).is_used = true;
    return nullptr;
}

const char* read_cookie(const httpd::ConfigLine& line, const char*& name) {
    if (!is_token(line.arguments[0]))
        return "must be the name of a cookie, such as better-auth.session_token";
    name = line.copy(line.arguments[0]);
    return nullptr;
}

const char* read_secrets(const httpd::ConfigLine& line, Signing& signing) {
    constexpr std::size_t max_secrets = crypto::max_signing_secrets;
    if (line.arguments.empty() || line.arguments.size() > max_secrets)
        return line.copy(
            "must be the application's secret (file:path, env:NAME or the text itself) "
            "and, during a rotation, at most " +
            std::to_string(max_secrets - 1) + " more secrets (file:path or env:NAME) to accept");
    const auto folder = apr::view_of(ap_server_root_relative(line.pool(), ""));
    auto& secrets = apr::emplace<std::array<std::string_view, max_secrets>>(line.pool());
    for (std::size_t index = 0; index < line.arguments.size(); ++index) {
        const auto read = crypto::load_secret(line.arguments[index], folder);
        if (const auto* problem = std::get_if<std::string>(&read))
            return line.copy(*problem);
        const auto& sourced = std::get<crypto::LoadedSecret>(read);
        // An unquoted secret with spaces would be read as several secrets.
        if (sourced.is_inline && line.arguments.size() > 1)
            return "with several secrets, each must be file:path or env:NAME; quote a secret that "
                   "contains spaces";
        warn_of(sourced, line);
        secrets[index] = line.copy(sourced.secret.view());
    }
    signing = {std::span(secrets).first(line.arguments.size()),
               apr::copy_c_string(line.pool(), crypto::hex(crypto::digest(secrets)))};
    return nullptr;
}

const char* read_base(const httpd::ConfigLine& line, httpd::Base& base) {
    const char* const problem = httpd::read_base(line, "/api/auth", base);
    if (problem == nullptr && base.is_on)
        server_configuration_of(line.command->server).is_used = true;
    return problem;
}

const char* read_second_factor(const httpd::ConfigLine& line, sign_in::SecondFactor& mode) {
    using sign_in::SecondFactor;
    const std::string_view word = line.arguments[0];
    if (word != "verify" && word != "refuse" && word != "ignore")
        return "must be 'verify', 'refuse' or 'ignore'";
    mode = word == "verify"   ? SecondFactor::verified
           : word == "refuse" ? SecondFactor::refused
                              : SecondFactor::ignored;
    return nullptr;
}

const char* read_limit(const httpd::ConfigLine& line, password::AttemptLimit& limit) {
    const auto max_attempts = text::parse_integer(line.arguments[0], 1, 1000000);
    const auto window = line.arguments.size() > 1
                            ? text::parse_integer<long>(line.arguments[1], 1, 86400)
                            : std::optional<long>(limit.window.count());
    const bool is_shared = line.arguments.size() > 2;
    if (!max_attempts || !window || (is_shared && line.arguments[2] != std::string_view("shared")))
        return "must be a number of failed attempts (1 to 1000000), optionally followed by a "
               "number of seconds (1 to 86400) and then \"shared\"";
    limit = {static_cast<unsigned>(*max_attempts), std::chrono::seconds(*window), is_shared};
    return nullptr;
}

void* create_server_configuration(apr_pool_t* pool, server_rec*) noexcept {
    return static_cast<httpd::Backend*>(&apr::emplace<ServerConfiguration>(pool));
}

void* merge_server_configuration(apr_pool_t*, void*, void* addition) noexcept {
    return addition;
}

ServerConfiguration& server_configuration_of(const server_rec* server) noexcept {
    return static_cast<ServerConfiguration&>(httpd::backend_of(server, auth_useradmin_module));
}

} // namespace useradmin::auth
