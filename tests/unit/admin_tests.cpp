// The endpoints of better-auth's admin plugin. tests/interop compares them with the library.
#include "fake_store.hpp"

#include "admin/service.hpp"

#include <algorithm>

namespace useradmin::test {

namespace {

/// May impersonate users.
constexpr admin::RoleActions helper = {"helper", bit_of(admin::Action::impersonate_user),
                                       &admin::default_roles};
/// May also impersonate admins.
constexpr admin::RoleActions deputy = {
    "deputy", helper.actions | bit_of(admin::Action::impersonate_admins), &helper};

/// In these tests, the admin role may perform only some actions.
constexpr admin::RoleActions admin_actions = [] {
    admin::RoleActions actions = {"admin", {}, &deputy};
    for (const admin::Action each :
         {admin::Action::list_users, admin::Action::get_user, admin::Action::set_role,
          admin::Action::ban_user, admin::Action::delete_user, admin::Action::set_password,
          admin::Action::update_user, admin::Action::create_user, admin::Action::revoke_session})
        actions.actions |= bit_of(each);
    return actions;
}();

} // namespace

TEST_GROUP_BASE(admin, ApiScene) {
    /// The caller's roles, or std::nullopt if the request has no session.
    std::optional<std::string> roles = "superAdmin";
    bool is_stored = false;
    bool shows_tokens = false;
    /// UserAdminBetterAuthRole.
    const admin::RoleActions* actions = &admin_actions;

    void setup() override {
        ApiScene::setup();
        headers.fields["Content-Type"] = "application/json";
    }

    static const admin::Endpoint& named(std::string_view name) {
        return *admin::find_endpoint(std::string("/admin/").append(name));
    }

    /// Sends a POST if the argument is a JSON object or array, otherwise a GET with the argument as
    /// the query. Returns the status, followed by the body of a success or the code of an error.
    std::string call(std::string_view endpoint, std::string_view argument) {
        calls.clear();
        const bool is_post = argument.starts_with('{') || argument.starts_with('[');
        body.body.text = is_post ? argument : "";
        std::optional<api::Caller> caller;
        if (roles)
            caller = api::Caller{"me", *roles, is_stored};
        if (caller)
            caller->impersonated_by = impersonated_by;
        const admin::SessionCookies session_cookies = {
            {"better-auth.session_token", "s3cr3t", true, {}, accepts_bearer},
            own_token,
            admin_session};
        const http::Response response = admin::handle_request(
            named(endpoint),
            {is_post ? "POST" : "GET", "", is_post ? std::string_view() : argument, headers, body},
            caller, {store, hasher, settings, *actions, shows_tokens, session_cookies}, event = {});
        set_cookies = header_of(response, "Set-Cookie");
        bearer = header_of(response, "set-auth-token");
        challenge = header_of(response, "WWW-Authenticate");
        response_body = response.body;
        const std::size_t code = response.body.rfind("\"code\":\"");
        std::string status = std::to_string(response.status);
        if (response.status == 200)
            return status + " " + response.body;
        return code == response.body.npos
                   ? status
                   : status + " " +
                         response.body.substr(code + 8, response.body.size() - code - 10);
    }

    /// The session cookie's token.
    std::string_view own_token = "s3cr3t of me";
    std::string_view admin_session;
    bool accepts_bearer = true;
    std::string_view impersonated_by;
    std::string set_cookies;
    std::string bearer;
    std::string challenge;
    std::string response_body;

    /// Adds a session of user "another".
    void add_session() {
        model::Session session;
        session.id = "its id";
        session.token = "s3cr3t token";
        session.user_id = "another";
        store.all_sessions = {session};
    }
};

TEST(admin, returns_an_empty_401_without_a_session) {
    roles.reset();
    expect("401", call("get-user", "id=another"));
    expect("", calls.text());
}

TEST(admin, only_a_401_names_the_authentication_scheme) {
    call("get-user", "id=another");
    expect("", challenge);
    roles.reset();
    call("get-user", "id=another");
    expect("Bearer", challenge);
}

TEST(admin, a_role_may_do_what_the_configuration_grants) {
    roles = "user";
    expect("403 YOU_ARE_NOT_ALLOWED_TO_GET_USER", call("get-user", "id=another"));
    roles = "admin";
    STRCMP_CONTAINS("200 {\"id\":\"another\"", call("get-user", "id=another").c_str());
    expect("403 YOU_ARE_NOT_ALLOWED_TO_LIST_USERS_SESSIONS",
           call("list-user-sessions", R"({"userId":"another"})"));
}

TEST(admin, one_of_several_roles_is_enough) {
    roles = "user,admin";
    STRCMP_CONTAINS("200", call("get-user", "id=another").c_str());
    roles = "administrator";
    expect("403 YOU_ARE_NOT_ALLOWED_TO_GET_USER", call("get-user", "id=another"));
}

TEST(admin, has_permission_reports_a_non_object_like_better_auth) {
    expect("400 VALIDATION_ERROR", call("has-permission", "[]"));
    STRCMP_CONTAINS("[body] Invalid input: expected object, received array; [body] Invalid input\"",
                    response_body.c_str());
}

TEST(admin, has_permission_needs_one_role_with_all_actions) {
    roles = "admin";
    expect(R"(200 {"error":null,"success":true})",
           call("has-permission", R"({"permissions":{"user":["list","get"]}})"));
    expect(R"(200 {"error":null,"success":false})",
           call("has-permission", R"({"permissions":{"user":["list"],"session":["list"]}})"));
}

TEST(admin, the_protected_user_cannot_be_removed) {
    expect("403 USER_IS_PROTECTED", call("remove-user", R"({"userId":"root"})"));
}

TEST(admin, rank_lets_an_admin_assign_only_the_role_user) {
    settings.guards.rank = true;
    roles = "admin";
    expect("403 USER_OUTRANKS_YOU", call("set-role", R"({"userId":"another","role":"admin"})"));
    expect("403 USER_OUTRANKS_YOU",
           call("set-role", R"({"userId":"another","role":["user","admin"]})"));
    expect("403 USER_OUTRANKS_YOU",
           call("update-user", R"({"userId":"another","data":{"role":"admin"}})"));
    expect("403 USER_OUTRANKS_YOU",
           call("create-user", R"({"email":"n@example.org","name":"n","role":"admin"})"));
    STRCMP_CONTAINS("200", call("set-role", R"({"userId":"another","role":"user"})").c_str());
    roles = "superAdmin";
    STRCMP_CONTAINS("200", call("set-role", R"({"userId":"another","role":"admin"})").c_str());
}

TEST(admin, rank_lets_an_admin_change_only_users) {
    settings.guards.rank = true;
    roles = "admin";
    for (const auto& [endpoint, argument] :
         {std::pair("ban-user", R"({"userId":"boss"})"),
          {"unban-user", R"({"userId":"boss"})"},
          {"update-user", R"({"userId":"boss","data":{"name":"n"}})"},
          {"remove-user", R"({"userId":"boss"})"}}) {
        call(endpoint, argument);
        CHECK_TRUE(store.guard->kind == store::UpdateGuard::Kind::requires_role);
        expect("user", store.guard->role, endpoint);
        store.guard.reset();
    }
    start_over();
    expect("403 USER_OUTRANKS_YOU",
           call("set-user-password", R"({"userId":"boss","newPassword":"long enough"})"));
    expect("403 USER_OUTRANKS_YOU", call("revoke-user-sessions", R"({"userId":"boss"})"));
}

TEST(admin, last_super_admin_prevents_every_loss_of_the_role) {
    settings.guards.last_super_admin = true;
    const auto is_guarded = [&](std::string_view endpoint, std::string_view argument) {
        store.guard.reset();
        call(endpoint, argument);
        return store.guard && store.guard->kind == store::UpdateGuard::Kind::keeps_last_of_role;
    };
    CHECK_TRUE(is_guarded("set-role", R"({"userId":"another","role":"admin"})"));
    CHECK_TRUE(is_guarded("set-role", R"({"userId":"another","role":["superAdmin","user"]})"));
    CHECK_TRUE(is_guarded("ban-user", R"({"userId":"another"})"));
    CHECK_TRUE(is_guarded("update-user", R"({"userId":"another","data":{"banned":true}})"));
    CHECK_TRUE(is_guarded("update-user", R"({"userId":"another","data":{"role":"user"}})"));
    CHECK_TRUE(is_guarded("remove-user", R"({"userId":"another"})"));
    CHECK_FALSE(is_guarded("set-role", R"({"userId":"another","role":"superAdmin"})"));
    CHECK_FALSE(is_guarded("update-user", R"({"userId":"another","data":{"name":"n"}})"));
    CHECK_FALSE(is_guarded("unban-user", R"({"userId":"another"})"));
}

TEST(admin, a_change_checks_the_callers_roles_again) {
    is_stored = true;
    roles = "admin,helper";
    for (const auto& [endpoint, argument] :
         {std::pair("impersonate-user", R"({"userId":"another"})"),
          {"ban-user", R"({"userId":"another"})"},
          {"set-role", R"({"userId":"another","role":"user"})"},
          {"create-user", R"({"email":"n@example.org","name":"n"})"},
          {"set-user-password", R"({"userId":"another","newPassword":"long enough"})"},
          {"revoke-user-sessions", R"({"userId":"another"})"},
          {"remove-user", R"({"userId":"another"})"}}) {
        store.actor.reset();
        call(endpoint, argument);
        CHECK_TRUE(store.actor.has_value());
        CHECK_EQUAL(1U, store.actor->roles.size());
        expect("admin,helper", store.actor->roles.front(), endpoint);
    }
}

TEST(admin, a_caller_without_a_role_counts_as_a_user) {
    const admin::RoleActions of_users = {"user", admin_actions.actions, &admin_actions};
    actions = &of_users;
    is_stored = true;
    roles = "";
    STRCMP_CONTAINS("200", call("ban-user", R"({"userId":"another"})").c_str());
    CHECK_EQUAL(2U, store.actor->roles.size());
    expect("", store.actor->roles[0]);
    expect("user", store.actor->roles[1]);
}

TEST(admin, only_a_boolean_sets_a_boolean_field) {
    for (const char* value : {"1", "\"true\"", "[true]"}) {
        const std::string data = std::string(R"("data":{"banned":)").append(value) + "}}";
        expect("400 VALIDATION_ERROR", call("update-user", R"({"userId":"another",)" + data));
        expect("400 VALIDATION_ERROR",
               call("create-user", R"({"email":"n@example.org","name":"n",)" + data));
    }
    STRCMP_CONTAINS("\"banned\":true",
                    call("update-user", R"({"userId":"another","data":{"banned":true}})").c_str());
    call("update-user", R"({"userId":"another","data":{"banned":null}})");
    CHECK_FALSE(std::get<bool>(store.changes->front().value));
}

TEST(admin, a_boolean_sets_a_text_field_to_its_name) {
    call("update-user", R"({"userId":"another","data":{"name":true,"plan":true}})");
    expect("true", std::get<std::string_view>(store.changes->at(0).value));
    CHECK_TRUE(std::get<bool>(store.changes->at(1).value));
    call("create-user", R"({"email":"n@example.org","name":"n","data":{"image":false}})");
    expect("false", store::user_row(*store.created).image.value_or(""));
}

TEST(admin, only_a_valid_time_sets_a_time) {
    for (const char* value : {"\"\"", "\"x\"", "\"2999-02-30\"", "5", "true", "{}"})
        for (const char* field : {"banExpires", "createdAt", "updatedAt"}) {
            const std::string data =
                std::string(R"("data":{")").append(field).append("\":").append(value) + "}}";
            expect("400 VALIDATION_ERROR", call("update-user", R"({"userId":"another",)" + data));
            expect("400 VALIDATION_ERROR",
                   call("create-user", R"({"email":"n@example.org","name":"n",)" + data));
        }
    call("update-user", R"({"userId":"another","data":{"banExpires":"2999-02-01"}})");
    CHECK_TRUE(std::holds_alternative<text::Timestamp>(store.changes->front().value));
}

