// Fakes of the dependencies of operations: tables in memory, a hasher, a mailer and a request body.
// All of them record their calls in one list, so tests can check the order.
#pragma once

#include "api/service.hpp"
#include "support/fail_test.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <CppUTest/TestHarness.h>

namespace useradmin::test {

/// A list of calls in order: "body, find_by_email ana@example.org, hash, create".
class Calls {
  public:
    void note(std::string_view call) {
        text_ += text_.empty() ? "" : ", ";
        text_ += call;
    }
    void clear() noexcept { text_.clear(); }
    const std::string& text() const noexcept { return text_; }

  private:
    std::string text_;
};

class FakeStore final : public store::Store {
  public:
    explicit FakeStore(Calls& calls) noexcept : calls_(calls) {}

    std::vector<model::User> users;
    std::map<std::string_view, store::SessionWithUser> sessions;
    std::vector<model::Session> all_sessions;
    /// The sign-in methods of every user.
    std::vector<model::SignInMethod> methods;
    /// Keys are digests.
    std::map<std::string, store::ApiKeyWithUser, std::less<>> api_keys;
    /// Keys are email addresses.
    std::map<std::string_view, store::Credential> credentials;
    /// Keys are user ids.
    std::map<std::string, store::UserWithSecondFactor, std::less<>> second_factors;
    /// The verification table. Keys are identifiers.
    std::map<std::string, std::string, std::less<>> verifications;
    /// What find_verification() has returned. A view stays valid if the row changes.
    std::deque<std::string> found_values;
    /// Expiry of the last row of the verification table.
    text::Timestamp verification_expires_at = {};
    std::string backup_codes;
    int failed_codes = 0;
    /// The total that list() returns. If std::nullopt, the number of users.
    std::optional<std::int64_t> total;
    /// The extra columns of every user, as JSON.
    std::vector<model::ExtraValue> other_columns;
    /// The calls that fail, by name.
    std::map<std::string_view, store::Failure> failures;
    /// Simulates concurrent changes. Called within some calls.
    std::function<void()> meanwhile;
    /// The arguments of the last calls.
    std::optional<store::NewUser> created;
    std::optional<store::Changes> changes;
    std::optional<store::UpdateGuard> guard;
    std::optional<store::Actor> actor;
    std::optional<model::Session> opened;
    std::optional<store::SessionTerms> terms;
    std::optional<store::ApiKeyUse> key_use;
    /// How many calls of create_session() fail because the user has changed.
    int changes_before_session = 0;
    /// The accountId of an account created with a new password.
    std::string account_id;
    /// What password_formats() returns.
    std::vector<std::string> formats;
    std::vector<store::ExtraColumn> columns;
    /// What last_replay_time() returns.
    model::NullableTime last_change_received;
    /// What revocations_since() returns.
    store::Revocations revocations;
    /// The positions passed to revocations_since().
    std::vector<std::int64_t> positions;
    /// The table of failed sign-in attempts. Keys are subjects.
    std::map<std::string, std::int64_t> attempts;
    /// Whether the table of failed attempts exists.
    bool has_attempts = true;

    model::User& add(std::string_view id, std::string_view email, std::string_view role = "user") {
        model::User user;
        user.id = id;
        user.name = id;
        user.email = email;
        user.role = role;
        user.version = "1-2.3";
        return users.emplace_back(user);
    }

    store::Result<store::Page> list(const store::Filter& filter,
                                    const store::Window& window) override {
        const std::string arguments = "role=" + std::string(filter.role.value_or("-")) +
                                      " search=" + std::string(filter.search.value_or("-")) + " " +
                                      other_filters(filter) + std::to_string(window.limit) +
                                      " from " + std::to_string(window.offset) +
                                      describe(window.order) + describe(window.position);
        if (const auto* failure = failure_of("list", arguments))
            return *failure;
        store::Page page{users, total.value_or(static_cast<std::int64_t>(users.size()))};
        if (window.columns == store::UserColumns::all)
            for (model::User& listed : page.users)
                listed.extra_columns = other_columns;
        return page;
    }

