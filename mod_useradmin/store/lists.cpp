#include "store/lists.hpp"

#include <utility>

namespace useradmin::store {

namespace {

// Below this, counting costs less than to wait for who counts.
constexpr std::int64_t least_shared = 10000;

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

/// Counts by the filter and walks to the page beside that.
void append_walk(Statement& statement, const Schema& schema, const Dialect& dialect,
                 const Filter& filter, const Window& window) {
    const Table& user = schema.user;
    statement << "SELECT t.total, p.* FROM (SELECT count(*) AS total FROM " << user;
    append_filter(statement, schema, dialect, filter);
    statement << ") t LEFT JOIN (SELECT " << sort_columns(user) << ", " << user.read << " FROM "
              << user;
    append_filter(statement, schema, dialect, filter);
    statement << " ORDER BY " << newest_first(user) << " LIMIT " << argument(window.limit)
              << " OFFSET " << argument(window.offset) << ") p ON 1 = 1" << sorted_by_page;
}

/// Collects what matches the search in one scan: its number is the total, and the page is taken
/// from it. The users of a filter's role are counted and sorted by themselves.
void append_collection(Statement& statement, const Schema& schema, const Dialect& dialect,
                       const Filter& filter, const Window& window) {
    const Table& user = schema.user;
    const std::string role = role_of(user, dialect);
    statement << "WITH useradmin_match AS MATERIALIZED (SELECT " << sort_columns(user) << " FROM "
              << user << " WHERE ";
    append_search(statement, schema, dialect, *filter.search);
    if (filter.role)
        statement << " AND " << role << " <> " << argument(*filter.role);
    statement << ") SELECT t.total, p.* FROM (SELECT (SELECT count(*) FROM useradmin_match)";
    if (filter.role)
        statement << " + (SELECT count(*) FROM " << user << " WHERE " << role << " = "
                  << argument(*filter.role) << ")";
    statement << " AS total) t LEFT JOIN (SELECT m.useradmin_time, m.useradmin_id, "
              << user.read_as_u << " FROM (SELECT * FROM useradmin_match";
    if (filter.role)
        statement << " UNION ALL SELECT * FROM (SELECT " << sort_columns(user) << " FROM " << user
                  << " WHERE " << role << " = " << argument(*filter.role) << " ORDER BY "
                  << newest_first(user) << " LIMIT " << argument(window.end()) << ") r";
    statement << " ORDER BY useradmin_time DESC, useradmin_id LIMIT " << argument(window.limit)
              << " OFFSET " << argument(window.offset) << ") m JOIN " << user << " u ON u."
              << user.at("id") << " = m.useradmin_id) p ON 1 = 1" << sorted_by_page;
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
                          const Window& window) const override {
        Statement statement = work.statement();
        (filter.search ? append_collection : append_walk)(statement, work.schema(), dialect, filter,
                                                          window);
        Result<Rows> rows = work.run(statement);
        if (!rows)
            return rows.failure();
        return counted_page(*rows);
    }

    Result<std::vector<User>> page(Work& work, const Dialect& dialect, const Filter& filter,
                                   std::int64_t total, const Window& window) const override {
        if (filter.search && total <= most_collected) {
            Result<Counted> counted = count(work, dialect, filter, window);
            if (!counted)
                return counted.failure();
            return *std::move(counted->users);
        }
        const Schema& schema = work.schema();
        Statement statement = work.statement();
        statement << "SELECT " << schema.user.read << " FROM " << schema.user;
        append_filter(statement, schema, dialect, filter);
        statement << " ORDER BY " << newest_first(schema.user) << " LIMIT "
                  << argument(window.limit) << " OFFSET " << argument(window.offset);
        Result<Rows> rows = work.run(statement);
        if (!rows)
            return rows.failure();
        return page_of(*rows);
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

std::string sort_columns(const Table& user) {
    return created_at(user) + " AS useradmin_time, " + user.at("id").sql() + " AS useradmin_id";
}

Counted counted_page(Rows& rows) {
    Counted counted;
    std::vector<User>& users = counted.users.emplace();
    users.reserve(rows.count());
    while (rows.next()) {
        counted.total = rows.take_number();
        static_cast<void>(rows.take()); // the time, which the page is sorted by
        if (rows.take())
            users.push_back(rows.take_record<User>());
    }
    return counted;
}

std::vector<User> page_of(Rows& rows) {
    std::vector<User> users;
    users.reserve(rows.count());
    while (rows.next())
        users.push_back(rows.take_record<User>());
    return users;
}

} // namespace useradmin::store
