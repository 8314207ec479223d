// How pages and totals of users are had from a database (4.1).
#pragma once

#include "store/dialect.hpp"
#include "store/work.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace useradmin::store {

/// A total, and the page where the same statement gave it.
struct Counted {
    std::int64_t total = 0;
    std::optional<std::vector<User>> users;
};

/// Whether requests share the total of a filter that they ask for at the same time.
enum class Sharing {
    never,     ///< it costs less than waiting
    when_kept, ///< it comes with the page, so that only one that is there already saves anything
    always,
};

/// The statements of lists. Without state.
class Lists {
  public:
    virtual Sharing sharing(const Schema& schema, const Filter& filter) const noexcept = 0;
    /// The total of the filter, with the window's users where that costs nothing more.
    virtual Result<Counted> count(Work& work, const Dialect& dialect, const Filter& filter,
                                  const Window& window) const = 0;
    /// The window's users of a filter whose total is known.
    virtual Result<std::vector<User>> page(Work& work, const Dialect& dialect, const Filter& filter,
                                           std::int64_t total, const Window& window) const = 0;

  protected:
    ~Lists() = default;
};

/// Lists from the user table alone.
const Lists& plain_lists() noexcept;

/// Up to how many matches are all collected and sorted for a page of them. Where there are more, a
/// page is sooner found by going through the users, newest first.
inline constexpr std::int64_t most_collected = 5000;

// The pieces that the statements of lists have in common.

/// The role as the interface sees it: NULL, or no such column, is 'user'.
std::string role_of(const Table& user, const Dialect& dialect);
/// The column that the newest row is found by; without it, rows come by their ids.
std::string created_at(const Table& table);
/// What rows are sorted by.
std::string newest_first(const Table& table);
/// The two columns that the rows of a page begin with, for the statement around it to sort by.
std::string sort_columns(const Table& user);
/// How that statement sorts the page, which it calls p.
inline constexpr const char* sorted_by_page = " ORDER BY p.useradmin_time DESC, p.useradmin_id";
/// Reads rows of a total, two columns that the page is sorted by, and a user. An empty page is one
/// row with the total alone.
Counted counted_page(Rows& rows);
/// Reads rows of a user.
std::vector<User> page_of(Rows& rows);

} // namespace useradmin::store
