// What the operations ask of the tables. Views in what it returns live as long as the request.
#pragma once

#include "model/records.hpp"
#include "store/result.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::store {

/// Which users a list holds: those that match any of the filters, or all where there is none (4.1).
struct Filter {
    model::NullableText role;
    model::NullableText search;
    std::optional<bool> banned = {};
    std::optional<bool> email_verified = {};
    /// From when on a user was made, and before when.
    model::NullableTime created_from = {};
    model::NullableTime created_before = {};
    /// Whether a user must match all of them.
    bool matches_all = false;

    /// Whether it is one of the specification's own.
    bool is_standard() const noexcept {
        return !banned && !email_verified && !created_from && !created_before && !matches_all;
    }
    bool is_empty() const noexcept { return is_standard() && !role && !search; }
};

/// What lists are sorted by. Texts are in the order of their text::sort_key.
enum class SortKey { created_at, name, email, updated_at };

/// The order of a list. What is equal comes in the order of the ids; an order's reverse is its
/// reverse in that, too.
struct Order {
    SortKey by = SortKey::created_at;
    bool is_descending = true;

    /// Whether it is the one of a list that asks for none.
    bool is_default() const noexcept { return by == SortKey::created_at && is_descending; }
    Order reversed() const noexcept { return {by, !is_descending}; }
};

/// Which of the filter's users a page holds.
struct Window {
    std::int64_t limit = 0;
    std::int64_t offset = 0;
    Order order = {};

    /// How many users there are up to the page's end.
    std::int64_t end() const noexcept {
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        return offset > most - limit ? most : limit + offset;
    }
};

struct Page {
    std::vector<model::User> users;
    std::int64_t total = 0;
};

/// A user to be made, with its credential account (4.2, 2.2).
struct NewUser {
    /// For tables whose ids are texts; where they are numbers, the database makes them.
    std::string id;
    std::string account_id;
    std::string_view name;
    std::string_view email;
    std::string_view role;
    std::string_view password_hash;
    /// What the accountId of the account is: the address (2.2), or the user's id.
    bool account_id_is_user_id = false;
    text::Timestamp now;
};

/// The rows that a new user comes to. Where the database makes the ids, the account's are empty.
inline model::User user_row(const NewUser& user) {
    model::User row;
    row.id = user.id;
    row.name = user.name;
    row.email = user.email;
    row.role = user.role;
    row.email_verified = true;
    row.created_at = row.updated_at = user.now;
    return row;
}

/// The credential account of a user, new at that time (2.2). Its own id is for tables whose ids are
/// texts.
inline model::Account credential_account(const model::User& user, std::string_view id,
                                         model::NullableText password_hash,
                                         bool account_id_is_user_id, text::Timestamp now) {
    model::Account row;
    row.id = id;
    row.account_id = account_id_is_user_id ? user.id : user.email;
    row.user_id = user.id;
    row.password = password_hash;
    row.created_at = row.updated_at = now;
    return row;
}

inline model::Account account_row(const NewUser& user) {
    return credential_account(user_row(user), user.account_id, user.password_hash,
                              user.account_id_is_user_id, user.now);
}

/// A field that an update sets, by its name in the table of fields.
struct Change {
    std::string_view field;
    model::Value value;
};
using Changes = std::vector<Change>;

/// The address that nobody deletes (4.4.1, check 5).
struct ProtectedEmail {
    std::string_view email;
    /// Whether addresses that differ in case alone are the same one.
    bool ignores_case = false;
};

/// Versions of a user's row; nothing: any.
using Versions = std::optional<std::vector<std::string_view>>;

/// The caller of a change, where it is a row of the user table. When the change is made, the row
/// must still be there, have one of the roles, and not be banned.
struct Actor {
    std::string_view id;
    std::span<const std::string_view> roles;
    /// When a ban that has expired is none any more.
    text::Timestamp now = {};
};