    store::Result<model::User> find(std::string_view id, store::UserColumns which) override {
        if (const auto* failure = failure_of("find", id))
            return *failure;
        auto found = found_or_failure(find_row(&model::User::id, id));
        if (found && which == store::UserColumns::all)
            found->extra_columns = other_columns;
        return found;
    }

    /// The last activity of each user. Keys are user ids.
    std::map<std::string_view, text::Timestamp> seen;

    store::Result<store::Done> read_last_activity(std::span<model::User> of) override {
        if (const auto* failure = failure_of("read_last_activity", std::to_string(of.size())))
            return *failure;
        for (model::User& user : of) {
            user.last_seen.emplace();
            if (const auto found = seen.find(user.id); found != seen.end())
                user.last_seen = model::NullableTime(found->second);
        }
        return store::Done();
    }

    store::Result<model::User> find_by_email(std::string_view email) override {
        if (const auto* failure = failure_of("find_by_email", email))
            return *failure;
        return found_or_failure(find_row(&model::User::email, email));
    }

    model::NullableTime last_replay_time() override { return last_change_received; }

    store::Result<model::User> create(const store::NewUser& user,
                                      const std::optional<store::Actor>& by) override {
        actor = by;
        if (const auto* failure = failure_of("create"))
            return *failure;
        created = keep_copy(user);
        if (find_row(&model::User::email, user.email) != users.end())
            return store::Failure::email_taken;
        model::User& row =
            add(keep_copy(std::string_view(created->id)), created->email, created->role);
        row.name = created->name;
        row.email_verified = true;
        row.created_at = row.updated_at = created->now;
        return with_extra_columns(row);
    }

    store::Result<model::User> update(std::string_view id, const store::Changes& given,
                                      const store::UpdateGuard& by,
                                      store::SessionPolicy sessions) override {
        const std::string arguments =
            std::string(id) + (sessions == store::SessionPolicy::revoke ? " ending sessions" : "");
        if (const auto* failure = failure_of("update", arguments))
            return *failure;
        changes = keep_copy(given);
        guard = by;
        actor = by.actor;
        const auto row = find_row(&model::User::id, id);
        if (row == users.end())
            return store::Failure::not_found;
        if (!has_expected_version(*row, by))
            return store::Failure::version_mismatch;
        for (const store::Change& change : *changes)
            for (const model::Field<model::User>& field : model::user_fields)
                if (field.name == change.field && change.when == store::Change::When::always)
                    model::set_value(*row, field, change.value);
        return with_extra_columns(*row);
    }

    store::Result<store::Done> remove(std::string_view id,
                                      const store::ProtectedEmail& protected_email,
                                      const store::UpdateGuard& by) override {
        guard = by;
        actor = by.actor;
        const std::string arguments = std::string(id) + " unless " +
                                      std::string(protected_email.email) +
                                      (protected_email.ignores_case ? " in any case" : "");
        if (const auto* failure = failure_of("remove", arguments))
            return *failure;
        const auto row = find_row(&model::User::id, id);
        if (row == users.end())
            return store::Failure::not_found;
        if (row->email == protected_email.email)
            return store::Failure::protected_user;
        if (!has_expected_version(*row, by))
            return store::Failure::version_mismatch;
        users.erase(row);
        return store::Done();
    }

    store::Result<store::SessionWithUser> find_session(std::string_view token) override {
        return session_for("session", token);
    }

    /// Returns all revocations, including those before the position.
    store::Result<store::Revocations> revocations_since(std::int64_t position,
                                                        std::optional<std::int64_t>) override {
        positions.push_back(position);
        if (meanwhile)
            meanwhile();
        const auto failure = failures.find("revocations_since");
        if (failure != failures.end())
            return failure->second;
        return revocations;
    }