TEST(admin, a_new_expiry_of_a_ban_counts_as_a_ban) {
    constexpr std::string_view argument = R"({"userId":"another","data":{"banExpires":null}})";
    settings.guards.last_super_admin = true;
    call("update-user", argument);
    CHECK_TRUE(store.guard->kind == store::UpdateGuard::Kind::none);
    CHECK_FALSE(store.users[1].banned);
    store.users[1].banned = true;
    store.users[1].ban_expires = text::now() - std::chrono::seconds(1);
    call("update-user", argument);
    CHECK_TRUE(store.guard->kind == store::UpdateGuard::Kind::keeps_last_of_role);
    STRCMP_CONTAINS("update another ending sessions", calls.text().c_str());
    expect("banned", store.changes->front().field);
}

TEST(admin, a_missing_user_is_reported_after_other_errors) {
    expect("400 USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL",
           call("update-user",
                R"({"userId":"gone","data":{"banExpires":null,"email":"boss@example.org"}})"));
    roles = "admin";
    expect(
        "403 YOU_ARE_NOT_ALLOWED_TO_SET_USERS_PHONE_NUMBER",
        call("update-user", R"({"userId":"gone","data":{"banExpires":null,"phoneNumber":"1"}})"));
    expect("404 USER_NOT_FOUND",
           call("update-user", R"({"userId":"gone","data":{"banExpires":null}})"));
}

