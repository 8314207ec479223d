#include "service/configuration.hpp"

#include "api/columns.hpp"
#include "apr/pool.hpp"
#include "crypto/sha256.hpp"
#include "httpd/small_file.hpp"
#include "store/schema.hpp"
#include "text/split.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

namespace useradmin::service {

namespace {

const char* parse_expression(const httpd::ConfigLine& line, std::string_view text,
                             const ap_expr_info_t*& expression) {
    const char* error = nullptr;
    expression =
        ap_expr_parse_cmd(line.command, text.data(),
                          AP_EXPR_FLAG_STRING_RESULT | AP_EXPR_FLAG_DONT_VARY, &error, nullptr);
    if (error == nullptr)
        return nullptr;
    return line.copy("'" + std::string(text) + "' is not an expression (" + error +
                     "); write, for example, %{note:session-user-id}");
}

constexpr std::size_t max_title = 100;
constexpr std::size_t max_image = 32768;

/// Detects the media type from the content. Returns nullptr if the format is not supported.
const char* image_type(std::string_view image) {
    if (image.starts_with("\x89PNG\r\n"))
        return "image/png";
    if (image.starts_with("\xff\xd8\xff"))
        return "image/jpeg";
    if (image.starts_with("RIFF") && image.substr(0, 12).ends_with("WEBP"))
        return "image/webp";
    const bool is_xml =
        image.starts_with("<?xml") || image.starts_with("<svg") || image.starts_with("<!--");
    return is_xml && image.find("<svg") != image.npos ? "image/svg+xml" : nullptr;
}

/// Returns why the column must not be configured, or nullptr if it may be.
const char* rejection_of(std::string_view column, bool is_editable) {
    const std::string name = api::normalized_column(column);
    const auto is_field = [&](const auto& field) {
        return api::normalized_column(field.name) == name;
    };
    if (std::ranges::any_of(model::user_fields, is_field))
        return "is a field of the service itself; specify an extra column of the application, such "
               "as company";
    if (column == "lastSeenAt")
        return "is a built-in field (the last activity); set its column with UserAdminLastSeen";
    if (api::has_name_of_secret(column))
        return "looks like the name of a secret; the service never shows secrets";
    if (is_editable && api::is_second_factor_flag(column))
        return "must match the user's second factor and cannot be edited; to show it, use "
               "UserAdminColumns";
    return nullptr;
}

} // namespace

const char* read_base(const httpd::ConfigLine& line, httpd::Base& base) {
    const char* const problem = httpd::read_base(line, "/api/users", base);
    if (problem == nullptr && base.is_on)
        *static_cast<const char**>(
            apr_array_push(server_configuration_of(line.command->server).bases)) = base.path;
    return problem;
}

const char* read_session_source(const httpd::ConfigLine& line, SessionSource& source) {
    source = {};
    if (const char* problem = parse_expression(line, line.arguments[0], source.id))
        return problem;
    return line.arguments.size() > 1 ? parse_expression(line, line.arguments[1], source.role)
                                     : nullptr;
}

const char* read_protected_email(const httpd::ConfigLine& line, const char*& address) {
    if (line.arguments[0].find('@') == std::string_view::npos)
        return "must be an email address, such as admin@example.com";
    address = line.copy(line.arguments[0]);
    return nullptr;
}

const char* read_console_sign_in(const httpd::ConfigLine& line, const char*& address) {
    const std::string_view text = line.arguments[0];
    // Browsers treat "//" and "/\" as the start of a host name.
    const bool is_path = text.starts_with('/') && !text.starts_with("//") &&
                         text.find('\\') == std::string_view::npos;
    const bool is_printable =
        std::ranges::all_of(text, [](char each) { return each > ' ' && each < '\x7f'; });
    if (!is_printable || !(is_path || text.starts_with("https://") || text.starts_with("http://")))
        return "must be a path, or a URL that begins with https:// or http://, such as /sign-in";
    address = line.copy(text);
    return nullptr;
}

const char* read_console_title(const httpd::ConfigLine& line, const char*& title) {
    const std::string_view text = line.arguments[0];
    const bool has_control = std::ranges::any_of(
        text, [](char each) { return (each >= 0 && each < ' ') || each == '\x7f'; });
    if (text.size() > max_title || has_control || !text::is_clean_utf8(text))
        return "must be UTF-8 text of at most 100 bytes without control characters, such as "
               "\"Users of the shop\"";
    title = line.copy(text);
    return nullptr;
}

const char* read_console_logo(const httpd::ConfigLine& line, const char*& address) {
    const char* path = nullptr;
    if (const char* problem = httpd::PathReader()(line, path))
        return problem;
    const std::optional<std::string> image = httpd::read_small_file(line.pool(), path, max_image);
    if (!image)
        return line.copy(
            "'" + std::string(path) +
            "' cannot be read, or is larger than 32 KiB; use a smaller file that httpd can read");
    const char* const type = image_type(*image);
    if (type == nullptr)
        return line.copy("'" + std::string(path) + "' is not an SVG, PNG, JPEG or WebP file");
    address = line.copy("data:" + std::string(type) + ";base64," + crypto::base64_of(*image));
    return nullptr;
}

const char* read_console_accent(const httpd::ConfigLine& line,
                                std::optional<console::Color>& accent) {
    accent = console::parse_color(line.arguments[0]);
    if (!accent)
        return "must be a quoted color in the form \"#rrggbb\", such as \"#3451b2\"";
    if (const std::string readable = text_of(console::readable(*accent));
        readable != text_of(*accent))
        return line.copy("is too light for text on white; use \"" + readable +
                         "\" or a darker color");
    return nullptr;
}

const char* read_last_seen(const httpd::ConfigLine& line, const char*& column) {
    if (!store::is_identifier(line.arguments[0]))
        return "must be the name of a column, such as lastLoginAt";
    column = line.copy(line.arguments[0]);
    return nullptr;
}

const char* read_guards(const httpd::ConfigLine& line, api::Guards& guards) {
    guards = {};
    const auto arguments = line.arguments;
    if (arguments.size() == 1 && arguments[0] == "none")
        return nullptr;
    const bool all_are_guards = std::ranges::all_of(arguments, [&](std::string_view word) {
        if (word == "rank")
            return !std::exchange(guards.rank, true);
        return word == "last-superadmin" && !std::exchange(guards.last_super_admin, true);
    });
    return all_are_guards && !arguments.empty()
               ? nullptr
               : "must be none, rank, last-superadmin, or both rank and last-superadmin";
}

const char* read_language(const httpd::ConfigLine& line, std::optional<http::Language>& language) {
    const std::string_view word = line.arguments[0];
    if (word == "accept")
        language.reset();
    else if (word == "es" || word == "en")
        language = word == "en" ? http::Language::english : http::Language::spanish;
    else
        return "must be 'es', 'en' or 'accept'";
    return nullptr;
}

const char* RoleReader::operator()(const httpd::ConfigLine& line,
                                   const admin::RoleActions*& first) const {
    const std::string_view role = line.arguments.empty() ? "" : line.arguments[0];
    if (line.arguments.size() < 2 || role.find_first_of(":,") != role.npos)
        return "must be a role and its actions, such as admin user:list user:get, or superAdmin "
               "all";
    admin::Actions actions = 0;
    for (const std::string_view word : line.arguments.subspan(1)) {
        std::string_view name = word;
        const std::string_view resource = text::take_until(name, ':');
        const auto action = admin::find_action(resource, name);
        if (word == "all" && line.arguments.size() == 2)
            actions = admin::all_actions;
        else if (action)
            actions |= admin::bit_of(*action);
        else
            return line.copy("'" + std::string(word) +
                             "' is not an action; use actions such as user:list and "
                             "session:revoke, or all alone");
    }
    first = &apr::emplace<admin::RoleActions>(line.pool(),
                                              admin::RoleActions{line.copy(role), actions, first});
    return nullptr;
}

const char* ColumnsReader::operator()(const httpd::ConfigLine& line,
                                      api::ColumnNames& columns) const {
    auto& kept = apr::emplace<std::vector<std::string_view>>(line.pool());
    for (const std::string_view word : line.arguments) {
        if (word.empty() || word.find(',') != word.npos || !text::is_clean_utf8(word))
            return "must be one or more column names separated by spaces, such as company plan";
        if (const char* const rejection = rejection_of(word, are_editable))
            return line.copy("'" + std::string(word) + "' " + rejection);
        kept.push_back(line.copy(word));
    }
    if (line.arguments.empty())
        return "must be one or more columns of the user table, such as company";
    columns = kept;
    return nullptr;
}

void* create_server_configuration(apr_pool_t* pool, server_rec*) noexcept {
    auto& configuration = apr::emplace<ServerConfiguration>(pool);
    configuration.bases = apr_array_make(pool, 1, sizeof(const char*));
    const std::string_view address = apr::view_of(std::getenv(api::protected_email_variable));
    if (!address.empty())
        configuration.admin_email = apr::copy_c_string(pool, address);
    return static_cast<httpd::Backend*>(&configuration);
}

void* merge_server_configuration(apr_pool_t* pool, void* base, void* addition) noexcept {
    const auto of = [](void* configuration) -> const ServerConfiguration& {
        return static_cast<const ServerConfiguration&>(
            *static_cast<const httpd::Backend*>(configuration));
    };
    auto& merged = apr::emplace<ServerConfiguration>(pool, of(addition));
    merged.bases = apr_array_append(pool, of(base).bases, merged.bases);
    return static_cast<httpd::Backend*>(&merged);
}

ServerConfiguration& server_configuration_of(const server_rec* server) noexcept {
    return static_cast<ServerConfiguration&>(httpd::backend_of(server, useradmin_module));
}

std::span<const char* const> bases_of(const server_rec* server) noexcept {
    const apr_array_header_t* const bases = server_configuration_of(server).bases;
    return {reinterpret_cast<const char* const*>(bases->elts),
            static_cast<std::size_t>(bases->nelts)};
}

httpd::BackendSettings backend_settings(const ServiceSettings& settings) {
    constexpr bool has_plugins = true;
    httpd::BackendSettings backend = httpd::backend_settings(settings, has_plugins);
    backend.total_age = settings.get<TotalAge>();
    backend.last_seen = settings.get<LastSeenColumn>();
    return backend;
}

std::string_view protected_email_of(const request_rec* request, const ServiceSettings& settings) {
    if (const char* address = settings.get<ProtectedEmail>())
        return address;
    const char* const address = server_configuration_of(request->server).admin_email;
    return address != nullptr ? address : api::default_protected_email;
}

api::OperationSettings operation_settings(const request_rec* request,
                                          const ap_conf_vector_t* configuration) {
    const ServiceSettings& settings = settings_of(configuration);
    api::OperationSettings rules;
    rules.protected_email = {protected_email_of(request, settings), settings.get<LowersEmail>()};
    rules.max_limit = settings.get<MaxLimit>();
    rules.account_id_is_user_id = settings.get<AccountIdIsUserId>();
    rules.lowers_email = settings.get<LowersEmail>();
    rules.unverifies_email = settings.get<UnverifiesEmail>();
    rules.guards = settings.get<GuardWords>();
    // Required for a secondary storage: better-auth falls back to the database for sessions that
    // the storage does not have.
    rules.ends_sessions =
        settings.get<EndsSessions>() || settings.get<SecondaryStorage>().address != nullptr;
    rules.has_extras = settings.get<HasExtras>();
    rules.mail = mail_settings(configuration);
    rules.columns = settings.get<ShownColumns>();
    rules.editable_columns = settings.get<EditableColumns>();
    rules.trusted_origins = settings.get<httpd::TrustedOrigins>();
    rules.language = settings.get<TextLanguage>();
    return rules;
}

} // namespace useradmin::service
