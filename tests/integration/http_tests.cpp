// Requirements for all responses, and responses to bad requests.
#include "scene.hpp"

#include <deque>

namespace useradmin::test {

namespace {

constexpr const char* too_large = "El cuerpo de la petici\xc3\xb3n es demasiado grande";

/// Returns a request's head with a superAdmin's token.
std::string head(const std::string& line, const std::string& headers = "") {
    return line + " HTTP/1.1\r\nHost: localhost\r\n" + bearer(Caller::super_admin) + "\r\n" +
           headers + "\r\n";
}

std::string chunk(const std::string& bytes) {
    char size[32];
    std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
    return size + bytes + "\r\n";
}

/// Returns a request body for a new user with exactly this size.
std::string body_of(std::size_t size) {
    const std::string start = R"({"name":"N","email":"n@x","password":"s3cr3t","x":")";
    return start + std::string(size - start.size() - 2, 'x') + "\"}";
}

} // namespace

TEST_GROUP_BASE(methods, Scene){};

TEST(methods, HEAD_is_allowed_where_GET_is) {
    for (const char* path :
         {"/api/users", "/api/users/ulises-1", "/api/users/unknown", "/api/users/a/b"})
        for (const auto caller : {Caller::nobody, Caller::user, Caller::super_admin}) {
            const auto whole = get(caller, path);
            const auto head_alone = ask(caller, "HEAD", path);
            CHECK_EQUAL(whole.status, head_alone.status);
            CHECK_EQUAL(whole.value("Content-Length"), head_alone.value("Content-Length"));
            CHECK_EQUAL(std::string("application/json"), head_alone.value("Content-Type"));
            CHECK_EQUAL(std::string(""), head_alone.body);
        }
}

TEST_GROUP_BASE(paths, Scene){};

TEST(paths, outside_the_base_address_do_not_belong_to_the_service) {
    auto& client = Suite::current().client();
    for (const char* path : {"/api/usersx", "/api", "/api/user", "/off/users"}) {
        const auto response = client.send({"GET", path, {bearer(Caller::super_admin)}});
        CHECK_EQUAL(404, response.status);
        CHECK_TEXT(response.body.find("success") == std::string::npos, response.text().c_str());
    }
}

TEST(paths, with_an_invalid_escape_get_400) {
    expect_log("AH10244"); // httpd: invalid URI path
    for (const char* path :
         {"/api/users/%zz", "/api/users/%", "/api/users/a%2", "/api/users/a/%zz"}) {
        const auto response = ask(Caller::super_admin, "GET", path);
        CHECK_EQUAL(400, response.status);
        expect_rejected(response);
    }
}

TEST(paths, are_the_same_for_access_rules_and_the_service) {
    expect_log("AH01630"); // httpd: denied by server configuration
    for (const char* path : {"/open%20users/a%20b", "/open%20users/a%20%62", "/open%20users/x:1",
                             "/open%20users/x%3a1", "/open%20users/x%3A1", "/open%20users/%c3%b1",
                             "/open%20users/./%C3%B1", "/%6fpen%20users/x%3a1"}) {
        const auto response = get(Caller::super_admin, path);
        CHECK_EQUAL(403, response.status);
        expect_rejected(response);
    }
    // Without the rule, the same path reaches the service and is decoded once.
    add_user({"a%20b", "X", "x@x", "user", "2026-02-01T00:00:00.000Z"});
    CHECK_EQUAL(std::string("a%20b"),
                text_member(get(Caller::super_admin, "/open%20users/a%2520b"), "id"));
    CHECK_EQUAL(std::string("a%20b"),
                text_member(get(Caller::super_admin, "/open%20users/x/../a%2520b"), "id"));
}

TEST(paths, are_taken_from_the_last_internal_redirect) {
    add_user({"a b%", "X", "x@x", "user", "2026-02-01T00:00:00.000Z"});
    CHECK_EQUAL(std::string("a b%"), text_member(ask(Caller::super_admin, "GET", "/redirect", {},
                                                     {"X-Test-Target: /api/users/a%20b%25"}),
                                                 "id"));
}