TEST(admin, callers_cannot_change_the_expiry_of_their_own_ban) {
    constexpr std::string_view argument = R"({"userId":"me","data":{"banExpires":null}})";
    store.users[0].id = "me";
    store.users[0].banned = true;
    expect("400 YOU_CANNOT_BAN_YOURSELF", call("update-user", argument));
}

TEST(admin, a_ban_cannot_end_in_the_past) {
    call("update-user", R"({"userId":"another","data":{"banned":true}})");
    expect("banExpires", store.changes->front().field);
    CHECK_TRUE(store.changes->front().when == store::Change::When::expired);
}

TEST(admin, every_spelling_of_a_phone_number_needs_the_permission) {
    roles = "admin";
    for (const char* name :
         {"phoneNumber", "phone_number", "phoneNumberVerified", "phone_number_verified"})
        expect("403 YOU_ARE_NOT_ALLOWED_TO_SET_USERS_PHONE_NUMBER",
               call("update-user",
                    R"({"userId":"another","data":{")" + std::string(name) + R"(":"1"}})"));
}

TEST(admin, a_field_is_set_even_after_its_snake_case_name) {
    call("update-user",
         R"({"userId":"another","data":{"email_verified":false,"emailVerified":true}})");
    const auto& changes = *store.changes;
    CHECK_TRUE(std::any_of(changes.begin(), changes.end(), [](const store::Change& change) {
        return change.field == "emailVerified" && std::get<bool>(change.value);
    }));
}

