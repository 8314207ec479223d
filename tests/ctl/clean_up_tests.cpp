// UserAdminCleanUp: what useradminctl does with the tables of better-auth's plugins.
#include "scene.hpp"

namespace useradmin::test {

class CleanUp : public Scene {
  public:
    void setup() override {
        Scene::setup();
        sql().run(R"(CREATE TABLE "apikey" ("id" text PRIMARY KEY, "referenceId" text, "key" text,
                     "enabled" boolean))");
    }
    void teardown() override { sql().run(R"(DROP TABLE "apikey")"); }

  protected:
    /// Runs useradminctl with the directives.
    static ProgramResult ctl_with(const std::string& directives,
                                  std::vector<std::string> arguments) {
        const std::string text = "DBDriver " + database().driver() + "\nDBDParams \"" +
                                 database().params() + "\"\n" + directives;
        arguments.insert(arguments.begin(), {"--config", file("clean-up.conf", text)});
        return bare_ctl(std::move(arguments));
    }

    static void add_key(const std::string& id, const std::string& owner) {
        sql().run("INSERT INTO \"apikey\" VALUES (" + sql_literal(id) + ", " + sql_literal(owner) +
                  ", 'x', TRUE)");
    }
    static long keys() { return sql().number("SELECT count(*) FROM \"apikey\""); }
};

TEST_GROUP_BASE(clean_up, CleanUp){};

TEST(clean_up, follows_the_directive_in_the_configuration) {
    const std::string ana = create("ana@x.org");
    const std::string bo = create("bo@x.org");
    add_key("of ana", ana);
    add_key("of bo", bo);
    done(ctl_with("", {"delete", ana, "--yes"}));
    CHECK_EQUAL(2, keys());
    done(ctl_with("UserAdminCleanUp On\n", {"delete", bo, "--yes"}));
    CHECK_EQUAL(1, keys());
}

TEST(clean_up, in_check_names_tables_with_other_columns) {
    sql().run(R"(CREATE TABLE "passkey" ("id" text, "userId" text))");
    const std::string without = done(ctl_with("", {"check"}));
    const std::string with = done(ctl_with("UserAdminCleanUp On\n", {"check"}));
    sql().run(R"(DROP TABLE "passkey")");
    CHECK_FALSE(has(without, "plugins"));
    CHECK(has(with, "passkey\" has the name of a table of better-auth's plugins"));
    CHECK_FALSE(has(with, "apikey"));
}

TEST(clean_up, in_check_names_the_missing_grants) {
    if (!is_postgresql())
        return;
    sql().run("CREATE ROLE reader LOGIN");
    std::string params = database().params();
    params.replace(params.find("user=useradmin"), 14, "user=reader");
    const std::string text = "DBDriver pgsql\nDBDParams \"" + params + "\"\nUserAdminCleanUp On\n";
    const auto problems = [&] {
        return bare_ctl({"--config", file("reader.conf", text), "check"}).output;
    };
    const std::string with_none = problems();
    sql().run("GRANT DELETE, SELECT (\"referenceId\") ON \"apikey\" TO reader");
    const std::string with_both = problems();
    sql().run("DROP OWNED BY reader; DROP ROLE reader");
    CHECK(has(with_none, R"(run: GRANT DELETE ON "public"."apikey" TO reader;)"));
    CHECK(has(with_none, R"(run: GRANT SELECT ("referenceId") ON "public"."apikey" TO reader;)"));
    CHECK_FALSE(has(with_both, "apikey"));
}

} // namespace useradmin::test
