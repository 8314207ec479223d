// Paths, methods and error responses (specification, sections 4 and 7).
#include "fake_store.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace useradmin::test {

namespace {

constexpr std::string_view collection_methods = "GET, HEAD, POST, OPTIONS";
constexpr std::string_view user_methods = "GET, HEAD, PUT, DELETE, OPTIONS";
constexpr std::string_view new_user =
    R"({"name":"Eva","email":"eva@example.org","password":"clave","role":"user"})";

std::string request_to(std::string_view method, std::string_view path) {
    return std::string(method) + " " + std::string(path);
}

} // namespace

TEST_GROUP_BASE(paths_and_methods, ApiScene){};

TEST(paths_and_methods, options_are_answered_without_a_session_and_without_a_body) {
    for (const auto& [request, methods] :
         {std::pair("OPTIONS ", collection_methods), std::pair("OPTIONS /", collection_methods),
          std::pair("OPTIONS /another", user_methods)}) {
        for (const Caller& caller : {nobody, super_admin}) {
            const auto response = send(caller, request);
            CHECK_EQUAL(204, response.status);
            expect("", response.body, request);
            expect(methods, header_of(response, "Allow"), request);
            expect("", calls.text(), request);
        }
    }
}

TEST(paths_and_methods, another_method_on_the_collection_is_not_allowed) {
    for (const auto method : {"PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "get", "Post", ""})
        for (const auto path : {"", "/"}) {
            const auto response = send(nobody, request_to(method, path));
            expect(wrong_method, summary_of(response), method);
            expect(collection_methods, header_of(response, "Allow"), method);
            expect("", calls.text(), method);
        }
}

TEST(paths_and_methods, another_method_on_a_user_is_not_allowed) {
    for (const auto method : {"POST", "PATCH", "TRACE", "PROPFIND", "put", "Delete", ""}) {
        const auto response = send(nobody, request_to(method, "/another"));
        expect(wrong_method, summary_of(response), method);
        expect(user_methods, header_of(response, "Allow"), method);
        expect("", calls.text(), method);
    }
}

TEST(paths_and_methods, only_OPTIONS_and_405_responses_have_Allow) {
    for (const auto request : {"GET ", "GET /another", "GET /unknown", "DELETE /boss", "GET /a/b"})
        for (const Caller& caller : {nobody, super_admin})
            expect("", header_of(send(caller, request), "Allow"), request);
}

TEST(paths_and_methods, head_is_allowed_where_get_is) {
    for (const auto path : {"", "/", "/another", "/unknown", "?search=%FF", "?page=2&limit=5"})
        for (const Caller& caller : {nobody, user, admin, super_admin}) {
            const auto got = send(caller, request_to("GET", path));
            const std::string called = calls.text();
            const auto headed = send(caller, request_to("HEAD", path));
            CHECK_EQUAL(got.status, headed.status);
            expect(got.body, headed.body, path);
            expect(called, calls.text(), path);
        }
}

TEST(paths_and_methods, a_trailing_slash_is_the_collection) {
    expect("200", ask(admin, "GET /?page=2"));
    expect("list role=user search=- 21 from 20", calls.text());
    expect("200", ask(admin, "POST /", new_user));
    expect("body, find_by_email eva@example.org, hash, create", calls.text());
}

TEST(paths_and_methods, a_longer_path_is_not_found) {
    for (const auto path : {"/another/", "/another/name", "//", "//another", "/me/", "/a/b/c"})
        for (const auto method : {"GET", "PUT", "DELETE", "POST"}) {
            const std::string request = request_to(method, path);
            expect("404 Usuario no encontrado", ask(user, request), request);
            expect("404 Usuario no encontrado", ask(super_admin, request), request);
            expect("", calls.text(), request);
        }
}

TEST(paths_and_methods, a_longer_path_returns_401_without_a_session) {
    expect("401 No autorizado", ask(nobody, "GET /another/name"));
    expect("401 No autorizado", ask(nobody, "GET //"));
}

TEST(paths_and_methods, an_encoded_slash_is_part_of_the_id) {
    expect("404 Usuario no encontrado", ask(admin, "GET /another%2Fname"));
    expect("find another/name", calls.text());
}

namespace {

class Failures : public ApiScene {
  protected:
    /// Returns the response to a request if this call fails.
    std::string ask_failing(std::string_view call, store::Failure failure, std::string_view request,
                            std::string_view text) {
        start_over();
        store.failures = {{call, failure}};
        return ask(super_admin, request, text);
    }

    /// Returns the response to an admin's request whose body was not read completely.
    std::string ask_without_body(std::string_view request, int error_status) {
        body.body = {{}, error_status};
        return ask(admin, request);
    }
};

} // namespace

TEST_GROUP_BASE(failures, Failures){};

TEST(failures, database_failures_have_the_operations_text) {
    struct Case {
        std::string_view call;
        std::string_view request;
        std::string_view body;
        std::string_view answer;
    };
    const Case cases[] = {
        {"list", "GET ", "", "500 Error al obtener usuarios"},
        {"find", "GET /another", "", "500 Error al obtener usuario"},
        {"find_by_email", "POST ", new_user, "500 Error al crear usuario"},
        {"create", "POST ", new_user, "500 Error al crear usuario"},
        {"update", "PUT /another", "{}", "500 Error al actualizar usuario"},
        {"find", "PUT /another", "{", "500 Error al actualizar usuario"},
        {"remove", "DELETE /another", "", "500 Error al eliminar usuario"},
    };
    for (const auto& [call, request, text, answer] : cases) {
        expect(answer, ask_failing(call, store::Failure::failed, request, text), request);
        expect(unavailable, ask_failing(call, store::Failure::unavailable, request, text), request);
    }
}

TEST(failures, httpd_failures_on_unknown_paths_have_the_get_user_text) {
    for (const char* path : {"//", "/another/unknown"}) {
        expect("500 Error al actualizar usuario",
               summary_of(api::error_response(500, "PUT", path, headers, settings)), path);
        expect("500 Error al obtener usuario",
               summary_of(api::error_response(500, "PATCH", path, headers, settings)), path);
    }
    expect("500 Error al obtener usuarios",
           summary_of(api::error_response(500, "PATCH", "/", headers, settings)));
    // Without UserAdminMailCommand, this path is unknown.
    settings.has_extras = true;
    expect(
        "500 Error al obtener usuario",
        summary_of(api::error_response(500, "POST", "/another/password-link", headers, settings)));
}

TEST(failures, temporary_failures_have_Retry_After) {
    store.failures["list"] = store::Failure::unavailable;
    expect("1", header_of(send(super_admin, "GET "), "Retry-After"));
    expect("1", header_of(api::error_response(503, "GET", "", headers, settings), "Retry-After"));
    store.failures["list"] = store::Failure::failed;
    expect("", header_of(send(super_admin, "GET "), "Retry-After"));
}

TEST(failures, that_redirect_do_not_report_success) {
    expect(R"({"success":false,"error":"Petición incorrecta"})",
           api::error_response(302, "PUT", "/another", headers, settings).body);
}

TEST(failures, to_identify_the_caller_have_WWW_Authenticate) {
    expect("Bearer", header_of(send({}, "GET "), "WWW-Authenticate"));
    expect("Bearer", header_of(send({}, "GET /a/b"), "WWW-Authenticate"));
    expect("", header_of(send(super_admin, "GET /a/b"), "WWW-Authenticate"));
}

TEST(failures, to_find_the_user_are_reported_before_a_rejected_update) {
    store.failures["find"] = store::Failure::unavailable;
    expect(unavailable, ask(admin, "PUT /another", R"({"role":"admin"})"));
    store.failures["find"] = store::Failure::failed;
    expect("500 Error al actualizar usuario", ask(admin, "PUT /another", R"({"role":"admin"})"));
}

TEST(failures, to_read_the_body_are_reported_without_a_query) {
    for (const auto request : {"POST ", "PUT /another"}) {
        expect("413 El cuerpo de la petición es demasiado grande", ask_without_body(request, 413),
               request);
        expect("400 Petición incorrecta", ask_without_body(request, 400), request);
        expect("408 Tiempo de espera agotado", ask_without_body(request, 408), request);
        expect("body", calls.text(), request);
    }
}

TEST_GROUP_BASE(httpd_errors, ApiScene){};

TEST(httpd_errors, have_an_envelope_for_every_status) {
    struct Case {
        int status;
        std::string_view text;
    };
    const Case cases[] = {
        {400, "Petición incorrecta"},
        {401, "No autorizado"},
        {403, "No tienes permisos"},
        {404, "Usuario no encontrado"},
        {405, "Método no permitido"},
        {408, "Tiempo de espera agotado"},
        {413, "El cuerpo de la petición es demasiado grande"},
        {414, "Petición incorrecta"},
        {429, "Demasiadas peticiones"},
        {431, "Petición incorrecta"},
        {503, "Servicio no disponible temporalmente"},
    };
    for (const auto& [status, text] : cases)
        expect(std::to_string(status) + " " + std::string(text),
               summary_of(api::error_response(status, "GET", "", headers, settings)));
}

TEST(httpd_errors, with_other_statuses_have_the_text_of_the_operation) {
    struct Case {
        std::string_view method;
        std::string_view path;
        std::string_view text;
    };
    const Case cases[] = {
        {"GET", "", "Error al obtener usuarios"},
        {"GET", "/", "Error al obtener usuarios"},
        {"HEAD", "", "Error al obtener usuarios"},
        {"GET", "/another", "Error al obtener usuario"},
        {"HEAD", "/another", "Error al obtener usuario"},
        {"POST", "", "Error al crear usuario"},
        {"PUT", "/another", "Error al actualizar usuario"},
        {"DELETE", "/another", "Error al eliminar usuario"},
    };
    for (const auto& [method, path, text] : cases)
        for (const int status : {500, 502})
            expect(std::to_string(status) + " " + std::string(text),
                   summary_of(api::error_response(status, method, path, headers, settings)),
                   method);
}

} // namespace useradmin::test
