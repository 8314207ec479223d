#include "store/postgresql_scale.hpp"

#include "store/like_pattern.hpp"
#include "store/postgresql_marks.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace useradmin::store {

namespace {

constexpr const char* trigger_prefix = "useradmin_scale_";
constexpr const char* ready_mark = "mod_useradmin: complete, layout 1";

// Between the name and the address in the copy.
constexpr char separator = '\x01';

// From here on, a page is sought by the counts of the days before it.
constexpr std::int64_t least_deep_offset = 1000;

bool is_letter_or_digit(char character) noexcept {
    return (character >= '0' && character <= '9') || (character >= 'a' && character <= 'z');
}

/// How the copy is looked through for a searched text.
enum class Way {
    /// All rows are: the index of trigrams can tell nothing of it.
    all_rows,
    by_index,
    /// The index is asked for a few trigrams of each word.
    by_words
};

Way way_of(std::string_view search) {
    int words = 0;
    int run = 0;
    for (const char character : text::fold(search)) {
        // A letter beyond ASCII is written in several.
        if (static_cast<unsigned char>(character) >= 0x80)
            return Way::by_index;
        run = is_letter_or_digit(character) ? run + 1 : 0;
        words += run == 3 ? 1 : 0;
    }
    return words == 0 ? Way::all_rows : words == 1 ? Way::by_index : Way::by_words;
}

/// Appends the pattern of what contains the searched text, as the copy has it.
void append_pattern(Statement& statement, const Schema& schema, std::string_view search) {
    statement << schema.scale << ".fold(" << argument(containing_pattern(search)) << ")";
}

/// Appends the condition that the copy's row contains the searched text. The pattern stands in a
/// query of its own, so that it is made once.
void append_search(Statement& statement, const Schema& schema, std::string_view search,
                   bool by_index) {
    // The same order by a name that no index knows keeps the planner from looking there.
    statement << "s.folded" << (by_index ? "" : " COLLATE \"POSIX\"") << " LIKE (SELECT ";
    append_pattern(statement, schema, search);
    statement << ")";
}

/// Appends the condition that a user matches a search, in a statement about the user table.
void append_search_of_user(Statement& statement, const Schema& schema, const Dialect&,
                           std::string_view search) {
    statement << schema.user.at("id") << " IN (SELECT s.id FROM " << schema.scale
              << ".users s WHERE ";
    append_search(statement, schema, search, way_of(search) != Way::all_rows);
    statement << ")";
}

/// Appends the condition that the row has three letters of each word, which the expression picks.
void append_sketch(Statement& statement, const char* three_of_word) {
    statement << "s.folded LIKE (SELECT regexp_replace(whole, '" << three_of_word
              << "|[a-z0-9]+|[^a-z0-9]+', '\\1%', 'g') FROM useradmin_text) AND ";
}

/// Appends the condition that the row has the three letters that the expression finds.
void append_letters(Statement& statement, const char* three_letters) {
    statement << "s.folded LIKE (SELECT '%' || coalesce(substring(whole from '" << three_letters
              << "'), '') || '%' FROM useradmin_text) AND ";
}

/// Appends a query of the users outside the filter's role that match its search, likely few or
/// many.
void append_matches(Statement& statement, const Schema& schema, const char* columns,
                    const Filter& filter, bool is_few) {
    const Way way = way_of(*filter.search);
    if (way == Way::by_words) {
        append_pattern(statement << "WITH useradmin_text AS MATERIALIZED (SELECT ", schema,
                       *filter.search);
        statement << " AS whole) ";
    }
    statement << "SELECT " << columns << " FROM " << schema.scale << ".users s WHERE ";
    if (way == Way::by_words) {
        // The index looks into the lists of all trigrams that a condition has, for each row that
        // is in the shortest. So it is asked for one of each word, and then for another one, of
        // the rows that are left; what it finds is compared with the whole text. Where little is
        // to be left, two words have a condition each, which it decides at once.
        if (is_few) {
            append_letters(statement, "[a-z0-9]{3}");
            append_letters(statement, "[a-z0-9]{3,}(?:[^a-z0-9]+[a-z0-9]{1,2})*[^a-z0-9]+"
                                      "([a-z0-9]{3})");
            append_sketch(statement, "[a-z0-9]*([a-z0-9]{3})");
        } else {
            append_sketch(statement, "([a-z0-9]{3})[a-z0-9]*");
        }
        statement << "s.folded COLLATE \"POSIX\" LIKE (SELECT whole FROM useradmin_text)";
    } else {
        append_search(statement, schema, *filter.search, way == Way::by_index);
    }
    if (filter.role)
        statement << " AND s.role <> " << argument(*filter.role);
}

/// Appends a query of the number of users, all or of a role.
void append_number(Statement& statement, const Schema& schema, const Text& role) {
    statement << "(SELECT coalesce(sum(number), 0)::bigint FROM " << schema.scale
              << ".counts WHERE span = 0";
    if (role)
        statement << " AND role = " << argument(*role);
    statement << ")";
}

/// Appends what follows SELECT for the page of a filter without a search. A deep one begins on the
/// day that it lies on: what is newer is known by its number.
void append_page(Statement& statement, const Schema& schema, const Dialect& dialect,
                 const Text& role, const Window& window) {
    const Table& user = schema.user;
    const bool is_deep = window.offset >= least_deep_offset;
    statement << user.read << " FROM " << user;
    const char* before = " WHERE ";
    if (role)
        statement << std::exchange(before, " AND ") << role_of(user, dialect) << " = "
                  << argument(*role);
    if (is_deep) {
        const bool has_zone = user.at("createdAt").type.ends_with("with time zone");
        // Up to the day's last moment, which is infinite where the day is.
        statement << before << created_at(user) << " <= (SELECT (start + 1)::timestamp"
                  << (has_zone ? " AT TIME ZONE 'UTC'" : "")
                  << " - interval '1 microsecond' FROM useradmin_day)";
    }
    append_window(statement << " ORDER BY " << newest_first(user), window);
    if (is_deep)
        statement << " - (SELECT newer FROM useradmin_day)";
}

/// Appends the part of a statement that finds the month or day that the offset lies on: the first,
/// newest first, up to whose end there are more users than that. The counts follow.
void append_span(Statement& statement, const char* name, const char* newer_than_all) {
    statement << name << " AS MATERIALIZED (SELECT start, until - number AS newer FROM (SELECT "
              << "start, sum(number) AS number, " << newer_than_all
              << "(sum(sum(number)) OVER (ORDER BY start DESC))::bigint AS until FROM ";
}

void append_end_of_span(Statement& statement, const Text& role, const Window& window) {
    if (role)
        statement << " AND role = " << argument(*role);
    statement << " GROUP BY start) s WHERE until > " << argument(window.offset)
              << "::bigint ORDER BY start DESC LIMIT 1)";
}

/// Appends the day that the offset lies on, and how many users are newer than that day's.
void append_day(Statement& statement, const Schema& schema, const Text& role,
                const Window& window) {
    append_span(statement, "WITH useradmin_month", "");
    statement << schema.scale << ".counts WHERE span = 1";
    append_end_of_span(statement, role, window);
    append_span(statement, ", useradmin_day", "(SELECT newer FROM useradmin_month) + ");
    statement
        << schema.scale
        << ".counts WHERE span = 2 AND start >= (SELECT start FROM useradmin_month) AND start "
           "<= (SELECT start + interval '1 month - 1 day' FROM useradmin_month)";
    append_end_of_span(statement, role, window);
    statement << " ";
}

/// Whether the matches of a search are likely few enough to be collected.
bool is_collectible(const Filter& filter, const Window& window, LastTotal last) {
    return last.value_or(0) <= most_collected && window.end() <= most_collected &&
           way_of(*filter.search) != Way::all_rows;
}

/// Collects what matches the search, if it is not too much: the total is NULL then.
void append_collection(Statement& statement, const Schema& schema, const Dialect& dialect,
                       const Filter& filter, const Window& window) {
    const std::string most = std::to_string(most_collected);
    append_matches(statement << "WITH useradmin_match AS MATERIALIZED (", schema,
                   "s.created AS useradmin_time, s.id AS useradmin_id", filter, true);
    statement << " LIMIT " << most << " + 1) SELECT t.total, " << schema.user.read_as_u
              << " FROM (SELECT (SELECT CASE WHEN count(*) <= " << most
              << " THEN count(*) END FROM useradmin_match)";
    if (filter.role)
        append_number(statement << " + ", schema, filter.role);
    statement << " AS total) t";
    append_collected(statement, schema, dialect, filter.role, window);
}

// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): one constant, never deleted
class ScaledLists final : public Lists {
  public:
    Sharing sharing(const Schema& schema, const Filter& filter) const noexcept override {
        if (!is_answerable(filter) || !filter.is_usual())
            return plain_lists().sharing(schema, filter);
        return filter.search ? Sharing::always : Sharing::never;
    }

