// The interface that the operations use. String views in results live as long as the request.
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

/// A condition on one column. It is impossible if the table has no such column, or if the column
/// cannot be compared with the values.
struct Condition {
    enum class Operator {
        eq,
        ne,
        lt,
        lte,
        gt,
        gte,
        in,
        not_in,
        contains, ///< as LIKE, without wildcards
        starts_with,
        ends_with,
        exists, ///< the column exists, and lists can be sorted by it
    };

    /// The name of a field or a further column.
    std::string column;
    Operator comparison = Operator::eq;
    std::vector<std::string> values = {};
};

/// The filter of a list: users that match any of the conditions, or all users if there is none
/// (4.1).
struct Filter {
    model::NullableText role;
    model::NullableText search;
    std::optional<bool> banned = {};
    std::optional<bool> email_verified = {};
    /// The creation time: from inclusive, until exclusive.
    model::NullableTime created_from = {};
    model::NullableTime created_before = {};
    /// The last activity, likewise. An unknown last activity is before every time.
    model::NullableTime seen_from = {};
    model::NullableTime seen_before = {};
    /// Whether a user must match all conditions.
    bool matches_all = false;
    std::vector<Condition> conditions = {};

    /// Returns whether the filter has only conditions of the specification.
    bool is_standard() const noexcept {
        return !banned && !email_verified && !created_from && !created_before && !seen_from &&
               !seen_before && !matches_all && conditions.empty();
    }
    bool is_empty() const noexcept { return is_standard() && !role && !search; }
};
/// Returns a string that identifies the filter.
std::string identity_of(const Filter& filter);

/// Sort keys of lists. Names and addresses are sorted by their text::sort_key.
enum class SortKey { created_at, name, email, updated_at, last_seen };

/// The order of a list. Equal rows are sorted by id. The reverse order also reverses the ids. An
/// unknown last activity is before every time.
struct Order {
    SortKey by = SortKey::created_at;
    bool is_descending = true;

    /// Returns whether it is the default order.
    bool is_default() const noexcept { return by == SortKey::created_at && is_descending; }
    bool is_of_times() const noexcept {
        return by == SortKey::created_at || by == SortKey::updated_at || by == SortKey::last_seen;
    }
    Order reversed() const noexcept { return {by, !is_descending}; }
};

/// The columns of a user to read.
enum class UserColumns { known, all };

/// A position in a list: that of a user, who may have been changed or deleted since.
struct Position {
    /// User::sort_key.
    model::NullableText key;
    std::string_view id;
    /// Whether the page ends before the position instead of starting after it.
    bool is_end = false;
};

/// The part of a list that a page contains.
struct Window {
    /// 0: only the total is wanted.
    std::int64_t limit = 0;
    std::int64_t offset = 0;
    Order order = {};
    /// Replaces the offset, unless the table cannot have such a row.
    std::optional<Position> position = {};
    /// The column to sort by instead of the order's key, as the database sorts it; empty: none.
    std::string_view column = {};
    UserColumns columns = UserColumns::known;

    /// Returns the number of users up to the end of the page.
    std::int64_t end() const noexcept {
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        return offset > most - limit ? most : limit + offset;
    }
};

struct Page {
    std::vector<model::User> users;
    std::int64_t total = 0;
};

/// A field to set, by its name in the field table.
struct Change {
    enum class When {
        always,
        other_email, ///< if the changes include an address other than the stored one
        other_email_ignoring_case,
        expired, ///< if the stored time is not later than the changes' updatedAt
    };

    std::string_view field;
    model::Value value;
    When when = When::always;
    /// Whether the name is that of a column, possibly a further one. If there is no such column,
    /// the change is ignored.
    bool names_column = false;
};
using Changes = std::vector<Change>;

/// A new user with its credential account (4.2, 2.2).
struct NewUser {
    /// The id; ignored if the database generates it.
    std::string id;
    std::string account_id;
    std::string_view name;
    std::string_view email;
    std::string_view role;
    std::string_view password_hash;
    /// Whether accountId is the user's id instead of the address (2.2).
    bool account_id_is_user_id = false;
    text::Timestamp now;
    /// Whether to create the credential account.
    bool has_account = true;
    /// Further values of the row.
    Changes data = {};
};

/// Returns the row of a new user, without further columns.
model::User user_row(const NewUser& user);
/// Returns the row of its credential account. If the database generates the user's id, the account
/// does not have it yet.
model::Account account_row(const NewUser& user);

