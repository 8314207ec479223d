// The interface to the application's tables. String views in results are valid for the lifetime of
// the request.
#pragma once

#include "model/records.hpp"
#include "store/result.hpp"
#include "text/unicode.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::store {

/// A condition on one column. Invalid if the table lacks the column, or if the column cannot be
/// compared with the values.
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
        contains, ///< a substring, matched with LIKE
        starts_with,
        ends_with,
    };

    /// The name of a field or of an extra column.
    std::string column;
    Operator comparison = Operator::eq;
    std::vector<std::string> values = {};
};

/// Selects the users of a list: those that match any condition or, with matches_all, every
/// condition. Without conditions, selects all users (4.1).
struct Filter {
    model::NullableText role;
    model::NullableText search;
    std::optional<bool> banned = {};
    std::optional<bool> email_verified = {};
    /// The start of a range of creation times, inclusive.
    model::NullableTime created_from = {};
    /// The end of the range, exclusive.
    model::NullableTime created_before = {};
    /// The start of a range of last activities, inclusive.
    model::NullableTime seen_from = {};
    /// The end of the range, exclusive. An unknown last activity is earlier than any time.
    model::NullableTime seen_before = {};
    /// Whether a user must match all conditions instead of any.
    bool matches_all = false;
    std::vector<Condition> conditions = {};

    /// Returns whether the filter has only the conditions of the specification (4.1): role and
    /// search.
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

/// The order of a list. Rows with equal keys are sorted by id, and the reverse order also reverses
/// the ids. An unknown last activity is earlier than any time.
struct Order {
    SortKey by = SortKey::created_at;
    bool is_descending = true;

    bool is_default() const noexcept { return by == SortKey::created_at && is_descending; }
    bool sorts_by_time() const noexcept {
        return by == SortKey::created_at || by == SortKey::updated_at || by == SortKey::last_seen;
    }
    Order reversed() const noexcept { return {by, !is_descending}; }
};

/// Which columns of the user table to read.
enum class UserColumns { known, all };

/// A cursor in a list: the sort key and id of a user, who may have been changed or deleted since.
struct Position {
    /// User::sort_key.
    model::NullableText key;
    /// If empty, the position is after all users with the key.
    std::string_view id;
    /// Whether the page ends before this user instead of starting after it.
    bool is_end = false;
};

/// Selects one page of a list.
struct Window {
    /// The page size, or 0 if only the total is wanted.
    std::int64_t limit = 0;
    std::int64_t offset = 0;
    Order order = {};
    /// Replaces the offset. Ignored if no row of the table can have this key and id.
    std::optional<Position> position = {};
    /// If not empty, the column to sort by instead of Order::by, in the database's own sort order.
    std::string_view column = {};
    UserColumns columns = UserColumns::known;

    /// Returns the number of users from the start of the list to the end of the page.
    std::int64_t end() const noexcept {
        constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
        return offset > max - limit ? max : limit + offset;
    }
};

struct Page {
    std::vector<model::User> users;
    std::int64_t total = 0;
};

/// A field to set. `field` is its name in model::fields().
struct Change {
    enum class When {
        always,
        other_email, ///< if the changes include an address other than the stored one
        other_email_ignoring_case,
        expired, ///< if the stored time is not later than the new updatedAt
    };

    std::string_view field;
    model::Value value;
    When when = When::always;
    /// Whether `field` may also name an extra column. If the table lacks the column, the change is
    /// ignored.
    bool names_column = false;
};
using Changes = std::vector<Change>;

/// A new user with its credential account (4.2, 2.2).
struct NewUser {
    /// Ignored if the database generates ids.
    std::string id;
    /// The id of the account's row, not its accountId. Ignored if the database generates ids.
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
    /// Values of other fields and of extra columns.
    Changes data = {};
};

/// Returns the row of a new user, without extra columns.
model::User user_row(const NewUser& user);
/// Returns the credential account of a new user. If the database generates the user's id, the
/// caller must still set it in the account.
model::Account account_row(const NewUser& user);

/// Returns a new credential account (2.2). `id` is ignored if the database generates ids.
model::Account credential_account(const model::User& user, std::string_view id,
                                  model::NullableText password_hash, bool account_id_is_user_id,
                                  text::Timestamp now);

/// Returns the change that marks a new address as unverified (UserAdminEmailChange). An address
/// that differs only in case is considered new, unless addresses are stored in lower case.
inline Change unverify_changed_email(bool lowers_email) {
    return {"emailVerified", false,
            lowers_email ? Change::When::other_email_ignoring_case : Change::When::other_email};
}

/// Returns the change that clears banExpires if that time has passed. Without it, a new ban without
/// an expiry would keep the old one, and would already have expired.
inline Change clear_past_ban_expiry() {
    return {"banExpires", {}, Change::When::expired};
}

/// The address of the user who cannot be deleted (specification, section 4.4.1, check 5).
struct ProtectedEmail {
    std::string_view email;
    /// Whether to ignore case when comparing addresses.
    bool ignores_case = false;

