#include "store/lists.hpp"

#include "store/conditions.hpp"
#include "store/statements.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace useradmin::store {

namespace {

// Below this number of users, counting is cheaper than waiting for another request's count.
constexpr std::int64_t min_shared = 10000;

/// Returns the column of a sort key, or nullptr if the table lacks it.
const Column* sort_column(const Table& user, SortKey by) noexcept {
    if (by == SortKey::last_seen)
        return user.last_seen ? &user.last_seen->column : nullptr;
    // In the order of SortKey.
    constexpr std::string_view fields[] = {"createdAt", "name", "email", "updatedAt"};
    return user.find(fields[static_cast<std::size_t>(by)]);
}

/// Returns whether NULL sorts after all values in ascending order.
bool sorts_nulls_last(const Column& column, SortKey by) noexcept {
    return by != SortKey::last_seen && column.dialect->product().sorts_nulls_last;
}

/// Returns the expression that rows are sorted by before the id, or an empty string if the column
/// is missing.
std::string sort_key_expression(const Table& user, SortKey by) {
    const Column* const column = sort_column(user, by);
    return column == nullptr           ? std::string()
           : by == SortKey::last_seen  ? user.last_seen->sql
           : Order{by}.sorts_by_time() ? column->sql()
                                       : column->dialect->sort_key(*column);
}

/// Returns the SELECT column for User::sort_key. `key` is the expression that rows are sorted by.
std::string key_text(const Table& user, SortKey by, const std::string& key) {
    const Column* const column = sort_column(user, by);
    return (column == nullptr           ? "NULL"
            : Order{by}.sorts_by_time() ? column->dialect->exact_text(key, *column)
                                        : key) +
           " AS useradmin_key_text";
}

/// Returns whether ids are sorted in descending order: with ascending times or descending text.
bool sorts_ids_descending(Order order) noexcept {
    return order.is_descending != order.sorts_by_time();
}

model::User read_listed_user(Rows& rows) {
    model::User user = rows.take_record<model::User>();
    user.sort_key = rows.take();
    return user;
}

Result<std::vector<model::User>> page_of(Work& work, const Statement& statement) {
    return statements::all_rows(work, statement, read_listed_user);
}

// From this offset on, skip rows in the index and then look up the page's users.
constexpr std::int64_t min_skipped = 100;

/// Appends a condition that the name or the address contains each word of the search.
void append_search(Statement& statement, const Schema& schema, std::string_view search) {
    const char* before = "(";
    for (const std::string_view word : text::search_words(search)) {
        for (const std::string_view field : {"name", "email"}) {
            statement << std::exchange(before, " OR ");
            const Column& column = schema.user.at(field);
            column.dialect->append_contains(statement, column, word);
        }
        before = ") AND (";
    }
    statement << ")";
}

/// Appends a condition that a boolean column has the value. NULL and a missing column are treated
/// as false.
void append_boolean(Statement& statement, const Column* column, bool boolean) {
    if (column == nullptr)
        statement << (boolean ? "FALSE" : "TRUE");
    else if (boolean)
        statement << *column << column->op("=") << argument(*column, true);
    else
        statement << "(" << *column << " IS NULL OR " << *column << column->op("=")
                  << argument(*column, false) << ")";
}

/// Returns the start of a condition that the user with the id has a session. `id` is an SQL
/// expression. The returned SQL ends with the session's updatedAt. The caller appends an operator,
/// an operand and a closing parenthesis.
std::string has_session(const Schema& schema, const std::string& id) {
    return "EXISTS (SELECT 1 FROM " + schema.session.sql + " useradmin_n WHERE useradmin_n." +
           schema.session.at("userId").sql() + schema.user.at("id").op("=") + id +
           " AND useradmin_n." + schema.session.at("updatedAt").sql();
}

std::string qualified_id(const Table& user) {
    return user.sql + "." + user.at("id").sql();
}

/// Appends a comparison of a time column with a time, or FALSE if the column is missing.
void append_time(Statement& statement, const Column* column, const char* comparison,
                 text::Timestamp time) {
    if (column == nullptr)
        statement << "FALSE";
    else
        statement << *column << column->op(comparison) << argument(*column, time);
}

/// If `is_later`, appends a condition that the user was last seen at the time or later. Otherwise,
/// appends a condition that the user was last seen before the time, or never.
void append_seen(Statement& statement, const Schema& schema, text::Timestamp time, bool is_later) {
    const Table& user = schema.user;
    if (!user.last_seen) {
        statement << (is_later ? "FALSE" : "TRUE");
        return;
    }
    const Column& column = user.last_seen->column;
    if (user.last_seen->is_from_sessions) {
        statement << (is_later ? "" : "NOT ") << has_session(schema, qualified_id(user))
                  << column.op(">=") << argument(column, time) << ")";
        return;
    }
    append_time(statement << "(", &column, is_later ? ">=" : "<", time);
    if (!is_later)
        statement << " OR " << column << " IS NULL";
    statement << ")";
}

/// Appends `start`, a condition that a row matches the filter, and `end`, unless the filter is
/// empty.
void append_filter(Statement& statement, const Schema& schema, const Filter& filter,
                   AppendSearch append_search, const char* start = " WHERE ",
                   const char* end = "") {
    const Table& user = schema.user;
    const char* before = start;
    const auto next = [&]() -> Statement& {
        return statement << std::exchange(before, filter.matches_all ? " AND " : " OR ");
    };
    if (filter.role)
        next() << role_expression(user) << user.op("=") << argument(*filter.role);
    if (filter.search)
        append_search(next(), schema, *filter.search);
    if (filter.banned)
        append_boolean(next(), user.find("banned"), *filter.banned);
    if (filter.email_verified)
        append_boolean(next(), user.find("emailVerified"), *filter.email_verified);
    if (filter.created_from)
        append_time(next(), user.find("createdAt"), ">=", *filter.created_from);
    if (filter.created_before)
        append_time(next(), user.find("createdAt"), "<", *filter.created_before);
    if (filter.seen_from)
        append_seen(next(), schema, *filter.seen_from, true);
    if (filter.seen_before)
        append_seen(next(), schema, *filter.seen_before, false);
    for (const Condition& condition : filter.conditions)
        append_condition(next(), user, condition);
    if (before != start)
        statement << end;
}

/// Appends a query for the number of users who match a filter.
void append_count(Statement& statement, const Schema& schema, const Filter& filter,
                  AppendSearch append_search) {
    statement << "SELECT " << schema.user.function("count") << "*) FROM " << schema.user;
    append_filter(statement, schema, filter, append_search);
}

/// A section of the rows after a position. Each section is a single range of an index.
enum class Section {
    same_key,  ///< the same key and a later id
    later_key, ///< a later key
    later_row, ///< a later pair of key and id
    null_key,  ///< all NULL keys
    any_key,   ///< all keys that are not NULL
};

/// Returns the sections after the window's position, in the order of the list.
std::vector<Section> sections_of(const Table& user, const Window& window) {
    const Column* const column = sort_column(user, window.order.by);
    if (column == nullptr)
        return {Section::same_key};
    const bool ends_with_nulls =
        sorts_nulls_last(*column, window.order.by) != window.order.is_descending;
    std::vector<Section> sections;
    if (!window.position->key) {
        sections = {Section::same_key};
        if (!ends_with_nulls)
            sections.push_back(Section::any_key);
        return sections;
    }
    // A row comparison is a single range only if both columns are sorted in the same direction.
    if (window.position->id.empty())
        sections = {Section::later_key};
    else if (window.order.sorts_by_time())
        sections = {Section::same_key, Section::later_key};
    else
        sections = {Section::later_row};
    if (ends_with_nulls && column->is_nullable)
        sections.push_back(Section::null_key);
    return sections;
}

/// Appends a condition that a row with the key and the id is in the section.
void append_section(Statement& statement, const Table& user, const std::string& key,
                    const std::string& id, const Window& window, Section section) {
    const Order& order = window.order;
    const Position& position = *window.position;
    const Column* const column = sort_column(user, order.by);
    const auto key_operator = [&](const char* name) {
        return order.sorts_by_time() ? column->op(name) : user.op(name);
    };
    const auto append_key = [&] {
        const bool has_zone = order.sorts_by_time() && column->kind == Column::Kind::timestamp;
        statement << Argument{std::string(*position.key) + (has_zone ? "Z" : "")};
    };
    const char* const later = order.is_descending ? "<" : ">";
    switch (section) {
    case Section::same_key:
        if (column != nullptr && position.key) {
            statement << key << key_operator("=");
            append_key();
            statement << " AND ";
        } else if (column != nullptr) {
            statement << key << " IS NULL AND ";
        }
        statement << id << user.at("id").op(sorts_ids_descending(order) ? "<" : ">")
                  << argument(position.id);
        return;
    case Section::later_key:
        statement << key << key_operator(later);
        return append_key();
    case Section::later_row:
        statement << "(" << key << ", " << id << ")" << user.op(later) << "(";
        append_key();
        statement << ", " << argument(position.id) << ")";
        return;
    case Section::null_key:
        statement << key << " IS NULL";
        return;
    case Section::any_key:
        statement << key << " IS NOT NULL";
        return;
    }
}

/// Appends the position, order, limit and offset of the window to a query with the sort columns.
void append_match_window(Statement& statement, const Table& user, const Window& window) {
    if (window.position) {
        const char* before = " WHERE (";
        for (const Section section : sections_of(user, window)) {
            statement << std::exchange(before, ") OR (");
            append_section(statement, user, "useradmin_key", "useradmin_id", window, section);
        }
        statement << ")";
    }
    append_window(statement << " ORDER BY "
                            << order_by("useradmin_key", "useradmin_id", window.order),
                  window);
}

/// Appends a query for the window of the users who match a filter. The query reads ranges of the
/// index on the sort key. `columns` is the SELECT list. If the window has a position, the list must
/// include the sort columns.
void append_range(Statement& statement, const Schema& schema, const Filter& filter,
                  const Window& window, const std::string& columns, AppendSearch append_search) {
    const Table& user = schema.user;
    const std::string key = sort_key_expression(user, window.order.by);
    const std::string id = user.at("id").sql();
    const auto append_end = [&] {
        append_window(statement << " ORDER BY " << order_by(key, id, window.order), window);
    };
    const std::string select = "SELECT " + columns + " FROM ";
    if (!window.position) {
        append_filter(statement << select << user, schema, filter, append_search);
        append_end();
        return;
    }
    const std::vector<Section> sections = sections_of(user, window);
    const bool is_one = sections.size() == 1;
    const char* before = is_one ? "" : "SELECT * FROM (";
    for (const Section section : sections) {
        statement << std::exchange(before, ") s UNION ALL SELECT * FROM (") << select << user
                  << " WHERE ";
        append_section(statement, user, key, id, window, section);
        append_filter(statement, schema, filter, append_search, " AND (", ")");
        append_end();
    }
    if (!is_one)
        append_limit(statement << ") s ORDER BY "
                               << order_by("useradmin_key", "useradmin_id", window.order),
                     window.limit);
}

/// Lists users in order of last activity, by an ordered scan of the sessions from either
/// end. Users without a session are read separately, and only if the page needs them.
class SeenScan {
  public:
    SeenScan(const Schema& schema, const Filter& filter, const Window& window,
             AppendSearch append_search)
        : schema_(schema), user_(schema.user), filter_(filter), window_(window),
          append_search_(append_search) {
        Filter others = filter;
        others.seen_from.reset();
        others.seen_before.reset();
        if (!filter.matches_all && (!others.is_empty() || (filter.seen_from && filter.seen_before)))
            return;
        // Either users must match all conditions, or there is only one condition. Therefore, the
        // conditions on the last activity limit the scan of the sessions to a range.
        filter_ = others;
        seen_from_ = filter.seen_from;
        seen_before_ = filter.seen_before;
    }