/// Returns a new credential account (2.2). id: ignored if the database generates it.
model::Account credential_account(const model::User& user, std::string_view id,
                                  model::NullableText password_hash, bool account_id_is_user_id,
                                  text::Timestamp now);

/// Returns the change that marks a new address as not verified (UserAdminEmailChange). An address
/// that differs only in case is a new one, unless addresses are stored in lower case.
inline Change unverified_email(bool lowers_email) {
    return {"emailVerified", false,
            lowers_email ? Change::When::other_email_ignoring_case : Change::When::other_email};
}

/// Returns the change that clears the end of a ban that has expired. Otherwise, a new ban without
/// an end would have no effect.
inline Change expired_ban_end() {
    return {"banExpires", {}, Change::When::expired};
}

/// The protected address (4.4.1, check 5).
struct ProtectedEmail {
    std::string_view email;
    /// Whether to ignore case when comparing addresses.
    bool ignores_case = false;
};

/// Versions of a user's row. Nothing: any version.
using Versions = std::optional<std::vector<std::string_view>>;

/// The caller of a change, if it has a row in the user table. When the change is made, the row must
/// still exist, have one of the roles, and not be banned.
struct Actor {
    std::string_view id;
    std::span<const std::string_view> roles;
    /// The current time, to ignore expired bans.
    text::Timestamp now = {};
};

/// Conditions of a change (UserAdminGuard), and the expected row version.
struct UpdateGuard {
    enum class Kind {
        none,
        requires_role,      ///< only users with the role may be changed: outranked
        keeps_last_of_role, ///< the last unbanned user with the role must keep it: last_of_role
    };
    Kind kind = Kind::none;
    std::string_view role = {};
    /// The current time, to ignore expired bans.
    text::Timestamp now = {};
    /// The expected versions, checked last; any other is version_mismatch.
    Versions versions = {};
    /// The caller to check again; nothing: no check.
    std::optional<Actor> actor = {};

    bool is_empty() const noexcept { return kind == Kind::none && !versions && !actor; }
};

/// What happens to a user's sessions on a change.
enum class SessionPolicy {
    keep,
    revoke, ///< end all, in the same transaction
};

/// What a change of a user does to rows of the plugins' tables. Requires TableNames::has_plugins
/// and the privileges on the tables.
struct PluginPolicy {
    /// Deletes the rows of a deleted user, and disables the API keys of a banned one
    /// (UserAdminCleanUp).
    bool cleans_up = true;
    /// Deletes the verification rows of the user's links to set a password if the user is banned or
    /// deleted, or gets another address or password.
    bool ends_links = false;
};

/// Conditions on the user of a new session.
struct SessionTerms {
    /// The user as verified: it must still have the address and the role. nullptr: it must exist.
    const model::User* verified = nullptr;
    /// Whether the user may be banned.
    bool allows_banned = false;
    /// The current time, to ignore expired bans and sessions.
    text::Timestamp now = {};
    /// The hash that the credential account must still have; nothing: no check.
    model::NullableText password_hash = {};
    /// The maximum number of live sessions including this one. The oldest are ended first, together
    /// with expired ones. 0: no limit.
    std::int64_t max_sessions = 0;
};

/// A session and its user.
struct SessionWithUser {
    model::Session session;
    model::User user;
};

/// A user and the stored hash of its credential account.
struct Credential {
    model::User user;
    model::NullableText password_hash;
    /// Whether better-auth's column twoFactorEnabled is set, so the password alone does not sign
    /// in.
    bool has_second_factor = false;
};

/// What a change revokes: rights and sessions of a user, or one session.
struct Revocation {
    std::string_view user_id;
    /// Empty: the user's rights, or all its sessions.
    std::string_view session_id;
    /// Set by the database, like the id.
    text::Timestamp created_at = {};
    std::int64_t id = 0;
};

/// What any server has revoked since a position.
struct Revocations {
    /// The position after all of them.
    std::int64_t position = 0;
    /// May include revocations from before the position.
    std::vector<Revocation> rows;
    /// Whether there are more rows.
    bool is_partial = false;
    /// Whether there is a table for them.
    bool has_table = true;
    /// Identifies the database and its table of revocations.
    std::string database = {};
};

/// A counter of failed attempts to sign in, shared by all servers.
struct AttemptCounter {
    std::string subject;
    /// The maximum number of failures until the count expires.
    std::int64_t limit;
};

