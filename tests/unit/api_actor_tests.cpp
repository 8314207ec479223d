// The store checks the caller's row again when it makes a change.
#include "fake_store.hpp"

#include <string_view>

namespace useradmin::test {

namespace {

struct Change {
    std::string_view request;
    std::string_view body;
    std::string_view call;
    std::string_view forbidden;
};

constexpr Change changes[] = {
    {"POST /", R"({"name":"N","email":"n@x","password":"s3cr3t word","role":"user"})", "create",
     "403 No tienes permisos para crear usuarios"},
    {"PUT /another", R"({"name":"N"})", "update", "403 No tienes permisos para editar usuarios"},
    {"DELETE /another", "", "remove", "403 No tienes permisos para eliminar usuarios"},
    {"DELETE /another/sessions", "", "delete_sessions_of_user",
     "403 No tienes permisos para gestionar sesiones"},
    {"DELETE /another/sessions/one", "", "delete_session_of_user",
     "403 No tienes permisos para gestionar sesiones"},
    {"PUT /another/password", R"({"password":"s3cr3t word"})", "set_password",
     "403 No tienes permisos para cambiar contraseñas"},
    {"PUT /another/ban", "{}", "update", "403 No tienes permisos para banear usuarios"},
    {"DELETE /another/ban", "", "update", "403 No tienes permisos para banear usuarios"},
    {"DELETE /another/second-factor", "", "remove_second_factor",
     "403 No tienes permisos para quitar el segundo factor"},
    {"DELETE /another/sign-in-methods/passkey/one", "", "remove_sign_in_method",
     "403 No tienes permisos para gestionar métodos de acceso"},
};

} // namespace

class ApiActor : public ApiScene {
  protected:
    void setup() override {
        ApiScene::setup();
        settings.has_extras = true;
    }
};

TEST_GROUP_BASE(api_actor, ApiActor){};

TEST(api_actor, is_the_caller_with_its_role) {
    for (const Change& change : changes) {
        start_over();
        store.actor.reset();
        ask(super_admin, change.request, change.body);
        CHECK_FALSE(store.actor.has_value());
        start_over();
        ask(api::Caller{"me", "superAdmin", true}, change.request, change.body);
        CHECK_TRUE(store.actor.has_value());
        expect("me", store.actor->id, change.request);
        CHECK_EQUAL(1U, store.actor->roles.size());
        expect("superAdmin", store.actor->roles.front());
    }
    start_over();
    ask(api::Caller{"me", "admin", true}, "PUT /another", R"({"name":"N"})");
    CHECK_EQUAL(2U, store.actor->roles.size());
}

TEST(api_actor, rejected_by_the_store_gets_401_or_403) {
    const Caller caller = api::Caller{"me", "superAdmin", true};
    for (const Change& change : changes) {
        start_over();
        store.failures = {{change.call, store::Failure::caller_rejected}};
        expect("401 No autorizado", ask(caller, change.request, change.body), change.request);
        store.failures = {{change.call, store::Failure::caller_demoted}};
        expect(change.forbidden, ask(caller, change.request, change.body), change.request);
        store.failures.clear();
    }
}

} // namespace useradmin::test
