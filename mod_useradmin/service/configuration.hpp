#pragma once

#include "admin/permissions.hpp"
#include "api/service.hpp"
#include "console/accent.hpp"
#include "httpd/backend.hpp"
#include "httpd/directives.hpp"
#include "httpd/httpd.hpp"
#include "httpd/location.hpp"
#include "service/log_module.hpp"
#include "service/mail.hpp"
#include "service/secondary_storage.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace useradmin::service {

/// `UserAdminSession`: expressions for the caller's id and role. Without an id expression, the auth
/// module's notes are used. With only an id expression, every caller has the `user` role.
struct SessionSource {
    const ap_expr_info_t* id = nullptr;
    const ap_expr_info_t* role = nullptr;
};

const char* read_base(const httpd::ConfigLine& line, httpd::Base& base);
const char* read_session_source(const httpd::ConfigLine& line, SessionSource& source);
const char* read_protected_email(const httpd::ConfigLine& line, const char*& address);
const char* read_console_sign_in(const httpd::ConfigLine& line, const char*& address);
const char* read_console_title(const httpd::ConfigLine& line, const char*& title);
/// Reads an image file and converts it to a data: URL.
const char* read_console_logo(const httpd::ConfigLine& line, const char*& address);
const char* read_console_accent(const httpd::ConfigLine& line,
                                std::optional<console::Color>& accent);
const char* read_last_seen(const httpd::ConfigLine& line, const char*& column);
const char* read_guards(const httpd::ConfigLine& line, api::Guards& guards);
const char* read_language(const httpd::ConfigLine& line, std::optional<http::Language>& language);

/// Reads one UserAdminBetterAuthRole directive. Each one adds a role.
struct RoleReader {
    static constexpr bool adds_to_value = true;
    const char* operator()(const httpd::ConfigLine& line, const admin::RoleActions*& first) const;
};

/// Reads names of extra columns of the user table. Rejects columns that the service manages, and
/// columns whose names suggest secrets.
struct ColumnsReader {
    /// Whether superAdmins may also change the columns.
    bool are_editable;
    const char* operator()(const httpd::ConfigLine& line, api::ColumnNames& columns) const;
};