    /// Appends a query for the sort key and the id of each user on the page.
    void append(Statement& statement) const {
        const bool starts_with_known = window_.order.is_descending;
        std::vector<Section> sections = {Section::any_key, Section::null_key};
        if (window_.position)
            sections = sections_of(user_, window_);
        std::vector<Section> known;
        std::vector<Section> unknown;
        for (const Section section : sections)
            (is_of_unknown(section) ? unknown : known).push_back(section);
        if (seen_from_)
            unknown.clear();
        if (known.empty() || unknown.empty()) {
            append_part(statement << "SELECT * FROM (", !known.empty() ? known : unknown, "");
            statement << ") s";
        } else {
            append_part(statement << "WITH useradmin_first AS MATERIALIZED (",
                        starts_with_known ? known : unknown, "");
            append_part(statement << ") SELECT * FROM useradmin_first UNION ALL SELECT * FROM (",
                        starts_with_known ? unknown : known,
                        "(SELECT " + user_.function("count") + "*) FROM useradmin_first)" +
                            user_.op("<"));
            statement << ") s";
        }
        append_window(statement << " ORDER BY "
                                << order_by("useradmin_key", "useradmin_id", window_.order),
                      window_);
    }

  private:
    bool is_of_unknown(Section section) const {
        return section == Section::null_key ||
               (section == Section::same_key && !window_.position->key);
    }

