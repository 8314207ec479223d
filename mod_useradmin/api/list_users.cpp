// 4.1 List users: GET /api/users
#include "api/columns.hpp"
#include "api/cursor.hpp"
#include "api/envelope.hpp"
#include "api/operations.hpp"
#include "api/paging.hpp"
#include "api/texts.hpp"
#include "text/split.hpp"
#include "text/unicode.hpp"
#include "text/url.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

namespace useradmin::api {

namespace {

/// Ignores an empty parameter.
std::optional<std::string> filter_parameter(std::string_view query, std::string_view name) {
    std::optional<std::string> value = text::query_parameter(query, name);
    return value && !value->empty() ? value : std::nullopt;
}

/// Ignores an invalid value.
std::optional<bool> boolean_parameter(std::string_view query, std::string_view name) {
    const std::optional<std::string> value = text::query_parameter(query, name);
    return value == "true"    ? std::optional(true)
           : value == "false" ? std::optional(false)
                              : std::nullopt;
}

/// Ignores an invalid value.
std::optional<text::Timestamp> time_parameter(std::string_view query, std::string_view name) {
    const std::optional<std::string> value = text::query_parameter(query, name);
    return value ? text::parse_date(*value) : std::nullopt;
}

/// Returns the parameter's time plus one millisecond, the precision of times in responses. If the
/// parameter is the last time that every database can store, adds nothing.
std::optional<text::Timestamp> time_after_parameter(std::string_view query, std::string_view name) {
    const auto time = time_parameter(query, name);
    if (!time)
        return std::nullopt;
    const text::Timestamp after = *time + std::chrono::milliseconds(1);
    return text::is_storable_year(after) ? after : *time;
}

struct Sort {
    std::string_view name;
    store::Order order;
};
// The first entry is the default.
constexpr Sort sorts[] = {{"createdAt", {store::SortKey::created_at, true}},
                          {"updatedAt", {store::SortKey::updated_at, true}},
                          {"name", {store::SortKey::name, false}},
                          {"email", {store::SortKey::email, false}},
                          {"lastSeen", {store::SortKey::last_seen, true}}};

/// Ignores unknown values.
store::Order order_of(std::string_view query, bool has_extras) {
    const std::optional<std::string> wanted = text::query_parameter(query, "sort");
    store::Order order = order_by(wanted.value_or(""), has_extras).value_or(sorts[0].order);
    const std::optional<std::string> direction = text::query_parameter(query, "order");
    if (direction == "asc" || direction == "desc")
        order.is_descending = direction == "desc";
    return order;
}

/// Returns the cursors of the previous and the next page. Removes the extra user at the end of the
/// list. This user shows whether there is a next page and whether the cursor of that page needs an
/// id. list: see encode_cursor().
Neighbors neighbors_of(std::vector<model::User>& users, const Pagination& pagination,
                       const std::optional<Cursor>& cursor, std::string_view list) {
    Neighbors neighbors;
    const auto limit = static_cast<std::size_t>(pagination.limit);
    // The total may be older than the page (UserAdminTotalCache).
    neighbors.has_next = users.size() > limit ||
                         (cursor ? cursor->is_end : pagination.page < total_pages(pagination));
    // If the sort keys on both sides of the page boundary differ, omit the id: the next page is
    // then a single index range.
    bool needs_id = true;
    if (users.size() > limit) {
        const model::NullableText& last = users[limit - 1].sort_key;
        const model::NullableText& following = users[limit].sort_key;
        needs_id = !last || last == following;
        users.resize(limit);
    }
    const auto cursor_at = [&](const model::User& user, std::int64_t page, bool is_end) {
        return encode_cursor(
            {page, user.sort_key ? std::optional<std::string>(*user.sort_key) : std::nullopt,
             is_end || needs_id ? std::string(user.id) : std::string(), is_end},
            list);
    };
    if (users.empty())
        return neighbors;
    // The first page needs no cursor.
    if (const std::int64_t previous = std::min(pagination.page - 1, total_pages(pagination));
        previous > 1)
        neighbors.previous = cursor_at(users.front(), previous, true);
    if (neighbors.has_next)
        neighbors.next = cursor_at(users.back(), pagination.page + 1, false);
    return neighbors;
}

int condition_count(const store::Filter& filter) noexcept {
    return filter.role.has_value() + filter.search.has_value() + filter.banned.has_value() +
           filter.email_verified.has_value() + filter.created_from.has_value() +
           filter.created_before.has_value() + filter.seen_from.has_value() +
           filter.seen_before.has_value();
}

/// Combines the conditions with OR, unless the match parameter is "all".
store::Filter filter_of(std::string_view query, const model::NullableText& role,
                        const model::NullableText& search, bool has_extras) {
    store::Filter filter = {role, search};
    filter.banned = boolean_parameter(query, "banned");
    filter.email_verified = boolean_parameter(query, "emailVerified");
    filter.created_from = time_after_parameter(query, "createdAfter");
    filter.created_before = time_parameter(query, "createdBefore");
    if (has_extras) {
        filter.seen_from = time_after_parameter(query, "lastSeenAfter");
        filter.seen_before = time_parameter(query, "lastSeenBefore");
    }
    filter.matches_all =
        condition_count(filter) > 1 && text::query_parameter(query, "match") == "all";
    return filter;
}

/// Returns the times in the summary parameter, or none if there are more than 32, or if they are
/// invalid or not in ascending order.
std::vector<text::Timestamp> summary_times(std::string_view query) {
    constexpr std::size_t max_times = 32;
    const std::string parameter = filter_parameter(query, "summary").value_or("");
    std::vector<text::Timestamp> times;
    for (std::string_view rest = parameter; !rest.empty();) {
        const auto time = text::parse_date(text::take_until(rest, ','));
        if (!time || times.size() == max_times || (!times.empty() && *time <= times.back()))
            return {};
        times.push_back(*time);
    }
    return times;
}

/// Returns the counts of the users with the role or, without a role, of all users. times must not
/// be empty.
store::Result<Summary> summarize(store::Store& store, const model::NullableText& role,
                                 const std::vector<text::Timestamp>& times) {
    const auto count = [&](store::Filter filter) -> store::Result<std::int64_t> {
        filter.role = role;
        filter.matches_all = condition_count(filter) > 1;
        const auto page = store.list(filter, {});
        if (!page)
            return page.failure();
        return page->total;
    };
    Summary summary;
    summary.created.resize(times.size() - 1);
    std::vector<std::pair<store::Filter, std::int64_t*>> counts = {
        {{}, &summary.total},
        {{.role = {}, .search = {}, .banned = true}, &summary.banned},
        {{.role = {}, .search = {}, .email_verified = false}, &summary.unverified}};
    for (std::size_t each = 0; each < summary.created.size(); ++each)
        counts.push_back({{.role = {},
                           .search = {},
                           .created_from = times[each],
                           .created_before = times[each + 1]},
                          &summary.created[each]});
    for (const auto& [filter, number] : counts) {
        const auto counted = count(filter);
        if (!counted)
            return counted.failure();
        *number = *counted;
    }
    return summary;
}

} // namespace

std::optional<store::Order> order_by(std::string_view name, bool allows_last_seen) noexcept {
    const auto* const sort = std::ranges::find_if(sorts, [&](const Sort& each) {
        return name == each.name &&
               (allows_last_seen || each.order.by != store::SortKey::last_seen);
    });
    return sort != std::end(sorts) ? std::optional(sort->order) : std::nullopt;
}

Response list_users(const Call& call, const Service& service) {
    // dispatch() performs checks 1 (session) and 2 (role).

    Pagination pagination;
    pagination.page = positive_number(text::query_parameter(call.request.query, "page"), 1);
    pagination.limit =
        std::min(positive_number(text::query_parameter(call.request.query, "limit"), 20),
                 service.settings.max_limit);

    const std::optional<std::string> search = filter_parameter(call.request.query, "search");
    std::optional<std::string> role(model::user_role);
    if (is_super_administrator(*call.caller))
        role = filter_parameter(call.request.query, "role");
    for (const std::optional<std::string>& text : {search, role})
        if (text && !text::is_clean_utf8(*text))
            return error(500, call.operation.failure_text);

    const bool has_extras = service.settings.has_extras;
    const store::Filter filter = filter_of(call.request.query, role, search, has_extras);
    const store::Order order = order_of(call.request.query, has_extras);
    const std::string list =
        store::identity_of(filter) + (order.is_descending ? " desc " : " asc ") +
        std::to_string(static_cast<int>(order.by)) + ' ' + std::to_string(pagination.limit);
    const std::optional<Cursor> cursor =
        decode_cursor(text::query_parameter(call.request.query, "cursor").value_or(""), list);
    if (cursor)
        pagination.page = cursor->page;
    store::Window window = {pagination.limit, (pagination.page - 1) * pagination.limit, order};
    if (cursor)
        window.position = cursor->position();
    if (!cursor || !cursor->is_end)
        ++window.limit;
    const std::vector<std::string_view> columns = requested_columns(call, service.settings);
    if (!columns.empty())
        window.columns = store::UserColumns::all;
    store::Result<store::Page> page = service.store.list(filter, window);
    if (!page)
        return failure_response(page.failure(), call.operation);
    pagination.total = page->total;
    const Neighbors neighbors = neighbors_of(page->users, pagination, cursor, list);
    if (has_extras)
        if (const auto read = service.store.read_last_activity(page->users); !read)
            return failure_response(read.failure(), call.operation);
    std::optional<Summary> summary;
    if (const auto times = summary_times(call.request.query); !times.empty()) {
        auto counted = summarize(service.store,
                                 is_super_administrator(*call.caller) ? std::nullopt : role, times);
        if (!counted)
            return failure_response(counted.failure(), call.operation);
        summary = std::move(*counted);
    }
    Response response = records(*page, pagination, summary, columns);
    add_links(response, call.request, pagination, neighbors);
    return response;
}

} // namespace useradmin::api
