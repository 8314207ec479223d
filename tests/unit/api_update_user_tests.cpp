// Update user (specification, section 4.4).
#include "fake_store.hpp"

#include <string>
#include <string_view>

namespace useradmin::test {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view failed = "500 Error al actualizar usuario";
constexpr std::string_view role_or_ban_forbidden =
    "403 No tienes permisos para cambiar roles o banear usuarios";

/// Returns the values that an update sets, without times: "name=Ana banned=false". The condition of
/// a change follows in parentheses: "emailVerified=false (other)", "banExpires=null (expired)".
std::string describe_changes(const store::Changes& changes) {
    std::string text;
    for (const store::Change& change : changes) {
        if (std::holds_alternative<text::Timestamp>(change.value))
            continue;
        text +=
            (text.empty() ? "" : " ") + std::string(change.field) + "=" + value_text(change.value);
        if (change.when == store::Change::When::expired)
            text += " (expired)";
        else if (change.when != store::Change::When::always)
            text += change.when == store::Change::When::other_email ? " (other)"
                                                                    : " (other in any case)";
    }
    return text;
}

class UpdateUser : public ApiScene {
  protected:
    /// Expects that the body is accepted and makes these changes.
    void expect_changes(std::string_view changes, const Caller& caller, std::string_view text,
                        SourceLocation where = {}) {
        expect("200", ask(caller, "PUT /another", text), text, where);
        expect("body, update another", calls.text(), text, where);
        expect(changes, store.changes ? describe_changes(*store.changes) : "nothing stored", text,
               where);
    }

    /// Expects that the body is rejected after the user was found, and changes nothing.
    void expect_rejection(std::string_view answer, const Caller& caller, std::string_view text,
                          SourceLocation where = {}) {
        expect(answer, ask(caller, "PUT /another", text), text, where);
        expect("body, find another", calls.text(), text, where);
    }
};

} // namespace

TEST_GROUP_BASE(update_user, UpdateUser){};

TEST(update_user, a_super_admin_sets_each_field) {
    expect_changes("name=Eva", super_admin, R"({"name":"Eva"})");
    expect_changes("email=E@x", super_admin, R"({"email":"E@x"})");
    expect_changes("role=owner", super_admin, R"({"role":"owner"})");
    expect_changes("banned=true banExpires=null (expired)", super_admin, R"({"banned":true})");
    expect_changes("banReason=spam", super_admin, R"({"banReason":"spam"})");
    expect_changes(
        "name=Eva email=e@x role=admin banned=true banExpires=null (expired) banReason=spam",
        super_admin,
        R"({"banReason":"spam","banned":true,"role":"admin","email":"e@x","name":"Eva"})");
}

TEST(update_user, a_ban_flag_of_false_is_applied) {
    expect_changes("banned=false", super_admin, R"({"banned":false})");
}

TEST(update_user, empty_strings_are_not_applied) {
    expect_changes("", super_admin, R"({"name":"","email":"","role":"","banReason":""})");
    expect_changes("banned=false", super_admin, R"({"name":"","banned":false})");
    expect_changes("", admin, R"({"name":"","email":"","role":"","banReason":""})");
}

TEST(update_user, a_null_role_or_ban_reason_is_ignored) {
    for (const Caller& caller : {admin, super_admin}) {
        expect_changes("", caller, R"({"role":null})");
        expect_changes("name=Eva", caller, R"({"role":null,"banReason":null,"name":"Eva"})");
    }
}

TEST(update_user, a_password_is_ignored) {
    expect_changes("name=Eva", super_admin, R"({"name":"Eva","password":"clave"})");
}

TEST(update_user, spaces_count_as_a_value) {
    expect_changes("name= ", admin, R"({"name":" "})");
}

TEST(update_user, an_email_is_not_looked_up_before_it_is_set) {
    expect_changes("email=boss@example.org", admin, R"({"email":"boss@example.org"})");
}

TEST(update_user, an_email_is_stored_in_lower_case_if_configured) {
    settings.lowers_email = true;
    expect_changes("email=ángel@example.org", admin, R"({"email":"Ángel@Example.ORG"})");
    expect_changes("name=Ángel", admin, R"({"name":"Ángel","email":""})");
}

TEST(update_user, new_email_is_unverified_if_configured) {
    settings.unverifies_email = true;
    expect_changes("email=E@x emailVerified=false (other)", admin, R"({"email":"E@x"})");
    for (const auto text : {R"({"name":"Eva"})", R"({"name":"Eva","email":""})"})
        expect_changes("name=Eva", admin, text);
    settings.lowers_email = true;
    expect_changes("email=e@x emailVerified=false (other in any case)", admin,
                   R"({"email":"E@x"})");
}

