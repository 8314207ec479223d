// Delete user (specification, section 4.4.1).
#include "fake_store.hpp"

namespace useradmin::test {

TEST_GROUP_BASE(delete_user, ApiScene){};

TEST(delete_user, callers_cannot_delete_themselves) {
    for (const auto request : {"DELETE /me", "DELETE /%6De"}) {
        expect("400 No puedes eliminar tu propio usuario", ask(super_admin, request), request);
        expect("", calls.text(), request);
    }
}

TEST(delete_user, an_unknown_id_is_not_found) {
    expect("404 Usuario no encontrado", ask(super_admin, "DELETE /unknown"));
    expect("404 Usuario no encontrado", ask(super_admin, "DELETE /ME"));
}

TEST(delete_user, the_protected_address_comes_from_the_settings) {
    settings.protected_email = {"another@example.org"};
    expect("403 No se puede eliminar el usuario administrador principal",
           ask(super_admin, "DELETE /another"));
    expect("200", ask(super_admin, "DELETE /root"));
}

TEST(delete_user, the_protected_address_ignores_case_with_lower_case_addresses) {
    settings.protected_email.ignores_case = true;
    expect("200", ask(super_admin, "DELETE /another"));
    expect("remove another unless root@example.org in any case", calls.text());
}

TEST(delete_user, the_last_super_admin_cannot_be_deleted_if_guarded) {
    using Kind = store::UpdateGuard::Kind;
    ask(super_admin, "DELETE /another");
    CHECK(store.guard->kind == Kind::none);
    settings.guards = {true, true};
    ask(super_admin, "DELETE /boss");
    CHECK(store.guard->kind == Kind::keeps_last_of_role);
    CHECK_EQUAL(std::string("superAdmin"), std::string(store.guard->role));
    store.failures = {{"remove", store::Failure::last_of_role}};
    expect("409 Debe quedar al menos un superAdmin", ask(super_admin, "DELETE /another"));
}

TEST(delete_user, an_id_that_is_not_utf8_is_not_found) {
    for (const auto request : {"DELETE /%FF", "DELETE /another%00"}) {
        expect("404 Usuario no encontrado", ask(super_admin, request), request);
        expect("", calls.text(), request);
    }
}

TEST(delete_user, deletes_only_the_row_version_that_if_match_names) {
    headers.fields["If-Match"] = "\"1-2.4\"";
    expect("412 El usuario ha cambiado", ask(super_admin, "DELETE /another"));
    headers.fields["If-Match"] = "";
    expect("412 El usuario ha cambiado", ask(super_admin, "DELETE /another"));
    LONGS_EQUAL(4, store.users.size());
    headers.fields["If-Match"] = "\"1-2.3\"";
    expect("200", ask(super_admin, "DELETE /another"));
    headers.fields["If-Match"] = "*";
    expect("200", ask(super_admin, "DELETE /boss"));
    expect("404 Usuario no encontrado", ask(super_admin, "DELETE /boss"));
}

TEST(delete_user, checks_if_match_last) {
    headers.fields["If-Match"] = "\"1-2.4\"";
    expect("401 No autorizado", ask(nobody, "DELETE /another"));
    expect("403 No tienes permisos para eliminar usuarios", ask(admin, "DELETE /another"));
    expect("400 No puedes eliminar tu propio usuario", ask(super_admin, "DELETE /me"));
    expect("404 Usuario no encontrado", ask(super_admin, "DELETE /unknown"));
    expect("403 No se puede eliminar el usuario administrador principal",
           ask(super_admin, "DELETE /root"));
}

} // namespace useradmin::test