    store::Result<store::FailedAttempts>
    failed_attempts(std::span<const store::AttemptCounter> counters) override {
        if (const auto failure = failures.find("attempts"); failure != failures.end())
            return failure->second;
        if (!has_attempts)
            return store::FailedAttempts{false};
        store::FailedAttempts found;
        found.has_first = attempts[counters.front().subject] > 0;
        for (std::size_t index = counters.size(); index-- > 0;)
            if (attempts[counters[index].subject] >= counters[index].limit) {
                found.exceeded = index;
                found.retry_after = std::chrono::seconds(60);
            }
        return found;
    }

    store::Result<store::FailedAttempts>
    record_failed_attempt(std::span<const store::AttemptCounter> counters,
                          std::chrono::seconds) override {
        if (has_attempts)
            for (const store::AttemptCounter& counter : counters)
                ++attempts[counter.subject];
        return failed_attempts(counters);
    }

    store::Result<store::Done>
    clear_failed_attempts(const store::AttemptCounter& counter) override {
        attempts[counter.subject] = 0;
        return store::Done();
    }

    store::Result<store::Done> use_code(std::string_view subject,
                                        std::chrono::seconds window) override {
        const store::AttemptCounter counter{std::string(subject), 2};
        const auto uses = record_failed_attempt({&counter, 1}, window);
        if (!uses)
            return uses.failure();
        return uses->exceeded ? store::Result<store::Done>(store::Failure::already_done)
                              : store::Done();
    }

    store::Result<store::ApiKeyWithUser> find_api_key(std::string_view digest) override {
        return found_by("find_api_key", {}, api_keys, digest);
    }
    store::Result<store::Done> use_api_key(const store::ApiKeyUse& use) override {
        key_use = use;
        if (meanwhile)
            meanwhile();
        return value_of("use_api_key", use.id, store::Done());
    }

    store::Result<std::string_view> find_verification(std::string_view identifier,
                                                      text::Timestamp) override {
        if (const auto* failure = failure_of("find_verification"))
            return *failure;
        const auto found = verifications.find(identifier);
        if (found == verifications.end())
            return store::Failure::not_found;
        return std::string_view(found_values.emplace_back(found->second));
    }
    store::Result<store::UserWithSecondFactor>
    find_second_factor(std::string_view user_id) override {
        return found_by("find_second_factor", user_id, second_factors, user_id);
    }
    store::Result<store::Done>
    change_second_factor(const store::SecondFactorChange& change) override {
        if (meanwhile)
            meanwhile();
        if (const auto* failure = failure_of("change_second_factor", change.user_id))
            return *failure;
        if (!change.deleted.empty()) {
            const auto first = verifications.find(change.deleted.front());
            if (first == verifications.end() ||
                first->second != change.required_value.value_or(change.user_id))
                return store::Failure::not_found;
        }
        const auto factor = second_factors.find(change.user_id);
        if (change.clears_failures && factor != second_factors.end() &&
            factor->second.factor.locked_until > model::NullableTime(change.now))
            return store::Failure::version_mismatch;
        if (change.backup_codes) {
            store::UserWithSecondFactor& stored = second_factors.find(change.user_id)->second;
            if (stored.factor.backup_codes != change.old_backup_codes)
                return store::Failure::version_mismatch;
            backup_codes = *change.backup_codes;
            stored.factor.backup_codes = backup_codes;
        }
        for (const std::string_view identifier : change.deleted)
            verifications.erase(std::string(identifier));
        for (const model::VerificationValue& row : change.added)
            verifications.emplace(row.identifier, row.value);
        if (change.clears_failures) {
            failed_codes = 0;
            if (factor != second_factors.end())
                factor->second.factor.locked_until.reset();
        }
        return store::Done();
    }
    store::Result<store::Done>
    record_second_factor_failure(std::string_view user_id,
                                 const store::SecondFactorLock& lock) override {
        if (const auto* failure = failure_of("record_second_factor_failure", user_id))
            return *failure;
        model::NullableTime& locked_until =
            second_factors.find(user_id)->second.factor.locked_until;
        if (locked_until && *locked_until <= lock.now) {
            failed_codes = 0;
            locked_until.reset();
        }
        if (++failed_codes >= lock.failures)
            locked_until = lock.until;
        return store::Done();
    }

