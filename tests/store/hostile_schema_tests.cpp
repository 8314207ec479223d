// Regardless of the search path, no object of another role may run in place of a built-in one.
#include "contract.hpp"

#include "support/hostile_schema.hpp"

namespace useradmin::test {

namespace {

// PostgreSQL searches pg_catalog first, because the path does not name it. A function in "hostile"
// still runs if its argument types match better.
constexpr const char* search_paths[] = {"hostile, public"};

const store::UpdateGuard guards[] = {
    {},
    {store::UpdateGuard::Kind::requires_role, "user", at("2026-05-01T00:00:00.000Z"), {}},
    {store::UpdateGuard::Kind::keeps_last_of_role,
     "superAdmin",
     at("2026-05-01T00:00:00.000Z"),
     {}},
    {store::UpdateGuard::Kind::keeps_last_of_role, "superAdmin", at("2026-05-01T00:00:00.000Z"),
     std::vector<std::string_view>{"1-2"}},
};

class HostileSchema : public Contract {
  public:
    void setup() override {
        Contract::setup();
        sql().run("DROP SCHEMA IF EXISTS hostile CASCADE; " + hostile_schema());
        add_plugin_tables();
    }
    void teardown() override {
        sql().run("DROP SCHEMA IF EXISTS hostile CASCADE");
        Contract::teardown();
    }

  protected:
    /// Fails the test if the result is a database error: hostile code would cause one. Accepts
    /// other failures, such as not_found.
    template <class T>
    static void expect_no_database_error(const store::Result<T>& result,
                                         SourceLocation where = {}) {
        if (!result && (result.failure() == store::Failure::failed ||
                        result.failure() == store::Failure::unavailable))
            fail_test("the statement failed", where);
    }

    static store::NewUser user_with_account(std::string_view id, std::string_view email) {
        store::NewUser user = new_user(id, email);
        user.account_id = "account-" + user.id;
        return user;
    }

    void list_users() {
        const auto now = at("2026-05-01T00:00:00.000Z");
        std::vector<store::Filter> filters(6);
        filters[1].role = "user";
        filters[2].search = "n";
        filters[3].role = "user";
        filters[3].search = "n";
        filters[4] = {"user", "n", true, true, now, now, now, now, true};
        filters.push_back(filters[4]);
        filters[6].matches_all = false;
        filters[5].banned = false;
        for (const store::Filter& filter : filters)
            for (const store::SortKey by :
                 {store::SortKey::created_at, store::SortKey::name, store::SortKey::email,
                  store::SortKey::updated_at, store::SortKey::last_seen})
                for (const std::int64_t offset : {0, 3, 200, 20000}) {
                    const store::Order order = {by, offset != 3};
                    expect_no_database_error(store().list(filter, {10, offset, order}));
                    const model::NullableText key =
                        order.sorts_by_time() ? "2026-05-01T00:00:00.123456" : "n";
                    for (const bool is_end : {false, true})
                        expect_no_database_error(store().list(
                            filter, {10, 0, order, store::Position{key, "u", is_end}}));
                }
    }

    void change_users() {
        for (const store::UpdateGuard& guard : guards)
            for (const store::SessionPolicy sessions :
                 {store::SessionPolicy::keep, store::SessionPolicy::revoke}) {
                const store::Changes changes = {{"name", "N"},
                                                {"email", "u@x"},
                                                {"role", "user"},
                                                {"banned", true},
                                                store::unverify_changed_email(true)};
                expect_no_database_error(store().update("u", changes, guard, sessions));
                expect_no_database_error(store().set_password(
                    store::account_row(user_with_account("u", "u@x")), sessions, guard));
                expect_no_database_error(store().remove(
                    "none", {"u@x", sessions == store::SessionPolicy::revoke}, guard));
            }
        expect_no_database_error(store().create(user_with_account("n", "n@x")));
        expect_no_database_error(
            store().create(user_with_account("m", "n@x"))); // a conflict, whose cause is queried
        expect_no_database_error(
            store().replace_hash(store::account_row(user_with_account("n", "n@x")), "a hash"));
        expect_no_database_error(store().remove("n", {"u@x", true}, guards[0]));
    }

    void list_by_conditions() {
        using Operator = store::Condition::Operator;
        for (const Operator each :
             {Operator::eq, Operator::ne, Operator::lt, Operator::gte, Operator::in,
              Operator::not_in, Operator::contains, Operator::starts_with, Operator::ends_with}) {
            store::Filter filter;
            filter.matches_all = true;
            filter.conditions = {{"name", each, {"n"}}, {"email", each, {"u@x"}}};
            if (each == Operator::contains)
                filter.conditions = {{"email", each, {"@"}}};
            store::Window window = {10};
            window.columns = store::UserColumns::all;
            store::Result<store::Page> page = store().list(filter, window);
            expect_no_database_error(page);
            if (page)
                expect_no_database_error(store().read_last_activity(page->users));
            window.column = "name";
            expect_no_database_error(store().list(filter, window));
        }
        store::Filter filter;
        filter.matches_all = true;
        filter.conditions = {{"createdAt", Operator::lt, {"2026-05-01T00:00:00.000Z"}},
                             {"banned", Operator::eq, {"false"}},
                             {"id", Operator::eq, {"u"}}};
        expect_no_database_error(store().list(filter, {10}));
    }

