#include "store/lists.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace useradmin::store {

namespace {

// Below this total, counting is cheaper than waiting for another count.
constexpr std::int64_t min_shared = 10000;

// From this offset on, skip rows by the index and then look up the page's users.
constexpr std::int64_t min_skipped = 100;

/// Appends a condition that the name or the address contains the text.
void append_search(Statement& statement, const Schema& schema, const Dialect& dialect,
                   std::string_view search) {
    const char* before = "(";
    for (const std::string_view field : {"name", "email"}) {
        statement << std::exchange(before, " OR ");
        dialect.append_contains(statement, schema.user.at(field), search);
    }
    statement << ")";
}

/// Appends a condition that a boolean column has the value; NULL is false.
void append_truth(Statement& statement, const Column* column, bool truth) {
    if (column == nullptr)
        statement << (truth ? "FALSE" : "TRUE");
    else if (truth)
        statement << *column << column->op("=") << argument(*column, true);
    else
        statement << "(" << *column << " IS NULL OR " << *column << column->op("=")
                  << argument(*column, false) << ")";
}

/// Appends a comparison of a time column with a time.
void append_time(Statement& statement, const Column* column, const char* comparison,
                 text::Timestamp time) {
    if (column == nullptr)
        statement << "FALSE";
    else
        statement << *column << column->op(comparison) << argument(*column, time);
}

/// Appends a condition that a row matches the filter.
void append_filter(Statement& statement, const Schema& schema, const Dialect& dialect,
                   const Filter& filter, AppendSearch append_search) {
    const Table& user = schema.user;
    const char* before = " WHERE ";
    const auto next = [&]() -> Statement& {
        return statement << std::exchange(before, filter.matches_all ? " AND " : " OR ");
    };
    if (filter.role)
        next() << role_expression(user, dialect) << user.op("=") << argument(*filter.role);
    if (filter.search)
        append_search(next(), schema, dialect, *filter.search);
    if (filter.banned)
        append_truth(next(), user.find("banned"), *filter.banned);
    if (filter.email_verified)
        append_truth(next(), user.find("emailVerified"), *filter.email_verified);
    if (filter.created_from)
        append_time(next(), user.find("createdAt"), ">=", *filter.created_from);
    if (filter.created_before)
        append_time(next(), user.find("createdAt"), "<", *filter.created_before);
}

/// Appends a query for the number of users that match a filter.
void append_number(Statement& statement, const Schema& schema, const Dialect& dialect,
                   const Filter& filter, AppendSearch append_search) {
    statement << "SELECT " << schema.user.function("count") << "*) FROM " << schema.user;
    append_filter(statement, schema, dialect, filter, append_search);
}

/// Collects the matches of a filter up to a limit. Above it, the total is NULL.
void append_any_collection(Statement& statement, const Schema& schema, const Dialect& dialect,
                           const Filter& filter, const Window& window, AppendSearch append_search) {
    const Table& user = schema.user;
    const std::string most = std::to_string(max_collected);
    const std::string key = sort_key_expression(user, dialect, window.order.by);
    statement << "WITH useradmin_match AS MATERIALIZED (SELECT " << (key.empty() ? "NULL" : key)
              << " AS useradmin_key, " << user.at("id") << " AS useradmin_id FROM " << user;
    append_filter(statement, schema, dialect, filter, append_search);
    const std::string number = user.function("count") + "*)";
    statement << " LIMIT " << std::to_string(max_collected + 1) << ") SELECT t.total, "
              << user.select_list_u << " FROM (SELECT (SELECT CASE WHEN " << number << user.op("<=")
              << most << " THEN " << number
              << " END FROM useradmin_match) AS total) t LEFT JOIN (SELECT * FROM "
                 "useradmin_match ORDER BY "
              << order_by("useradmin_key", "useradmin_id", window.order);
    append_window(statement, window);
    statement << ") m ON TRUE LEFT JOIN " << user << " u ON u." << user.at("id")
              << user.at("id").op("=") << "m.useradmin_id ORDER BY "
              << order_by("m.useradmin_key", "m.useradmin_id", window.order);
}

/// Collects the matches of the search in one scan, for both the total and the page. Users of the
/// filter's role are counted and sorted separately.
void append_collection(Statement& statement, const Schema& schema, const Dialect& dialect,
                       const Filter& filter, const Window& window) {
    const Table& user = schema.user;
    statement << "WITH useradmin_match AS MATERIALIZED (SELECT " << sort_columns(user) << " FROM "
              << user << " WHERE ";
    append_search(statement, schema, dialect, *filter.search);
    if (filter.role)
        statement << " AND " << role_expression(user, dialect) << user.op("<>")
                  << argument(*filter.role);
    statement << ") SELECT t.total, " << user.select_list_u << " FROM (SELECT (SELECT "
              << user.function("count") << "*) FROM useradmin_match)";
    if (filter.role)
        append_number(statement << user.op("+") << "(", schema, dialect, {filter.role, {}},
                      append_search);
    statement << (filter.role ? ")" : "") << " AS total) t";
    append_collected(statement, schema, dialect, filter.role, window);
}

/// Returns the total for a page that is already known.
Result<CountedPage> number_alone(Work& work, const Dialect& dialect, const Filter& filter,
                                 AppendSearch append_search,
                                 std::optional<std::vector<model::User>> users = {}) {
    Statement number = work.statement();
    append_number(number, work.schema(), dialect, filter, append_search);
    return read_total(work, number, std::move(users));
}

// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): one constant, never deleted
class PlainListQueries final : public ListQueries {
  public:
    CountSharing count_sharing(const Schema& schema, const Filter& filter) const noexcept override {
        return filter.search                             ? CountSharing::when_cached
               : schema.user.estimated_rows < min_shared ? CountSharing::never
                                                         : CountSharing::always;
    }

