// Tables whose ids the database generates, as better-auth creates them with generateId: "serial".
#include "scene.hpp"

#include "password/hash.hpp"

namespace useradmin::test {

TEST_GROUP_BASE(serial, Scene) {
    const std::string tables = "number_user number_session number_account";

    void setup() override {
        const std::string id = is_postgresql() ? "\"id\" serial PRIMARY KEY"
                                               : "\"id\" integer PRIMARY KEY AUTOINCREMENT";
        const std::string time = is_postgresql() ? "timestamptz" : "date";
        const std::string boolean = is_postgresql() ? "boolean" : "integer";
        sql().run("CREATE TABLE number_user (" + id +
                  ", \"name\" text NOT NULL, \"email\" text NOT NULL UNIQUE, \"emailVerified\" " +
                  boolean + " NOT NULL, \"image\" text, \"createdAt\" " + time +
                  " NOT NULL, \"updatedAt\" " + time + " NOT NULL, \"role\" text, \"banned\" " +
                  boolean + ", \"banReason\" text, \"banExpires\" " + time + ")");
        sql().run("CREATE TABLE number_session (" + id + ", \"expiresAt\" " + time +
                  " NOT NULL, \"token\" text NOT NULL UNIQUE, \"createdAt\" " + time +
                  " NOT NULL, \"updatedAt\" " + time +
                  " NOT NULL, \"ipAddress\" text, \"userAgent\" text, \"userId\" integer NOT NULL "
                  "REFERENCES number_user (\"id\") ON DELETE CASCADE, \"impersonatedBy\" text)");
        sql().run("CREATE TABLE number_account (" + id +
                  ", \"accountId\" text NOT NULL, \"providerId\" text NOT NULL, \"userId\" integer "
                  "NOT NULL REFERENCES number_user (\"id\") ON DELETE CASCADE, \"password\" text, "
                  "\"createdAt\" " +
                  time + " NOT NULL, \"updatedAt\" " + time + " NOT NULL)");
    }
    void teardown() override {
        for (const char* table : {"number_session", "number_account", "number_user"})
            sql().run("DROP TABLE IF EXISTS " + std::string(table));
    }

    std::string with(std::vector<std::string> arguments, std::string_view input = "") {
        arguments.insert(arguments.begin(), {"--tables", tables});
        return done(ctl(std::move(arguments), input));
    }
    /// Creates a user. Returns its id.
    std::string make(const std::string& email, std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"create", "--email", email, "--name", "A"});
        return with(std::move(more), "s3cr3t word\n");
    }
    std::string password_of(const std::string& id) {
        return sql()
            .value("SELECT \"password\" FROM number_account WHERE \"userId\" = " + id)
            .value_or("(none)");
    }
};

TEST(serial, create_prints_the_generated_id) {
    CHECK_EQUAL(std::string("1"), make("ana@x.org"));
    const Json json(
        with({"create", "--email", "bo@x.org", "--name", "B", "--json", "--account-id", "user-id"},
             "s3cr3t word\n") +
        "\n");
    CHECK_EQUAL(std::string("2"), json.at("data.id"));
    CHECK_EQUAL(
        std::string("2"),
        sql().value("SELECT \"accountId\" FROM number_account WHERE \"userId\" = 2").value());
}

TEST(serial, show_role_ban_and_unban_find_a_user_by_its_number) {
    const std::string id = make("ana@x.org");
    make("bo@x.org");
    CHECK(has(with({"show", id}), "email          ana@x.org"));
    CHECK(has(with({"role", id, "admin"}), "the role of A <ana@x.org> is admin"));
    CHECK(has(with({"ban", id, "--expires", "7d"}), "is banned until"));
    CHECK(has(with({"unban", id}), "is no longer banned"));
    CHECK_EQUAL(std::string("user"),
                sql().value("SELECT \"role\" FROM number_user WHERE \"id\" = 2").value());
    for (const char* none : {"01", "1.0", "+1", "99", "x", "1 OR 1=1"})
        CHECK_EQUAL(4, ctl({"--tables", tables, "show", none}).status);
}

TEST(serial, passwd_creates_a_missing_account) {
    const std::string id = make("ana@x.org");
    with({"passwd", id}, "another s3cr3t\n");
    CHECK(password::verify(password_of(id), "another s3cr3t") == password::Verdict::match);
    sql().run("DELETE FROM number_account");
    with({"passwd", id, "--account-id", "user-id"}, "a third s3cr3t\n");
    CHECK(password::verify(password_of(id), "a third s3cr3t") == password::Verdict::match);
    CHECK_EQUAL(id, sql().value("SELECT \"accountId\" FROM number_account").value());
}

TEST(serial, sessions_are_opened_listed_and_revoked_by_their_numbers) {
    const std::string id = make("ana@x.org");
    with({"session", "open", id});
    const Json opened(with({"session", "open", "ana@x.org", "--json"}) + "\n");
    CHECK_EQUAL(std::string("2"), opened.at("data.id"));
    CHECK_EQUAL(id, opened.at("data.userId"));
    const Json listed(with({"session", "list", id, "--json"}) + "\n");
    CHECK_EQUAL(2, listed.size("data"));
    CHECK_EQUAL(id, listed.at("data.0.userId"));
    CHECK_EQUAL(std::string("1 session is ended"), with({"session", "revoke", id, "1"}));
    CHECK_EQUAL(2, sql().number("SELECT \"id\" FROM number_session"));
    CHECK_EQUAL(std::string("1 session is ended"), with({"session", "revoke", id, "--all"}));
}

TEST(serial, delete_removes_the_users_rows) {
    const std::string id = make("ana@x.org");
    make("bo@x.org");
    with({"session", "open", id});
    with({"delete", id, "--yes"});
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM number_user"));
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM number_session"));
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM number_account"));
}

TEST(serial, check_reports_generated_ids) {
    make("ana@x.org");
    const Json json(ctl({"--tables", tables, "check", "--json"}).output);
    CHECK_EQUAL(std::string("integer; the database makes new ones"), json.at("data.service.ids"));
    CHECK_EQUAL(0, json.size("data.problems"));
}

} // namespace useradmin::test