    void read_users() {
        expect_no_database_error(store().find("u"));
        expect_no_database_error(store().find("u", store::UserColumns::all));
        expect_no_database_error(store().find_by_email("u@x"));
        expect_no_database_error(store().find_credential("u@x"));
        expect_no_database_error(store().password_formats());
        expect_no_database_error(store().extra_columns());
        expect_no_database_error(store().has_protected_user({"u@x", true}));
        expect_no_database_error(store().has_protected_user({"u@x", false}));
    }

    void use_sessions() {
        const auto now = at("2026-05-01T00:00:00.000Z");
        expect_no_database_error(store().create_session(session_of("u", "opened", now)));
        expect_no_database_error(store().find_session("opened"));
        expect_no_database_error(store().find_caller("opened"));
        expect_no_database_error(store().list_sessions("u"));
        expect_no_database_error(store().find_session_by_token_or_id("u"));
        expect_no_database_error(store().list_active_sessions("u", now, 5));
        expect_no_database_error(store().extend_session("opened", now, now));
        expect_no_database_error(store().delete_session("opened"));
        expect_no_database_error(store().delete_session_of_user("u", "none"));
        expect_no_database_error(store().delete_sessions_of_user("u"));
    }

    /// Reads and changes the user's second factor and API key in the tables of better-auth's
    /// plugins.
    void use_plugins(store::ChangeListener* listener) {
        const auto now = at("2026-05-01T00:00:00.000Z");
        sql().run(R"(UPDATE "user" SET "twoFactorEnabled" = TRUE WHERE "id" = 'u';
                     INSERT INTO "twoFactor" VALUES ('f', 'key', 'codes', 'u');
                     INSERT INTO "apikey" ("id", "key", "referenceId") VALUES ('k', 'x', 'u'))");
        store::DatabaseStore database_store(*connection_, log_, pool_, {.has_plugins = true},
                                            "plugins", timeout_policy);
        database_store.set_change_listener(listener);
        store::Store& store = database_store;
        store::SecondFactorChange change{"u", now};
        change.added = {{"a", "a", "u", now + std::chrono::hours(1), now, now}};
        change.backup_codes = "fewer";
        change.old_backup_codes = "codes";
        change.clears_failures = true;
        expect_ok(store.change_second_factor(change));
        expect_ok(store.find_verification("a", now));
        expect_ok(store.change_second_factor({"u", now, {"a"}}));
        expect_ok(store.record_second_factor_failure("u", {1, now, now}));
        expect_ok(store.find_second_factor("u"));
        expect_ok(
            store.remove_second_factor("u", {store::UpdateGuard::Kind::requires_role, "user"}));
        expect_ok(store.find_api_key("x"));
        expect_ok(store.use_api_key({"k", now}));
        expect_ok(store.list_sign_in_methods("u", 100));
        expect_ok(store.remove_sign_in_method("u", model::MethodKind::api_key, "k"));
    }

    /// Runs all statements of the store with the hostile schema in the search path.
    void run_all() {
        for (const char* path : search_paths) {
            add_user("u", "u@x");
            add_user("s", "s@x", "'superAdmin'");
            execute_on_connection(("SET search_path = " + std::string(path)).c_str());
            IgnoringListener before(true);
            IgnoringListener after(false);
            for (store::ChangeListener* listener : Listeners{nullptr, &before, &after}) {
                set_change_listener(listener);
                list_users();
                change_users();
                list_by_conditions();
                read_users();
                use_sessions();
                use_plugins(listener);
            }
            set_change_listener(nullptr);
            database().clear();
        }
    }
};

} // namespace

TEST_GROUP_BASE(postgresql_hostile_schema, HostileSchema){};

TEST(postgresql_hostile_schema, runs_in_unqualified_statements) {
    execute_on_connection("SET search_path = hostile, public");
    const auto succeeds = [&](const char* query) { return !execute_on_connection(query); };
    CHECK_FALSE(succeeds("SELECT 1 FROM pg_class WHERE oid OPERATOR(pg_catalog.=) 1"));
    CHECK(succeeds("SELECT 1 FROM pg_class WHERE oid = 'pg_class'::regclass"));
    CHECK(succeeds("SELECT lower(relname::varchar) FROM pg_class"));
    CHECK(succeeds("SELECT 1 FROM pg_class WHERE relname::varchar IN ('x')"));
    execute_on_connection("SET search_path = hostile, public, pg_catalog");
    CHECK(succeeds("SELECT count(*) FROM pg_class"));
    CHECK(succeeds("SELECT 'x'::text"));
}

TEST(postgresql_hostile_schema, does_not_run_in_statements_of_the_store) {
    run_all();
}

TEST(postgresql_hostile_schema, does_not_run_for_varchar_columns) {
    std::string to_varchar;
    std::string to_text;
    for (const char* column :
         {R"("user" ALTER "id")", R"("session" ALTER "userId")", R"("user" ALTER "name")",
          R"("user" ALTER "email")", R"("user" ALTER "role")", R"("session" ALTER "token")",
          R"("account" ALTER "providerId")", R"("account" ALTER "password")"}) {
        to_varchar += "ALTER TABLE " + std::string(column) + " TYPE varchar(300); ";
        to_text += "ALTER TABLE " + std::string(column) + " TYPE text; ";
    }
    change(to_varchar + R"(ALTER TABLE "user" ADD COLUMN "seenAt" timestamptz)",
           to_text + R"(ALTER TABLE "user" DROP COLUMN "seenAt")");
    run_all();
}

} // namespace useradmin::test
