// What server-status reports of the service.
#include "own_httpd.hpp"

#include "support/process.hpp"

namespace useradmin::test {

class ServerStatus : public OwnHttpd {
  protected:
    void setup() override {
        OwnHttpd::setup();
        const std::string host = "<VirtualHost *:${PORT}>\nServerName ";
        start("UserAdminPasswordHash argon2id m=64\nExtendedStatus Off\n"
              "<Location \"/server-status\">\n  SetHandler server-status\n</Location>\n" +
                  host + "one.test\n" + location("/api/users", "AuthUserAdmin On") +
                  "</VirtualHost>\n" + host + "two.test\n" +
                  location("/api/users", "AuthUserAdmin On") + "</VirtualHost>\n",
              {"mod_status.so"});
        for (const char* name : {"one.test", "one.test", "two.test"})
            expect_success(
                client_->send({"GET",
                               "/api/users",
                               {"Host: " + std::string(name), bearer(Caller::super_admin)}}));
        CHECK(eventually([&] { return has("?auto", "\nUserAdminRequests[list,200]: 3\n"); }));
    }

    std::string status(const std::string& query) {
        const Reply reply = client_->send({"GET", "/server-status" + query});
        CHECK_EQUAL(200, reply.status);
        return reply.body;
    }
    bool has(const std::string& query, const std::string& text) {
        return status(query).find(text) != std::string::npos;
    }
};

TEST_GROUP_BASE(server_status, ServerStatus){};

TEST(server_status, has_lines_for_each_virtual_host_and_in_total) {
    const std::string port = std::to_string(httpd_->port());
    for (const auto& line :
         {"UserAdmin[0]VirtualHost: two.test:" + port, "UserAdmin[1]VirtualHost: one.test:" + port,
          std::string("UserAdmin[0]Requests[list,200]: 1"),
          std::string("UserAdmin[1]Requests[list,200]: 2"),
          std::string("UserAdmin[1]SessionLookups[recognised]: 2"),
          std::string("UserAdminSessionLookups[recognised]: 3"),
          std::string("UserAdminRefusals[hash-queue]: 0"),
          std::string("UserAdminConnectionsInUse: 0"), std::string("UserAdminHashSlotsInUse: 0")})
        CHECK_TEXT(has("?auto", "\n" + line + "\n"),
                   (line + " is not in\n" + status("?auto")).c_str());
    const std::string seconds =
        between(status("?auto"), "\nUserAdminDatabaseSeconds: ", "\n").value_or("");
    CHECK_TEXT(seconds > "0.000000", seconds.c_str());
}

TEST(server_status, shows_each_line_once) {
    for (const auto& [query, text] : {std::pair("?auto", "\nUserAdminRequests[list,200]: "),
                                      std::pair("", "<h1>User administration</h1>")}) {
        const std::string page = status(query);
        const auto first = page.find(text);
        CHECK(first != std::string::npos);
        CHECK(page.find(text, first + 1) == std::string::npos);
    }
}

TEST(server_status, has_a_row_for_each_virtual_host_and_operation) {
    const std::string port = std::to_string(httpd_->port());
    CHECK(has("", "<tr><td>one.test:" + port + "</td><td>list</td><td>2</td><td>200: 2</td><td>"));
    CHECK(has("", "<tr><td>all</td><td>list</td><td>3</td><td>200: 3</td><td>"));
    CHECK(has("", "<td>recognised: 2</td>"));
}

} // namespace useradmin::test