TEST_GROUP_BASE(responses, Scene){};

TEST(responses, ignore_Range) {
    const auto whole = get(Caller::admin, "/api/users");
    for (const char* range :
         {"bytes=0-3", "bytes=5-", "bytes=-1", "bytes=0-0,2-3", "bytes=99999-"}) {
        const auto response =
            ask(Caller::admin, "GET", "/api/users", {}, {std::string("Range: ") + range});
        expect(response, 200, whole.body);
        CHECK_FALSE(response.header("Content-Range").has_value());
    }
}

TEST(responses, share_one_connection) {
    HttpClient client(Suite::current().httpd().port());
    for (int time = 0; time < 20; ++time) {
        expect_success(client.send({"GET", "/api/users", {bearer(Caller::admin)}}));
        expect_success(client.send(
            {"PUT", "/api/users/ulises-1", {bearer(Caller::admin)}, R"({"name":"X"})"}));
        expect_error(client.send({"GET", "/api/users"}), 401, "No autorizado");
        expect_error(client.send({"GET", "/api/users/unknown", {bearer(Caller::admin)}}), 404,
                     "Usuario no encontrado");
    }
    CHECK_EQUAL(1, client.connections());
}

TEST(responses, to_pipelined_requests_are_in_order) {
    const RawConnection connection(Suite::current().httpd().port());
    const std::string last = "Connection: close\r\n";
    CHECK(connection.send(head("GET /api/users/ulises-1") + head("GET /api/users/unknown") +
                          head("GET /api/users/ada-1", last)));
    const auto all = connection.receive_all();
    const auto first = all.find("ulises@example.org");
    const auto second = all.find("Usuario no encontrado");
    const auto third = all.find("ada@example.org");
    CHECK_TEXT(first < second && second < third && third != std::string::npos, all.c_str());
}

TEST(responses, to_many_concurrent_readers_are_complete) {
    const std::vector<Request> requests(24, Request{"GET", "/api/users", {bearer(Caller::admin)}});
    const auto whole = get(Caller::admin, "/api/users");
    for (const auto& response : Suite::current().client().send_at_once(requests)) {
        check_response(response);
        expect(response, 200, whole.body);
    }
}

TEST_GROUP_BASE(bodies, Scene){};

TEST(bodies, bodies_of_exactly_UserAdminMaxBody_are_accepted) {
    expect_success(post(Caller::super_admin, body_of(65536)));
}

TEST(bodies, over_UserAdminMaxBody_get_413) {
    expect_error(post(Caller::super_admin, body_of(65537)), 413, too_large);
    expect_error(put(Caller::super_admin, "ulises-1", body_of(65537)), 413, too_large);
    // The same applies without a Content-Length.
    expect_error(
        exchange(head("POST /api/users", "Transfer-Encoding: chunked\r\nConnection: close\r\n") +
                 chunk(body_of(65537)) + "0\r\n\r\n"),
        413, too_large);
    CHECK_EQUAL(3, count("user"));
}

TEST(bodies, with_a_Content_Length_over_the_limit_are_rejected_unread) {
    const RawConnection connection(Suite::current().httpd().port());
    CHECK(connection.send(head("POST /api/users", "Content-Length: 1000000000\r\n")));
    const auto response = parse_response(connection.receive_all());
    check_response(response);
    expect_error(response, 413, too_large);
    CHECK_EQUAL(std::string("close"), response.value("Connection"));
}

TEST(bodies, over_the_limit_in_chunks_are_rejected_early) {
    const RawConnection connection(Suite::current().httpd().port());
    CHECK(connection.send(head("POST /api/users", "Transfer-Encoding: chunked\r\n")));
    connection.send(chunk(std::string(40000, ' ')));
    connection.send(chunk(std::string(40000, ' ')));
    const auto response = parse_response(connection.receive_all());
    check_response(response);
    expect_error(response, 413, too_large);
    CHECK_EQUAL(std::string("close"), response.value("Connection"));
}

