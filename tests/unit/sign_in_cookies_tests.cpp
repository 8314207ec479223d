#include "sign_in/cookies.hpp"
#include "support/fail_test.hpp"

#include <CppUTest/TestHarness.h>
#include <vector>

namespace useradmin::test {

class SetCookies : public Utest {
  protected:
    using Values = std::vector<std::string>;

    /// Returns the values of Set-Cookie.
    static Values values_of(const http::Response& response) {
        Values values;
        for (const http::Header& header : response.headers) {
            STRCMP_EQUAL("Set-Cookie", header.name);
            values.push_back(header.value);
        }
        return values;
    }
    /// Returns the cookies that sign-in sets.
    static Values opened(const sign_in::Cookies& cookies, bool is_remembered = true) {
        http::Response response;
        cookies.set_session(response, "token", is_remembered);
        return values_of(response);
    }
    static std::string opened(std::string_view name, bool is_secure) {
        return opened(sign_in::Cookies(name, "", is_secure)).at(0);
    }
    static Values expired(const sign_in::Cookies& cookies) {
        http::Response response;
        cookies.expire_session(response);
        return values_of(response);
    }
    static void expect(const std::string& expected, const std::string& actual) {
        STRCMP_EQUAL(expected.c_str(), actual.c_str());
    }
};

TEST_GROUP_BASE(cookies, SetCookies){};

TEST(cookies, https_cookies_are_Secure_and_have_the_Secure_prefix) {
    const std::string rest = "x=token; Max-Age=604800; Path=/; HttpOnly";
    expect(rest + "; SameSite=Lax", opened("x", false));
    expect("__Secure-" + rest + "; Secure; SameSite=Lax", opened("x", true));
}

TEST(cookies, with_a_Secure_prefix_are_Secure_on_http_too) {
    for (const std::string name : {"__Secure-x", "__Host-x"})
        for (const bool is_secure : {false, true})
            expect(name + "=token; Max-Age=604800; Path=/; HttpOnly; Secure; SameSite=Lax",
                   opened(name, is_secure));
}

TEST(cookies, new_session_expires_the_applications_cached_session) {
    constexpr std::string_view name = "better-auth.session_token";
    const sign_in::Cookies cookies(name, "", false, "a=b; better-auth.session_data=x");
    CHECK_EQUAL(2, opened(cookies).size());
    CHECK_EQUAL(3, opened(cookies, false).size());
    expect("better-auth.session_data=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax",
           opened(cookies).at(1));
    CHECK_EQUAL(1, opened(sign_in::Cookies(name, "", false, "a=b")).size());
}

TEST(cookies, all_cookies_of_a_split_session_are_expired) {
    const sign_in::Cookies cookies("better-auth.session_token", "", false,
                                   "better-auth.session_data.0=x; better-auth.session_data.1=y");
    for (const Values& values : {opened(cookies), expired(cookies)}) {
        CHECK_TRUE(values.size() >= 4);
        expect("better-auth.session_data.0=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax",
               values.at(2));
        expect("better-auth.session_data.1=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax",
               values.at(3));
    }
}

} // namespace useradmin::test
