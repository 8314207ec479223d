#include "store/postgresql/scale.hpp"

#include "store/conditions.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

namespace useradmin::store {

namespace {

constexpr const char* trigger_prefix = "useradmin_scale_";
// The suffix of the index on the last activity.
constexpr const char* seen_end = "_useradmin_seen_idx";

// The separator between name and address in searched().
constexpr char separator = '\x01';

// From this offset on, the total is read first, because a scan from the end may be shorter.
constexpr std::int64_t min_deep_offset = 1000;

bool is_letter_or_digit(char character) noexcept {
    return (character >= '0' && character <= '9') || (character >= 'a' && character <= 'z');
}

/// The trigrams of a search, for the search index.
struct Trigrams {
    /// The first three characters of the first two runs of at least three ASCII letters or digits.
    std::vector<std::string> first;
    /// Whether the search has a non-ASCII code point. The index encodes each code point as several
    /// letters, so even a single one has trigrams.
    bool has_non_ascii = false;

    bool is_empty() const noexcept { return first.empty() && !has_non_ascii; }
};

Trigrams trigrams_of(std::string_view search) {
    Trigrams trigrams;
    const std::string folded = text::fold(search);
    std::size_t run = 0;
    for (std::size_t at = 0; at < folded.size(); ++at) {
        if (static_cast<unsigned char>(folded[at]) >= 0x80)
            trigrams.has_non_ascii = true;
        run = is_letter_or_digit(folded[at]) ? run + 1 : 0;
        if (run == 3 && trigrams.first.size() < 2)
            trigrams.first.push_back(folded.substr(at - 2, 3));
    }
    return trigrams;
}

/// Returns the expression of the search index.
std::string searched_text(const Schema& schema) {
    const auto text_of = [&](std::string_view field) {
        return schema.user.at(field).sql() + "::pg_catalog.text COLLATE pg_catalog.\"C\"";
    };
    return schema.scale_name + ".searched(" + text_of("name") + ", " + text_of("email") + ")";
}

/// Appends the folded pattern of a word as a subquery, which is evaluated only once. With a
/// constant pattern, the planner would choose a plan that takes twice as long for 1,000,000 users.
void append_pattern(Statement& statement, const Schema& schema, std::string_view word) {
    statement << "(SELECT " << schema.scale << ".fold(" << argument(like_pattern(word)) << "))";
}

// Prevents the use of the index, because the collation of the index is "C". Both collations sort
// the same way.
constexpr const char* without_index = " COLLATE pg_catalog.\"POSIX\"";

/// Appends a condition that the user's name or address contains the word.
void append_word(Statement& statement, const Schema& schema, std::string_view word, bool by_index) {
    statement << searched_text(schema) << (by_index ? "" : without_index)
              << " OPERATOR(pg_catalog.~~) ";
    append_pattern(statement, schema, word);
}

void append_unindexed_search(Statement& statement, const Schema& schema, std::string_view search) {
    // Evaluate searched() only once per user.
    const char* before = " OPERATOR(pg_catalog.~~) ALL (ARRAY[";
    statement << searched_text(schema) << without_index;
    for (const std::string_view word : text::search_words(search))
        append_pattern(statement << std::exchange(before, ", "), schema, word);
    statement << "])";
}

void append_indexed_search(Statement& statement, const Schema& schema, std::string_view search) {
    // For each row in the shortest posting list, GIN checks the lists of all trigrams of a
    // condition. Therefore, look up only two trigrams, and compare the remaining rows with the
    // whole search.
    if (const Trigrams trigrams = trigrams_of(search);
        trigrams.first.size() == 2 && !trigrams.has_non_ascii) {
        for (const std::string& trigram : trigrams.first) {
            append_word(statement, schema, trigram, true);
            statement << " AND ";
        }
        return append_unindexed_search(statement, schema, search);
    }
    const char* before = "";
    for (const std::string_view word : text::search_words(search))
        append_word(statement << std::exchange(before, " AND "), schema, word,
                    !trigrams_of(word).is_empty());
}

/// Appends a query for the users who match the filter's search. If the filter has a role, the
/// query excludes users with that role.
void append_matches(Statement& statement, const Schema& schema, const std::string& columns,
                    const Filter& filter) {
    statement << "SELECT " << columns << " FROM " << schema.user << " WHERE ";
    append_indexed_search(statement, schema, *filter.search);
    if (filter.role)
        statement << " AND " << role_expression(schema.user) << " OPERATOR(pg_catalog.<>) "
                  << argument(*filter.role);
}

/// Returns whether the counts include the column: it must be boolean, or missing and thus false.
bool is_counted(const Table& user, std::string_view field) {
    const Column* const column = user.find(field);
    return column == nullptr || column->kind == Column::Kind::boolean;
}

/// Returns whether the total of a filter can be read from the counts.
bool is_counted(const Filter& filter, const Table& user) {
    Filter others = filter;
    others.role.reset();
    others.matches_all = false;
    if (is_counted(user, "banned"))
        others.banned.reset();
    if (is_counted(user, "emailVerified"))
        others.email_verified.reset();
    return others.is_empty();
}

/// Appends a query that reads the number of matching users from the `counts` table. Uses only the
/// filter's conditions on role, ban and verification.
void append_scale_total(Statement& statement, const Schema& schema, const Filter& filter) {
    statement << "(SELECT coalesce(pg_catalog.sum(number), 0)::pg_catalog.int8 FROM "
              << schema.scale << ".counts";
    const char* before = " WHERE ";
    const auto next = [&]() -> Statement& {
        return statement << std::exchange(before, filter.matches_all ? " AND " : " OR ");
    };
    if (filter.role)
        next() << "role OPERATOR(pg_catalog.=) " << argument(*filter.role);
    if (filter.banned)
        next() << (*filter.banned ? "is_banned" : "NOT is_banned");
    if (filter.email_verified)
        next() << (*filter.email_verified ? "is_verified" : "NOT is_verified");
    statement << ")";
}

/// Returns whether there are probably few enough matches to collect, and the search index can find
/// them.
bool is_collectible(const Filter& filter, const Window& window, LastTotal last) {
    return last.value_or(0) <= max_collected && window.end() <= max_collected &&
           !trigrams_of(*filter.search).is_empty();
}

/// Appends a query that collects the matches of a search. If there are too many, the total is NULL.
void append_scale_collection(Statement& statement, const Schema& schema, const Filter& filter,
                             const Window& window) {
    append_matches(statement << "WITH useradmin_match AS MATERIALIZED (", schema,
                   sort_columns(schema.user, SortKey::created_at), filter);
    append_match_total(statement, schema.user, SortKey::created_at);
    if (filter.role)
        append_scale_total(statement << " OPERATOR(pg_catalog.+) ", schema, {filter.role, {}});
    append_collected(statement, schema, filter.role, window);
}

/// Uses the counts and the search index where possible. Other lists use plain_lists().
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): one constant, never deleted
class ScaledListQueries final : public ListQueries {
  public:
    CountSharing count_sharing(const Schema& schema, const Filter& filter) const override {
        if (is_counted(filter, schema.user))
            return CountSharing::never;
        return is_answerable(filter) && filter.is_standard()
                   ? CountSharing::always
                   : plain_lists().count_sharing(schema, filter);
    }

