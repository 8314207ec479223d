// AuthUserAdminApiKey: the owner of an API key is the caller.
#include "own_httpd.hpp"

#include "support/files.hpp"

#include <algorithm>

namespace useradmin::test {

class ApiKeys : public OwnHttpd {
  protected:
    void setup() override {
        OwnHttpd::setup();
        allow_log("UA0311"); // the configuration contains a secret
        static int number = 0;
        folder_ = Suite::current().work().make("api-keys-" + std::to_string(++number));
        add_tables();
    }
    static void add_tables() {
        Suite::current().database().add_plugin_tables();
        // echo -n NAME | sha256sum, in base64url.
        add_key("sara", "sara-1", "Om1kwkz4C2nM2jdlBAZGfoJmZntQz9C5hL6zZRsSntc");
        add_key("ulises", "ulises-1", "c48OHMNUfzhvwXDXlHVAQzMm0eOdnKrkIlwH52vpTvQ");
    }
    static void add_key(const std::string& id, const std::string& owner,
                        const std::string& digest) {
        sql().run("INSERT INTO \"apikey\" (\"id\", \"key\", \"referenceId\", \"enabled\", "
                  "\"rateLimitEnabled\", \"createdAt\", \"updatedAt\") VALUES ('" +
                  id + "', '" + digest + "', '" + owner +
                  "', TRUE, FALSE, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')");
    }
    static void update_key(const std::string& values, const std::string& id = "sara") {
        sql().run("UPDATE \"apikey\" SET " + values + " WHERE \"id\" = '" + id + "'");
    }

    void start_with(const std::string& directives = {},
                    const std::vector<std::string>& modules = {}) {
        start("UserAdminAuditLog \"" + audit_log().string() +
                  "\"\nLogFormat \"%{session-api-key}n|%{session-permissions}n|%u\" key\nCustomLog "
                  "\"" +
                  access_log().string() + "\" key\n" + directives +
                  location("/api/users", "AuthUserAdmin On\nAuthUserAdminApiKey On") +
                  location("/signed/users",
                           "AuthUserAdmin On\nAuthUserAdminApiKey On\n"
                           "AuthUserAdminSecret text-of-32-characters-or-more-123") +
                  location("/closed/users", "AuthUserAdmin On"),
              modules);
    }
    std::filesystem::path audit_log() const { return folder_ / "audit.log"; }
    std::filesystem::path access_log() const { return folder_ / "access.log"; }

    Response get_with(const std::string& header, const std::string& path = "/api/users") {
        auto response = client_->send({"GET", path, {header}});
        check_response(response);
        return response;
    }
    void expect_rejected(const std::string& reason) {
        expect_log("UA0318: the API key was rejected: " + reason);
        expect_error(get_with("x-api-key: sara"), 401, "No autorizado");
    }

