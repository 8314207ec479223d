#include "api/envelope.hpp"
#include "api/paging.hpp"
#include "ctl/command.hpp"
#include "ctl/commands/user_lookup.hpp"
#include "ctl/display.hpp"
#include "model/roles.hpp"

#include <limits>

namespace useradmin::ctl {

namespace {

constexpr std::int64_t largest_limit = 100000;
constexpr std::int64_t largest_page = std::numeric_limits<std::int64_t>::max() / largest_limit;

/// Returns the value of a filter. As in the API, an empty value is ignored.
model::NullableText text_of(const Options& options, std::string_view name) {
    const auto value = options.find(name);
    return value && !value->empty() ? value : std::nullopt;
}

store::Order order_of(const Options& options) {
    const auto order = api::order_by(options.find("sort").value_or("createdAt"), true);
    if (!order)
        throw UsageError("--sort must be createdAt, updatedAt, name, email or lastSeen");
    return *order;
}

} // namespace

Exit list(Context& context) {
    api::Pagination pagination;
    pagination.page = context.options.number("page", largest_page, pagination.page);
    pagination.limit = context.options.number("limit", largest_limit, pagination.limit);
    store::Filter filter = {text_of(context.options, "role"), text_of(context.options, "search")};
    const store::Window window = {pagination.limit, (pagination.page - 1) * pagination.limit,
                                  order_of(context.options)};
    if (context.options.has("banned")) {
        require_columns(context, {"banned"});
        filter.banned = true;
        filter.matches_all = filter.role || filter.search;
    }
    store::Page page = value_of(context.store().list(filter, window));
    const bool shows_last_seen = window.order.by == store::SortKey::last_seen;
    if (shows_last_seen)
        static_cast<void>(value_of(context.store().read_last_activity(page.users)));
    pagination.total = page.total;
    if (context.wants_json()) {
        print_json(api::records(page, pagination).body);
        return Exit::success;
    }
    TextTable listing = {{"ID"},
                         {"NAME", Width::truncated},
                         {"EMAIL"},
                         {"ROLE", Width::truncated},
                         {"BANNED", Width::truncated},
                         {shows_last_seen ? "LAST SEEN" : "CREATED"}};
    for (const model::User& user : page.users)
        listing.add(
            {std::string(user.id), std::string(user.name), std::string(user.email),
             std::string(user.role.value_or(model::user_role)), user.banned ? "yes" : "no",
             display(shows_last_seen ? user.last_seen.value_or(std::nullopt) : user.created_at)});
    listing.print();
    print_line(count_of(page.total, "user", "users") + ", page " + std::to_string(pagination.page) +
               " of " + std::to_string(api::total_pages(pagination)));
    return Exit::success;
}

} // namespace useradmin::ctl
