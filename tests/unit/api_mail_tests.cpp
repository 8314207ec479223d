#include "crypto/sha256.hpp"
#include "crypto/signature.hpp"
#include "fake_store.hpp"
#include "json/reader.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

namespace useradmin::test {

namespace {

constexpr std::string_view password_link = "POST /another/password-link";
constexpr std::string_view verification_link = "POST /another/verification-link";
constexpr std::string_view invitation =
    R"({"name":"Eva","email":"eva@example.org","invite":true,"role":"user"})";
constexpr std::string_view secret = "a secret of the application";
constexpr std::string_view reset_prefix = "reset-password:";
constexpr std::string_view link_failed = "500 Error al enviar el enlace";

/// Decodes base64 or base64url.
std::string decoded(std::string_view base64) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned bits = 0;
    int count = 0;
    for (char digit : base64) {
        digit = digit == '-' ? '+' : digit == '_' ? '/' : digit;
        const std::size_t value = digits.find(digit);
        if (value == digits.npos)
            continue;
        bits = bits << 6 | static_cast<unsigned>(value);
        if ((count += 6) >= 8)
            bytes += static_cast<char>(bits >> (count -= 8));
    }
    return bytes;
}

class Mail : public ApiScene {
  public:
    void setup() override {
        ApiScene::setup();
        settings.has_extras = true;
        settings.mail.emplace();
        settings.mail->from = "support@example.org";
        settings.mail->password_link = "https://app.example.org/reset?token={token}&x=1";
        settings.mail->verify_link = "https://app.example.org/verify-email?token={token}";
        settings.mail->secret = secret;
    }

  protected:
    /// Invites a user. Each number results in a different address.
    std::string invite(const Caller& caller, int number) {
        return ask(caller, "POST ",
                   R"({"name":"Eva","email":"eva)" + std::to_string(number) +
                       R"(@example.org","invite":true,"role":"user"})");
    }
    /// Returns the text of the last message.
    std::string text() const {
        return decoded(std::string_view(mailer.message).substr(mailer.message.find("\n\n")));
    }
    /// Returns the token in the last message.
    std::string token() const {
        const std::string all = text();
        const std::size_t begin = all.find("token=") + 6;
        return all.substr(begin, all.find_first_of("&\r", begin) - begin);
    }
    /// Returns how many minutes the last row of the verification table is valid.
    long lifetime() const {
        return std::chrono::round<std::chrono::minutes>(store.verification_expires_at - text::now())
            .count();
    }
};

} // namespace

TEST_GROUP_BASE(mail, Mail){};

TEST(mail, a_password_link_has_the_token_of_its_verification_row) {
    expect(R"({"success":true,"message":"Enlace enviado correctamente"})",
           send(super_admin, password_link).body);
    expect("find another, count_mail, issue_verification another, send", calls.text());
    CHECK_EQUAL(24, token().size());
    STRCMP_CONTAINS(("https://app.example.org/reset?token=" + token() + "&x=1").c_str(),
                    text().c_str());
    expect("another", store.verifications[std::string(reset_prefix) + token()]);
    CHECK_EQUAL(60, lifetime());
    CHECK(mailer.message.starts_with(
        "From: <support@example.org>\nTo: <another@example.org>\nSubject: "));
    expect("another@example.org", event.sent_to);
    expect("send-password-link", event.operation);
}

TEST(mail, a_verification_link_has_a_token_signed_with_the_secret) {
    expect("200", ask(super_admin, verification_link));
    expect("find another, count_mail, issue_verification another, send", calls.text());
    CHECK(store.verifications.empty());
    const std::string jwt = token();
    const std::size_t dot = jwt.rfind('.');
    expect(crypto::sign_base64url(jwt.substr(0, dot), secret), jwt.substr(dot + 1));
    expect(R"({"alg":"HS256"})", decoded(jwt.substr(0, jwt.find('.'))));
    const auto claims =
        json::Object::parse(decoded(jwt.substr(jwt.find('.') + 1, dot - jwt.find('.') - 1)));
    CHECK(claims.has_value());
    expect("another@example.org", claims->text("email"));
    expect("another", claims->text("userId"));
    CHECK_EQUAL(3600, claims->number("exp") - claims->number("iat"));
    store.users[1].email_verified = true;
    expect("400 El email ya está verificado", ask(super_admin, verification_link));
}