    /// Appends a query for the first users of the sections. `needs_more` is empty or the first half
    /// of a condition that the other part has fewer users than the page needs.
    void append_part(Statement& statement, const std::vector<Section>& sections,
                     const std::string& needs_more) const {
        if (sections.empty())
            statement << "SELECT * FROM (SELECT " << user_.last_seen->sql << " AS useradmin_key, "
                      << user_.at("id") << " AS useradmin_id FROM " << user_ << ") s WHERE FALSE";
        const bool is_one = sections.size() <= 1;
        const char* before = is_one ? "" : "SELECT * FROM (";
        for (const Section section : sections) {
            statement << std::exchange(before, ") s UNION ALL SELECT * FROM (");
            if (is_of_unknown(section))
                append_unknown(statement, section);
            else
                append_known(statement, section);
            if (!needs_more.empty())
                // In SQLite, the count and the argument have no affinity.
                statement << " AND " << needs_more << "CAST(" << argument(window_.end())
                          << " AS bigint)";
            append_filter(statement, schema_, filter_, append_search_, " AND (", ")");
            append_end(statement, is_of_unknown(section) ? "" : "useradmin_seen",
                       is_of_unknown(section) ? user_.at("id").sql() : "useradmin_owner");
        }
        if (!is_one)
            append_end(statement << ") s", "useradmin_key", "useradmin_id");
    }