    std::filesystem::path folder_;
};

TEST_GROUP_BASE(api_keys, ApiKeys){};

TEST(api_keys, identify_their_owner) {
    start_with();
    update_key(R"("permissions" = '{"files":["read"]}')");
    expect_success(get_with("x-api-key: sara"));
    expect_error(get_with("X-API-Key: ulises"), 403, "No tienes permisos para ver usuarios");
    expect_success(get_with("x-api-key: ulises", "/api/users/ulises-1"));
    CHECK(eventually([&] { return std::ranges::count(read_file(access_log()), '\n') == 3; }));
    STRCMP_CONTAINS("sara|{\\\"files\\\":[\\\"read\\\"]}|sara-1", read_file(access_log()).c_str());
}

TEST(api_keys, may_be_bearer_tokens_if_sessions_are_signed) {
    start_with();
    expect_success(get_with("Authorization: Bearer sara", "/signed/users"));
    // Without AuthUserAdminSecret, a bearer token is always a session token.
    expect_log("UA0310: the session token was rejected: there is no such session");
    expect_error(get_with("Authorization: Bearer sara"), 401, "No autorizado");
    expect_success(client_->send({"GET", "/api/users", {bearer(Caller::super_admin)}}));
    expect_log("UA0310: the session token was rejected: its signature");
    expect_error(get_with("Authorization: Bearer sara.sig", "/signed/users"), 401, "No autorizado");
}

TEST(api_keys, take_precedence_over_sessions) {
    start_with();
    const auto get_with_key_and_session = [&](const std::string& key) {
        return client_->send(
            {"GET", "/api/users", {"x-api-key: " + key, bearer(Caller::super_admin)}});
    };
    expect_error(get_with_key_and_session("ulises"), 403, "No tienes permisos para ver usuarios");
    expect_log("UA0318: the API key was rejected: there is no such key");
    expect_error(get_with_key_and_session("nobody"), 401, "No autorizado");
}

TEST(api_keys, leave_no_notes_if_a_password_identifies_the_caller) {
    undo(); // the document of the suite's httpd has no column of a plugin
    const std::string id = add_eva();
    add_tables();
    start_with("<Location \"/basic/users\">\nUserAdmin On\nAuthUserAdmin On\n"
               "AuthUserAdminApiKey On\nAuthType Basic\nAuthName x\n"
               "AuthBasicProvider useradmin\nRequire valid-user\n</Location>\n",
               {"mod_auth_basic.so", "mod_authz_user.so"});
    update_key(R"("permissions" = '{"files":["read"]}')");
    expect_success(
        client_->send({"GET",
                       "/basic/users/" + id,
                       {"x-api-key: sara", // eva@example.org:s3cr3t of eva
                        "Authorization: Basic ZXZhQGV4YW1wbGUub3JnOnMzY3IzdCBvZiBldmE="}}));
    CHECK(eventually([&] { return std::ranges::count(read_file(access_log()), '\n') == 1; }));
    CHECK_EQUAL("-|-|" + std::string(eva) + "\n", read_file(access_log()));
}

TEST(api_keys, are_not_read_without_the_directive) {
    start_with();
    expect_error(get_with("x-api-key: sara", "/closed/users"), 401, "No autorizado");
    expect_success(
        client_->send({"GET", "/closed/users", {"x-api-key: sara", bearer(Caller::super_admin)}}));
}

TEST(api_keys, rejected_keys_are_logged_with_the_reason) {
    start_with();
    update_key("\"enabled\" = FALSE");
    expect_rejected("it is disabled; enable it in the application");
    update_key("\"enabled\" = TRUE, \"expiresAt\" = '2026-01-01T00:00:00.000Z'");
    expect_rejected("it has expired; its owner must create a new one");
    update_key("\"expiresAt\" = NULL, \"referenceId\" = 'an-organization'");
    expect_rejected("there is no such key; it may have been revoked, or its user deleted");
    update_key("\"referenceId\" = 'sara-1'");
    sql().run("UPDATE \"user\" SET banned = TRUE WHERE id = 'sara-1'");
    expect_rejected("its user is banned; if the ban is wrong, lift it");
    STRCMP_CONTAINS(R"("operation":"use-api-key")", read_file(audit_log()).c_str());
    STRCMP_CONTAINS(R"("reason":"disabled-key","caller":"sara-1")", read_file(audit_log()).c_str());
}

TEST(api_keys, cause_an_error_without_their_table) {
    start_with();
    sql().run("ALTER TABLE \"apikey\" RENAME TO \"other\"");
    expect_log("UA0103: AuthUserAdminApiKey: found no table of better-auth's API key plugin");
    CHECK_EQUAL(500, get_with("x-api-key: sara").status);
    sql().run("ALTER TABLE \"other\" RENAME TO \"apikey\"");
    // Sessions do not need the table.
    expect_success(client_->send({"GET", "/api/users", {bearer(Caller::super_admin)}}));
    expect_success(get_with("x-api-key: sara"));
}

} // namespace useradmin::test
