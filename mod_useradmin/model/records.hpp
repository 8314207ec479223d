// The records of the application's tables. The field tables determine how rows are read, arguments
// are bound and JSON is written.
#pragma once

#include "text/timestamp.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace useradmin::model {

using text::Timestamp;
using NullableText = std::optional<std::string_view>;
using NullableTime = std::optional<Timestamp>;

/// A value for a column. std::monostate is NULL.
using Value = std::variant<std::monostate, std::string_view, bool, Timestamp>;

/// Returns a value as text: a string, "true" or "false", a time in ISO 8601, or std::nullopt for
/// NULL.
std::optional<std::string> text_of(const Value& value);

/// Returns whether a boolean that was read as text is false. NULL is not false.
constexpr bool is_false(NullableText boolean) noexcept {
    return boolean == "f" || boolean == "0" || boolean == "false";
}

/// What to do with a value if the column does not exist.
enum class IfAbsent {
    ignore, ///< ignore the value
    reject, ///< fail, unless the value is the default for a missing column
};

/// Maps a name in tables and JSON to a member of the record.
template <class Record>
struct Field {
    /// The name in camelCase. The column's name may be in snake_case.
    std::string_view name;
    std::variant<std::string_view Record::*, NullableText Record::*, bool Record::*,
                 NullableTime Record::*>
        member;
    IfAbsent if_absent = IfAbsent::ignore;
    /// The JSON value for NULL or a missing column. If empty, the JSON value is null.
    std::string_view null_substitute = {};
};

/// The value of an extra column as JSON.
struct ExtraValue {
    std::string_view name;
    std::string_view json;
};

/// A row of the user table (specification 2.1). If a column is NULL or missing, its member is
/// std::nullopt, an empty string or false. Views are valid for the lifetime of the request.
struct User {
    std::string_view id;
    std::string_view name;
    std::string_view email;
    NullableText role;
    bool email_verified = false;
    NullableText image;
    NullableTime created_at;
    NullableTime updated_at;
    bool banned = false;
    NullableText ban_reason;
    NullableTime ban_expires;
    /// The extra columns. Set only by create and update, and with UserColumns::all by find and
    /// list.
    std::span<const ExtraValue> extra_columns;
    /// The row version: letters, digits, dots and dashes. Changes when any client changes the row.
    /// Set only by find, create and update.
    std::string_view version;
    /// The value that the list is sorted by, as the database formats it. Set only by list, and not
    /// if Window::column is set.
    NullableText sort_key;
    /// The last activity, or NULL if it is unknown. Set only by Store::read_last_activity.
    std::optional<NullableTime> last_seen;
};

/// In the order of the specification (2.1).
inline constexpr Field<User> user_fields[] = {
    {"id", &User::id},
    {"name", &User::name},
    {"email", &User::email},
    {"role", &User::role, IfAbsent::reject, "user"},
    {"emailVerified", &User::email_verified},
    {"image", &User::image},
    {"createdAt", &User::created_at},
    {"updatedAt", &User::updated_at},
    {"banned", &User::banned, IfAbsent::reject},
    {"banReason", &User::ban_reason, IfAbsent::reject},
    {"banExpires", &User::ban_expires, IfAbsent::reject},
};

/// Returns the field of the user with this name, or nullptr.
const Field<User>* find_user_field(std::string_view name) noexcept;

/// Returns whether the user has a field with this name whose member has the type.
template <class Type>
bool has_user_field(std::string_view name) noexcept {
    const Field<User>* const field = find_user_field(name);
    return field != nullptr && std::holds_alternative<Type User::*>(field->member);
}

/// A row of the session table (2.3).
struct Session {
    std::string_view id;
    std::string_view token;
    std::string_view user_id;
    NullableTime expires_at;
    NullableTime created_at;
    NullableTime updated_at;
    NullableText ip_address;
    NullableText user_agent;
    /// The id of the administrator who impersonates the user (better-auth's admin plugin).
    NullableText impersonated_by;
};

