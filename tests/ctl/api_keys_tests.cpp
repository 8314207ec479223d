// useradminctl key, and the table of API keys.
#include "scene.hpp"

#include "crypto/sha256.hpp"
#include "support/files.hpp"

namespace useradmin::test {

class CtlKeys : public Scene {
  public:
    void setup() override {
        Scene::setup();
        sql().run(R"(DROP TABLE IF EXISTS "apikey")");
        expect_ok(ctl({"schema", "--api-keys"}));
        ana_ = create("ana@x.org");
    }
    void teardown() override { sql().run(R"(DROP TABLE IF EXISTS "apikey")"); }

  protected:
    static std::string create_key(std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"key", "create", "ana@x.org", "--name", "deploy"});
        return expect_ok(ctl(std::move(more)));
    }
    /// Returns a column of the only API key, or "NULL".
    static std::string value(const std::string& column) {
        return sql().value("SELECT \"" + column + "\" FROM \"apikey\"").value_or("NULL");
    }
    static long count_keys() { return sql().number("SELECT count(*) FROM \"apikey\""); }

    std::string ana_;
};

TEST_GROUP_BASE(ctl_keys, CtlKeys){};

TEST(ctl_keys, are_created_in_a_table_that_schema_creates_once) {
    create_key();
    CHECK(has(expect_ok(ctl({"schema", "--api-keys"})), "The tables exist; nothing was changed."));
    CHECK_EQUAL(1, count_keys());
    CHECK_EQUAL(2, ctl({"schema", "--api-keys", "--scale"}).status);
    sql().run("DROP TABLE \"apikey\"");
    expect_ok(ctl({"schema"}));
    const CommandResult ended = ctl({"key", "create", "ana@x.org", "--name", "deploy"});
    CHECK_EQUAL(1, ended.status);
    CHECK(has(ended.errors, "run: useradminctl schema --api-keys"));
}

TEST(ctl_keys, are_printed_once_and_stored_as_digests) {
    const std::string key = create_key();
    CHECK_EQUAL(std::size_t(64), key.size());
    CHECK_EQUAL(crypto::sha256_base64url(key), value("key"));
    CHECK_EQUAL(key.substr(0, 6), value("start"));
    CHECK_EQUAL(ana_, value("referenceId"));
    CHECK_EQUAL(std::string("default"), value("configId"));
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"apikey\" WHERE \"enabled\""));
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM \"apikey\" WHERE \"rateLimitEnabled\""));
    CHECK_FALSE(has(expect_ok(ctl({"key", "list", ana_})), key));
    CHECK_FALSE(has(ctl({"key", "list", ana_, "--json"}).output, key));
}

TEST(ctl_keys, have_the_limits_given_as_options) {
    create_key({"--remaining", "100", "--rate", "10", "--per", "1h", "--expires", "2099-01-31",
                "--permissions", R"({"files":["read"]})"});
    CHECK_EQUAL(std::string("100"), value("remaining"));
    CHECK_EQUAL(std::string("10"), value("rateLimitMax"));
    CHECK_EQUAL(std::string("3600000"), value("rateLimitTimeWindow"));
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"apikey\" WHERE \"rateLimitEnabled\""));
    CHECK_EQUAL(std::string(R"({"files":["read"]})"), value("permissions"));
    const Json list(ctl({"key", "list", ana_, "--json"}).output);
    CHECK_EQUAL(std::string("2099-01-31T00:00:00.000Z"), list.at("data.0.expiresAt"));
    CHECK_EQUAL(std::string("100"), list.at("data.0.remaining"));
    CHECK_EQUAL(std::string("true"), list.at("data.0.enabled"));
}

