// The service's section in mod_status's page.
#include "own_httpd.hpp"

#include "support/process.hpp"

namespace useradmin::test {

class ServerStatus : public OwnHttpd {
  protected:
    void setup() override {
        OwnHttpd::setup();
        const std::string service = location("/api/users", "AuthUserAdmin On");
        start("UserAdminPasswordHash argon2id m=64\nExtendedStatus Off\n" +
                  handler("/server-status", "server-status") + virtual_host("one.test", service) +
                  virtual_host("two.test", service),
              {"mod_status.so"});
        for (const char* name : {"one.test", "one.test", "two.test"})
            expect_success(
                client_->send({"GET",
                               "/api/users",
                               {"Host: " + std::string(name), bearer(Caller::super_admin)}}));
        CHECK(eventually([&] {
            return has("?auto", requests("one.test") + " 2\n") &&
                   has("?auto", requests("two.test") + " 1\n");
        }));
    }

    std::string requests(const std::string& host) {
        return "\nuseradmin_requests_total{virtual_host=\"" + host + ":" +
               std::to_string(httpd_->port()) + "\",operation=\"list\",status=\"200\"}:";
    }
    std::string status(const std::string& query) {
        const Response response = client_->send({"GET", "/server-status" + query});
        CHECK_EQUAL(200, response.status);
        return response.body;
    }
    bool has(const std::string& query, const std::string& text) {
        return status(query).find(text) != std::string::npos;
    }
};

TEST_GROUP_BASE(server_status, ServerStatus){};

TEST(server_status, has_lines_for_each_virtual_host) {
    const std::string host = "{virtual_host=\"one.test:" + std::to_string(httpd_->port()) + "\"";
    for (const auto& line :
         {"useradmin_session_lookups_total" + host + ",result=\"recognised\"}: 2",
          "useradmin_refusals_total" + host + ",reason=\"hash-queue\"}: 0",
          "useradmin_connections_in_use" + host + "}: 0",
          std::string("useradmin_hash_slots_in_use: 0")})
        CHECK_TEXT(has("?auto", "\n" + line + "\n"),
                   (line + " is not in\n" + status("?auto")).c_str());
}

TEST(server_status, shows_each_line_once) {
    for (const auto& [query, text] : {std::pair("?auto", requests("one.test")),
                                      std::pair("", std::string("<h1>User administration</h1>"))}) {
        const std::string page = status(query);
        const auto first = page.find(text);
        CHECK(first != std::string::npos);
        CHECK(page.find(text, first + 1) == std::string::npos);
    }
}

TEST(server_status, has_a_section_with_the_same_samples) {
    const std::string port = std::to_string(httpd_->port());
    CHECK(has("", "\nuseradmin_requests_total{virtual_host=&quot;one.test:" + port +
                      "&quot;,operation=&quot;list&quot;,status=&quot;200&quot;}: 2\n"));
}

} // namespace useradmin::test
