// Sessions, passwords and bans of a user (UserAdminExtras).
#include "audit/log.hpp"
#include "fake_store.hpp"
#include "support/files.hpp"
#include "json/reader.hpp"

#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>

namespace useradmin::test {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view no_session = "401 No autorizado";
constexpr std::string_view session_not_found = "404 Sesión no encontrada";
constexpr std::string_view method_not_found = "404 Método de acceso no encontrado";
constexpr std::string_view bad_request = "400 Petición incorrecta";

constexpr std::string_view right_password = R"({"password":"s3cr3t word"})";

/// A request, its error responses (forbidden, failed), and the store's calls.
struct Operation {
    std::string_view request;
    std::string_view body;
    std::string_view forbidden;
    std::string_view failed;
    std::string_view call;
    std::string_view calls;
};

constexpr Operation operations[] = {
    {"GET /another/sessions", "", "403 No tienes permisos para gestionar sesiones",
     "500 Error al obtener sesiones", "list_active_sessions",
     "find another, list_active_sessions another at most 1000"},
    {"DELETE /another/sessions", "", "403 No tienes permisos para gestionar sesiones",
     "500 Error al cerrar sesiones", "delete_sessions_of_user", "delete_sessions_of_user another"},
    {"DELETE /another/sessions/one", "", "403 No tienes permisos para gestionar sesiones",
     "500 Error al cerrar sesiones", "delete_session_of_user",
     "delete_session_of_user another one"},
    {"PUT /another/password", right_password, "403 No tienes permisos para cambiar contraseñas",
     "500 Error al cambiar la contraseña", "set_password",
     "body, find another, hash, set_password another $fake$hash ending sessions"},
    {"PUT /another/ban", "{}", "403 No tienes permisos para banear usuarios",
     "500 Error al banear usuario", "update", "body, update another"},
    {"DELETE /another/ban", "", "403 No tienes permisos para banear usuarios",
     "500 Error al desbanear usuario", "update", "update another"},
    {"DELETE /another/second-factor", "", "403 No tienes permisos para quitar el segundo factor",
     "500 Error al quitar el segundo factor", "remove_second_factor",
     "remove_second_factor another"},
    {"GET /another/sign-in-methods", "", "403 No tienes permisos para gestionar métodos de acceso",
     "500 Error al obtener métodos de acceso", "list_sign_in_methods",
     "list_sign_in_methods another at most 1000"},
    {"DELETE /another/sign-in-methods/passkey/one", "",
     "403 No tienes permisos para gestionar métodos de acceso",
     "500 Error al quitar el método de acceso", "remove_sign_in_method",
     "remove_sign_in_method another passkey one"},
};

/// Returns the value that the changes assign to a field.
std::string new_value_of(const store::Changes& changes, std::string_view field) {
    for (const store::Change& change : changes)
        if (change.field == field)
            return value_text(change.value);
    return "(absent)";
}

class Extras : public ApiScene {
  public:
    void setup() override {
        ApiScene::setup();
        settings.has_extras = true;
        store.all_sessions = {session("one", "another"), session("two", "boss")};
        store.methods = {method(model::MethodKind::passkey, "one")};
    }

  protected:
    static model::Session session(std::string_view id, std::string_view user_id) {
        model::Session session;
        session.id = id;
        session.token = "s3cr3t";
        session.user_id = user_id;
        session.created_at = text::parse_timestamp("2026-01-01T00:00:00.000Z");
        session.expires_at = text::parse_timestamp("2999-01-01T00:00:00.000Z");
        session.ip_address = "192.0.2.1";
        return session;
    }

    static model::SignInMethod method(model::MethodKind kind, model::NullableText id) {
        model::SignInMethod method;
        method.kind = kind;
        method.id = id;
        return method;
    }

    /// Bans user "another". Returns the reason and the expiry of the ban, or the error response.
    std::string ban_with(std::string_view text) {
        const std::string response = ask(super_admin, "PUT /another/ban", text);
        if (response != "200" || !store.changes)
            return response;
        expect("true", new_value_of(*store.changes, "banned"));
        return new_value_of(*store.changes, "banReason") + " until " +
               new_value_of(*store.changes, "banExpires");
    }
};

} // namespace

