// Permissions of each role (specification, section 5).
#include "fake_store.hpp"

#include <string>
#include <string_view>

namespace useradmin::test {

namespace {

constexpr std::string_view done = "200";
constexpr std::string_view no_list = "403 No tienes permisos para ver usuarios";
constexpr std::string_view no_get = "403 No tienes permisos";
constexpr std::string_view no_create = "403 No tienes permisos para crear usuarios";
constexpr std::string_view no_create_role = "403 Solo puedes crear usuarios con rol 'user'";
constexpr std::string_view no_update = "403 No tienes permisos para editar usuarios";
constexpr std::string_view no_role_or_ban =
    "403 No tienes permisos para cambiar roles o banear usuarios";
constexpr std::string_view no_delete = "403 No tienes permisos para eliminar usuarios";
constexpr std::string_view no_delete_self = "400 No puedes eliminar tu propio usuario";
constexpr std::string_view no_delete_root =
    "403 No se puede eliminar el usuario administrador principal";

#define NEW_USER R"("name":"Eva","email":"eva@example.org","password":"clave")"

/// A request and the response that each role gets.
struct Rule {
    std::string_view request;
    std::string_view body;
    std::string_view user;
    std::string_view admin;
    std::string_view super_admin;
};

// "me" is the caller, "another" a user, "boss" an admin and "root" the protected administrator.
constexpr Rule matrix[] = {
    {"GET ", "", no_list, done, done},
    {"GET /me", "", done, done, done},
    {"GET /another", "", no_get, done, done},
    {"GET /boss", "", no_get, done, done},
    {"POST ", "{" NEW_USER R"(,"role":"user"})", no_create, done, done},
    {"POST ", "{" NEW_USER R"(,"role":"admin"})", no_create, no_create_role, done},
    {"POST ", "{" NEW_USER R"(,"role":"superAdmin"})", no_create, no_create_role, done},
    {"POST ", "{" NEW_USER R"(,"role":"owner"})", no_create, no_create_role, done},
    {"POST ", "{" NEW_USER "}", no_create, no_create_role, done},
    {"PUT /me", R"({"name":"Eva"})", no_update, done, done},
    {"PUT /me", R"({"email":"eva@example.org"})", no_update, done, done},
    {"PUT /me", R"({"role":"superAdmin"})", no_update, no_role_or_ban, done},
    {"PUT /me", R"({"banned":false})", no_update, no_role_or_ban, done},
    {"PUT /me", R"({"banReason":"spam"})", no_update, done, done},
    {"PUT /another", R"({"name":"Eva"})", no_update, done, done},
    {"PUT /another", R"({"email":"eva@example.org"})", no_update, done, done},
    {"PUT /another", R"({"role":"user"})", no_update, no_role_or_ban, done},
    {"PUT /another", R"({"banned":true})", no_update, no_role_or_ban, done},
    {"PUT /another", R"({"banReason":"spam"})", no_update, done, done},
    {"PUT /boss", R"({"name":"Eva"})", no_update, done, done},
    {"PUT /boss", R"({"email":"eva@example.org"})", no_update, done, done},
    {"PUT /boss", R"({"role":"user"})", no_update, no_role_or_ban, done},
    {"PUT /boss", R"({"banned":true})", no_update, no_role_or_ban, done},
    {"PUT /boss", R"({"banReason":"spam"})", no_update, done, done},
    {"PUT /root", R"({"name":"Eva"})", no_update, done, done},
    {"DELETE /me", "", no_delete, no_delete, no_delete_self},
    {"DELETE /another", "", no_delete, no_delete, done},
    {"DELETE /boss", "", no_delete, no_delete, done},
    {"DELETE /root", "", no_delete, no_delete, no_delete_root},
};

#undef NEW_USER

Caller with_role(std::string_view role) {
    return api::Caller{"me", role};
}

class Access : public ApiScene {
  protected:
    void expect_answer(std::string_view expected, const Caller& caller, const Rule& rule,
                       std::string_view called, SourceLocation where = {}) {
        start_over();
        const std::string question =
            std::string(called) + ": " + std::string(rule.request) + " " + std::string(rule.body);
        expect(expected, ask(caller, rule.request, rule.body), question, where);
    }
};

} // namespace

TEST_GROUP_BASE(access, Access){};

TEST(access, without_a_session_every_operation_is_unauthorized) {
    for (const Rule& rule : matrix)
        expect_answer("401 No autorizado", nobody, rule, "no session");
}

TEST(access, depends_on_the_role_as_the_specification_says) {
    for (const Rule& rule : matrix) {
        expect_answer(rule.user, with_role("user"), rule, "user");
        expect_answer(rule.admin, with_role("admin"), rule, "admin");
        expect_answer(rule.super_admin, with_role("superAdmin"), rule, "superAdmin");
    }
}

TEST(access, an_absent_or_unknown_role_is_treated_as_user) {
    for (const std::string_view role : {"", "Admin", "ADMIN", "superadmin", "SuperAdmin", "admin ",
                                        " admin", "superAdmins", "admin,user", "owner"})
        for (const Rule& rule : matrix)
            expect_answer(rule.user, with_role(role), rule, "\"" + std::string(role) + "\"");
}

} // namespace useradmin::test
