#include "sign_in/responses.hpp"

#include "json/record.hpp"
#include "json/writer.hpp"

namespace useradmin::sign_in {

namespace {

constexpr std::size_t max_escape_length = 6;
constexpr std::size_t max_frame_length = 128;

/// Returns an upper bound for the length of a record as JSON. If this length is reserved, no
/// reallocation leaves copies of secrets in memory.
template <class Record>
std::size_t max_json_length(const Record& record) {
    constexpr std::size_t max_other_length = 64; // a name, and a time or boolean
    std::size_t length = 2;
    for (const model::Field<Record>& field : model::fields<Record>()) {
        const model::Value value = model::value_of(record, field);
        const auto* const text = std::get_if<std::string_view>(&value);
        length += max_other_length + (text != nullptr ? max_escape_length * text->size() : 0);
    }
    return length;
}

} // namespace

Response error(int status, std::string_view message, std::string_view code) {
    Response response{status};
    if (status == 503)
        response.headers.push_back({"Retry-After", "1"});
    json::Writer writer(response.body);
    writer.begin_object().key("message").string(message);
    if (!code.empty())
        writer.key("code").string(code);
    writer.end_object();
    return response;
}

Response status_error(int status) {
    switch (status) {
    case 403:
        return error(status, "Forbidden", "FORBIDDEN");
    case 404:
        return error(status, "Not found", "NOT_FOUND");
    case 408:
        return error(status, "Request timeout", "REQUEST_TIMEOUT");
    case 413:
        return error(status, "Request body too large", "PAYLOAD_TOO_LARGE");
    case 429:
        return error(status, "Too many requests. Please try again later.", "TOO_MANY_REQUESTS");
    case 503:
        return error(status, "Service unavailable", "SERVICE_UNAVAILABLE");
    default:
        return status < 500 ? error(status, "Bad request", "BAD_REQUEST")
                            : error(status, "Internal server error", "INTERNAL_SERVER_ERROR");
    }
}

Response store_error(store::Failure failure) {
    return status_error(failure == store::Failure::unavailable ? 503 : 500);
}

Response rejection_of(const SignInResult& result) {
    switch (result.outcome) {
    case Outcome::limited: {
        Response response = error(429, "Too many requests. Please try again later.");
        const std::string seconds = std::to_string(result.retry_after.count());
        response.headers.push_back({"Retry-After", seconds});
        response.headers.push_back({"X-Retry-After", seconds});
        return response;
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
    default: // do not reveal whether the address or the password is wrong
        return error(401, "Invalid email or password", "INVALID_EMAIL_OR_PASSWORD");
    }
}

Response signed_in(std::string_view token, const model::NullableText& url,
                   const model::User& user) {
    Response response;
    response.body.reserve(max_frame_length + token.size() +
                          max_escape_length * url.value_or("").size() + max_json_length(user));
    json::Writer writer(response.body);
    writer.begin_object().key("redirect").boolean(url && !url->empty()).key("token").string(token);
    if (url)
        writer.key("url").string(*url);
    json::write_record(writer.key("user"), user);
    writer.end_object();
    return response;
}

Response verified(std::string_view token, const model::User& user) {
    Response response;
    response.body.reserve(max_frame_length + token.size() + max_json_length(user));
    json::Writer writer(response.body);
    writer.begin_object();
    if (!token.empty())
        writer.key("token").string(token);
    json::write_record(writer.key("user"), user);
    writer.end_object();
    return response;
}

Response session(const store::SessionWithUser& session_with_user) {
    Response response;
    response.body.reserve(max_frame_length + max_json_length(session_with_user.session) +
                          max_json_length(session_with_user.user));
    json::Writer writer(response.body);
    writer.begin_object();
    json::write_record(writer.key("session"), session_with_user.session);
    json::write_record(writer.key("user"), session_with_user.user);
    writer.end_object();
    return response;
}

} // namespace useradmin::sign_in