    store::Result<store::SessionWithUser> find_caller(std::string_view token) override {
        return session_for("caller", token);
    }

    store::Result<store::SessionWithUser> session_for(std::string_view call,
                                                      std::string_view token) {
        if (const auto* failure = failure_of(call, token))
            return *failure;
        const auto found = sessions.find(token);
        if (meanwhile)
            meanwhile();
        if (found == sessions.end())
            return store::Failure::not_found;
        return found->second;
    }

    store::Result<store::Credential> find_credential(std::string_view email) override {
        return found_by("credential", email, credentials, email);
    }

    store::Result<std::vector<std::string>> password_formats() override {
        return value_of("password_formats", {}, formats);
    }

    store::Result<std::string_view> create_session(const model::Session& session,
                                                   const store::SessionTerms& given) override {
        if (const auto* failure = failure_of("open_session"))
            return *failure;
        terms = given;
        actor = given.actor;
        if (changes_before_session > 0) {
            --changes_before_session;
            if (meanwhile)
                meanwhile();
            return store::Failure::version_mismatch;
        }
        opened = keep_copy(session);
        return opened->id;
    }

    store::Result<store::Done> extend_session(std::string_view token, text::Timestamp expires_at,
                                              text::Timestamp now) override {
        if (const auto* failure = failure_of("extend_session", token))
            return *failure;
        const auto found = sessions.find(token);
        if (found == sessions.end())
            return store::Failure::not_found;
        found->second.session.expires_at = expires_at;
        found->second.session.updated_at = now;
        return store::Done();
    }

    store::Result<store::Done> delete_session(std::string_view token) override {
        if (const auto* failure = failure_of("close_session", token))
            return *failure;
        if (sessions.erase(token) == 0)
            return store::Failure::not_found;
        return store::Done();
    }

    store::Result<model::Session>
    find_session_by_token_or_id(std::string_view token_or_id) override {
        if (const auto* failure = failure_of("find_session_by_token_or_id", token_or_id))
            return *failure;
        for (const model::Session& session : all_sessions)
            if (session.id == token_or_id || session.token == token_or_id)
                return session;
        return store::Failure::not_found;
    }

    /// The key of the current change.
    std::string idempotency_key;
    /// The keys of completed changes.
    std::set<std::string> done_keys;

    void set_idempotency_key(std::string key) override { idempotency_key = std::move(key); }
    store::Result<std::vector<store::ExtraColumn>> extra_columns() override {
        return value_of("extra_columns", {}, columns);
    }
    store::Result<bool> has_protected_user(const store::ProtectedEmail& protected_email) override {
        return value_of("has_protected_user", protected_email.email, true);
    }

    store::Result<store::Done> set_password(const model::Account& account,
                                            store::SessionPolicy ending,
                                            const store::UpdateGuard& by) override {
        const store::Versions& versions = by.versions;
        actor = by.actor;
        std::string arguments = std::string(account.user_id) + " " +
                                std::string(account.password.value_or("NULL")) +
                                (ending == store::SessionPolicy::revoke ? " ending sessions" : "");
        if (versions)
            for (const std::string_view version : *versions)
                arguments += " of " + std::string(version);
        if (const auto* failure = failure_of("set_password", arguments))
            return *failure;
        account_id = account.account_id;
        return store::Done();
    }

    store::Result<store::Done> replace_hash(const model::Account& account,
                                            std::string_view old_hash) override {
        const std::string arguments = std::string(account.user_id) + " " +
                                      std::string(account.password.value_or("NULL")) +
                                      " instead of " + std::string(old_hash);
        return value_of("replace_hash", arguments, store::Done());
    }

