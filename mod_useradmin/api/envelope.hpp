// The envelopes (specification, section 2.4).
#pragma once

#include "api/service.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace useradmin::api {

/// Returns {"success":true,"data":{…}} with the row's version as ETag.
http::Reply record(const model::User& user);

struct Pagination {
    std::int64_t page = 1;
    std::int64_t limit = 20;
    std::int64_t total = 0;
};
/// Returns the number of pages, rounded up (4.1).
constexpr std::int64_t total_pages(const Pagination& pagination) noexcept {
    return (pagination.total + pagination.limit - 1) / pagination.limit;
}
/// {"success":true,"data":[…],"pagination":{…}}
http::Reply records(const store::Page& page, const Pagination& pagination);

/// Returns {"success":true,"data":[…]} with the sessions, without their tokens.
http::Reply sessions(const std::vector<model::Session>& all);

/// {"success":true,"message":"…"}
http::Reply confirmation(std::string_view text);

/// {"success":false,"error":"…"}
http::Reply error(int status, std::string_view text);

/// Returns the reply to a failure (section 7): 404, 400, 403, 409 or 412 for expected ones, 503 if
/// the database was unavailable, otherwise 500 with the operation's text.
http::Reply failure_reply(store::Failure failure, std::string_view operation_text,
                          std::string_view forbidden_text = {});

/// Returns the reply to a failed hash: 503 if no slot was free, otherwise 500 with the text.
http::Reply failure_reply(password::HashFailure failure, std::string_view operation_text);

/// Returns the reply to an unreadable body.
http::Reply body_error(const http::Body& body);

} // namespace useradmin::api
