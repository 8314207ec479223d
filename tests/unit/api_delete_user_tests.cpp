// 4.4.1 Delete user.
#include "fake_store.hpp"

namespace useradmin::test {

TEST_GROUP_BASE(delete_user, ApiScene){};

TEST(delete_user, a_super_admin_deletes_another_user) {
    expect("200", ask(super_admin, "DELETE /another"));
    expect("remove another unless root@example.org", calls.text());
    expect("404 Usuario no encontrado", ask(super_admin, "GET /another"));
}

TEST(delete_user, nobody_deletes_themselves) {
    for (const auto request : {"DELETE /me", "DELETE /%6De"}) {
        expect("400 No puedes eliminar tu propio usuario", ask(super_admin, request), request);
        expect("", calls.text(), request);
    }
}

TEST(delete_user, an_unknown_id_is_not_found) {
    expect("404 Usuario no encontrado", ask(super_admin, "DELETE /unknown"));
    expect("404 Usuario no encontrado", ask(super_admin, "DELETE /ME"));
}

TEST(delete_user, the_protected_administrator_stays) {
    expect("403 No se puede eliminar el usuario administrador principal",
           ask(super_admin, "DELETE /root"));
    expect("200", ask(super_admin, "GET /root"));
}

TEST(delete_user, the_protected_address_is_the_one_of_the_settings) {
    settings.protected_email = "another@example.org";
    expect("403 No se puede eliminar el usuario administrador principal",
           ask(super_admin, "DELETE /another"));
    expect("200", ask(super_admin, "DELETE /root"));
}

TEST(delete_user, the_protected_address_counts_in_any_case_where_addresses_are_in_lower_case) {
    settings.lowers_email = true;
    expect("200", ask(super_admin, "DELETE /another"));
    expect("remove another unless root@example.org in any case", calls.text());
}

TEST(delete_user, an_id_that_is_no_text_belongs_to_nobody) {
    for (const auto request : {"DELETE /%FF", "DELETE /another%00"}) {
        expect("404 Usuario no encontrado", ask(super_admin, request), request);
        expect("", calls.text(), request);
    }
}

} // namespace useradmin::test