TEST_GROUP_BASE(extras, Extras){};

TEST(extras, succeed_only_for_a_super_admin) {
    for (const Operation& operation : operations) {
        expect(no_session, ask(nobody, operation.request, operation.body), operation.request);
        for (const Caller& caller : {user, admin}) {
            expect(operation.forbidden, ask(caller, operation.request, operation.body),
                   operation.request);
            expect("", calls.text(), operation.request);
        }
        store.all_sessions = {session("one", "another")};
        expect("200", ask(super_admin, operation.request, operation.body), operation.request);
        expect(operation.calls, calls.text(), operation.request);
    }
}

TEST(extras, list_the_events_of_a_user) {
    test::WorkFolder folder;
    const std::string name = folder.path() / "audit.log";
    const audit::Descriptors opened = audit::open_log(name);
    audit::Log log(opened.log, opened.position);
    for (const char* target : {"gone", "another", "gone"}) {
        audit::Event done;
        done.operation = "delete";
        done.target = target;
        log.append(audit::begin_line(done, {}, text::now(), 0), audit::Log::Delivery::blocking);
    }
    expect("404 No hay un registro de auditoría que leer", ask(super_admin, "GET /gone/events"));
    audit_log = log.descriptor();
    expect(no_session, ask(nobody, "GET /gone/events"));
    for (const Caller& caller : {user, admin})
        expect("403 No tienes permisos para ver el historial", ask(caller, "GET /gone/events"));
    const std::string all = send(super_admin, "GET /gone/events").body;
    CHECK(all.starts_with(R"({"success":true,"data":[{"time":)") &&
          all.ends_with(R"("target":"gone"}],"earlier":null})"));
    CHECK_EQUAL(std::string::npos, all.find("another"));
    const std::string last = send(super_admin, "GET /gone/events?limit=1").body;
    const std::size_t earlier = last.find(R"(],"earlier":)");
    const std::string before = last.substr(earlier + 12, last.size() - earlier - 13);
    CHECK(json::Object::parse(last).has_value());
    CHECK_EQUAL(all, last.substr(0, earlier) + "," +
                         send(super_admin, "GET /gone/events?before=" + before).body.substr(24));
    expect("", calls.text());
    CHECK_EQUAL(std::string(R"({"success":true,"data":[],"earlier":null})"),
                send(super_admin, "GET /gone/events?before=1").body);
    audit_log = open(folder.path().c_str(), O_RDONLY | O_CLOEXEC);
    expect("500 Error al obtener el historial", ask(super_admin, "GET /gone/events"));
    for (const int descriptor : {audit_log, opened.log, opened.position})
        close(descriptor);
}

TEST(extras, are_not_found_unless_enabled) {
    settings.has_extras = false;
    for (const Operation& operation : operations) {
        expect(no_session, ask(nobody, operation.request, operation.body), operation.request);
        for (const Caller& caller : {user, super_admin})
            expect(not_found, ask(caller, operation.request, operation.body), operation.request);
        expect("", calls.text(), operation.request);
        expect("", event.operation, operation.request);
    }
    expect(not_found, ask(super_admin, "OPTIONS /another/ban"));
}

TEST(extras, a_summary_counts_all_users) {
    const std::string request =
        "GET ?limit=5&search=ana&summary=2026-11-20,2026-11-21,2026-11-21T12:00:00Z";
    const auto response = send(super_admin, request);
    STRCMP_CONTAINS(R"(,"summary":{"total":4,"banned":4,"unverified":4,"created":[4,4]}})",
                    response.body.c_str());
    expect("list role=- search=ana 6 from 0, read_last_activity 4, list role=- search=- 0 from 0, "
           "list role=- search=- banned=1 0 from 0, list role=- search=- verified=0 0 from 0, "
           "list role=- search=- from=2026-11-20T00:00:00.000Z until=2026-11-21T00:00:00.000Z "
           "all 0 from 0, "
           "list role=- search=- from=2026-11-21T00:00:00.000Z until=2026-11-21T12:00:00.000Z "
           "all 0 from 0",
           calls.text());
}