    Result<Counted> count(Work& work, const Dialect& dialect, const Filter& filter,
                          const Window& window, LastTotal last) const override {
        if (!is_answerable(filter))
            return plain_lists().count(work, dialect, filter, window, last);
        if (!filter.is_usual() || (filter.search && !window.order.is_usual()))
            return count_any(work, dialect, filter, window, last, append_search_of_user);
        if (!window.order.is_usual())
            return count_in_order(work, dialect, filter, window);
        if (filter.search && !is_collectible(filter, window, last))
            return number(work, filter);
        const Schema& schema = work.schema();
        Statement statement = work.statement();
        if (filter.search) {
            append_collection(statement, schema, dialect, filter, window);
            return counted_page(work, statement, [&] { return number(work, filter); });
        }
        if (window.offset >= least_deep_offset)
            append_day(statement, schema, filter.role, window);
        append_number(statement << "SELECT ", schema, filter.role);
        append_page(statement << ", ", schema, dialect, filter.role, window);
        return counted_page(work, statement,
                            [&] { return number(work, filter, std::vector<User>()); });
    }

    Result<std::vector<User>> page(Work& work, const Dialect& dialect, const Filter& filter,
                                   std::int64_t total, const Window& window) const override {
        if (!is_answerable(filter))
            return plain_lists().page(work, dialect, filter, total, window);
        const bool is_counted = filter.is_usual() && !filter.search;
        if (is_counted && window.order.reversed().is_usual())
            return turned(
                [&](const Window& newest) {
                    return usual_page(work, dialect, filter, total, newest);
                },
                window, total);
        if (is_counted && !window.order.is_usual()) {
            Result<std::optional<std::vector<User>>> users =
                marked_page(work, dialect, filter.role, total, window);
            if (!users)
                return users.failure();
            if (*users)
                return **std::move(users);
        }
        if (is_counted && window.offset > total / 2 && window.offset < total)
            return turned(
                [&](const Window& nearer) {
                    return page_any(work, dialect, filter, total, nearer, append_search_of_user);
                },
                window, total);
        if (!filter.is_usual() || !window.order.is_usual())
            return page_any(work, dialect, filter, total, window, append_search_of_user);
        if (is_counted)
            return usual_page(work, dialect, filter, total, window);
        const Schema& schema = work.schema();
        const Table& user = schema.user;
        if (is_collectible(filter, window, total)) {
            Result<Counted> counted = count(work, dialect, filter, window, total);
            if (!counted)
                return counted.failure();
            if (counted->users)
                return *std::move(counted->users);
        }
        Statement statement = work.statement();
        statement << "SELECT " << user.read_as_u << " FROM (SELECT s.created, s.id FROM "
                  << schema.scale << ".users s WHERE ";
        append_search(statement, schema, *filter.search, false);
        if (filter.role)
            statement << " OR s.role = " << argument(*filter.role);
        append_window(statement << " ORDER BY created DESC, id", window);
        statement << ") m JOIN " << user << " u ON u." << user.at("id")
                  << " = m.id ORDER BY m.created DESC, m.id";
        return page_of(work, statement);
    }

