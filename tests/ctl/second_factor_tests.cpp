// useradminctl second-factor.
#include "scene.hpp"

#include "support/files.hpp"

namespace useradmin::test {

class CtlSecondFactor : public Scene {
  public:
    void setup() override {
        Scene::setup();
        ana_ = create("ana@x.org");
        database().add_plugin_tables();
        add_factor();
    }

  protected:
    static void add_factor() {
        sql().run(R"(UPDATE "user" SET "twoFactorEnabled" = TRUE;
                     INSERT INTO "twoFactor" ("id", "secret", "backupCodes", "userId")
                     SELECT '1', 'x', 'y', "id" FROM "user")");
    }
    static long count_factors() { return sql().number("SELECT count(*) FROM \"twoFactor\""); }

    std::string ana_;
};

TEST_GROUP_BASE(ctl_second_factor, CtlSecondFactor){};

TEST(ctl_second_factor, is_reset_by_address_and_the_sessions_end) {
    expect_ok(ctl({"session", "open", ana_}));
    const std::string said = expect_ok(ctl({"second-factor", "reset", "ana@x.org"}));
    STRCMP_EQUAL("the second factor of Ana <ana@x.org> was removed; the user's sessions were ended",
                 said.c_str());
    CHECK_EQUAL(0, count_factors());
    CHECK_EQUAL(0, sessions_of(ana_));
}

TEST(ctl_second_factor, is_missing_after_a_reset_by_id) {
    const Json shown(ctl({"second-factor", "reset", ana_, "--json"}).output);
    CHECK_EQUAL(ana_, shown.at("data.id"));
    const CommandResult again = ctl({"second-factor", "reset", ana_});
    CHECK_EQUAL(4, again.status);
    CHECK(has(again.errors, "Ana <ana@x.org> has no second factor; nothing was done"));
    CHECK_EQUAL(4, ctl({"second-factor", "reset", "bo@x.org"}).status);
    CHECK_EQUAL(2, ctl({"second-factor", "reset"}).status);
}

TEST(ctl_second_factor, reset_is_audited_with_its_user_as_target) {
    const std::string log = path("second-factor.log");
    expect_ok(ctl({"second-factor", "reset", "ana@x.org", "--audit-log", log}));
    const Json line(read_file(log));
    CHECK_EQUAL(std::string("second-factor reset"), line.at("operation"));
    CHECK_EQUAL(std::string("done"), line.at("result"));
    CHECK_EQUAL(ana_, line.at("target"));
}

TEST(ctl_second_factor, is_kept_by_a_deletion_without_UserAdminCleanUp) {
    expect_ok(ctl({"second-factor", "reset", ana_}));
    add_factor();
    expect_ok(ctl({"delete", ana_, "--yes"}));
    CHECK_EQUAL(1, count_factors());
}

} // namespace useradmin::test
