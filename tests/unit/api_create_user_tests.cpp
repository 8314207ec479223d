// Create user (specification, section 4.2).
#include "fake_store.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace useradmin::test {

namespace {

using Value = std::optional<std::string_view>;

constexpr std::string_view fields_missing = "400 Faltan campos requeridos";
constexpr std::string_view role_forbidden = "403 Solo puedes crear usuarios con rol 'user'";
constexpr std::string_view email_taken = "400 El email ya está registrado";
constexpr std::string_view failed = "500 Error al crear usuario";

/// Returns a valid request body in which one member has this value. Without a value, the member is
/// missing.
std::string body_with(std::string_view field, const Value& value) {
    const std::pair<std::string_view, std::string_view> good[] = {{"name", R"("Eva")"},
                                                                  {"email", R"("eva@example.org")"},
                                                                  {"password", R"("clave")"},
                                                                  {"role", R"("user")"}};
    std::string body;
    for (const auto& [name, good_value] : good) {
        const Value written = name == field ? value : good_value;
        if (written)
            body +=
                (body.empty() ? "{\"" : ",\"") + std::string(name) + "\":" + std::string(*written);
    }
    return body + "}";
}

const std::string good_body = body_with({}, {});

/// Returns whether the string is a version 4 UUID in canonical form.
bool is_uuid4(std::string_view text) {
    constexpr std::string_view form = "hhhhhhhh-hhhh-4hhh-vhhh-hhhhhhhhhhhh";
    if (text.size() != form.size())
        return false;
    for (std::size_t at = 0; at < form.size(); ++at) {
        const std::string_view allowed = form[at] == 'h'   ? "0123456789abcdef"
                                         : form[at] == 'v' ? "89ab"
                                                           : form.substr(at, 1);
        if (allowed.find(text[at]) == allowed.npos)
            return false;
    }
    return true;
}

class CreateUser : public ApiScene {
  protected:
    void expect_nothing_stored(const std::string& of, SourceLocation where = {}) {
        CHECK_EQUAL_LOCATION(false, store.created.has_value(), of.c_str(), where.file,
                             static_cast<std::size_t>(where.line));
    }

    void expect_role(std::string_view role, const Value& sent, SourceLocation where = {}) {
        start_over();
        const std::string text = body_with("role", sent);
        expect("200", ask(super_admin, "POST ", text), text, where);
        expect(role, store.created ? store.created->role : "nothing stored", text, where);
    }
};

} // namespace

TEST_GROUP_BASE(create_user, CreateUser){};

TEST(create_user, requires_a_name_an_email_and_a_password) {
    for (const auto field : {"name", "email", "password"})
        for (const Caller& caller : {admin, super_admin})
            for (const Value value : {Value(), Value(R"("")")}) {
                const std::string text = body_with(field, value);
                expect(fields_missing, ask(caller, "POST ", text), text);
                expect("body", calls.text(), text);
            }
}

TEST(create_user, a_required_field_of_another_type_counts_as_missing) {
    for (const auto field : {"name", "email", "password"})
        for (const auto value : {"null", "5", "0", "true", "false", R"(["x"])", R"({"a":"x"})"}) {
            const std::string text = body_with(field, value);
            expect(fields_missing, ask(super_admin, "POST ", text), text);
            expect("body", calls.text(), text);
        }
}

TEST(create_user, returns_412_if_a_condition_names_a_tag) {
    for (const auto& [name, value] :
         {std::pair("If-Match", "\"1-2.3\""), {"If-Match", "W/\"x\""}, {"If-None-Match", "*"}}) {
        headers.fields = {{name, value}};
        expect("412 El usuario ha cambiado", ask(super_admin, "POST ", good_body), value);
        expect("", calls.text(), value);
    }
    for (const auto& [name, value] : {std::pair("If-Match", "*"), {"If-None-Match", "\"1-2.3\""}}) {
        start_over();
        headers.fields = {{name, value}};
        expect("200", ask(super_admin, "POST ", good_body), value);
    }
}

TEST(create_user, accepts_one_byte_order_mark) {
    expect("200", ask(super_admin, "POST ", "\xef\xbb\xbf" + good_body));
    expect(failed, ask(super_admin, "POST ", "\xef\xbb\xbf\xef\xbb\xbf" + good_body));
}

TEST(create_user, keys_are_case_sensitive) {
    for (const auto text : {"{}", R"({"Name":"Eva","Email":"eva@example.org","Password":"clave"})"})
        expect(fields_missing, ask(super_admin, "POST ", text), text);
}

TEST(create_user, spaces_count_as_a_value) {
    expect("200", ask(super_admin, "POST ", body_with("name", R"(" ")")));
    expect(" ", store.created->name);
}

TEST(create_user, returns_500_and_stores_nothing_if_the_body_is_unreadable) {
    for (const std::string_view text : {"x", "{", "[]", "null", "\"name\"", "{} {}",
                                        R"({"name":"a\u0000b"})", "{\"name\":\"\xff\"}"}) {
        expect(failed, ask(super_admin, "POST ", text), text);
        expect("body", calls.text(), text);
    }
    body.body.text = {};
    expect(failed, ask(super_admin, "POST "), "an empty body");
    expect("body", calls.text(), "an empty body");
}

