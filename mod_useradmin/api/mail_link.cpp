// UserAdminMailCommand: POST /api/users/{id}/password-link and verification-link
#include "api/mail_link.hpp"

#include "api/guard_rules.hpp"
#include "api/precondition.hpp"
#include "crypto/random.hpp"
#include "crypto/sha256.hpp"
#include "crypto/signature.hpp"
#include "mail/message.hpp"
#include "text/timestamp.hpp"
#include "text/unicode.hpp"
#include "json/writer.hpp"

#include <chrono>
#include <vector>

namespace useradmin::api {

namespace {

constexpr std::int64_t max_for_one_user = 5;
constexpr std::chrono::hours window_of_limit(1);

/// The lifetime is a day for invitations, otherwise better-auth's default.
constexpr std::chrono::hours lifetime_of(mail::Kind kind) noexcept {
    return std::chrono::hours(kind == mail::Kind::invitation ? 24 : 1);
}

/// Returns the URL template for the kind, or an empty string if none is configured.
std::string_view link_template_of(mail::Kind kind, const mail::Settings& settings) noexcept {
    return kind == mail::Kind::verify_email ? settings.verify_link : settings.password_link;
}

/// Returns a JWT (RFC 7519) signed with HS256, like better-auth's createEmailVerificationToken().
crypto::Secret verification_token(const model::User& user, std::string_view secret) {
    using std::chrono::seconds;
    const auto now = std::chrono::floor<seconds>(text::now()).time_since_epoch();
    std::string claims;
    json::Writer writer(claims);
    writer.begin_object().key("email").string(text::lower(user.email));
    // better-auth requires userId since 1.7.25.
    writer.key("userId").string(user.id).key("iat").integer(now.count());
    writer.key("exp")
        .integer((now + seconds(lifetime_of(mail::Kind::verify_email))).count())
        .end_object();
    std::string token;
    for (const std::string_view part :
         {std::string_view(R"({"alg":"HS256"})"), std::string_view(claims)})
        token.append(token.empty() ? "" : ".")
            .append(crypto::base64url_of(crypto::base64_of(part)));
    const std::string signature = crypto::sign_base64url(token, secret);
    token.append(".").append(signature);
    return crypto::Secret(std::move(token));
}

} // namespace

bool offers_link(mail::Kind kind, const OperationSettings& settings) noexcept {
    return settings.mail && !link_template_of(kind, *settings.mail).empty();
}

std::optional<Response> count_mail(const Caller& caller, std::string_view recipient,
                                   std::string_view email, const Service& service) {
    if (!mail::is_address(email))
        return error(400, texts.email_not_mailable);
    const std::int64_t limit = service.settings.mail->limit;
    std::vector<store::AttemptCounter> counters = {
        {crypto::hex(crypto::digest({"mail"})), limit},
        {crypto::hex(crypto::digest({"mail", recipient})), max_for_one_user}};
    if (!is_super_administrator(caller))
        counters.push_back(
            {crypto::hex(crypto::digest({"mail", "of", "admins"})), (limit + 1) / 2});
    const auto counted = service.store.count_mail(counters, window_of_limit);
    if (!counted)
        return failure_response(counted.failure(), texts.link_failed);
    if (!counted->exceeded)
        return std::nullopt;
    Response response = error(429, texts.too_many_requests);
    response.headers.push_back({"Retry-After", std::to_string(counted->retry_after.count())});
    return response;
}

PasswordLink::PasswordLink(mail::Kind kind)
    : kind_(kind), id_(crypto::random_uuid()), token_(crypto::random_token(24)),
      identifier_(std::string(model::password_link_prefix) + std::string(token_.view())) {}

model::VerificationValue PasswordLink::row(std::string_view user_id) const noexcept {
    const text::Timestamp now = text::now();
    return {id_, identifier_.view(), user_id, now + lifetime_of(kind_), now, now};
}

bool send_link(mail::Kind kind, const model::User& user, std::string_view token, const Call& call,
               const Service& service) {
    const mail::Settings& settings = *service.settings.mail;
    std::string address(link_template_of(kind, settings));
    address.replace(address.find(mail::token_placeholder), mail::token_placeholder.size(), token);
    const crypto::Secret link(std::move(address));
    const mail::Template& form =
        settings.templates->of(kind, language_of(service.settings, call.request.headers));
    const mail::Values values = {user.name, user.email, link.view(), lifetime_of(kind)};
    const std::string subject = mail::fill(form.subject, values);
    const crypto::Secret text(mail::fill(form.text, values));
    const crypto::Secret message(mail::format(
        {settings.from, settings.from_name, user.email, subject, text.view(), text::now()}));
    return service.mailer->send(message.view());
}

Response send_user_link(const Call& call, const Service& service) {
    const mail::Kind kind = *call.operation.link;
    const auto user = service.store.find(call.id);
    if (!user)
        return failure_response(user.failure(), call.operation);
    if (!matches_version(*user, call.versions))
        return error(412, texts.user_changed);
    store::UpdateGuard guard;
    // The link is for the address that was just read, so issue_verification() must fail if the user
    // changes.
    guard.versions = std::vector{user->version};
    if (kind == mail::Kind::verify_email && user->email_verified)
        return error(400, texts.email_verified);
    if (auto rejection = count_mail(*call.caller, user->id, user->email, service))
        return *std::move(rejection);

    guard.actor = actor_of(call);
    call.event.sent_to = user->email;
    std::optional<PasswordLink> link;
    if (kind != mail::Kind::verify_email)
        link.emplace(kind);
    const auto issued = service.store.issue_verification(
        user->id, link ? std::optional(link->row(user->id)) : std::nullopt, guard);
    if (!issued)
        return failure_response(issued.failure(), call.operation);
    const crypto::Secret signed_token =
        link ? crypto::Secret() : verification_token(*user, service.settings.mail->secret);
    if (send_link(kind, *user, link ? link->token() : signed_token.view(), call, service))
        return confirmation(texts.link_sent);
    // The store logs errors, so ignore the result.
    if (link)
        static_cast<void>(service.store.remove_verification(link->identifier()));
    return error(500, call.operation.failure_text);
}

} // namespace useradmin::api
