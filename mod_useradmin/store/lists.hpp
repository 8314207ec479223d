// How pages and totals of users are had from a database (4.1).
#pragma once

#include "store/dialect.hpp"
#include "store/totals.hpp"
#include "store/work.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::store {

/// A total, and the page where the same statement gave it.
struct CountedPage {
    std::int64_t total = 0;
    std::optional<std::vector<model::User>> users;
};

/// Whether requests share the total of a filter that they ask for at the same time.
enum class CountSharing {
    never,       ///< it costs less than waiting
    when_cached, ///< it comes with the page, so that only one that is there already saves anything
    always,
};

/// The statements of lists. Without state.
class ListQueries {
  public:
    virtual CountSharing count_sharing(const Schema& schema,
                                       const Filter& filter) const noexcept = 0;
    /// The total of the filter, with the window's users where that costs nothing more.
    virtual Result<CountedPage> count(Work& work, const Dialect& dialect, const Filter& filter,
                                      const Window& window, LastTotal last) const = 0;
    /// The window's users of a filter whose total is known.
    virtual Result<std::vector<model::User>> page(Work& work, const Dialect& dialect,
                                                  const Filter& filter, std::int64_t total,
                                                  const Window& window) const = 0;

  protected:
    ~ListQueries() = default;
};

/// Lists from the user table alone.
const ListQueries& plain_lists() noexcept;

/// Up to how many matches are all collected and sorted for a page of them. Where there are more, a
/// page is sooner found by going through the users, newest first.
inline constexpr std::int64_t max_collected = 5000;

// The pieces that the statements of lists have in common.

/// The role as the interface sees it: NULL, or no such column, is 'user'.
std::string role_expression(const Table& user, const Dialect& dialect);
/// The column that the newest row is found by; without it, rows come by their ids.
std::string created_at_column(const Table& table);
/// What rows are sorted by.
std::string newest_first_order(const Table& table);
/// What rows are sorted by, before their ids; empty where there is no such column.
std::string sort_key_expression(const Table& user, const Dialect& dialect, SortKey by);
/// The order of a key and an id: of times the newest are first, and texts begin at their
/// beginning, where the ids do.
std::string order_by(const std::string& key, const std::string& id, Order order);
/// The two columns that matches are collected with, for a page of them.
std::string sort_columns(const Table& user);
/// Appends LIMIT and OFFSET.
void append_window(Statement& statement, const Window& window);
/// Appends LIMIT. A usual one stands in the statement as it is: PostgreSQL makes a new plan for
/// each one that is an argument, at the price of the page.
void append_limit(Statement& statement, std::int64_t limit);
/// Appends the joins from a total, a row "t", to the window of useradmin_match, of which the users
/// of the role are none, and those of the role. What is read of them goes by the alias u.
void append_collected(Statement& statement, const Schema& schema, const Dialect& dialect,
                      const model::NullableText& role, const Window& window);

/// Appends the condition that a user matches a search.
using AppendSearch = void (*)(Statement& statement, const Schema& schema, const Dialect& dialect,
                              std::string_view search);
/// A total, and perhaps the page, of any filter in any order.
Result<CountedPage> count_any(Work& work, const Dialect& dialect, const Filter& filter,
                              const Window& window, LastTotal last, AppendSearch append_search);
/// The page of any filter in any order.
Result<std::vector<model::User>> page_any(Work& work, const Dialect& dialect, const Filter& filter,
                                          std::int64_t total, const Window& window,
                                          AppendSearch append_search);
/// Appends what follows SELECT for that page, found by going through the users in their order.
void append_ordered_scan(Statement& statement, const Schema& schema, const Dialect& dialect,
                         const Filter& filter, const Window& window, AppendSearch append_search);
/// The window as it is from the other end of so many users.
Window mirrored(const Window& window, std::int64_t total) noexcept;
/// What a function gives of the window from the other end, in the window's own order.
template <class Users>
Result<std::vector<model::User>> reversed(const Users& users_of, const Window& window,
                                          std::int64_t total) {
    Result<std::vector<model::User>> users = users_of(mirrored(window, total));
    if (users)
        std::reverse(users->begin(), users->end());
    return users;
}

/// The rows of a total and of a user, which is NULL where the page is empty. Nothing where there is
/// no row, or the total is NULL.
Result<std::optional<CountedPage>> page_with_total(Work& work, const Statement& statement);
/// What that statement says; where it says nothing, what `otherwise` gives.
template <class Otherwise>
Result<CountedPage> counted_page(Work& work, const Statement& statement, Otherwise otherwise) {
    Result<std::optional<CountedPage>> counted = page_with_total(work, statement);
    if (!counted)
        return counted.failure();
    return *counted ? Result<CountedPage>(**std::move(counted)) : otherwise();
}
/// The row of a total alone, beside a page that is known.
Result<CountedPage> read_total(Work& work, const Statement& statement,
                               std::optional<std::vector<model::User>> users = {});
/// The rows of users.
Result<std::vector<model::User>> page_of(Work& work, const Statement& statement);

} // namespace useradmin::store