    void append_end(Statement& statement, const std::string& key, const std::string& id) const {
        append_limit(statement << " ORDER BY " << order_by(key, id, window_.order), window_.end());
    }

    void append_known(Statement& statement, Section section) const {
        const Table& session = schema_.session;
        const Column& id = session.at("id");
        const Column& updated = user_.last_seen->column;
        statement << "SELECT useradmin_seen AS useradmin_key, useradmin_owner AS useradmin_id FROM "
                     "(SELECT useradmin_s."
                  << updated << " AS useradmin_seen, useradmin_s." << session.at("userId")
                  << " AS useradmin_owner FROM " << session << " useradmin_s WHERE NOT "
                  << has_session(schema_, "useradmin_s." + session.at("userId").sql())
                  << updated.op(">=") << "useradmin_s." << updated << " AND (useradmin_n."
                  << updated << updated.op(">") << "useradmin_s." << updated << " OR useradmin_n."
                  << id << id.op(">") << "useradmin_s." << id << "))) l JOIN " << user_ << " ON "
                  << qualified_id(user_) << user_.at("id").op("=") << "useradmin_owner WHERE ";
        if (section == Section::any_key)
            statement << "useradmin_seen IS NOT NULL";
        else
            append_section(statement, user_, "useradmin_seen", "useradmin_owner", window_, section);
        for (const auto& [time, comparison] :
             {std::pair(seen_from_, ">="), std::pair(seen_before_, "<")})
            if (time)
                statement << " AND useradmin_seen" << updated.op(comparison)
                          << argument(updated, *time);
    }