TEST(admin, ending_a_missing_session_is_not_a_change) {
    call("revoke-user-session", R"({"sessionToken":"none"})");
    CHECK_FALSE(event.is_change);
    add_session();
    call("revoke-user-session", R"({"sessionToken":"its id"})");
    CHECK_TRUE(event.is_change);
}

TEST(admin, a_demoted_or_banned_caller_gets_401_or_403) {
    store.failures["update"] = store::Failure::caller_rejected;
    expect("401", call("ban-user", R"({"userId":"another"})"));
    store.failures["update"] = store::Failure::caller_demoted;
    expect("403 YOU_ARE_NOT_ALLOWED_TO_BAN_USERS", call("ban-user", R"({"userId":"another"})"));
}

TEST(admin, a_failed_list_returns_500_instead_of_no_users) {
    store.failures["list"] = store::Failure::failed;
    expect("500 INTERNAL_SERVER_ERROR", call("list-users", "limit=5"));
}

TEST(admin, returns_503_if_database_or_required_storage_is_unavailable) {
    store.failures["list"] = store::Failure::unavailable;
    expect("503 SERVICE_UNAVAILABLE", call("list-users", "limit=5"));
    store.failures["update"] = store::Failure::unavailable;
    expect("503 SERVICE_UNAVAILABLE", call("ban-user", R"({"userId":"another"})"));
    hasher.failure = password::HashFailure::busy;
    expect("503 SERVICE_UNAVAILABLE",
           call("set-user-password", R"({"userId":"another","newPassword":"long enough"})"));
}

TEST(admin, a_value_that_the_database_rejects_returns_400) {
    store.failures["update"] = store.failures["create"] = store::Failure::invalid_value;
    expect("400 INVALID_VALUE",
           call("update-user", R"({"userId":"another","data":{"seats":"many"}})"));
    expect("400 INVALID_VALUE",
           call("create-user", R"({"email":"n@example.org","name":"n","data":{"seats":"many"}})"));
}

TEST(admin, errors_of_httpd_have_the_format_of_the_library) {
    const auto response = [&](int status) {
        return admin::error_response(status, "GET", headers, settings.trusted_origins);
    };
    expect("", response(401).body);
    expect(R"({"message":"Forbidden","code":"FORBIDDEN"})", response(403).body);
    expect(R"({"message":"Bad request","code":"BAD_REQUEST"})", response(417).body);
    STRCMP_CONTAINS(R"("code":"TOO_MANY_REQUESTS")", response(429).body.c_str());
    STRCMP_CONTAINS(R"("code":"INTERNAL_SERVER_ERROR")", response(500).body.c_str());
    STRCMP_CONTAINS(R"("code":"SERVICE_UNAVAILABLE")", response(503).body.c_str());
    expect("1", header_of(response(503), "Retry-After"));
    const std::string_view origins[] = {"https://app.example.org"};
    settings.trusted_origins = origins;
    headers.fields["Origin"] = "https://app.example.org";
    expect("https://app.example.org", header_of(response(503), "Access-Control-Allow-Origin"));
}

