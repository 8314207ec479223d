#pragma once

#include "crypto/secret.hpp"
#include "ctl/config/httpd_configuration.hpp"
#include "ctl/config/options.hpp"
#include "password/hash.hpp"
#include "store/schema.hpp"
#include "store/store.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace useradmin::ctl {

/// How a command uses the database.
enum class DatabaseUse { none, read, write };

/// The settings of a command. Options take precedence over the httpd configuration. Settings that
/// are in neither, or that the command does not use, have default values.
struct CommandSettings {
    DatabaseUse use = DatabaseUse::none;
    HttpdConfiguration httpd;
    std::string driver;
    std::string parameters;
    /// The statements of DBDInitSQL, to run after connecting. Empty if an option sets the
    /// parameters.
    std::vector<std::string> init_statements;
    std::string user_table = "user";
    std::string session_table = "session";
    std::string account_table = "account";
    /// The column of UserAdminLastSeen. Empty if there is none, or if it differs between Locations.
    std::string last_seen;
    std::optional<password::Format> hash;
    std::optional<bool> account_id_is_user_id;
    std::optional<bool> lowers_email;
    std::optional<bool> unverifies_email;
    /// The protected address (specification 4.4.1, check 5).
    std::string protected_email;
    /// The source of the secret, as in AuthUserAdminSecret. Empty if there is none.
    std::string secret_source;
    /// The base directory for a relative path in secret_source. Empty for the working directory.
    std::string secret_directory;
    /// Whether UserAdminCleanUp is on.
    bool cleans_up = false;
    /// Whether a new role or address ends the user's sessions (UserAdminEndSessions).
    bool ends_sessions = false;
    /// Whether the command uses the tables of the application's plugins.
    bool has_plugins = false;
    /// Whether UserAdmin is on.
    bool has_service = false;
    /// Whether AuthUserAdminSignIn is on.
    bool has_sign_in = false;
    /// Whether UserAdminSecondaryStorage names a storage, at least in one context.
    bool has_secondary_storage = false;
    /// Whether sign-in or the useradmin provider verifies passwords.
    bool verifies_passwords = false;
    /// Whether sign-in verifies second factors (AuthUserAdminSecondFactor verify).
    bool verifies_second_factors = false;
    /// Whether a password alone is not enough for an account with a second factor.
    bool requires_second_factors = false;
    /// Whether links are sent by mail (UserAdminMailCommand).
    bool sends_mail = false;
    /// The file that useradminctl drain creates. Empty if none is configured.
    std::string drain_file;
    /// The audit log: a file, or "|" followed by a program. Empty if there is none.
    std::string audit_log;
    /// Whether changes without an audit line are rejected.
    bool is_audit_required = false;

    store::TableNames tables() const noexcept {
        return {user_table, session_table, account_table, has_plugins, last_seen};
    }
    store::PluginPolicy plugin_policy() const noexcept { return {cleans_up, sends_mail}; }
    store::ProtectedEmail protected_address() const noexcept {
        return {protected_email, lowers_email.value_or(false)};
    }
    password::Format hash_format() const {
        return hash.value_or(password::Format(password::Argon2id()));
    }
};

/// The directives, each with an argument, that make mod_auth_useradmin verify passwords.
inline constexpr std::pair<std::string_view, std::string_view> password_verifications[] = {
    {"AuthUserAdminSignIn", "On"},
    {"AuthBasicProvider", "useradmin"},
    {"AuthFormProvider", "useradmin"},
};

/// Reads the settings that the command uses from its options and the httpd configuration. Throws
/// CommandError if a setting is missing or invalid.
CommandSettings read_settings(const Options& options,
                              std::span<const std::string_view> command_options, DatabaseUse use,
                              std::string_view command);

/// Loads the secret. Throws CommandError if it cannot be read.
crypto::Secret secret_of(const CommandSettings& settings);

} // namespace useradmin::ctl