    void append_unknown(Statement& statement, Section section) const {
        statement << "SELECT " << user_.last_seen->sql << " AS useradmin_key, " << user_.at("id")
                  << " AS useradmin_id FROM " << user_ << " WHERE NOT "
                  << has_session(schema_, qualified_id(user_)) << " IS NOT NULL)";
        if (section == Section::same_key)
            statement << " AND " << user_.at("id")
                      << user_.at("id").op(sorts_ids_descending(window_.order) ? "<" : ">")
                      << argument(window_.position->id);
    }

    const Schema& schema_;
    const Table& user_;
    Filter filter_;
    const Window& window_;
    AppendSearch append_search_;
    model::NullableTime seen_from_;
    model::NullableTime seen_before_;
};

/// Appends a join of the users `u` to the rows `m`, which have the sort columns, and the ORDER BY.
void append_users(Statement& statement, const Table& user, Order order) {
    statement << " JOIN " << user << " u ON u." << user.at("id") << user.at("id").op("=")
              << "m.useradmin_id ORDER BY " << order_by("m.useradmin_key", "m.useradmin_id", order);
}

/// Appends a query that collects up to max_collected matches of a filter, for both the total and
/// the page. If there are more, the total is NULL.
void append_any_collection(Statement& statement, const Schema& schema, const Filter& filter,
                           const Window& window, AppendSearch append_search) {
    statement << "WITH useradmin_match AS MATERIALIZED (SELECT "
              << sort_columns(schema.user, window.order.by) << " FROM " << schema.user;
    append_filter(statement, schema, filter, append_search);
    append_match_total(statement, schema.user, window.order.by);
    append_collected(statement, schema, {}, window);
}

/// Counts the matches of a filter. `users` is the page, if already known.
Result<CountedPage> count_matches(Work& work, const Filter& filter, AppendSearch append_search,
                                  std::optional<std::vector<model::User>> users = {}) {
    Statement number = work.statement();
    append_count(number, work.schema(), filter, append_search);
    return read_total(work, number, std::move(users));
}

/// Returns whether an ordered scan probably finds the page sooner than collecting the matches.
bool prefers_ordered_scan(const Filter& filter, const Window& window) noexcept {
    return !filter.search && filter.is_standard() && (!filter.role || window.order.is_default());
}

// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): one constant, never deleted
class PlainListQueries final : public ListQueries {
  public:
    CountSharing count_sharing(const Schema& schema, const Filter& filter) const override {
        return filter.search || schema.user.estimated_rows < min_shared ? CountSharing::when_cached
                                                                        : CountSharing::always;
    }

    Result<CountedPage> count(Work& work, const Filter& filter, const Window& window,
                              LastTotal last) const override {
        return count_any(work, filter, window, last, append_search);
    }

    Result<std::vector<model::User>> page(Work& work, const Filter& filter, std::int64_t total,
                                          const Window& window) const override {
        return page_any(work, filter, total, window, append_search);
    }
};

} // namespace

std::string order_by(const std::string& key, const std::string& id, Order order) {
    const char* const nulls = order.by != SortKey::last_seen ? ""
                              : order.is_descending          ? " NULLS LAST"
                                                             : " NULLS FIRST";
    return (key.empty() ? "" : key + (order.is_descending ? " DESC" : "") + nulls + ", ") + id +
           (sorts_ids_descending(order) ? " DESC" : "");
}