TEST(bodies, bodies_of_rejected_callers_are_not_read_and_connections_close) {
    for (const char* caller : {"", "Authorization: Bearer s3cr3t-token-of-ulises\r\n"}) {
        const RawConnection connection(Suite::current().httpd().port());
        CHECK(connection.send("POST /api/users HTTP/1.1\r\nHost: localhost\r\n" +
                              std::string(caller) + "Content-Length: 60000\r\n\r\n"));
        const auto response = parse_response(connection.receive_all());
        check_response(response);
        CHECK_TEXT(response.status == 401 || response.status == 403, response.text().c_str());
        CHECK_EQUAL(std::string("close"), response.value("Connection"));
    }
}

TEST(bodies, in_chunks_are_read_completely) {
    const auto response =
        exchange(head("POST /api/users", "Transfer-Encoding: chunked\r\nConnection: close\r\n") +
                 chunk(R"({"name":"Nina","email":"n@x",)") + chunk(R"("password":"s3cr3t")") +
                 chunk("}") + "0\r\nX-Trailer: x\r\n\r\n");
    expect_success(response);
    CHECK_EQUAL(std::string("Nina"), text_member(response, "name"));
}

TEST(bodies, awaited_bodies_get_100_Continue) {
    const RawConnection connection(Suite::current().httpd().port());
    const std::string body = R"({"name":"N","email":"n@x","password":"s3cr3t"})";
    CHECK(connection.send(head("POST /api/users", "Expect: 100-continue\r\nConnection: close\r\n"
                                                  "Content-Length: " +
                                                      std::to_string(body.size()) + "\r\n")));
    const auto interim = connection.receive_until("\r\n\r\n");
    CHECK_TEXT(interim.starts_with("HTTP/1.1 100 "), interim.c_str());
    CHECK(connection.send(body));
    expect_success(parse_response(interim + connection.receive_all()));
}

TEST(bodies, rejected_bodies_get_no_100_Continue) {
    expect_log("AH01630"); // httpd: denied by server configuration
    const std::string expecting = "Expect: 100-continue\r\nContent-Length: 60000\r\n";
    const std::pair<std::string, int> requests[] = {
        {"POST /api/users HTTP/1.1\r\nHost: localhost\r\n" + expecting + "\r\n", 401},
        {"PUT /api/users/ulises-1 HTTP/1.1\r\nHost: localhost\r\n" + expecting + "\r\n", 401},
        {"POST /api/users HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
         "s3cr3t-token-of-ulises\r\n" +
             expecting + "\r\n",
         403},
        {head("POST /api/users", "Expect: 100-continue\r\nContent-Length: 70000\r\n"), 413},
        {head("PATCH /api/users", expecting), 405},
        {head("POST /denied/users", expecting), 403},
    };
    for (const auto& [bytes, status] : requests) {
        const RawConnection connection(Suite::current().httpd().port());
        CHECK(connection.send(bytes));
        const auto received = connection.receive_all();
        CHECK_TEXT(received.find("100 Continue") == std::string::npos, received.c_str());
        const auto response = parse_response(received);
        check_response(response);
        CHECK_EQUAL_TEXT(status, response.status, received.c_str());
    }
}

TEST(bodies, that_end_too_early_are_rejected) {
    for (const std::string& bytes :
         {head("POST /api/users", "Content-Length: 1000\r\n") + R"({"name":"N",)",
          head("POST /api/users", "Transfer-Encoding: chunked\r\n") + "50\r\n" + R"({"name":"N",)",
          head("POST /api/users", "Transfer-Encoding: chunked\r\n") + chunk(R"({"name":"N",)"),
          head("POST /api/users", "Transfer-Encoding: chunked\r\n") + "7fffffffffffffff\r\n" + "{}",
          head("POST /api/users", "Transfer-Encoding: chunked\r\n") + "1"}) {
        const RawConnection connection(Suite::current().httpd().port());
        CHECK(connection.send(bytes));
        connection.finish_sending();
        const auto received = connection.receive_all();
        // A client that closes the connection early gets an error or no response, but never a
        // success.
        CHECK_TEXT(received.find(" 200 ") == std::string::npos, received.c_str());
        if (!received.empty())
            expect_rejected(parse_response(received));
    }
    CHECK_EQUAL(3, count("user"));
}

