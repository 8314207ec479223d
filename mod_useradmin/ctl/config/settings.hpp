// Which database useradminctl works on, and how the service writes there.
#pragma once

#include "crypto/secret.hpp"
#include "ctl/config/options.hpp"
#include "password/hash.hpp"
#include "store/schema.hpp"
#include "store/store.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace useradmin::ctl {

/// What a command does with the database.
enum class DatabaseUse { none, read, write };

/// What the options say, and where they say nothing the httpd configuration of --config. What
/// neither says, and what the command does not ask for, is nothing here.
struct CommandSettings {
    std::string driver;
    std::string parameters;
    std::string user_table = "user";
    std::string session_table = "session";
    std::string account_table = "account";
    std::optional<password::Format> hash;
    std::optional<bool> account_id_is_user_id;
    std::optional<bool> lowers_email;
    /// The address that nobody deletes (4.4.1, check 5).
    std::string protected_email;
    /// Where the secret is that signs tokens, as AuthUserAdminSecret has it; empty for none.
    std::string secret_source;
    /// Where a relative path of the source starts; empty for the current folder.
    std::string secret_folder;
    /// Whether the configuration turns the service on: then what it does not say is at its default
    /// there.
    bool is_service = false;
    /// Whether it has sessions and passwords below a user.
    bool has_extras = false;
    /// Whether it lets callers be known by their sessions, lets them sign in, and has httpd's own
    /// modules verify passwords.
    bool has_session_lookup = false;
    bool has_sign_in = false;
    bool verifies_passwords = false;

    /// The file that is told of changes; empty for none. A program has its bar before it.
    std::string audit_log;
    /// Whether a change is refused that it cannot be told of.
    bool is_audit_required = false;

    store::TableNames tables() const noexcept { return {user_table, session_table, account_table}; }
    store::ProtectedEmail protected_address() const noexcept {
        return {protected_email, lowers_email.value_or(false)};
    }
    password::Format hash_format() const {
        return hash.value_or(password::Format(password::Argon2id()));
    }
};

/// Reads the database's settings, and those of the service that the command takes as options too; a
/// CommandError where they are not right.
CommandSettings read_settings(const Options& options,
                              std::span<const std::string_view> command_options, DatabaseUse use);

/// The secret itself; a CommandError where there is none at its source.
crypto::Secret secret_of(const CommandSettings& settings);

} // namespace useradmin::ctl
