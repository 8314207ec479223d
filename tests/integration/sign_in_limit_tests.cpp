// The limits on failed attempts to sign in, and what else needs an httpd of its own.
#include "own_httpd.hpp"

#include <algorithm>
#include <charconv>
#include <thread>

namespace useradmin::test {

namespace {

constexpr const char* too_many = R"({"message":"Too many requests. Please try again later."})";

} // namespace

TEST_GROUP_BASE(sign_in_limit, Scene) {
    std::unique_ptr<Httpd> httpd_;

    void setup() override {
        Scene::setup();
        for (const char* name : {"eva", "ivo"})
            expect_success(ask(Caller::super_admin, "POST", "/cheap/users",
                               R"({"name":"E","email":")" + std::string(name) +
                                   R"(@example.org","password":"s3cr3t of eva","role":"user"})"));
    }
    void teardown() override {
        httpd_.reset();
    }

    /// An httpd that takes the client's address from X-Client, with further directives.
    void start(const std::string& limit, const std::string& further = "") {
        auto settings =
            Suite::current().settings(Suite::directives_for(Suite::current().database()) +
                                      "RemoteIPHeader X-Client\nRemoteIPInternalProxy 127.0.0.1\n"
                                      "UserAdminPasswordHash argon2id m=64\n"
                                      "UserAdminHashQueue 32\n"
                                      "<Location \"/auth\">\n  AuthUserAdminSignIn On\n" +
                                      limit + "\n</Location>\n" + further);
        settings.modules = {"mod_remoteip.so"};
        httpd_ = std::make_unique<Httpd>(Suite::current().work(), settings);
    }

    /// Signs in over a connection of its own.
    Reply sign_in(const std::string& name, const std::string& password,
                  const std::string& address = "192.0.2.1", const std::string& host = "localhost") {
        return HttpClient(httpd_->port())
            .send({"POST",
                   "/auth/sign-in/email",
                   {"X-Client: " + address, "Host: " + host},
                   R"({"email":")" + name + R"(@example.org","password":")" + password + "\"}"});
    }

    /// The statuses of that many wrong attempts: "401 401 429".
    std::string fail_times(int count, const std::string& name,
                           const std::string& address = "192.0.2.1") {
        std::string statuses;
        for (int attempt = 0; attempt < count; ++attempt)
            statuses += (attempt == 0 ? "" : " ") +
                        std::to_string(sign_in(name, "s3cr3t wrong", address).status);
        return statuses;
    }

    static int seconds_of(const Reply& reply, const char* header) {
        const auto text = reply.header(header).value_or("");
        int seconds = -1;
        std::from_chars(text.data(), text.data() + text.size(), seconds);
        return seconds;
    }
};

TEST(sign_in_limit, after_as_many_failures_is_429_with_Retry_After_also_for_the_right_password) {
    expect_log("UA0305");
    start("AuthUserAdminSignInLimit 3 1000");
    CHECK_EQUAL(std::string("401 401 401 429"), fail_times(4, "eva"));
    const auto reply = sign_in("eva", right_password);
    expect(reply, 429, too_many);
    const int seconds = seconds_of(reply, "Retry-After");
    CHECK_TRUE(900 < seconds && seconds <= 1000);
    CHECK_EQUAL(seconds, seconds_of(reply, "X-Retry-After"));
    CHECK_EQUAL(std::string("no-store"), reply.header("Cache-Control").value_or("(none)"));
}

TEST(sign_in_limit, by_default_is_ten_failures_in_a_minute) {
    expect_log("UA0305");
    start("");
    CHECK_EQUAL(std::string("401 401 401 401 401 401 401 401 401 401 429"), fail_times(11, "eva"));
    CHECK_TRUE(seconds_of(sign_in("eva", right_password), "Retry-After") <= 60);
}

TEST(sign_in_limit, of_an_account_is_none_of_another_s) {
    expect_log("UA0305");
    start("AuthUserAdminSignInLimit 2 1000");
    CHECK_EQUAL(std::string("401 401 429"), fail_times(3, "eva"));
    CHECK_EQUAL(200, sign_in("ivo", right_password).status);
}

TEST(sign_in_limit, of_an_account_from_an_address_holds_for_all_spellings) {
    expect_log("UA0305: too many failed attempts to sign in to one account from this address: "
               "192.0.2.1");
    start("AuthUserAdminSignInLimit 2 1000");
    CHECK_EQUAL(std::string("401"), fail_times(1, "eva"));
    CHECK_EQUAL(std::string("401 429"), fail_times(2, "EVA", "::ffff:192.0.2.1"));
}

