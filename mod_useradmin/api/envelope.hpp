// Response bodies (specification, section 2.4).
#pragma once

#include "api/service.hpp"
#include "api/texts.hpp"
#include "audit/history.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::api {

struct Response : http::Response {
    /// The text of an error or a confirmation. finish() writes it to the body.
    std::optional<Text> text = {};
    /// Whether an earlier request with the same Idempotency-Key has already made the change.
    bool is_repeated = false;
};

/// Returns {"success":true,"message":"…"} or {"success":false,"error":"…"}.
std::string text_envelope(bool is_success, std::string_view text);

/// Returns the configured language. If none is configured, chooses one according to
/// Accept-Language.
http::Language language_of(const OperationSettings& settings, const http::Headers& headers);

/// Writes the text, if any, to the body in the language of language_of(), and adds Content-Language
/// unless the configured language is Spanish. Adds Vary if the language is negotiated, and the CORS
/// headers.
http::Response finish(Response response, std::string_view method, const http::Headers& headers,
                      const OperationSettings& settings);

/// Returns {"success":true,"data":{…}} with the row's version, if any, as the ETag. columns lists
/// the extra columns to write. If it is std::nullopt, writes all that were read.
Response record(const model::User& user, const std::optional<ColumnNames>& columns = {});

struct Pagination {
    std::int64_t page = 1;
    std::int64_t limit = 20;
    std::int64_t total = 0;
};
/// Returns the number of pages (4.1).
constexpr std::int64_t total_pages(const Pagination& pagination) noexcept {
    return (pagination.total + pagination.limit - 1) / pagination.limit;
}
/// Counts of the users that the caller may list. created holds the number of new users in each
/// interval between consecutive times in the summary parameter.
struct Summary {
    std::int64_t total = 0;
    std::int64_t banned = 0;
    std::int64_t unverified = 0;
    std::vector<std::int64_t> created = {};
};
/// Returns {"success":true,"data":[…],"pagination":{…},"summary":{…}}. columns lists the extra
/// columns to write.
Response records(const store::Page& page, const Pagination& pagination,
                 const std::optional<Summary>& summary = {}, ColumnNames columns = {});

/// Returns {"success":true,"data":[…]} with the sessions, without their tokens.
Response sessions(const std::vector<model::Session>& all);

/// Returns {"success":true,"data":[…],"earlier":…} with the lines of the audit log.
Response events(const audit::History& history);
/// Returns {"success":true,"data":[…]} with the sign-in methods, without their secrets.
Response sign_in_methods(const std::vector<model::SignInMethod>& all);

/// Returns {"success":true,"message":"…"}
Response confirmation(const Text& text);

/// Returns {"success":false,"error":"…"}
Response error(int status, const Text& text);

/// Returns the response to a failure (section 7): 4xx for an expected one, 200 if the change had
/// already been made, 503 if the database was unavailable, otherwise 500 with operation_text.
/// forbidden_text: the error if the caller has lost the required role.
Response failure_response(store::Failure failure, const Text& operation_text,
                          const Text& forbidden_text = {});

/// Returns the response if a password could not be hashed: 503 if no slot was free, otherwise 500
/// with operation_text.
Response failure_response(password::HashFailure failure, const Text& operation_text);

/// Returns the message for a status that is not specific to an operation. Unknown statuses get the
/// message for 400.
const Text& text_of_status(int status) noexcept;

} // namespace useradmin::api