TEST(extras, an_admins_summary_counts_users_with_the_role_user) {
    expect("200", ask(admin, "GET ?summary=2026-11-20"));
    expect("list role=user search=- 21 from 0, read_last_activity 4, list role=user search=- 0 "
           "from 0, "
           "list role=user search=- banned=1 all 0 from 0, "
           "list role=user search=- verified=0 all 0 from 0",
           calls.text());
}

TEST(extras, an_invalid_summary_is_ignored) {
    std::string many = "2026-01-01T00:00:00Z";
    for (int minute = 1; minute <= 32; ++minute)
        many += ",2026-01-01T01:" + std::to_string(10 + minute) + ":00Z";
    for (const std::string& times :
         {std::string(), std::string("today"), std::string(",2026-11-20"),
          std::string("2026-11-20,2026-11-20"), std::string("2026-11-21,2026-11-20"), many}) {
        expect("200", ask(super_admin, "GET ?summary=" + times), times);
        expect("list role=- search=- 21 from 0, read_last_activity 4", calls.text(), times);
    }
}

TEST(extras, return_404_for_an_unknown_user) {
    for (const Operation& operation : operations)
        for (const char* id : {"unknown", "%FF"}) {
            std::string request(operation.request);
            request.replace(request.find("another"), 7, id);
            expect(not_found, ask(super_admin, request, operation.body), request);
        }
}

TEST(extras, have_their_own_error_texts) {
    for (const Operation& operation : operations)
        for (const auto& [failure, answer] :
             {std::pair(store::Failure::failed, operation.failed),
              std::pair(store::Failure::unavailable, unavailable)}) {
            store.failures = {{operation.call, failure}};
            expect(answer, ask(super_admin, operation.request, operation.body), operation.request);
            if (!operation.calls.starts_with("find") && operation.call != "set_password")
                continue;
            store.failures = {{"find", failure}};
            expect(answer, ask(super_admin, operation.request, operation.body), operation.request);
        }
}

TEST(extras, have_operation_names_for_metrics_and_logs) {
    const char* const names[] = {"list-sessions",
                                 "end-sessions",
                                 "end-session",
                                 "set-password",
                                 "ban",
                                 "unban",
                                 "reset-second-factor",
                                 "list-sign-in-methods",
                                 "remove-sign-in-method"};
    const char* const* name = names;
    for (const Operation& operation : operations) {
        send(super_admin, operation.request, operation.body);
        expect(*name, event.operation, operation.request);
        expect("another", event.target, operation.request);
        const bool is_read = operation.request.starts_with("GET");
        CHECK_EQUAL(!is_read, event.is_change);
        const std::size_t path = operation.request.find(' ') + 1;
        const std::string_view method = operation.request.substr(0, path - 1);
        expect(*name, api::operation_name(method, operation.request.substr(path), true));
        expect("", api::operation_name(method, operation.request.substr(path), false));
        expect(operation.failed,
               summary_of(api::error_response(500, method, operation.request.substr(path), headers,
                                              settings)));
        ++name;
    }
}

TEST(extras, accept_no_other_methods_or_paths) {
    for (const auto& [path, methods] :
         {std::pair("/bulk", "GET, HEAD, PUT, DELETE, POST, OPTIONS"),
          std::pair("/another/sessions", "GET, HEAD, DELETE, OPTIONS"),
          std::pair("/another/sessions/one", "DELETE, OPTIONS"),
          std::pair("/another/password", "PUT, OPTIONS"),
          std::pair("/another/ban", "PUT, DELETE, OPTIONS"),
          std::pair("/another/second-factor", "DELETE, OPTIONS"),
          std::pair("/another/sign-in-methods", "GET, HEAD, OPTIONS"),
          std::pair("/another/sign-in-methods/account/one", "DELETE, OPTIONS"),
          std::pair("/another/sign-in-methods/passkey/one", "DELETE, OPTIONS"),
          std::pair("/another/sign-in-methods/api-key/one", "DELETE, OPTIONS")}) {
        const http::Response options = send(nobody, "OPTIONS " + std::string(path));
        expect("204", summary_of(options), path);
        expect(methods, header_of(options, "Allow"), path);
        const http::Response other = send(nobody, "PATCH " + std::string(path));
        expect(wrong_method, summary_of(other), path);
        expect(methods, header_of(other, "Allow"), path);
    }
    for (const char* path :
         {"/another/", "/another/Sessions", "/another/sessions/", "/another/sessions/one/",
          "/another/sessions/one/two", "/another/ban/", "/another/password/x", "//sessions",
          "/another//sessions", "/another/else", "/another/sign-in-methods/",
          "/another/sign-in-methods/account", "/another/sign-in-methods/account/",
          "/another/sign-in-methods//one", "/another/sign-in-methods/session/one",
          "/another/sign-in-methods/second-factor/one",
          "/another/sign-in-methods/account/one/two"}) {
        expect(not_found, ask(super_admin, "GET " + std::string(path)), path);
        expect(no_session, ask(nobody, "DELETE " + std::string(path)), path);
        expect("", calls.text(), path);
    }
}

