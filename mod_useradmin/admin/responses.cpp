#include "admin/responses.hpp"

#include "api/columns.hpp"
#include "sign_in/responses.hpp"
#include "json/record.hpp"
#include "json/writer.hpp"

#include <utility>

namespace useradmin::admin {

void write_user(json::Writer& writer, const model::User& user) {
    writer.begin_object();
    json::write_fields(writer, user);
    for (const auto& [name, value] : user.extra_columns)
        if (!api::has_name_of_secret(name))
            writer.key(name).json(value);
    writer.end_object();
}

Response error(const Problem& problem) {
    return sign_in::error(problem.status, problem.message, problem.code);
}

Response no_session() {
    return {401, {}, {{"Content-Type", "application/json"}}};
}

Response failure_response(store::Failure failure, const Problem& forbidden) {
    using store::Failure;
    constexpr std::pair<Failure, const Problem&> problems[] = {
        {Failure::not_found, user_not_found},      {Failure::email_taken, user_exists},
        {Failure::protected_user, protected_user}, {Failure::outranked, outranked},
        {Failure::last_of_role, last_super_admin}, {Failure::invalid_value, invalid_value},
    };
    for (const auto& [known, problem] : problems)
        if (known == failure)
            return error(problem);
    if (failure == Failure::caller_rejected)
        return no_session();
    return failure == Failure::caller_demoted ? error(forbidden) : sign_in::store_error(failure);
}

Response failure_response(password::HashFailure failure) {
    return sign_in::store_error(failure == password::HashFailure::busy ? store::Failure::unavailable
                                                                       : store::Failure::failed);
}

Response user_response(const model::User& user) {
    Response response;
    json::Writer writer(response.body);
    write_user(writer, user);
    return response;
}

Response wrapped_user(const model::User& user) {
    Response response;
    json::Writer writer(response.body);
    write_user(writer.begin_object().key("user"), user);
    writer.end_object();
    return response;
}

Response sessions_response(const std::vector<model::Session>& sessions, bool shows_tokens) {
    Response response;
    json::Writer writer(response.body);
    writer.begin_object().key("sessions").begin_array();
    for (model::Session session : sessions) {
        if (!shows_tokens)
            session.token = session.id;
        json::write_record(writer, session);
    }
    writer.end_array().end_object();
    return response;
}

Response confirmation(std::string_view member) {
    Response response;
    json::Writer(response.body).begin_object().key(member).boolean(true).end_object();
    return response;
}

} // namespace useradmin::admin
