// 4.1 List users: GET /api/users
#include "api/envelope.hpp"
#include "api/operations.hpp"
#include "api/texts.hpp"
#include "text/unicode.hpp"
#include "text/url.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace useradmin::api {

namespace {

/// A whole number above zero; the default for anything else.
std::int64_t positive_number(const std::optional<std::string>& text, std::int64_t by_default) {
    if (!text)
        return by_default;
    std::int32_t number = 0;
    const char* end = text->data() + text->size();
    const auto [stop, error] = std::from_chars(text->data(), end, number);
    return error == std::errc() && stop == end && number > 0 ? number : by_default;
}

/// A parameter that filters; an empty one is as if absent.
std::optional<std::string> filter_parameter(std::string_view query, std::string_view name) {
    std::optional<std::string> value = text::query_parameter(query, name);
    return value && !value->empty() ? value : std::nullopt;
}

} // namespace

Reply list_users(const Call& call, const Service& service) {
    // Check 1: a session.
    if (!call.caller)
        return error(401, texts::no_session);
    // Check 2: the caller is admin or superAdmin.
    if (!may_list(*call.caller))
        return error(403, texts::list_forbidden);

    Pagination pagination;
    pagination.page = positive_number(text::query_parameter(call.request.query, "page"), 1);
    pagination.limit =
        std::min(positive_number(text::query_parameter(call.request.query, "limit"), 20),
                 service.settings.max_limit);

    // The filter rules. They are combined with OR.
    const std::optional<std::string> search = filter_parameter(call.request.query, "search");
    std::optional<std::string> role = "user";
    if (is_super_administrator(*call.caller))
        role = filter_parameter(call.request.query, "role");
    for (const std::optional<std::string>& text : {search, role})
        if (text && !text::is_clean_utf8(*text))
            return error(500, texts::list_failed);

    const store::Result<store::Page> page = service.store.list(
        {role, search}, {pagination.limit, (pagination.page - 1) * pagination.limit});
    if (!page)
        return failure(page.failure(), texts::list_failed);
    pagination.total = page->total;
    return records(*page, pagination);
}

} // namespace useradmin::api
