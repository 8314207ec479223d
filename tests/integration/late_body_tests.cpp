// Request bodies that arrive after the caller was banned, deleted or demoted.
#include "scene.hpp"

#include <functional>

namespace useradmin::test {

class LateBody : public Scene {
  protected:
    void setup() override {
        Scene::setup();
        // Some requests end this session.
        add_session("s3cr3t-of-nobody", ulises().id);
    }

    /// Sends the head of a request from Sara and waits for the interim response, which follows the
    /// check of her privileges. Then calls `meanwhile` and sends the body.
    static Response send_late(const std::string& request, const std::string& body,
                              const std::function<void()>& meanwhile) {
        const RawConnection connection(Suite::current().httpd().port());
        CHECK(connection.send(request + " HTTP/1.1\r\nHost: localhost\r\n" +
                              bearer(Caller::super_admin) +
                              "\r\nExpect: 100-continue\r\nConnection: close\r\n"
                              "Content-Length: " +
                              std::to_string(body.size()) + "\r\n\r\n"));
        const std::string interim = connection.receive_until("\r\n\r\n");
        CHECK_TEXT(interim.starts_with("HTTP/1.1 100 "), interim.c_str());
        meanwhile();
        CHECK(connection.send(body));
        return parse_response(connection.receive_all());
    }

    struct Case {
        const char* request;
        const char* body;
        const char* forbidden;
    };
    static constexpr Case cases[] = {
        {"POST /extra/users",
         R"({"name":"N","email":"n@example.org","password":"s3cr3t word","role":"superAdmin"})",
         "No tienes permisos para crear usuarios"},
        {"PUT /extra/users/ulises-1", R"({"name":"Otro","role":"superAdmin"})",
         "No tienes permisos para editar usuarios"},
        {"PUT /extra/users/ulises-1/password", R"({"password":"s3cr3t word"})",
         "No tienes permisos para cambiar contraseñas"},
        {"PUT /extra/users/ulises-1/ban", "{}", "No tienes permisos para banear usuarios"},
        {"PUT /ending/users/ulises-1", R"({"banned":true})",
         "No tienes permisos para editar usuarios"},
    };

    static std::string all_users() {
        std::string all;
        for (const auto& row : sql().rows(
                 R"(SELECT "id", "name", "role", coalesce("banned", FALSE) FROM "user"
                    WHERE "id" <> 'sara-1' ORDER BY "id")"))
            for (const auto& cell : row)
                all += cell.value_or("NULL") + " ";
        return all;
    }
};

TEST_GROUP_BASE(late_body, LateBody){};

TEST(late_body, changes_nothing_if_the_caller_was_banned_or_demoted) {
    const auto update_sara = [](const char* values) {
        sql().run("UPDATE \"user\" SET " + std::string(values) + " WHERE \"id\" = 'sara-1'");
    };
    const std::string before = all_users();
    for (const Case& one : cases)
        for (const bool is_banned : {true, false}) {
            update_sara(R"("banned" = FALSE, "role" = 'superAdmin')");
            const Response response = send_late(one.request, one.body, [&] {
                update_sara(is_banned ? R"("banned" = TRUE)" : R"("role" = NULL)");
            });
            if (is_banned)
                expect_error(response, 401, "No autorizado");
            else
                expect_error(response, 403, one.forbidden);
            CHECK_EQUAL(before, all_users());
            CHECK_EQUAL(0, count("account"));
            CHECK_EQUAL(4, count("session"));
        }
}

TEST(late_body, changes_nothing_if_the_caller_was_deleted) {
    const std::string before = all_users();
    expect_error(send_late(cases[0].request, cases[0].body,
                           [] { sql().run(R"(DELETE FROM "user" WHERE "id" = 'sara-1')"); }),
                 401, "No autorizado");
    CHECK_EQUAL(before, all_users());
}

TEST(late_body, of_a_caller_without_a_row_is_accepted) {
    const std::string body = R"({"name":"N","email":"n@example.org","password":"s3cr3t word"})";
    const Response response = Suite::current().client().send(
        {"POST", "/headers/users", {"X-Id: CN=somebody", "X-Role: superAdmin"}, body});
    expect_success(response);
    // The row is not checked if another module identified the caller.
    sql().run(R"(UPDATE "user" SET "banned" = TRUE WHERE "id" = 'sara-1')");
    expect_success(Suite::current().client().send({"PUT",
                                                   "/headers/users/ulises-1",
                                                   {"X-Id: sara-1", "X-Role: superAdmin"},
                                                   R"({"name":"Otro"})"}));
}

} // namespace useradmin::test