  private:
    /// The total, and the page if it is near the beginning, of all users or those of a role. A page
    /// that is deep is sought from where it is the nearest, once the total is known.
    static Result<Counted> count_in_order(Work& work, const Dialect& dialect, const Filter& filter,
                                          const Window& window) {
        if (window.offset >= least_marked_offset(filter.role, 0))
            return number(work, filter);
        const Schema& schema = work.schema();
        Statement statement = work.statement();
        append_number(statement << "SELECT ", schema, filter.role);
        append_walk(statement << ", ", schema, dialect, filter, window, append_search_of_user);
        return counted_page(work, statement,
                            [&] { return number(work, filter, std::vector<User>()); });
    }

    /// The page of all users or those of a role, newest first.
    static Result<std::vector<User>> usual_page(Work& work, const Dialect& dialect,
                                                const Filter& filter, std::int64_t total,
                                                const Window& window) {
        if (window.limit <= 0 || window.offset >= total)
            return std::vector<User>();
        const Schema& schema = work.schema();
        Statement statement = work.statement();
        if (window.offset >= least_deep_offset)
            append_day(statement, schema, filter.role, window);
        append_page(statement << "SELECT ", schema, dialect, filter.role, window);
        return page_of(work, statement);
    }

    /// The total by itself, beside a page that is known.
    static Result<Counted> number(Work& work, const Filter& filter,
                                  std::optional<std::vector<User>> users = {}) {
        const Schema& schema = work.schema();
        Statement statement = work.statement();
        const char* before = "SELECT ";
        if (filter.search) {
            append_matches(statement << std::exchange(before, " + ") << "(", schema, "count(*)",
                           filter, false);
            statement << ")";
        }
        if (!filter.search || filter.role)
            append_number(statement << before, schema, filter.role);
        return counted_alone(work, statement, std::move(users));
    }

