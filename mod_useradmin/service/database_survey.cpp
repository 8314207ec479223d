#include "service/database_survey.hpp"

#include "apr/guard.hpp"
#include "httpd/reply.hpp"

#include <string>

namespace useradmin::service {

namespace {

void survey_database(httpd::RequestBackend& backend, const store::ProtectedEmail& protected_email) {
    const auto survey = backend.store().survey(protected_email);
    if (!survey)
        return;
    if (!survey->has_protected_user)
        backend.log().write(
            text::Level::warning,
            "UA0212: no user has the protected address '" + std::string(protected_email.email) +
                "', so no account is protected from deletion; set UserAdminProtectedEmail");
    if (survey->has_case_collisions)
        backend.log().write(text::Level::warning,
                            "UA0213: addresses of different users differ only in case, so users "
                            "may sign in to the wrong account; run: useradminctl check");
    if (!survey->last_seen_problem.empty())
        backend.log().write(text::Level::warning, "UA0225: " + survey->last_seen_problem +
                                                      "; the last activity of users is unknown");
    const std::int64_t wanted = backend.server().max_connections;
    if (survey->connection_limit != 0 && wanted > survey->connection_limit)
        backend.log().write(
            text::Level::warning,
            "UA0216: httpd's children may open " + std::to_string(wanted) +
                " connections, but the database allows this account only " +
                std::to_string(survey->connection_limit) +
                "; lower DBDMax, or raise max_connections or the CONNECTION LIMIT of the role or "
                "database; with a pooler, ignore this");
}

} // namespace

void survey(const request_rec* request, httpd::RequestBackend& backend,
            const store::ProtectedEmail& protected_email) noexcept {
    std::atomic<bool>& is_surveyed = *backend.server().is_surveyed;
    if (is_surveyed.load(std::memory_order_relaxed) || is_surveyed.exchange(true))
        return;
    httpd::flush(request->connection);
    apr::guarded([&] { survey_database(backend, protected_email); }, [](const char*) {});
}

} // namespace useradmin::service
