// Origins as sent by browsers, and the CORS headers of responses.
#include "fake_store.hpp"

#include "http/origin.hpp"
#include "support/text.hpp"

namespace useradmin::test {

namespace {

void expect_origin(std::string_view expected, std::string_view text, SourceLocation where = {}) {
    expect(expected, http::parse_origin(text).value_or("(none)"), text, where);
}

} // namespace

TEST_GROUP(origins) {
    FakeHeaders headers;
};

TEST(origins, consist_of_a_scheme_a_host_and_an_optional_port) {
    for (const auto text : {"http://a", "https://app.example.com", "https://app.example.com:8443",
                            "http://127.0.0.1:8080", "http://[::1]", "http://[2001:db8::1]:8080",
                            "https://a_b-c.example", "https://example.com."})
        expect_origin(text, text);
}

TEST(origins, are_normalized_as_browsers_do) {
    expect_origin("https://app.example.com", "HTTPS://App.Example.COM");
    expect_origin("https://app.example.com", "https://app.example.com:443");
    expect_origin("http://app.example.com", "http://app.example.com:80");
    expect_origin("http://app.example.com:443", "http://app.example.com:443");
    expect_origin("https://[2001:db8::a]", "https://[2001:DB8::A]:0443");
}

TEST(origins, reject_anything_else) {
    for (const char* text : {"", "https://a b", "https://a, https://b"})
        expect_origin("(none)", text);
    for (const std::string& text :
         words_of("null * app.example.com //app.example.com ftp://a file:// http:/a http:// "
                  "https://:443 https://a/ https://a/b https://a?b https://a#b "
                  "https://*.example.com https://a: https://a:0 https://a:65536 https://a:+1 "
                  "https://a:1:2 https://b@a https://a\\b https://[::1 https://[] https://[x] "
                  "https://.a https://a..b https://\xc3\xa1"))
        expect_origin("(none)", text);
}

TEST(origins, origin_of_a_URL_ends_before_the_path) {
    for (const auto url : {"https://a/b", "https://a?b", "https://a#b", "https://a", "HTTPS://A/"})
        expect("https://a", http::origin_of_url(url).value_or("(none)"), url);
    for (const auto url : {"/a", "//a/b", "https:a", "javascript://a", "https://b@a/", ""})
        expect("(none)", http::origin_of_url(url).value_or("(none)"), url);
}

TEST(origins, match_the_servers_host_and_port_on_both_schemes) {
    struct Case {
        std::string_view host;
        std::string_view origin;
        bool is_own;
    };
    const Case cases[] = {
        {"a", "http://a", true},           {"a", "https://a", true},
        {"A", "https://a", true},          {"a:443", "https://a", true},
        {"a:80", "http://a", true},        {"a:8443", "https://a:8443", true},
        {"a:8443", "http://a:8443", true}, {"[::1]:81", "http://[::1]:81", true},
        {"a:80", "https://a", false},      {"a:443", "http://a", false},
        {"a", "https://a:8443", false},    {"a:8443", "https://a", false},
        {"a", "https://b", false},         {"a", "https://a.b", false},
        {"a", "https://b.a", false},       {"", "https://a", false},
        {"a/b", "https://a", false},
    };
    for (const auto& [host, origin, is_own] : cases) {
        headers.fields["Host"] = host;
        CHECK_EQUAL_TEXT(is_own, http::is_own_origin(origin, headers),
                         (std::string(host) + " " + std::string(origin)).c_str());
    }
}

} // namespace useradmin::test
