#include "store/postgresql_marks.hpp"

#include "store/lists.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace useradmin::store {

namespace {

// So many changes are looked through. Where there are more, going through the users costs as much.
constexpr const char* most_changes = "10000";

/// The marks of the orders: their tables, which are named as the columns of the changes.
constexpr std::array<std::pair<SortKey, const char*>, 3> all_marks = {{
    {SortKey::name, "by_name"},
    {SortKey::email, "by_email"},
    {SortKey::updated_at, "by_update"},
}};

const char* marks_of(SortKey by) noexcept {
    const auto* const found = std::find_if(all_marks.begin(), all_marks.end(),
                                           [&](const auto& each) { return each.first == by; });
    return found == all_marks.end() ? nullptr : found->second;
}

/// The statement of a page, part by part.
class MarkedPage {
  public:
    MarkedPage(Work& work, const Dialect& dialect, const Text& role, const Window& window)
        : schema_(work.schema()), user_(schema_.user), role_(role), window_(window),
          is_of_times_(window.order.by == SortKey::updated_at),
          is_back_(window.order.is_descending != is_of_times_), marks_(marks_of(window.order.by)),
          key_(sort_key_of(user_, dialect, window.order.by)), role_of_(role_of(user_, dialect)) {}

    void append(Statement& statement) const {
        append_changes(statement << "WITH ");
        append_most(statement << ", ");
        append_mark(statement << ", ");
        append_start(statement << ", ");
        statement << " SELECT " << user_.read_as_u << " FROM (";
        is_of_times_ ? append_users_of_times(statement) : append_users_of_texts(statement);
        statement << ") m JOIN " << user_ << " u ON u." << user_.at("id")
                  << " = m.useradmin_id ORDER BY "
                  << in_order("m.useradmin_key", "m.useradmin_id", window_.order);
    }

  private:
    /// Appends that a role is the list's, if that has one.
    void append_role(Statement& statement, const char* before, std::string_view role) const {
        if (role_)
            statement << before << role << " = " << argument(*role_);
    }

    /// Appends what the marks do not know yet, in the order.
    void append_changes(Statement& statement) const {
        statement << "useradmin_change AS MATERIALIZED (SELECT " << marks_
                  << " AS key, id, role, number FROM " << schema_.scale << ".changes LIMIT "
                  << most_changes << " + 1)";
    }

    /// Appends how many users there may be before the mark without the changes: each of those may
    /// lie there. Nothing where there are too many.
    void append_most(Statement& statement) const {
        statement << "useradmin_most AS MATERIALIZED (SELECT " << argument(window_.offset)
                  << "::bigint - count(*)";
        if (role_)
            statement << " FILTER (WHERE role = " << argument(*role_) << ")";
        statement << " AS number FROM useradmin_change HAVING count(*) <= " << most_changes << ")";
    }

    /// Appends the farthest mark before which there are no more than that, and how many there are:
    /// behind it that number is passed. From the other end, a mark's own users come before it, and
    /// it is the one before the row where that happens. A limit without an order lets PostgreSQL
    /// take the marks from their index, up to there; whichever of several it finds will do.
    void append_mark(Statement& statement) const {
        const char* of_mark = is_back_ ? "lag(" : "(";
        const char* in_order_of_marks = is_back_ ? ") OVER w AS " : ") AS ";
        statement << "useradmin_mark AS MATERIALIZED (SELECT * FROM (SELECT key, id, until - own "
                     "AS number FROM (SELECT "
                  << of_mark << "key" << in_order_of_marks << "key, " << of_mark << "id"
                  << in_order_of_marks
                  << "id, own, sum(own) OVER w AS until FROM (SELECT is_first, key, id, ";
        if (role_)
            statement << "coalesce(numbers[array_position(roles, " << argument(*role_)
                      << "::text)], 0)";
        else
            statement << "number";
        statement << " AS own FROM " << schema_.scale << "." << marks_
                  << ") m WINDOW w AS (ORDER BY is_first" << (is_back_ ? "" : " DESC") << ", "
                  << in_order("key", "id", window_.order)
                  << " ROWS UNBOUNDED PRECEDING)) m WHERE until > (SELECT number FROM "
                     "useradmin_most) AND until - own <= (SELECT number FROM useradmin_most) LIMIT "
                     "1) m WHERE key IS NOT NULL)";
    }

    /// Appends where the list begins, and how many users are skipped from there on.
    void append_start(Statement& statement) const {
        statement << "useradmin_start AS MATERIALIZED (SELECT key, id, " << argument(window_.offset)
                  << "::bigint - number - (SELECT coalesce(sum(c.number), 0)::bigint FROM "
                     "useradmin_change c WHERE (c.key "
                  << (is_of_times_ ? "> m.key OR c.key IS NULL" : "< m.key")
                  << " OR c.key = m.key AND c.id < m.id) IS " << (is_back_ ? "NOT TRUE" : "TRUE");
        append_role(statement, " AND ", "c.role");
        statement << ") AS skipped FROM useradmin_mark m)";
    }