    Result<CountedPage> count(Work& work, const Dialect& dialect, const Filter& filter,
                              const Window& window, LastTotal last) const override {
        if (!filter.is_standard() || !window.order.is_default())
            return count_any(work, dialect, filter, window, last, append_search);
        const Schema& schema = work.schema();
        Statement statement = work.statement();
        if (filter.search) {
            append_collection(statement, schema, dialect, filter, window);
        } else {
            append_number(statement << "SELECT (", schema, dialect, filter, append_search);
            append_ordered_scan(statement << "), ", schema, dialect, filter, window, append_search);
        }
        return counted_page(work, statement, [&] {
            return number_alone(work, dialect, filter, append_search, std::vector<model::User>());
        });
    }

    Result<std::vector<model::User>> page(Work& work, const Dialect& dialect, const Filter& filter,
                                          std::int64_t total, const Window& window) const override {
        if (!filter.is_standard() || !window.order.is_default())
            return page_any(work, dialect, filter, total, window, append_search);
        if (filter.search && total <= max_collected) {
            Result<CountedPage> counted = count(work, dialect, filter, window, total);
            if (!counted)
                return counted.failure();
            return *std::move(counted->users);
        }
        Statement statement = work.statement();
        append_ordered_scan(statement << "SELECT ", work.schema(), dialect, filter, window,
                            append_search);
        return page_of(work, statement);
    }
};

} // namespace

std::string sort_key_expression(const Table& user, const Dialect& dialect, SortKey by) {
    const auto of_column = [&](std::string_view field, bool is_text) {
        const Column* column = user.find(field);
        return column == nullptr ? std::string()
               : is_text         ? dialect.sort_key(column->sql())
                                 : column->sql();
    };
    switch (by) {
    case SortKey::created_at:
        return of_column("createdAt", false);
    case SortKey::name:
        return of_column("name", true);
    case SortKey::email:
        return of_column("email", true);
    case SortKey::updated_at:
        return of_column("updatedAt", false);
    }
    return {};
}

std::string order_by(const std::string& key, const std::string& id, Order order) {
    const bool is_of_times = order.by == SortKey::created_at || order.by == SortKey::updated_at;
    const bool is_by_ids = order.is_descending == is_of_times;
    return (key.empty() ? "" : key + (order.is_descending ? " DESC, " : ", ")) + id +
           (is_by_ids ? "" : " DESC");
}

void append_ordered_scan(Statement& statement, const Schema& schema, const Dialect& dialect,
                         const Filter& filter, const Window& window, AppendSearch append_search) {
    const Table& user = schema.user;
    const std::string key = sort_key_expression(user, dialect, window.order.by);
    const std::string id = user.at("id").sql();
    if (window.offset < min_skipped) {
        statement << user.select_list << " FROM " << user;
        append_filter(statement, schema, dialect, filter, append_search);
        append_window(statement << " ORDER BY " << order_by(key, id, window.order), window);
        return;
    }
    // Skipped rows are read from the order's index only.
    statement << user.select_list_u << " FROM (SELECT " << (key.empty() ? "NULL" : key)
              << " AS useradmin_key, " << id << " AS useradmin_id FROM " << user;
    append_filter(statement, schema, dialect, filter, append_search);
    append_window(statement << " ORDER BY " << order_by(key, id, window.order), window);
    statement << ") m JOIN " << user << " u ON u." << id << user.at("id").op("=")
              << "m.useradmin_id ORDER BY "
              << order_by("m.useradmin_key", "m.useradmin_id", window.order);
}

Result<CountedPage> count_any(Work& work, const Dialect& dialect, const Filter& filter,
                              const Window& window, LastTotal last, AppendSearch append_search) {
    const Schema& schema = work.schema();
    Statement statement = work.statement();
    if (filter.is_empty()) {
        append_number(statement << "SELECT (", schema, dialect, filter, append_search);
        append_ordered_scan(statement << "), ", schema, dialect, filter, window, append_search);
        return counted_page(work, statement, [&] {
            return number_alone(work, dialect, filter, append_search, std::vector<model::User>());
        });
    }
    if (last.value_or(0) > max_collected || window.end() > max_collected)
        return number_alone(work, dialect, filter, append_search);
    append_any_collection(statement, schema, dialect, filter, window, append_search);
    return counted_page(work, statement,
                        [&] { return number_alone(work, dialect, filter, append_search); });
}