TEST(admin, a_page_has_at_most_UserAdminMaxLimit_users) {
    settings.max_limit = 3;
    STRCMP_CONTAINS("\"limit\":3}", call("list-users", "limit=5").c_str());
    STRCMP_CONTAINS(" 3 from 0", calls.text().c_str());
    call("list-users", "");
    STRCMP_CONTAINS(" 3 from 0", calls.text().c_str());
}

TEST(admin, an_empty_password_is_reported_like_the_library) {
    expect("400 VALIDATION_ERROR",
           call("set-user-password", R"({"userId":"another","newPassword":""})"));
    STRCMP_CONTAINS(R"("message":"[body.newPassword] newPassword cannot be empty")",
                    response_body.c_str());
    call("set-user-password", R"({"userId":"another","newPassword":[]})");
    STRCMP_CONTAINS("[body.newPassword] Invalid input: expected string, received array; "
                    "[body.newPassword] newPassword cannot be empty\"",
                    response_body.c_str());
    call("set-user-password", R"({"userId":"another","newPassword":[1]})");
    STRCMP_CONTAINS("expected string, received array\"", response_body.c_str());
}

TEST(admin, ignores_a_limit_that_is_not_a_positive_integer) {
    for (const char* query : {"limit=NaN&offset=NaN", "limit=x", "limit=0", "limit=-1&offset=-3",
                              "limit=2.5", "limit=1e300", "limit=9007199254740992"}) {
        call("list-users", query);
        STRCMP_CONTAINS(" 100 from 0", calls.text().c_str());
    }
}

TEST(admin, a_session_id_may_replace_the_token) {
    add_session();
    expect(R"(200 {"success":true})", call("revoke-user-session", R"({"sessionToken":"its id"})"));
    expect("body, find_session_by_token_or_id its id, delete_session_of_user another its id",
           calls.text());
    expect("another", event.target);
    add_session();
    expect(R"(200 {"success":true})",
           call("revoke-user-session", R"({"sessionToken":"s3cr3t token"})"));
    expect(R"(200 {"success":true})", call("revoke-user-session", R"({"sessionToken":"none"})"));
}

TEST(admin, tokens_are_shown_only_if_configured) {
    add_session();
    STRCMP_CONTAINS("\"token\":\"its id\"",
                    call("list-user-sessions", R"({"userId":"another"})").c_str());
    shows_tokens = true;
    STRCMP_CONTAINS("\"token\":\"s3cr3t token\"",
                    call("list-user-sessions", R"({"userId":"another"})").c_str());
}

TEST(admin, rank_hides_tokens_of_users_with_higher_roles) {
    static constexpr admin::RoleActions support = {"support", bit_of(admin::Action::list_sessions),
                                                   &admin::default_roles};
    settings.guards.rank = true;
    shows_tokens = true;
    roles = "support";
    actions = &support;
    add_session();
    STRCMP_CONTAINS("\"token\":\"s3cr3t token\"",
                    call("list-user-sessions", R"({"userId":"another"})").c_str());
    for (const char* const id : {"boss", "root", "unknown"})
        STRCMP_CONTAINS(
            "\"token\":\"its id\"",
            call("list-user-sessions", std::string(R"({"userId":")").append(id).append("\"}"))
                .c_str());
    roles = "superAdmin";
    STRCMP_CONTAINS("\"token\":\"s3cr3t token\"",
                    call("list-user-sessions", R"({"userId":"boss"})").c_str());
}

TEST(admin, a_cross_site_request_is_rejected_even_without_a_cookie) {
    headers.fields["Origin"] = "https://evil.example";
    headers.fields["Host"] = "app.example";
    expect("403 INVALID_ORIGIN", call("ban-user", R"({"userId":"another"})"));
    headers.fields["Cookie"] = "a=b";
    expect("403 INVALID_ORIGIN", call("ban-user", R"({"userId":"another"})"));
    headers.fields.erase("Origin");
    expect("403 MISSING_OR_NULL_ORIGIN", call("ban-user", R"({"userId":"another"})"));
    headers.fields["Origin"] = "https://app.example";
    STRCMP_CONTAINS("200", call("ban-user", R"({"userId":"another"})").c_str());
}

