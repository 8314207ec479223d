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

} // namespace useradmin::test
