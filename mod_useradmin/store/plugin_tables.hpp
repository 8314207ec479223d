// The tables of better-auth's plugins, and how their rows refer to users.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace useradmin::store {

/// What a row refers to.
enum class Reference {
    user,                 ///< the user's id
    user_or_organization, ///< the id of a user or an organization
    email,                ///< the user's address after one of address_prefixes
};

/// Describes a plugin's table and the column that refers to a user.
struct PluginTable {
    /// The name in better-auth. In the database, it may be in snake_case or lower case, and in the
    /// plural.
    std::string_view name;
    /// The column with the reference, in camelCase.
    std::string_view owner;
    Reference reference;
    /// Two more columns. A table of the application with the same name is unlikely to have them.
    std::string_view typical_columns[2];
};

/// mod_useradmin's table of API keys that a ban has disabled.
inline constexpr std::string_view disabled_keys_table = "useradmin_disabled_key";

/// The known tables, in the order of deletion: referencing rows before the rows that they refer to.
inline constexpr PluginTable plugin_tables[] = {
    {"apiKey", "userId", Reference::user, {"key", "enabled"}},
    {"apiKey", "referenceId", Reference::user_or_organization, {"key", "enabled"}},
    {"twoFactor", "userId", Reference::user, {"secret", "backupCodes"}},
    {"passkey", "userId", Reference::user, {"publicKey", "counter"}},
    {"walletAddress", "userId", Reference::user, {"address", "chainId"}},
    {"teamMember", "userId", Reference::user, {"teamId", "createdAt"}},
    {"member", "userId", Reference::user, {"organizationId", "role"}},
    {"invitation", "inviterId", Reference::user, {"organizationId", "status"}},
    {"oauthAccessToken", "userId", Reference::user, {"clientId", "scopes"}},
    {"oauthRefreshToken", "userId", Reference::user, {"clientId", "scopes"}},
    {"oauthConsent", "userId", Reference::user, {"clientId", "scopes"}},
    {"deviceCode", "userId", Reference::user, {"deviceCode", "userCode"}},
    {"verification", "identifier", Reference::email, {"value", "expiresAt"}},
    {disabled_keys_table, "userId", Reference::user, {"keyId", "userId"}},
};

/// The prefixes of an address in verification identifiers: no prefix, or a prefix that
/// better-auth's emailOTP plugin adds.
inline constexpr std::string_view address_prefixes[] = {
    "", "sign-in-otp-", "email-verification-otp-", "forget-password-otp-"};

/// The prefixes of verification identifiers of the twoFactor plugin. The value of these rows is the
/// user's id.
inline constexpr std::string_view second_factor_prefixes[] = {"trust-device-", "2fa-"};

/// Returns the names that the table may have in the database.
std::set<std::string> names_of(const PluginTable& plugin);
/// Returns the names of all plugins' tables as SQL literals: "'apiKey', 'apiKeys', …".
std::string plugin_table_names();

} // namespace useradmin::store
