// Requests from pages of other origins: which are rejected, and which responses trusted origins may
// read.
#include "fake_store.hpp"

#include <string>
#include <string_view>

namespace useradmin::test {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view refused = "403 Origen no permitido";
constexpr std::string_view new_user =
    R"({"name":"Eva","email":"e@x","password":"x","role":"user"})";
constexpr std::string_view trusted_origins[] = {"https://app.example.org", "http://localhost:3000"};

class OtherOrigins : public ApiScene {
  public:
    void setup() override {
        ApiScene::setup();
        settings.trusted_origins = trusted_origins;
    }

  protected:
    void set_origin(std::string_view origin, std::string_view site = {}) {
        headers.fields = {{"Host", "example.org"}, {"Origin", origin}, {"Sec-Fetch-Site", site}};
    }

    /// Expects that every change sent from a superAdmin's page gets this response.
    void expect_changes(std::string_view answer, SourceLocation where = {}) {
        const std::string of = std::string(headers.fields["Origin"]) + " " +
                               std::string(headers.fields["Sec-Fetch-Site"]);
        for (const std::string_view request : {"POST ", "PUT /another", "DELETE /another"}) {
            start_over();
            expect(answer, ask(super_admin, request, new_user), of, where);
            if (answer == refused)
                expect("", calls.text(), of, where);
        }
    }
};

} // namespace

TEST_GROUP_BASE(other_origins, OtherOrigins){};

TEST(other_origins, cannot_make_changes) {
    for (const auto origin :
         {"https://evil.example", "https://app.example.org.evil.example",
          "https://app.example.org:8443", "http://app.example.org", "https://example.org:8443",
          "https://sub.example.org", "null", "x", "https://example.org, https://evil.example",
          "https://APP.example.org"})
        for (const auto site : {""sv, "same-origin"sv, "none"sv}) {
            set_origin(origin, site);
            expect_changes(refused);
        }
}

TEST(other_origins, that_the_browser_reports_cannot_make_changes) {
    for (const auto site : {"cross-site", "same-site", "same-origin, cross-site", "?"})
        for (const auto origin : {""sv, "https://example.org"sv, "https://evil.example"sv}) {
            set_origin(origin, site);
            expect_changes(refused);
        }
}

TEST(other_origins, trusted_origins_are_accepted_from_any_site) {
    for (const std::string_view origin : trusted_origins)
        for (const auto site : {""sv, "cross-site"sv, "same-site"sv, "same-origin"sv}) {
            set_origin(origin, site);
            expect_changes("200");
        }
}

TEST(other_origins, do_not_include_the_servers_own_over_http_or_https) {
    for (const auto origin : {""sv, "http://example.org"sv, "https://example.org"sv})
        for (const auto site : {""sv, "same-origin"sv, "none"sv}) {
            set_origin(origin, site);
            expect_changes("200");
        }
}

TEST(other_origins, get_responses_to_safe_methods) {
    set_origin("https://evil.example", "cross-site");
    for (const auto method : {"GET ", "HEAD ", "GET /another"})
        expect("200", ask(super_admin, method), method);
    expect("204", ask(super_admin, "OPTIONS "));
}

TEST(other_origins, are_rejected_after_the_method_and_before_the_session) {
    set_origin("https://evil.example");
    for (const Caller& caller : {nobody, user, super_admin}) {
        expect("405 Método no permitido", ask(caller, "PUT "));
        for (const auto request :
             {"POST ", "PUT /another", "DELETE /another", "PUT /a/b", "PATCH /a/b"}) {
            expect(refused, ask(caller, request, "{"), request);
            expect("", calls.text(), request);
        }
    }
}

TEST(other_origins, trusted_origins_may_read_every_response) {
    set_origin("https://app.example.org", "cross-site");
    for (const Caller& caller : {nobody, super_admin})
        for (const auto request : {"GET ", "GET /unknown", "POST ", "PATCH ", "GET /a/b",
                                   "OPTIONS ", "OPTIONS /another"}) {
            const auto response = send(caller, request, "{");
            expect("https://app.example.org", header_of(response, "Access-Control-Allow-Origin"),
                   request);
            expect("true", header_of(response, "Access-Control-Allow-Credentials"), request);
            expect("Origin", header_of(response, "Vary"), request);
        }
}

TEST(other_origins, may_read_response_headers_if_trusted) {
    set_origin("https://app.example.org", "cross-site");
    constexpr const char* exposed = "Access-Control-Expose-Headers";
    expect("ETag, Link, Retry-After, Warning, X-Total-Count",
           header_of(send(super_admin, "GET /another"), exposed));
    set_origin("https://evil.example");
    expect("", header_of(send(super_admin, "GET /another"), exposed));
}

TEST(other_origins, trusted_origins_get_preflight_responses) {
    set_origin("https://app.example.org", "cross-site");
    const auto response = send(nobody, "OPTIONS /another");
    LONGS_EQUAL(204, response.status);
    expect(header_of(response, "Allow"), header_of(response, "Access-Control-Allow-Methods"));
    expect("Content-Type, Authorization, x-api-key, Idempotency-Key, If-Match, If-None-Match, "
           "traceparent, tracestate",
           header_of(response, "Access-Control-Allow-Headers"));
    expect("7200", header_of(response, "Access-Control-Max-Age"));
    expect("", header_of(send(nobody, "PATCH /another"), "Access-Control-Allow-Methods"));
}

TEST(other_origins, untrusted_origins_cannot_read_responses) {
    for (const auto origin : {"https://evil.example"sv, "https://example.org"sv, "null"sv, ""sv}) {
        set_origin(origin);
        for (const auto request : {"GET ", "POST ", "OPTIONS "}) {
            const auto response = send(super_admin, request, new_user);
            expect("", header_of(response, "Access-Control-Allow-Origin"), request);
            expect("", header_of(response, "Access-Control-Allow-Credentials"), request);
            expect("", header_of(response, "Access-Control-Allow-Methods"), request);
            expect("Origin", header_of(response, "Vary"), request);
        }
    }
    settings.trusted_origins = {};
    expect("", header_of(send(super_admin, "GET "), "Vary"));
}

} // namespace useradmin::test