    void append_key_and_id(Statement& statement) const {
        statement << "SELECT " << key_ << " AS useradmin_key, " << user_.at("id")
                  << " AS useradmin_id FROM " << user_ << " WHERE ";
    }

    void append_order(Statement& statement) const {
        append_limit(statement << " ORDER BY "
                               << in_order("useradmin_key", "useradmin_id", window_.order),
                     window_.limit);
    }

    /// Key and id go in the same direction, so that the index is asked for both at once.
    void append_users_of_texts(Statement& statement) const {
        append_key_and_id(statement);
        statement << "(" << key_ << ", " << user_.at("id") << (is_back_ ? ") < " : ") >= ")
                  << "((SELECT key FROM useradmin_start), (SELECT id FROM useradmin_start))";
        append_role(statement, " AND ", role_of_);
        append_order(statement);
        statement << " OFFSET (SELECT skipped FROM useradmin_start)";
    }

    /// Of the start's own time, and of the times from there on. PostgreSQL takes each part in its
    /// order, and merges them, where each is ordered and bounded by itself.
    void append_users_of_times(Statement& statement) const {
        const std::string id = user_.at("id").sql();
        const char* before = "SELECT * FROM ((";
        for (const bool is_of_start : {true, false}) {
            append_key_and_id(statement << std::exchange(before, ") UNION ALL ("));
            statement << key_
                      << (is_of_start ? " = "
                          : is_back_  ? " > "
                                      : " < ")
                      << "(SELECT key FROM useradmin_start)";
            if (is_of_start)
                statement << " AND " << id << (is_back_ ? " < " : " >= ")
                          << "(SELECT id FROM useradmin_start)";
            append_role(statement, " AND ", role_of_);
            append_order(statement);
            statement << "::bigint + (SELECT skipped FROM useradmin_start)";
        }
        append_order(statement << ")) w");
        statement << " OFFSET (SELECT skipped FROM useradmin_start)";
    }

    const Schema& schema_;
    const Table& user_;
    const Text& role_;
    const Window& window_;
    bool is_of_times_;
    /// Whether the list goes from the end of the marks to their beginning.
    bool is_back_;
    const char* marks_;
    std::string key_;
    std::string role_of_;
};

} // namespace

std::int64_t least_marked_offset(const Text& role, std::int64_t total) noexcept {
    constexpr std::int64_t least = 1000;
    // Few users of a role may lie far from each other.
    constexpr std::int64_t least_of_role = 100;
    if (role)
        return least_of_role;
    // Two stretches, as marks.sql makes them.
    const double users = static_cast<double>(std::max<std::int64_t>(total, 0));
    return std::max(least, static_cast<std::int64_t>(4 * std::sqrt(users)));
}

Result<std::optional<std::vector<User>>> marked_page(Work& work, const Dialect& dialect,
                                                     const Text& role, std::int64_t total,
                                                     const Window& window) {
    const Schema& schema = work.schema();
    const std::int64_t least = least_marked_offset(role, total);
    const char* marks = marks_of(window.order.by);
    if (marks == nullptr || schema.marks.find(marks) == schema.marks.npos || window.limit <= 0 ||
        window.offset < least || total - window.end() < least ||
        sort_key_of(schema.user, dialect, window.order.by).empty())
        return std::optional<std::vector<User>>();
    Statement statement = work.statement();
    MarkedPage(work, dialect, role, window).append(statement);
    Result<std::vector<User>> users = page_of(work, statement);
    if (!users)
        return users.failure();
    // No mark, or users without a key, who lie on no side of one.
    if (static_cast<std::int64_t>(users->size()) < window.limit)
        return std::optional<std::vector<User>>();
    return std::optional(*std::move(users));
}

std::string marked_orders(const Table& user, const Dialect& dialect) {
    std::string rows;
    const Column* updated = user.find("updatedAt");
    for (const auto& [by, name] : all_marks) {
        // The functions of the copy compare as pg_catalog does, and others' types may not.
        if (user.at("id").is_loose ||
            (by == SortKey::updated_at &&
             (updated == nullptr || updated->kind != Column::Kind::timestamp)))
            continue;
        rows += (rows.empty() ? "VALUES (" : ", (") + literal(name) + ", " +
                literal(sort_key_of(user, dialect, by)) +
                (by == SortKey::updated_at ? ", 'DESC')" : ", '')");
    }
    return rows.empty() ? "SELECT '', '', '' WHERE false" : rows;
}

} // namespace useradmin::store