inline constexpr auto directives = std::tuple_cat(
    httpd::backend_directives("UserAdminTimeout", "useradmin", "useradmin_plugins"),
    std::tuple{
        httpd::directive<struct ServiceBase>(
            "UserAdmin", FLAG, httpd::except_htaccess,
            "whether this Location is the base address of the service", httpd::Base(), read_base),
        httpd::directive<struct SessionExpressions>(
            "UserAdminSession", TAKE12, httpd::except_htaccess,
            "expressions for the id and the role of the caller", SessionSource(),
            read_session_source),
        // nullptr selects the environment variable or the built-in address.
        httpd::directive<struct ProtectedEmail>(
            "UserAdminProtectedEmail", TAKE1, httpd::except_htaccess,
            "the email address of the administrator whose account cannot be deleted",
            static_cast<const char*>(nullptr), read_protected_email),
        httpd::directive<struct GuardWords>(
            "UserAdminGuard", TAKE_ARGV, httpd::except_htaccess,
            "additional rules that restrict changes: rank, last-superadmin, both, or none",
            api::Guards(), read_guards),
        httpd::directive<struct EndsSessions>(
            "UserAdminEndSessions", FLAG, httpd::except_htaccess,
            "whether a ban or a change of role or email address ends the user's sessions", false,
            httpd::SwitchReader()),
        httpd::directive<struct CleansUp>("UserAdminCleanUp", FLAG, httpd::except_htaccess,
                                          "whether deleting a user also deletes better-auth's "
                                          "plugin data, and whether banning a user disables the "
                                          "user's API keys",
                                          false, httpd::SwitchReader()),
        httpd::directive<struct HasExtras>(
            "UserAdminExtras", FLAG, httpd::except_htaccess,
            "whether superAdmins can list and end sessions, set passwords, and ban with an expiry",
            false, httpd::SwitchReader()),
        httpd::directive<struct MailCommandLine>(
            "UserAdminMailCommand", TAKE1, httpd::except_htaccess,
            "the command that mails links, such as \"/usr/sbin/sendmail -t\"",
            static_cast<const char* const*>(nullptr), read_mail_command),
        httpd::directive<struct MailFrom>(
            "UserAdminMailFrom", TAKE12, httpd::except_htaccess,
            "the sender of mailed links: an email address and an optional name", MailSender(),
            read_mail_from),
        httpd::directive<struct MailPasswordLink>(
            "UserAdminMailPasswordLink", TAKE1, httpd::except_htaccess,
            "the URL of the application's page for setting a password, with {token}",
            static_cast<const char*>(nullptr), read_link),
        httpd::directive<struct MailVerifyLink>(
            "UserAdminMailVerifyLink", TAKE1, httpd::except_htaccess,
            "the URL of better-auth's verify-email endpoint, with {token}",
            static_cast<const char*>(nullptr), read_link),
        // nullptr selects the built-in templates.
        httpd::directive<struct MailTemplates>(
            "UserAdminMailTemplates", TAKE1, httpd::except_htaccess,
            "a file with templates for the messages that contain links",
            static_cast<const mail::Templates*>(nullptr), read_mail_templates),
        httpd::directive<struct MailLimit>("UserAdminMailLimit", TAKE1, httpd::except_htaccess,
                                           "the maximum number of links sent by mail per hour",
                                           100L, httpd::NumberReader{"an integer", 1, 100000}),
        httpd::directive<struct ShownColumns>(
            "UserAdminColumns", TAKE_ARGV, httpd::except_htaccess,
            "extra columns of the user table that superAdmins can see", api::ColumnNames(),
            ColumnsReader{false}),
        httpd::directive<struct EditableColumns>(
            "UserAdminEditable", TAKE_ARGV, httpd::except_htaccess,
            "extra columns of the user table that superAdmins can see and change",
            api::ColumnNames(), ColumnsReader{true}),
        // nullptr selects the time of the newest session.
        httpd::directive<struct LastSeenColumn>(
            "UserAdminLastSeen", TAKE1, httpd::except_htaccess,
            "the column of the user table with the time of the last activity",
            static_cast<const char*>(nullptr), read_last_seen),
        httpd::directive<struct MaxLimit>("UserAdminMaxLimit", TAKE1, httpd::except_htaccess,
                                          "the maximum page size of a list", 1000,
                                          httpd::NumberReader{"an integer", 1, 100000}),
        httpd::directive<struct TotalAge>("UserAdminTotalCache", TAKE1, httpd::except_htaccess,
                                          "how many seconds the total of a filter may be reused",
                                          std::chrono::seconds(0),
                                          httpd::NumberReader{"a number of seconds", 0, 3600}),
        httpd::directive<struct MaxBody>("UserAdminMaxBody", TAKE1, httpd::except_htaccess,
                                         "the maximum size of a request body, in bytes", 65536L,
                                         httpd::NumberReader{"a number of bytes", 1024, 16777216}),
        httpd::directive<struct AccountIdIsUserId>(
            "UserAdminAccountId", TAKE1, httpd::except_htaccess,
            "the accountId of new credential accounts: email or user-id", false,
            httpd::ChoiceReader{"email", "user-id"}),
        httpd::directive<struct LowersEmail>(
            "UserAdminEmailCase", TAKE1, httpd::except_htaccess,
            "how email addresses are stored: keep (unchanged) or lower (in lower case)", false,
            httpd::ChoiceReader{"keep", "lower"}),
        httpd::directive<struct UnverifiesEmail>(
            "UserAdminEmailChange", TAKE1, httpd::except_htaccess,
            "whether a changed email address stays verified: keep or unverify", false,
            httpd::ChoiceReader{"keep", "unverify"}),
        // If nullptr, the console shows a sign-in form, provided that mod_auth_useradmin accepts
        // sign-ins.
        httpd::directive<struct ConsoleSignIn>(
            "UserAdminConsoleSignIn", TAKE1, httpd::except_htaccess,
            "the URL of the application's sign-in page, for the console's link",
            static_cast<const char*>(nullptr), read_console_sign_in),
        httpd::directive<struct ConsoleTitle>(
            "UserAdminConsoleTitle", TAKE1, httpd::except_htaccess, "the console's title",
            static_cast<const char*>(nullptr), read_console_title),
        httpd::directive<struct ConsoleLogo>("UserAdminConsoleLogo", TAKE1, httpd::except_htaccess,
                                             "the console's logo: an SVG, PNG, JPEG or WebP file",
                                             static_cast<const char*>(nullptr), read_console_logo),
        httpd::directive<struct ConsoleAccent>(
            "UserAdminConsoleAccent", TAKE1, httpd::except_htaccess,
            "the color of the console's buttons and links, in the form #rrggbb",
            std::optional<console::Color>(), read_console_accent),
        httpd::directive<struct SecondaryStorage>(
            "UserAdminSecondaryStorage", TAKE_ARGV, httpd::except_htaccess,
            "the Redis server in which the application keeps sessions", StorageSetting(),
            read_secondary_storage),
        httpd::directive<struct ApplicationCache>(
            "UserAdminApplicationCache", TAKE1, httpd::except_htaccess,
            "how many seconds the application accepts a session from its own cache",
            std::chrono::seconds(0), httpd::NumberReader{"a number of seconds", 0, 3600}),
        // std::nullopt selects the language that the request prefers.
        httpd::directive<struct TextLanguage>(
            "UserAdminLanguage", TAKE1, httpd::except_htaccess,
            "the language of errors and messages: es, en, or accept to follow Accept-Language",
            std::optional(http::Language::spanish), read_language),
        httpd::directive<struct BetterAuthRoles>(
            "UserAdminBetterAuthRole", TAKE_ARGV, httpd::except_htaccess,
            "what a role may do through better-auth's admin client: all, or resource:action",
            &admin::default_roles, RoleReader()),
        httpd::directive<struct ShowsTokens>(
            "UserAdminBetterAuthTokens", FLAG, httpd::except_htaccess,
            "whether better-auth's admin client gets session tokens instead of ids", false,
            httpd::SwitchReader()),
    });