TEST(update_user, emailVerified_in_the_body_is_ignored) {
    expect_changes("", super_admin, R"({"emailVerified":true})");
    settings.unverifies_email = true;
    expect_changes("email=e@x emailVerified=false (other)", super_admin,
                   R"({"email":"e@x","emailVerified":true})");
}

TEST(update_user, banReason_without_banned_from_an_admin_is_ignored) {
    expect_changes("", admin, R"({"banReason":"spam"})");
    expect_changes("name=Eva", admin, R"({"banReason":"spam","name":"Eva"})");
    for (const auto text :
         {R"({"banReason":5})", R"({"banReason":null})", R"({"banReason":["a"]})"})
        expect_changes("", admin, text);
}

TEST(update_user, an_admin_who_sends_a_role_is_rejected) {
    for (const auto text : {R"({"role":"user"})", R"({"role":"admin"})", R"({"role":" "})",
                            R"({"role":7})", R"({"role":["user"]})",
                            R"({"name":"Eva","role":"user"})", R"({"role":"","role":"user"})"})
        expect_rejection(role_or_ban_forbidden, admin, text);
}

TEST(update_user, an_admin_who_sends_any_ban_flag_is_rejected) {
    for (const auto text :
         {R"({"banned":true})", R"({"banned":false})", R"({"banned":null})", R"({"banned":0})",
          R"({"banned":""})", R"({"banned":"false"})", R"({"name":"Eva","banned":false})"})
        expect_rejection(role_or_ban_forbidden, admin, text);
}

TEST(update_user, an_admins_role_or_ban_is_rejected_before_type_errors) {
    for (const auto text : {R"({"name":5,"role":"admin"})", R"({"email":null,"banned":false})",
                            R"({"password":5,"role":7})"})
        expect_rejection(role_or_ban_forbidden, admin, text);
}

TEST(update_user, a_name_email_or_password_must_be_a_string) {
    for (const auto text :
         {R"({"name":null})", R"({"name":5})", R"({"name":true})", R"({"name":["a"]})",
          R"({"name":{}})", R"({"email":null})", R"({"email":5})", R"({"email":false})",
          R"({"email":["a"]})", R"({"email":{}})", R"({"password":null})", R"({"password":5})"})
        for (const Caller& caller : {admin, super_admin})
            expect_rejection(failed, caller, text);
}

TEST(update_user, a_role_or_ban_reason_must_be_a_string) {
    for (const auto text : {R"({"role":5})", R"({"role":true})", R"({"role":["admin"]})",
                            R"({"banReason":5})", R"({"banReason":true})", R"({"banReason":{}})"})
        expect_rejection(failed, super_admin, text);
}

TEST(update_user, a_ban_flag_must_be_a_boolean) {
    for (const auto text : {R"({"banned":null})", R"({"banned":0})", R"({"banned":1})",
                            R"({"banned":""})", R"({"banned":"true"})", R"({"banned":[true]})"})
        expect_rejection(failed, super_admin, text);
}

TEST(update_user, one_field_of_a_wrong_type_changes_nothing) {
    expect_rejection(failed, super_admin, R"({"name":"Eva","banned":"true"})");
    CHECK_FALSE(store.changes.has_value());
}

TEST(update_user, the_last_value_of_a_repeated_key_is_used) {
    expect_changes("name=Eva", super_admin, R"({"name":"Ana","name":"Eva"})");
    expect_changes("banned=false", super_admin, R"({"banned":true,"banned":false})");
}

TEST(update_user, ignores_unknown_keys) {
    expect_changes("", admin, R"({"id":"x","Name":"Eva","Role":"admin","emailVerified":true})");
    expect_changes("", super_admin, R"({"ROLE":5,"Banned":"yes","createdAt":0})");
}

TEST(update_user, an_unreadable_body_returns_500_for_an_existing_user) {
    for (const std::string_view text :
         {"x", "{", "[]", "null", "{}x", R"({"name":"a\u0000"})", "{\"name\":\"\xff\"}"})
        expect_rejection(failed, admin, text);
    body.body.text = {};
    expect_rejection(failed, admin, {});
}

TEST(update_user, an_unknown_id_is_not_found) {
    expect(not_found, ask(admin, "PUT /unknown", R"({"name":"Eva"})"));
    expect("body, update unknown", calls.text());
}

TEST(update_user, an_id_that_is_not_utf8_is_not_found) {
    for (const auto text : {R"({"name":"Eva"})", R"({"role":"admin"})", "{"}) {
        expect(not_found, ask(admin, "PUT /%FF", text), text);
        expect(not_found, ask(admin, "PUT /another%00", text), text);
        expect("", calls.text(), text);
    }
}

TEST(update_user, sets_updatedAt_to_the_current_time) {
    for (const Caller& caller : {admin, super_admin})
        for (const auto text :
             {"{}", R"({"name":"Eva"})", R"({"name":""})", R"({"banReason":"x"})"}) {
            const auto before = text::now();
            expect("200", ask(caller, "PUT /another", text), text);
            CHECK_TRUE(before <= store.updated_at());
            CHECK_TRUE(store.updated_at() <= text::now());
        }
}

