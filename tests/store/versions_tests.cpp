// Versions of user rows, and conditional changes.
#include "contract.hpp"

#include <set>
#include <utility>

namespace useradmin::test {

namespace {

constexpr store::ProtectedEmail nobody = {"protected@x"};

store::UpdateGuard guard_for(std::vector<std::string_view> versions) {
    store::UpdateGuard guard;
    guard.versions = std::move(versions);
    return guard;
}

} // namespace

class Versions : public Contract {
  protected:
    std::string version() { return std::string(expect_ok(store().find("u")).version); }
    std::string name() { return std::string(expect_ok(store().find("u")).name); }

    /// Expects that the version has changed since the previous call.
    void expect_new(const char* after, SourceLocation where = {}) {
        const std::string now = version();
        if (now.empty() || now == std::exchange(last_, now))
            fail_test(std::string("no new version after: ") + after, where);
    }

    /// Expects that an update and a deletion with these versions fail with version_mismatch.
    void expect_mismatch(const std::vector<std::string_view>& versions) {
        CHECK(store().update("u", {{"name", "New"}}, guard_for(versions)).failure() ==
              store::Failure::version_mismatch);
        CHECK(store().remove("u", nobody, guard_for(versions)).failure() ==
              store::Failure::version_mismatch);
        CHECK_EQUAL(std::string("Name of u"), name());
    }

    /// Expects that only the first change with a version succeeds.
    void expect_one_success() {
        const std::string first = version();
        const auto changed = expect_ok(store().update("u", {{"name", "One"}}, guard_for({first})));
        CHECK_EQUAL(version(), std::string(changed.version));
        CHECK(store().update("u", {{"name", "Two"}}, guard_for({first})).failure() ==
              store::Failure::version_mismatch);
        CHECK(store().remove("u", nobody, guard_for({first})).failure() ==
              store::Failure::version_mismatch);
        CHECK_EQUAL(std::string("One"), name());
        expect_ok(store().remove("u", nobody, guard_for({"x", version(), "y"})));
        CHECK(is_not_found(store().update("u", {{"name", "Two"}}, guard_for({first}))));
        CHECK(is_not_found(store().remove("u", nobody, guard_for({first}))));
    }

    std::string last_;
};

TEST_GROUP_BASE(versions, Versions){};
TEST_GROUP_BASE(postgresql_versions, Versions){};

TEST(versions, do_not_depend_on_how_a_row_is_read) {
    const auto made = expect_ok(store().create(new_user("u", "u@x")));
    CHECK_EQUAL(version(), std::string(made.version));
    CHECK_EQUAL(version(), std::string(made.version));
    const auto changed = expect_ok(store().update(
        "u", {{"name", "New"}, {"banned", true}, {"banReason", "x"}, {"updatedAt", text::now()}}));
    CHECK_EQUAL(version(), std::string(changed.version));
}

TEST(versions, can_be_entity_tags) {
    add_user("u", "u@x");
    CHECK(version().find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz.-") ==
          std::string::npos);
}

TEST(versions, change_with_every_change_of_the_row) {
    add_user("u", "u@x");
    expect_new("its creation");
    for (const char* change :
         {"\"name\" = 'N'", "\"email\" = 'e@x'", "\"role\" = NULL", "\"role\" = 'x'",
          "\"emailVerified\" = FALSE", "\"image\" = ''", "\"image\" = 'x'",
          "\"createdAt\" = '2026-01-01T00:00:00.001Z'", "\"banned\" = TRUE", "\"banReason\" = 'N'",
          "\"banExpires\" = '2026-01-01T00:00:00.000Z'"}) {
        sql().run(std::string("UPDATE \"user\" SET ") + change + " WHERE \"id\" = 'u'");
        expect_new(change);
    }
}

TEST(versions, change_with_the_applications_own_columns) {
    add_user("u", "u@x");
    change("ALTER TABLE \"user\" ADD COLUMN \"points\" integer",
           "ALTER TABLE \"user\" DROP COLUMN \"points\"");
    expect_new("its creation");
    for (const char* points : {"1", "2", "NULL"}) {
        sql().run(std::string("UPDATE \"user\" SET \"points\" = ") + points);
        expect_new(points);
    }
}

TEST(postgresql_versions, differ_after_each_change_in_a_transaction) {
    // On SQLite, the version is a digest of the row, which stays the same here.
    add_user("u", "u@x");
    expect_ok(store().find("u"));
    execute_on_connection("BEGIN");
    const auto time = text::now();
    std::set<std::string> all;
    for (int turn = 0; turn < 5; ++turn)
        all.insert(std::string(expect_ok(store().update("u", {{"updatedAt", time}})).version));
    execute_on_connection("COMMIT");
    LONGS_EQUAL(5, all.size());
}

TEST(versions, are_not_affected_by_other_rows) {
    add_user("u", "u@x");
    add_user("v", "v@x");
    const std::string before = version();
    expect_ok(store().update("v", {{"name", "New"}}));
    CHECK_EQUAL(before, version());
}

TEST(versions, make_changes_conditional) {
    add_user("u", "u@x");
    const std::string now = version();
    expect_mismatch({});
    expect_mismatch({""});
    expect_mismatch({"x", "y"});
    expect_mismatch({now.substr(1)});
    expect_mismatch({now.substr(0, now.size() - 1)});
    expect_mismatch({now + "0"});
    expect_one_success();
}

TEST(versions, make_changes_with_a_listener_conditional) {
    for (const bool before_commit : {false, true}) {
        IgnoringListener listener(before_commit);
        set_change_listener(&listener);
        add_user("u", "u@x");
        expect_one_success();
        set_change_listener(nullptr);
    }
}

TEST(versions, are_checked_after_the_guard_and_the_protected_address) {
    add_user("u", "protected@x", "'owner'");
    store::UpdateGuard guard = guard_for({"x"});
    CHECK(store().remove("u", nobody, guard).failure() == store::Failure::protected_user);
    expect_ok(store().update("u", {{"email", "u@x"}}));
    guard.kind = store::UpdateGuard::Kind::keeps_last_of_role;
    guard.role = "owner";
    guard.now = at("2026-01-02T00:00:00.000Z");
    CHECK(store().remove("u", nobody, guard).failure() == store::Failure::last_of_role);
    CHECK(store().update("u", {{"name", "New"}}, guard).failure() == store::Failure::last_of_role);
    guard.kind = store::UpdateGuard::Kind::requires_role;
    guard.role = "user";
    CHECK(store().remove("u", nobody, guard).failure() == store::Failure::outranked);
    CHECK(store().update("u", {{"name", "New"}}, guard).failure() == store::Failure::outranked);
    guard.role = "owner";
    CHECK(store().remove("u", nobody, guard).failure() == store::Failure::version_mismatch);
    CHECK(store().update("u", {{"name", "New"}}, guard).failure() ==
          store::Failure::version_mismatch);
}

TEST(postgresql_versions, exist_if_the_user_table_is_a_view) {
    change("ALTER TABLE \"user\" RENAME TO \"people\"; CREATE VIEW \"user\" AS SELECT * FROM "
           "\"people\"",
           "DROP VIEW \"user\"; ALTER TABLE \"people\" RENAME TO \"user\"");
    const auto made = expect_ok(store().create(new_user("u", "u@x")));
    CHECK_EQUAL(version(), std::string(made.version));
    expect_new("its creation");
    expect_ok(store().update("u", {{"name", "New"}}));
    expect_new("a change");
    expect_one_success();
}

} // namespace useradmin::test