TEST(admin, a_ban_ends_in_the_year_9999_at_the_latest) {
    STRCMP_CONTAINS("\"banExpires\":\"9999-12-31T23:59:59.999Z\"",
                    call("ban-user", R"({"userId":"another","banExpiresIn":1e15})").c_str());
    STRCMP_CONTAINS("\"banExpires\":\"0001-01-01T00:00:00.000Z\"",
                    call("ban-user", R"({"userId":"another","banExpiresIn":-1e400})").c_str());
}

TEST(admin, extra_columns_are_part_of_a_user) {
    store.other_columns = {{"plan", R"("gold")"}};
    STRCMP_CONTAINS("\"banExpires\":null,\"plan\":\"gold\"}",
                    call("get-user", "id=another").c_str());
}

TEST(admin, columns_with_the_name_of_a_secret_are_not_used) {
    store.other_columns = {{"resetToken", R"("s3cr3t")"},
                           {"plan", R"("gold")"},
                           {"api_secret", R"({"a":"s3cr3t"})"},
                           {"tokensUsed", "5"}};
    STRCMP_CONTAINS(R"("banExpires":null,"plan":"gold","tokensUsed":5})",
                    call("get-user", "id=another").c_str());
    call("update-user", R"({"userId":"another","data":{"reset_token":"x","plan":"gold"}})");
    CHECK_EQUAL(2U, store.changes->size());
    expect("plan", store.changes->at(0).field);
    for (const char* const query : {"filterField=resetToken&filterValue=s",
                                    "filterField=api_secret&filterValue=s", "sortBy=resetToken"})
        expect(R"(200 {"users":[],"total":0})", call("list-users", query));
}

TEST(admin, data_does_not_set_twoFactorEnabled) {
    for (const std::string name : {"twoFactorEnabled", "two_factor_enabled"}) {
        const std::string data = R"("data":{"plan":"gold",")" + name + R"(":false}})";
        const auto is_set_in = [&](const store::Changes& changes) {
            return std::ranges::find(changes, name, &store::Change::field) != changes.end();
        };
        call("update-user", R"({"userId":"another",)" + data);
        CHECK_FALSE(is_set_in(*store.changes));
        call("create-user", R"({"name":"n","email":")" + name + R"(@example.org",)" + data);
        CHECK_FALSE(is_set_in(store.created->data));
    }
}

TEST(admin, data_sets_columns_by_their_names) {
    call("update-user", R"({"userId":"another","data":{"plan":"gold","seats":5,"tags":["a"]}})");
    CHECK_EQUAL(4U, store.changes->size());
    expect("plan", store.changes->at(0).field);
    expect("gold", std::get<std::string_view>(store.changes->at(0).value));
    expect("5", std::get<std::string_view>(store.changes->at(1).value));
    expect("[\"a\"]", std::get<std::string_view>(store.changes->at(2).value));
    CHECK_TRUE(store.changes->at(0).names_column);
    expect("updatedAt", store.changes->at(3).field);
}

TEST(admin, new_email_is_unverified_if_configured) {
    const auto unverifies = [&](std::string_view data) {
        call("update-user", std::string(R"({"userId":"another","data":)").append(data).append("}"));
        return std::ranges::any_of(*store.changes, [](const store::Change& change) {
            return change.field == "emailVerified" &&
                   change.when == store::Change::When::other_email_ignoring_case;
        });
    };
    CHECK_FALSE(unverifies(R"({"email":"e@example.org"})"));
    settings.unverifies_email = true;
    CHECK_TRUE(unverifies(R"({"email":"e@example.org"})"));
    CHECK_FALSE(unverifies(R"({"email":"e@example.org","emailVerified":true})"));
    CHECK_FALSE(unverifies(R"({"name":"n"})"));
}

TEST(admin, the_admin_client_logs_the_names_of_extra_columns) {
    store.columns = {{"company"}, {"seat_count"}, {"plan"}};
    call("update-user",
         R"({"userId":"another","data":{"seatCount":5,"company":"a","name":"n","none":1}})");
    CHECK_EQUAL(2U, event.columns.size());
    expect("company", event.columns.at(0));
    expect("seat_count", event.columns.at(1));
    call("create-user", R"({"email":"n@example.org","name":"n","data":{"plan":"gold"}})");
    CHECK_EQUAL(1U, event.columns.size());
    expect("plan", event.columns.at(0));
    call("update-user", R"({"userId":"another","data":{"name":"n"}})");
    CHECK_TRUE(event.columns.empty());
    expect("body, update another", calls.text());
}