/// The state of a client's counters.
struct FailedAttempts {
    /// Whether there is a table for the counts.
    bool has_table = true;
    /// Whether the first counter has counted any failure.
    bool has_first = false;
    /// The index of the first counter whose limit was reached.
    std::optional<std::size_t> exceeded = {};
    /// The time until all counts that have reached their limits expire.
    std::chrono::seconds retry_after{0};
};

/// An API key and its owner.
struct ApiKeyWithUser {
    model::ApiKey key;
    /// Nothing: the owner is not a user.
    std::optional<model::User> user;
};

/// What a request uses of an API key's limits.
struct ApiKeyUse {
    enum class Remaining {
        unlimited,
        take,   ///< one of the remaining requests
        refill, ///< the first request after a refill
    };
    enum class Rate {
        unlimited,
        start, ///< the first request of a window
        count, ///< a further request
    };

    std::string_view id;
    text::Timestamp now;
    Remaining remaining = Remaining::unlimited;
    /// The number of remaining requests after the refill and this request.
    std::int64_t refilled = 0;
    /// The last refill must not be later.
    text::Timestamp refill_before = {};
    Rate rate = Rate::unlimited;
    /// The maximum number of requests in the window.
    std::int64_t max_requests = 0;
    /// The last request of the previous window must not be later.
    text::Timestamp window_before = {};
};

/// A user and its second factor.
struct UserWithSecondFactor {
    model::User user;
    /// Whether better-auth's column twoFactorEnabled is set.
    bool is_enabled = false;
    model::SecondFactor factor;
};

/// What a step of signing in with a second factor changes, all or nothing.
struct SecondFactorChange {
    std::string_view user_id;
    text::Timestamp now;
    /// The identifiers of rows to delete from the verification table. The first row must exist, be
    /// unexpired, and have the user's id as its value.
    std::vector<std::string_view> taken = {};
    /// Rows to add to the verification table.
    std::vector<model::VerificationValue> added = {};
    /// The remaining backup codes, and the stored ones that they replace; nothing: no change.
    model::NullableText backup_codes = {};
    std::string_view instead_of = {};
    /// Whether to clear the count of failed codes and the lock, if the table has them.
    bool clears_failures = false;
};

/// The lock of a user's second factor after failed codes.
struct SecondFactorLock {
    /// The number of failed codes in a row that locks it.
    std::int64_t failures;
    text::Timestamp until;
};

/// Facts for the operator.
struct Survey {
    /// Whether a user has the protected address.
    bool has_protected_user = false;
    /// Whether two addresses differ only in case.
    bool has_case_collisions = false;
    /// The connection limit of the database's account; 0: none.
    std::int64_t connection_limit = 0;
    /// Why the column of UserAdminLastSeen cannot be used; otherwise empty.
    std::string last_seen_problem = {};
};

/// A further column of the user table, and the JSON type of its values, which may be null.
struct ExtraColumn {
    enum class Kind { text, integer, boolean, time, any };
    std::string_view name;
    Kind kind = Kind::any;
    bool is_nullable = true;
    /// The maximum of an integer column.
    std::int64_t max_value = std::numeric_limits<std::int64_t>::max();
};

/// A listener for changes, such as an audit log.
class ChangeListener {
  public:
    virtual ~ChangeListener() = default;
    /// Returns whether changes are reported before the commit, and rolled back if that fails.
    virtual bool runs_before_commit() const noexcept = 0;
    /// Reports a change of a user or its sessions and accounts, with the row before and after;
    /// nullptr if there is none or it is unchanged. user_id is empty if unknown. Returns false on
    /// failure.
    virtual bool on_change(std::string_view user_id, const model::User* before,
                           const model::User* after) = 0;
    /// Called if the commit got no response: the change may have been made. The store may repeat it
    /// and succeed.
    virtual void on_unknown_outcome() noexcept {}
};

/// The application's tables. Arguments are clean UTF-8 without U+0000. Every call can fail as
/// unavailable or failed; other failures are documented with the call.
class Store {
  public:
    virtual ~Store() = default;

