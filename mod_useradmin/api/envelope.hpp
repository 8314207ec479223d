// The envelopes of the specification's section 2.4.
#pragma once

#include "api/service.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace useradmin::api {

/// {"success":true,"data":{…}}, with the row's version as its ETag.
http::Reply record(const model::User& user);

struct Pagination {
    std::int64_t page = 1;
    std::int64_t limit = 20;
    std::int64_t total = 0;
};
/// Rounded up (4.1).
constexpr std::int64_t total_pages(const Pagination& pagination) noexcept {
    return (pagination.total + pagination.limit - 1) / pagination.limit;
}
/// {"success":true,"data":[…],"pagination":{…}}
http::Reply records(const store::Page& page, const Pagination& pagination);

/// {"success":true,"data":[…]}: each session without its token.
http::Reply sessions(const std::vector<model::Session>& all);

/// {"success":true,"message":"…"}
http::Reply confirmation(std::string_view text);

/// {"success":false,"error":"…"}
http::Reply error(int status, std::string_view text);

/// The reply to work that failed (section 7): 404, 400, 401, 403, 409 and 412 for the answers among
/// the failures, 503 where the database could not be had, else 500 with the operation's text. The
/// forbidden text is for a caller who has lost its role meanwhile; what changes nothing has none.
http::Reply failure_reply(store::Failure failure, std::string_view operation_text,
                          std::string_view forbidden_text = {});

/// The reply where a password was not hashed: 503 where no slot came free, else 500 with that text.
http::Reply failure_reply(password::HashFailure failure, std::string_view operation_text);

/// The reply to a body that could not be read whole.
http::Reply body_error(const http::Body& body);

} // namespace useradmin::api