TEST(ctl_keys, are_not_created_with_invalid_limits) {
    const std::vector<std::vector<std::string>> wrong = {
        {"--remaining", "-1"},
        {"--remaining", "2147483648"},
        {"--per", "1h"},
        {"--rate", "10", "--per", "soon"},
        {"--rate", "10", "--per", "25d"},
        {"--expires", "2020-01-31"},
        {"--permissions", "read"},
        {"--permissions", R"(["read"])"},
        {"--permissions", R"({"files":"read"})"},
        {"--permissions", R"({"files":[1]})"},
    };
    for (std::vector<std::string> options : wrong) {
        options.insert(options.begin(), {"key", "create", ana_, "--name", "deploy"});
        CHECK_EQUAL_TEXT(2, ctl(options).status, options.back().c_str());
    }
    CHECK_EQUAL(2, ctl({"key", "create", ana_}).status);
    CHECK_EQUAL(4, ctl({"key", "create", "bo@x.org", "--name", "deploy"}).status);
    CHECK_EQUAL(0, count_keys());
}

TEST(ctl_keys, keys_of_a_banned_user_are_created_with_a_warning) {
    expect_ok(ctl({"ban", ana_}));
    const CommandResult ended = ctl({"key", "create", ana_, "--name", "deploy"});
    CHECK_EQUAL(0, ended.status);
    CHECK(has(ended.errors, "is banned"));
}

TEST(ctl_keys, are_listed_for_a_user) {
    create_key();
    sql().run(R"(UPDATE "apikey" SET "enabled" = FALSE, "name" = )" + sql_literal("\x1b[2J"));
    create_key();
    expect_ok(ctl({"key", "create", create("bo@x.org", "Bo"), "--name", "other"}));
    const std::string text = expect_ok(ctl({"key", "list", ana_}));
    CHECK(text.ends_with("2 keys"));
    CHECK(has(text, "\\x1b[2J"));
    CHECK(has(text, " no "));
    CHECK(has(text, " yes "));
    CHECK_FALSE(has(text, "other"));
}

TEST(ctl_keys, are_revoked_by_their_id) {
    const std::string other =
        Json(ctl({"key", "create", ana_, "--name", "other", "--json"}).output).at("data.id");
    create_key();
    CHECK_EQUAL(std::string("the API key was deleted"), expect_ok(ctl({"key", "revoke", other})));
    CHECK_EQUAL(std::string("deploy"), value("name"));
    const CommandResult ended = ctl({"key", "revoke", other});
    CHECK_EQUAL(4, ended.status);
    CHECK(has(ended.errors, "'useradminctl key list'"));
}

TEST(ctl_keys, are_audited_with_their_user_as_target) {
    const std::string log = path("keys.log");
    const std::string key = create_key({"--audit-log", log});
    expect_ok(ctl({"key", "revoke", value("id"), "--audit-log", log}));
    const std::string text = read_file(log);
    const std::size_t end = text.find('\n') + 1;
    for (const auto& [line, operation] : {std::pair(text.substr(0, end), "key create"),
                                          std::pair(text.substr(end), "key revoke")}) {
        CHECK_EQUAL(std::string(operation), Json(line).at("operation"));
        CHECK_EQUAL(std::string("done"), Json(line).at("result"));
        CHECK_EQUAL(ana_, Json(line).at("target"));
    }
    CHECK_FALSE(has(text, key));
}

TEST(ctl_keys, are_not_changed_by_other_commands_without_UserAdminCleanUp) {
    create_key();
    const std::string reads_keys = "AuthUserAdminApiKey On\n";
    expect_ok(ctl_with(reads_keys, {"ban", ana_}));
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"apikey\" WHERE \"enabled\""));
    expect_ok(ctl_with(reads_keys, {"delete", ana_, "--yes"}));
    CHECK_EQUAL(1, count_keys());
}

TEST(ctl_keys, are_not_supported_for_users_whose_ids_are_numbers) {
    const std::string tables = "n_user n_session n_account";
    const std::string serial = is_postgresql() ? "serial" : "integer";
    sql().run(R"(DROP TABLE "apikey")");
    sql().run("CREATE TABLE \"n_user\" (\"id\" " + serial +
              " PRIMARY KEY, \"name\" text NOT NULL, \"email\" text NOT NULL UNIQUE)");
    const CommandResult ended = ctl({"--tables", tables, "schema", "--api-keys", "--force"});
    sql().run(R"(DROP TABLE "n_user")");
    CHECK_EQUAL(1, ended.status);
    CHECK(has(ended.errors, "API keys require user ids that are text or UUIDs"));
}

} // namespace useradmin::test