    Result<CountedPage> count(Work& work, const Filter& filter, const Window& window,
                              LastTotal last) const override {
        if (!is_answerable(filter))
            return plain_lists().count(work, filter, window, last);
        const Schema& schema = work.schema();
        const bool has_count = is_counted(filter, schema.user);
        if (!has_count && (!filter.is_standard() || !window.order.is_default()))
            return count_any(work, filter, window, last, append_indexed_search);
        // If few users match (such as banned users, or a role sorted by last activity), the page
        // is found sooner once the total is known.
        const bool has_page = has_count ? filter.is_standard() && window.offset < min_deep_offset &&
                                              !(filter.role && is_by_sessions(work, window))
                                        : is_collectible(filter, window, last);
        if (!has_page || window.limit == 0)
            return count_users(work, filter);
        Statement statement = work.statement();
        if (filter.search) {
            append_scale_collection(statement, schema, filter, window);
            return counted_page(work, statement, [&] { return count_users(work, filter); });
        }
        append_scale_total(statement << "SELECT ", schema, filter);
        append_ordered_scan(statement << ", ", schema, filter, window, append_indexed_search);
        return counted_page(work, statement,
                            [&] { return count_users(work, filter, std::vector<model::User>()); });
    }

    Result<std::vector<model::User>> page(Work& work, const Filter& filter, std::int64_t total,
                                          const Window& window) const override {
        if (!is_answerable(filter))
            return plain_lists().page(work, filter, total, window);
        const bool has_count = is_counted(filter, work.schema().user);
        if (has_count && window.offset >= total)
            return std::vector<model::User>();
        if (has_count && window.offset > total / 2) {
            // Count from the nearer end of the list.
            const std::int64_t limit = std::min(total - window.offset, window.limit);
            auto users = page_any(work, filter, total,
                                  {limit, total - window.offset - limit, window.order.reversed()},
                                  append_indexed_search);
            if (users)
                std::ranges::reverse(*users);
            return users;
        }
        if (filter.is_standard() && filter.search && window.order.is_default()) {
            Result<CountedPage> counted = is_collectible(filter, window, total)
                                              ? count(work, filter, window, total)
                                              : CountedPage{};
            if (!counted)
                return counted.failure();
            return counted->users ? *std::move(counted->users)
                                  : page_by_scan(work, filter, window, append_unindexed_search);
        }
        return page_any(work, filter, total, window, append_indexed_search);
    }

