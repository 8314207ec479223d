// Sign-in endpoints, with a clock set by the test.
#include "fake_sign_in.hpp"

#include "support/text.hpp"

namespace useradmin::test {

using namespace std::chrono_literals;

TEST_GROUP_BASE(sign_in_endpoints, SignInScene) {
    bool has_dont_remember = false;
    bool rejects_impersonated = false;
    audit::Event event;
    std::string_view query;
    std::string content_type = "application/json";
    http::Origins trusted;

    void setup() override {
        SignInScene::setup();
        add_session("token", now + 7 * 24h);
    }

    void add_session(std::string_view token, std::optional<text::Timestamp> expires_at) {
        store::SessionWithUser& signed_in = store.sessions[token];
        signed_in.session.id = "session";
        signed_in.session.token = token;
        signed_in.session.user_id = "eva";
        signed_in.session.expires_at = expires_at;
        signed_in.user = eva;
    }

    http::Response send(std::string_view method, std::string_view path, std::string_view token,
                        std::string_view text = {}) {
        calls.clear();
        headers.fields["Content-Type"] = content_type;
        body.body.text = text;
        const sign_in::Cookies cookies("better-auth.session_token", "", false);
        auto credentials = verifier();
        event = {};
        return sign_in::handle_request(
            {method, path, query, headers, body},
            {"192.0.2.1", text::Network::of("192.0.2.1"), token, has_dont_remember},
            {store, credentials, cookies, trusted, now, event, 100, rejects_impersonated});
    }

    static long count_cookies(const http::Response& response) {
        return std::count_if(
            response.headers.begin(), response.headers.end(),
            [](const auto& header) { return std::string_view(header.name) == "Set-Cookie"; });
    }

    /// Returns the status, the start of the body, and how many cookies are set.
    std::string get_session(std::string_view token = "token") {
        const auto response = send("GET", "/get-session", token);
        return std::to_string(response.status) + " " + response.body.substr(0, 10) + " " +
               std::to_string(count_cookies(response));
    }
};

TEST(sign_in_endpoints, return_an_unexpired_session) {
    expect("200 {\"session\" 0", get_session());
    expect("session token", calls.text());
}

TEST(sign_in_endpoints, do_not_query_the_database_for_an_invalid_token) {
    for (std::string_view token :
         {std::string_view(), std::string_view("\xff"), std::string_view("token\0", 6)}) {
        expect("200 null 0", get_session(token));
        expect("", calls.text());
    }
}

TEST(sign_in_endpoints, extend_a_session_from_the_second_day_on) {
    add_session("token", now + 6 * 24h + 1ms);
    expect("200 {\"session\" 0", get_session());
    add_session("token", now + 6 * 24h);
    expect("200 {\"session\" 1", get_session());
    expect("session token, extend_session token", calls.text());
    CHECK_TRUE(store.sessions["token"].session.expires_at == now + 7 * 24h);
    CHECK_TRUE(store.sessions["token"].session.updated_at == now);
}

TEST(sign_in_endpoints, extend_no_session_that_must_not_be_extended) {
    add_session("token", now + 1h);
    has_dont_remember = true;
    expect("200 {\"session\" 0", get_session());
    has_dont_remember = false;
    for (const char* text : {"disableRefresh=true", "disableRefresh=false", "disableRefresh=1"}) {
        query = text;
        expect("200 {\"session\" 0", get_session());
    }
    for (const char* text : {"disableRefresh=", "disableCookieCache=true"}) {
        query = text;
        add_session("token", now + 1h);
        expect("200 {\"session\" 1", get_session());
    }
}

TEST(sign_in_endpoints, extend_no_session_opened_for_less_than_seven_days) {
    for (const auto lifetime : {text::Timestamp::duration(5min), text::Timestamp::duration(24h),
                                text::Timestamp::duration(6 * 24h + 23h)}) {
        add_session("token", now + 1min);
        store.sessions["token"].session.created_at = now + 1min - lifetime;
        expect("200 {\"session\" 0", get_session());
        expect("session token", calls.text());
    }
    for (const auto lifetime :
         {text::Timestamp::duration(7 * 24h - 1s), text::Timestamp::duration(30 * 24h)}) {
        add_session("token", now + 1min);
        store.sessions["token"].session.created_at = now + 1min - lifetime;
        expect("200 {\"session\" 1", get_session());
    }
}

TEST(sign_in_endpoints, extend_no_impersonated_session) {
    add_session("token", now + 1h);
    store.sessions["token"].session.impersonated_by = "boss";
    store.add("boss", "boss@example.org", "admin");
    expect("200 {\"session\" 0", get_session());
    expect("session token, find boss", calls.text());
}

TEST(sign_in_endpoints, change_nothing_on_a_sign_out_without_a_session) {
    for (const char* token : {"", "unknown"}) {
        LONGS_EQUAL(200, send("POST", "/sign-out", token).status);
        CHECK_FALSE(event.is_change);
    }
    LONGS_EQUAL(200, send("POST", "/sign-out", "token").status);
    CHECK_TRUE(event.is_change);
}

TEST(sign_in_endpoints, end_a_session_that_expires_now_or_has_no_expiry) {
    for (const std::optional<text::Timestamp> time :
         {std::optional(now), std::optional(now - 1h), std::optional<text::Timestamp>()}) {
        add_session("token", time);
        expect("200 null 3", get_session());
        expect("session token, close_session token", calls.text());
        CHECK_TRUE(store.sessions.empty());
    }
    expect("200 null 3", get_session());
}

TEST(sign_in_endpoints, report_a_session_that_ends_while_it_is_extended) {
    add_session("token", now + 1h);
    store.sessions["token"].session.token = "another";
    expect("401 {\"message\" 3", get_session());
}

TEST(sign_in_endpoints, keep_the_session_of_a_banned_user) {
    store.sessions["token"].user.banned = true;
    expect("200 null 0", get_session());
    expect("session token", calls.text());
}

TEST(sign_in_endpoints, report_database_failures) {
    store.failures["session"] = store::Failure::unavailable;
    expect("503 {\"message\" 0", get_session());
    store.failures["session"] = store::Failure::failed;
    expect("500 {\"message\" 0", get_session());
    store.failures = {{"close_session", store::Failure::failed}};
    LONGS_EQUAL(500, send("POST", "/sign-out", "token").status);
}

TEST(sign_in_endpoints, return_a_session_that_cannot_be_extended_unchanged) {
    for (const auto failure : {store::Failure::unavailable, store::Failure::failed}) {
        add_session("token", now + 1h);
        query = "disableRefresh=true";
        const std::string unextended = send("GET", "/get-session", "token").body;
        query = {};
        store.failures["extend_session"] = failure;
        const auto response = send("GET", "/get-session", "token");
        expect("session token, extend_session token", calls.text());
        LONGS_EQUAL(200, response.status);
        expect(unextended, response.body);
        LONGS_EQUAL(0, count_cookies(response));
        store.failures.clear();
    }
}

TEST(sign_in_endpoints, return_null_for_an_expired_session_that_cannot_be_deleted) {
    add_session("token", now - 1h);
    for (const auto failure : {store::Failure::unavailable, store::Failure::failed}) {
        store.failures["close_session"] = failure;
        expect("200 null 3", get_session());
    }
}

TEST(sign_in_endpoints, open_a_session_of_seven_days_or_one_day) {
    const auto sign_in = [this](const std::string& more) {
        const std::string text = R"({"email":"eva@example.org","password":"right")" + more + "}";
        return send("POST", "/sign-in/email", "", text).status;
    };
    LONGS_EQUAL(200, sign_in(""));
    expect("body, credential eva@example.org, verify right, open_session", calls.text());
    CHECK_TRUE(store.opened->expires_at == now + 7 * 24h && store.opened->created_at == now);
    LONGS_EQUAL(200, sign_in(R"(,"rememberMe":true)"));
    CHECK_TRUE(store.opened->expires_at == now + 7 * 24h);
    LONGS_EQUAL(200, sign_in(R"(,"rememberMe":false)"));
    CHECK_TRUE(store.opened->expires_at == now + 24h);
    expect("eva", store.opened->user_id);
    LONGS_EQUAL(32, store.opened->token.size());
    store.failures["open_session"] = store::Failure::unavailable;
    LONGS_EQUAL(503, sign_in(""));
}

TEST(sign_in_endpoints, reject_passwords_longer_than_the_library_accepts) {
    limit.attempts = 100;
    const auto sign_in = [this](std::string_view email, const std::string& password) {
        const auto response =
            send("POST", "/sign-in/email", "",
                 R"({"email":")" + std::string(email) + R"(","password":")" + password + "\"}");
        return std::to_string(response.status) +
               (response.body.find("PASSWORD_TOO_LONG") != std::string::npos ? " too long" : "");
    };
    const auto repeat = [](int count, std::string_view letter) {
        std::string text;
        while (count-- > 0)
            text += letter;
        return text;
    };
    for (const std::string& password :
         {repeat(128, "x"), repeat(128, "ñ"), repeat(128, "€"), repeat(64, "🔑")})
        expect("401", sign_in("eva@example.org", password), password);
    for (const std::string& password :
         {repeat(129, "x"), repeat(129, "ñ"), repeat(129, "€"), repeat(64, "🔑") + "x"}) {
        expect("400 too long", sign_in("eva@example.org", password), password);
        expect("body", calls.text(), password);
    }
}

