// Sessions created while their user changes, and changes made while their caller changes.
#include "contract.hpp"

#include "support/process.hpp"

#include <functional>

namespace useradmin::test {

namespace {

using store::Failure;

constexpr std::string_view administrators[] = {"superAdmin", "admin"};

} // namespace

class SessionTerms : public Contract {
  public:
    void setup() override {
        Contract::setup();
        expect_ok(store().create(new_user("n", "n@x")));
        user_ = expect_ok(store().find_credential("n@x")).user;
    }

  protected:
    /// Creates a session for the user as read in setup().
    store::Result<std::string_view> open(std::string_view token = "fresh",
                                         std::int64_t max_sessions = 0,
                                         std::string_view hash = "a hash") {
        model::Session session = session_of("n", token);
        session.created_at = session.updated_at = at("2026-03-04T00:00:00.000Z");
        store::SessionTerms terms;
        terms.verified = &user_;
        terms.password_hash = hash;
        terms.now = *session.created_at;
        terms.max_sessions = max_sessions;
        return store().create_session(session, terms);
    }

    /// Runs the call while another writer opens a session, as create_session() does, and commits
    /// it when the call waits.
    template <class Call>
    auto while_another_signs_in(const Call& call) {
        return while_another_writer(
            R"(SELECT 1 FROM "user" WHERE "id" = 'n' FOR NO KEY UPDATE;
               INSERT INTO "session" ("id", "expiresAt", "token", "createdAt", "updatedAt",
               "userId") VALUES ('other', '2030-01-01T00:00:00.000Z', 'other',
               '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 'n'))",
            call);
    }

    bool is_rejected(const store::Result<std::string_view>& opened) {
        return !opened && opened.failure() == Failure::version_mismatch && sessions() == 0;
    }

    long sessions() { return sql().number("SELECT count(*) FROM \"session\""); }

    model::User user_;
};

TEST_GROUP_BASE(session_terms, SessionTerms){};
// Not for SQLite, which has one writer at a time.
TEST_GROUP_BASE(postgresql_session_terms, SessionTerms){};

TEST(session_terms, accept_the_verified_user) {
    CHECK_EQUAL(std::string("fresh"), std::string(expect_ok(open())));
    CHECK_EQUAL(1, sessions());
}

TEST(session_terms, reject_a_user_that_was_changed) {
    for (const char* change :
         {R"(UPDATE "account" SET "password" = 'another hash')",
          R"(UPDATE "account" SET "providerId" = 'github')",
          R"(UPDATE "user" SET "role" = 'admin')", R"(UPDATE "user" SET "email" = 'other@x')",
          R"(DELETE FROM "account")", R"(DELETE FROM "user")"}) {
        database().clear();
        expect_ok(store().create(new_user("n", "n@x")));
        sql().run(change);
        CHECK_TEXT(is_rejected(open()), change);
    }
}

TEST(session_terms, reject_a_banned_user_until_the_ban_ends) {
    expect_ok(store().update("n", {{"banned", true}}));
    CHECK(is_rejected(open()));
    expect_ok(store().update("n", {{"banExpires", at("2026-03-04T00:00:01.000Z")}}));
    CHECK(is_rejected(open()));
    expect_ok(store().update("n", {{"banExpires", at("2026-03-04T00:00:00.000Z")}}));
    expect_ok(open());
}

TEST(postgresql_session_terms, are_checked_again_after_a_lock) {
    for (const char* change :
         {R"(UPDATE "user" SET "banned" = TRUE)", R"(UPDATE "account" SET "password" = 'other')",
          R"(UPDATE "user" SET "role" = 'admin')", R"(DELETE FROM "user")"}) {
        database().clear();
        expect_ok(store().create(new_user("n", "n@x")));
        CHECK_TEXT(is_rejected(while_another_writer(change, [&] { return open(); })), change);
    }
}

TEST(session_terms, end_expired_and_surplus_sessions_of_the_user) {
    add_user("m", "m@x");
    const auto add = [&](const char* token, const char* user, const char* created,
                         const char* expires) {
        add_session(token, user, expires);
        sql().run("UPDATE \"session\" SET \"createdAt\" = " + sql_literal(created) +
                  " WHERE \"token\" = " + sql_literal(token));
    };
    add("expired", "n", "2026-03-03T00:00:00.000Z", "2026-03-01T00:00:00.000Z");
    add("oldest", "n", "2026-01-01T00:00:00.000Z", "2030-01-01T00:00:00.000Z");
    add("older", "n", "2026-01-02T00:00:00.000Z", "2030-01-01T00:00:00.000Z");
    add("old", "n", "2026-01-03T00:00:00.000Z", "2030-01-01T00:00:00.000Z");
    add("other", "m", "2025-01-01T00:00:00.000Z", "2025-01-02T00:00:00.000Z");
    const auto tokens = [&] {
        return sql().column(R"(SELECT "token" FROM "session" ORDER BY "createdAt", "token")");
    };
    expect_ok(open("limitless"));
    CHECK_EQUAL(std::string("other, oldest, older, old, expired, limitless"), tokens());
    CHECK(!open("refused", 3, "another hash"));
    CHECK_EQUAL(std::string("other, oldest, older, old, expired, limitless"), tokens());
    expect_ok(open("mine", 4));
    CHECK_EQUAL(std::string("other, older, old, limitless, mine"), tokens());
    expect_ok(open("alone", 1));
    CHECK_EQUAL(std::string("other, alone"), tokens());
}

TEST(postgresql_session_terms, limit_the_sessions_of_concurrent_sign_ins) {
    expect_ok(while_another_signs_in([&] { return open("mine", 1); }));
    CHECK_EQUAL(1, sessions());
}

TEST(postgresql_session_terms, prevent_sessions_from_being_opened_after_a_change) {
    auto hash = new_user("n", "n@x");
    hash.password_hash = "another hash";
    const auto update = [&](const store::Changes& changes) {
        return bool(store().update("n", changes, {}, store::SessionPolicy::revoke));
    };
    const std::function<bool()> changes[] = {
        [&] {
            return update({{"banned", true}});
        },
        [&] {
            return update({{"role", "x"}});
        },
        [&] {
            return update({{"email", "o@x"}});
        },
        [&] { return bool(store().set_password(account_row(hash), store::SessionPolicy::revoke)); },
        [&] { return bool(store().remove("n", {"protected@x"})); },
    };
    IgnoringListener before(true);
    IgnoringListener after(false);
    for (store::ChangeListener* listener : Listeners{nullptr, &before, &after})
        for (const auto& change : changes) {
            database().clear();
            set_change_listener(nullptr);
            expect_ok(store().create(new_user("n", "n@x")));
            set_change_listener(listener);
            CHECK(while_another_signs_in(change));
            CHECK_EQUAL(0, sessions());
        }
}

TEST(postgresql_session_terms, create_one_account_for_two_concurrent_passwords) {
    add_user("m", "m@x");
    expect_ok(while_another_writer(
        R"(SELECT 1 FROM "user" WHERE "id" = 'm' FOR NO KEY UPDATE;
           INSERT INTO "account" ("id", "accountId", "providerId", "userId", "password",
           "createdAt", "updatedAt") VALUES ('first', 'm@x', 'credential', 'm', 'x',
           '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'))",
        [&] { return store().set_password(account_row(new_user("m", "m@x"))); }));
    CHECK_EQUAL(1, sql().number(R"(SELECT count(*) FROM "account" WHERE "userId" = 'm')"));
}

class Callers : public Contract {
  public:
    void setup() override {
        Contract::setup();
        add_user("boss", "boss@x", "'admin'");
        add_user("n", "n@x");
        add_session("one", "n");
    }

