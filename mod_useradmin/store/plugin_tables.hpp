// The tables of better-auth's plugins whose rows end with their user (UserAdminCleanUp).
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace useradmin::store {

/// What a row refers to.
enum class Reference {
    user,                 ///< the user's id
    user_or_organization, ///< the id of either
    email,                ///< the user's address, alone or after one of address_prefixes
    organization,         ///< no user: the id of an organization itself
};

/// A table of the library's, and how its rows refer to a user.
struct PluginTable {
    /// The library's name. The application may write it in snake_case or lower case, and in the
    /// plural.
    std::string_view name;
    /// The column with the reference, in camelCase.
    std::string_view owner;
    Reference reference;
    /// Two further columns that tell it from an application's own table of that name.
    std::string_view marks[2];
};

/// Our own table of the API keys that a ban disabled.
inline constexpr std::string_view disabled_keys_table = "useradmin_disabled_key";

/// In the order of a deletion: a row before those that it refers to.
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
    {"organization", "id", Reference::organization, {"name", "slug"}},
    {disabled_keys_table, "userId", Reference::user, {"keyId", "userId"}},
};

/// The plugin emailOTP's prefixes of an address.
inline constexpr std::string_view address_prefixes[] = {
    "", "sign-in-otp-", "email-verification-otp-", "forget-password-otp-"};

/// The plugin twoFactor's prefixes of an identifier whose value is a user's id.
inline constexpr std::string_view second_factor_prefixes[] = {"trust-device-", "2fa-"};

/// Returns the names that the table may have.
std::set<std::string> names_of(const PluginTable& plugin);
/// Returns the names of all as SQL literals: "'apikey', 'api_key', …".
std::string plugin_table_names();

} // namespace useradmin::store