TEST(sign_in_endpoints, use_the_last_of_repeated_form_fields) {
    content_type = "application/x-www-form-urlencoded";
    for (const char* form : {"email=eva%40example.org&password=x&password=right",
                             "email=x&password=right&&em%61il=eva%40example.org&other"})
        LONGS_EQUAL(200, send("POST", "/sign-in/email", "", form).status);
    LONGS_EQUAL(
        401, send("POST", "/sign-in/email", "", "email=eva%40example.org&password=right&password=x")
                 .status);
}

TEST(sign_in_endpoints, send_WWW_Authenticate_with_401) {
    const auto rejected =
        send("POST", "/sign-in/email", "", R"({"email":"eva@example.org","password":"x"})");
    LONGS_EQUAL(401, rejected.status);
    expect("Bearer", header_of(rejected, "WWW-Authenticate"));
    expect("", header_of(send("POST", "/sign-out", ""), "WWW-Authenticate"));
}

TEST(sign_in_endpoints, clear_the_dont_remember_cookie_after_a_remembered_sign_in) {
    const auto cookies = [this](const std::string& more) {
        return header_of(send("POST", "/sign-in/email", "",
                              R"({"email":"eva@example.org","password":"right")" + more + "}"),
                         "Set-Cookie");
    };
    const std::string ended = "better-auth.dont_remember=; Max-Age=0";
    CHECK_TRUE(cookies("").find(ended) == std::string::npos);
    has_dont_remember = true;
    CHECK_TRUE(cookies("").find(ended) != std::string::npos);
    CHECK_TRUE(cookies(R"(,"rememberMe":false)").find(ended) == std::string::npos);
}

