// The bytes of the envelopes (specification, sections 2.1 and 2.4).
#include "fake_store.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

namespace useradmin::test {

namespace {

model::User full_user() {
    model::User user;
    user.id = "7";
    user.name = "Ana \"la\" Núñez";
    user.email = "ana@example.org";
    user.role = "admin";
    user.email_verified = true;
    user.image = "https://example.org/ana.png";
    user.created_at = text::parse_timestamp("2026-11-20T23:30:19.717Z");
    user.updated_at = text::parse_timestamp("2026-11-21T00:00:00Z");
    user.banned = true;
    user.ban_reason = "spam\n";
    user.ban_expires = text::parse_timestamp("2027-01-01T00:00:00.001Z");
    return user;
}

constexpr std::string_view full_fields =
    R"("id":"7","name":"Ana \"la\" Núñez","email":"ana@example.org","role":"admin",)"
    R"("emailVerified":true,"image":"https://example.org/ana.png",)"
    R"("createdAt":"2026-11-20T23:30:19.717Z","updatedAt":"2026-11-21T00:00:00.000Z",)"
    R"("banned":true,"banReason":"spam\n","banExpires":"2027-01-01T00:00:00.001Z")";

/// Returns a user with NULL in every nullable field.
model::User minimal_user() {
    model::User user;
    user.id = "8";
    user.name = "Eva";
    user.email = "eva@example.org";
    return user;
}

constexpr std::string_view bare_fields =
    R"("id":"8","name":"Eva","email":"eva@example.org","role":"user","emailVerified":false,)"
    R"("image":null,"createdAt":null,"updatedAt":null,"banned":false,"banReason":null,)"
    R"("banExpires":null)";

std::string joined(std::initializer_list<std::string_view> texts) {
    std::string all;
    for (const auto text : texts)
        all += text;
    return all;
}

class Envelopes : public ApiScene {
  protected:
    void setup() override { store.users = {full_user(), minimal_user()}; }
};

} // namespace

TEST_GROUP_BASE(envelopes, Envelopes){};

TEST(envelopes, a_record_has_exactly_the_eleven_fields) {
    const auto response = send(admin, "GET /7");
    CHECK_EQUAL(200, response.status);
    expect(joined({R"({"success":true,"data":{)", full_fields, "}}"}), response.body);
}

TEST(envelopes, absent_values_become_null_false_or_user) {
    expect(joined({R"({"success":true,"data":{)", bare_fields, "}}"}), send(admin, "GET /8").body);
}

TEST(envelopes, a_list_has_its_records_and_its_pagination) {
    const auto response = send(admin, "GET ");
    CHECK_EQUAL(200, response.status);
    expect(joined({R"({"success":true,"data":[{)", full_fields, "},{", bare_fields,
                   R"(}],"pagination":{"page":1,"limit":20,"total":2,"totalPages":1}})"}),
           response.body);
}

TEST(envelopes, an_update_returns_the_full_row_with_extra_columns_last) {
    store.other_columns = {{"phone", "null"}, {"visits", "3"}};
    const auto response = send(admin, "PUT /8", "{}");
    CHECK_EQUAL(200, response.status);
    std::string updated_at;
    text::append_iso8601(updated_at, store.updated_at());
    expect(R"({"success":true,"data":{"id":"8","name":"Eva","email":"eva@example.org",)"
           R"("role":"user","emailVerified":false,"image":null,"createdAt":null,"updatedAt":")" +
               updated_at +
               R"(","banned":false,"banReason":null,"banExpires":null,)"
               R"("phone":null,"visits":3}})",
           response.body);
}

TEST(envelopes, a_creation_returns_the_full_row_with_extra_columns_last) {
    store.other_columns = {{"phone", "null"}};
    const auto response =
        send(admin, "POST ",
             R"({"name":"Íñigo","email":"i@example.org","password":"clave","role":"user"})");
    CHECK_EQUAL(200, response.status);
    std::string now;
    text::append_iso8601(now, store.created->now);
    expect(R"({"success":true,"data":{"id":")" + std::string(store.created->id) +
               R"(","name":"Íñigo","email":"i@example.org","role":"user","emailVerified":true,)"
               R"("image":null,"createdAt":")" +
               now + R"(","updatedAt":")" + now +
               R"(","banned":false,"banReason":null,"banExpires":null,"phone":null}})",
           response.body);
}

TEST(envelopes, a_row_without_extra_columns_ends_with_the_known_ones) {
    STRCMP_CONTAINS(R"("banExpires":null}})", send(admin, "PUT /8", "{}").body.c_str());
}

TEST(envelopes, a_deletion_returns_a_message) {
    const auto response = send(super_admin, "DELETE /7");
    CHECK_EQUAL(200, response.status);
    expect(R"({"success":true,"message":"Usuario eliminado correctamente"})", response.body);
}

TEST(envelopes, a_failure_returns_an_error_in_utf8) {
    const auto response = send(nobody, "PATCH ");
    CHECK_EQUAL(405, response.status);
    expect(R"({"success":false,"error":"Método no permitido"})", response.body);
    expect(R"({"success":false,"error":"No autorizado"})", send(nobody, "GET ").body);
}

TEST(envelopes, a_role_is_shown_as_it_is_stored) {
    store.users[0].role = "owner";
    STRCMP_CONTAINS(R"("role":"owner",)", send(admin, "GET /7").body.c_str());
}

} // namespace useradmin::test
