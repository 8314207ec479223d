// POST /sign-in/email
#include "crypto/random.hpp"
#include "crypto/secret.hpp"
#include "sign_in/cross_site.hpp"
#include "sign_in/endpoints.hpp"
#include "sign_in/lengths.hpp"
#include "sign_in/replies.hpp"
#include "text/unicode.hpp"
#include "text/url.hpp"
#include "json/reader.hpp"

#include <algorithm>
#include <variant>

namespace useradmin::sign_in {

namespace {

using json::Object;
using Kind = Object::Kind;

// Longer than any real address or User-Agent.
constexpr std::size_t max_client_text = 512;

// better-auth's limit in UTF-16 code units.
constexpr std::size_t max_password_length = 128;

// The maximum number of verifications if the account changes before its session is opened.
constexpr int most_tries = 3;

/// The contents of the body.
struct Form {
    crypto::Secret email;
    crypto::Secret password;
    std::optional<std::string> callback;
    bool is_remembered = true;
};

/// The parsed body, or the error reply.
using ParseResult = std::variant<Form, Reply>;

constexpr std::string_view allowed_types =
    "Allowed types: application/x-www-form-urlencoded, application/json";

std::string media_type_of(std::string_view content_type) {
    std::string_view type = content_type.substr(0, content_type.find(';'));
    while (type.ends_with(' ') || type.ends_with('\t'))
        type.remove_suffix(1);
    return text::lower(type);
}

std::string_view name_of(Kind kind) {
    switch (kind) {
    case Kind::absent:
        return "undefined";
    case Kind::null:
        return "null";
    case Kind::boolean:
        return "boolean";
    case Kind::number:
        return "number";
    case Kind::string:
        return "string";
    case Kind::other:
        break;
    }
    return "object";
}

Reply invalid(std::string_view issues) {
    return error(400, issues, "VALIDATION_ERROR");
}

/// Adds a validation error in better-auth's wording.
void expect(std::string& issues, std::string_view member, Kind wanted, Kind is) {
    if (is == wanted)
        return;
    issues += issues.empty() ? "[body." : "; [body.";
    issues += member;
    issues += "] Invalid input: expected ";
    issues += name_of(wanted);
    issues += ", received ";
    issues += name_of(is);
}

/// Returns the error for a text that is not a JSON object.
Reply invalid_body(std::string_view text) {
    std::string wrapping;
    wrapping.reserve(text.size() + 16); // avoids copies left by reallocation
    ((wrapping += "{\"body\":") += text) += '}';
    const crypto::Secret wrapped(std::move(wrapping));
    const std::optional<Object> object = Object::parse(wrapped.view());
    if (!object)
        return error(400, "Invalid JSON in request body", "BAD_REQUEST");
    const Kind kind = object->kind("body");
    return invalid("[body] Invalid input: expected object, received " +
                   std::string(kind == Kind::other ? "array" : name_of(kind)));
}

ParseResult read_json(std::string_view text) {
    const std::optional<Object> body = Object::parse(text);
    if (!body)
        return invalid_body(text);
    const Kind callback = body->kind("callbackURL");
    if (callback != Kind::absent && callback != Kind::null && callback != Kind::string)
        return error(400, "Invalid callbackURL: expected a string");
    std::string issues;
    expect(issues, "email", Kind::string, body->kind("email"));
    expect(issues, "password", Kind::string, body->kind("password"));
    if (callback == Kind::null)
        expect(issues, "callbackURL", Kind::string, callback);
    if (body->kind("rememberMe") != Kind::absent)
        expect(issues, "rememberMe", Kind::boolean, body->kind("rememberMe"));
    if (!issues.empty())
        return invalid(issues);
    Form form{crypto::Secret(std::string(body->text("email"))),
              crypto::Secret(std::string(body->text("password"))),
              {},
              body->kind("rememberMe") == Kind::absent || body->boolean("rememberMe")};
    if (callback == Kind::string)
        form.callback = body->text("callbackURL");
    return form;
}

ParseResult read_form(std::string_view text) {
    auto email = text::query_parameter(text, "email");
    auto password = text::query_parameter(text, "password");
    std::string issues;
    expect(issues, "email", Kind::string, email ? Kind::string : Kind::absent);
    expect(issues, "password", Kind::string, password ? Kind::string : Kind::absent);
    // better-auth accepts only a boolean, and forms have none.
    if (text::query_parameter(text, "rememberMe"))
        expect(issues, "rememberMe", Kind::boolean, Kind::string);
    Form form{crypto::Secret(std::move(email).value_or("")),
              crypto::Secret(std::move(password).value_or("")),
              text::query_parameter(text, "callbackURL"), true};
    if (!issues.empty())
        return invalid(issues);
    return form;
}

ParseResult read(const Request& request) {
    const http::Body body = request.body.read();
    if (body.state != http::Body::State::read)
        return body_error(body);
    if (body.text.empty())
        return invalid("[body] Invalid input: expected object, received undefined");
    const std::string_view content_type = request.headers.find("Content-Type");
    const std::string type = media_type_of(content_type);
    if (type == "application/json")
        return read_json(body.text);
    if (type == "application/x-www-form-urlencoded")
        return read_form(body.text);
    const std::string problem =
        type.empty() ? "Content-Type is required. "
                     : "Content-Type \"" + std::string(content_type) + "\" is not allowed. ";
    return error(415, problem + std::string(allowed_types), "UNSUPPORTED_MEDIA_TYPE");
}

bool is_letter(char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}

bool is_alphanumeric(char character) {
    return is_letter(character) || (character >= '0' && character <= '9');
}

bool is_local_part(std::string_view text) {
    return !text.empty() && text.front() != '.' && text.back() != '.' && text.back() != '\'' &&
           text.find("..") == text.npos &&
           std::all_of(
               text.begin(), text.end(),
               [](char c) {
                   return is_alphanumeric(c) ||
                          std::string_view("_'+-.").find(c) != std::string_view::npos;
               });
}

bool is_domain(std::string_view text) {
    const std::size_t last = text.rfind('.');
    if (last == text.npos)
        return false;
    const std::string_view top = text.substr(last + 1);
    if (top.size() < 2 || !std::all_of(top.begin(), top.end(), is_letter))
        return false;
    char before = '.';
    for (const char character : text) {
        const bool is_allowed =
            is_alphanumeric(character) || (before != '.' && (character == '-' || character == '.'));
        if (!is_allowed)
            return false;
        before = character;
    }
    return true;
}

/// Returns whether better-auth accepts the text as an address (zod's regular expression).
bool is_email(std::string_view text) {
    const std::size_t at = text.find('@');
    return at != text.npos && is_local_part(text.substr(0, at)) && is_domain(text.substr(at + 1));
}

/// Returns the part of a client's text that a session row stores: clean UTF-8 of bounded length.
std::string truncate_client_text(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = text::sequence_length(text);
        if (out.size() + length > max_client_text)
            break;
        if (length > 0 && text.front() != '\0')
            out.append(text, 0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

Reply refusal(const Verification& verification) {
    switch (verification.outcome) {
    case Outcome::limited: {
        Reply reply = error(429, "Too many requests. Please try again later.");
        const std::string seconds = std::to_string(verification.retry_after.count());
        reply.headers.push_back({"Retry-After", seconds});
        reply.headers.push_back({"X-Retry-After", seconds});
        return reply;
    }
    case Outcome::banned:
        return error(403,
                     "You have been banned from this application. Please contact support if you "
                     "believe this is an error.",
                     "BANNED_USER");
    case Outcome::second_factor:
        return error(403,
                     "This account has a second factor. Please sign in to the application instead.",
                     "TWO_FACTOR_REQUIRED");
    case Outcome::busy:
    case Outcome::unavailable:
        return store_error(store::Failure::unavailable);
    case Outcome::failed:
        return store_error(store::Failure::failed);
    default: // do not reveal which is wrong
        return error(401, "Invalid email or password", "INVALID_EMAIL_OR_PASSWORD");
    }
}

/// Opens a session for the user. Returns nothing if the account has changed since verification.
std::optional<Reply> open_session_of(const Verification& verification, const Request& request,
                                     const Client& client, const Service& service,
                                     const Form& form) {
    service.event.caller = service.event.target;
    service.event.role = verification.user.role.value_or("user");

    const std::string id = crypto::random_uuid();
    const crypto::Secret token(crypto::random_token());
    const std::string ip = truncate_client_text(client.ip);
    const std::string user_agent = truncate_client_text(request.headers.find("User-Agent"));
    model::Session session;
    session.id = id;
    session.token = token.view();
    session.user_id = verification.user.id;
    session.created_at = session.updated_at = service.now;
    session.expires_at =
        service.now + (form.is_remembered ? session_lifetime : short_session_lifetime);
    session.ip_address = ip;
    session.user_agent = user_agent;
    store::SessionTerms terms;
    terms.verified = &verification.user;
    terms.now = text::now();
    terms.password_hash = verification.password_hash;
    terms.max_sessions = service.max_sessions;
    const auto opened = service.store.create_session(session, terms);
    if (!opened && opened.failure() == store::Failure::version_mismatch) {
        service.event.caller.clear();
        service.event.role.clear();
        return std::nullopt;
    }
    if (!opened)
        return store_error(opened.failure());

    Reply reply = signed_in(token.view(), form.callback, verification.user);
    add_session_cookies(reply, token.view(), form.is_remembered, service);
    // A leftover dont_remember cookie would prevent the session from being extended.
    if (form.is_remembered && client.has_dont_remember)
        reply.headers.push_back({"Set-Cookie", service.cookies.expired_dont_remember_cookie()});
    if (form.callback && !form.callback->empty())
        reply.headers.push_back({"Location", *form.callback});
    return reply;
}

} // namespace

Reply sign_in_with_email(const Request& request, const Client& client, const Service& service) {
    if (const auto foreign = reject_cross_site_sign_in(request.headers, service.trusted_origins))
        return *foreign;
    const ParseResult reading = read(request);
    if (const auto* unread = std::get_if<Reply>(&reading))
        return *unread;
    const Form& form = std::get<Form>(reading);
    const bool redirects = form.callback && !form.callback->empty();
    if (redirects && !may_redirect_to(*form.callback, request.headers, service.trusted_origins))
        return error(403, "Invalid callbackURL", "INVALID_CALLBACK_URL");
    if (!is_email(form.email.view()))
        return error(400, "Invalid email", "INVALID_EMAIL");
    audit::Event& event = service.event;
    event.target = form.email.view();
    if (text::utf16_length(form.password.view()) > max_password_length)
        return error(400, "Password too long", "PASSWORD_TOO_LONG");

    // If the account has changed since verification, verify again.
    for (int tries = 0; tries < most_tries; ++tries) {
        const Verification verification =
            service.credentials.verify({form.email.view(), form.password.view(), client.network});
        event.reason = reason_of(verification.outcome);
        if (!verification.user.id.empty())
            event.target = verification.user.id;
        if (verification.outcome != Outcome::accepted)
            return refusal(verification);
        if (auto reply = open_session_of(verification, request, client, service, form))
            return *std::move(reply);
    }
    return store_error(store::Failure::unavailable);
}

} // namespace useradmin::sign_in
