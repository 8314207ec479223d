// What the operations ask of the tables. Views in what it returns live as long as the request.
#pragma once

#include "store/result.hpp"
#include "text/timestamp.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace useradmin::store {

using text::Timestamp;
using Text = std::optional<std::string_view>;

/// A row of the user table (specification 2.1). What is NULL or absent in the database is nothing
/// here.
struct User {
    std::string_view id;
    std::string_view name;
    std::string_view email;
    Text role;
    bool email_verified = false;
    Text image;
    std::optional<Timestamp> created_at;
    std::optional<Timestamp> updated_at;
    bool banned = false;
    Text ban_reason;
    std::optional<Timestamp> ban_expires;
    /// The columns beyond those, as the members of a JSON object; filled by create and update
    /// alone.
    std::string_view other_columns;
};

/// Which users a list holds: those that match any of the filters, or all where there is none (4.1).
struct Filter {
    Text role;
    Text search;
};

struct Page {
    std::vector<User> users;
    std::int64_t total = 0;
};

/// A user to be made, with its credential account (4.2, 2.2).
struct NewUser {
    std::string_view id;
    std::string_view name;
    std::string_view email;
    std::string_view role;
    std::string_view account_id;
    /// The accountId of the credential account.
    std::string_view account_name;
    std::string_view password_hash;
    Timestamp now;
};

/// What an update sets; nothing means: as it was (4.4).
struct Changes {
    Text name;
    Text email;
    Text role;
    std::optional<bool> banned;
    Text ban_reason;
    Timestamp now;
};

enum class Removal { removed, not_found, protected_address };

/// A row of the session table (2.3).
struct Session {
    std::string_view id;
    std::string_view token;
    std::string_view user_id;
    std::optional<Timestamp> expires_at;
    std::optional<Timestamp> created_at;
    std::optional<Timestamp> updated_at;
    Text ip_address;
    Text user_agent;
    /// The administrator who acts as this user, by better-auth's admin plugin.
    Text impersonated_by;
};

/// A session and the user whose it is.
struct SignedIn {
    Session session;
    User user;
};

struct NewSession {
    std::string_view id;
    std::string_view token;
    std::string_view user_id;
    Timestamp now;
    Timestamp expires_at;
    Text ip_address;
    Text user_agent;
};

/// A user and the hash of its credential account, as it is stored.
struct Credential {
    User user;
    Text password_hash;
};

/// What a ban says; no expiry means for ever.
struct Ban {
    Text reason;
    std::optional<Timestamp> expires;
};

/// The tables, as the operations see them. Texts that go in are clean UTF-8 without U+0000.
class Store {
  public:
    virtual ~Store() = default;

    /// The users of one page, newest first, and how many match in all (4.1).
    virtual Result<Page> list(const Filter& filter, std::int64_t limit, std::int64_t offset) = 0;
    /// The user with that id, or nothing (4.3).
    virtual Result<std::optional<User>> find(std::string_view id) = 0;
    /// The user with that address, to the letter, or nothing.
    virtual Result<std::optional<User>> find_by_email(std::string_view email) = 0;
    /// Makes the user and its account, both or none; nothing where the address is taken (4.2).
    virtual Result<std::optional<User>> create(const NewUser& user) = 0;
    /// The full row after the changes, or nothing where no user has that id (4.4).
    virtual Result<std::optional<User>> update(std::string_view id, const Changes& changes) = 0;
    /// Deletes the user's sessions, its accounts and the user, all or none, unless its address is
    /// the protected one (4.4.1).
    virtual Result<Removal> remove(std::string_view id, std::string_view protected_email) = 0;
    /// Sets the user's ban, or lifts it with its reason and expiry; false where no user has that
    /// id.
    virtual Result<bool> set_ban(std::string_view id, const std::optional<Ban>& ban,
                                 Timestamp now) = 0;

    /// The user with that address and its password's hash; nothing where there is no such user, or
    /// it has no credential account.
    virtual Result<std::optional<Credential>> credential(std::string_view email) = 0;
    /// Replaces the hash in the user's credential account, or makes the account where there is
    /// none. Of the new user, the id, account_id, account_name, password_hash and now are used.
    virtual Result<bool> set_password(const NewUser& user) = 0;

    /// The session with that token, with its user, or nothing (5).
    virtual Result<std::optional<SignedIn>> session(std::string_view token) = 0;
    /// The user's sessions, newest first, expired ones too.
    virtual Result<std::vector<Session>> sessions_of(std::string_view user_id) = 0;
    virtual Result<bool> open_session(const NewSession& session) = 0;
    /// Moves the expiry of a session; false where there is none with that token.
    virtual Result<bool> extend_session(std::string_view token, Timestamp expires_at,
                                        Timestamp now) = 0;
    /// Ends a session; false where there is none with that token.
    virtual Result<bool> close_session(std::string_view token) = 0;
    /// Ends all sessions of a user.
    virtual Result<bool> close_sessions_of(std::string_view user_id) = 0;
};

} // namespace useradmin::store