TEST(sign_in_limit, of_a_stranger_s_address_does_not_lock_the_owner_out) {
    expect_log("UA0305");
    start("AuthUserAdminSignInLimit 2 1000");
    CHECK_EQUAL(std::string("401 401 429"), fail_times(3, "eva"));
    CHECK_EQUAL(200, sign_in("eva", right_password, "198.51.100.7").status);
    CHECK_EQUAL(429, sign_in("eva", right_password).status);
}

TEST(sign_in_limit, of_an_account_from_all_addresses_is_ten_times_as_many) {
    expect_log("UA0305: too many failed attempts to sign in to one account from all addresses");
    start("AuthUserAdminSignInLimit 1 1000");
    for (int address = 0; address < 5; ++address)
        CHECK_EQUAL(std::string("401"), fail_times(1, "eva", "10.0.0." + std::to_string(address)));
    CHECK_EQUAL(200, sign_in("eva", right_password, "198.51.100.7").status);
    for (int address = 5; address < 10; ++address)
        CHECK_EQUAL(std::string("401"), fail_times(1, "eva", "10.0.0." + std::to_string(address)));
    CHECK_EQUAL(429, sign_in("eva", right_password, "198.51.100.7").status);
    CHECK_EQUAL(200, sign_in("ivo", right_password, "198.51.100.7").status);
}

TEST(sign_in_limit, counts_unknown_addresses_too) {
    expect_log("UA0305");
    start("AuthUserAdminSignInLimit 2 1000");
    CHECK_EQUAL(std::string("401 401 429"), fail_times(3, "nobody"));
}

TEST(sign_in_limit, of_a_client_s_address_is_three_times_as_many_and_none_of_another_s) {
    expect_log("UA0305: too many failed attempts to sign in from this address: 192.0.2.1");
    start("AuthUserAdminSignInLimit 2 1000");
    CHECK_EQUAL(std::string("401 401"), fail_times(2, "a"));
    CHECK_EQUAL(std::string("401 401"), fail_times(2, "b"));
    CHECK_EQUAL(std::string("401 401"), fail_times(2, "c"));
    expect(sign_in("eva", right_password), 429, too_many);
    CHECK_EQUAL(200, sign_in("eva", right_password, "192.0.2.2").status);
}

TEST(sign_in_limit, of_IPv6_addresses_is_that_of_their_network) {
    expect_log("UA0305");
    start("AuthUserAdminSignInLimit 1 1000");
    CHECK_EQUAL(std::string("401"), fail_times(1, "a", "2001:db8:0:1::1"));
    CHECK_EQUAL(std::string("401"), fail_times(1, "b", "2001:db8:0:1:ffff::2"));
    CHECK_EQUAL(std::string("401"), fail_times(1, "c", "2001:db8:0:1:2:3:4:5"));
    CHECK_EQUAL(429, sign_in("eva", right_password, "2001:db8:0:1::9").status);
    CHECK_EQUAL(200, sign_in("eva", right_password, "2001:db8:0:2::9").status);
}

TEST(sign_in_limit, of_wider_IPv6_networks_is_a_larger_one) {
    expect_log("UA0305: too many failed attempts to sign in to one account from this network: "
               "2001:db8::/48");
    start("AuthUserAdminSignInLimit 1 1000");
    for (const char* address :
         {"2001:db8:0:100::1", "2001:db8:0:200::1", "2001:db8:0:300::1", "2001:db8:0:400::1"})
        CHECK_EQUAL(std::string("401"), fail_times(1, "eva", address));
    CHECK_EQUAL(429, sign_in("eva", right_password, "2001:db8:0:500::1").status);
    CHECK_EQUAL(200, sign_in("eva", right_password, "2001:db8:1::1").status);
}

TEST(sign_in_limit, is_over_when_its_time_is) {
    expect_log("UA0305");
    start("AuthUserAdminSignInLimit 1 2");
    CHECK_EQUAL(std::string("401 429"), fail_times(2, "eva"));
    std::this_thread::sleep_for(std::chrono::milliseconds(2100));
    CHECK_EQUAL(200, sign_in("eva", right_password).status);
}

