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
    }
    void teardown() override {
        sql().run("DROP SCHEMA IF EXISTS hostile CASCADE");
        Contract::teardown();
    }

  protected:
    /// Fails the test if the result is a database error: hostile code would cause one. Accepts
    /// other failures, such as not_found.
    template <class T>
    static void ran(const store::Result<T>& result, SourceLocation where = {}) {
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
                    ran(store().list(filter, {10, offset, order}));
                    const model::NullableText key =
                        order.is_of_times() ? "2026-05-01T00:00:00.123456" : "n";
                    for (const bool is_end : {false, true})
                        ran(store().list(filter,
                                         {10, 0, order, store::Position{key, "u", is_end}}));
                }
    }

    void change_users() {
        const auto now = at("2026-05-01T00:00:00.000Z");
        for (const store::UpdateGuard& guard : guards)
            for (const store::SessionPolicy sessions :
                 {store::SessionPolicy::keep, store::SessionPolicy::revoke}) {
                const store::Changes changes = {{"name", "N"},
                                                {"email", "u@x"},
                                                {"role", "user"},
                                                {"banned", true},
                                                store::unverify_changed_email(true)};
                ran(store().update("u", changes, guard, sessions));
                ran(store().set_password(store::account_row(user_with_account("u", "u@x")),
                                         sessions, guard));
                ran(store().remove("none", {"u@x", sessions == store::SessionPolicy::revoke},
                                   guard));
            }
        ran(store().create(user_with_account("n", "n@x")));
        ran(store().create(user_with_account("m", "n@x"))); // a conflict, whose cause is queried
        ran(store().replace_hash(store::account_row(user_with_account("n", "n@x")), "a hash"));
        ran(store().remove("n", {"u@x", true}, guards[0]));
        ran(store().exists_other_with_role("u", "superAdmin", now));
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
            ran(page);
            if (page)
                ran(store().read_last_activity(page->users));
            window.column = "name";
            ran(store().list(filter, window));
        }
        store::Filter filter;
        filter.matches_all = true;
        filter.conditions = {{"createdAt", Operator::lt, {"2026-05-01T00:00:00.000Z"}},
                             {"banned", Operator::eq, {"false"}},
                             {"id", Operator::eq, {"u"}}};
        ran(store().list(filter, {10}));
    }

    void read_users() {
        ran(store().find("u"));
        ran(store().find("u", store::UserColumns::all));
        ran(store().find_by_email("u@x"));
        ran(store().find_credential("u@x"));
        ran(store().password_formats());
        ran(store().extra_columns());
        ran(store().survey({"u@x", true}));
        ran(store().survey({"u@x", false}));
    }

    void use_sessions() {
        const auto now = at("2026-05-01T00:00:00.000Z");
        ran(store().create_session(session_of("u", "opened", now)));
        ran(store().find_session("opened"));
        ran(store().find_caller("opened"));
        ran(store().list_sessions("u"));
        ran(store().find_session_of_any("u"));
        ran(store().list_active_sessions("u", now, 5));
        ran(store().extend_session("opened", now, now));
        ran(store().delete_session("opened"));
        ran(store().delete_session_of_user("u", "none"));
        ran(store().delete_sessions_of_user("u"));
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
            }
            set_change_listener(nullptr);
            database().clear();
        }
    }
};

} // namespace

TEST_GROUP_BASE(postgresql_hostile_schema, HostileSchema){};

TEST(postgresql_hostile_schema, is_used_by_unqualified_statements) {
    execute_on_connection("SET search_path = hostile, public");
    const auto runs = [&](const char* query) { return !execute_on_connection(query); };
    CHECK_FALSE(runs("SELECT 1 FROM pg_class WHERE oid OPERATOR(pg_catalog.=) 1"));
    CHECK(runs("SELECT 1 FROM pg_class WHERE oid = 'pg_class'::regclass"));
    CHECK(runs("SELECT lower(relname::varchar) FROM pg_class"));
    CHECK(runs("SELECT 1 FROM pg_class WHERE relname::varchar IN ('x')"));
    execute_on_connection("SET search_path = hostile, public, pg_catalog");
    CHECK(runs("SELECT count(*) FROM pg_class"));
    CHECK(runs("SELECT 'x'::text"));
}

TEST(postgresql_hostile_schema, is_not_used_by_statements_of_the_store) {
    run_all();
}

TEST(postgresql_hostile_schema, is_not_used_for_varchar_columns) {
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

TEST(postgresql_hostile_schema, is_not_used_for_extra_columns) {
    change(R"(ALTER TABLE "user" ADD COLUMN "seenAt" timestamptz)",
           R"(ALTER TABLE "user" DROP COLUMN "seenAt")");
    run_all();
}

} // namespace useradmin::test