TEST(update_user, ends_the_sessions_after_a_loss_of_privileges_if_configured) {
    expect("200", ask(super_admin, "PUT /another", R"({"banned":true})"));
    expect("body, update another", calls.text());
    settings.ends_sessions = true;
    expect("200", ask(super_admin, "PUT /another", R"({"banned":true})"));
    expect("body, update another ending sessions", calls.text());
}

TEST(update_user, with_the_rank_guard_an_admin_changes_only_users) {
    using Kind = store::UpdateGuard::Kind;
    ask(admin, "PUT /another", "{}");
    CHECK(store.guard->kind == Kind::none);
    settings.guards.rank = true;
    ask(admin, "PUT /another", "{}");
    CHECK(store.guard->kind == Kind::requires_role);
    CHECK_EQUAL(std::string("user"), std::string(store.guard->role));
    store.failures = {{"update", store::Failure::outranked}};
    expect("403 No tienes permisos para editar usuarios", ask(admin, "PUT /another", "{}"));
    store.failures.clear();
    ask(super_admin, "PUT /another", "{}");
    CHECK(store.guard->kind == Kind::none);
}

TEST(update_user, the_last_super_admin_keeps_the_role_if_guarded) {
    using Kind = store::UpdateGuard::Kind;
    for (const bool is_guarded : {false, true}) {
        settings.guards.last_super_admin = is_guarded;
        for (const std::string_view taking :
             {R"({"role":"admin"})", R"({"role":"superadmin"})", R"({"banned":true})",
              R"({"role":"superAdmin","banned":true})"}) {
            ask(super_admin, "PUT /another", taking);
            CHECK(store.guard->kind == (is_guarded ? Kind::keeps_last_of_role : Kind::none));
        }
        for (const std::string_view leaving :
             {R"({"role":"superAdmin"})", R"({"banned":false})", R"({"role":"","name":"N"})"}) {
            ask(super_admin, "PUT /another", leaving);
            CHECK(store.guard->kind == Kind::none);
        }
    }
    store.failures = {{"update", store::Failure::last_of_role}};
    expect("409 Debe quedar al menos un superAdmin",
           ask(super_admin, "PUT /another", R"({"banned":true})"));
}

TEST(update_user, returns_the_version_of_the_row_as_its_tag) {
    expect("\"1-2.3\"", header_of(send(admin, "PUT /another", R"({"name":"Eva"})"), "ETag"));
    store.users[1].version = {};
    expect("", header_of(send(admin, "PUT /another", R"({"name":"Eva"})"), "ETag"));
    expect("", header_of(send(admin, "PUT /unknown", R"({"name":"Eva"})"), "ETag"));
}

TEST(update_user, changes_only_the_row_version_that_if_match_names) {
    constexpr std::string_view changed = "412 El usuario ha cambiado";
    for (const auto& [tags, answer] : {std::pair{"\"1-2.3\"", "200"sv},
                                       {"*", "200"sv},
                                       {"\"1\", \"1-2.3\"", "200"sv},
                                       {"\"1-2.3-gzip\"", "200"sv},
                                       {"\"1-2.3-br\"", "200"sv},
                                       {"\"1-2.3-zstd\"", changed},
                                       {"\"1-2.4\"", changed},
                                       {"\"1-2.\"", changed},
                                       {"\"\"", changed},
                                       {"W/\"1-2.3\"", changed},
                                       {"1-2.3", changed},
                                       {"\"1-2.3\" x", changed},
                                       {"", changed}}) {
        headers.fields["If-Match"] = tags;
        expect(answer, ask(admin, "PUT /another", R"({"name":"Eva"})"), tags);
        expect("body, update another", calls.text(), tags);
    }
}

TEST(update_user, changes_nothing_if_the_user_must_not_exist) {
    headers.fields["If-None-Match"] = "*";
    expect("412 El usuario ha cambiado", ask(admin, "PUT /another", R"({"name":"Eva"})"));
    expect("200", ask(admin, "GET /another"));
}

TEST(update_user, checks_if_match_last) {
    headers.fields["If-Match"] = "\"other\"";
    expect("401 No autorizado", ask(nobody, "PUT /another", R"({"name":"Eva"})"));
    expect("403 No tienes permisos para editar usuarios",
           ask(user, "PUT /another", R"({"name":"Eva"})"));
    expect(not_found, ask(admin, "PUT /unknown", R"({"name":"Eva"})"));
    expect_rejection(role_or_ban_forbidden, admin, R"({"role":"user"})");
    expect_rejection(failed, admin, "{");
}

} // namespace useradmin::test