/// What a change of a user must not do (UserAdminGuard), and which row it is meant for.
struct UpdateGuard {
    enum class Kind {
        none,
        requires_role,      ///< change a user of another role: outranked
        keeps_last_of_role, ///< take the role from the last one who is not banned: last_of_role
    };
    Kind kind = Kind::none;
    std::string_view role = {};
    /// When a ban that has expired is none any more.
    text::Timestamp now = {};
    /// Of which the row must be one, or else it has changed. It is looked at last.
    Versions versions = {};
    /// Nothing: the caller is not checked again.
    std::optional<Actor> actor = {};

    bool is_empty() const noexcept { return kind == Kind::none && !versions && !actor; }
};

/// What becomes of a user's sessions with a change of the user.
enum class SessionPolicy {
    keep,
    revoke, ///< all of them, with the change or not at all
};

/// What must hold of a user when a session is opened for it.
struct SessionTerms {
    /// The user as it was verified: it must still have the address and the role. nullptr: it must
    /// exist.
    const model::User* verified = nullptr;
    /// Whether it may be banned.
    bool allows_banned = false;
    /// When a ban or a session that has expired is none any more.
    text::Timestamp now = {};
    /// The hash that its credential account must still have; nothing: any or none.
    model::NullableText password_hash = {};
    /// How many live sessions it has at most with this one; the oldest end first, and the expired
    /// ones with them. 0: no limit.
    std::int64_t max_sessions = 0;
};

/// A session and the user whose it is.
struct SessionWithUser {
    model::Session session;
    model::User user;
};

/// A user and the hash of its credential account, as it is stored.
struct Credential {
    model::User user;
    model::NullableText password_hash;
    /// Whether better-auth's column twoFactorEnabled says that the password alone signs nobody in.
    bool has_second_factor = false;
};

/// What an operator should know of the database.
struct Survey {
    /// Whether a user has the protected address.
    bool has_protected_user = false;
    /// Whether two addresses differ in case alone.
    bool has_case_collisions = false;
    /// How many connections the account may have in all; 0 where the database sets no bound.
    std::int64_t connection_limit = 0;
};

/// A column of the user table beyond the fields, and what its values are in JSON, or null.
struct ExtraColumn {
    enum class Kind { text, integer, boolean, time, any };
    std::string_view name;
    Kind kind = Kind::any;
};

/// Who is told what a store changes, row by row: an audit log, say.
class ChangeListener {
  public:
    virtual ~ChangeListener() = default;
    /// Whether a change is told before it is final, and undone where it could not be told.
    virtual bool runs_before_commit() const noexcept = 0;
    /// A user was changed, or what belongs to it: its row before and after, nullptr where there is
    /// none or where it stays as it is. Whose session ended is empty where nobody knows. False
    /// where it could not be told.
    virtual bool on_change(std::string_view user_id, const model::User* before,
                           const model::User* after) = 0;
    /// Called when the database does not answer what commits a change: the change may have been
    /// made. The change can still succeed when it is repeated.
    virtual void on_unknown_outcome() noexcept {}
};

/// The tables, as the operations see them. Texts that go in are clean UTF-8 without U+0000. Every
/// call can fail as unavailable or failed; the other failures stand with the calls.
class Store {
  public:
    virtual ~Store() = default;

