#pragma once

#include "store/database_store.hpp"
#include "store/session_cache.hpp"
#include "store/statements.hpp"

#include <utility>

namespace useradmin::httpd {

/// A DatabaseStore that invalidates the session cache of all children when it changes a user or
/// ends a session. It does so even on failure, because the outcome may be unknown.
class RequestStore final : public store::DatabaseStore {
  public:
    template <class... Arguments>
    explicit RequestStore(store::SessionCache& sessions, Arguments&&... arguments)
        : DatabaseStore(std::forward<Arguments>(arguments)...), sessions_(sessions) {}

    /// Sets whether changes that revoke privileges or sessions fail with `unavailable`.
    void refuse_revocations(bool are_refused) noexcept { refuses_revocations_ = are_refused; }
    /// Returns whether a change that revokes privileges or sessions was attempted.
    bool has_revoked() const noexcept { return has_revoked_; }

    store::Result<model::User>
    update(std::string_view id, const store::Changes& changes, const store::UpdateGuard& guard,
           store::SessionPolicy sessions = store::SessionPolicy::keep) override {
        if (store::statements::may_revoke_privileges(changes) && !begin_revocation())
            return store::Failure::unavailable;
        const ScopeExit forget([&] { sessions_.invalidate_user(id); });
        return DatabaseStore::update(id, changes, guard, sessions);
    }
    store::Result<store::Done> remove(std::string_view id, const store::ProtectedEmail& spared,
                                      const store::UpdateGuard& guard) override {
        if (!begin_revocation())
            return store::Failure::unavailable;
        const ScopeExit forget([&] { sessions_.invalidate_user(id); });
        return DatabaseStore::remove(id, spared, guard);
    }
    store::Result<std::string_view> create_session(const model::Session& session,
                                                   const store::SessionTerms& terms = {}) override {
        const ScopeExit forget([&] {
            if (terms.max_sessions != 0)
                sessions_.invalidate_user(session.user_id);
        });
        return DatabaseStore::create_session(session, terms);
    }
    store::Result<store::Done> delete_session(std::string_view token) override {
        if (!begin_revocation())
            return store::Failure::unavailable;
        const ScopeExit forget([&] { sessions_.invalidate_session(token); });
        return DatabaseStore::delete_session(token);
    }
    store::Result<store::Done> set_password(const model::Account& account,
                                            store::SessionPolicy sessions,
                                            const store::UpdateGuard& guard) override {
        if (sessions == store::SessionPolicy::revoke && !begin_revocation())
            return store::Failure::unavailable;
        const ScopeExit forget([&] {
            if (sessions == store::SessionPolicy::revoke)
                sessions_.invalidate_user(account.user_id);
        });
        return DatabaseStore::set_password(account, sessions, guard);
    }
    store::Result<store::Done>
    delete_session_of_user(std::string_view user_id, std::string_view id,
                           const std::optional<store::Actor>& actor) override {
        if (!begin_revocation())
            return store::Failure::unavailable;
        const ScopeExit forget([&] { sessions_.invalidate_user(user_id); });
        return DatabaseStore::delete_session_of_user(user_id, id, actor);
    }
    store::Result<std::int64_t>
    delete_sessions_of_user(std::string_view user_id,
                            const std::optional<store::Actor>& actor) override {
        if (!begin_revocation())
            return store::Failure::unavailable;
        const ScopeExit forget([&] { sessions_.invalidate_user(user_id); });
        return DatabaseStore::delete_sessions_of_user(user_id, actor);
    }
    store::Result<store::Done> remove_second_factor(std::string_view id,
                                                    const store::UpdateGuard& guard) override {
        if (!begin_revocation())
            return store::Failure::unavailable;
        const ScopeExit forget([&] { sessions_.invalidate_user(id); });
        return DatabaseStore::remove_second_factor(id, guard);
    }

  private:
    /// Records that a revocation was attempted. Returns whether it is allowed.
    bool begin_revocation() noexcept {
        has_revoked_ = true;
        return !refuses_revocations_;
    }

    template <class Action>
    class ScopeExit {
      public:
        explicit ScopeExit(Action action) noexcept : action_(action) {}
        ~ScopeExit() { action_(); }
        ScopeExit(const ScopeExit&) = delete;
        ScopeExit& operator=(const ScopeExit&) = delete;

      private:
        Action action_;
    };

    store::SessionCache& sessions_;
    bool refuses_revocations_ = false;
    bool has_revoked_ = false;
};

} // namespace useradmin::httpd
