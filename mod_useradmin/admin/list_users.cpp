// GET admin/list-users
#include "admin/endpoints.hpp"
#include "api/access.hpp"
#include "api/columns.hpp"
#include "api/paging.hpp"
#include "text/number.hpp"
#include "text/unicode.hpp"
#include "text/url.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace useradmin::admin {

namespace {

using Operator = store::Condition::Operator;

constexpr std::string_view search_fields[] = {"email", "name"};
constexpr std::string_view search_operators[] = {"contains", "starts_with", "ends_with"};
constexpr std::string_view directions[] = {"asc", "desc"};
// In the order of store::Condition::Operator.
constexpr std::string_view operators[] = {
    "eq", "ne", "lt", "lte", "gt", "gte", "in", "not_in", "contains", "starts_with", "ends_with"};
// better-auth's default.
constexpr std::int64_t default_limit = 100;

std::string one_of(std::span<const std::string_view> words) {
    std::string text = "Invalid option: expected one of ";
    for (std::size_t index = 0; index < words.size(); ++index)
        text.append(index == 0 ? "\"" : "|\"").append(words[index]).append("\"");
    return text;
}

/// Returns the operator with this name, or `otherwise` if there is none.
Operator operator_of(std::string_view text, Operator otherwise) noexcept {
    const auto* const found = std::ranges::find(operators, text);
    return found != std::end(operators)
               ? static_cast<Operator>(std::distance(std::begin(operators), found))
               : otherwise;
}

/// Returns a limit or offset, or std::nullopt if it is absent or not an integer from 1 to 2^53 - 1.
/// Like better-auth, ignores zero and text that is not a number.
std::optional<std::int64_t> count_in(std::string_view query, std::string_view name) {
    return text::parse_integer<std::int64_t>(text::query_parameter(query, name).value_or(""), 1,
                                             text::max_safe_integer);
}

/// Returns the filter in the query. Its views refer to searched and role.
store::Filter filter_of(std::string_view query, std::string& searched, std::string& role) {
    store::Filter filter;
    searched = text::query_parameter(query, "searchValue").value_or("");
    if (!searched.empty()) {
        filter.conditions.push_back(
            {text::query_parameter(query, "searchField").value_or("email"),
             operator_of(text::query_parameter(query, "searchOperator").value_or(""),
                         Operator::contains),
             {searched}});
        // Unlike the condition, filter.search can use an index. The search matches all users who
        // meet the condition, and possibly more.
        filter.search = searched;
    }
    auto values = text::query_parameters(query, "filterValue");
    if (values.empty())
        return filter;
    store::Condition condition = {
        text::query_parameter(query, "filterField").value_or("email"),
        operator_of(text::query_parameter(query, "filterOperator").value_or(""), Operator::eq),
        std::move(values)};
    if (condition.column.empty())
        condition.column = "email";
    // better-auth requires a list for "in". A condition without values matches no user.
    if (condition.comparison == Operator::in && condition.values.size() == 1)
        condition.values.clear();
    const bool is_of_role = condition.column == "role" && condition.comparison == Operator::eq &&
                            condition.values.size() == 1 && condition.values[0] != model::user_role;
    if (is_of_role && searched.empty()) {
        // Use the service's own role filter, because its total may already be cached. For the
        // "user" role, that filter would also match users without a role.
        role = condition.values[0];
        filter.role = role;
    } else {
        filter.conditions.push_back(std::move(condition));
    }
    return filter;
}

Response page_response(const store::Page& page, std::optional<std::int64_t> limit,
                       std::optional<std::int64_t> offset) {
    constexpr std::size_t user_size = 400;
    Response response;
    response.body.reserve((page.users.size() + 1) * user_size);
    json::Writer writer(response.body);
    writer.begin_object().key("users").begin_array();
    for (const model::User& user : page.users)
        write_user(writer, user);
    writer.end_array().key("total").integer(page.total);
    if (limit)
        writer.key("limit").integer(*limit);
    if (offset)
        writer.key("offset").integer(*offset);
    writer.end_object();
    return response;
}

/// Returns whether a condition or the order uses a column of secrets. A list that depends on such a
/// column would reveal its values.
bool uses_secret(const store::Filter& filter, const store::Window& window) {
    return api::has_name_of_secret(window.column) ||
           std::ranges::any_of(
               filter.conditions,
               [](const store::Condition& condition) {
                   return api::has_name_of_secret(condition.column);
               });
}

bool is_clean(const store::Filter& filter) {
    return std::ranges::all_of(
               filter.conditions,
               [](const store::Condition& condition) {
                   return text::is_clean_utf8(condition.column) &&
                          std::ranges::all_of(condition.values, text::is_clean_utf8);
               }) &&
           text::is_clean_utf8(filter.role.value_or(""));
}

} // namespace

std::optional<Response> validate_list_query(const http::Request& request, sign_in::Parameters&) {
    sign_in::ErrorList errors("query");
    const auto expect_one_of = [&](const char* name, std::span<const std::string_view> words) {
        const auto value = text::query_parameter(request.query, name);
        if (value && std::ranges::find(words, *value) == words.end())
            errors.add(name, one_of(words));
    };
    expect_one_of("searchField", search_fields);
    expect_one_of("searchOperator", search_operators);
    expect_one_of("sortDirection", directions);
    expect_one_of("filterOperator", operators);
    return errors.response();
}

Response list_users(Call& call) {
    const std::string_view query = call.request.query;
    std::optional<std::int64_t> limit = count_in(query, "limit");
    const std::optional<std::int64_t> offset = count_in(query, "offset");
    std::string searched;
    std::string role;
    store::Filter filter = filter_of(query, searched, role);
    store::Window window = {
        limit.value_or(default_limit), offset.value_or(0), {store::SortKey::created_at, false}};
    if (const std::int64_t max = call.service.settings.max_limit; window.limit > max) {
        window.limit = max;
        limit = limit ? std::optional(max) : std::nullopt;
    }
    window.columns = store::UserColumns::all;
    const std::string sorted_by = text::query_parameter(query, "sortBy").value_or("");
    if (!sorted_by.empty()) {
        if (const auto order = api::order_by(sorted_by))
            window.order = *order;
        else
            window.column = sorted_by;
        window.order.is_descending = text::query_parameter(query, "sortDirection") == "desc";
    }
    filter.matches_all = !filter.conditions.empty();
    if (!is_clean(filter) || uses_secret(filter, window))
        return page_response({}, {}, {});
    const auto page = call.service.store.list(filter, window);
    // If the database reports an error, better-auth responds with an empty list.
    if (!page && page.failure() == store::Failure::invalid_condition)
        return page_response({}, {}, {});
    if (!page)
        return failure_response(page.failure(), call.forbidden);
    return page_response(*page, limit, offset);
}

} // namespace useradmin::admin
