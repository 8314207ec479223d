#include "api/envelope.hpp"

#include "api/texts.hpp"
#include "json/writer.hpp"

namespace useradmin::api {

namespace {

// A user takes about 300 bytes.
constexpr std::size_t user_size = 400;

/// The eleven fields of 2.1, then the columns beyond them.
void write(json::Writer& writer, const store::User& user) {
    writer.begin_object();
    writer.key("id").string(user.id);
    writer.key("name").string(user.name);
    writer.key("email").string(user.email);
    writer.key("role").string(user.role.value_or("user"));
    writer.key("emailVerified").boolean(user.email_verified);
    writer.key("image").string_or_null(user.image);
    writer.key("createdAt").time_or_null(user.created_at);
    writer.key("updatedAt").time_or_null(user.updated_at);
    writer.key("banned").boolean(user.banned);
    writer.key("banReason").string_or_null(user.ban_reason);
    writer.key("banExpires").time_or_null(user.ban_expires);
    if (!user.other_columns.empty())
        writer.members_of(user.other_columns);
    writer.end_object();
}

} // namespace

Reply record(const store::User& user) {
    Reply reply;
    reply.body.reserve(user_size);
    json::Writer writer(reply.body);
    writer.begin_object().key("success").boolean(true).key("data");
    write(writer, user);
    writer.end_object();
    return reply;
}

Reply records(const store::Page& page, const Pagination& pagination) {
    Reply reply;
    reply.body.reserve((page.users.size() + 1) * user_size);
    json::Writer writer(reply.body);
    writer.begin_object().key("success").boolean(true).key("data").begin_array();
    for (const store::User& user : page.users)
        write(writer, user);
    writer.end_array().key("pagination").begin_object();
    writer.key("page").integer(pagination.page);
    writer.key("limit").integer(pagination.limit);
    writer.key("total").integer(pagination.total);
    writer.key("totalPages").integer((pagination.total + pagination.limit - 1) / pagination.limit);
    writer.end_object().end_object();
    return reply;
}

Reply message(std::string_view text) {
    Reply reply;
    json::Writer(reply.body)
        .begin_object()
        .key("success")
        .boolean(true)
        .key("message")
        .string(text)
        .end_object();
    return reply;
}

Reply error(int status, std::string_view text) {
    Reply reply;
    reply.status = status;
    json::Writer(reply.body)
        .begin_object()
        .key("success")
        .boolean(false)
        .key("error")
        .string(text)
        .end_object();
    return reply;
}

Reply failure(store::Failure failure, std::string_view operation_text) {
    return failure == store::Failure::unavailable ? error(503, texts::unavailable)
                                                  : error(500, operation_text);
}

Reply unreadable(const Body& body) {
    if (body.state == Body::State::too_large)
        return error(413, texts::body_too_large);
    return error(body.status, body.status == 408 ? texts::request_timed_out : texts::bad_request);
}

} // namespace useradmin::api
