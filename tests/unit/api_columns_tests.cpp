// Extra columns of the user table (UserAdminColumns and UserAdminEditable).
#include "fake_store.hpp"

#include <string>
#include <string_view>

namespace useradmin::test {

namespace {

constexpr std::string_view forbidden = "403 No tienes permisos";
constexpr std::string_view bad_request = "400 Petición incorrecta";

constexpr std::string_view shown[] = {"company", "logins", "absent"};
constexpr std::string_view editable[] = {"plan",  "seats",   "trial", "since",
                                         "notes", "renamed", "tag",   "visits"};

class Columns : public ApiScene {
  public:
    void setup() override {
        using Kind = store::ExtraColumn::Kind;
        start_over();
        settings.has_extras = true;
        settings.columns = shown;
        settings.editable_columns = editable;
        store.columns = {{"company", Kind::text},  {"logins", Kind::integer},
                         {"plan", Kind::text},     {"seats", Kind::integer, true, 32767},
                         {"trial", Kind::boolean}, {"since", Kind::time},
                         {"notes", Kind::any},     {"tag", Kind::text, false},
                         {"visits", Kind::integer}};
        store.other_columns = {{"company", R"("A, {\"plan\": 1}")"},
                               {"key", R"("s3cr3t")"},
                               {"plan", R"([1, {"key": 2}])"},
                               {"logins", "9007199254740993"}};
    }

  protected:
    /// Returns the part of the response that follows the eleven fields.
    std::string extra_members(const Caller& caller, std::string_view request) {
        const std::string text = send(caller, request).body;
        std::size_t begin = 0;
        for (const std::string_view known : {"\"banExpires\":null", ",\"lastSeenAt\":null"})
            if (const std::size_t at = text.find(known); at != text.npos)
                begin = at + known.size();
        return text.substr(begin, text.find("}}", begin) + 1 - begin);
    }

    /// Returns the value that the update assigns to the column.
    std::string new_value_of(std::string_view column) const {
        for (const store::Change& change : *store.changes) {
            if (change.field != column)
                continue;
            CHECK_TRUE(change.names_column);
            return value_text(change.value);
        }
        return "(unset)";
    }

    void expect_set(std::string_view column, std::string_view json, std::string_view value,
                    SourceLocation where = {}) {
        const std::string text =
            "{\"data\":{\"" + std::string(column) + "\":" + std::string(json) + "}}";
        expect("200", ask(super_admin, "PUT /another", text), text, where);
        expect("body, extra_columns, update another", calls.text(), text, where);
        expect(value, new_value_of(column), text, where);
        CHECK_EQUAL(1U, event.columns.size());
        expect(column, event.columns.at(0), text, where);
    }

    void expect_rejection(std::string_view answer, const Caller& caller, std::string_view text,
                          SourceLocation where = {}) {
        expect(answer, ask(caller, "PUT /another", text), text, where);
        CHECK_FALSE(store.changes.has_value());
    }
};

} // namespace

TEST_GROUP_BASE(columns, Columns){};

TEST(columns, requested_columns_are_returned_with_a_user_unchanged) {
    expect(R"(,"company":"A, {\"plan\": 1}","logins":9007199254740993})",
           extra_members(super_admin, "GET /another?columns=logins,company"));
    expect(R"(,"plan":[1,{"key":2}]})", extra_members(super_admin, "GET /another?columns=plan"));
    expect("find another, read_last_activity 1", calls.text());
}

TEST(columns, requested_columns_are_returned_with_a_list) {
    const std::string text = send(super_admin, "GET /?columns=plan%2Ccompany").body;
    std::size_t count = 0;
    for (std::size_t at = text.find("\"plan\":["); at != text.npos;
         at = text.find("\"plan\":[", at + 1))
        ++count;
    CHECK_EQUAL(store.users.size(), count);
    CHECK(text.find("s3cr3t") == text.npos);
}

TEST(columns, that_no_directive_names_stay_hidden) {
    for (const char* request : {"GET /another?columns=key", "GET /another?columns=KEY,Company",
                                "GET /another?columns=", "GET /another", "GET /another?columns=*",
                                "GET /another?columns=comp", "GET /another?columns=any,key"})
        expect("}", extra_members(super_admin, request), request);
}

TEST(columns, are_shown_only_to_super_admins_with_UserAdminExtras) {
    expect("}", extra_members(admin, "GET /another?columns=company"));
    expect("}", extra_members(user, "GET /me?columns=company"));
    settings.has_extras = false;
    expect("}", extra_members(super_admin, "GET /another?columns=company"));
}

TEST(columns, accept_values_of_their_types) {
    expect_set("plan", R"("pro")", "pro");
    expect_set("plan", R"("")", "");
    expect_set("plan", "null", "null");
    expect_set("tag", R"("x")", "x");
    expect_set("seats", "12", "12");
    expect_set("seats", "-32768", "-32768");
    expect_set("trial", "false", "false");
    expect_set("trial", "null", "null");
    expect_set("since", R"("2026-11-20T23:30:19.717Z")", "2026-11-20T23:30:19.717Z");
}

TEST(columns, integers_that_JavaScript_would_round_are_strings) {
    for (const char* value :
         {"9007199254740992", "\"9007199254740991\"", "\"9223372036854775808\"", "\"\"", "\"x\""})
        expect_rejection(bad_request, super_admin,
                         "{\"data\":{\"visits\":" + std::string(value) + "}}");
    expect_set("visits", "9007199254740991", "9007199254740991");
    for (const std::string number : {"9007199254740992", "-9223372036854775808"})
        expect_set("visits", '"' + number + '"', number);
}

TEST(columns, are_set_together_with_fields) {
    expect("200", ask(super_admin, "PUT /another", R"({"name":"Ana","data":{"plan":"pro"}})"));
    expect("Ana", store.users.at(1).name);
    expect("pro", new_value_of("plan"));
    expect("200", ask(super_admin, "PUT /another", R"({"data":{}})"));
    expect("(unset)", new_value_of("plan"));
}

TEST(columns, repeated_columns_are_set_once_to_the_last_value) {
    expect("200", ask(super_admin, "PUT /another", R"({"data":{"plan":"free","plan":"pro"}})"));
    expect("pro", new_value_of("plan"));
    CHECK_EQUAL(1U, event.columns.size());
}

TEST(columns, reject_values_of_other_types) {
    for (const char* data :
         {R"("plan":1)", R"("plan":true)", R"("plan":["a"])", R"("seats":"1")", R"("seats":1.5)",
          R"("seats":32768)", R"("seats":-32769)", R"("seats":1e300)", R"("trial":1)",
          R"("trial":"true")", R"("since":"soon")", R"("since":1)", R"("notes":"a")",
          R"("notes":null)", R"("tag":null)", R"("plan":"pro","seats":null,"trial":0)"})
        expect_rejection(bad_request, super_admin, "{\"data\":{" + std::string(data) + "}}");
    for (const char* data : {"null", "1", "\"plan\"", "[]"})
        expect_rejection(bad_request, super_admin, "{\"data\":" + std::string(data) + "}");
}

TEST(columns, that_the_table_does_not_have_are_not_set) {
    expect_rejection(bad_request, super_admin, R"({"data":{"renamed":"x"}})");
}

TEST(columns, are_not_mistaken_for_the_ban_flag) {
    settings.guards.last_super_admin = true;
    ask(super_admin, "PUT /another", R"({"data":{"trial":true}})");
    CHECK_TRUE(store.guard->kind == store::UpdateGuard::Kind::none);
    ask(super_admin, "PUT /another", R"({"banned":true})");
    CHECK_TRUE(store.guard->kind == store::UpdateGuard::Kind::keeps_last_of_role);
}

TEST(columns, reject_values_that_the_database_rejects) {
    store.failures["update"] = store::Failure::invalid_value;
    expect(bad_request, ask(super_admin, "PUT /another", R"({"data":{"plan":"pro"}})"));
}

TEST(columns, columns_that_cannot_be_edited_are_not_set) {
    for (const char* name : {"company", "key", "email", "role", "banned", "Plan"})
        expect_rejection(forbidden, super_admin,
                         "{\"data\":{\"" + std::string(name) + "\":\"x\"}}");
    expect_rejection(forbidden, super_admin, R"({"data":{"plan":"pro","company":"x"}})");
}

TEST(columns, are_not_set_by_an_admin) {
    expect_rejection(forbidden, admin, R"({"data":{"plan":"pro"}})");
    expect_rejection(forbidden, admin, R"({"data":{}})");
    expect(not_found, ask(admin, "PUT /unknown", R"({"data":{"plan":"pro"}})"));
}

TEST(columns, update_ignores_columns_without_UserAdminEditable) {
    settings.editable_columns = {};
    for (const Caller& caller : {admin, super_admin}) {
        expect("200", ask(caller, "PUT /another", R"({"data":{"plan":"pro"}})"));
        expect("body, update another", calls.text());
        expect("(unset)", new_value_of("plan"));
    }
}

TEST(columns, are_set_only_in_the_version_that_the_caller_knows) {
    headers.fields["If-Match"] = "\"0-0.0\"";
    expect("412 El usuario ha cambiado",
           ask(super_admin, "PUT /another", R"({"data":{"plan":"pro"}})"));
}

TEST(columns, cannot_be_set_while_the_catalog_cannot_be_read) {
    store.failures["extra_columns"] = store::Failure::unavailable;
    expect_rejection(unavailable, super_admin, R"({"data":{"plan":"pro"}})");
}

} // namespace useradmin::test