    /// Returns a page of users in the window's order, and the total (4.1), or impossible_condition.
    virtual Result<Page> list(const Filter& filter, const Window& window) = 0;
    /// Returns the user with the id (4.3), or not_found.
    virtual Result<model::User> find(std::string_view id,
                                     UserColumns columns = UserColumns::known) = 0;
    /// Sets User::last_seen of the users.
    virtual Result<Done> read_last_activity(std::span<model::User> users) = 0;
    /// Returns the user with exactly that address, or not_found.
    virtual Result<model::User> find_by_email(std::string_view email) = 0;
    /// Returns the time of the last change that a standby has received, if the previous call read
    /// from a standby.
    virtual model::NullableTime standby_time() = 0;
    /// Creates the user and its account, both or neither. Returns the full row, or address_taken
    /// (4.2).
    virtual Result<model::User> create(const NewUser& user,
                                       const std::optional<Actor>& actor = {}) = 0;
    /// Changes a user. Returns the full row (4.4), not_found, invalid_value, or the guard's
    /// failure. With SessionPolicy::revoke, a ban, another role or another address ends the user's
    /// sessions.
    virtual Result<model::User> update(std::string_view id, const Changes& changes,
                                       const UpdateGuard& guard = {},
                                       SessionPolicy sessions = SessionPolicy::keep) = 0;
    /// Deletes the user's sessions, accounts and the user, all or none (4.4.1). Fails as not_found,
    /// protected_address, or the guard's failure.
    virtual Result<Done> remove(std::string_view id, const ProtectedEmail& spared,
                                const UpdateGuard& guard = {}) = 0;
    /// Succeeds if another user has the role and is not banned; otherwise not_found.
    virtual Result<Done> exists_other_with_role(std::string_view id, std::string_view role,
                                                text::Timestamp now) = 0;

    /// Returns the user with exactly that address and its password hash, or not_found if there is
    /// no such user or credential account.
    virtual Result<Credential> find_credential(std::string_view email) = 0;
    /// Sets the hash of the user's credential account, which is created if necessary. Fails as
    /// not_found, or with the guard's failure. With SessionPolicy::revoke, ends all sessions of the
    /// user.
    virtual Result<Done> set_password(const model::Account& account,
                                      SessionPolicy sessions = SessionPolicy::keep,
                                      const UpdateGuard& guard = {}) = 0;
    /// Replaces the hash if it is still instead_of. Otherwise fails as not_found.
    virtual Result<Done> replace_hash(const model::Account& account,
                                      std::string_view instead_of) = 0;
    /// Returns the hash formats in a bounded sample of credential accounts: the start of the hash
    /// up to its salt ("$argon2id$v=19$m=19456,t=2,p=1$", "$2b$12$"), "scrypt" for hashes of
    /// better-auth's length, or "other".
    virtual Result<std::vector<std::string>> password_formats() = 0;

    /// Returns the session with the token and its user, or not_found (5). The database does not
    /// return the token.
    virtual Result<SessionWithUser> find_session(std::string_view token) = 0;
    /// As find_session(), but only with expiresAt and the user's id, role and ban.
    virtual Result<SessionWithUser> find_caller(std::string_view token) = 0;
    /// Returns the session with the token or the id, or not_found. Sets only its id and user_id.
    virtual Result<model::Session> find_session_of_any(std::string_view token_or_id) = 0;
    /// Returns the user's sessions, newest first, including expired ones.
    virtual Result<std::vector<model::Session>> list_sessions(std::string_view user_id) = 0;
    /// Returns up to `most` live sessions, newest first, without their tokens.
    virtual Result<std::vector<model::Session>>
    list_active_sessions(std::string_view user_id, text::Timestamp now, std::int64_t most) = 0;
    /// Opens a session. Returns its id, which the database may have generated, or version_mismatch
    /// if the terms are not met. A change that ends the user's sessions happens entirely before or
    /// entirely after it.
    virtual Result<std::string_view> create_session(const model::Session& session,
                                                    const SessionTerms& terms = {}) = 0;
    /// Changes the expiry of a session. Fails as not_found.
    virtual Result<Done> extend_session(std::string_view token, text::Timestamp expires_at,
                                        text::Timestamp now) = 0;
    /// Ends a session. Fails as not_found.
    virtual Result<Done> delete_session(std::string_view token) = 0;
    /// Ends the user's session with the id. Fails as not_found.
    virtual Result<Done> delete_session_of_user(std::string_view user_id, std::string_view id,
                                                const std::optional<Actor>& actor = {}) = 0;
    /// Ends all sessions of a user. Returns their number.
    virtual Result<std::int64_t>
    delete_sessions_of_user(std::string_view user_id, const std::optional<Actor>& actor = {}) = 0;

