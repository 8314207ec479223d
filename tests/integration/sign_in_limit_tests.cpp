// AuthUserAdminSignInLimit: limits on failed sign-in attempts.
#include "own_httpd.hpp"

#include <charconv>

namespace useradmin::test {

namespace {

constexpr const char* too_many = R"({"message":"Too many requests. Please try again later."})";

class SignInLimit : public OwnHttpd {
  protected:
    void setup() override {
        OwnHttpd::setup();
        add_eva();
    }

    /// Starts an httpd with this limit.
    void start_with(const std::string& limit) {
        start("UserAdminPasswordHash argon2id m=64\nUserAdminHashQueue 32\n"
              "<Location \"/auth\">\n  AuthUserAdminSignIn On\n" +
              limit + "\n</Location>\n");
    }

    /// Signs in over a new connection.
    Response sign_in(const std::string& password) {
        return HttpClient(httpd_->port())
            .send({"POST", "/auth/sign-in/email", {}, sign_in_body(eva, password)});
    }

    /// Returns the statuses of several failed attempts: "401 401 429".
    std::string fail_times(int count) {
        std::string statuses;
        for (int attempt = 0; attempt < count; ++attempt)
            statuses += (attempt == 0 ? "" : " ") + std::to_string(sign_in("s3cr3t wrong").status);
        return statuses;
    }

    static int seconds_of(const Response& response, const char* header) {
        const auto text = response.header(header).value_or("");
        int seconds = -1;
        std::from_chars(text.data(), text.data() + text.size(), seconds);
        return seconds;
    }
};

} // namespace

TEST_GROUP_BASE(sign_in_limit, SignInLimit){};

TEST(sign_in_limit, returns_429_even_for_the_correct_password) {
    expect_log("UA0305");
    start_with("AuthUserAdminSignInLimit 3 1000");
    CHECK_EQUAL(std::string("401 401 401 429"), fail_times(4));
    const auto response = sign_in(right_password);
    expect(response, 429, too_many);
    const int seconds = seconds_of(response, "Retry-After");
    CHECK_TRUE(900 < seconds && seconds <= 1000);
    CHECK_EQUAL(seconds, seconds_of(response, "X-Retry-After"));
    CHECK_EQUAL(std::string("no-store"), response.value("Cache-Control"));
}

TEST(sign_in_limit, is_not_reset_by_a_reload) {
    expect_log("UA0305");
    start_with("AuthUserAdminSignInLimit 3 1000");
    CHECK_EQUAL(std::string("401 401 401"), fail_times(3));
    httpd_->restart_gracefully();
    CHECK_EQUAL(429, sign_in(right_password).status);
}

TEST(sign_in_limit, by_default_is_ten_failures_in_a_minute) {
    expect_log("UA0305");
    start_with("");
    CHECK_EQUAL(std::string("401 401 401 401 401 401 401 401 401 401 429"), fail_times(11));
    const int seconds = seconds_of(sign_in(right_password), "Retry-After");
    CHECK_TRUE(0 < seconds && seconds <= 60);
}

TEST(sign_in_limit, applies_to_all_servers_together_if_shared) {
    expect_log("UA0305");
    constexpr const char* limit = "AuthUserAdminSignInLimit 3 1000 shared";
    start_with(limit);
    CHECK_EQUAL(std::string("401 401"), fail_times(2));
    std::unique_ptr<Httpd> first = std::move(httpd_);
    start_with(limit);
    CHECK_EQUAL(std::string("401 429"), fail_times(2));
    const auto response = sign_in(right_password);
    expect(response, 429, too_many);
    CHECK_TRUE(seconds_of(response, "Retry-After") > 900);
    std::swap(httpd_, first);
    CHECK_EQUAL(429, sign_in(right_password).status);
    // A restart does not clear the counts.
    start_with(limit);
    CHECK_EQUAL(429, sign_in(right_password).status);
}

} // namespace useradmin::test