TEST(mail, only_a_super_admin_sends_links) {
    for (const std::string_view request : {password_link, verification_link}) {
        expect("401 No autorizado", ask(nobody, request));
        for (const Caller& caller : {user, admin})
            expect("403 No tienes permisos para enviar enlaces", ask(caller, request));
        expect("", calls.text());
    }
}

TEST(mail, links_that_are_not_configured_are_not_found) {
    settings.mail->verify_link = {};
    for (const std::string method : {"POST", "GET", "PUT", "OPTIONS"})
        expect(not_found, ask(super_admin, method + std::string(verification_link.substr(4))));
    expect("", event.operation);
    expect("200", ask(super_admin, password_link));
    settings.mail.reset();
    expect("401 No autorizado", ask(nobody, password_link));
    expect(not_found, ask(user, password_link));
    expect(not_found, ask(super_admin, password_link));
    expect("400 Faltan campos requeridos", ask(super_admin, "POST ", invitation));
}

TEST(mail, an_unknown_user_gets_no_link) {
    for (const char* id : {"unknown", "%FF"})
        expect(not_found, ask(super_admin, "POST /" + std::string(id) + "/password-link"));
}

TEST(mail, a_link_that_was_not_sent_is_not_valid) {
    mailer.fails = true;
    expect(link_failed, ask(super_admin, password_link));
    expect("find another, count_mail, issue_verification another, send, remove_verification",
           calls.text());
    CHECK(store.verifications.empty());
    expect(link_failed, ask(super_admin, verification_link));
}

TEST(mail, failures_have_their_own_texts) {
    for (const std::string_view call : {"find", "count_mail", "issue_verification"})
        for (const auto& [failure, answer] : {std::pair(store::Failure::failed, link_failed),
                                              {store::Failure::unavailable, unavailable}}) {
            store.failures = {{call, failure}};
            expect(answer, ask(super_admin, password_link), call);
        }
    store.failures = {{"issue_verification", store::Failure::caller_demoted}};
    expect("403 No tienes permisos para enviar enlaces", ask(super_admin, password_link));
}

TEST(mail, no_link_is_sent_if_the_version_differs) {
    headers.fields["If-Match"] = "\"7-8.9\"";
    expect("412 El usuario ha cambiado", ask(super_admin, password_link));
    expect("find another", calls.text());
    headers.fields["If-Match"] = "\"1-2.3\"";
    expect("200", ask(super_admin, password_link));
    CHECK(store.guard->versions.has_value());
}

TEST(mail, a_link_is_sent_only_to_an_unchanged_address) {
    ask(super_admin, password_link);
    CHECK(store.guard->versions.has_value());
    CHECK(store.guard->versions->front() == "1-2.3");
    store.failures = {{"issue_verification", store::Failure::version_mismatch}};
    expect("412 El usuario ha cambiado", ask(super_admin, password_link));
    expect("find another, count_mail, issue_verification another", calls.text());
}

TEST(mail, admins_may_send_half_of_the_messages) {
    settings.mail->limit = 4;
    expect("200", invite(admin, 1));
    expect("200", invite(admin, 2));
    for (int number = 3; number < 9; ++number)
        expect("429 Demasiadas peticiones", invite(admin, number));
    expect("200", invite(super_admin, 9));
    expect("200", invite(super_admin, 10));
    expect("429 Demasiadas peticiones", invite(super_admin, 11));
}