    /// Whether the copy has the answer: it has no marks, and a text with the separator could match
    /// across it.
    static bool is_answerable(const Filter& filter) noexcept {
        return !filter.search || (filter.search->find(separator) == std::string_view::npos &&
                                  !text::is_of_marks(*filter.search));
    }
};

} // namespace

std::optional<Fault> read_scale(Client& client, apr_pool_t* pool, const std::string& user_oid,
                                Schema& schema) {
    // A copy that its triggers reach keeps its name, whatever the table's is by now. Names are
    // cast, since a function of somebody's in the path that takes a name would come before the
    // system's.
    const std::string query =
        "SELECT greatest(c.reltuples, 0)::bigint, coalesce((SELECT "
        "min(quote_ident(o.nspname::text)) "
        "FROM "
        "pg_trigger t JOIN pg_proc f ON f.oid = t.tgfoid JOIN pg_namespace o ON o.oid = "
        "f.pronamespace WHERE t.tgrelid = c.oid AND starts_with(t.tgname::text, " +
        literal(trigger_prefix) +
        ")), left('useradmin_' || regexp_replace(lower("
        "n.nspname::text || '_' || c.relname::text), '[^a-z0-9_]', '_', 'g'), 63)), (SELECT "
        "quote_ident(o.nspname::text) FROM pg_trigger t JOIN pg_proc f ON f.oid = t.tgfoid JOIN "
        "pg_namespace o ON o.oid = f.pronamespace WHERE t.tgrelid = c.oid AND "
        "starts_with(t.tgname::text, " +
        literal(trigger_prefix) +
        ") AND t.tgenabled IN ('O', 'A') AND obj_description(o.oid, 'pg_namespace') = " +
        literal(ready_mark) +
        " AND NOT row_security_active(c.oid) AND has_schema_privilege(o.oid, 'USAGE') AND NOT "
        "EXISTS (SELECT FROM pg_class r WHERE "
        "r.relnamespace = o.oid AND r.relkind = 'r' AND NOT has_table_privilege(r.oid, 'SELECT')) "
        "AND "
        "NOT EXISTS (SELECT FROM pg_proc p WHERE p.pronamespace = o.oid AND p.proname = 'fold' AND "
        "NOT "
        "has_function_privilege(p.oid, 'EXECUTE')) "
        "GROUP BY o.oid, o.nspname HAVING count(*) = 4), (SELECT string_agg(DISTINCT "
        "r.relname::text, "
        "' ') FROM pg_trigger t JOIN pg_proc f ON f.oid = t.tgfoid JOIN pg_class r ON "
        "r.relnamespace = f.pronamespace WHERE t.tgrelid = c.oid AND starts_with(t.tgname::text, " +
        literal(trigger_prefix) +
        ") AND r.relkind = 'r' AND starts_with(r.relname::text, 'by_')) "
        "FROM pg_class c JOIN pg_namespace n ON "
        "n.oid = c.relnamespace WHERE c.oid = " +
        user_oid;
    auto answer = client.execute(query.c_str(), pool);
    if (const auto* fault = std::get_if<Fault>(&answer))
        return *fault;
    Rows rows = std::get<Rows>(answer);
    if (rows.next()) {
        schema.user.about_rows = rows.take_number();
        schema.scale_name = rows.take().value_or("");
        schema.scale = rows.take().value_or("");
        schema.marks = rows.take().value_or("");
    }
    return std::nullopt;
}