    bool matches(std::string_view address) const {
        return address == email || (ignores_case && text::lower(address) == text::lower(email));
    }
};

/// The row versions that a change accepts, or std::nullopt for any version.
using Versions = std::optional<std::vector<std::string_view>>;

/// The caller of a change, if the caller is in the user table. When the change is made, the caller
/// must still exist, have one of the roles, and not be banned.
struct Actor {
    std::string_view id;
    std::span<const std::string_view> roles;
    /// The current time, to ignore expired bans.
    text::Timestamp now = {};
};

/// Conditions for a change: the rule of UserAdminGuard, the expected row versions, and the caller.
struct UpdateGuard {
    enum class Kind {
        none,
        requires_role,      ///< fails with outranked unless the user has the role
        keeps_last_of_role, ///< fails with last_of_role for the last unbanned user with the role
    };
    Kind kind = Kind::none;
    std::string_view role = {};
    /// The current time, to ignore expired bans.
    text::Timestamp now = {};
    /// The expected versions, checked last. Any other version fails with version_mismatch.
    Versions versions = {};
    /// If set, the caller must still satisfy the conditions of Actor.
    std::optional<Actor> actor = {};

    bool is_empty() const noexcept { return kind == Kind::none && !versions && !actor; }
};

/// What a change does to the user's sessions.
enum class SessionPolicy {
    keep,
    revoke, ///< end all sessions in the same transaction
};

/// How a change to a user affects the plugins' tables. Requires TableNames::has_plugins and
/// privileges on the tables.
struct PluginPolicy {
    /// Whether to delete the rows of a deleted user, and to disable the API keys of a banned user
    /// (UserAdminCleanUp).
    bool cleans_up = true;
    /// Whether to delete the user's password links from the verification table if the user is
    /// banned or deleted, or gets a new address or password.
    bool revokes_links = false;

    bool uses_tables() const noexcept { return cleans_up || revokes_links; }
};

/// Conditions for opening a session.
struct SessionTerms {
    /// The user at the time the credentials were verified. The address and role must not have
    /// changed since. If nullptr, the user only has to exist.
    const model::User* verified = nullptr;
    /// Whether to accept a banned user. Used only if `verified` is set.
    bool allows_banned = false;
    /// The current time, to ignore expired bans and sessions.
    text::Timestamp now = {};
    /// If set, the password hash that the credential account must still have.
    model::NullableText password_hash = {};
    /// The maximum number of live sessions including this one, or 0 for no limit. If there are
    /// more, the oldest sessions are ended, together with expired ones.
    std::int64_t max_sessions = 0;
    /// If set, the caller must still satisfy the conditions of Actor.
    std::optional<Actor> actor = {};
};

struct SessionWithUser {
    model::Session session;
    model::User user;
};

/// A user and the password hash of the credential account.
struct Credential {
    model::User user;
    model::NullableText password_hash;
    /// Whether better-auth's twoFactorEnabled column is set. If so, a password is not enough to
    /// sign in.
    bool has_second_factor = false;
};

/// What a change revokes: a user's privileges or sessions, or a single session.
struct Revocation {
    std::string_view user_id;
    /// If empty, the user's privileges or all of the user's sessions are revoked.
    std::string_view session_id;
    /// The database sets created_at and id.
    text::Timestamp created_at = {};
    std::int64_t id = 0;
};

/// Revocations by any server since a position.
struct Revocations {
    /// The position for the next read.
    std::int64_t position = 0;
    /// May include revocations that an earlier call also returned.
    std::vector<Revocation> rows;
    /// Whether more revocations follow.
    bool is_partial = false;
    /// Whether the table of revocations exists.
    bool has_table = true;
    /// Identifies the database, its history (PostgreSQL's timeline) and its table of revocations. A
    /// position is valid only while this string stays the same.
    std::string database = {};
};

/// A counter of failed sign-in attempts or other events, shared by all servers that use the same
/// tables.
struct AttemptCounter {
    std::string subject;
    /// At this number of failures, FailedAttempts::exceeded is set until the count expires.
    std::int64_t limit;
};

/// The state of a list of counters.
struct FailedAttempts {
    /// Whether the table of attempts exists.
    bool has_table = true;
    /// Whether the first counter has counted any failure.
    bool has_first = false;
    /// The index of the first counter whose limit was reached.
    std::optional<std::size_t> exceeded = {};
    /// The time until all counts that have reached their limits have expired.
    std::chrono::seconds retry_after{0};
};

struct ApiKeyWithUser {
    model::ApiKey key;
    /// std::nullopt if the owner is not a user or no longer exists.
    std::optional<model::User> user;
};

/// How a request counts toward the limits of an API key.
struct ApiKeyUse {
    enum class Remaining {
        unlimited,
        take,   ///< uses one of the remaining requests
        refill, ///< the first request after a refill
    };
    enum class Rate {
        unlimited,
        start, ///< the first request of a window
        count, ///< a later request of the window
    };