TEST(mail, half_of_an_odd_limit_is_rounded_up) {
    settings.mail->limit = 3;
    expect("200", invite(admin, 1));
    expect("200", invite(admin, 2));
    expect("429 Demasiadas peticiones", invite(admin, 3));
    expect("200", invite(super_admin, 4));
}

TEST(mail, messages_are_limited_per_hour) {
    for (int index = 0; index < 5; ++index)
        expect("200", ask(super_admin, password_link));
    const auto refused = send(super_admin, password_link);
    expect("429 Demasiadas peticiones", summary_of(refused));
    expect("60", header_of(refused, "Retry-After"));
    expect("200", ask(super_admin, "POST /boss/password-link"));
    settings.mail->limit = 6;
    expect("429 Demasiadas peticiones", ask(super_admin, "POST /root/password-link"));
    expect("find root, count_mail", calls.text());
}

TEST(mail, rejected_for_one_user_does_not_count_for_others) {
    settings.mail->limit = 8;
    for (int index = 0; index < 5; ++index)
        expect("200", ask(super_admin, password_link));
    for (int index = 0; index < 9; ++index)
        expect("429 Demasiadas peticiones", ask(super_admin, password_link));
    for (int number = 1; number < 4; ++number)
        expect("200", invite(admin, number));
    expect("429 Demasiadas peticiones", invite(super_admin, 4));
}

TEST(mail, an_address_that_a_header_cannot_contain_gets_no_mail) {
    for (const char* email : {"a@b.c,d@e.f", "a,b@c.d", "a b@c.d", "-a@b.c", "a@b.c\nBcc: d@e.f",
                              "a", "@b", "a@", "\"a\"@b.c", "a@b@c", "ana@exa\xc3\xb1mple.org"}) {
        store.users[1].email = email;
        expect("400 No se puede enviar correo a este email", ask(super_admin, password_link),
               email);
    }
    expect("find another", calls.text());
}

TEST(mail, an_invitation_creates_a_user_without_an_account) {
    expect("200", ask(admin, "POST ", invitation));
    expect("body, find_by_email eva@example.org, count_mail, create, add_verification " +
               store.created->id + ", send",
           calls.text());
    CHECK(!store.created->has_account);
    expect(store.created->id, store.verifications[std::string(reset_prefix) + token()]);
    CHECK_EQUAL(24 * 60, lifetime());
    STRCMP_CONTAINS("vale 24 h", text().c_str());
    expect("eva@example.org", event.sent_to);
    expect(store.created->id, event.target);
}

TEST(mail, an_invitation_excludes_a_password) {
    expect("400 Petición incorrecta",
           ask(super_admin, "POST ",
               R"({"name":"Eva","email":"eva@example.org","invite":true,"password":"clave"})"));
    expect("body, find_by_email eva@example.org", calls.text());
}

TEST(mail, a_user_whose_invitation_was_not_sent_is_not_created) {
    mailer.fails = true;
    expect("500 Error al enviar la invitación; no se ha creado el usuario",
           ask(super_admin, "POST ", invitation));
    CHECK_EQUAL(4, store.users.size());
    CHECK(store.verifications.empty());
    mailer.fails = false;
    store.failures = {{"add_verification", store::Failure::failed}};
    expect("500 Error al enviar la invitación; no se ha creado el usuario",
           ask(super_admin, "POST ", invitation));
    store.failures = {{"add_verification", store::Failure::failed},
                      {"remove", store::Failure::failed}};
    expect(link_failed, ask(super_admin, "POST ", invitation));
}

TEST(mail, the_language_is_that_of_the_settings_or_the_request) {
    ask(super_admin, password_link);
    STRCMP_CONTAINS("Hola, another:", text().c_str());
    settings.language.reset();
    headers.fields["Accept-Language"] = "en";
    ask(super_admin, password_link);
    STRCMP_CONTAINS("Hello another,", text().c_str());
}

} // namespace useradmin::test