TEST(sign_in_endpoints, sign_out_closes_the_session_of_the_token) {
    LONGS_EQUAL(200, send("POST", "/sign-out", "token").status);
    expect("body, close_session token", calls.text());
    LONGS_EQUAL(200, send("POST", "/sign-out", "").status);
    expect("body", calls.text());
}

TEST(sign_in_endpoints, do_not_read_the_body_of_a_cross_site_request) {
    headers.fields = {{"Host", "localhost"}, {"Origin", "http://evil.test"}, {"Cookie", "a=b"}};
    for (std::string_view path : {"/sign-in/email", "/sign-out"}) {
        const auto response = send("POST", path, "token");
        LONGS_EQUAL(403, response.status);
        LONGS_EQUAL(0, count_cookies(response));
        expect("", calls.text());
    }
}

TEST(sign_in_endpoints, open_a_session_for_the_verified_user) {
    const std::string_view login = R"({"email":"eva@example.org","password":"right"})";
    CHECK_EQUAL(200, send("POST", "/sign-in/email", "", login).status);
    expect("right", store.terms->password_hash.value_or("nothing"));
    CHECK_FALSE(store.terms->allows_banned);
    CHECK_EQUAL(100, store.terms->max_sessions);
}

TEST(sign_in_endpoints, retry_if_the_user_changes_before_the_session_is_opened) {
    const std::string_view login = R"({"email":"eva@example.org","password":"right"})";
    const auto status_after = [&](int times, const std::function<void()>& change) {
        store.changes_before_session = times;
        store.meanwhile = change;
        return send("POST", "/sign-in/email", "", login).status;
    };
    CHECK_EQUAL(200, status_after(2, {}));
    CHECK_EQUAL(503, status_after(3, {}));
    CHECK_EQUAL(403, status_after(1, [&] {
                    eva.banned = true;
                    store.credentials[eva.email] = {eva, "right"};
                }));
    expect("", event.caller);
    eva.banned = false;
    store.credentials[eva.email] = {eva, "right"};
    CHECK_EQUAL(401, status_after(1, [&] { store.credentials[eva.email] = {eva, "other"}; }));
}

