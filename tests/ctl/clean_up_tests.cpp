// UserAdminCleanUp: changes by useradminctl to the tables of better-auth's plugins.
#include "scene.hpp"

namespace useradmin::test {

class CleanUp : public Scene {
  public:
    void setup() override {
        Scene::setup();
        change(R"(CREATE TABLE "apikey" ("id" text PRIMARY KEY, "referenceId" text, "key" text,
                                         "enabled" boolean))",
               R"(DROP TABLE "apikey")");
    }

  protected:
    static void add_key(const std::string& id, const std::string& owner) {
        sql().run("INSERT INTO \"apikey\" VALUES (" + sql_literal(id) + ", " + sql_literal(owner) +
                  ", 'x', TRUE)");
    }
    static long count_keys() { return sql().number("SELECT count(*) FROM \"apikey\""); }
};

TEST_GROUP_BASE(clean_up, CleanUp){};

TEST(clean_up, follows_the_directive_in_the_configuration) {
    const std::string ana = create("ana@x.org");
    const std::string bo = create("bo@x.org");
    add_key("of ana", ana);
    add_key("of bo", bo);
    expect_ok(ctl_with("", {"delete", ana, "--yes"}));
    CHECK_EQUAL(2, count_keys());
    expect_ok(ctl_with("UserAdminCleanUp On\n", {"delete", bo, "--yes"}));
    CHECK_EQUAL(1, count_keys());
}

TEST(clean_up, with_an_undefined_variable_rejects_a_deletion) {
    const std::string ana = create("ana@x.org");
    add_key("of ana", ana);
    for (const std::string lines :
         {"UserAdminCleanUp ${CLEAN_UP}\n",
          "<Macro App $clean>\nUserAdminCleanUp $clean\n</Macro>\nUse App On\n"}) {
        const CommandResult ended = ctl_with(lines, {"delete", ana, "--yes"});
        CHECK_EQUAL(2, ended.status);
        CHECK_TEXT(has(ended.errors, "UserAdminCleanUp"), ended.errors.c_str());
    }
    CHECK_EQUAL(1, count_keys());
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"user\""));
    expect_ok(ctl_with("UserAdminCleanUp ${CLEAN_UP}\n", {"list"}));
    CHECK(has(expect_ok(ctl_with("UserAdminCleanUp ${CLEAN_UP}\n", {"check"})),
              "UserAdminCleanUp: contains an undefined or ambiguous variable"));
}

TEST(clean_up, with_different_values_rejects_a_deletion) {
    const std::string ana = create("ana@x.org");
    for (const std::string directive : {"UserAdminCleanUp", "UserAdminEndSessions"}) {
        const std::string lines =
            directive + " Off\n<VirtualHost *:81>\n" + directive + " On\n</VirtualHost>\n";
        const CommandResult ended = ctl_with(lines, {"delete", ana, "--yes"});
        CHECK_EQUAL(2, ended.status);
        CHECK_TEXT(has(ended.errors, directive + " has different values in different places; use "
                                                 "--config with a configuration that sets it"),
                   ended.errors.c_str());
        expect_ok(ctl_with(lines, {"list"}));
    }
    expect_ok(ctl_with("UserAdminCleanUp On\nUserAdminCleanUp on\n", {"delete", ana, "--yes"}));
}

TEST(clean_up, deletes_password_links_depending_on_the_mail_command) {
    const std::string ana = create("ana@x.org");
    add_key("of ana", ana);
    sql().insert("verification", {{"id", "1"},
                                  {"identifier", "reset-password:1"},
                                  {"value", ana},
                                  {"expiresAt", "2030-01-01T00:00:00Z"}});
    const auto count_links_after_ban = [&](const char* directives) {
        expect_ok(ctl_with(directives, {"ban", ana}));
        return sql().number("SELECT count(*) FROM \"verification\"");
    };
    CHECK_EQUAL(1, count_links_after_ban(""));
    CHECK_EQUAL(0, count_links_after_ban("UserAdminMailCommand /bin/cat\n"));
    // Without UserAdminCleanUp, the plugin's rows remain.
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"apikey\" WHERE \"enabled\""));
}

TEST(clean_up, reports_tables_with_other_columns_in_check) {
    change(R"(CREATE TABLE "passkey" ("id" text, "userId" text))", R"(DROP TABLE "passkey")");
    const std::string without = expect_ok(ctl_with("", {"check", "--verbose"}));
    const std::string with = expect_ok(ctl_with("UserAdminCleanUp On\n", {"check", "--verbose"}));
    CHECK_FALSE(has(without, "plugins"));
    CHECK(has(with, "passkey\" has the name of a better-auth plugin's table"));
    CHECK_FALSE(has(with, "apikey"));
}

} // namespace useradmin::test