inline constexpr Field<Session> session_fields[] = {
    {"id", &Session::id},
    {"token", &Session::token},
    {"userId", &Session::user_id},
    {"expiresAt", &Session::expires_at},
    {"createdAt", &Session::created_at},
    {"updatedAt", &Session::updated_at},
    {"ipAddress", &Session::ip_address},
    {"userAgent", &Session::user_agent},
    {"impersonatedBy", &Session::impersonated_by},
};

/// A credential account (2.2): a row of the account table.
struct Account {
    std::string_view id;
    std::string_view account_id;
    std::string_view provider_id = "credential";
    std::string_view user_id;
    NullableText password;
    NullableTime created_at;
    NullableTime updated_at;
    /// The column exists only in better-auth 1.7.0 to 1.7.2.
    std::string_view issuer = "local:credential";
};

inline constexpr Field<Account> account_fields[] = {
    {"id", &Account::id},
    {"accountId", &Account::account_id},
    {"providerId", &Account::provider_id},
    {"userId", &Account::user_id},
    {"password", &Account::password},
    {"createdAt", &Account::created_at},
    {"updatedAt", &Account::updated_at},
    {"issuer", &Account::issuer},
};

/// A row of the API key table of better-auth's plugin, without the digest of the key. Numbers are
/// strings, and intervals are in milliseconds.
struct ApiKey {
    std::string_view id;
    /// The owner's id in better-auth up to 1.4.
    NullableText user_id;
    /// The owner's id since better-auth 1.5. The owner may be an organization.
    NullableText reference_id;
    NullableText config_id;
    NullableText name;
    /// The first characters of the key.
    NullableText start;
    NullableText enabled;
    NullableTime expires_at;
    NullableTime created_at;
    NullableTime updated_at;
    NullableText remaining;
    NullableText refill_amount;
    NullableText refill_interval;
    NullableTime last_refill_at;
    NullableText rate_limit_enabled;
    NullableText rate_limit_time_window;
    NullableText rate_limit_max;
    NullableText request_count;
    NullableTime last_request;
    /// The permissions as JSON, such as {"files":["read"]}.
    NullableText permissions;

    bool is_enabled() const noexcept { return !is_false(enabled); }
};

inline constexpr Field<ApiKey> api_key_fields[] = {
    {"id", &ApiKey::id},
    {"userId", &ApiKey::user_id},
    {"referenceId", &ApiKey::reference_id},
    {"configId", &ApiKey::config_id},
    {"name", &ApiKey::name},
    {"start", &ApiKey::start},
    {"enabled", &ApiKey::enabled},
    {"expiresAt", &ApiKey::expires_at},
    {"createdAt", &ApiKey::created_at},
    {"updatedAt", &ApiKey::updated_at},
    {"remaining", &ApiKey::remaining},
    {"refillAmount", &ApiKey::refill_amount},
    {"refillInterval", &ApiKey::refill_interval},
    {"lastRefillAt", &ApiKey::last_refill_at},
    {"rateLimitEnabled", &ApiKey::rate_limit_enabled},
    {"rateLimitTimeWindow", &ApiKey::rate_limit_time_window},
    {"rateLimitMax", &ApiKey::rate_limit_max},
    {"requestCount", &ApiKey::request_count},
    {"lastRequest", &ApiKey::last_request},
    {"permissions", &ApiKey::permissions},
};

/// A row of better-auth's twoFactor table.
struct SecondFactor {
    std::string_view user_id;
    /// The key for one-time codes, encrypted with the application's secret.
    std::string_view secret;
    /// The unused backup codes as a JSON array, usually encrypted like the key.
    std::string_view backup_codes;
    /// Whether the user has confirmed the second factor with a valid code. NULL means yes.
    NullableText verified;
    NullableText failed_verification_count;
    NullableTime locked_until;

    bool is_verified() const noexcept { return !is_false(verified); }
};

inline constexpr Field<SecondFactor> second_factor_fields[] = {
    {"userId", &SecondFactor::user_id},
    {"secret", &SecondFactor::secret},
    {"backupCodes", &SecondFactor::backup_codes},
    {"verified", &SecondFactor::verified},
    {"failedVerificationCount", &SecondFactor::failed_verification_count},
    {"lockedUntil", &SecondFactor::locked_until},
};

