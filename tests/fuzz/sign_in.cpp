// A sign-in request. The first line of the input is the media type of the body. The rest is the
// body.
#include "scene.hpp"

#include "sign_in/service.hpp"
#include "unit/fake_sign_in.hpp"

namespace useradmin::fuzz {

namespace {

bool is_printable(std::string_view text) {
    return std::none_of(
        text.begin(), text.end(),
        [](char character) {
            return static_cast<unsigned char>(character) < ' ' || character == 0x7f;
        });
}

/// Returns the counts of failed attempts, which exist until the program ends.
password::AttemptLimiter& counts() {
    static test::SharedObject<password::AttemptLimiter> limiter;
    return *limiter;
}

} // namespace

void fuzz_sign_in(std::string_view lines) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    const std::string_view text = lines.substr(std::min(line.size() + 1, lines.size()));
    const std::string_view type = line.substr(0, line.find('\0')); // httpd rejects NUL in a header

    test::Calls calls;
    test::FakeStore store(calls);
    test::FakePasswords passwords(calls);
    test::RecordingLogger log;
    test::FakeBody body(calls);
    test::FakeHeaders headers;
    sign_in::ObservedFormats formats;
    model::User eva;
    eva.id = "eva";
    eva.email = "eva@example.org";
    store.credentials[eva.email] = {eva, "right"};
    headers.fields = {{"Content-Type", type}, {"Host", "localhost"}, {"User-Agent", lines}};
    body.body.text = text;
    constexpr password::AttemptLimit boundless{1000000, std::chrono::seconds(1)};
    sign_in::CredentialVerifier credentials(store, "here", passwords, formats, counts(), boundless,
                                            log);
    const sign_in::Cookies cookies("better-auth.session_token", "", /* is_secure */ false, {},
                                   /* accepts_bearer */ true);
    audit::Event event;
    const http::Response response = sign_in::handle_request(
        {"POST", "/sign-in/email", "", headers, body}, {lines, text::Network::of(lines), "", false},
        {store, credentials, cookies, {}, text::now(), event});

    require(text::is_clean_utf8(calls.text()), "only valid UTF-8 reaches the database");
    const auto envelope = json::Object::parse(response.body);
    require(envelope.has_value(), "a response is a JSON object");
    for (const http::Header& header : response.headers)
        require(is_printable(header.value), "a header is one printable line");
    require(response.status == 200 || (response.status >= 400 && response.status < 500),
            "an invalid body is a client error");
    require((response.status == 200) == store.opened.has_value(),
            "a sign-in succeeds only with a new session");
    if (response.status != 200)
        return;
    require(calls.text().find("verify right") != std::string::npos,
            "a sign-in succeeds only with the password");
    require(store.opened->user_id == "eva" &&
                text::is_clean_utf8(store.opened->user_agent.value_or("")) &&
                text::is_clean_utf8(store.opened->ip_address.value_or("")),
            "the session belongs to the user");
}

} // namespace useradmin::fuzz