    store::Result<std::vector<model::Session>>
    list_active_sessions(std::string_view user_id, text::Timestamp, std::int64_t most) override {
        const std::string arguments = std::string(user_id) + " at most " + std::to_string(most);
        if (const auto* failure = failure_of("list_active_sessions", arguments))
            return *failure;
        std::vector<model::Session> own;
        std::copy_if(all_sessions.begin(), all_sessions.end(), std::back_inserter(own),
                     [&](const model::Session& session) { return session.user_id == user_id; });
        return own;
    }

    store::Result<store::Done> delete_session_of_user(std::string_view user_id, std::string_view id,
                                                      const store::UpdateGuard& by) override {
        const std::string arguments = std::string(user_id) + " " + std::string(id);
        if (const auto failure =
                guarded_failure_of("delete_session_of_user", arguments, user_id, by))
            return *failure;
        const auto count = std::erase_if(all_sessions, [&](const model::Session& session) {
            return session.user_id == user_id && session.id == id;
        });
        if (count == 0)
            return store::Failure::no_session;
        return store::Done();
    }

    store::Result<std::int64_t> delete_sessions_of_user(std::string_view user_id,
                                                        const store::UpdateGuard& by) override {
        if (const auto failure =
                guarded_failure_of("delete_sessions_of_user", user_id, user_id, by))
            return *failure;
        return static_cast<std::int64_t>(
            std::erase_if(all_sessions, [&](const model::Session& session) {
                return session.user_id == user_id;
            }));
    }

    store::Result<store::Done> remove_second_factor(std::string_view id,
                                                    const store::UpdateGuard& by) override {
        const auto failure = guarded_failure_of("remove_second_factor", id, id, by);
        return failure ? store::Result<store::Done>(*failure) : store::Done();
    }

    store::Result<std::vector<model::SignInMethod>>
    list_sign_in_methods(std::string_view user_id, std::int64_t most) override {
        const std::string arguments = std::string(user_id) + " at most " + std::to_string(most);
        if (const auto* failure = failure_of("list_sign_in_methods", arguments))
            return *failure;
        if (find_row(&model::User::id, user_id) == users.end())
            return store::Failure::not_found;
        return methods;
    }
    store::Result<store::Done> remove_sign_in_method(std::string_view user_id,
                                                     model::MethodKind kind, std::string_view id,
                                                     const store::UpdateGuard& by) override {
        const std::string arguments =
            std::string(user_id) + " " + std::string(text_of(kind)) + " " + std::string(id);
        if (const auto failure =
                guarded_failure_of("remove_sign_in_method", arguments, user_id, by))
            return *failure;
        const auto count = std::erase_if(methods, [&](const model::SignInMethod& method) {
            return method.kind == kind && method.id == id;
        });
        return count > 0 ? store::Result<store::Done>(store::Done())
                         : store::Failure::no_sign_in_method;
    }

    store::Result<store::FailedAttempts> count_mail(std::span<const store::AttemptCounter> counters,
                                                    std::chrono::seconds window) override {
        if (const auto* failure = failure_of("count_mail"))
            return *failure;
        const auto state = failed_attempts(counters);
        if (!state || state->exceeded)
            return state;
        static_cast<void>(record_failed_attempt(counters, window));
        return state;
    }
    store::Result<store::Done> add_verification(const model::VerificationValue& row) override {
        if (const auto* failure = failure_of("add_verification", row.value))
            return *failure;
        verifications.emplace(row.identifier, row.value);
        verification_expires_at = *row.expires_at;
        return store::Done();
    }
    store::Result<store::Done>
    issue_verification(std::string_view user_id, const std::optional<model::VerificationValue>& row,
                       const store::UpdateGuard& by) override {
        if (const auto failure = guarded_failure_of("issue_verification", user_id, user_id, by))
            return *failure;
        if (row) {
            verifications.emplace(row->identifier, row->value);
            verification_expires_at = *row->expires_at;
        }
        return store::Done();
    }
    store::Result<store::Done> remove_verification(std::string_view identifier) override {
        if (const auto* failure = failure_of("remove_verification"))
            return *failure;
        verifications.erase(std::string(identifier));
        return store::Done();
    }