TEST(bodies, that_stall_get_408) {
    for (const char* headers : {"Content-Length: 100\r\n", "Transfer-Encoding: chunked\r\n"}) {
        const RawConnection connection(Suite::current().httpd().port());
        CHECK(connection.send(head("POST /hasty/users", headers)));
        const auto response = parse_response(connection.receive_all());
        check_response(response);
        expect_error(response, 408, "Tiempo de espera agotado");
        CHECK_EQUAL(std::string("close"), response.value("Connection"));
    }
}

TEST(bodies, that_arrive_slowly_get_408) {
    const std::string chunked = "Transfer-Encoding: chunked\r\n";
    const struct {
        std::string start;
        char drop;
    } drips[] = {{head("POST /hasty/users", "Content-Length: 60000\r\n"), ' '},
                 {head("POST /hasty/users", chunked) + chunk("{") + "ffff\r\n", ' '},
                 {head("POST /hasty/users", chunked) + chunk("{") + "1;", 'x'},
                 {head("POST /hasty/users", chunked) + chunk("{}") + "0\r\nX-T: ", 'x'},
                 {head("POST /hasty/auth/sign-in/email",
                       "Content-Type: application/json\r\nContent-Length: 60000\r\n"),
                  ' '}};
    std::deque<RawConnection> connections;
    for (const auto& drip : drips)
        CHECK(connections.emplace_back(Suite::current().httpd().port()).send(drip.start));
    bool all_answered = false;
    for (int sent = 0; sent < 6000 && !all_answered; ++sent) {
        all_answered = true;
        for (std::size_t each = 0; each < connections.size(); ++each)
            if (!connections[each].has_input(std::chrono::milliseconds(10))) {
                connections[each].send(std::string_view(&drips[each].drop, 1));
                all_answered = false;
            }
    }
    CHECK(all_answered);
    CHECK_EQUAL(408, parse_response(connections.back().receive_all()).status);
    connections.pop_back();
    for (const RawConnection& connection : connections) {
        const auto response = parse_response(connection.receive_all());
        check_response(response);
        expect_error(response, 408, "Tiempo de espera agotado");
    }
}

TEST(bodies, have_a_timeout_that_does_not_affect_later_requests) {
    const RawConnection connection(Suite::current().httpd().port());
    const std::string caller = "Host: localhost\r\n" + bearer(Caller::admin) + "\r\n";
    CHECK(connection.send("PUT /hasty/users/ulises-1 HTTP/1.1\r\n" + caller +
                          "Content-Length: 2\r\n\r\n{}"));
    CHECK(connection.receive_until("}}").starts_with("HTTP/1.1 200"));
    // After the timeout, send another request in two parts.
    CHECK_FALSE(connection.has_input(std::chrono::milliseconds(1100)));
    CHECK(connection.send("GET /hasty/users/ulises-1 HTTP/1.1\r\n"));
    CHECK_FALSE(connection.has_input(std::chrono::milliseconds(100)));
    CHECK(connection.send(caller + "Connection: close\r\n\r\n"));
    expect_success(parse_response(connection.receive_all()));
}

TEST(bodies, over_LimitRequestBody_of_httpd_get_the_envelope) {
    expect_error(ask(Caller::super_admin, "POST", "/limited/users", body_of(513)), 413, too_large);
    expect_success(ask(Caller::super_admin, "POST", "/limited/users", body_of(512)));
    const auto chunked = exchange(
        head("POST /limited/users", "Transfer-Encoding: chunked\r\nConnection: close\r\n") +
        chunk(body_of(600)) + "0\r\n\r\n");
    expect_error(chunked, 413, too_large);
    CHECK_EQUAL(4, count("user"));
}