TEST(extras, reject_pages_of_other_origins) {
    headers.fields["Sec-Fetch-Site"] = "cross-site";
    for (const Operation& operation : operations)
        expect(operation.request.starts_with("GET") ? "200" : "403 Origen no permitido",
               ask(super_admin, operation.request, operation.body), operation.request);
}

TEST(extras, show_a_session_without_its_token) {
    expect(R"({"success":true,"data":[{"id":"one","createdAt":"2026-01-01T00:00:00.000Z",)"
           R"("updatedAt":null,"expiresAt":"2999-01-01T00:00:00.000Z","ipAddress":"192.0.2.1",)"
           R"("userAgent":null}]})",
           send(super_admin, "GET /another/sessions").body);
    expect(R"({"success":true,"data":[]})", send(super_admin, "GET /root/sessions").body);
    settings.max_limit = 7;
    send(super_admin, "GET /root/sessions");
    expect("find root, list_active_sessions root at most 7", calls.text());
}

TEST(extras, end_only_a_session_of_that_user) {
    expect(session_not_found, ask(super_admin, "DELETE /another/sessions/two"));
    expect(session_not_found, ask(super_admin, "DELETE /another/sessions/unknown"));
    expect(session_not_found, ask(super_admin, "DELETE /another/sessions/%FF"));
    expect("", calls.text());
    expect(R"({"success":true,"message":"Sesión cerrada correctamente"})",
           send(super_admin, "DELETE /another/%73essions/%6Fne").body);
    expect(session_not_found, ask(super_admin, "DELETE /another/sessions/one"));
    expect(R"({"success":true,"message":"Sesiones cerradas correctamente"})",
           send(super_admin, "DELETE /boss/sessions").body);
    CHECK(store.all_sessions.empty());
    expect("200", ask(super_admin, "DELETE /boss/sessions"));
}

TEST(extras, show_the_fields_of_each_kind_of_sign_in_method) {
    store.methods = {
        method(model::MethodKind::account, "a"), method(model::MethodKind::second_factor, {}),
        method(model::MethodKind::passkey, "p"), method(model::MethodKind::api_key, "k")};
    store.methods[0].provider_id = "credential";
    store.methods[0].created_at = text::parse_timestamp("2026-01-01T00:00:00.000Z");
    store.methods[2].name = "Phone \"1\"";
    store.methods[3].start = "abc";
    store.methods[3].expires_at = text::parse_timestamp("2999-01-01T00:00:00.000Z");
    expect(R"({"success":true,"data":[)"
           R"({"kind":"account","id":"a","provider":"credential","name":null,"start":null,)"
           R"("enabled":null,"createdAt":"2026-01-01T00:00:00.000Z","expiresAt":null},)"
           R"({"kind":"second-factor","id":null,"provider":null,"name":null,"start":null,)"
           R"("enabled":null,"createdAt":null,"expiresAt":null},)"
           R"({"kind":"passkey","id":"p","provider":null,"name":"Phone \"1\"","start":null,)"
           R"("enabled":null,"createdAt":null,"expiresAt":null},)"
           R"({"kind":"api-key","id":"k","provider":null,"name":null,"start":"abc",)"
           R"("enabled":true,"createdAt":null,"expiresAt":"2999-01-01T00:00:00.000Z"}]})",
           send(super_admin, "GET /another/sign-in-methods").body);
    store.methods = {store.methods[3]};
    store.methods[0].enabled = "f";
    STRCMP_CONTAINS(R"("enabled":false)",
                    send(super_admin, "GET /another/sign-in-methods").body.c_str());
    store.methods.clear();
    settings.max_limit = 7;
    expect(R"({"success":true,"data":[]})", send(super_admin, "GET /another/sign-in-methods").body);
    expect("list_sign_in_methods another at most 7", calls.text());
}