/// The directives in effect for a Location or a server.
using ServiceSettings = httpd::DirectiveSettings<directives>;

struct ServerConfiguration : httpd::Backend {
    /// The base addresses of this server (const char*), including those inherited from the main
    /// server. Needed, for example, for errors that occur before httpd finds the Location.
    apr_array_header_t* bases = nullptr;
    /// ADMIN_EMAIL in httpd's environment, or nullptr if it is unset or empty.
    const char* admin_email = nullptr;
};
static_assert(std::is_trivially_destructible_v<ServerConfiguration>);

void* create_server_configuration(apr_pool_t* pool, server_rec* server) noexcept;
void* merge_server_configuration(apr_pool_t* pool, void* base, void* addition) noexcept;

inline constexpr httpd::SettingsOf<directives, useradmin_module> settings_of;
ServerConfiguration& server_configuration_of(const server_rec* server) noexcept;
/// Returns the server's base addresses in configuration order, inherited ones first.
std::span<const char* const> bases_of(const server_rec* server) noexcept;

/// Returns the settings for access to the database. They include the plugins' tables for every
/// operation, so a connection caches only one schema for them.
httpd::BackendSettings backend_settings(const ServiceSettings& settings);
/// Returns the protected address (4.4.1, check 5): from the directive, the environment variable or
/// the built-in default, in this order.
std::string_view protected_email_of(const request_rec* request, const ServiceSettings& settings);
/// Returns the settings of the operations. The views are valid for the lifetime of the
/// configuration.
api::OperationSettings operation_settings(const request_rec* request,
                                          const ap_conf_vector_t* configuration);

/// Returns the error in the directives for mailed links, or nullptr.
const char* mail_configuration_error(const ap_conf_vector_t* configuration);
/// Returns the settings for mailed links, or std::nullopt if they are disabled. The views are
/// valid for the lifetime of the configuration.
std::optional<mail::Settings> mail_settings(const ap_conf_vector_t* configuration);

} // namespace useradmin::service