TEST(create_user, an_admin_must_send_exactly_the_role_user) {
    for (const Value role :
         {Value(), Value("null"), Value(R"("")"), Value(R"("User")"), Value(R"("user ")"),
          Value(R"("admin")"), Value(R"("superAdmin")"), Value(R"("owner")"), Value("5"),
          Value("true"), Value(R"(["user"])"), Value(R"({"role":"user"})")}) {
        const std::string text = body_with("role", role);
        expect(role_forbidden, ask(admin, "POST ", text), text);
        expect("body", calls.text(), text);
        expect_nothing_stored(text);
    }
}

TEST(create_user, the_last_value_of_a_repeated_role_is_used) {
    const std::string_view first_user =
        R"({"name":"Eva","email":"eva@example.org","password":"clave",)"
        R"("role":"user","role":"admin"})";
    expect(role_forbidden, ask(admin, "POST ", first_user));
    expect("200", ask(super_admin, "POST ", first_user));
    expect("admin", store.created->role);
}

TEST(create_user, the_role_is_user_by_default) {
    expect_role("user", {});
    expect_role("user", "null");
    expect_role("user", R"("")");
}

TEST(create_user, returns_500_if_the_role_has_another_type) {
    for (const auto role : {"5", "true", "false", R"(["user"])", R"({"role":"user"})"}) {
        const std::string text = body_with("role", role);
        expect(failed, ask(super_admin, "POST ", text), text);
        expect("body", calls.text(), text);
    }
}

TEST(create_user, an_email_registered_during_hashing_is_rejected) {
    hasher.meanwhile = [this] { store.add("faster", "eva@example.org"); };
    expect(email_taken, ask(admin, "POST ", good_body));
    expect("body, find_by_email eva@example.org, hash, create", calls.text());
}

TEST(create_user, the_user_is_stored_as_sent) {
    expect("200", ask(super_admin, "POST ",
                      R"({"name":" Íñigo \"I\" ","email":"I@Example.org",)"
                      R"("password":"clave","role":"jefa de sección","id":"mine"})"));
    expect(" Íñigo \"I\" ", store.created->name);
    expect("I@Example.org", store.created->email);
    expect("jefa de sección", store.created->role);
}

TEST(create_user, the_account_id_is_the_email_by_default) {
    expect("200", ask(admin, "POST ", good_body));
    expect("eva@example.org", store::account_row(*store.created).account_id);
}

TEST(create_user, the_account_id_is_the_users_id_if_configured) {
    settings.account_id_is_user_id = true;
    expect("200", ask(admin, "POST ", good_body));
    const model::Account account = store::account_row(*store.created);
    expect(store.created->id, account.account_id);
    CHECK_TRUE(is_uuid4(account.account_id));
    CHECK_TRUE(account.id != account.account_id);
}

TEST(create_user, an_email_is_stored_in_lower_case_if_configured) {
    settings.lowers_email = true;
    expect("200", ask(admin, "POST ", body_with("email", R"("Ángel@Example.ORG")")));
    expect("body, find_by_email ángel@example.org, hash, create", calls.text());
    expect("ángel@example.org", store.created->email);
    expect("ángel@example.org", store::account_row(*store.created).account_id);
    expect(email_taken, ask(admin, "POST ", body_with("email", R"("ANOTHER@example.org")")));
}

TEST(create_user, the_user_and_its_account_have_new_uuids) {
    std::set<std::string> ids;
    for (int round = 0; round < 3; ++round) {
        start_over();
        expect("200", ask(admin, "POST ", good_body));
        CHECK_TRUE(is_uuid4(store.created->id));
        CHECK_TRUE(is_uuid4(store.created->account_id));
        ids.insert({store.created->id, store.created->account_id});
    }
    CHECK_EQUAL(6U, ids.size());
}

TEST(create_user, the_hash_is_stored_and_never_the_password) {
    const auto response = send(admin, "POST ", body_with("password", R"("cla\tve ñ 𝄞")"));
    expect("cla\tve ñ 𝄞", hasher.password);
    expect(FakeHasher::result, store.created->password_hash);
    CHECK_TRUE(response.body.find("cla") == std::string::npos);
    CHECK_TRUE(response.body.find(FakeHasher::result) == std::string::npos);
}

TEST(create_user, sets_the_creation_time_to_the_current_time) {
    const auto before = text::now();
    expect("200", ask(admin, "POST ", good_body));
    CHECK_TRUE(before <= store.created->now);
    CHECK_TRUE(store.created->now <= text::now());
}

TEST(create_user, returns_500_if_the_password_cannot_be_hashed) {
    hasher.failure = password::HashFailure::failed;
    expect(failed, ask(admin, "POST ", good_body));
    expect("body, find_by_email eva@example.org, hash", calls.text());
}

} // namespace useradmin::test
