#include "store/lists.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace useradmin::store {

namespace {

// Below this, counting costs less than to wait for who counts.
constexpr std::int64_t least_shared = 10000;

/// The two columns that matches are collected with, for a page of them.
std::string sort_columns(const Table& user) {
    return created_at(user) + " AS useradmin_time, " + user.at("id").sql() + " AS useradmin_id";
}

/// Appends the condition that the name or the address contains the searched text.
void append_search(Statement& statement, const Schema& schema, const Dialect& dialect,
                   std::string_view search) {
    const char* before = "(";
    for (const std::string_view field : {"name", "email"}) {
        statement << std::exchange(before, " OR ");
        dialect.contains(statement, schema.user.at(field).sql(), search);
    }
    statement << ")";
}

/// Appends the condition that a row matches the filter.
void append_filter(Statement& statement, const Schema& schema, const Dialect& dialect,
                   const Filter& filter) {
    const char* before = " WHERE ";
    if (filter.role)
        statement << std::exchange(before, " OR ") << role_of(schema.user, dialect) << " = "
                  << argument(*filter.role);
    if (filter.search)
        append_search(statement << before, schema, dialect, *filter.search);
}

/// Appends a query of the number of users that match a filter.
void append_number(Statement& statement, const Schema& schema, const Dialect& dialect,
                   const Filter& filter) {
    statement << "SELECT count(*) FROM " << schema.user;
    append_filter(statement, schema, dialect, filter);
}

/// Appends what follows SELECT for the window of the users that match a filter.
void append_walk(Statement& statement, const Schema& schema, const Dialect& dialect,
                 const Filter& filter, const Window& window) {
    statement << schema.user.read << " FROM " << schema.user;
    append_filter(statement, schema, dialect, filter);
    append_window(statement << " ORDER BY " << newest_first(schema.user), window);
}

/// Collects what matches the search in one scan: its number is the total, and the page is taken
/// from it. The users of a filter's role are counted and sorted by themselves.
void append_collection(Statement& statement, const Schema& schema, const Dialect& dialect,
                       const Filter& filter, const Window& window) {
    const Table& user = schema.user;
    statement << "WITH useradmin_match AS MATERIALIZED (SELECT " << sort_columns(user) << " FROM "
              << user << " WHERE ";
    append_search(statement, schema, dialect, *filter.search);
    if (filter.role)
        statement << " AND " << role_of(user, dialect) << " <> " << argument(*filter.role);
    statement << ") SELECT t.total, " << user.read_as_u
              << " FROM (SELECT (SELECT count(*) FROM useradmin_match)";
    if (filter.role)
        append_number(statement << " + (", schema, dialect, {filter.role, {}});
    statement << (filter.role ? ")" : "") << " AS total) t";
    append_collected(statement, schema, dialect, filter.role, window);
}

// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): one constant, never deleted
class PlainLists final : public Lists {
  public:
    Sharing sharing(const Schema& schema, const Filter& filter) const noexcept override {
        return filter.search                           ? Sharing::when_kept
               : schema.user.about_rows < least_shared ? Sharing::never
                                                       : Sharing::always;
    }

    Result<Counted> count(Work& work, const Dialect& dialect, const Filter& filter,
                          const Window& window, LastTotal) const override {
        const Schema& schema = work.schema();
        Statement statement = work.statement();
        if (filter.search) {
            append_collection(statement, schema, dialect, filter, window);
        } else {
            append_number(statement << "SELECT (", schema, dialect, filter);
            append_walk(statement << "), ", schema, dialect, filter, window);
        }
        return counted_page(work, statement, [&] {
            Statement number = work.statement();
            append_number(number, schema, dialect, filter);
            return counted_alone(work, number, std::vector<User>());
        });
    }

    Result<std::vector<User>> page(Work& work, const Dialect& dialect, const Filter& filter,
                                   std::int64_t total, const Window& window) const override {
        if (filter.search && total <= most_collected) {
            Result<Counted> counted = count(work, dialect, filter, window, total);
            if (!counted)
                return counted.failure();
            return *std::move(counted->users);
        }
        Statement statement = work.statement();
        append_walk(statement << "SELECT ", work.schema(), dialect, filter, window);
        return page_of(work, statement);
    }
};

} // namespace

const Lists& plain_lists() noexcept {
    static constexpr PlainLists lists;
    return lists;
}

std::string role_of(const Table& user, const Dialect& dialect) {
    const Column* role = user.find("role");
    if (role == nullptr)
        return "'user'";
    const bool is_text = role->kind == Column::Kind::text && !role->is_loose;
    return "coalesce(" + (is_text ? role->sql() : dialect.as_text(role->sql())) + ", 'user')";
}

std::string created_at(const Table& table) {
    const Column* created = table.find("createdAt");
    return created != nullptr ? created->sql() : "NULL";
}

std::string newest_first(const Table& table) {
    const std::string id = table.at("id").sql();
    return table.find("createdAt") != nullptr ? created_at(table) + " DESC, " + id : id;
}

void append_window(Statement& statement, const Window& window) {
    // PostgreSQL makes a new plan for each limit that is an argument, at the price of the page.
    constexpr std::array<std::int64_t, 5> usual = {10, 20, 25, 50, 100};
    if (window.offset == 0 && std::find(usual.begin(), usual.end(), window.limit) != usual.end())
        statement << " LIMIT " << std::to_string(window.limit);
    else
        statement << " LIMIT " << argument(window.limit) << " OFFSET " << argument(window.offset);
}

void append_collected(Statement& statement, const Schema& schema, const Dialect& dialect,
                      const Text& role, const Window& window) {
    const Table& user = schema.user;
    statement << " LEFT JOIN (SELECT * FROM useradmin_match";
    if (role)
        statement << " UNION ALL SELECT * FROM (SELECT " << sort_columns(user) << " FROM " << user
                  << " WHERE " << role_of(user, dialect) << " = " << argument(*role) << " ORDER BY "
                  << newest_first(user) << " LIMIT " << argument(window.end()) << ") r";
    append_window(statement << " ORDER BY useradmin_time DESC, useradmin_id", window);
    statement << ") m ON 1 = 1 LEFT JOIN " << user << " u ON u." << user.at("id")
              << " = m.useradmin_id ORDER BY m.useradmin_time DESC, m.useradmin_id";
}

Result<std::optional<Counted>> page_with_total(Work& work, const Statement& statement) {
    Result<Rows> rows = work.run(statement);
    if (!rows)
        return rows.failure();
    std::optional<Counted> counted;
    while (rows->next()) {
        if (rows->is_null())
            break;
        if (!counted)
            counted.emplace().users.emplace().reserve(rows->count());
        counted->total = rows->take_number();
        if (!rows->is_null())
            counted->users->push_back(rows->take_record<User>());
    }
    return counted;
}

Result<Counted> counted_alone(Work& work, const Statement& statement,
                              std::optional<std::vector<User>> users) {
    Result<Rows> rows = work.run(statement);
    if (!rows)
        return rows.failure();
    return Counted{rows->next() ? rows->take_number() : 0, std::move(users)};
}

Result<std::vector<User>> page_of(Work& work, const Statement& statement) {
    Result<Rows> rows = work.run(statement);
    if (!rows)
        return rows.failure();
    std::vector<User> users;
    users.reserve(rows->count());
    while (rows->next())
        users.push_back(rows->take_record<User>());
    return users;
}

} // namespace useradmin::store
