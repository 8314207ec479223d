#include "admin/replies.hpp"

#include "api/columns.hpp"
#include "sign_in/replies.hpp"
#include "json/record.hpp"
#include "json/writer.hpp"

#include <utility>

namespace useradmin::admin {

void write_user(json::Writer& writer, const model::User& user) {
    writer.begin_object();
    json::write_fields(writer, user);
    if (!user.extra_columns.empty())
        writer.splice_members(user.extra_columns,
                              [](std::string_view name) { return !api::has_name_of_secret(name); });
    writer.end_object();
}

Reply error(const Problem& problem) {
    return sign_in::error(problem.status, problem.message, problem.code);
}

Reply no_session() {
    return {401, {}, {{"Content-Type", "application/json"}}};
}

Reply failure_reply(store::Failure failure, const Problem& forbidden) {
    using store::Failure;
    constexpr std::pair<Failure, const Problem&> problems[] = {
        {Failure::not_found, user_not_found},      {Failure::email_taken, user_exists},
        {Failure::protected_user, protected_user}, {Failure::outranked, outranked},
        {Failure::last_of_role, last_super_admin},
    };
    for (const auto& [known, problem] : problems)
        if (known == failure)
            return error(problem);
    if (failure == Failure::caller_rejected)
        return no_session();
    return failure == Failure::caller_demoted ? error(forbidden) : sign_in::store_error(failure);
}

Reply failure_reply(password::HashFailure failure) {
    return sign_in::store_error(failure == password::HashFailure::busy ? store::Failure::unavailable
                                                                       : store::Failure::failed);
}

Reply user_reply(const model::User& user) {
    Reply reply;
    json::Writer writer(reply.body);
    write_user(writer, user);
    return reply;
}

Reply wrapped_user(const model::User& user) {
    Reply reply;
    json::Writer writer(reply.body);
    write_user(writer.begin_object().key("user"), user);
    writer.end_object();
    return reply;
}

Reply sessions_reply(const std::vector<model::Session>& sessions, bool shows_tokens) {
    Reply reply;
    json::Writer writer(reply.body);
    writer.begin_object().key("sessions").begin_array();
    for (model::Session session : sessions) {
        if (!shows_tokens)
            session.token = session.id;
        json::write_record(writer, session);
    }
    writer.end_array().end_object();
    return reply;
}

Reply confirmation(std::string_view member) {
    Reply reply;
    json::Writer(reply.body).begin_object().key(member).boolean(true).end_object();
    return reply;
}

} // namespace useradmin::admin