Result<std::vector<model::User>> page_any(Work& work, const Dialect& dialect, const Filter& filter,
                                          std::int64_t total, const Window& window,
                                          AppendSearch append_search) {
    Statement statement = work.statement();
    if (!filter.is_empty() && total <= max_collected) {
        append_any_collection(statement, work.schema(), dialect, filter, window, append_search);
        Result<std::optional<CountedPage>> counted = page_with_total(work, statement);
        if (!counted)
            return counted.failure();
        if (*counted)
            return *std::move((*counted)->users);
    }
    Statement walk = work.statement();
    append_ordered_scan(walk << "SELECT ", work.schema(), dialect, filter, window, append_search);
    return page_of(work, walk);
}

Window mirrored(const Window& window, std::int64_t total) noexcept {
    const std::int64_t limit = std::clamp<std::int64_t>(total - window.offset, 0, window.limit);
    return {limit, std::max<std::int64_t>(total - window.offset - limit, 0),
            window.order.reversed()};
}

const ListQueries& plain_lists() noexcept {
    static constexpr PlainListQueries lists;
    return lists;
}

std::string role_expression(const Table& user, const Dialect& dialect) {
    const Column* role = user.find("role");
    if (role == nullptr)
        return "'user'";
    const bool is_text = role->kind == Column::Kind::text && !role->has_loose_equality;
    return "coalesce(" + (is_text ? role->sql() : dialect.as_text(*role)) + ", 'user')";
}

std::string created_at_column(const Table& table) {
    const Column* created = table.find("createdAt");
    return created != nullptr ? created->sql() : "NULL";
}

std::string sort_columns(const Table& user) {
    return created_at_column(user) + " AS useradmin_time, " + user.at("id").sql() +
           " AS useradmin_id";
}

std::string newest_first_order(const Table& table) {
    const std::string id = table.at("id").sql();
    return table.find("createdAt") != nullptr ? created_at_column(table) + " DESC, " + id : id;
}

void append_window(Statement& statement, const Window& window) {
    append_limit(statement, window.limit);
    if (window.offset != 0)
        statement << " OFFSET " << argument(window.offset);
}

void append_limit(Statement& statement, std::int64_t limit) {
    constexpr std::array<std::int64_t, 5> usual = {10, 20, 25, 50, 100};
    statement << " LIMIT ";
    if (std::find(usual.begin(), usual.end(), limit) != usual.end())
        statement << std::to_string(limit);
    else
        statement << argument(limit);
}

void append_collected(Statement& statement, const Schema& schema, const Dialect& dialect,
                      const model::NullableText& role, const Window& window) {
    const Table& user = schema.user;
    statement << " LEFT JOIN (SELECT * FROM useradmin_match";
    if (role)
        statement << " UNION ALL SELECT * FROM (SELECT " << sort_columns(user) << " FROM " << user
                  << " WHERE " << role_expression(user, dialect) << user.op("=") << argument(*role)
                  << " ORDER BY " << newest_first_order(user) << " LIMIT " << argument(window.end())
                  << ") r";
    append_window(statement << " ORDER BY useradmin_time DESC, useradmin_id", window);
    statement << ") m ON TRUE LEFT JOIN " << user << " u ON u." << user.at("id")
              << user.at("id").op("=")
              << "m.useradmin_id ORDER BY m.useradmin_time DESC, m.useradmin_id";
}

Result<std::optional<CountedPage>> page_with_total(Work& work, const Statement& statement) {
    Result<Rows> rows = work.run(statement);
    if (!rows)
        return rows.failure();
    std::optional<CountedPage> counted;
    while (rows->next()) {
        if (rows->is_null())
            break;
        if (!counted)
            counted.emplace().users.emplace().reserve(rows->count());
        counted->total = rows->take_number();
        if (!rows->is_null())
            counted->users->push_back(rows->take_record<model::User>());
    }
    return counted;
}

Result<CountedPage> read_total(Work& work, const Statement& statement,
                               std::optional<std::vector<model::User>> users) {
    Result<Rows> rows = work.run(statement);
    if (!rows)
        return rows.failure();
    return CountedPage{rows->next() ? rows->take_number() : 0, std::move(users)};
}

Result<std::vector<model::User>> page_of(Work& work, const Statement& statement) {
    Result<Rows> rows = work.run(statement);
    if (!rows)
        return rows.failure();
    std::vector<model::User> users;
    users.reserve(rows->count());
    while (rows->next())
        users.push_back(rows->take_record<model::User>());
    return users;
}

} // namespace useradmin::store
