#include "api/envelope.hpp"

#include "http/entity_tags.hpp"
#include "json/record.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace useradmin::api {

namespace {

// Bytes to reserve for a user in JSON. A typical user takes about 300.
constexpr std::size_t user_size = 400;

/// Writes the fields of section 2.1, lastSeenAt if it was read, and the given extra columns. If
/// columns is std::nullopt, writes all extra columns that were read.
void write(json::Writer& writer, const model::User& user,
           const std::optional<ColumnNames>& columns) {
    writer.begin_object();
    for (const model::Field<model::User>& field : model::user_fields)
        json::write_field(writer, user, field, field.null_substitute);
    if (user.last_seen)
        writer.key("lastSeenAt").time_or_null(*user.last_seen);
    for (const auto& [name, value] : user.extra_columns)
        if (!columns || std::ranges::find(*columns, name) != columns->end())
            writer.key(name).json(value);
    writer.end_object();
}

} // namespace

Response record(const model::User& user, const std::optional<ColumnNames>& columns) {
    Response response;
    response.body.reserve(user_size);
    json::Writer writer(response.body);
    writer.begin_object().key("success").boolean(true).key("data");
    write(writer, user, columns);
    writer.end_object();
    if (!user.version.empty())
        response.headers.push_back({"ETag", http::make_strong_tag(user.version)});
    return response;
}

Response records(const store::Page& page, const Pagination& pagination,
                 const std::optional<Summary>& summary, ColumnNames columns) {
    Response response;
    response.body.reserve((page.users.size() + 1) * user_size);
    json::Writer writer(response.body);
    writer.begin_object().key("success").boolean(true).key("data").begin_array();
    for (const model::User& user : page.users)
        write(writer, user, columns);
    writer.end_array().key("pagination").begin_object();
    writer.key("page").integer(pagination.page);
    writer.key("limit").integer(pagination.limit);
    writer.key("total").integer(pagination.total);
    writer.key("totalPages").integer(total_pages(pagination));
    writer.end_object();
    if (summary) {
        writer.key("summary").begin_object().key("total").integer(summary->total);
        writer.key("banned").integer(summary->banned);
        writer.key("unverified").integer(summary->unverified);
        writer.key("created").begin_array();
        for (const std::int64_t count : summary->created)
            writer.integer(count);
        writer.end_array().end_object();
    }
    writer.end_object();
    return response;
}

Response sessions(const std::vector<model::Session>& all) {
    Response response;
    json::Writer writer(response.body);
    writer.begin_object().key("success").boolean(true).key("data").begin_array();
    for (const model::Session& session : all) {
        writer.begin_object().key("id").string(session.id);
        writer.key("createdAt").time_or_null(session.created_at);
        writer.key("updatedAt").time_or_null(session.updated_at);
        writer.key("expiresAt").time_or_null(session.expires_at);
        writer.key("ipAddress").string_or_null(session.ip_address);
        writer.key("userAgent").string_or_null(session.user_agent);
        writer.end_object();
    }
    writer.end_array().end_object();
    return response;
}

Response events(const audit::History& history) {
    Response response;
    json::Writer writer(response.body);
    writer.begin_object().key("success").boolean(true).key("data").begin_array();
    for (const std::string& line : history.lines)
        writer.json(line);
    writer.end_array().key("earlier");
    if (history.earlier > 0)
        writer.integer(history.earlier);
    else
        writer.null();
    writer.end_object();
    return response;
}

Response sign_in_methods(const std::vector<model::SignInMethod>& all) {
    Response response;
    json::Writer writer(response.body);
    writer.begin_object().key("success").boolean(true).key("data").begin_array();
    for (const model::SignInMethod& method : all) {
        writer.begin_object().key("kind").string(text_of(method.kind));
        writer.key("id").string_or_null(method.id);
        writer.key("provider").string_or_null(method.provider_id);
        writer.key("name").string_or_null(method.name);
        writer.key("start").string_or_null(method.start);
        writer.key("enabled");
        if (method.kind == model::MethodKind::api_key)
            writer.boolean(method.is_enabled());
        else
            writer.null();
        writer.key("createdAt").time_or_null(method.created_at);
        writer.key("expiresAt").time_or_null(method.expires_at);
        writer.end_object();
    }
    writer.end_array().end_object();
    return response;
}

Response confirmation(const Text& text) {
    Response response;
    response.text = text;
    return response;
}

Response error(int status, const Text& text) {
    Response response;
    response.status = status;
    response.text = text;
    if (status == 503)
        response.headers.push_back({"Retry-After", "1"});
    return response;
}

std::string text_envelope(bool is_success, std::string_view text) {
    std::string json;
    json::Writer(json)
        .begin_object()
        .key("success")
        .boolean(is_success)
        .key(is_success ? "message" : "error")
        .string(text)
        .end_object();
    return json;
}

http::Language language_of(const OperationSettings& settings, const http::Headers& headers) {
    return settings.language ? *settings.language
                             : http::preferred_language(headers.find("Accept-Language"));
}

http::Response finish(Response response, std::string_view method, const http::Headers& headers,
                      const OperationSettings& settings) {
    if (response.text) {
        const http::Language language = language_of(settings, headers);
        response.body = text_envelope(response.status < 300, response.text->in(language));
        // The specification does not define this header, so omit it for Spanish.
        if (settings.language != http::Language::spanish)
            response.headers.push_back({"Content-Language", std::string(http::tag_of(language))});
    }
    if (!settings.language)
        response.headers.push_back({"Vary", "Accept-Language"});
    http::add_cors_headers(response, method, headers, settings.trusted_origins);
    return response;
}

Response failure_response(store::Failure failure, const Text& operation_text,
                          const Text& forbidden_text) {
    using store::Failure;
    constexpr std::tuple<Failure, int, const Text&> responses[] = {
        {Failure::not_found, 404, texts.not_found},
        {Failure::email_taken, 400, texts.email_taken},
        {Failure::protected_user, 403, texts.delete_protected},
        {Failure::outranked, 403, texts.update_forbidden},
        {Failure::last_of_role, 409, texts.last_super_admin},
        {Failure::version_mismatch, 412, texts.user_changed},
        {Failure::caller_rejected, 401, texts.no_session},
        {Failure::invalid_value, 400, texts.bad_request},
        {Failure::no_second_factor, 404, texts.no_second_factor},
        {Failure::no_session, 404, texts.session_not_found},
        {Failure::no_sign_in_method, 404, texts.sign_in_method_not_found},
        {Failure::unavailable, 503, texts.unavailable},
    };
    for (const auto& [known, status, text] : responses)
        if (known == failure)
            return error(status, text);
    if (failure == Failure::caller_demoted)
        return error(403, forbidden_text);
    if (failure == Failure::already_done) {
        Response response = confirmation(texts.already_done);
        response.is_repeated = true;
        return response;
    }
    return error(500, operation_text);
}

Response failure_response(password::HashFailure failure, const Text& operation_text) {
    return failure == password::HashFailure::busy ? error(503, texts.unavailable)
                                                  : error(500, operation_text);
}

const Text& text_of_status(int status) noexcept {
    static constexpr std::pair<int, const Text&> messages[] = {
        {401, texts.no_session},        {403, texts.forbidden},
        {404, texts.not_found},         {405, texts.method_not_allowed},
        {408, texts.request_timed_out}, {413, texts.body_too_large},
        {429, texts.too_many_requests}, {503, texts.unavailable},
    };
    for (const auto& [known, text] : messages)
        if (known == status)
            return text;
    return texts.bad_request;
}

} // namespace useradmin::api
