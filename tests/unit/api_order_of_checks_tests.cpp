// The order of the checks (specification, section 4). A request that fails two adjacent checks gets
// the response of the first one, and the service calls nothing after it.
#include "fake_store.hpp"

#include <string>
#include <string_view>

namespace useradmin::test {

namespace {

constexpr std::string_view unauthorized = "401 No autorizado";
constexpr std::string_view not_allowed = "405 Método no permitido";
constexpr std::string_view busy = "503 Servicio no disponible temporalmente";
constexpr std::string_view unknown_user = "404 Usuario no encontrado";
constexpr std::string_view list_refused = "403 No tienes permisos para ver usuarios";
constexpr std::string_view get_refused = "403 No tienes permisos";
constexpr std::string_view create_refused = "403 No tienes permisos para crear usuarios";
constexpr std::string_view update_refused = "403 No tienes permisos para editar usuarios";
constexpr std::string_view role_or_ban_refused =
    "403 No tienes permisos para cambiar roles o banear usuarios";
constexpr std::string_view delete_refused = "403 No tienes permisos para eliminar usuarios";
constexpr std::string_view fields_absent = "400 Faltan campos requeridos";

// No operation can parse this body.
constexpr std::string_view unreadable = "{";
constexpr std::string_view complete_body =
    R"({"name":"Eva","email":"eva@example.org","password":"x"})";
constexpr std::string_view taken_email =
    R"({"name":"Eva","email":"another@example.org","password":"x"})";

struct Case {
    std::string_view sentence;
    const Caller& caller;
    std::string_view request;
    std::string_view body;
    std::string_view answer;
    std::string_view calls;
};

class OrderOfChecks : public ApiScene {
  protected:
    /// Makes all calls to the store and the hasher fail.
    void fail_all_calls() {
        for (const auto call : {"list", "find", "find_by_email", "create", "update", "remove"})
            store.failures[call] = store::Failure::unavailable;
        hasher.failure = password::HashFailure::busy;
    }

    void expect_case(const Case& each, SourceLocation where = {}) {
        expect(each.answer, ask(each.caller, each.request, each.body), each.sentence, where);
        expect(each.calls, calls.text(), each.sentence, where);
    }
};

} // namespace

TEST_GROUP_BASE(order_of_checks, OrderOfChecks){};

TEST(order_of_checks, the_first_failing_check_decides_the_response) {
    fail_all_calls();
    for (const Case& each : {
             Case{"method before session", nobody, "DELETE ", "", not_allowed, ""},
             Case{"method before session", nobody, "POST /another", "", not_allowed, ""},
             Case{"list: session first", nobody, "GET /?search=%FF", "", unauthorized, ""},
             Case{"list: role before parameters", user, "GET /?search=%FF", "", list_refused, ""},
             Case{"list: parameters before database", super_admin, "GET /?search=%FF", "",
                  "500 Error al obtener usuarios", ""},
             Case{"create: session first", nobody, "POST ", unreadable, unauthorized, ""},
             Case{"create: role before body", user, "POST ", unreadable, create_refused, ""},
             Case{"create: role before required fields", user, "POST ", "{}", create_refused, ""},
             Case{"create: required fields before the new role", admin, "POST ",
                  R"({"name":"Eva","email":"another@example.org","role":"admin"})", fields_absent,
                  "body"},
             Case{"create: required fields before the role's type", super_admin, "POST ",
                  R"({"name":"Eva","email":"another@example.org","role":5})", fields_absent,
                  "body"},
             Case{"create: the new role before the email", admin, "POST ",
                  R"({"name":"Eva","email":"another@example.org","password":"x","role":"admin"})",
                  "403 Solo puedes crear usuarios con rol 'user'", "body"},
             Case{"create: the role's type before the email", super_admin, "POST ",
                  R"({"name":"Eva","email":"another@example.org","password":"x","role":5})",
                  "500 Error al crear usuario", "body"},
             Case{"create: email before hash", super_admin, "POST ", complete_body, busy,
                  "body, find_by_email eva@example.org"},
             Case{"get: session first", nobody, "GET /unknown", "", unauthorized, ""},
             Case{"get: caller before user", user, "GET /unknown", "", get_refused, ""},
             Case{"get: caller before id", user, "GET /%FF", "", get_refused, ""},
             Case{"update: session first", nobody, "PUT /unknown", unreadable, unauthorized, ""},
             Case{"update: role before user and body", user, "PUT /unknown", unreadable,
                  update_refused, ""},
             Case{"delete: session first", nobody, "DELETE /unknown", "", unauthorized, ""},
             Case{"delete: role before the own id", user, "DELETE /me", "", delete_refused, ""},
             Case{"delete: role before the own id", admin, "DELETE /me", "", delete_refused, ""},
             Case{"delete: own id before user", super_admin, "DELETE /me", "",
                  "400 No puedes eliminar tu propio usuario", ""},
         })
        expect_case(each);
}

TEST(order_of_checks, each_operation_makes_as_few_queries_as_possible) {
    for (const Case& each : {
             Case{"list", admin, "GET ", "", "200", "list role=user search=- 21 from 0"},
             Case{"get", admin, "GET /unknown", "", unknown_user, "find unknown"},
             Case{"update", admin, "PUT /another", R"({"name":"Eva"})", "200",
                  "body, update another"},
             Case{"update: user before forbidden fields", admin, "PUT /unknown",
                  R"({"role":"admin"})", unknown_user, "body, find unknown"},
             Case{"update: user before forbidden fields", admin, "PUT /unknown",
                  R"({"banned":false})", unknown_user, "body, find unknown"},
             Case{"update: user before body", super_admin, "PUT /unknown", unreadable, unknown_user,
                  "body, find unknown"},
             Case{"update: user before types", super_admin, "PUT /unknown", R"({"name":5})",
                  unknown_user, "body, find unknown"},
             Case{"update: refused", admin, "PUT /another", R"({"name":"Eva","role":"admin"})",
                  role_or_ban_refused, "body, find another"},
             Case{"delete: the last two checks are the deletion's", super_admin, "DELETE /root", "",
                  "403 No se puede eliminar el usuario administrador principal",
                  "remove root unless root@example.org"},
         })
        expect_case(each);
}

TEST(order_of_checks, create_looks_up_the_email_before_it_hashes) {
    hasher.failure = password::HashFailure::busy;
    expect_case({"email before hash", super_admin, "POST ", taken_email,
                 "400 El email ya está registrado", "body, find_by_email another@example.org"});
}

TEST(order_of_checks, create_hashes_before_it_inserts) {
    store.failures["create"] = store::Failure::failed;
    hasher.failure = password::HashFailure::busy;
    expect_case({"hash before insert", super_admin, "POST ", complete_body, busy,
                 "body, find_by_email eva@example.org, hash"});
}

TEST(order_of_checks, create_makes_no_query_while_it_hashes) {
    std::string before;
    hasher.meanwhile = [&] { before = calls.text(); };
    expect_case({"while it hashes", super_admin, "POST ", complete_body, "200",
                 "body, find_by_email eva@example.org, hash, create"});
    expect("body, find_by_email eva@example.org, hash", before);
}

} // namespace useradmin::test