    std::string_view id;
    text::Timestamp now;
    Remaining remaining = Remaining::unlimited;
    /// With Remaining::refill, the number of remaining requests after this request.
    std::int64_t refilled = 0;
    /// With Remaining::refill, the last refill must not be later than this time.
    text::Timestamp refill_before = {};
    Rate rate = Rate::unlimited;
    /// The maximum number of requests in the window.
    std::int64_t max_requests = 0;
    /// With Rate::start, the key's last request must not be later than this time.
    text::Timestamp window_before = {};
};

struct UserWithSecondFactor {
    model::User user;
    /// Whether better-auth's twoFactorEnabled column is set.
    bool is_enabled = false;
    model::SecondFactor factor;
};

/// The changes that one step of a second-factor sign-in makes, all in one transaction.
struct SecondFactorChange {
    std::string_view user_id;
    text::Timestamp now;
    /// The identifiers of the verification rows to delete. There must be an unexpired row with the
    /// first identifier whose value is required_value or, if that is not set, the user's id.
    std::vector<std::string_view> deleted = {};
    /// Rows to add to the verification table. A row without an expiry gets the expiry of the
    /// deleted row with the first identifier.
    std::vector<model::VerificationValue> added = {};
    /// If set, the remaining backup codes. They replace old_backup_codes, which must still be
    /// stored.
    model::NullableText backup_codes = {};
    std::string_view old_backup_codes = {};
    /// Whether to clear the count of failed codes and the lock, if the table has columns for them.
    /// The lock must have expired.
    bool clears_failures = false;
    model::NullableText required_value = {};
};

/// How to lock a user's second factor after failed codes.
struct SecondFactorLock {
    /// The number of consecutive failed codes that triggers the lock.
    std::int64_t failures;
    text::Timestamp now;
    text::Timestamp until;
};

/// An extra column of the user table. `kind` is the JSON type of values other than null.
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
    /// Returns whether on_change() is called before the commit. If it then fails, the change is
    /// rolled back.
    virtual bool runs_before_commit() const noexcept = 0;
    /// Reports a change to a user, or to the user's sessions or accounts. `before` and `after` are
    /// the old and the new row, or nullptr if there is no row or it is unchanged. `user_id` is
    /// empty if unknown. Returns false on failure.
    virtual bool on_change(std::string_view user_id, const model::User* before,
                           const model::User* after) = 0;
    /// Called if the outcome of a commit is unknown. The change then fails.
    virtual void on_unknown_outcome() noexcept {}
};

/// The application's tables. Arguments must be valid UTF-8 without U+0000. Every call can fail with
/// unavailable or failed. Other failures are documented with the call.
class Store {
  public:
    virtual ~Store() = default;

    /// Returns a page of users in the window's order, and the total (4.1). May fail with
    /// invalid_condition.
    virtual Result<Page> list(const Filter& filter, const Window& window) = 0;
    /// Returns the user with the id (4.3), or not_found.
    virtual Result<model::User> find(std::string_view id,
                                     UserColumns columns = UserColumns::known) = 0;
    /// Sets User::last_seen of the users.
    virtual Result<Done> read_last_activity(std::span<model::User> users) = 0;
    /// Returns the user with this address, or not_found. The column's type and collation decide
    /// which addresses are equal, for example whether case matters.
    virtual Result<model::User> find_by_email(std::string_view email) = 0;
    /// If the previous call used a standby, returns the commit time of the last transaction that
    /// the standby has replayed, or the standby's start time if it has replayed none. Otherwise, or
    /// on failure, returns std::nullopt.
    virtual model::NullableTime last_replay_time() = 0;
    /// Creates both the user and the account, or neither (4.2). Returns the full row. May fail with
    /// email_taken, invalid_value, caller_rejected or caller_demoted.
    virtual Result<model::User> create(const NewUser& user,
                                       const std::optional<Actor>& actor = {}) = 0;
    /// Changes a user. Returns the full row (4.4). May fail with not_found, invalid_value, or the
    /// guard's failure. With SessionPolicy::revoke, a ban, a new role or a new address ends the
    /// user's sessions.
    virtual Result<model::User> update(std::string_view id, const Changes& changes,
                                       const UpdateGuard& guard = {},
                                       SessionPolicy sessions = SessionPolicy::keep) = 0;
    /// Deletes the user, the user's sessions and accounts and, with PluginPolicy::cleans_up, rows
    /// in plugins' tables, in one transaction (4.4.1). May fail with not_found, protected_user, or
    /// the guard's failure.
    virtual Result<Done> remove(std::string_view id, const ProtectedEmail& protected_email,
                                const UpdateGuard& guard = {}) = 0;

