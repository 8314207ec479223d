// Bulk operations on users (UserAdminExtras).
#include "fake_store.hpp"

#include <string>
#include <string_view>

namespace useradmin::test {

namespace {

constexpr std::string_view bulk = "POST /bulk";
constexpr std::string_view invalid = "400 Petición incorrecta";
constexpr std::string_view ban_two =
    R"({"operation":"ban","data":{"reason":"spam"},"items":[{"id":"another"},{"id":"boss"}]})";

class Bulk : public ApiScene {
  public:
    void setup() override {
        ApiScene::setup();
        settings.has_extras = true;
    }

  protected:
    std::string body_of(std::string_view text) { return send(super_admin, bulk, text).body; }
    /// Returns the audit events: "ban another 200, ban boss 404".
    std::string audit_events() {
        std::string all;
        for (const audit::Event& one : events)
            all += (all.empty() ? "" : ", ") + std::string(one.operation) + " " + one.target + " " +
                   std::to_string(one.status) + (one.is_change ? "" : " without a change");
        events.clear();
        return all;
    }
};

} // namespace

TEST_GROUP_BASE(bulk, Bulk){};

TEST(bulk, is_for_super_admins_and_requires_the_extras) {
    expect("401 No autorizado", ask(nobody, bulk, ban_two));
    expect("403 No tienes permisos", ask(admin, bulk, ban_two));
    expect("", calls.text());
    expect("200", ask(super_admin, bulk, ban_two));
    CHECK_FALSE(event.is_change);
    settings.has_extras = false;
    expect(wrong_method, ask(super_admin, bulk, ban_two));
    settings.has_extras = true;
    // With other methods, "bulk" is a user id.
    store.add("bulk", "bulk@example.org");
    expect("200", ask(super_admin, "GET /bulk"));
    expect("200", ask(super_admin, "DELETE /bulk"));
}

TEST(bulk, responds_to_each_item_as_to_a_single_request) {
    expect(R"({"success":true,"data":[{"id":"another","status":200,"success":true,)"
           R"("etag":"\"1-2.3\""},)"
           R"({"id":"unknown","status":404,"success":false,"error":"Usuario no encontrado"},)"
           R"({"id":"me","status":400,"success":false,)"
           R"("error":"No puedes banear tu propio usuario"}]})",
           body_of(R"({"operation":"ban",)"
                   R"("items":[{"id":"another"},{"id":"unknown"},{"id":"me"}]})"));
    expect(R"({"success":true,"data":[)"
           R"({"id":"another","status":200,"success":true,)"
           R"("message":"Usuario eliminado correctamente"},)"
           R"({"id":"root","status":403,"success":false,)"
           R"("error":"No se puede eliminar el usuario administrador principal"}]})",
           body_of(R"({"operation":"delete","items":[{"id":"another"},{"id":"root"}]})"));
    settings.language = http::Language::english;
    STRCMP_CONTAINS("This user does not exist.",
                    body_of(R"({"operation":"unban","items":[{"id":"unknown"}]})").c_str());
}

TEST(bulk, passes_the_data_to_each_operation) {
    body_of(R"({"operation":"update","data":{"role":"admin"},"items":[{"id":"another"}]})");
    expect("role", store.changes->back().field);
    expect("admin", std::get<std::string_view>(store.changes->back().value));
    body_of(R"({"operation":"end-sessions","data":null,"items":[{"id":"another"}]})");
    expect("body, delete_sessions_of_user another", calls.text());
    STRCMP_CONTAINS(R"("status":500)", body_of(R"({"operation":"update","data":{"role":1},)"
                                               R"("items":[{"id":"another"}]})")
                                           .c_str());
}

TEST(bulk, checks_if_match_of_each_item) {
    headers.fields["If-Match"] = "*";
    const std::string body =
        body_of(R"({"operation":"ban","items":[{"id":"another","ifMatch":"\"1-2.3\""},)"
                R"({"id":"boss","ifMatch":"\"old\""},{"id":"root","ifMatch":null}]})");
    STRCMP_CONTAINS(R"({"id":"another","status":200)", body.c_str());
    STRCMP_CONTAINS(R"({"id":"boss","status":412)", body.c_str());
    STRCMP_CONTAINS(R"({"id":"root","status":200)", body.c_str());
}

TEST(bulk, fails_as_a_whole_if_a_condition_names_a_tag) {
    for (const auto& [name, value] :
         {std::pair("If-Match", "\"1-2.3\""), {"If-Match", ""}, {"If-None-Match", "*"}}) {
        headers.fields = {{name, value}};
        expect("412 El usuario ha cambiado", ask(super_admin, bulk, ban_two), value);
        expect("", calls.text(), value);
    }
    CHECK_TRUE(events.empty());
}