void append_ordered_scan(Statement& statement, const Schema& schema, const Filter& filter,
                         const Window& window, AppendSearch append_search) {
    const Table& user = schema.user;
    const SortKey by = window.order.by;
    if (by == SortKey::last_seen && user.last_seen && user.last_seen->is_from_sessions) {
        SeenScan(schema, filter, window, append_search)
            .append(statement << select_list_m(user, by) << " FROM (");
        append_users(statement << ") m", user, window.order);
        return;
    }
    const std::string keys = sort_columns(user, by);
    if (window.offset >= min_skipped) {
        // Skip rows in the sort index alone, and look up only the page's users.
        append_range(statement << select_list_m(user, by) << " FROM (", schema, filter, window,
                     keys, append_search);
        append_users(statement << ") m", user, window.order);
        return;
    }
    const std::string key = sort_key_expression(user, by);
    const std::string columns = user.select_list + ", " + key_text(user, by, key);
    if (window.position) {
        // For a text column, User::sort_key is the sort key itself, which `m` already has. Not
        // computing it again halves the time.
        append_range(statement << "m.* FROM (", schema, filter, window,
                     (Order{by}.sorts_by_time() ? columns : user.select_list) + ", " + keys,
                     append_search);
        statement << ") m ORDER BY " << order_by("m.useradmin_key", "m.useradmin_id", window.order);
        return;
    }
    append_filter(statement << columns << " FROM " << user, schema, filter, append_search);
    append_window(statement << " ORDER BY " << order_by(key, user.at("id").sql(), window.order),
                  window);
}

Result<CountedPage> count_any(Work& work, const Filter& filter, const Window& window,
                              LastTotal last, AppendSearch append_search) {
    if (window.limit == 0)
        return count_matches(work, filter, append_search);
    const Schema& schema = work.schema();
    Statement statement = work.statement();
    if (prefers_ordered_scan(filter, window)) {
        append_count(statement << "SELECT (", schema, filter, append_search);
        append_ordered_scan(statement << "), ", schema, filter, window, append_search);
        return counted_page(work, statement, [&] {
            return count_matches(work, filter, append_search, std::vector<model::User>());
        });
    }
    if (last.value_or(0) > max_collected || window.end() > max_collected)
        return count_matches(work, filter, append_search);
    append_any_collection(statement, schema, filter, window, append_search);
    return counted_page(work, statement,
                        [&] { return count_matches(work, filter, append_search); });
}

Result<std::vector<model::User>> page_any(Work& work, const Filter& filter, std::int64_t total,
                                          const Window& window, AppendSearch append_search) {
    Statement statement = work.statement();
    if (!prefers_ordered_scan(filter, window) && total <= max_collected) {
        append_any_collection(statement, work.schema(), filter, window, append_search);
        Result<std::optional<CountedPage>> counted = page_with_total(work, statement);
        if (!counted)
            return counted.failure();
        if (*counted)
            return *std::move((*counted)->users);
    }
    return page_by_scan(work, filter, window, append_search);
}

Result<std::vector<model::User>> page_by_scan(Work& work, const Filter& filter,
                                              const Window& window, AppendSearch append_search) {
    Statement statement = work.statement();
    append_ordered_scan(statement << "SELECT ", work.schema(), filter, window, append_search);
    return page_of(work, statement);
}

Window usable_window(const Window& window, const Table& user) {
    if (!window.position)
        return window;
    const Column& id = user.at("id");
    const Column* const column = sort_column(user, window.order.by);
    const model::NullableText& key = window.position->key;
    Window usable = window;
    // In a row comparison, an operator of another schema could compare the ids differently.
    if (id.type.empty() ||
        (!id.operator_schema.empty() &&
         id.operator_schema != quoted_identifier(user.builtin_schema)) ||
        (window.position->id.empty() ? !key : !id.can_hold_id(window.position->id)) ||
        (column == nullptr ? key.has_value()
         : !key            ? !column->is_nullable
                           : window.order.sorts_by_time() && !column->can_hold_sort_key(*key))) {
        usable.position.reset();
        return usable;
    }
    usable.offset = 0;
    if (window.position->is_end)
        usable.order = window.order.reversed();
    return usable;
}

std::string identity_of(const Filter& filter) {
    std::string identity(filter.matches_all ? "all" : "any");
    const auto append = [&](bool is_present, const std::string& value) {
        identity += is_present ? ' ' + value : " -";
    };
    for (const std::optional<bool>& boolean : {filter.banned, filter.email_verified})
        append(boolean.has_value(), boolean.value_or(false) ? "1" : "0");
    for (const model::NullableTime& time :
         {filter.created_from, filter.created_before, filter.seen_from, filter.seen_before})
        append(time.has_value(),
               std::to_string(time.value_or(text::Timestamp()).time_since_epoch().count()));
    const auto append_text = [&](std::string_view text) {
        append(true, std::to_string(text.size()) + ':' + std::string(text));
    };
    for (const model::NullableText& text : {filter.role, filter.search})
        if (text)
            append_text(*text);
        else
            append(false, "");
    for (const Condition& condition : filter.conditions) {
        append(true, std::to_string(static_cast<int>(condition.comparison)));
        append_text(condition.column);
        append(true, std::to_string(condition.values.size()));
        for (const std::string& value : condition.values)
            append_text(value);
    }
    return identity;
}