TEST_GROUP_BASE(errors_of_httpd, Scene){};

TEST(errors_of_httpd, with_an_ErrorDocument_get_the_envelope) {
    expect_log("AH01630");
    for (const char* path :
         {"/document/users", "/document/users/x", "/text/users", "/remote/users"}) {
        const auto response = get(Caller::super_admin, path);
        CHECK_EQUAL(403, response.status);
        expect_rejected(response);
    }
}

TEST(errors_of_httpd, keep_the_Retry_After_of_another_module) {
    for (const char* path : {"/api/users", "/document/users", "/text/users"}) {
        const auto response =
            Suite::current().client().send({"GET", path, {"X-Test-Retry-After: 120"}});
        CHECK_EQUAL(503, response.status);
        const std::vector<std::string> once = {"120"};
        CHECK_TEXT(values_of(response, "Retry-After") == once, response.text().c_str());
    }
}

TEST(errors_of_httpd, have_one_X_Content_Type_Options_header) {
    expect_log("AH01630");
    for (const char* path : {"/document/users", "/text/users", "/document/auth/get-session",
                             "/trusting/denied/auth/get-session"}) {
        const auto response = Suite::current().client().send({"GET", path});
        CHECK_EQUAL(403, response.status);
        const std::vector<std::string> once = {"nosniff"};
        CHECK_TEXT(values_of(response, "X-Content-Type-Options") == once, response.text().c_str());
    }
}

TEST(errors_of_httpd, for_a_malformed_request_get_the_envelope) {
    const std::string host = "Host: localhost\r\n";
    const std::string token = bearer(Caller::super_admin) + "\r\n";
    for (const std::string& bytes : {
             "GET /api/users HTTP/1.1\r\n" + token + "\r\n",
             "GET /api/users HTTP/1.1\r\n" + host + host + token + "\r\n",
             "GET /api/users HTTP/1.1\r\nHost: a b\r\n" + token + "\r\n",
             "GET /api/users HTTP/1.1\r\n" + host + token + "no colon\r\n\r\n",
             "GET /api/users HTTP/1.1\r\n" + host + token + "Spaced : x\r\n\r\n",
             "GET /api/users HTTP/1.1\r\n" + host + token + "B\x01" + "ad: x\r\n\r\n",
             "GET /api/users HTTP/1.1\r\n" + host + token + "X: a\x01" + "b\r\n\r\n",
             "GET /api/users HTTP/1.1\r\n" + host + token + "X: " + std::string(9000, 'x') +
                 "\r\n\r\n",
             "GET /api/users HTTP/1.1\r\n" + host + token + "Expect: magic\r\n\r\n",
             "G@T /api/users HTTP/1.1\r\n" + host + token + "\r\n",
             "GET /api/users XTTP/1.1\r\n" + host + token + "\r\n",
             "GET  /api/users HTTP/1.1\r\n" + host + token + "\r\n",
             "GET /api/users#x HTTP/1.1\r\n" + host + token + "\r\n",
             "GET /api/users?search=a b HTTP/1.1\r\n" + host + token + "\r\n",
             "GET /api/users/\x01 HTTP/1.1\r\n" + host + token + "\r\n",
         }) {
        const auto response = exchange(bytes);
        expect_rejected(response);
    }
}

TEST(errors_of_httpd, under_a_Location_of_a_virtual_host_get_the_envelope) {
    const auto response = exchange("GET /other/users HTTP/1.1\r\nHost: other.test\r\n" +
                                   bearer(Caller::super_admin) + "\r\nExpect: magic\r\n\r\n");
    CHECK_EQUAL(417, response.status);
    expect_rejected(response);
}

} // namespace useradmin::test