    /// Removes the user's data of better-auth's plugin twoFactor, including trusted devices, and
    /// ends all sessions; all or none. Requires TableNames::has_plugins. Fails as not_found,
    /// no_second_factor, or the guard's failure.
    virtual Result<Done> remove_second_factor(std::string_view id,
                                              const UpdateGuard& guard = {}) = 0;

    /// Returns up to `most` of the user's sign-in methods in the order of the kinds, newest first
    /// within each, or not_found. Requires TableNames::has_plugins.
    virtual Result<std::vector<model::SignInMethod>> list_sign_in_methods(std::string_view user_id,
                                                                          std::int64_t most) = 0;
    /// Removes a sign-in method that has an id; the user's sessions remain. Requires
    /// TableNames::has_plugins. Fails as not_found, no_sign_in_method, or the guard's failure.
    virtual Result<Done> remove_sign_in_method(std::string_view user_id, model::MethodKind kind,
                                               std::string_view id,
                                               const UpdateGuard& guard = {}) = 0;

    /// Returns up to 1000 revocations since a position (0: all that are kept), or none without
    /// their table. Fails if there is a table that may not be read. With after_id, returns only
    /// those with a greater id, in the order of their ids.
    virtual Result<Revocations> revocations_since(std::int64_t position,
                                                  std::optional<std::int64_t> after_id = {}) = 0;

    /// Returns the state of the counters.
    virtual Result<FailedAttempts> failed_attempts(std::span<const AttemptCounter> counters) = 0;
    /// Counts a failed attempt to sign in. Returns the new state of the counters. A count expires
    /// when the window has passed since its first failure.
    virtual Result<FailedAttempts> record_failed_attempt(std::span<const AttemptCounter> counters,
                                                         std::chrono::seconds window) = 0;
    /// Clears a counter.
    virtual Result<Done> clear_failed_attempts(const AttemptCounter& counter) = 0;

    /// Returns the API key with the digest (SHA-256 in base64url) and its owner, or not_found.
    virtual Result<ApiKeyWithUser> find_api_key(std::string_view digest) = 0;
    /// Counts a use. Fails as not_found if the key's limits have changed since they were read.
    virtual Result<Done> use_api_key(const ApiKeyUse& use) = 0;

    /// Returns the value of the newest unexpired row of the verification table with the
    /// identifier, or not_found.
    virtual Result<std::string_view> find_verification(std::string_view identifier,
                                                       text::Timestamp now) = 0;
    /// Returns the user and its second factor, or not_found if either is missing.
    virtual Result<UserWithSecondFactor> find_second_factor(std::string_view user_id) = 0;
    /// Makes the change. Fails as not_found if the first row to delete does not exist, and as
    /// version_mismatch if other backup codes are stored.
    virtual Result<Done> change_second_factor(const SecondFactorChange& change) = 0;
    /// Counts a failed code and locks the second factor when the count reaches the limit, if the
    /// table has columns for both. Succeeds without them. Otherwise fails as not_found if the user
    /// has no second factor.
    virtual Result<Done> record_second_factor_failure(std::string_view user_id,
                                                      const SecondFactorLock& lock) = 0;

    /// Counts a message in each counter, as record_failed_attempt() does. Fails without the table
    /// of attempts.
    virtual Result<FailedAttempts> count_mail(std::span<const AttemptCounter> counters,
                                              std::chrono::seconds window) = 0;
    /// Adds a row to the verification table. Requires TableNames::has_plugins, as do
    /// issue_verification() and remove_verification().
    virtual Result<Done> add_verification(const model::VerificationValue& row) = 0;
    /// Checks the guard. If `row` has a value, deletes the rows of the user's earlier links to set
    /// a password and adds it. Reports a change of the user to the listener. Fails as not_found, or
    /// with the guard's failure.
    virtual Result<Done> issue_verification(std::string_view user_id,
                                            const std::optional<model::VerificationValue>& row,
                                            const UpdateGuard& guard = {}) = 0;
    /// Removes the rows with the identifier.
    virtual Result<Done> remove_verification(std::string_view identifier) = 0;

    /// Sets the key of the changes until the next call. A change fails as already_done if one was
    /// made with the key in the last 24 hours, and also fails without the table of attempts. Empty:
    /// no key.
    virtual void set_change_key(std::string key) = 0;

    /// Returns the further columns of the user table in its order.
    virtual Result<std::vector<ExtraColumn>> extra_columns() = 0;
    /// Checks the addresses of all users and the limits of the database's account.
    virtual Result<Survey> survey(const ProtectedEmail& spared) = 0;
};

} // namespace useradmin::store