TEST(extras, remove_only_a_sign_in_method_of_that_kind) {
    expect(method_not_found, ask(super_admin, "DELETE /another/sign-in-methods/account/one"));
    expect(method_not_found, ask(super_admin, "DELETE /another/sign-in-methods/passkey/two"));
    expect(method_not_found, ask(super_admin, "DELETE /another/sign-in-methods/passkey/%FF"));
    expect("", calls.text());
    expect(R"({"success":true,"message":"Método de acceso quitado correctamente"})",
           send(super_admin, "DELETE /another/sign-in-methods/passkey/%6Fne").body);
    CHECK(store.methods.empty());
}

TEST(extras, accept_passwords_of_the_lengths_that_better_auth_accepts) {
    const auto response_to = [&](const std::string& password) {
        return ask(super_admin, "PUT /another/password", R"({"password":")" + password + "\"}");
    };
    constexpr std::string_view too_short = "400 La contraseña es demasiado corta";
    constexpr std::string_view too_long = "400 La contraseña es demasiado larga";
    expect(too_short, response_to("1234567"));
    expect("200", response_to("12345678"));
    expect("200", response_to(std::string(128, 'x')));
    expect(too_long, response_to(std::string(129, 'x')));
    // The length counts UTF-16 code units: a letter has one, most emoji have two.
    expect(too_short, response_to("\u00f1\u00f1\u00f1\u00f1\u00f1\u00f1\u00f1"));
    expect("200", response_to("\U0001F600\U0001F600\U0001F600\U0001F600"));
    expect(R"({"success":true,"message":"Contraseña cambiada correctamente"})",
           send(super_admin, "PUT /another/password", right_password).body);
    expect("s3cr3t word", hasher.password);
}

TEST(extras, reject_a_missing_or_invalid_password) {
    for (const char* text : {"{}", R"({"password":""})", R"({"password":null})",
                             R"({"password":12345678})", R"({"Password":"s3cr3t word"})"}) {
        expect("400 Faltan campos requeridos", ask(super_admin, "PUT /unknown/password", text),
               text);
        expect("body", calls.text(), text);
    }
    for (const char* text : {"{", "[]", "\"s3cr3t word\"", R"({"password":"\u0000s3cr3t word"})"})
        expect(bad_request, ask(super_admin, "PUT /unknown/password", text), text);
}

TEST(extras, hash_a_password_after_all_other_checks) {
    expect(not_found, ask(super_admin, "PUT /unknown/password", right_password));
    expect("body, find unknown", calls.text());
    hasher.failure = password::HashFailure::busy;
    const http::Response busy = send(super_admin, "PUT /another/password", right_password);
    expect(unavailable, summary_of(busy));
    expect("1", header_of(busy, "Retry-After"));
    expect("body, find another, hash", calls.text());
    hasher.failure = password::HashFailure::failed;
    expect("500 Error al cambiar la contraseña",
           ask(super_admin, "PUT /another/password", right_password));
}

TEST(extras, give_a_new_account_the_configured_id) {
    ask(super_admin, "PUT /another/password", right_password);
    expect("another@example.org", store.account_id);
    settings.account_id_is_user_id = true;
    ask(super_admin, "PUT /another/password", right_password);
    expect("another", store.account_id);
}

TEST(extras, ban_with_or_without_a_reason_and_an_expiry) {
    expect("null until null", ban_with("{}"));
    expect("null until null", ban_with(R"({"reason":null,"expires":null})"));
    expect("null until null", ban_with(R"({"reason":"","expires":""})"));
    expect("spam until null", ban_with(R"({"reason":"spam"})"));
    expect("null until 2999-01-01T10:30:00.000Z",
           ban_with(R"({"expires":"2999-01-01T10:30:00Z"})"));
    expect("x until 2998-12-31T22:00:00.000Z",
           ban_with(R"({"reason":"x","expires":"2999-01-01T00:00:00.000+02:00"})"));
    expect("null until 2999-01-01T00:00:00.000Z", ban_with(R"({"expires":"2999-01-01"})"));
    body.body.text = {};
    expect("200", ask(super_admin, "PUT /another/ban"));
    CHECK(store.updated_at() > text::Timestamp());
}

