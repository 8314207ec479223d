// Request bodies that arrive after the caller was banned or demoted.
#include "scene.hpp"

namespace useradmin::test {

TEST_GROUP_BASE(late_body, Scene){};

TEST(late_body, changes_nothing_if_the_caller_was_banned_or_demoted) {
    const auto update_sara = [](const char* values) {
        sql().run("UPDATE \"user\" SET " + std::string(values) + " WHERE \"id\" = 'sara-1'");
    };
    const auto send_after = [&](const char* values) {
        const std::string body = R"({"name":"Otro"})";
        const RawConnection connection(Suite::current().httpd().port());
        CHECK(connection.send("PUT /api/users/ulises-1 HTTP/1.1\r\nHost: localhost\r\n" +
                              bearer(Caller::super_admin) +
                              "\r\nExpect: 100-continue\r\nConnection: close\r\n"
                              "Content-Length: " +
                              std::to_string(body.size()) + "\r\n\r\n"));
        // The interim response follows the check of the caller's privileges.
        const std::string interim = connection.receive_until("\r\n\r\n");
        CHECK_TEXT(interim.starts_with("HTTP/1.1 100 "), interim.c_str());
        update_sara(values);
        CHECK(connection.send(body));
        return parse_response(connection.receive_all());
    };
    expect_error(send_after(R"("role" = NULL)"), 403, "No tienes permisos para editar usuarios");
    update_sara(R"("role" = 'superAdmin')");
    expect_error(send_after(R"("banned" = TRUE)"), 401, "No autorizado");
    CHECK_EQUAL(0, sql().number(R"(SELECT count(*) FROM "user" WHERE "name" = 'Otro')"));
}

TEST(late_body, body_of_a_caller_without_a_row_is_accepted) {
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