TEST(admin, a_user_without_a_password_has_no_account) {
    call("create-user", R"({"email":"N@Example.org","name":"n","data":{"plan":"gold"}})");
    CHECK_FALSE(store.created->has_account);
    expect("n@example.org", store.created->email);
    CHECK_EQUAL(2U, store.created->data.size());
    expect("plan", store.created->data[1].field);
}

TEST(admin, the_id_of_a_new_user_cannot_be_set) {
    for (const char* id : {"\"x\"", "5", "null"})
        expect("400 USER_ID_CANNOT_BE_SET",
               call("create-user", std::string(R"({"email":"n@example.org","name":"n",)")
                                       .append(R"("data":{"id":)")
                                       .append(id)
                                       .append("}}")));
    CHECK_FALSE(store.created.has_value());
}

TEST(admin, list_user_sessions_reads_100_sessions) {
    add_session();
    store.all_sessions.resize(101, store.all_sessions.front());
    const std::string response = call("list-user-sessions", R"({"userId":"another"})");
    std::size_t count = 0;
    for (std::size_t at = 0; (at = response.find("\"token\":", at)) != response.npos; ++at)
        ++count;
    CHECK_EQUAL(100U, count);
    expect("body, list_sessions another 100", calls.text());
}

TEST(admin, impersonation_opens_a_one_hour_session_that_names_the_administrator) {
    STRCMP_CONTAINS("\"impersonatedBy\":\"me\"",
                    call("impersonate-user", R"({"userId":"another"})").c_str());
    expect("another", store.opened->user_id);
    expect("me", *store.opened->impersonated_by);
    CHECK_TRUE(*store.opened->expires_at - *store.opened->created_at == std::chrono::hours(1));
    // The session may only be created if the user has not changed since it was read.
    CHECK_TRUE(store.terms->verified != nullptr);
    CHECK_FALSE(store.terms->allows_banned);
    expect("impersonate-user", event.operation);
    expect("me", event.caller);
    expect("another", event.target);
    STRCMP_CONTAINS("better-auth.admin_session=s3cr3t%20of%20me%3A.", set_cookies.c_str());
}

TEST(admin, the_protected_user_cannot_be_impersonated) {
    expect("403 YOU_CANNOT_IMPERSONATE_ADMINS", call("impersonate-user", R"({"userId":"root"})"));
    settings.protected_email.ignores_case = true;
    store.users.back().email = "ROOT@example.org";
    expect("403 YOU_CANNOT_IMPERSONATE_ADMINS", call("impersonate-user", R"({"userId":"root"})"));
    CHECK_FALSE(store.opened.has_value());
}

TEST(admin, impersonating_users_with_permissions_needs_impersonate_admins) {
    roles = "helper";
    expect("403 YOU_CANNOT_IMPERSONATE_ADMINS", call("impersonate-user", R"({"userId":"boss"})"));
    STRCMP_CONTAINS("200", call("impersonate-user", R"({"userId":"another"})").c_str());
    store.users.back().email = "other@example.org";
    roles = "deputy";
    STRCMP_CONTAINS("200", call("impersonate-user", R"({"userId":"boss"})").c_str());
    expect("403 YOU_CANNOT_IMPERSONATE_ADMINS", call("impersonate-user", R"({"userId":"root"})"));
    roles = "superAdmin";
    STRCMP_CONTAINS("200", call("impersonate-user", R"({"userId":"root"})").c_str());
}

TEST(admin, impersonating_an_admin_without_actions_needs_impersonate_admins) {
    actions = &deputy;
    roles = "helper";
    for (const char* const role : {"admin", "user,admin"}) {
        store.users[1].role = role;
        expect("403 YOU_CANNOT_IMPERSONATE_ADMINS",
               call("impersonate-user", R"({"userId":"another"})"));
    }
    roles = "deputy";
    STRCMP_CONTAINS("200", call("impersonate-user", R"({"userId":"another"})").c_str());
}