    /// Returns the user with this address (see find_by_email()) and the password hash. Fails with
    /// not_found if the user or the credential account does not exist.
    virtual Result<Credential> find_credential(std::string_view email) = 0;
    /// Sets the password hash of the user's credential account, and creates the account if
    /// necessary. May fail with not_found or the guard's failure. With SessionPolicy::revoke, ends
    /// all sessions of the user.
    virtual Result<Done> set_password(const model::Account& account,
                                      SessionPolicy sessions = SessionPolicy::keep,
                                      const UpdateGuard& guard = {}) = 0;
    /// Replaces the hash if it is still `old_hash`. Otherwise, fails with not_found. Is not
    /// reported to the listener, because the password stays the same.
    virtual Result<Done> replace_hash(const model::Account& account, std::string_view old_hash) = 0;
    /// Returns the hash formats in a bounded sample of all accounts. A format is the start of the
    /// hash up to its salt ("$argon2id$v=19$m=19456,t=2,p=1$", "$2b$12$"), "scrypt" for hashes of
    /// better-auth's length, or "other".
    virtual Result<std::vector<std::string>> password_formats() = 0;

    /// Returns the session with the token and its user, or not_found (section 5). Session::token is
    /// the argument, not a copy.
    virtual Result<SessionWithUser> find_session(std::string_view token) = 0;
    /// Like find_session(), but reads only expiresAt, impersonatedBy, and the user's id, role and
    /// ban.
    virtual Result<SessionWithUser> find_caller(std::string_view token) = 0;
    /// Returns the session with this token or id, or not_found. Sets only id and user_id.
    virtual Result<model::Session> find_session_by_token_or_id(std::string_view token_or_id) = 0;
    /// Returns up to `limit` of the user's sessions, newest first, including expired ones.
    virtual Result<std::vector<model::Session>>
    list_sessions(std::string_view user_id,
                  std::int64_t limit = std::numeric_limits<std::int64_t>::max()) = 0;
    /// Returns up to `limit` live sessions, newest first, without their tokens.
    virtual Result<std::vector<model::Session>>
    list_active_sessions(std::string_view user_id, text::Timestamp now, std::int64_t limit) = 0;
    /// Opens a session. Returns the session's id, which the database may generate. Fails with
    /// version_mismatch, caller_rejected or caller_demoted if the terms are not met. Calls are
    /// serialized with changes that end the user's sessions.
    virtual Result<std::string_view> create_session(const model::Session& session,
                                                    const SessionTerms& terms = {}) = 0;
    /// Changes the expiry of a session. Returns not_found if there is no such session.
    virtual Result<Done> extend_session(std::string_view token, text::Timestamp expires_at,
                                        text::Timestamp now) = 0;
    /// Ends a session. Returns not_found if there is no such session.
    virtual Result<Done> delete_session(std::string_view token) = 0;
    /// Ends the user's session with the id. May fail with not_found, no_session, or the guard's
    /// failure.
    virtual Result<Done> delete_session_of_user(std::string_view user_id, std::string_view id,
                                                const UpdateGuard& guard = {}) = 0;
    /// Ends all sessions of a user. Returns their number. May fail with not_found or the guard's
    /// failure.
    virtual Result<std::int64_t> delete_sessions_of_user(std::string_view user_id,
                                                         const UpdateGuard& guard = {}) = 0;

    /// Removes the user's data of better-auth's twoFactor plugin, including trusted devices, and
    /// ends all sessions, in one transaction. Requires TableNames::has_plugins. May fail with
    /// not_found, no_second_factor, or the guard's failure.
    virtual Result<Done> remove_second_factor(std::string_view id,
                                              const UpdateGuard& guard = {}) = 0;

