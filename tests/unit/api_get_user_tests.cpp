// Get user (specification, section 4.3).
#include "fake_store.hpp"

#include <string_view>

namespace useradmin::test {

TEST_GROUP_BASE(get_user, ApiScene){};

TEST(get_user, an_id_is_case_sensitive) {
    for (const auto request : {"GET /Me", "GET /me%20", "GET /me%00", "GET /m", "GET /mee"})
        expect("403 No tienes permisos", ask(user, request), request);
}

TEST(get_user, an_unknown_id_is_not_found) {
    expect(not_found, ask(admin, "GET /unknown"));
    expect(not_found, ask(super_admin, "GET /unknown"));
    store.users.clear();
    expect(not_found, ask(user, "GET /me"));
}

TEST(get_user, the_id_in_the_path_is_percent_encoded) {
    store.add("a/b ñ+%", "odd@example.org");
    expect("200", ask(admin, "GET /a%2Fb%20%C3%B1+%25"));
    expect("find a/b ñ+%", calls.text());
    expect("200", ask(user, "GET /%6D%65"));
    expect("find me", calls.text());
}

TEST(get_user, an_id_that_is_not_utf8_is_not_found) {
    for (const auto request :
         {"GET /%FF", "GET /boss%00", "GET /%00", "GET /%C3", "GET /%ED%A0%80"}) {
        expect(not_found, ask(admin, request), request);
        expect("", calls.text(), request);
    }
}

TEST(get_user, returns_the_version_of_the_row_as_its_tag) {
    expect("\"1-2.3\"", header_of(send(user, "GET /me"), "ETag"));
    expect("\"1-2.3\"", header_of(send(admin, "HEAD /boss"), "ETag"));
    expect("", header_of(send(admin, "GET /unknown"), "ETag"));
    expect("", header_of(send(admin, "GET "), "ETag"));
}

TEST(get_user, ignores_conditional_headers) {
    headers.fields["If-Match"] = "\"other\"";
    headers.fields["If-None-Match"] = "\"1-2.3\"";
    expect("200", ask(user, "GET /me"));
}

} // namespace useradmin::test
