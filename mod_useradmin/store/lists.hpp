// Pages and totals of users (4.1).
#pragma once

#include "store/dialect.hpp"
#include "store/totals.hpp"
#include "store/work.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::store {

/// A total, and the page if the same statement returned it.
struct CountedPage {
    std::int64_t total = 0;
    std::optional<std::vector<model::User>> users;
};

/// Whether concurrent requests share a total.
enum class CountSharing {
    never,       ///< counting is cheaper than waiting
    when_cached, ///< only a cached total saves time, because the page's statement also counts
    always,
};

/// The statements that list users. Stateless.
class ListQueries {
  public:
    virtual CountSharing count_sharing(const Schema& schema, const Filter& filter) const = 0;
    /// Returns the total of a filter, and the page if it costs nothing extra.
    virtual Result<CountedPage> count(Work& work, const Filter& filter, const Window& window,
                                      LastTotal last) const = 0;
    /// Returns the page of a filter whose total is known.
    virtual Result<std::vector<model::User>>
    page(Work& work, const Filter& filter, std::int64_t total, const Window& window) const = 0;

  protected:
    ~ListQueries() = default;
};

/// Returns the list queries that need no tables besides the application's.
const ListQueries& plain_lists() noexcept;

/// The maximum number of matches to collect and sort. With more matches, an ordered scan of the
/// users finds a page sooner.
inline constexpr std::int64_t max_collected = 5000;

// --- Fragments of list statements ---

/// Returns an expression for the role. Its value is 'user' if the role is NULL or the column is
/// missing.
std::string role_expression(const Table& user);
/// Returns the ORDER BY expressions for newest rows first.
std::string newest_first_order(const Table& table);
/// Returns the ORDER BY expressions: the key, unless it is empty, then the id.
std::string order_by(const std::string& key, const std::string& id, Order order);
/// Returns the SELECT columns useradmin_key and useradmin_id, which determine the order of a page.
std::string sort_columns(const Table& user, SortKey by);
/// Returns the SELECT columns of a page: the fields of the user `u`, and the sort key of the row
/// `m`.
std::string select_list_m(const Table& user, SortKey by);
void append_window(Statement& statement, const Window& window);
/// Appends LIMIT. Common limits are literals. If the limit were an argument, PostgreSQL would plan
/// each execution, and planning takes as long as reading the page.
void append_limit(Statement& statement, std::int64_t limit);
/// Appends the end of the CTE useradmin_match, which collects up to max_collected matches, and an
/// expression for their number. If there are more matches, the number is NULL.
void append_match_total(Statement& statement, const Table& user, SortKey by);
/// Completes the total (t), and appends the joins from the total to the users of the page (u). The
/// users are those in useradmin_match and, if `role` is set, those with the role. In that case,
/// useradmin_match must not contain users with the role.
void append_collected(Statement& statement, const Schema& schema, const model::NullableText& role,
                      const Window& window);

/// Appends the conditions for users who match a search, joined by AND.
using AppendSearch = void (*)(Statement& statement, const Schema& schema, std::string_view search);
/// Returns the total, and possibly the page, for any filter and order.
Result<CountedPage> count_any(Work& work, const Filter& filter, const Window& window,
                              LastTotal last, AppendSearch append_search);
/// Returns a page for any filter and order.
Result<std::vector<model::User>> page_any(Work& work, const Filter& filter, std::int64_t total,
                                          const Window& window, AppendSearch append_search);
/// Returns a page by an ordered scan of the users.
Result<std::vector<model::User>> page_by_scan(Work& work, const Filter& filter,
                                              const Window& window, AppendSearch append_search);
/// Returns a page for any filter, sorted by Window::column. Fails with invalid_condition if the
/// table lacks the column or the database cannot sort by it.
Result<std::vector<model::User>> page_by_column(Work& work, const Filter& filter,
                                                const Window& window);
/// Appends the rest of a SELECT that finds a page by an ordered scan of the users.
void append_ordered_scan(Statement& statement, const Schema& schema, const Filter& filter,
                         const Window& window, AppendSearch append_search);
/// Returns the window, without its position if no row of the table can have that position. If the
/// position remains, removes the offset, and reverses the order if the page ends before it.
Window usable_window(const Window& window, const Table& user);

/// Runs a statement whose rows have the total and a user. The user is NULL if the page is empty.
/// Returns std::nullopt if there is no row or the total is NULL.
Result<std::optional<CountedPage>> page_with_total(Work& work, const Statement& statement);
/// Returns the total and the page from the statement, or the result of `otherwise` if the statement
/// returns no total.
template <class Otherwise>
Result<CountedPage> counted_page(Work& work, const Statement& statement, Otherwise otherwise) {
    Result<std::optional<CountedPage>> counted = page_with_total(work, statement);
    if (!counted)
        return counted.failure();
    return *counted ? Result<CountedPage>(**std::move(counted)) : otherwise();
}
/// Runs a statement that returns a total. `users` is the page, if already known.
Result<CountedPage> read_total(Work& work, const Statement& statement,
                               std::optional<std::vector<model::User>> users = {});

} // namespace useradmin::store