    /// Returns up to `limit` of the user's sign-in methods, ordered by kind and newest first within
    /// each kind, or not_found. Requires TableNames::has_plugins.
    virtual Result<std::vector<model::SignInMethod>> list_sign_in_methods(std::string_view user_id,
                                                                          std::int64_t limit) = 0;
    /// Removes a sign-in method by its id. The user's sessions remain. Requires
    /// TableNames::has_plugins. May fail with not_found, no_sign_in_method, or the guard's failure.
    virtual Result<Done> remove_sign_in_method(std::string_view user_id, model::MethodKind kind,
                                               std::string_view id,
                                               const UpdateGuard& guard = {}) = 0;

    /// Returns up to 1000 revocations since a position. Position 0 is before all revocations.
    /// Returns none if the table does not exist, and fails if it cannot be read. With `after_id`,
    /// returns only revocations with a greater id, in ascending order.
    virtual Result<Revocations> revocations_since(std::int64_t position,
                                                  std::optional<std::int64_t> after_id = {}) = 0;

    /// Returns the state of the counters.
    virtual Result<FailedAttempts> failed_attempts(std::span<const AttemptCounter> counters) = 0;
    /// Counts a failed sign-in attempt in each counter. Returns the new state of the counters. A
    /// count expires when `window` has passed since its first failure.
    virtual Result<FailedAttempts> record_failed_attempt(std::span<const AttemptCounter> counters,
                                                         std::chrono::seconds window) = 0;
    /// Resets the counter. Succeeds if the table of attempts does not exist.
    virtual Result<Done> clear_failed_attempts(const AttemptCounter& counter) = 0;

    /// Returns the API key with the digest (SHA-256 in base64url) and its owner, or not_found.
    virtual Result<ApiKeyWithUser> find_api_key(std::string_view digest) = 0;
    /// Counts a use of an API key. Fails with not_found if the limits no longer allow it.
    virtual Result<Done> use_api_key(const ApiKeyUse& use) = 0;

    /// Returns the value of the newest unexpired verification row with the identifier, or
    /// not_found.
    virtual Result<std::string_view> find_verification(std::string_view identifier,
                                                       text::Timestamp now) = 0;
    /// Returns the user and its second factor, or not_found if either is missing.
    virtual Result<UserWithSecondFactor> find_second_factor(std::string_view user_id) = 0;
    /// Makes the change. Fails with not_found if the first identifier has no valid row. Fails with
    /// version_mismatch if the stored backup codes have changed, or if the failures are to be
    /// cleared but the second factor is locked or was removed.
    virtual Result<Done> change_second_factor(const SecondFactorChange& change) = 0;
    /// Records the use of a one-time password. Fails with already_done if it was used within
    /// `window`. Succeeds if the table of attempts does not exist.
    virtual Result<Done> use_code(std::string_view subject, std::chrono::seconds window) = 0;
    /// Counts a failed code, and locks the second factor when the count reaches the limit. The
    /// count starts again after a lock has expired. Does nothing if the table lacks the columns for
    /// the count and the lock. Fails with not_found if the user has no second factor.
    virtual Result<Done> record_second_factor_failure(std::string_view user_id,
                                                      const SecondFactorLock& lock) = 0;

    /// Counts a message in each counter. If a counter has reached its limit, sets
    /// FailedAttempts::exceeded and counts nothing, except in a race with another message. Fails if
    /// the table of attempts or the verification table does not exist.
    virtual Result<FailedAttempts> count_mail(std::span<const AttemptCounter> counters,
                                              std::chrono::seconds window) = 0;
    /// Adds a row to the verification table. Requires TableNames::has_plugins, as do
    /// issue_verification() and remove_verification().
    virtual Result<Done> add_verification(const model::VerificationValue& row) = 0;
    /// Checks the guard. If `row` has a value, replaces the user's earlier password links with it.
    /// Reports a change to the listener. May fail with not_found or the guard's failure.
    virtual Result<Done> issue_verification(std::string_view user_id,
                                            const std::optional<model::VerificationValue>& row,
                                            const UpdateGuard& guard = {}) = 0;
    /// Removes the verification rows with the identifier.
    virtual Result<Done> remove_verification(std::string_view identifier) = 0;

    /// Sets the idempotency key of subsequent changes, or none if `key` is empty. A change with a
    /// key fails with already_done if a change with the same key was made in the last 24 hours. It
    /// also fails if the table of attempts does not exist.
    virtual void set_idempotency_key(std::string key) = 0;

    /// Returns the extra columns of the user table in the table's order.
    virtual Result<std::vector<ExtraColumn>> extra_columns() = 0;
    /// Returns whether a user has the protected address.
    virtual Result<bool> has_protected_user(const ProtectedEmail& protected_email) = 0;
};

} // namespace useradmin::store