TEST(admin, a_banned_user_cannot_be_impersonated) {
    store.users[1].banned = true;
    expect("403 BANNED_USER", call("impersonate-user", R"({"userId":"another"})"));
    store.users[1].ban_expires = text::now() - std::chrono::seconds(1);
    STRCMP_CONTAINS("200", call("impersonate-user", R"({"userId":"another"})").c_str());
}

TEST(admin, a_caller_with_an_api_key_cannot_impersonate_users) {
    own_token = {};
    expect("403 YOU_ARE_NOT_ALLOWED_TO_IMPERSONATE_USERS",
           call("impersonate-user", R"({"userId":"another"})"));
    impersonated_by = "root";
    expect("403 FORBIDDEN", call("stop-impersonating", "{}"));
}

TEST(admin, an_impersonated_session_impersonates_nobody) {
    impersonated_by = "root";
    expect("403 YOU_ARE_NOT_ALLOWED_TO_IMPERSONATE_USERS",
           call("impersonate-user", R"({"userId":"another"})"));
    CHECK_FALSE(store.opened.has_value());
}

TEST(admin, an_impersonation_ends_only_in_the_administrators_own_session) {
    impersonated_by = "root";
    store.sessions["s3cr3t of me"] = {};
    expect("500", call("stop-impersonating", "{}"));
    admin_session = "s3cr3t of root:";
    expect("500", call("stop-impersonating", "{}"));
    store::SessionWithUser own;
    own.session.id = "session of root";
    own.session.expires_at = text::now() + std::chrono::hours(1);
    own.user.id = "another";
    store.sessions["s3cr3t of root"] = own;
    expect("500", call("stop-impersonating", "{}"));
    store.sessions["s3cr3t of root"].user.id = "root";
    store.sessions["s3cr3t of root"].session.expires_at = text::now() - std::chrono::hours(1);
    expect("500", call("stop-impersonating", "{}"));
    CHECK_TRUE(store.sessions.contains("s3cr3t of me"));
    store.sessions["s3cr3t of root"].session.expires_at = text::now() + std::chrono::hours(1);
    STRCMP_CONTAINS("\"id\":\"session of root\"", call("stop-impersonating", "{}").c_str());
    CHECK_FALSE(store.sessions.contains("s3cr3t of me"));
}

TEST(admin, bearer_clients_get_the_token_of_the_impersonated_session) {
    call("impersonate-user", R"({"userId":"another"})");
    STRCMP_CONTAINS(std::string(store.opened->token).append(".").c_str(), bearer.c_str());
    accepts_bearer = false;
    call("impersonate-user", R"({"userId":"another"})");
    expect("", bearer);
}

TEST(admin, bearer_clients_get_their_own_token_back_afterwards) {
    impersonated_by = "root";
    admin_session = "token-of-root:";
    store::SessionWithUser& own = store.sessions["token-of-root"];
    own.session.expires_at = text::now() + std::chrono::hours(1);
    own.user.id = "root";
    store.sessions["s3cr3t of me"] = {};
    call("stop-impersonating", "{}");
    STRCMP_CONTAINS("token-of-root.", bearer.c_str());
}

TEST(admin, endpoints_are_below_the_path_segment_admin) {
    expect("ban", admin::operation_name(*admin::find_endpoint("/api/auth/admin/ban-user")));
    for (const char* path : {"/api/auth/ban-user", "/api/auth/admin/ban-user/",
                             "/api/auth/admin/nope", "ban-user", "admin/ban-user"})
        CHECK_TRUE(admin::find_endpoint(path) == nullptr);
}

TEST(admin, operations_have_the_names_of_the_json_interface) {
    const auto names = api::operation_names();
    for (const char* endpoint :
         {"list-users", "get-user", "create-user", "update-user", "set-role", "ban-user",
          "unban-user", "remove-user", "set-user-password", "list-user-sessions",
          "revoke-user-session", "revoke-user-sessions"})
        CHECK_TRUE(std::find(names.begin(), names.end(), admin::operation_name(named(endpoint))) !=
                   names.end());
    expect("", admin::operation_name(named("has-permission")));
}

TEST(admin, the_event_names_the_caller_the_target_and_the_operation) {
    roles = "user,superAdmin";
    call("ban-user", R"({"userId":"another"})");
    expect("ban", event.operation);
    expect("me", event.caller);
    expect("user,superAdmin", event.role);
    expect("another", event.target);
    CHECK_TRUE(event.is_change);
    CHECK_EQUAL(200, event.status);
}

} // namespace useradmin::test