std::vector<std::pair<std::string, std::string>> scale_words(const Schema& schema,
                                                             const Dialect& dialect) {
    const Table& user = schema.user;
    const Column* created = user.find("createdAt");
    // Named as sql/postgresql/schema.sql does, whose two indexes these are.
    const std::size_t dot = user.sql.rfind("\".\"");
    const std::string own = user.sql.substr(dot == user.sql.npos ? 0 : dot + 2);
    const auto index_named = [&](const char* end) {
        return own.substr(0, own.size() - 1) + end + '"';
    };
    const std::string newest = index_named("_newest_idx");
    const std::string role_newest = index_named("_role_newest_idx");
    const Column* updated = user.find("updatedAt");
    // Those of the orders, which go with the copy. They have the columns that a list of a role
    // looks at, so that it skips users without a look at the table.
    const auto include = [&](std::initializer_list<std::string_view> fields) {
        std::string columns;
        for (const std::string_view field : fields)
            if (const Column* column = user.find(field))
                columns += (columns.empty() ? " INCLUDE (" : ", ") + column->sql();
        return columns.empty() ? columns : columns + ")";
    };
    const std::string by_name = index_named("_by_name_idx");
    const std::string by_email = index_named("_by_email_idx");
    const std::string by_update = index_named("_by_update_idx");
    return {
        {"@scale@", schema.scale_name},
        {"@scale_text@", literal(schema.scale_name)},
        {"@user@", user.sql},
        {"@user_text@", literal(user.sql)},
        {"@id@", user.at("id").sql()},
        {"@id_type@", user.at("id").type},
        {"@name@", user.at("name").sql()},
        {"@email@", user.at("email").sql()},
        {"@role@", role_of(user, dialect) + (user.find("role") != nullptr ? "" : "::text")},
        {"@created@", created_at(user)},
        {"@created_text@", literal(created != nullptr ? created->name : "")},
        {"@newest@", newest},
        {"@newest_text@", literal(newest)},
        {"@role_newest@", role_newest},
        {"@role_newest_text@", literal(role_newest)},
        {"@by_name@", by_name},
        {"@by_email@", by_email},
        {"@by_update@", by_update},
        {"@by_any_texts@", literal(by_name) + ", " + literal(by_email) + ", " + literal(by_update)},
        {"@name_key@", dialect.sort_key(user.at("name").sql())},
        {"@email_key@", dialect.sort_key(user.at("email").sql())},
        {"@include_name@", include({"name", "role"})},
        {"@include_email@", include({"email", "role"})},
        {"@include_role@", include({"role"})},
        {"@id_text@", literal(user.at("id").sql())},
        {"@role_text@", literal(role_of(user, dialect))},
        {"@key_of_original@", dialect.sort_key("original")},
        {"@orders@", marked_orders(user, dialect)},
        {"@updated@", updated != nullptr ? updated->sql() : user.at("id").sql()},
        {"@trigger@", trigger_prefix},
        {"@trigger_text@", literal(trigger_prefix)},
        {"@mark@", literal(ready_mark)},
    };
}

const Lists& scaled_lists() noexcept {
    static constexpr ScaledLists lists;
    return lists;
}

} // namespace useradmin::store