TEST(sign_in_endpoints, open_no_session_for_a_user_with_a_second_factor) {
    store.credentials["eva@example.org"].has_second_factor = true;
    const auto response =
        send("POST", "/sign-in/email", "", R"({"email":"eva@example.org","password":"right"})");
    LONGS_EQUAL(403, response.status);
    STRCMP_CONTAINS(R"("code":"TWO_FACTOR_REQUIRED")", response.body.c_str());
    expect("", header_of(response, "Set-Cookie"));
    CHECK_FALSE(store.opened.has_value());
    expect("eva", event.target);
    expect("second-factor", event.reason);
    expect("", event.caller);
}

TEST(sign_in_endpoints, hide_an_impersonated_session_if_rejected) {
    store.sessions["token"].session.impersonated_by = "sara-1";
    store.add("sara-1", "sara@example.org", "superAdmin");
    expect("200 {\"session\" 0", get_session());
    rejects_impersonated = true;
    expect("200 null 0", get_session());
    store.sessions["token"].session.impersonated_by = "";
    expect("200 {\"session\" 0", get_session());
}

TEST(sign_in_endpoints, hide_the_session_of_a_banned_or_deleted_impersonator) {
    store.sessions["token"].session.impersonated_by = "sara-1";
    expect("200 null 0", get_session());
    store.add("sara-1", "sara@example.org", "superAdmin").banned = true;
    expect("200 null 0", get_session());
    store.failures["find"] = store::Failure::unavailable;
    expect("503 {\"message\" 0", get_session());
    store.failures["find"] = store::Failure::failed;
    expect("500 {\"message\" 0", get_session());
}

TEST(sign_in_endpoints, hide_the_impersonated_session_of_a_new_super_admin) {
    store.add("sara-1", "sara@example.org", "admin");
    store.sessions["token"].session.impersonated_by = "sara-1";
    expect("200 {\"session\" 0", get_session());
    store.sessions["token"].user.role = "superAdmin";
    expect("200 null 0", get_session());
}

TEST(sign_in_endpoints, reject_requests_that_the_browser_marks_as_cross_site) {
    for (std::string_view cookie : {"", "a=b"})
        for (std::string_view site : {"cross-site", "same-site"}) {
            headers.fields = {{"Host", "localhost"},
                              {"Origin", "https://localhost"},
                              {"Cookie", cookie},
                              {"Sec-Fetch-Site", site},
                              {"Sec-Fetch-Mode", "cors"}};
            const auto response =
                send("POST", "/sign-in/email", "", R"({"email":"eva@example.org"})");
            LONGS_EQUAL(403, response.status);
            STRCMP_CONTAINS("INVALID_ORIGIN", response.body.c_str());
            expect("", calls.text());
            const auto signed_out = send("POST", "/sign-out", "token");
            LONGS_EQUAL(cookie.empty() ? 200 : 403, signed_out.status);
            LONGS_EQUAL(0, count_cookies(signed_out));
        }
}

TEST(sign_in_endpoints, reject_a_browser_without_the_servers_own_origin) {
    using Fields = decltype(headers.fields);
    const auto code_of = [&](const Fields& fields) {
        headers.fields = fields;
        headers.fields["Host"] = "localhost";
        const auto response = send("POST", "/sign-in/email", "", "{}");
        return between(response.body, R"("code":")", "\"").value_or("(none)");
    };
    for (const Fields& fields : {Fields{{"Origin", "null"}}, Fields{{"Cookie", "a=b"}},
                                 Fields{{"Sec-Fetch-Site", "same-origin"}}})
        expect("MISSING_OR_NULL_ORIGIN", code_of(fields));
    for (const Fields& fields : {Fields{{"Origin", "http://localhost:81"}}, Fields{{"Origin", "/"}},
                                 Fields{{"Referer", "http://evil.test/localhost"}}})
        expect("INVALID_ORIGIN", code_of(fields));
    expect("CROSS_SITE_NAVIGATION_LOGIN_BLOCKED", code_of({{"Origin", "http://localhost"},
                                                           {"Sec-Fetch-Site", "cross-site"},
                                                           {"Sec-Fetch-Mode", "navigate"}}));
    expect("VALIDATION_ERROR", code_of({{"Referer", "http://localhost/login?x"}}));
}

TEST(sign_in_endpoints, accept_a_request_from_a_page_that_hides_its_origin) {
    headers.fields = {{"Host", "localhost"}, {"Origin", "null"}, {"Sec-Fetch-Site", "same-origin"}};
    LONGS_EQUAL(400, send("POST", "/sign-in/email", "", "{}").status);
    headers.fields["Sec-Fetch-Site"] = "cross-site";
    LONGS_EQUAL(403, send("POST", "/sign-in/email", "", "{}").status);
}

} // namespace useradmin::test
