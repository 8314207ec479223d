// POST /sign-in/email
#include "crypto/secret.hpp"
#include "password/length.hpp"
#include "sign_in/challenge.hpp"
#include "sign_in/cross_site.hpp"
#include "sign_in/endpoints.hpp"
#include "sign_in/open_session.hpp"
#include "sign_in/parameters.hpp"
#include "sign_in/responses.hpp"
#include "sign_in/trusted_device.hpp"
#include "text/unicode.hpp"

#include <variant>

namespace useradmin::sign_in {

namespace {

// The maximum number of attempts if the account changes between verification and the creation of
// the session.
constexpr int max_attempts = 3;

struct Form {
    crypto::Secret email;
    crypto::Secret password;
    std::optional<std::string> callback;
    bool is_remembered = true;
};

std::variant<Form, Response> read(const Request& request) {
    using Kind = Parameters::Kind;
    const auto body = Parameters::read(request);
    if (const auto* problem = std::get_if<Response>(&body))
        return *problem;
    const auto& parameters = std::get<Parameters>(body);
    const Kind callback = parameters.kind("callbackURL");
    if (callback != Kind::absent && callback != Kind::null && callback != Kind::string)
        return error(400, "Invalid callbackURL: expected a string");
    ValidationErrors errors(parameters);
    errors.expect("email", Kind::string);
    errors.expect("password", Kind::string);
    errors.expect_optional("callbackURL", Kind::string);
    errors.expect_optional("rememberMe", Kind::boolean);
    if (auto problem = errors.response())
        return *std::move(problem);
    Form form{parameters.text("email"),
              parameters.text("password"),
              {},
              parameters.boolean("rememberMe", true)};
    if (callback == Kind::string)
        form.callback = parameters.text("callbackURL").view();
    return form;
}

/// Returns std::nullopt if the account has changed since it was verified.
std::optional<Response> open_session_of(const SignInResult& result, const Request& request,
                                        const Client& client, const Service& service,
                                        const Form& form) {
    const auto token = open_session(result, form.is_remembered, request, client, service);
    if (!token && token.failure() == store::Failure::version_mismatch)
        return std::nullopt;
    if (!token)
        return store_error(token.failure());
    Response response = signed_in(token->view(), form.callback, result.user);
    service.cookies.set_session(response, token->view(), form.is_remembered);
    // A leftover dont_remember cookie would prevent the session from being extended.
    if (form.is_remembered && client.has_dont_remember)
        service.cookies.expire(response, "dont_remember");
    if (form.callback && !form.callback->empty())
        response.headers.push_back({"Location", *form.callback});
    return response;
}

} // namespace

Response sign_in_with_email(const Request& request, const Client& client, const Service& service) {
    if (const auto foreign = reject_cross_site_sign_in(request.headers, service.trusted_origins))
        return *foreign;
    const auto reading = read(request);
    if (const auto* unread = std::get_if<Response>(&reading))
        return *unread;
    const Form& form = std::get<Form>(reading);
    const bool redirects = form.callback && !form.callback->empty();
    if (redirects && !may_redirect_to(*form.callback, request.headers, service.trusted_origins))
        return error(403, "Invalid callbackURL", "INVALID_CALLBACK_URL");
    audit::Event& event = service.event;
    event.target = form.email.view();
    if (text::utf16_length(form.password.view()) > password::max_length)
        return error(400, "Password too long", "PASSWORD_TOO_LONG");

    for (int attempt = 0; attempt < max_attempts; ++attempt) {
        const SignInResult result =
            service.credentials.verify({form.email.view(), form.password.view(), client.network});
        event.reason = reason_of(result.outcome);
        if (!result.user.id.empty())
            event.target = result.user.id;
        const bool has_second_factor = result.outcome == Outcome::second_factor;
        if (has_second_factor && !is_trusted_device(result.user.id, client, service))
            return require_second_factor(result, form.is_remembered, client, service);
        if (!has_second_factor && result.outcome != Outcome::accepted)
            return rejection_of(result);
        event.reason = {};
        if (auto response = open_session_of(result, request, client, service, form)) {
            if (has_second_factor)
                renew_trust(*response, result.user.id, client, service);
            return *std::move(response);
        }
    }
    return store_error(store::Failure::unavailable);
}

} // namespace useradmin::sign_in
