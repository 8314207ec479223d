// Bulk operations on users (UserAdminExtras), with a real database and an audit log.
#include "own_httpd.hpp"

#include "support/files.hpp"

#include <algorithm>
#include <filesystem>

namespace useradmin::test {

namespace {

constexpr const char* ban_three = R"({"operation":"ban","data":{"reason":"spam"},)"
                                  R"("items":[{"id":"ulises-1"},{"id":"unknown"},{"id":"ada-1"}]})";

} // namespace

class Bulk : public OwnHttpd {
  protected:
    void setup() override {
        OwnHttpd::setup();
        log_ = Suite::current().work().make("bulk") / "audit.log";
        std::filesystem::remove(log_);
    }

    void start_with(const std::string& audit_log, const std::string& more = {}) {
        start(audit_log + as_sara + location("/api/users", "UserAdminExtras On\n" + more));
    }
    std::string audit_log(const char* mode) const {
        return "UserAdminAuditLog \"" + log_.string() + "\"" + mode + "\n";
    }
    Response send_bulk(const std::string& body, const std::string& key = {}) {
        std::vector<std::string> headers = {"Content-Type: application/json"};
        if (!key.empty())
            headers.push_back("Idempotency-Key: " + key);
        return client_->send({"POST", "/api/users/bulk", headers, body});
    }
    long lines_with(const std::string& text) const {
        const std::string log = read_file(log_);
        long lines = 0;
        for (std::size_t at = log.find(text); at != log.npos; at = log.find(text, at + 1))
            ++lines;
        return lines;
    }

    std::filesystem::path log_;
};

TEST_GROUP_BASE(bulk, Bulk){};
TEST_GROUP_BASE(postgresql_bulk, Bulk){};

TEST(bulk, writes_an_audit_line_for_each_changed_user) {
    for (const char* mode : {"", " required"}) {
        std::filesystem::remove(log_);
        start_with(audit_log(mode));
        const Response response = send_bulk(ban_three);
        CHECK_EQUAL(200, response.status);
        STRCMP_CONTAINS(R"({"id":"unknown","status":404,"success":false,)"
                        R"("error":"Usuario no encontrado"},{"id":"ada-1","status":200,)"
                        R"("success":true,"etag":)",
                        response.body.c_str());
        CHECK_EQUAL(2, sql().number(R"(SELECT count(*) FROM "user" WHERE "banReason" = 'spam')"));
        CHECK_EQUAL(2, lines_with(R"("operation":"ban","result":"done")"));
        CHECK_EQUAL(1, lines_with(R"("operation":"ban","result":"refused")"));
        CHECK_EQUAL(0, lines_with("\"bulk\""));
        stop();
    }
}

TEST(bulk, with_a_key_changes_each_user_once) {
    start_with(audit_log(""));
    send_bulk(ban_three, "k");
    const std::string versions = sql().value(R"(SELECT max("updatedAt") FROM "user")").value_or("");
    const Response again = send_bulk(ban_three, "k");
    STRCMP_CONTAINS(R"({"id":"ulises-1","status":200,"success":true,)"
                    R"("message":"Ya se había hecho"},{"id":"unknown","status":404)",
                    again.body.c_str());
    CHECK_EQUAL(versions, sql().value(R"(SELECT max("updatedAt") FROM "user")").value_or(""));
    CHECK_EQUAL(2, lines_with(R"("operation":"ban","result":"done")"));
    // If the key was used for another operation, or for an item without effect, the change is made.
    send_bulk(R"({"operation":"delete","items":[{"id":"ada-1"}]})", "k");
    STRCMP_CONTAINS(
        R"({"id":"ada-1","status":200,"success":true,"message":"Ya se había hecho"})",
        send_bulk(R"({"operation":"delete","items":[{"id":"ada-1"}]})", "k").body.c_str());
    CHECK_EQUAL(0, sql().number(R"(SELECT count(*) FROM "user" WHERE "id" = 'ada-1')"));
}

TEST(postgresql_bulk, with_a_key_continues_after_a_timeout) {
    // Not for SQLite, which has no row locks.
    allow_log("UA0107");
    allow_log("UA0104");
    start_with(audit_log(""), "UserAdminTimeout 5\n");
    constexpr const char* body =
        R"({"operation":"ban","items":[{"id":"ulises-1"},{"id":"ada-1"}]})";
    sql().run(R"(BEGIN; SELECT 1 FROM "user" WHERE "id" = 'ada-1' FOR UPDATE)");
    const Response response = send_bulk(body, "k");
    sql().run("ROLLBACK");
    STRCMP_CONTAINS(R"({"id":"ulises-1","status":200)", response.body.c_str());
    STRCMP_CONTAINS(R"({"id":"ada-1","status":503)", response.body.c_str());
    const Response rest = send_bulk(body, "k");
    STRCMP_CONTAINS(R"({"id":"ulises-1","status":200,"success":true,"message")", rest.body.c_str());
    STRCMP_CONTAINS(R"({"id":"ada-1","status":200,"success":true,"etag")", rest.body.c_str());
    CHECK_EQUAL(2, lines_with(R"("operation":"ban","result":"done")"));
}

} // namespace useradmin::test