  private:
    /// Returns whether the page is found by an ordered scan of the sessions. Such a scan is slow
    /// for a rare role.
    static bool is_by_sessions(const Work& work, const Window& window) {
        const std::optional<LastSeen>& seen = work.schema().user.last_seen;
        return window.order.by == SortKey::last_seen && seen && seen->is_from_sessions;
    }

    /// Returns the total. `users` is the page, if already known.
    static Result<CountedPage> count_users(Work& work, const Filter& filter,
                                           std::optional<std::vector<model::User>> users = {}) {
        const Schema& schema = work.schema();
        Statement statement = work.statement();
        const char* before = "SELECT ";
        if (filter.search) {
            append_matches(statement << std::exchange(before, " OPERATOR(pg_catalog.+) ") << "(",
                           schema, "pg_catalog.count(*)", filter);
            statement << ")";
        }
        if (!filter.search || filter.role)
            append_scale_total(statement << before, schema,
                               filter.search ? Filter{filter.role, {}} : filter);
        return read_total(work, statement, std::move(users));
    }

    /// Returns whether the folded text can answer a search. Folding removes combining marks, so no
    /// word may consist only of combining marks. The search must not contain the separator, because
    /// it could match across name and address.
    static bool is_answerable(const Filter& filter) {
        if (!filter.search)
            return true;
        const std::vector<std::string_view> words = text::search_words(*filter.search);
        return filter.search->find(separator) == std::string_view::npos &&
               std::ranges::none_of(words, text::has_only_combining_marks);
    }
};

/// Returns the names of indexes as an SQL array.
std::string names_of(std::initializer_list<std::string> indexes) {
    std::string names;
    for (const std::string& index : indexes)
        names += (names.empty() ? "ARRAY[" : ", ") + literal(index);
    return names + "]::name[]";
}

/// Returns the comment that marks the schema as complete. It names missing columns, because the
/// counts ignore columns that are added later.
std::string ready_comment(const Table& user) {
    std::string comment = "mod_useradmin: complete, layout 3";
    for (const char* const field : {"role", "banned", "emailVerified"})
        if (user.find(field) == nullptr)
            comment.append(", without ").append(field);
    return comment;
}

} // namespace