    /// The users of one page, in the window's order, and how many match in all (4.1).
    virtual Result<Page> list(const Filter& filter, const Window& window) = 0;
    /// The user with that id (4.3), or not_found.
    virtual Result<model::User> find(std::string_view id) = 0;
    /// The user with that address, to the letter, or not_found.
    virtual Result<model::User> find_by_email(std::string_view email) = 0;
    /// Makes the user and its account, both or none: the full row, or address_taken (4.2), or why
    /// the caller may not.
    virtual Result<model::User> create(const NewUser& user,
                                       const std::optional<Actor>& actor = {}) = 0;
    /// The full row after the changes (4.4), or not_found, or what the guard says. Where sessions
    /// are to end, they do so if the changes ban the user, or give it another role or address.
    virtual Result<model::User> update(std::string_view id, const Changes& changes,
                                       const UpdateGuard& guard = {},
                                       SessionPolicy sessions = SessionPolicy::keep) = 0;
    /// Deletes the user's sessions, its accounts and the user, all or none (4.4.1); not_found,
    /// protected_address, or what the guard says.
    virtual Result<Done> remove(std::string_view id, const ProtectedEmail& spared,
                                const UpdateGuard& guard = {}) = 0;
    /// Whether somebody else than the user has the role and is not banned; not_found where nobody
    /// is.
    virtual Result<Done> exists_other_with_role(std::string_view id, std::string_view role,
                                                text::Timestamp now) = 0;

    /// The user with that address, to the letter, and its password's hash; not_found where there is
    /// no such user, or it has no credential account.
    virtual Result<Credential> find_credential(std::string_view email) = 0;
    /// Replaces the hash in the user's credential account, or makes the account; not_found where
    /// there is no such user, or what the guard says. Where sessions are to end, all of the user's
    /// do.
    virtual Result<Done> set_password(const model::Account& account,
                                      SessionPolicy sessions = SessionPolicy::keep,
                                      const UpdateGuard& guard = {}) = 0;
    /// Replaces the hash in the user's credential account where it is that one; not_found where it
    /// is another.
    virtual Result<Done> replace_hash(const model::Account& account,
                                      std::string_view instead_of) = 0;
    /// How the passwords of credential accounts are hashed: for each way that a bounded sample of
    /// them shows, the hash's text up to its salt ("$argon2id$v=19$m=19456,t=2,p=1$", "$2b$12$"),
    /// "scrypt" for texts of better-auth's length, or "other".
    virtual Result<std::vector<std::string>> password_formats() = 0;

    /// The session with that token, with its user, or not_found (5). Its token is the text that
    /// was given: the database does not send it back.
    virtual Result<SessionWithUser> find_session(std::string_view token) = 0;
    /// The same, with what says whether the session counts, and for whom, alone: its expiresAt and
    /// impersonatedBy, and of its user the id, the role and the ban.
    virtual Result<SessionWithUser> find_caller(std::string_view token) = 0;
    /// The user's sessions, newest first, expired ones too.
    virtual Result<std::vector<model::Session>> list_sessions(std::string_view user_id) = 0;
    /// Those that last, so many at most, newest first and without their tokens.
    virtual Result<std::vector<model::Session>>
    list_active_sessions(std::string_view user_id, text::Timestamp now, std::int64_t most) = 0;
    /// Opens a session; its id, which the database may have made. Returns changed where the terms
    /// do not hold. A change that ends the user's sessions comes wholly before or wholly after it.
    virtual Result<std::string_view> create_session(const model::Session& session,
                                                    const SessionTerms& terms = {}) = 0;
    /// Moves the expiry of a session, or not_found.
    virtual Result<Done> extend_session(std::string_view token, text::Timestamp expires_at,
                                        text::Timestamp now) = 0;
    /// Ends a session, or not_found.
    virtual Result<Done> delete_session(std::string_view token) = 0;
    /// Ends the session of the user that has the id, or not_found, or why the caller may not.
    virtual Result<Done> delete_session_of_user(std::string_view user_id, std::string_view id,
                                                const std::optional<Actor>& actor = {}) = 0;
    /// Ends all sessions of a user; how many there were, or why the caller may not.
    virtual Result<std::int64_t>
    delete_sessions_of_user(std::string_view user_id, const std::optional<Actor>& actor = {}) = 0;

    /// The columns of the user table beyond the fields, in the table's order.
    virtual Result<std::vector<ExtraColumn>> extra_columns() = 0;
    /// Looks at the addresses of all users, and at what the account may do.
    virtual Result<Survey> survey(const ProtectedEmail& spared) = 0;
};

} // namespace useradmin::store