TEST(extras, reject_a_ban_of_other_types_or_in_the_past) {
    for (const char* text :
         {"{", "[]", "null", R"({"reason":5})", R"({"reason":false})", R"({"expires":true})",
          R"({"expires":32472144000000})", R"({"expires":"32472144000000"})",
          R"({"expires":"tomorrow"})", R"({"expires":"infinity"})",
          R"({"expires":"12999-01-01T00:00:00Z"})", R"({"expires":"2999-13-01"})"}) {
        expect(bad_request, ban_with(text), text);
        expect("body", calls.text(), text);
    }
    for (const char* text : {R"({"expires":"2020-01-01"})", R"({"expires":"0001-01-03"})"})
        expect("400 El baneo debe terminar en el futuro", ban_with(text), text);
}

TEST(extras, ban_anyone_but_the_caller) {
    expect("400 No puedes banear tu propio usuario", ask(super_admin, "PUT /me/ban", "{}"));
    expect("body", calls.text());
    expect("200", ask(super_admin, "DELETE /me/ban"));
}

TEST(extras, end_the_sessions_of_a_banned_user_if_configured) {
    settings.ends_sessions = true;
    expect("200", ask(super_admin, "PUT /another/ban", "{}"));
    expect("body, update another ending sessions", calls.text());
    expect("200", ask(super_admin, "DELETE /another/ban"));
    expect("update another", calls.text());
}

TEST(extras, keep_the_last_super_admin_if_guarded) {
    ask(super_admin, "PUT /another/ban", "{}");
    CHECK(store.guard->kind == store::UpdateGuard::Kind::none);
    settings.guards.last_super_admin = true;
    ask(super_admin, "PUT /another/ban", "{}");
    CHECK(store.guard->kind == store::UpdateGuard::Kind::keeps_last_of_role);
    expect("superAdmin", store.guard->role);
    store.failures = {{"update", store::Failure::last_of_role}};
    expect("409 Debe quedar al menos un superAdmin", ask(super_admin, "PUT /another/ban", "{}"));
    store.failures.clear();
    ask(super_admin, "DELETE /another/ban");
    CHECK(store.guard->kind == store::UpdateGuard::Kind::none);
}

TEST(extras, lift_a_ban_completely) {
    ask(super_admin, "PUT /another/ban", R"({"reason":"x"})");
    expect("200", ask(super_admin, "DELETE /another/ban"));
    expect("false", new_value_of(*store.changes, "banned"));
    expect("null", new_value_of(*store.changes, "banReason"));
    expect("null", new_value_of(*store.changes, "banExpires"));
}

TEST(extras, change_only_the_row_version_that_if_match_names) {
    for (const char* request :
         {"PUT /another/ban", "DELETE /another/ban", "DELETE /another/second-factor",
          "DELETE /another/sign-in-methods/passkey/one"}) {
        headers.fields["If-Match"] = "\"1-2.3\"";
        const http::Response right = send(super_admin, request, "{}");
        expect("200", summary_of(right), request);
        headers.fields["If-Match"] = "\"other\"";
        expect("412 El usuario ha cambiado", ask(super_admin, request, "{}"), request);
        std::string unknown = request;
        unknown.replace(unknown.find("another"), 7, "unknown");
        expect(not_found, ask(super_admin, unknown, "{}"), request);
    }
}

TEST(extras, end_sessions_only_with_a_matching_if_match) {
    headers.fields["If-Match"] = "\"other\"";
    expect("412 El usuario ha cambiado", ask(super_admin, "DELETE /another/sessions"));
    expect("412 El usuario ha cambiado", ask(super_admin, "DELETE /another/sessions/one"));
    expect("200", ask(super_admin, "GET /another/sessions"));
    CHECK_EQUAL(1U, std::count_if(store.all_sessions.begin(), store.all_sessions.end(),
                                  [](const auto& each) { return each.user_id == "another"; }));
    headers.fields["If-Match"] = "\"1-2.3\"";
    expect("200", ask(super_admin, "DELETE /another/sessions/one"));
    expect("200", ask(super_admin, "DELETE /another/sessions"));
}