bool read_scale(Client& client, apr_pool_t* pool, const std::string& user_oid, Schema& schema) {
    // The scale schema is found by the triggers on the user table, because it is not renamed with
    // the table.
    std::string query = R"(
SELECT
  greatest(c.reltuples, 0)::pg_catalog.int8,
  coalesce(t.scale, pg_catalog."left"(pg_catalog.concat('useradmin_', pg_catalog.regexp_replace(
    pg_catalog.lower(pg_catalog.concat(n.nspname, '_', c.relname)), '[^a-z0-9_]', '_', 'g')), 63)),
  CASE WHEN t.is_ready AND t.is_usable THEN t.scale END,
  coalesce(t.has_counts AND NOT t.is_ready, false),
  coalesce(t.is_closed AND t.is_ready, false)
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
LEFT JOIN LATERAL (
  SELECT
    pg_catalog.quote_ident(o.nspname::pg_catalog.text) AS scale,
    coalesce(pg_catalog.obj_description(o.oid, 'pg_namespace'), '') OPERATOR(pg_catalog.=) )";
    query += literal(ready_comment(schema.user));
    query += R"( AS is_ready,
    pg_catalog.count(r.oid) OPERATOR(pg_catalog.>) 0 AS has_counts,
    o.nspowner OPERATOR(pg_catalog.=) c.relowner
      AND pg_catalog.count(*) FILTER (WHERE g.tgenabled OPERATOR(pg_catalog.=)
        ANY (ARRAY['O', 'A']::pg_catalog."char"[])) OPERATOR(pg_catalog.=) 4
      AND NOT pg_catalog.row_security_active(c.oid)
      AND pg_catalog.has_schema_privilege(o.oid, 'USAGE')
      AND pg_catalog.bool_and(pg_catalog.has_table_privilege(r.oid, 'SELECT')) AS is_usable,
    NOT pg_catalog.has_schema_privilege('public'::pg_catalog.name, o.oid, 'USAGE') AS is_closed
  FROM pg_catalog.pg_trigger g
  JOIN pg_catalog.pg_proc f ON f.oid OPERATOR(pg_catalog.=) g.tgfoid
  JOIN pg_catalog.pg_namespace o ON o.oid OPERATOR(pg_catalog.=) f.pronamespace
  LEFT JOIN pg_catalog.pg_class r ON r.relnamespace OPERATOR(pg_catalog.=) o.oid
    AND r.relname OPERATOR(pg_catalog.=) 'counts'
  WHERE g.tgrelid OPERATOR(pg_catalog.=) c.oid
    AND pg_catalog.starts_with(g.tgname::pg_catalog.text, )";
    query += literal(trigger_prefix);
    query += R"()
  GROUP BY o.oid, o.nspname, o.nspowner
  ORDER BY o.nspname LIMIT 1
) t ON true
WHERE c.oid OPERATOR(pg_catalog.=) )";
    query += user_oid;
    auto rows = client.execute(query.c_str(), pool);
    if (rows && rows->next()) {
        schema.user.estimated_rows = rows->take_number();
        schema.scale_name = rows->take().value_or("");
        schema.scale = rows->take().value_or("");
        schema.has_outdated_scale = rows->take_boolean();
        schema.public_lacks_schema_usage = rows->take_boolean();
    }
    return rows.has_value();
}

