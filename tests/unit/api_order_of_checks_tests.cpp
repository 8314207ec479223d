// The order of the checks (specification, section 4): a request that two neighbouring checks would
// refuse gets the answer of the first, and nothing that is further down is called.
#include "fake_store.hpp"

#include <string>
#include <string_view>

namespace useradmin::test {

namespace {

constexpr std::string_view no_session = "401 No autorizado";

// A body that every operation refuses to read.
constexpr std::string_view unreadable = "{";

class OrderOfChecks : public ApiScene {
  protected:
    void expect_calls(std::string_view list, SourceLocation where = {}) {
        expect(list, calls.text(), "the calls", where);
    }

    void everything_fails() {
        for (const auto call : {"list", "find", "find_by_email", "create", "update", "remove"})
            store.failures[call] = store::Failure::unavailable;
        hasher.failure = password::HashFailure::busy;
    }
};

} // namespace

TEST_GROUP_BASE(order_of_checks, OrderOfChecks){};

TEST(order_of_checks, a_wrong_method_is_told_before_the_missing_session) {
    expect("405 Método no permitido", ask(nobody, "DELETE "));
    expect_calls("");
    expect("405 Método no permitido", ask(nobody, "POST /another"));
    expect_calls("");
}

TEST(order_of_checks, list_asks_for_the_session_first) {
    everything_fails();
    expect(no_session, ask(nobody, "GET /?search=%FF"));
    expect_calls("");
}

TEST(order_of_checks, list_looks_at_the_role_before_the_parameters) {
    everything_fails();
    expect("403 No tienes permisos para ver usuarios", ask(user, "GET /?search=%FF"));
    expect_calls("");
}

TEST(order_of_checks, list_looks_at_the_parameters_before_it_asks_the_database) {
    everything_fails();
    expect("500 Error al obtener usuarios", ask(super_admin, "GET /?search=%FF"));
    expect_calls("");
}

TEST(order_of_checks, list_asks_the_database_once) {
    expect("200", ask(admin, "GET "));
    expect_calls("list role=user search=- 20 from 0");
}

TEST(order_of_checks, create_asks_for_the_session_first) {
    everything_fails();
    expect(no_session, ask(nobody, "POST ", unreadable));
    expect_calls("");
}

TEST(order_of_checks, create_looks_at_the_role_before_it_reads_the_body) {
    everything_fails();
    expect("403 No tienes permisos para crear usuarios", ask(user, "POST ", unreadable));
    expect_calls("");
}

TEST(order_of_checks, create_looks_at_the_role_before_the_required_fields) {
    expect("403 No tienes permisos para crear usuarios", ask(user, "POST ", "{}"));
    expect_calls("");
}

TEST(order_of_checks, create_looks_at_the_required_fields_before_the_role_to_give) {
    everything_fails();
    expect("400 Faltan campos requeridos",
           ask(admin, "POST ", R"({"name":"Eva","email":"another@example.org","role":"admin"})"));
    expect_calls("body");
}

TEST(order_of_checks, create_looks_at_the_required_fields_before_the_type_of_the_role) {
    everything_fails();
    expect("400 Faltan campos requeridos",
           ask(super_admin, "POST ", R"({"name":"Eva","email":"another@example.org","role":5})"));
    expect_calls("body");
}

TEST(order_of_checks, create_looks_at_the_role_to_give_before_it_asks_for_the_email) {
    expect("403 Solo puedes crear usuarios con rol 'user'",
           ask(admin, "POST ",
               R"({"name":"Eva","email":"another@example.org","password":"x","role":"admin"})"));
    expect_calls("body");
}

TEST(order_of_checks, create_looks_at_the_type_of_the_role_before_it_asks_for_the_email) {
    expect("500 Error al crear usuario",
           ask(super_admin, "POST ",
               R"({"name":"Eva","email":"another@example.org","password":"x","role":5})"));
    expect_calls("body");
}

TEST(order_of_checks, create_asks_for_the_email_before_it_hashes) {
    hasher.failure = password::HashFailure::busy;
    expect("400 El email ya está registrado",
           ask(super_admin, "POST ",
               R"({"name":"Eva","email":"another@example.org","password":"x"})"));
    expect_calls("body, find_by_email another@example.org");
}

TEST(order_of_checks, create_does_not_hash_when_it_could_not_ask_for_the_email) {
    everything_fails();
    hasher.failure = password::HashFailure::failed;
    expect(unavailable,
           ask(super_admin, "POST ", R"({"name":"Eva","email":"eva@example.org","password":"x"})"));
    expect_calls("body, find_by_email eva@example.org");
}

TEST(order_of_checks, create_hashes_before_it_inserts) {
    store.failures["create"] = store::Failure::failed;
    hasher.failure = password::HashFailure::busy;
    expect(unavailable,
           ask(super_admin, "POST ", R"({"name":"Eva","email":"eva@example.org","password":"x"})"));
    expect_calls("body, find_by_email eva@example.org, hash");
}

TEST(order_of_checks, create_asks_the_database_nothing_while_it_hashes) {
    std::string before;
    hasher.meanwhile = [&] { before = calls.text(); };
    expect("200",
           ask(super_admin, "POST ", R"({"name":"Eva","email":"eva@example.org","password":"x"})"));
    expect_calls("body, find_by_email eva@example.org, hash, create");
    expect("body, find_by_email eva@example.org, hash", before);
}

TEST(order_of_checks, get_asks_for_the_session_first) {
    everything_fails();
    expect(no_session, ask(nobody, "GET /unknown"));
    expect_calls("");
}

TEST(order_of_checks, get_looks_at_the_caller_before_the_user) {
    expect("403 No tienes permisos", ask(user, "GET /unknown"));
    expect_calls("");
    expect("403 No tienes permisos", ask(user, "GET /%FF"));
    expect_calls("");
}

TEST(order_of_checks, get_asks_the_database_once) {
    expect("404 Usuario no encontrado", ask(admin, "GET /unknown"));
    expect_calls("find unknown");
}

TEST(order_of_checks, update_asks_for_the_session_first) {
    everything_fails();
    expect(no_session, ask(nobody, "PUT /unknown", unreadable));
    expect_calls("");
}

TEST(order_of_checks, update_looks_at_the_role_before_the_user_and_the_body) {
    everything_fails();
    expect("403 No tienes permisos para editar usuarios", ask(user, "PUT /unknown", unreadable));
    expect_calls("");
}

TEST(order_of_checks, update_looks_for_the_user_before_the_fields_that_an_admin_must_not_send) {
    expect("404 Usuario no encontrado", ask(admin, "PUT /unknown", R"({"role":"admin"})"));
    expect_calls("body, find unknown");
    expect("404 Usuario no encontrado", ask(admin, "PUT /unknown", R"({"banned":false})"));
    expect_calls("body, find unknown");
}

TEST(order_of_checks, update_looks_for_the_user_before_it_complains_of_the_body) {
    expect("404 Usuario no encontrado", ask(super_admin, "PUT /unknown", unreadable));
    expect_calls("body, find unknown");
    expect("404 Usuario no encontrado", ask(super_admin, "PUT /unknown", R"({"name":5})"));
    expect_calls("body, find unknown");
}

TEST(order_of_checks, update_that_an_admin_must_not_make_changes_nothing) {
    expect("403 No tienes permisos para cambiar roles o banear usuarios",
           ask(admin, "PUT /another", R"({"name":"Eva","role":"admin"})"));
    expect_calls("body, find another");
}

TEST(order_of_checks, update_that_all_checks_let_pass_is_one_call) {
    expect("200", ask(admin, "PUT /another", R"({"name":"Eva"})"));
    expect_calls("body, update another");
}

TEST(order_of_checks, delete_asks_for_the_session_first) {
    everything_fails();
    expect(no_session, ask(nobody, "DELETE /unknown"));
    expect_calls("");
}

TEST(order_of_checks, delete_looks_at_the_role_before_whom_it_deletes) {
    everything_fails();
    expect("403 No tienes permisos para eliminar usuarios", ask(user, "DELETE /me"));
    expect_calls("");
    expect("403 No tienes permisos para eliminar usuarios", ask(admin, "DELETE /me"));
    expect_calls("");
}

TEST(order_of_checks, delete_of_oneself_is_refused_before_the_user_is_looked_for) {
    everything_fails();
    store.users.clear();
    expect("400 No puedes eliminar tu propio usuario", ask(super_admin, "DELETE /me"));
    expect_calls("");
}

TEST(order_of_checks, delete_of_oneself_is_refused_before_the_protected_address) {
    settings.protected_email = "me@example.org";
    expect("400 No puedes eliminar tu propio usuario", ask(super_admin, "DELETE /me"));
    expect_calls("");
}

TEST(order_of_checks, delete_leaves_the_last_two_checks_to_the_deletion) {
    expect("403 No se puede eliminar el usuario administrador principal",
           ask(super_admin, "DELETE /root"));
    expect_calls("remove root unless root@example.org");
}

} // namespace useradmin::test
