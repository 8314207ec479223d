// The records of the application's tables, and one table of fields for each: reading a row, binding
// arguments and writing JSON all go through it.
#pragma once

#include "text/timestamp.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <variant>

namespace useradmin::model {

using text::Timestamp;
using NullableText = std::optional<std::string_view>;
using NullableTime = std::optional<Timestamp>;

/// What a column is set to; nothing is NULL.
using Value = std::variant<std::monostate, std::string_view, bool, Timestamp>;

/// What happens to a value whose column the table does not have.
enum class IfAbsent {
    ignore, ///< it is lost, and nobody misses it
    reject, ///< the work fails, unless the value is what an absent column is read as
};

/// A field of a record: how it is named in the application's tables and in JSON, and where it lies.
template <class Record>
struct Field {
    /// In camelCase; the column may have it in snake_case.
    std::string_view name;
    std::variant<std::string_view Record::*, NullableText Record::*, bool Record::*,
                 NullableTime Record::*>
        member;
    IfAbsent if_absent = IfAbsent::ignore;
    /// What the interface shows for NULL and for a column that is absent; empty: null.
    std::string_view null_substitute = {};
};

/// A row of the user table (specification 2.1). What is NULL or absent in the database is nothing
/// here. Views live as long as the request.
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
    /// The columns beyond those, as a JSON object; filled by create and update alone.
    std::string_view extra_columns;
    /// A text of letters, digits, dots and dashes that is another one whenever the row was changed,
    /// whoever did it; filled by find, create and update alone.
    std::string_view version;
};

/// In the order of the specification.
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
    /// The administrator who acts as this user, by better-auth's admin plugin.
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

/// A row of the account table: a credential account (2.2).
struct Account {
    std::string_view id;
    std::string_view account_id;
    std::string_view provider_id = "credential";
    std::string_view user_id;
    NullableText password;
    NullableTime created_at;
    NullableTime updated_at;
    /// By this better-auth 1.7.0 to 1.7.2 told accounts apart.
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

/// Whether a field holds secrets.
constexpr bool is_secret(std::string_view field) noexcept {
    return field == "password" || field == "token";
}

/// The fields of a kind of record.
template <class Record>
constexpr std::span<const Field<Record>> fields() noexcept;
template <>
constexpr std::span<const Field<User>> fields<User>() noexcept {
    return user_fields;
}
template <>
constexpr std::span<const Field<Session>> fields<Session>() noexcept {
    return session_fields;
}
template <>
constexpr std::span<const Field<Account>> fields<Account>() noexcept {
    return account_fields;
}

/// The value of a field of a record.
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