std::vector<std::pair<std::string, std::string>> scale_placeholders(const Schema& schema) {
    const Table& user = schema.user;
    const Column* created = user.find("createdAt");
    const Column* updated = user.find("updatedAt");
    // The names follow sql/postgresql/schema.sql, which also creates the first two indexes.
    const auto index_of = [](const Table& table, const char* end) {
        const std::size_t dot = table.sql.rfind("\".\"");
        std::string name = table.sql.substr(dot == table.sql.npos ? 1 : dot + 3);
        name.pop_back();
        for (std::size_t at = 0; (at = name.find("\"\"", at)) != name.npos; ++at)
            name.erase(at, 1);
        return name + end;
    };
    const auto index_named = [&](const char* end) { return index_of(user, end); };
    // Index-only scans also need the columns that the index expressions use.
    const auto include = [&](std::initializer_list<std::string_view> fields) {
        std::string columns;
        for (const std::string_view field : fields)
            if (const Column* column = user.find(field))
                columns += (columns.empty() ? " INCLUDE (" : ", ") + column->sql();
        return columns.empty() ? columns : columns + ")";
    };
    const std::string newest = index_named("_newest_idx");
    const std::string role_newest = index_named("_role_newest_idx");
    const std::string by_name = index_named("_by_name_idx");
    const std::string by_email = index_named("_by_email_idx");
    const std::string by_update = index_named("_by_update_idx");
    const std::string searched = index_named("_searched_idx");
    const auto boolean_of = [&](std::string_view field) {
        const Column* const column = user.find(field);
        return column != nullptr && is_counted(user, field)
                   ? "coalesce(" + column->sql() + ", false)"
                   : std::string("false");
    };
    const bool has_seen = user.last_seen.has_value();
    const bool is_from_sessions = has_seen && user.last_seen->is_from_sessions;
    const Table& seen_table = is_from_sessions ? schema.session : user;
    const std::string seen = index_of(seen_table, seen_end);
    const std::string role =
        role_expression(user) + (user.find("role") != nullptr ? "" : "::pg_catalog.text");
    return {
        {"@scale@", schema.scale_name},
        {"@scale_text@", literal(schema.scale_name)},
        {"@user@", user.sql},
        {"@user_text@", literal(user.sql)},
        {"@id@", user.at("id").sql()},
        {"@role@", role},
        {"@role_text@", literal(user.find("role") != nullptr ? user.find("role")->name : "")},
        {"@counted@", "(" + role + ")::pg_catalog.text COLLATE pg_catalog.\"C\" AS role, " +
                          boolean_of("banned") + " AS is_banned, " + boolean_of("emailVerified") +
                          " AS is_verified"},
        {"@has_role@", user.find("role") != nullptr ? "true" : "false"},
        {"@created@", created != nullptr ? created->sql() : "NULL"},
        {"@created_text@", literal(created != nullptr ? created->name : "")},
        {"@updated@", updated != nullptr ? updated->sql() : user.at("id").sql()},
        {"@newest@", quoted_identifier(newest)},
        {"@role_newest@", quoted_identifier(role_newest)},
        {"@role_newest_text@", literal(role_newest)},
        {"@by_name@", quoted_identifier(by_name)},
        {"@by_email@", quoted_identifier(by_email)},
        {"@by_update@", quoted_identifier(by_update)},
        {"@searched_index@", quoted_identifier(searched)},
        {"@has_seen@", has_seen ? "true" : "false"},
        {"@seen_table_text@", literal(seen_table.sql)},
        {"@seen_index_text@", literal(seen)},
        {"@seen_index_names@",
         names_of({index_named(seen_end), index_of(schema.session, seen_end)})},
        {"@seen_column_text@", literal(has_seen ? user.last_seen->column.name : "")},
        {"@session_text@", literal(schema.session.sql)},
        {"@create_seen@",
         has_seen ? literal("CREATE INDEX CONCURRENTLY IF NOT EXISTS " + quoted_identifier(seen) +
                            " ON " + seen_table.sql + " (" + user.last_seen->column.sql() +
                            " DESC NULLS LAST, " +
                            seen_table.at(is_from_sessions ? "userId" : "id").sql() + ")")
                  : "''"},
        {"@index_names@", names_of({newest, role_newest, by_name, by_email, by_update, searched})},
        {"@order_index_names@", names_of({by_name, by_email, by_update})},
        {"@name_key@", postgresql().sort_key(user.at("name"))},
        {"@email_key@", postgresql().sort_key(user.at("email"))},
        {"@include_name@", include({"name", "role"})},
        {"@include_email@", include({"email", "role"})},
        {"@include_role@", include({"role"})},
        {"@searched@", searched_text(schema)},
        {"@trigger@", trigger_prefix},
        {"@trigger_text@", literal(trigger_prefix)},
        {"@mark@", literal(ready_comment(user))},
    };
}

const ListQueries& scaled_lists() noexcept {
    static constexpr ScaledListQueries lists;
    return lists;
}

} // namespace useradmin::store