const ListQueries& plain_lists() noexcept {
    static constexpr PlainListQueries lists;
    return lists;
}

std::string role_expression(const Table& user) {
    const Column* role = user.find("role");
    if (role == nullptr)
        return "'user'";
    const bool is_text = role->kind == Column::Kind::text && !role->has_loose_equality;
    return "coalesce(" + (is_text ? role->sql() : as_text(*role)) + ", 'user')";
}

std::string sort_columns(const Table& user, SortKey by) {
    const std::string key = sort_key_expression(user, by);
    return (key.empty() ? "NULL" : key) + " AS useradmin_key, " + user.at("id").sql() +
           " AS useradmin_id";
}

std::string select_list_m(const Table& user, SortKey by) {
    return user.select_list_u + ", " + key_text(user, by, "m.useradmin_key");
}

std::string newest_first_order(const Table& table) {
    const Column* const created = table.find("createdAt");
    const std::string id = table.at("id").sql();
    return created != nullptr ? created->sql() + " DESC, " + id : id;
}

Result<std::vector<model::User>> page_by_column(Work& work, const Filter& filter,
                                                const Window& window) {
    const Table& user = work.schema().user;
    const Column* const column = user.find_column(window.column);
    if (column == nullptr || (column->kind == Column::Kind::other && !column->has_order &&
                              !column->operator_schema.empty()))
        return Failure::invalid_condition;
    Statement statement = work.statement();
    statement << "SELECT " << user.select_list << ", NULL FROM " << user;
    append_filter(statement, work.schema(), filter, append_search);
    statement << " ORDER BY " << *column << (window.order.is_descending ? " DESC, " : ", ")
              << user.at("id");
    append_window(statement, window);
    return page_of(work, statement);
}

void append_window(Statement& statement, const Window& window) {
    append_limit(statement, window.limit);
    if (window.offset != 0)
        statement << " OFFSET " << argument(window.offset);
}

void append_limit(Statement& statement, std::int64_t limit) {
    // Most pages are read with one extra user.
    constexpr std::array<std::int64_t, 10> usual = {10, 11, 20, 21, 25, 26, 50, 51, 100, 101};
    statement << " LIMIT ";
    if (std::ranges::find(usual, limit) != usual.end())
        statement << std::to_string(limit);
    else
        statement << argument(limit);
}

void append_match_total(Statement& statement, const Table& user, SortKey by) {
    const std::string number = user.function("count") + "*)";
    statement << " LIMIT " << std::to_string(max_collected + 1) << ") SELECT t.total, "
              << select_list_m(user, by) << " FROM (SELECT (SELECT CASE WHEN " << number
              << user.op("<=") << std::to_string(max_collected) << " THEN " << number
              << " END FROM useradmin_match)";
}

void append_collected(Statement& statement, const Schema& schema, const model::NullableText& role,
                      const Window& window) {
    const Table& user = schema.user;
    statement << " AS total) t LEFT JOIN (SELECT * FROM (SELECT * FROM useradmin_match";
    if (role) {
        Window window_of_role = window;
        window_of_role.limit = window.end();
        window_of_role.offset = 0;
        append_range(statement << " UNION ALL SELECT * FROM (", schema, {role, {}}, window_of_role,
                     sort_columns(user, window.order.by), append_search);
        statement << ") r";
    }
    append_match_window(statement << ") a", user, window);
    append_users(statement << ") m ON TRUE LEFT", user, window.order);
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
            counted->users->push_back(read_listed_user(*rows));
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

} // namespace useradmin::store