/// A row of better-auth's verification table.
struct VerificationValue {
    std::string_view id;
    std::string_view identifier;
    std::string_view value;
    NullableTime expires_at;
    NullableTime created_at;
    NullableTime updated_at;
};

/// The prefix of the identifiers of better-auth's password links in the verification table. The
/// value of these rows is the user's id.
inline constexpr std::string_view password_link_prefix = "reset-password:";

inline constexpr Field<VerificationValue> verification_value_fields[] = {
    {"id", &VerificationValue::id},
    {"identifier", &VerificationValue::identifier},
    {"value", &VerificationValue::value},
    {"expiresAt", &VerificationValue::expires_at},
    {"createdAt", &VerificationValue::created_at},
    {"updatedAt", &VerificationValue::updated_at},
};

enum class MethodKind {
    account, ///< a password or a social provider
    second_factor,
    passkey,
    api_key,
};

/// All kinds, in the order of lists.
inline constexpr MethodKind method_kinds[] = {MethodKind::account, MethodKind::second_factor,
                                              MethodKind::passkey, MethodKind::api_key};

/// Returns the name of a kind in JSON and URLs.
constexpr std::string_view text_of(MethodKind kind) noexcept {
    constexpr std::string_view names[] = {"account", "second-factor", "passkey", "api-key"};
    return names[static_cast<std::size_t>(kind)];
}

/// A sign-in method of a user, read from one of several tables without its secrets.
struct SignInMethod {
    MethodKind kind = MethodKind::account;
    /// NULL for a second factor.
    NullableText id;
    /// Only for an account. "credential" means a password.
    NullableText provider_id;
    NullableText name;
    /// The first characters of an API key.
    NullableText start;
    /// Only for an API key. NULL means yes.
    NullableText enabled;
    NullableTime created_at;
    NullableTime expires_at;

    bool is_enabled() const noexcept { return !is_false(enabled); }
};

inline constexpr Field<SignInMethod> sign_in_method_fields[] = {
    {"id", &SignInMethod::id},
    {"providerId", &SignInMethod::provider_id},
    {"name", &SignInMethod::name},
    {"start", &SignInMethod::start},
    {"enabled", &SignInMethod::enabled},
    {"createdAt", &SignInMethod::created_at},
    {"expiresAt", &SignInMethod::expires_at},
};

constexpr bool is_secret(std::string_view field) noexcept {
    return field == "password" || field == "token" || field == "secret" || field == "backupCodes";
}

template <class Record>
constexpr std::span<const Field<Record>> fields() noexcept {
    if constexpr (std::is_same_v<Record, User>)
        return user_fields;
    else if constexpr (std::is_same_v<Record, Session>)
        return session_fields;
    else if constexpr (std::is_same_v<Record, Account>)
        return account_fields;
    else if constexpr (std::is_same_v<Record, ApiKey>)
        return api_key_fields;
    else if constexpr (std::is_same_v<Record, SecondFactor>)
        return second_factor_fields;
    else if constexpr (std::is_same_v<Record, VerificationValue>)
        return verification_value_fields;
    else
        return sign_in_method_fields;
}

/// Sets a field to a value of its type, or clears it for NULL. Ignores values of another type.
template <class Record>
void set_value(Record& record, const Field<Record>& field, const Value& value) {
    const auto set = [&](auto& member) {
        using Member = std::decay_t<decltype(member)>;
        using Held = std::conditional_t<
            std::is_same_v<Member, NullableText>, std::string_view,
            std::conditional_t<std::is_same_v<Member, NullableTime>, Timestamp, Member>>;
        if (const auto* const held = std::get_if<Held>(&value))
            member = *held;
        else if (std::holds_alternative<std::monostate>(value))
            member = Member();
    };
    std::visit([&](auto member) { set(record.*member); }, field.member);
}

template <class Record>
Value value_of(const Record& record, const Field<Record>& field) {
    const auto value = [](const auto& member) -> Value {
        using Member = std::decay_t<decltype(member)>;
        if constexpr (std::is_same_v<Member, NullableText> || std::is_same_v<Member, NullableTime>)
            return member ? Value(*member) : Value();
        else
            return member;
    };
    return std::visit([&](auto member) { return value(record.*member); }, field.member);
}

} // namespace useradmin::model
