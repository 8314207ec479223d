// The minimum database privileges of the service and the auth module.
#pragma once

#include "store/dialect.hpp"

namespace useradmin::store {

/// Needed for the five operations of the specification (section 4).
inline constexpr Privilege service_privileges[] = {
    {'u', "SELECT"}, {'u', "INSERT"}, {'u', "UPDATE"},
    {'u', "DELETE"}, {'s', "DELETE"}, {'s', "SELECT", "userId"},
    {'a', "INSERT"}, {'a', "DELETE"}, {'a', "SELECT", "userId"},
};

/// Needed for session lookups (section 5).
inline constexpr Privilege session_privileges[] = {{'u', "SELECT"}, {'s', "SELECT"}};

/// Needed for UserAdminExtras, in addition to service_privileges. Includes neither tokens nor
/// hashes.
inline constexpr Privilege extras_privileges[] = {
    {'s', "SELECT", "id"},
    {'s', "SELECT", "userId"},
    {'s', "SELECT", "expiresAt"},
    {'s', "SELECT", "createdAt"},
    {'s', "SELECT", "updatedAt"},
    {'s', "SELECT", "ipAddress"},
    {'s', "SELECT", "userAgent"},
    {'s', "SELECT", "impersonatedBy"},
    {'a', "SELECT", "userId"},
    {'a', "SELECT", "providerId"},
    {'a', "UPDATE"},
};

/// Needed, in addition to extras_privileges, to remove second factors. No secret is read.
inline std::vector<Privilege> factor_removal_privileges(const Schema& schema) {
    std::vector<Privilege> all;
    for (const OwnedTable* const owned : {schema.second_factors(), schema.verifications()})
        if (owned != nullptr && schema.second_factors() != nullptr) {
            const char letter = schema.letter(*owned);
            all.insert(all.end(), {{letter, "DELETE"},
                                   {letter, "SELECT", owned->plugin->owner},
                                   {letter, "SELECT", "value"}});
        }
    return all;
}

/// Needed, in addition to extras_privileges, to list and remove sign-in methods. Includes neither
/// keys nor hashes.
inline std::vector<Privilege> sign_in_method_privileges(const Schema& schema) {
    std::vector<Privilege> all;
    for (const model::MethodKind kind : model::method_kinds)
        if (const auto methods = schema.method_table(kind)) {
            all.insert(all.end(),
                       {{methods->letter, "DELETE"}, {methods->letter, "SELECT", methods->owner}});
            for (const auto& field : model::fields<model::SignInMethod>())
                all.push_back({methods->letter, "SELECT", field.name});
        }
    return all;
}

/// Needed for mailed links, in addition to service_privileges and attempt_privileges. No token is
/// read.
inline std::vector<Privilege> mail_privileges(const Schema& schema) {
    const OwnedTable* const values = schema.verifications();
    if (values == nullptr)
        return {};
    const char letter = schema.letter(*values);
    return {{letter, "INSERT"},
            {letter, "DELETE"},
            {letter, "SELECT", "identifier"},
            {letter, "SELECT", "value"}};
}

/// Needed, in addition to session_privileges, to count the uses of API keys (AuthUserAdminApiKey).
inline std::vector<Privilege> key_use_privileges(const Schema& schema) {
    const OwnedTable* const keys = schema.api_keys();
    if (keys == nullptr)
        return {};
    const char letter = schema.letter(*keys);
    return {{letter, "SELECT"},
            {letter, "UPDATE", "remaining"},
            {letter, "UPDATE", "lastRefillAt"},
            {letter, "UPDATE", "requestCount"},
            {letter, "UPDATE", "lastRequest"},
            {letter, "UPDATE", "updatedAt"}};
}

/// Needed, in addition to service_privileges, to delete a user's rows in the plugins' tables and to
/// disable API keys (UserAdminCleanUp). Does not include keys.
inline std::vector<Privilege> clean_up_privileges(const Schema& schema) {
    std::vector<Privilege> all;
    for (const OwnedTable& owned : schema.owned) {
        const char letter = schema.letter(owned);
        const PluginTable& plugin = *owned.plugin;
        all.insert(all.end(), {{letter, "DELETE"}, {letter, "SELECT", plugin.owner}});
        if (plugin.name == "apiKey")
            all.insert(all.end(), {{letter, "SELECT", "id"},
                                   {letter, "SELECT", "enabled"},
                                   {letter, "UPDATE", "enabled"}});
        if (plugin.name == disabled_keys_table)
            all.insert(all.end(), {{letter, "INSERT"}, {letter, "SELECT", "keyId"}});
    }
    return all;
}

/// Needed for the table of revocations. UPDATE is required to lock old rows before their removal.
inline constexpr Privilege revocation_privileges[] = {
    {'r', "SELECT"}, {'r', "INSERT"}, {'r', "UPDATE"}, {'r', "DELETE"}};

/// Needed for the table of failed sign-in attempts.
inline constexpr Privilege attempt_privileges[] = {
    {'t', "SELECT"}, {'t', "INSERT"}, {'t', "UPDATE"}, {'t', "DELETE"}};

/// Needed to verify passwords.
inline constexpr Privilege password_privileges[] = {
    {'u', "SELECT"},
    {'a', "SELECT", "userId"},
    {'a', "SELECT", "providerId"},
    {'a', "SELECT", "password"},
};

/// Needed, in addition to password_privileges, to verify passwords of users with two credential
/// accounts.
inline constexpr Privilege account_id_privileges[] = {{'a', "SELECT", "accountId"}};

/// Needed for sign-in, in addition to session_privileges and password_privileges.
inline constexpr Privilege sign_in_privileges[] = {{'s', "INSERT"},
                                                   {'s', "UPDATE"},
                                                   {'s', "DELETE"},
                                                   {'u', "UPDATE", "updatedAt"},
                                                   {'a', "UPDATE", "updatedAt"}};

/// Needed for sign-in with a second factor, in addition to sign_in_privileges. Covers those tables
/// of the plugin that exist, and the table of attempts if it can be used.
inline std::vector<Privilege> second_factor_privileges(const Schema& schema) {
    std::vector<Privilege> all;
    if (const OwnedTable* const factors = schema.second_factors()) {
        const char letter = schema.letter(*factors);
        all.insert(all.end(), {{letter, "SELECT"},
                               {letter, "UPDATE", "backupCodes"},
                               {letter, "UPDATE", "failedVerificationCount"},
                               {letter, "UPDATE", "lockedUntil"}});
    }
    if (const OwnedTable* const values = schema.verifications()) {
        const char letter = schema.letter(*values);
        all.insert(all.end(), {{letter, "SELECT"}, {letter, "INSERT"}, {letter, "DELETE"}});
    }
    if (schema.attempt.exists())
        all.insert(all.end(), std::begin(attempt_privileges), std::end(attempt_privileges));
    return all;
}

} // namespace useradmin::store
