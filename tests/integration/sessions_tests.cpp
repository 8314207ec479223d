// Section 5 of the specification, and the notes that an auth module sets for the service.
#include "scene.hpp"

#include "support/process.hpp"

#include <algorithm>

namespace useradmin::test {

namespace {

constexpr const char* own_record = "/api/users/ulises-1";

} // namespace

class Sessions : public Scene {
  protected:
    /// Reads Ulises's own record with these headers.
    static Response get_with(const std::vector<std::string>& headers,
                             const std::string& path = own_record, SourceLocation where = {}) {
        return ask(Caller::nobody, "GET", path, {}, headers, where);
    }
};

TEST_GROUP_BASE(sessions, Sessions){};

TEST(sessions, the_token_is_read_from_the_cookie) {
    const auto token = token_of(Caller::user);
    expect_success(get_with({"Cookie: better-auth.session_token=" + token}));
    expect_success(get_with({"Cookie: a=b; better-auth.session_token=" + token + "; c=d"}));
    expect_success(get_with({"Cookie: a=b;better-auth.session_token=" + token}));
}

TEST(sessions, the_token_is_read_from_a_Secure_prefixed_cookie) {
    expect_success(
        get_with({"Cookie: __Secure-better-auth.session_token=" + token_of(Caller::user)}));
}

TEST(sessions, a_prefixed_cookie_takes_precedence_over_a_plain_one) {
    const std::string plain = "better-auth.session_token=";
    const auto read = [](const std::string& cookies) {
        return ask(Caller::nobody, "GET", "/api/users/sara-1", {}, {"Cookie: " + cookies}).status;
    };
    const std::string ada = token_of(Caller::admin);
    const std::string ulises = token_of(Caller::user);
    CHECK_EQUAL(200, read(plain + ulises + "; __Secure-" + plain + ada));
    CHECK_EQUAL(200, read("__Secure-" + plain + ada + "; " + plain + ulises));
    CHECK_EQUAL(403, read("__Secure-" + plain + ulises + "; " + plain + ada));
    CHECK_EQUAL(200,
                read(plain + ulises + "; __Secure-" + plain + ulises + "; __Host-" + plain + ada));
    CHECK_EQUAL(401, read(plain + ada + "; __Secure-" + plain + "none"));
    CHECK_EQUAL(401, read(plain + ada + "; __Host-" + plain));
    // The name in AuthUserAdminCookie may have a prefix, too.
    const std::string own = "my_session=" + ulises;
    expect_success(
        get_with({"Cookie: my_session=none; __Secure-" + own}, "/cookie/users/ulises-1"));
}

TEST(sessions, the_token_in_the_cookie_may_be_percent_encoded) {
    expect_success(get_with({"Cookie: better-auth.session_token=s3cr3t%2Dtoken%2Dof%2Dulises"}));
}

TEST(sessions, the_token_is_read_from_Authorization) {
    expect_success(get_with({"Authorization: Bearer " + token_of(Caller::user)}));
    expect_success(get_with({"Authorization: bearer " + token_of(Caller::user)}));
    expect_success(get_with({"authorization: BEARER  " + token_of(Caller::user)}));
}

TEST(sessions, another_cookie_or_scheme_is_not_a_session) {
    const auto token = token_of(Caller::user);
    using namespace std::string_literals;
    for (const std::string& header :
         {"Cookie: session_token=" + token, "Cookie: xbetter-auth.session_token=" + token,
          "Cookie: better-auth.session_tokens=" + token,
          "Cookie: Better-Auth.Session_Token=" + token, "Cookie: better-auth.session_token"s,
          "Cookie: better-auth.session_token="s, "Cookie: ;;;==;"s, "Authorization: " + token,
          "Authorization: Basic " + token, "Authorization: Bearer" + token,
          "Authorization: Bearer "s, "Authorization: Bearer"s, "X-Session: " + token,
          "X-Session-User-Id: sara-1"s})
        expect_error(get_with({header}), 401, "No autorizado");
}

TEST(sessions, are_rejected_from_the_first_request_after_a_ban) {
    expect_success(get(Caller::user, own_record));
    expect_success(put(Caller::super_admin, "ulises-1", R"({"banned":true})"));
    expect_error(get(Caller::user, own_record), 401, "No autorizado");
    expect_success(put(Caller::super_admin, "ulises-1", R"({"banned":false})"));
    expect_success(get(Caller::user, own_record));
}

TEST(sessions, a_cookie_name_with_a_prefix_is_matched_exactly) {
    const std::string own = "__Host-my_session=" + token_of(Caller::user);
    const auto read = [](const std::string& cookies) {
        return ask(Caller::nobody, "GET", "/host/users/ulises-1", {}, {"Cookie: " + cookies})
            .status;
    };
    CHECK_EQUAL(200, read(own));
    for (const char* prefix : {"__Secure-", "__Host-"}) {
        CHECK_EQUAL(401, read(prefix + own));
        CHECK_EQUAL(200, read(std::string(prefix) + "__Host-my_session=none; " + own));
    }
    CHECK_EQUAL(401, read("my_session=" + token_of(Caller::user)));
}

TEST(sessions, the_caller_is_the_user_in_the_access_log) {
    expect_success(get(Caller::user, own_record));
    const std::string line = "ulises-1 200 GET /api/users/ulises-1";
    const auto is_logged = [&line] {
        const auto lines = Suite::current().httpd().access_log();
        return std::find(lines.begin(), lines.end(), line) != lines.end();
    };
    CHECK_TEXT(eventually(is_logged), line.c_str());
}

TEST(sessions, the_notes_of_any_module_identify_the_caller) {
    expect_error(get_with({}, "/notes/users"), 401, "No autorizado");
    expect_success(get_with({"X-Test-Caller: sara-1 superAdmin"}, "/notes/users"));
    expect_success(get_with({"X-Test-Caller: ada-1 admin"}, "/notes/users"));
    expect_error(get_with({"X-Test-Caller: ada-1 user"}, "/notes/users"), 403,
                 "No tienes permisos para ver usuarios");
}

TEST(sessions, without_a_role_note_the_caller_is_a_user) {
    expect_error(get_with({"X-Test-Caller: sara-1"}, "/notes/users"), 403,
                 "No tienes permisos para ver usuarios");
    expect_success(get_with({"X-Test-Caller: ulises-1"}, "/notes/users/ulises-1"));
}

TEST(sessions, the_notes_are_used_after_an_internal_redirect) {
    const auto response = get_with(
        {"X-Test-Caller: ada-1 admin", "X-Test-Target: /notes/users?search=sara"}, "/redirect");
    CHECK_EQUAL(std::string("sara-1 ulises-1"), ids_of(response));
    expect_error(get_with({"X-Test-Target: /notes/users"}, "/redirect"), 401, "No autorizado");
}

TEST(sessions, the_notes_are_used_in_a_subrequest) {
    // The headers of the subrequest's response are discarded.
    const auto response = Suite::current().client().send(
        {"GET",
         "/subrequest",
         {"X-Test-Caller: sara-1 superAdmin", "X-Test-Target: /notes/users"}});
    CHECK_EQUAL(std::string("sara-1 ada-1 ulises-1"), ids_of(response));
}

TEST(sessions, survive_an_internal_redirect_for_Require_user_role) {
    expect_log("AH01630"); // httpd: denied by server configuration
    const auto get_redirected = [](Caller caller) {
        return ask(caller, "GET", "/guarded", {}, {"X-Test-Target: /role-guarded/users"});
    };
    expect_success(get_redirected(Caller::admin));
    expect_rejected(get_redirected(Caller::user));
}

TEST(sessions, guard_a_Location_of_AuthType_useradmin_in_any_case) {
    expect_log("AH01630");
    expect_success(get(Caller::admin, "/typed/users"));
    const auto response = get(Caller::nobody, "/typed/users");
    CHECK_EQUAL(401, response.status);
    CHECK_EQUAL(std::string("Bearer"), response.value("WWW-Authenticate"));
    expect_rejected(get(Caller::user, "/typed/users"));
}

TEST(sessions, UserAdminSession_reads_id_and_role_from_expressions) {
    expect_success(get_with({"X-Id: sara-1", "X-Role: superAdmin"}, "/headers/users"));
    expect_error(get_with({"X-Id: sara-1", "X-Role: user"}, "/headers/users"), 403,
                 "No tienes permisos para ver usuarios");
    expect_success(get_with({"X-Id: ulises-1", "X-Role: user"}, "/headers/users/ulises-1"));
    expect_error(get_with({"X-Role: superAdmin"}, "/headers/users"), 401, "No autorizado");
    expect_error(get_with({"X-Id;", "X-Role: superAdmin"}, "/headers/users"), 401, "No autorizado");
}

TEST(sessions, UserAdminSession_with_an_empty_role_or_none_is_a_user) {
    expect_error(get_with({"X-Id: sara-1"}, "/headers/users"), 403,
                 "No tienes permisos para ver usuarios");
    expect_error(get_with({"X-Id: sara-1", "X-Role: superAdmin"}, "/id-only/users"), 403,
                 "No tienes permisos para ver usuarios");
    expect_success(get_with({"X-Id: sara-1"}, "/id-only/users/sara-1"));
}

} // namespace useradmin::test