TEST(bulk, changes_nothing_for_an_invalid_body) {
    for (const char* text :
         {"", "[]", "{}", R"({"operation":"ban"})", R"({"operation":"ban","items":[]})",
          R"({"operation":"ban","items":{"id":"another"}})",
          R"({"operation":"ban","items":["another"]})",
          R"({"operation":"ban","items":[{"id":"another"},{"id":""}]})",
          R"({"operation":"ban","items":[{"id":"another"},{"id":1}]})",
          R"({"operation":"ban","items":[{"id":"another","ifMatch":1}]})",
          R"({"operation":"ban","data":"spam","items":[{"id":"another"}]})",
          R"({"operation":"create","items":[{"id":"another"}]})",
          R"({"operation":"set-password","items":[{"id":"another"}]})",
          R"({"operation":"bulk","items":[{"id":"another"}]})",
          R"({"items":[{"id":"another"}]})"}) {
        body.body.text = text;
        expect(invalid, ask(super_admin, bulk), text);
        expect("body", calls.text(), text);
    }
    CHECK_TRUE(events.empty());
}

TEST(bulk, an_invalid_request_is_logged_as_a_whole) {
    ask(super_admin, bulk, "{}");
    CHECK_TRUE(event.is_change);
    expect("bulk", event.operation);
    CHECK_EQUAL(400, event.status);
    body.body.error_status = 413;
    expect("413", ask(super_admin, bulk).substr(0, 3));
    CHECK_TRUE(event.is_change);
}

TEST(bulk, accepts_up_to_1000_items) {
    const auto body_with = [](int count) {
        std::string text = R"({"operation":"unban","items":[)";
        for (int index = 0; index < count; ++index)
            text += std::string(index > 0 ? "," : "") + R"({"id":"another"})";
        return text + "]}";
    };
    expect("200", ask(super_admin, bulk, body_with(1000)));
    CHECK_EQUAL(1000U, events.size());
    expect(invalid, ask(super_admin, bulk, body_with(1001)));
}

TEST(bulk, on_a_standby_has_no_Warning_header) {
    store.last_change_received = *text::parse_timestamp("2026-11-27T16:00:00Z");
    expect("", header_of(send(super_admin, bulk, ban_two), "Warning"));
}

TEST(bulk, logs_each_item_with_its_caller) {
    expect("200", ask(super_admin, bulk, ban_two));
    CHECK_EQUAL(std::string("me"), events.front().caller);
    CHECK_EQUAL(std::string("superAdmin"), events.front().role);
    expect("ban another 200, ban boss 200", audit_events());
    expect("bulk", event.operation);
    expect("", event.target);
    ask(super_admin, bulk, R"({"operation":"delete","items":[{"id":"root"},{"id":"gone"}]})");
    expect("delete root 403, delete gone 404", audit_events());
}

TEST(bulk, does_not_repeat_what_succeeded_with_the_same_key) {
    headers.fields["Idempotency-Key"] = "k";
    constexpr std::string_view unban_two =
        R"({"operation":"unban","items":[{"id":"another"},{"id":"boss"}]})";
    expect("200", ask(super_admin, bulk, ban_two));
    expect("ban another 200, ban boss 200", audit_events());
    const std::string again = body_of(ban_two);
    STRCMP_CONTAINS(R"({"id":"another","status":200,"success":true,)"
                    R"("message":"Ya se había hecho"})",
                    again.c_str());
    expect("ban another 200 without a change, ban boss 200 without a change", audit_events());
    // A request with another operation, body or key is a new change.
    ask(super_admin, bulk, unban_two);
    expect("unban another 200, unban boss 200", audit_events());
    ask(super_admin, bulk, R"({"operation":"ban","items":[{"id":"another"}]})");
    expect("ban another 200", audit_events());
    headers.fields["Idempotency-Key"] = "l";
    ask(super_admin, bulk, ban_two);
    expect("ban another 200, ban boss 200", audit_events());
    // The key is not used for other requests.
    expect("", store.idempotency_key);
    headers.fields.clear();
    ask(super_admin, bulk, ban_two);
    ask(super_admin, bulk, ban_two);
    expect("ban another 200, ban boss 200, ban another 200, ban boss 200", audit_events());
}

TEST(bulk, compares_the_key_before_the_version_when_ending_sessions) {
    headers.fields["Idempotency-Key"] = "k";
    constexpr std::string_view end_sessions =
        R"({"operation":"end-sessions","items":[{"id":"another","ifMatch":"\"1-2.3\""}]})";
    STRCMP_CONTAINS("Sesiones cerradas", body_of(end_sessions).c_str());
    for (model::User& user : store.users)
        user.version = "4-5.6";
    STRCMP_CONTAINS("Ya se había hecho", body_of(end_sessions).c_str());
}

TEST(bulk, accepts_a_key_of_1_to_255_bytes) {
    const std::string longest(255, 'k');
    const std::string longer(256, 'k');
    headers.fields["Idempotency-Key"] = longest;
    expect("200", ask(super_admin, bulk, ban_two));
    for (const std::string_view key : {std::string_view(), std::string_view(longer)}) {
        headers.fields["Idempotency-Key"] = key;
        expect(invalid, ask(super_admin, bulk, ban_two), key);
    }
}

TEST(bulk, ends_when_the_database_is_unavailable) {
    store.failures["update"] = store::Failure::unavailable;
    const std::string body = body_of(ban_two);
    expect("body, update another", calls.text().substr(0, 20));
    CHECK_EQUAL(calls.text().find("update"), calls.text().rfind("update"));
    STRCMP_CONTAINS(R"({"id":"boss","status":503,"success":false,)"
                    R"("error":"Servicio no disponible temporalmente"})",
                    body.c_str());
    expect("ban another 503", audit_events());
}

} // namespace useradmin::test