    // Not used by operations or sign-in.
    store::Result<std::vector<model::Session>> list_sessions(std::string_view user_id,
                                                             std::int64_t most) override {
        if (const auto* failure =
                failure_of("list_sessions", std::string(user_id) + " " + std::to_string(most)))
            return *failure;
        auto sessions = all_sessions;
        if (std::ssize(sessions) > most)
            sessions.resize(static_cast<std::size_t>(most));
        return sessions;
    }

    /// Returns the updatedAt that the last update set.
    text::Timestamp updated_at() const {
        for (const store::Change& change : changes.value_or(store::Changes()))
            if (change.field == "updatedAt")
                return std::get<text::Timestamp>(change.value);
        return {};
    }

  private:
    using Row = std::vector<model::User>::iterator;

    /// Returns the filters other than role and search: "banned=1 from=2026-01-01T00:00:00.000Z all
    /// ".
    static std::string other_filters(const store::Filter& filter) {
        std::string text;
        const auto add = [&](const char* name, const std::optional<bool>& boolean) {
            if (boolean)
                text.append(name).append(*boolean ? "=1 " : "=0 ");
        };
        add("banned", filter.banned);
        add("verified", filter.email_verified);
        for (const auto& [name, time] : {std::pair{"from=", filter.created_from},
                                         {"until=", filter.created_before},
                                         {"seen-from=", filter.seen_from},
                                         {"seen-until=", filter.seen_before}})
            if (time) {
                text::append_iso8601(text += name, *time);
                text += ' ';
            }
        return text += filter.matches_all ? "all " : "";
    }

    /// Returns an empty string for the default order, otherwise " by name" or " by name
    /// descending".
    static std::string describe(const store::Order& order) {
        constexpr const char* names[] = {"createdAt", "name", "email", "updatedAt", "lastSeen"};
        if (order.is_default())
            return {};
        return std::string(" by ") + names[static_cast<int>(order.by)] +
               (order.is_descending ? " descending" : "");
    }

    /// Returns an empty string if there is no position, otherwise " after key id" or " before NULL
    /// id".
    static std::string describe(const std::optional<store::Position>& position) {
        if (!position)
            return {};
        return std::string(position->is_end ? " before " : " after ") +
               std::string(position->key.value_or("NULL")) + " " + std::string(position->id);
    }

    /// Records a call. Returns the failure to simulate, or nullptr.
    const store::Failure* failure_of(std::string_view call, std::string_view arguments = {}) {
        calls_.note(std::string(call) + (arguments.empty() ? "" : " ") + std::string(arguments));
        const auto found = failures.find(call);
        if (found != failures.end())
            return &found->second;
        const bool has_key = !idempotency_key.empty() && (call == "update" || call == "remove" ||
                                                          call == "delete_sessions_of_user");
        return has_key && !done_keys.insert(idempotency_key).second ? &already_done_ : nullptr;
    }

    /// Records a change of a user and its guard. Returns the failure to simulate, that the user
    /// does not exist, or that the guard's rule or versions do not hold.
    std::optional<store::Failure> guarded_failure_of(std::string_view call,
                                                     std::string_view arguments,
                                                     std::string_view id,
                                                     const store::UpdateGuard& by) {
        guard = by;
        actor = by.actor;
        if (const auto* failure = failure_of(call, arguments))
            return *failure;
        const Row row = find_row(&model::User::id, id);
        if (row == users.end())
            return store::Failure::not_found;
        if (by.kind == store::UpdateGuard::Kind::requires_role &&
            row->role.value_or("user") != by.role)
            return store::Failure::outranked;
        if (!has_expected_version(*row, by))
            return store::Failure::version_mismatch;
        return std::nullopt;
    }