  protected:
    store::Actor admin_actor(std::size_t roles = 2) const {
        return {"boss", std::span(administrators).first(roles), at("2026-01-01T00:00:00.000Z")};
    }

    /// Expects that every change by this caller fails with `failure` and has no effect.
    void expect_rejected(const store::Actor& actor, Failure failure) {
        store::UpdateGuard guard;
        guard.actor = actor;
        const auto has_expected_failure = [failure](const auto& result) {
            return !result && result.failure() == failure;
        };
        CHECK(has_expected_failure(store().create(new_user("new", "new@x"), actor)));
        CHECK(has_expected_failure(store().update("n", {{"name", "Otro"}}, guard)));
        CHECK(has_expected_failure(
            store().update("n", {{"banned", true}}, guard, store::SessionPolicy::revoke)));
        CHECK(has_expected_failure(store().update("nobody", {{"name", "Otro"}}, guard)));
        CHECK(has_expected_failure(store().set_password(account_row(new_user("n", "n@x")),
                                                        store::SessionPolicy::revoke, guard)));
        store::SessionTerms terms;
        terms.actor = actor;
        CHECK(has_expected_failure(store().create_session(session_of("n", "new"), terms)));
        CHECK(has_expected_failure(store().delete_session_of_user("n", "session-one", guard)));
        CHECK(has_expected_failure(store().delete_sessions_of_user("n", guard)));
        CHECK(has_expected_failure(store().remove("n", {"n@x"}, guard)));
        CHECK(has_expected_failure(store().remove("nobody", {"n@x"}, guard)));
        CHECK_EQUAL(0, sql().number(R"(SELECT count(*) FROM "user" WHERE "name" = 'Otro')"));
        CHECK_EQUAL(0, sql().number(R"(SELECT count(*) FROM "user" WHERE "id" = 'new')"));
        CHECK_EQUAL(1, sql().number(R"(SELECT count(*) FROM "user" WHERE "id" = 'n')"));
        CHECK_EQUAL(1, sql().number(R"(SELECT count(*) FROM "session")"));
        CHECK_EQUAL(0, sql().number(R"(SELECT count(*) FROM "account")"));
    }
};

TEST_GROUP_BASE(guarded_callers, Callers){};

TEST(guarded_callers, end_sessions_only_of_the_expected_version_and_role) {
    store::UpdateGuard guard;
    guard.actor = admin_actor();
    guard.versions = std::vector<std::string_view>{"another"};
    const auto check = [&](store::Failure failure) {
        const auto one = store().delete_session_of_user("n", "session-one", guard);
        const auto all = store().delete_sessions_of_user("n", guard);
        CHECK(!one && one.failure() == failure);
        CHECK(!all && all.failure() == failure);
    };
    check(store::Failure::version_mismatch);
    guard.versions = {};
    guard.kind = store::UpdateGuard::Kind::requires_role;
    guard.role = "superAdmin";
    check(store::Failure::outranked);
    expect_ok(store().find_session("one"));
}

TEST_GROUP_BASE(postgresql_guarded_callers, Callers){};

TEST(postgresql_guarded_callers, cannot_open_sessions_while_they_are_changed) {
    store::SessionTerms terms;
    terms.actor = admin_actor();
    const std::pair<const char*, Failure> changes[] = {
        {R"(UPDATE "user" SET "banned" = TRUE WHERE "id" = 'boss')", Failure::caller_rejected},
        {R"(UPDATE "user" SET "role" = 'user' WHERE "id" = 'boss')", Failure::caller_demoted},
        {R"(DELETE FROM "user" WHERE "id" = 'boss')", Failure::caller_rejected}};
    for (const auto& [change, failure] : changes) {
        sql().run(R"(DELETE FROM "user" WHERE "id" = 'boss')");
        add_user("boss", "boss@x", "'admin'");
        const auto opened = while_another_writer(
            change, [&] { return store().create_session(session_of("n", "new"), terms); });
        CHECK_TEXT(!opened && opened.failure() == failure, change);
    }
}

TEST(guarded_callers, may_change_users_if_they_are_unchanged) {
    store::UpdateGuard guard;
    guard.actor = admin_actor();
    expect_ok(store().create(new_user("new", "new@x"), admin_actor()));
    expect_ok(store().update("n", {{"name", "Otro"}}, guard));
    auto user = new_user("n", "n@x");
    user.account_id = "another account";
    expect_ok(store().set_password(account_row(user), store::SessionPolicy::keep, guard));
    expect_ok(store().delete_session_of_user("n", "session-one", guard));
    CHECK_EQUAL(0, expect_ok(store().delete_sessions_of_user("n", guard)));
    CHECK(is_no_session(store().delete_session_of_user("n", "session-one", guard)));
    CHECK(is_not_found(store().update("nobody", {{"name", "Otro"}}, guard)));
    CHECK(is_not_found(store().remove("nobody", {"p@x"}, guard)));
    expect_ok(store().remove("n", {"p@x"}, guard));
}

TEST(guarded_callers, cannot_change_anything_while_banned) {
    sql().run(R"(UPDATE "user" SET "banned" = TRUE WHERE "id" = 'boss')");
    expect_rejected(admin_actor(), Failure::caller_rejected);
    sql().run(R"(UPDATE "user" SET "banExpires" = '2026-01-01T00:00:00.000Z' WHERE "id" = 'boss')");
    expect_ok(store().create(new_user("new", "new@x"), admin_actor()));
}

TEST(guarded_callers, cannot_change_anything_after_their_deletion) {
    sql().run(R"(DELETE FROM "user" WHERE "id" = 'boss')");
    expect_rejected(admin_actor(), Failure::caller_rejected);
}

TEST(guarded_callers, cannot_change_anything_after_losing_their_role) {
    expect_rejected(admin_actor(1), Failure::caller_demoted);
    sql().run(R"(UPDATE "user" SET "role" = NULL WHERE "id" = 'boss')");
    expect_rejected(admin_actor(), Failure::caller_demoted);
}

} // namespace useradmin::test