TEST(sign_in_limit, starts_anew_for_the_account_with_a_success) {
    start("AuthUserAdminSignInLimit 2 1000");
    for (int round = 0; round < 3; ++round) {
        CHECK_EQUAL(std::string("401"), fail_times(1, "eva"));
        CHECK_EQUAL(200, sign_in("eva", right_password).status);
    }
}

TEST(sign_in_limit, starts_anew_for_no_account_of_the_same_address_in_another_database) {
    expect_log("UA0305: too many failed attempts to sign in to one account");
    TestDatabase other(Suite::current().work(), Suite::current().kind(), "other-accounts");
    start("AuthUserAdminSignInLimit 2 1000",
          "<VirtualHost *:${PORT}>\nServerName localhost\n</VirtualHost>\n"
          "<VirtualHost *:${PORT}>\nServerName other.test\n" +
              Suite::directives_for(other) + location("/users", as_sara) + "</VirtualHost>\n");
    expect_success(
        HttpClient(httpd_->port())
            .send({"POST",
                   "/users",
                   {"Host: other.test"},
                   R"({"name":"E","email":"eva@example.org","password":"another one"})"}));
    CHECK_EQUAL(std::string("401"), fail_times(1, "eva"));
    CHECK_EQUAL(200, sign_in("eva", "another one", "192.0.2.1", "other.test").status);
    CHECK_EQUAL(std::string("401 429"), fail_times(2, "eva"));
    CHECK_EQUAL(200, sign_in("eva", "another one", "192.0.2.1", "other.test").status);
}

TEST(sign_in_limit, is_one_for_all_children) {
    expect_log("UA0305");
    start("AuthUserAdminSignInLimit 5 1000");
    const auto statuses = fail_times(40, "eva");
    CHECK_EQUAL(
        "401 401 401 401 401" +
            [] {
                std::string rest;
                for (int attempt = 5; attempt < 40; ++attempt)
                    rest += " 429";
                return rest;
            }(),
        statuses);
}

TEST(sign_in_limit, is_not_passed_by_many_attempts_at_once) {
    expect_log("UA0305");
    start("AuthUserAdminSignInLimit 4 1000");
    const std::vector<Request> requests(
        30, {"POST",
             "/auth/sign-in/email",
             {"X-Client: 192.0.2.1"},
             R"({"email":"eva@example.org","password":"s3cr3t wrong"})"});
    const auto replies = HttpClient(httpd_->port()).send_at_once(requests);
    const auto verified = std::count_if(replies.begin(), replies.end(),
                                        [](const Reply& reply) { return reply.status == 401; });
    // As many more as there are hashing slots for one account may be under way when the last one
    // fails, and some that have just let theirs go.
    const auto slots = static_cast<std::ptrdiff_t>(std::thread::hardware_concurrency());
    CHECK_TRUE(verified >= 4 && verified <= 4 + std::max<std::ptrdiff_t>(2 * slots, 16));
}

TEST(sign_in_limit, counts_nobody_s_right_passwords_at_once) {
    start("AuthUserAdminSignInLimit 1 1000");
    const std::vector<Request> requests(
        20, {"POST",
             "/auth/sign-in/email",
             {"X-Client: 192.0.2.1"},
             R"({"email":"eva@example.org","password":"s3cr3t of eva"})"});
    for (const auto& reply : HttpClient(httpd_->port()).send_at_once(requests))
        CHECK_EQUAL(200, reply.status);
}

TEST(sign_in_limit, counts_no_attempt_that_the_database_could_not_answer) {
    allow_lines_without_a_database();
    start("AuthUserAdminSignInLimit 1 1000");
    Suite::current().database().make_unavailable();
    const auto first = sign_in("eva", right_password);
    const auto second = sign_in("eva", right_password);
    const auto session =
        HttpClient(httpd_->port())
            .send({"GET", "/auth/get-session", {"Cookie: better-auth.session_token=abc"}, {}});
    const auto sign_out = HttpClient(httpd_->port())
                              .send({"POST", "/auth/sign-out", {"Authorization: Bearer abc"}, ""});
    Suite::current().database().make_available();
    for (const auto& reply : {first, second, session, sign_out}) {
        expect(reply, 503, R"({"message":"Service unavailable","code":"SERVICE_UNAVAILABLE"})");
        CHECK_EQUAL(std::string("1"), reply.header("Retry-After").value_or("(none)"));
        CHECK_FALSE(reply.header("Set-Cookie").has_value());
    }
    CHECK_EQUAL(200, sign_in("eva", right_password).status);
}

} // namespace useradmin::test