    /// Records a call. Returns the failure to simulate, or the value.
    template <class T>
    store::Result<T> value_of(std::string_view call, std::string_view arguments, const T& value) {
        const auto* failure = failure_of(call, arguments);
        return failure != nullptr ? store::Result<T>(*failure) : value;
    }
    /// Records a call. Returns the failure to simulate, or the value of the key.
    template <class Values>
    store::Result<typename Values::mapped_type>
    found_by(std::string_view call, std::string_view arguments, const Values& values,
             std::string_view key) {
        if (const auto* failure = failure_of(call, arguments))
            return *failure;
        const auto found = values.find(key);
        if (found == values.end())
            return store::Failure::not_found;
        return found->second;
    }

    Row find_row(std::string_view model::User::*column, std::string_view value) {
        return std::find_if(
            users.begin(), users.end(),
            [&](const model::User& user) { return user.*column == value; });
    }

    static bool has_expected_version(const model::User& user, const store::UpdateGuard& guard) {
        return !guard.versions || std::find(guard.versions->begin(), guard.versions->end(),
                                            user.version) != guard.versions->end();
    }

    store::Result<model::User> found_or_failure(Row row) const {
        return row == users.end() ? store::Result<model::User>(store::Failure::not_found) : *row;
    }

    model::User with_extra_columns(model::User row) const {
        row.extra_columns = other_columns;
        return row;
    }

    /// Copies a string for the lifetime of the store. Arguments are valid only during the call.
    std::string_view keep_copy(std::string_view text) { return texts_.emplace_back(text); }

    model::NullableText keep_copy(model::NullableText text) {
        return text ? keep_copy(*text) : text;
    }

    store::NewUser keep_copy(store::NewUser user) {
        for (std::string_view* text : {&user.name, &user.email, &user.role, &user.password_hash})
            *text = keep_copy(*text);
        user.data = keep_copy(user.data);
        return user;
    }

    model::Session keep_copy(model::Session session) {
        for (std::string_view* text : {&session.id, &session.token, &session.user_id})
            *text = keep_copy(*text);
        session.ip_address = keep_copy(session.ip_address);
        session.user_agent = keep_copy(session.user_agent);
        return session;
    }

    store::Changes keep_copy(store::Changes given) {
        for (store::Change& change : given) {
            change.field = keep_copy(change.field);
            if (auto* text = std::get_if<std::string_view>(&change.value))
                *text = keep_copy(*text);
        }
        return given;
    }

    Calls& calls_;
    std::deque<std::string> texts_;
    store::Failure already_done_ = store::Failure::already_done;
};

class FakeHasher final : public password::Hasher {
  public:
    static constexpr std::string_view result = "$fake$hash";

    explicit FakeHasher(Calls& calls) noexcept : calls_(calls) {}

    std::optional<password::HashFailure> failure;
    /// The last password that was hashed.
    std::string password;
    /// Simulates concurrent changes. Called within hash().
    std::function<void()> meanwhile;

    std::variant<crypto::Secret, password::HashFailure> hash(std::string_view given) override {
        calls_.note("hash");
        password = given;
        if (meanwhile)
            meanwhile();
        if (failure)
            return *failure;
        return crypto::Secret(std::string(result));
    }

  private:
    Calls& calls_;
};

class FakeMailer final : public mail::Mailer {
  public:
    explicit FakeMailer(Calls& calls) noexcept : calls_(calls) {}

    std::string message;
    bool fails = false;

    bool send(std::string_view text) override {
        calls_.note("send");
        message = text;
        return !fails;
    }

  private:
    Calls& calls_;
};

class FakeBody final : public http::BodySource {
  public:
    explicit FakeBody(Calls& calls) noexcept : calls_(calls) {}

    http::Body body;

    http::Body read() override {
        calls_.note("body");
        return body;
    }

  private:
    Calls& calls_;
};

/// Header fields set by a test. Names are case-sensitive.
class FakeHeaders final : public http::Headers {
  public:
    std::map<std::string_view, std::string_view> fields;