TEST(extras, return_the_new_row_version_after_a_ban_or_unban) {
    for (const char* request : {"PUT /another/ban", "DELETE /another/ban"})
        expect("\"1-2.3\"", header_of(send(super_admin, request, "{}"), "ETag"), request);
}

TEST(extras, confirm_that_a_second_factor_is_removed) {
    expect(R"({"success":true,"message":"Segundo factor quitado correctamente"})",
           send(super_admin, "DELETE /another/second-factor").body);
}

TEST(extras, return_404_for_a_user_without_a_second_factor) {
    store.failures = {{"remove_second_factor", store::Failure::no_second_factor}};
    expect("404 El usuario no tiene segundo factor",
           ask(super_admin, "DELETE /another/second-factor"));
}

TEST(extras, set_a_password_only_with_a_matching_if_match) {
    headers.fields["If-Match"] = "\"1-2.3\"";
    expect("200", ask(super_admin, "PUT /another/password", right_password));
    expect("body, find another, hash, set_password another $fake$hash ending sessions of 1-2.3",
           calls.text());
    // The version is checked before the password is hashed.
    headers.fields["If-Match"] = "\"other\"";
    expect("412 El usuario ha cambiado", ask(super_admin, "PUT /another/password", right_password));
    expect("body, find another", calls.text());
    expect(not_found, ask(super_admin, "PUT /unknown/password", right_password));
    expect("400 Faltan campos requeridos", ask(super_admin, "PUT /another/password", "{}"));
    headers.fields["If-Match"] = "*";
    expect("200", ask(super_admin, "PUT /another/password", right_password));
    // The row changed while the password was hashed.
    headers.fields["If-Match"] = "\"1-2.3\"";
    store.failures["set_password"] = store::Failure::version_mismatch;
    expect("412 El usuario ha cambiado", ask(super_admin, "PUT /another/password", right_password));
}

TEST(extras, list_and_get_users_with_their_last_activity) {
    store.seen["another"] = *text::parse_timestamp("2026-11-27T16:00:00.5Z");
    for (const char* const path : {"GET ", "GET /another"})
        STRCMP_CONTAINS(R"("banExpires":null,"lastSeenAt":"2026-11-27T16:00:00.500Z"})",
                        send(super_admin, path).body.c_str());
    expect("find another, read_last_activity 1", calls.text());
    STRCMP_CONTAINS(R"("banExpires":null,"lastSeenAt":null})", send(user, "GET /me").body.c_str());
    store.failures = {{"read_last_activity", store::Failure::failed}};
    expect("500 Error al obtener usuarios", ask(super_admin, "GET "));
    expect("500 Error al obtener usuario", ask(super_admin, "GET /another"));
    expect("404 Usuario no encontrado", ask(super_admin, "GET /unknown"));
    settings.has_extras = false;
    POINTERS_EQUAL(nullptr, std::strstr(send(super_admin, "GET ").body.c_str(), "lastSeenAt"));
}

TEST(extras, filter_and_sort_users_by_their_last_activity) {
    for (const auto& [query, wanted] :
         {std::pair{"sort=lastSeen", "21 from 0 by lastSeen descending"},
          {"sort=lastSeen&order=asc", "21 from 0 by lastSeen"},
          {"lastSeenAfter=2026-01-01", "seen-from=2026-01-01T00:00:00.001Z 21 from 0"},
          {"lastSeenBefore=2026-01-01", "seen-until=2026-01-01T00:00:00.000Z 21 from 0"},
          {"lastSeenAfter=2026-01-01&lastSeenBefore=2026-01-02&match=all",
           "seen-from=2026-01-01T00:00:00.001Z seen-until=2026-01-02T00:00:00.000Z all 21 from 0"},
          {"lastSeenAfter=yesterday&lastSeenBefore=", "21 from 0"}}) {
        expect("200", ask(super_admin, "GET ?" + std::string(query)), query);
        const std::string call = "list role=- search=- " + std::string(wanted) + ", read";
        STRCMP_CONTAINS_TEXT(call.c_str(), calls.text().c_str(), query);
    }
}

} // namespace useradmin::test