    std::string_view find(const char* name) const noexcept override {
        const auto found = fields.find(name);
        return found != fields.end() ? found->second : std::string_view();
    }
    bool has(const char* name) const noexcept override { return fields.contains(name); }
};

/// Returns the values of all header fields with the name, separated by commas.
inline std::string header_of(const http::Response& response, std::string_view name) {
    std::string values;
    for (const http::Header& header : response.headers)
        if (name == header.name)
            values += (values.empty() ? "" : ", ") + header.value;
    return values;
}

/// The caller of a request. Its id is always "me".
using Caller = std::optional<api::Caller>;
inline constexpr Caller nobody;
inline constexpr Caller user = api::Caller{"me", "user"};
inline constexpr Caller admin = api::Caller{"me", "admin"};
inline constexpr Caller super_admin = api::Caller{"me", "superAdmin"};

inline constexpr std::string_view not_found = "404 Usuario no encontrado";
inline constexpr std::string_view wrong_method = "405 Método no permitido";
inline constexpr std::string_view unavailable = "503 Servicio no disponible temporalmente";

inline constexpr std::string_view protected_email = "root@example.org";

/// Returns a summary of a response: "200" for a success, the status and text for an error. A body
/// without the envelope of section 2.4 is included unchanged.
inline std::string summary_of(const http::Response& response) {
    constexpr std::string_view success = R"({"success":true,)";
    constexpr std::string_view failure = R"({"success":false,"error":")";
    constexpr std::string_view end = "\"}";
    std::string status = std::to_string(response.status);
    std::string_view text = response.body;
    if (text.starts_with(success))
        return status;
    if (text.starts_with(failure) && text.ends_with(end)) {
        text.remove_prefix(failure.size());
        text.remove_suffix(end.size());
    }
    return text.empty() ? status : status + " " + std::string(text);
}

/// Returns a value as text, or "null".
inline std::string value_text(const model::Value& value) {
    return model::text_of(value).value_or("null");
}

/// Fails the test if the strings differ. `of` describes the input.
inline void expect(std::string_view expected, std::string_view actual, std::string_view of = {},
                   SourceLocation where = {}) {
    STRCMP_EQUAL_LOCATION(std::string(expected).c_str(), std::string(actual).c_str(),
                          std::string(of).c_str(), where.file,
                          static_cast<std::size_t>(where.line));
}

/// Provides the service with fake dependencies. The user table contains the caller, a user, an
/// admin and the protected administrator.
class ApiScene : public Utest {
  public:
    void setup() override { start_over(); }

  protected:
    void start_over() {
        store.users.clear();
        store.created.reset();
        store.changes.reset();
        store.add("me", "me@example.org");
        store.add("another", "another@example.org");
        store.add("boss", "boss@example.org", "admin");
        store.add("root", protected_email, "superAdmin");
    }

    /// Clears the list of calls and sends a request ("GET /another", "GET /?page=2").
    http::Response send(const Caller& caller, std::string_view request,
                        std::string_view text = {}) {
        calls.clear();
        const std::size_t path = request.find(' ') + 1;
        const std::size_t query = std::min(request.find('?'), request.size());
        if (!text.empty())
            body.body.text = text;
        return api::handle_request(
            {request.substr(0, path - 1), request.substr(path, query - path),
             request.substr(std::min(query + 1, request.size())), headers, body, base},
            caller, {store, hasher, settings, audit_log, &mailer, [&] { events.push_back(event); }},
            event = {});
    }

    /// Like send(), but returns a summary of the response.
    std::string ask(const Caller& caller, std::string_view request, std::string_view text = {}) {
        return summary_of(send(caller, request, text));
    }

    Calls calls;
    /// The audit event of the last request.
    audit::Event event;
    /// The audit events of the items in bulk requests.
    std::vector<audit::Event> events;
    FakeStore store{calls};
    FakeHasher hasher{calls};
    FakeMailer mailer{calls};
    FakeBody body{calls};
    FakeHeaders headers;
    std::string_view base;
    /// The file descriptor of the audit log.
    int audit_log = -1;
    api::OperationSettings settings{{protected_email}, 1000};
};

} // namespace useradmin::test
