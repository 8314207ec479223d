// Statements and catalog queries for PostgreSQL 13 and later.
#include "store/dialect.hpp"
#include "apr/pool.hpp"
#include "store/conditions.hpp"
#include "store/postgresql/client.hpp"
#include "store/postgresql/scale.hpp"
#include "store/similar_tables.hpp"
#include "store/statements.hpp"
#include "store/update_conditions.hpp"
#include "store/work.hpp"
#include "text/unicode.hpp"

#include <cstdlib>
#include <string>

namespace useradmin::store {

namespace {

/// Returns an SQL expression that folds the text like text::fold(). Letters that the database's
/// lower() does not convert keep their case.
std::string folded_text(const std::string& text) {
    // translate() can only replace a character with a single character. lower() keeps final sigmas.
    std::string from = "ς";
    std::string to = "σ";
    std::string before;
    std::string after;
    for (const auto& [small, capital, plain] : text::plain_letters) {
        from += capital;
        if (plain.size() == 1) {
            from += small;
            (to += capital.empty() ? "" : plain) += plain;
        } else {
            to += small;
            before += "pg_catalog.replace(";
            after.append(", '").append(small).append("', '").append(plain).append("')");
        }
    }
    return before + "pg_catalog.translate(pg_catalog.lower(pg_catalog.regexp_replace(normalize(" +
           text + ", NFD), E'[\\u0300-\\u036f]', '', 'g')), '" + from + "', '" + to + "')" + after;
}

/// Returns a regular expression that matches every string that contains the word, or whose folded
/// form contains the folded word. Matching is much faster than folding the string. An empty
/// expression matches every string.
std::string necessary_pattern(std::string_view word, std::string_view folded_word) {
    // The ligatures from U+FB00 on fold to several letters, but are not in the ranges below.
    if (word.find("\xef\xac") != word.npos)
        return {};
    // All other characters whose folded form contains an ASCII character are in these ranges.
    constexpr std::string_view foldable = "\\u00c0-\\u037e\\u1e00-\\u1fef\\u212a-\\u226f";
    constexpr std::size_t max_length = 64;
    const auto is_second_of_pair = [&](std::size_t at) {
        return at > 0 &&
               std::ranges::any_of(text::plain_letters, [&](const text::PlainLetter& letter) {
                   return letter.plain == folded_word.substr(at - 1, 2);
               });
    };
    std::string pattern;
    for (std::size_t at = 0; at < std::min(folded_word.size(), max_length); ++at) {
        const char byte = folded_word[at];
        if (static_cast<unsigned char>(byte) >= 0x80) {
            if (!pattern.ends_with(".*"))
                pattern += ".*";
            continue;
        }
        pattern += '[';
        if (byte >= 'a' && byte <= 'z')
            (pattern += byte) += static_cast<char>(byte - 'a' + 'A');
        else
            (pattern += byte >= '0' && byte <= '9' ? "" : "\\") += byte;
        (pattern += foldable) += is_second_of_pair(at) ? "]*" : "]+";
    }
    return pattern;
}

// Other modules may use the connection, and a pooler may give it to other clients, so the search
// path is left unchanged. Instead, each statement names the schema of every table, function, type
// and operator. Otherwise another role's operator with exactly matching types would run with the
// privileges of this account. IN, IS DISTINCT FROM, LIKE, BETWEEN, NULLIF and CASE with an operand
// are not used, because they look up their operator in the search path and have no form with a
// schema.

// The schema of built-in objects.
constexpr std::string_view system_schema = "pg_catalog";
constexpr const char* equals = " OPERATOR(pg_catalog.=) ";

/// Returns an expression for the OID of a table. Its value is NULL if the table does not exist. A
/// name without a schema is looked up in the search path.
std::string oid_of(std::string_view name) {
    const std::size_t dot = name.find('.');
    if (dot == name.npos)
        return "pg_catalog.to_regclass(" + literal(quoted_identifier(name)) + ")::pg_catalog.oid";
    // to_regclass() fails without USAGE on the schema. A query of the catalog does not.
    return "(SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid" +
           std::string(equals) + "c.relnamespace WHERE n.nspname" + equals +
           literal(name.substr(0, dot)) + " AND c.relname" + equals +
           literal(name.substr(dot + 1)) + " AND pg_catalog.has_schema_privilege(n.oid, 'USAGE'))";
}

/// Returns FROM and WHERE clauses for tables `c` with these names in the schema of the user table.
/// Considers only tables that belong to a superuser, to this account or to the owner of the user
/// table. Triggers of other owners would run with the privileges of this account. With
/// `not_trusted` "NOT ", considers only the other tables.
std::string from_tables(const TableNames& names, const std::string& literals,
                        const char* not_trusted = "") {
    return " FROM pg_catalog.pg_class c JOIN pg_catalog.pg_class u ON u.oid" + std::string(equals) +
           oid_of(names.user) + " AND u.relnamespace" + equals +
           "c.relnamespace JOIN pg_catalog.pg_roles o ON o.oid" + equals + "c.relowner AND " +
           not_trusted + "(o.rolsuper OR o.rolname" + equals + "current_user OR o.oid" + equals +
           "u.relowner) WHERE c.relkind" + equals + "'r' AND c.relname" + equals + "ANY (ARRAY[" +
           literals + "]::pg_catalog.name[])";
}

// An expression for this account if row-level security may hide rows of t.relation from it,
// otherwise NULL. A policy USING (true) shows all rows, unless there are restrictive policies.
constexpr const char* restricted_account =
    "CASE WHEN pg_catalog.row_security_active(t.relation) AND NOT coalesce((SELECT "
    "pg_catalog.bool_and(l.polpermissive) AND pg_catalog.bool_or(l.polcmd "
    "OPERATOR(pg_catalog.=) '*' AND l.polwithcheck IS NULL AND pg_catalog.pg_get_expr(l.polqual, "
    "l.polrelid) OPERATOR(pg_catalog.=) 'true' AND EXISTS (SELECT FROM "
    "pg_catalog.unnest(l.polroles) AS m (id) WHERE m.id OPERATOR(pg_catalog.=) "
    "0::pg_catalog.oid OR pg_catalog.pg_has_role(m.id, 'USAGE'))) FROM pg_catalog.pg_policy l "
    "WHERE l.polrelid OPERATOR(pg_catalog.=) t.relation), false) THEN "
    "pg_catalog.quote_ident(current_user::pg_catalog.text) END, ";

/// Returns the catalog query. Each row is a column of a table, with everything that invalidates a
/// prepared statement. The type of a domain is its base type. A missing table has one row without a
/// column. If a schema without USAGE has a table of this name, the row names the schema. If a table
/// of the service has an owner who is not trusted, the row explains this.
std::string catalog_query(const TableNames& names) {
    const auto table = [](const char* letter, std::string_view name) {
        const std::string_view own = name.substr(name.find('.') + 1);
        return "('" + std::string(letter) + "', " + oid_of(name) + ", " + literal(own) + ", NULL)";
    };
    const auto own = [&](const char* letter, std::string_view name) {
        return "('" + std::string(letter) + "', (SELECT c.oid" + from_tables(names, literal(name)) +
               "), '', (SELECT pg_catalog.format('table %1$s.%2$I belongs to %3$I, not to the "
               "owner of the user table; run: ALTER TABLE %1$s.%2$I OWNER TO %4$I;', "
               "c.relnamespace::pg_catalog.regnamespace, c.relname, o.rolname, "
               "pg_catalog.pg_get_userbyid(u.relowner))" +
               from_tables(names, literal(name), "NOT ") + "))";
    };
    // The operators of a type such as citext are in the schema of "=" in the type's default btree
    // operator class. Only a superuser can create an operator class, so the schema can be trusted.
    // Types without such a class use the built-in operators.
    return "SELECT pg_catalog.current_setting('DateStyle'), "
           "pg_catalog.current_setting('client_encoding'), "
           "pg_catalog.current_setting('server_encoding'), t.letter, q.nspname, c.relname, "
           "coalesce(c.relkind OPERATOR(pg_catalog.=) 'r' AND h.amname OPERATOR(pg_catalog.=) "
           "'heap', false), c.relkind, t.letter OPERATOR(pg_catalog.<>) 'p' OR "
           "pg_catalog.has_table_privilege(t.relation, 'DELETE'), t.letter "
           "OPERATOR(pg_catalog.<>) 'p' OR pg_catalog.has_table_privilege(t.relation, 'INSERT'), " +
           std::string(restricted_account) +
           "a.attname, "
           "pg_catalog.format_type(y.oid, CASE WHEN d.typtype OPERATOR(pg_catalog.=) 'd' THEN "
           "d.typtypmod ELSE a.atttypmod END), "
           "y.typname, z.nspname, (SELECT e.nspname FROM pg_catalog.pg_opclass p JOIN "
           "pg_catalog.pg_am m ON m.oid OPERATOR(pg_catalog.=) p.opcmethod AND m.amname "
           "OPERATOR(pg_catalog.=) 'btree' JOIN pg_catalog.pg_amop s ON s.amopfamily "
           "OPERATOR(pg_catalog.=) p.opcfamily AND s.amoplefttype OPERATOR(pg_catalog.=) "
           "p.opcintype AND s.amoprighttype OPERATOR(pg_catalog.=) p.opcintype AND "
           "s.amopstrategy OPERATOR(pg_catalog.=) 3 JOIN pg_catalog.pg_operator w ON w.oid "
           "OPERATOR(pg_catalog.=) s.amopopr JOIN pg_catalog.pg_namespace e ON e.oid "
           "OPERATOR(pg_catalog.=) w.oprnamespace AND "
           "pg_catalog.has_schema_privilege(e.oid, 'USAGE') WHERE p.opcdefault AND p.opcintype "
           "OPERATOR(pg_catalog.=) CASE WHEN y.typtype OPERATOR(pg_catalog.=) 'e' THEN "
           "3500::pg_catalog.oid ELSE y.oid END), NOT a.attnotnull, a.attnotnull AND NOT "
           "a.atthasdef AND "
           "a.attidentity "
           "OPERATOR(pg_catalog.=) '', NOT o.collisdeterministic, (t.letter "
           "OPERATOR(pg_catalog.<>) 'p' AND t.letter OPERATOR(pg_catalog.<>) 's' AND t.letter "
           "OPERATOR(pg_catalog.<>) 'a') OR "
           "pg_catalog.has_column_privilege(t.relation, a.attnum, "
           "'SELECT'), t.letter OPERATOR(pg_catalog.<>) 'p' OR "
           "pg_catalog.has_column_privilege(t.relation, a.attnum, 'UPDATE'), (SELECT "
           "pg_catalog.min(n.nspname::pg_catalog.text) FROM pg_catalog.pg_class c JOIN "
           "pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace WHERE "
           "c.relname OPERATOR(pg_catalog.=) t.name AND NOT "
           "pg_catalog.has_schema_privilege(n.oid, 'USAGE')), current_user, t.distrusted, "
           "a.atttypmod, "
           "a.attcollation, t.relation FROM (VALUES " +
           table("u", names.user) + ", " + table("s", names.session) + ", " +
           table("a", names.account) + ", " + own("r", revocation_table) + ", " +
           own("t", attempt_table) +
           (names.has_plugins ? " UNION ALL SELECT 'p', c.oid, '', NULL" +
                                    from_tables(names, plugin_table_names())
                              : std::string()) +
           ") AS t (letter, relation, name, distrusted) LEFT JOIN pg_catalog.pg_attribute a ON "
           "a.attrelid "
           "OPERATOR(pg_catalog.=) t.relation AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT "
           "a.attisdropped AND ((t.letter OPERATOR(pg_catalog.<>) 'r' AND t.letter "
           "OPERATOR(pg_catalog.<>) 't') OR "
           "pg_catalog.has_table_privilege(t.relation, 'SELECT')) LEFT JOIN pg_catalog.pg_type d "
           "ON d.oid OPERATOR(pg_catalog.=) a.atttypid LEFT JOIN pg_catalog.pg_type y ON y.oid "
           "OPERATOR(pg_catalog.=) CASE WHEN d.typtype OPERATOR(pg_catalog.=) 'd' THEN "
           "d.typbasetype ELSE d.oid END LEFT JOIN pg_catalog.pg_namespace z ON z.oid "
           "OPERATOR(pg_catalog.=) "
           "y.typnamespace LEFT JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) "
           "t.relation LEFT JOIN pg_catalog.pg_namespace q ON q.oid OPERATOR(pg_catalog.=) "
           "c.relnamespace LEFT JOIN pg_catalog.pg_am h ON h.oid OPERATOR(pg_catalog.=) c.relam "
           "LEFT JOIN pg_catalog.pg_collation o ON o.oid OPERATOR(pg_catalog.=) a.attcollation "
           "ORDER BY t.letter, t.relation, a.attnum";
}

/// Returns a query for tables that have the columns listed in with_typical_columns. It searches the
/// configured schema, or all schemas if none is configured.
std::string similar_tables_query(const TableNames& names) {
    const std::size_t dot = names.user.find('.');
    const bool has_schema = dot != names.user.npos;
    const auto has_column = [](const char* mark) {
        return " AND EXISTS (SELECT 1 FROM pg_catalog.pg_attribute a WHERE a.attrelid" +
               std::string(equals) +
               "c.oid AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT "
               "a.attisdropped AND pg_catalog.lower(pg_catalog.replace(a.attname::pg_catalog.text, "
               "'_', ''))" +
               equals + mark + ")";
    };
    const std::string name = "n.nspname::pg_catalog.text OPERATOR(pg_catalog.||) '.' "
                             "OPERATOR(pg_catalog.||) c.relname::pg_catalog.text";
    return with_typical_columns +
           ("SELECT typical.letter, " +
            (has_schema ? name
                        : "CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN "
                          "c.relname::pg_catalog.text ELSE " +
                              name + " END") +
            " FROM typical CROSS JOIN pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON "
            "n.oid" +
            equals + "c.relnamespace WHERE c.relkind" + equals +
            "ANY (ARRAY['r', 'p', 'v']::pg_catalog.\"char\"[]) AND "
            "pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND " +
            (has_schema ? "n.nspname" + std::string(equals) + literal(names.user.substr(0, dot))
                        : "n.nspname OPERATOR(pg_catalog.!~) '^(pg_|information_schema$)'") +
            has_column("typical.first") + has_column("typical.second") +
            has_column("typical.third") + " ORDER BY n.nspname, c.relname");
}

Column::Kind kind_of(std::string_view type) noexcept {
    constexpr std::pair<std::string_view, Column::Kind> kinds[] = {
        {"text", Column::Kind::text},
        {"varchar", Column::Kind::text},
        {"bpchar", Column::Kind::text},
        {"citext", Column::Kind::text},
        {"uuid", Column::Kind::uuid},
        {"int2", Column::Kind::integer},
        {"int4", Column::Kind::integer},
        {"int8", Column::Kind::integer},
        {"bool", Column::Kind::boolean},
        {"timestamp", Column::Kind::timestamp},
        {"timestamptz", Column::Kind::timestamp}};
    for (const auto& [name, kind] : kinds)
        if (type == name)
            return kind;
    return Column::Kind::other;
}

// The alias of the new row's version within the statement.
constexpr const char* version_name = "useradmin_version";

/// The version of a table's row: transaction ID and location. The location is needed because
/// transaction IDs wrap around, and a transaction may write a row twice.
constexpr const char* version_of_stored =
    "useradmin_row.xmin::pg_catalog.text OPERATOR(pg_catalog.||) "
    "pg_catalog.translate(useradmin_row.ctid::pg_catalog.text, '(,)', '-.')";
/// The version of a row without a physical location, such as a row of a view.
constexpr const char* version_of_values =
    "pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(useradmin_row::pg_catalog.text, "
    "'UTF8')), 'hex')";

/// Returns the SQL to write before and after a timestamp to format it independently of DateStyle.
std::pair<std::string, std::string> in_utc(bool has_zone) {
    return {"pg_catalog.to_char(", std::string(has_zone ? " AT TIME ZONE 'UTC'" : "") +
                                       ", 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"};
}

Column column_of(Rows& rows, bool has_iso_dates) {
    Column column;
    column.dialect = &postgresql();
    column.name = rows.take().value_or("");
    column.type = rows.take().value_or("");
    const std::string_view type = rows.take().value_or("");
    column.kind = kind_of(type);
    if (column.kind == Column::Kind::integer)
        column.time_format = Column::TimeFormat::milliseconds;
    column.sql_type = quoted_identifier(rows.take().value_or(""));
    column.sql_type.append(".").append(quoted_identifier(type));
    const model::NullableText operator_schema = rows.take();
    column.has_order = operator_schema.has_value();
    column.operator_schema = quoted_identifier(operator_schema.value_or(system_schema));
    if (type == "int2")
        column.max_value = std::numeric_limits<std::int16_t>::max();
    if (type == "int4")
        column.max_value = std::numeric_limits<std::int32_t>::max();
    column.is_nullable = rows.take_boolean();
    column.requires_value = rows.take_boolean();
    // Reading the column directly is cheapest, but wrong if DateStyle is not ISO.
    if (column.kind == Column::Kind::timestamp && !has_iso_dates)
        std::tie(column.select_prefix, column.select_suffix) = in_utc(type == "timestamptz");
    // char(n) is padded with blanks that are not part of the value.
    if (type == "bpchar")
        column.select_suffix = "::pg_catalog.text";
    column.has_loose_collation = rows.take_boolean();
    column.is_readable = rows.take_boolean();
    column.is_writable = rows.take_boolean();
    column.has_loose_equality = type == "bpchar" || type == "citext" ||
                                column.kind == Column::Kind::other || column.has_loose_collation;
    return column;
}

/// Returns the extra columns as a JSON object. Unlike to_jsonb(), row_to_json() accepts every value
/// of the type json, such as one with U+0000.
std::string extra_columns_of(const Schema& schema) {
    std::string columns;
    for (const Column* const column : schema.extra_user_columns()) {
        columns += columns.empty() ? "" : ", ";
        if (column->kind == Column::Kind::timestamp) {
            const auto [before, after] = in_utc(column->type.ends_with("with time zone"));
            columns.append(before).append("useradmin_row.").append(column->sql()).append(after);
            columns.append(" AS ").append(column->sql());
        } else {
            columns.append("useradmin_row.").append(column->sql());
        }
    }
    return "(SELECT pg_catalog.row_to_json(useradmin_extra.*) FROM (SELECT " + columns +
           ") AS useradmin_extra)::pg_catalog.text";
}

/// Returns a FROM item with the letters and OIDs of the tables that exist. For other tables,
/// to_regclass() could fail, because it requires USAGE on the schema.
std::string tables_of(const Schema& schema) {
    std::string rows;
    std::string letters = "usart";
    for (std::size_t index = 0; index < schema.owned.size(); ++index)
        letters += Schema::letter(index);
    for (const char letter : letters)
        if (const Table& table = schema.table(letter); table.exists())
            rows += ", ('" + std::string(1, letter) + "', pg_catalog.to_regclass(" +
                    literal(table.sql) + ")::pg_catalog.oid)";
    // VALUES needs at least one row. The first row matches no table.
    return "(VALUES ('', NULL::pg_catalog.oid)" + rows + ") AS t (letter, relation)";
}

constexpr DatabaseProduct postgresql_product = {
    .name = "PostgreSQL",
    .driver = "pgsql",
    .debian_package = "libaprutil1-dbd-pgsql",
    .fedora_package = "apr-util-pgsql",
    .directory = "postgresql",
    .min_version = "13",
    .version_query = "SHOW server_version",
    .create_index_option = "CONCURRENTLY ",
    .is_single_writer = false,
    .has_schemas = true,
    .sorts_nulls_last = true,
    .read_only_hint =
        "if DBDParams names several hosts, target_session_attrs=read-write finds the writable one",
    .begin_snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    // OFFSET 0 keeps outer conditions out of the subquery. The rows that they exclude must also be
    // locked.
    .row_lock = " OFFSET 0 FOR NO KEY UPDATE",
    .removal_lock = " FOR UPDATE",
    .current_unix_time = "CAST(pg_catalog.date_part('epoch', pg_catalog.now()) AS bigint)",
    // pg_last_xact_replay_timestamp() is NULL if nothing has been replayed since the server
    // started.
    .last_replay_time =
        "(pg_catalog.date_part('epoch', coalesce(pg_catalog.pg_last_xact_replay_timestamp(),"
        " pg_catalog.pg_postmaster_start_time())) OPERATOR(pg_catalog.*) 1000)::pg_catalog.int8",
    .any_of_skip_locked = {" OPERATOR(pg_catalog.=) ANY (ARRAY(", " FOR UPDATE SKIP LOCKED))"},
    .position_function = "pg_catalog.strpos",
};

/// Returns aliases for the fields of the old row.
std::string names_before() {
    std::string names;
    for (std::size_t index = 0; index < model::fields<model::User>().size(); ++index)
        names += (index == 0 ? "useradmin_before_" : ", useradmin_before_") + std::to_string(index);
    return names;
}

/// Appends the CTE that inserts the account of the user in useradmin_row.
void append_account(Statement& statement, const Schema& schema, const NewUser& user) {
    static constexpr std::string_view fields_of_id[] = {"userId", "accountId"};
    const std::span<const std::string_view> of_id(fields_of_id, user.account_id_is_user_id ? 2 : 1);
    const model::Account account = account_row(user);
    statement << ", useradmin_account AS (INSERT INTO " << schema.account.sql << " (";
    for (const std::string_view field : of_id)
        statement << schema.account.at(field) << ", ";
    statement.columns(schema.account, account, of_id) << ") SELECT ";
    for (const std::string_view field : of_id)
        statement << schema.user.at("id") << (field == "accountId" ? "::pg_catalog.text, " : ", ");
    statement.values(schema.account, account, of_id) << " FROM useradmin_row)";
}

class PostgresqlTransaction final : public Transaction {
  public:
    explicit PostgresqlTransaction(Work& work) noexcept : work_(work) {}
    ~PostgresqlTransaction() override {
        // A failed allocation may leave the transaction open.
        if (is_begun_ && work_.client().is_in_transaction())
            roll_back(work_.client());
    }
    PostgresqlTransaction(const PostgresqlTransaction&) = delete;
    PostgresqlTransaction& operator=(const PostgresqlTransaction&) = delete;

    bool begin() {
        is_begun_ = true;
        // Override the default isolation level. A later statement must see rows that were committed
        // while an earlier one waited for a lock.
        return static_cast<bool>(work_.execute("BEGIN ISOLATION LEVEL READ COMMITTED"));
    }

    bool commit() override { return static_cast<bool>(work_.commit("COMMIT")); }

  private:
    Work& work_;
    bool is_begun_ = false;
};

// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): one constant, never deleted
class Postgresql final : public Dialect {
  public:
    const DatabaseProduct& product() const noexcept override { return postgresql_product; }

    void set_connect_timeout(std::chrono::seconds timeout) const override {
        // By default, libpq waits indefinitely.
        setenv("PGCONNECT_TIMEOUT", std::to_string(timeout.count()).c_str(), 0);
    }

    std::unique_ptr<Client> create_client(const Connection& connection,
                                          const char* label) const override {
        return postgresql_client(apr_dbd_native_handle(connection.driver, connection.handle),
                                 label);
    }

    bool read_schema(Client& client, apr_pool_t* pool, const TableNames& names,
                     Schema& schema) const override {
        Statement query(pool);
        query << catalog_query(names);
        auto rows = client.execute(query.sql().c_str(), pool);
        if (!rows)
            return false;
        Schema read;
        read.fingerprint = fingerprint_of(names, *rows);
        const bool is_same = read.fingerprint == schema.fingerprint;
        if (!is_same) {
            read.set_table_names(names);
            for (Table* table :
                 {&read.user, &read.session, &read.account, &read.revocation, &read.attempt})
                table->builtin_schema = system_schema;
            std::map<std::string, Table> plugins;
            while (rows->next())
                read_column(*rows, read, plugins);
            find_similar_tables(client, pool, similar_tables_query(names), names, read);
            read.resolve_fields(names);
            read.resolve_plugins(plugins);
            read.extra_columns = {extra_columns_of(read)};
        }
        if (!read_scale(client, pool, oid_of(names.user), is_same ? schema : read))
            return false;
        if (!is_same)
            schema = std::move(read);
        return true;
    }

    void append_contains(Statement& statement, const Column& column,
                         std::string_view word) const override {
        const std::string pattern = like_pattern(word);
        const std::string folded_word = text::fold(word);
        const std::string folded = like_pattern(folded_word);
        // ILIKE and regular expressions reject nondeterministic collations.
        const std::string text =
            column.sql() + "::pg_catalog.text" +
            (column.has_loose_collation ? " COLLATE pg_catalog.\"default\"" : "");
        const auto matches = [&](const std::string& pattern_or_folded) {
            statement << text << " OPERATOR(pg_catalog.~~*) " << Argument{pattern_or_folded};
        };
        if (text::has_only_combining_marks(word) || !column.is_unicode)
            return matches(pattern);
        statement << text << " OPERATOR(pg_catalog.~) "
                  << Argument{necessary_pattern(word, folded_word)} << " AND (";
        // With the C collation, lower() converts only ASCII letters. Without this comparison, some
        // capital letters would not even match in the same case.
        matches(pattern);
        // Most search words are already folded and do not need a second comparison.
        if (folded != pattern) {
            statement << " OR ";
            matches(folded);
        }
        statement << " OR " << folded_text(text) << " OPERATOR(pg_catalog.~~) " << Argument{folded}
                  << ")";
    }

    void append_like(Statement& statement, const Column& column,
                     const std::string& pattern) const override {
        statement << as_text(column) << " OPERATOR(pg_catalog.~~) " << Argument{pattern};
    }

    void append_equals(Statement& statement, const Column& column, std::string_view text,
                       std::string_view alias = {}) const override {
        statement << alias << column << column.op("=") << argument(text);
        if (column.has_loose_equality)
            statement << " AND " << alias << as_text(column) << equals << argument(text)
                      << "::pg_catalog.text";
    }

    std::string sort_key(const Column& column) const override {
        const std::string text = column.sql() + "::pg_catalog.text COLLATE pg_catalog.\"C\"";
        if (!column.is_unicode)
            return "pg_catalog.lower(" + text + ")";
        return "pg_catalog.lower(pg_catalog.regexp_replace(normalize(" + text +
               ", NFKD), E'[\\u0300-\\u036f]', '', 'g'))";
    }

    std::string exact_text(const std::string& sql, const Column& column) const override {
        if (column.kind != Column::Kind::timestamp)
            return sql + "::pg_catalog.text";
        // ISO 8601 with microseconds, independently of DateStyle.
        return "(pg_catalog.to_jsonb(" + sql +
               (column.type.ends_with("with time zone") ? " AT TIME ZONE 'UTC'" : "") +
               ") OPERATOR(pg_catalog.#>>) '{}')";
    }

    std::string as_text(const Column& column) const override {
        return column.sql() + "::pg_catalog.text" +
               (column.has_loose_collation ? " COLLATE pg_catalog.\"C\"" : "");
    }

    const ListQueries& lists(const Schema& schema) const noexcept override {
        return schema.scale.empty() ? plain_lists() : scaled_lists();
    }

    std::unique_ptr<Transaction> begin_transaction(Work& work) const override {
        auto transaction = std::make_unique<PostgresqlTransaction>(work);
        return transaction->begin() ? std::move(transaction) : nullptr;
    }

    Result<model::User> create(Work& work, const NewUser& user,
                               const std::optional<Actor>& actor) const override {
        const Schema& schema = work.schema();
        const model::User row = user_row(user);
        Statement statement = work.statement();
        // CTE names have a prefix, because a CTE hides a table of the same name.
        statement << "WITH useradmin_row AS (INSERT INTO " << schema.user.sql
                  << " AS useradmin_row (";
        statement.columns(schema.user, row).extra_columns(schema.user, user.data) << ") SELECT ";
        statement.values(schema.user, row).extra_values(schema.user, user.data);
        if (actor)
            append_actor(statement << " WHERE ", schema.user, actor);
        statement << " RETURNING *, " << schema.user.version << " AS " << version_name << ")";
        if (user.has_account)
            append_account(statement, schema, user);
        statement << " SELECT " << schema.full_user(version_name) << " FROM useradmin_row";
        return statements::first_row(work, statement,
                                     [&](Rows& rows) { return work.read_full_user(rows); });
    }

    Result<model::User> update_with_before(Work& work, std::string_view id, const Changes& changes,
                                           const UpdateGuard& guard,
                                           SessionPolicy sessions) const override {
        bool loses_privileges = false;
        if (sessions == SessionPolicy::keep)
            return update_locked(work, id, changes, guard, loses_privileges);
        return statements::in_transaction<model::User>(work, [&]() -> Result<model::User> {
            Result<model::User> updated = update_locked(work, id, changes, guard, loses_privileges);
            if (!updated || !loses_privileges)
                return updated;
            // Only a new statement sees the sessions that were opened while the change waited for
            // the row lock.
            return statements::remove_rows(work, work.schema().session, "userId", id)
                       ? std::move(updated)
                       : Failure::failed;
        });
    }

    Result<std::string_view> open_session(Work& work, const model::Session& session,
                                          const SessionTerms& terms) const override {
        if (terms.max_sessions == 0)
            return insert_session(work, session, terms);
        return statements::in_transaction<std::string_view>(
            work, [&]() -> Result<std::string_view> {
                // Only a statement that begins after the row is locked sees the sessions that were
                // opened during the wait.
                const Table& user = work.schema().user;
                Statement lock = work.statement();
                lock << "SELECT 1 FROM " << user << " WHERE ";
                append_equals(lock, user.at("id"), session.user_id);
                if (!work.run(lock << " FOR NO KEY UPDATE"))
                    return Failure::failed;
                return insert_session(work, session, terms);
            });
    }

    Result<Done> record_revocation(Work& work, const Revocation& revocation) const override {
        Statement statement = work.statement();
        append_cleanup(statement << "WITH ", work.schema().revocation);
        append_recording(statement << " ", work.schema().revocation, revocation);
        return work.apply(statement);
    }

    // The position is one past the last transaction ID in the table, or the oldest running
    // transaction ID if that is lower. Later IDs without rows do not advance the position, because
    // they may be assigned again after a crash or the promotion of a standby. IDs that this server
    // has not assigned yet, as in a restored dump, do not advance it either.
    void append_revocations(Statement& statement, const Table& table,
                            std::int64_t position) const override {
        statement
            << "SELECT least(pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())"
               "::pg_catalog.text::pg_catalog.int8, coalesce((SELECT m.transaction_id"
               "::pg_catalog.text::pg_catalog.int8 OPERATOR(pg_catalog.+) 1 FROM "
            << table
            << " m WHERE m.transaction_id OPERATOR(pg_catalog.<) "
               "pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()) ORDER BY "
               "m.transaction_id DESC LIMIT 1), 1)), (SELECT "
               "pg_catalog.concat(s.system_identifier, '-', "
            << argument(table.sql)
            << "::pg_catalog.regclass::pg_catalog.oid) FROM pg_catalog.pg_control_system() AS "
               "s), r.user_id, r.session_id, (pg_catalog.date_part('epoch', "
               "r.created_at) OPERATOR(pg_catalog.*) 1000)::pg_catalog.int8, r.id "
               "FROM (VALUES (1)) AS one LEFT JOIN "
            << table << " r ON r.transaction_id OPERATOR(pg_catalog.>=) " << argument(position)
            << "::pg_catalog.xid8";
        if (position > 0)
            statement << " AND r.transaction_id OPERATOR(pg_catalog.<) "
                         "pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())";
    }

    std::vector<std::pair<std::string, std::string>>
    scale_placeholders(const Schema& schema) const override {
        return store::scale_placeholders(schema);
    }

    std::string database_file(std::string_view) const override { return {}; }

    bool init_database(Client&, apr_pool_t*) const override { return true; }

    std::string indexes_query(const Schema& schema, const TableNames&) const override {
        return "SELECT t.letter, i.indexrelid, i.indisunique, "
               "pg_catalog.pg_get_indexdef(i.indexrelid, k, true) FROM " +
               tables_of(schema) + " JOIN pg_catalog.pg_index i ON i.indrelid" + equals +
               "t.relation AND i.indisvalid AND (i.indpred IS NULL OR "
               "pg_catalog.pg_get_expr(i.indpred, i.indrelid, true)" +
               equals +
               "pg_catalog.concat(pg_catalog.pg_get_indexdef(i.indexrelid, 1, true), ' IS NOT "
               "NULL')) CROSS JOIN "
               "pg_catalog.generate_series(1, i.indnkeyatts::int) AS k ORDER BY 1, 2, k";
    }

    std::string missing_privileges_query(const Schema& schema,
                                         std::span<const Privilege> privileges) const override {
        std::string wanted;
        for (const Privilege& right : privileges) {
            const Table& table = schema.table(right.table);
            const Column* column = table.find(right.field);
            if (!table.exists() || (!right.field.empty() && column == nullptr))
                continue;
            wanted += (wanted.empty() ? "('" : ", ('") + std::string(1, right.table) + "', " +
                      literal(right.name) + ", " +
                      (column != nullptr ? literal(column->name) : std::string("''")) + ", " +
                      std::to_string(wanted.size()) + ")";
        }
        if (wanted.empty())
            return {};
        // Identity columns have no default, and need no privilege on their sequence.
        return "WITH w AS (SELECT t.letter, t.relation, w.privilege, w.name, w.place FROM " +
               tables_of(schema) + " JOIN (VALUES " + wanted +
               ") AS w (letter, privilege, name, place) ON w.letter" + equals +
               "t.letter) SELECT m.letter, m.privilege, m.name, "
               "pg_catalog.quote_ident(current_user::pg_catalog.text), m.sequence FROM (SELECT "
               "w.letter, w.privilege, w.name, '' AS sequence, w.place FROM w WHERE NOT CASE WHEN "
               "w.name" +
               equals +
               "'' THEN pg_catalog.has_table_privilege(w.relation, w.privilege) ELSE "
               "pg_catalog.has_column_privilege(w.relation, w.name, w.privilege) END UNION ALL "
               "SELECT w.letter, 'USAGE', '', pg_catalog.concat(pg_catalog.quote_ident("
               "n.nspname::pg_catalog.text), '.', pg_catalog.quote_ident("
               "s.relname::pg_catalog.text)), w.place FROM w JOIN pg_catalog.pg_attrdef a ON "
               "a.adrelid" +
               equals + "w.relation AND w.privilege" + equals +
               "'INSERT' JOIN pg_catalog.pg_depend d ON d.classid" + equals +
               "'pg_catalog.pg_attrdef'::pg_catalog.regclass::pg_catalog.oid AND d.objid" + equals +
               "a.oid AND d.refclassid" + equals +
               "'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid JOIN "
               "pg_catalog.pg_class s ON s.oid" +
               equals + "d.refobjid JOIN pg_catalog.pg_namespace n ON n.oid" + equals +
               "s.relnamespace WHERE CASE WHEN s.relkind" + equals +
               "'S' THEN NOT pg_catalog.has_sequence_privilege(s.oid, 'USAGE, UPDATE') END) m "
               "ORDER BY m.place, m.sequence";
    }

    std::string untrusted_roles_query(const Schema& schema) const override {
        // A schema's owner can replace its tables. pg_database_owner is the owner of the database.
        // TRIGGER allows a role to add a trigger, and REFERENCES a foreign key. Views, partitions,
        // foreign keys and defaults use other objects, so all owners of relations and functions are
        // included.
        return "SELECT t.letter, r.rolname, s.rolname, r.oid OPERATOR(pg_catalog.=) c.relowner "
               "FROM " +
               tables_of(schema) +
               " JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) t.relation JOIN "
               "pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace JOIN "
               "pg_catalog.pg_roles o ON o.oid OPERATOR(pg_catalog.=) n.nspowner JOIN "
               "pg_catalog.pg_database d ON d.datname OPERATOR(pg_catalog.=) "
               "pg_catalog.current_database() JOIN pg_catalog.pg_roles s ON s.rolname "
               "OPERATOR(pg_catalog.=) session_user AND EXISTS (SELECT FROM pg_catalog.pg_roles p "
               "WHERE p.rolsuper AND pg_catalog.pg_has_role(s.oid, p.oid, 'MEMBER')) JOIN "
               "pg_catalog.pg_roles r ON "
               "NOT r.rolsuper AND (r.oid OPERATOR(pg_catalog.=) c.relowner OR r.oid "
               "OPERATOR(pg_catalog.=) CASE WHEN o.rolname OPERATOR(pg_catalog.=) "
               "'pg_database_owner' THEN d.datdba ELSE n.nspowner END OR "
               "pg_catalog.has_table_privilege(r.oid, c.oid, 'TRIGGER, REFERENCES') OR EXISTS "
               "(SELECT FROM pg_catalog.pg_class x WHERE x.relowner OPERATOR(pg_catalog.=) r.oid) "
               "OR EXISTS (SELECT FROM pg_catalog.pg_proc p WHERE p.proowner "
               "OPERATOR(pg_catalog.=) r.oid)) ORDER BY 1, 4 DESC, 2";
    }

  private:
    static Result<std::string_view> insert_session(Work& work, const model::Session& session,
                                                   const SessionTerms& terms) {
        const Schema& schema = work.schema();
        Statement statement = work.statement();
        statement << "WITH useradmin_user (id) AS (SELECT " << schema.user.at("id") << " FROM "
                  << schema.user << " AS useradmin_row WHERE ";
        // A change to the user waits for this lock, or this statement rechecks the row after the
        // change. Shared locks would let a stream of sign-ins block a change indefinitely.
        statements::append_terms(statement, schema.user, session, terms);
        statement << " FOR NO KEY UPDATE)";
        const char* holds = "EXISTS (SELECT 1 FROM useradmin_user)";
        if (terms.password_hash) {
            holds = "EXISTS (SELECT 1 FROM useradmin_account)";
            const Column& owner = schema.account.at("userId");
            statement << ", useradmin_account (one) AS (SELECT 1 FROM " << schema.account
                      << " WHERE " << owner << owner.op("=")
                      << "ANY (SELECT id FROM useradmin_user) AND ";
            statements::append_hash(statement, schema.account, *terms.password_hash);
            statement << " FOR SHARE)";
        }
        const Table& table = schema.session;
        if (terms.max_sessions > 0) {
            const Column& key = table.at("id");
            statement << ", useradmin_surplus (id, is_live) AS (DELETE FROM " << table << " WHERE "
                      << holds << " AND " << key << key.op("=") << "ANY (SELECT " << key << " FROM "
                      << table << " AS useradmin_row WHERE ";
            statements::append_excess(statement, table, session, terms);
            // Skip locked sessions, because other transactions are about to delete them.
            statement << " FOR UPDATE SKIP LOCKED) RETURNING " << key << "::pg_catalog.text, ";
            statements::append_unexpired(statement, table, terms);
            statement << ")";
            if (schema.revocation.exists()) {
                append_cleanup(statement << ", ", schema.revocation);
                statement << ", useradmin_revoked AS (INSERT INTO " << schema.revocation
                          << " (user_id, session_id) SELECT " << argument(session.user_id)
                          << ", id FROM useradmin_surplus WHERE is_live)";
            }
        }
        statement << " INSERT INTO " << table << " (";
        statement.columns(table, session) << ") SELECT ";
        statement.values(table, session)
            << " WHERE " << holds << " RETURNING " << table.select_expression("id");
        return statements::first_row(work, statement,
                                     [](Rows& rows) { return rows.take().value_or(""); });
    }

    static void read_column(Rows& rows, Schema& schema, std::map<std::string, Table>& plugins) {
        const bool has_iso_dates = rows.take().value_or("").starts_with("ISO");
        const std::string_view encoding = rows.take().value_or("");
        if (encoding != "UTF8" && schema.problems.empty())
            schema.problems.push_back({needs_user, "the connection's encoding is " +
                                                       std::string(encoding) +
                                                       "; add client_encoding=UTF8 to DBDParams"});
        // normalize() requires this encoding.
        const bool is_unicode = rows.take() == "UTF8";
        const char letter = rows.take().value_or("u").front();
        const model::NullableText own_schema = rows.take();
        const model::NullableText own_name = rows.take();
        Table& table =
            letter == 'p' ? plugins[std::string(own_name.value_or(""))] : schema.table(letter);
        if (own_schema && own_name)
            table.sql = quoted_identifier(*own_schema) + "." + quoted_identifier(*own_name);
        if (letter == 'p') {
            table.name = table.sql;
            table.builtin_schema = system_schema;
        }
        table.version = rows.take_boolean() ? version_of_stored : version_of_values;
        table.relation_kind = rows.take().value_or("r").front();
        table.allows_delete = rows.take_boolean();
        table.allows_insert = rows.take_boolean();
        const model::NullableText account_of_policies = rows.take();
        if (account_of_policies && table.columns.empty())
            schema.problems.push_back(
                {needs_all_rows,
                 "row-level security may hide rows of table " + table.name +
                     " from the database account " + std::string(*account_of_policies) +
                     ", so a change may miss them; run: CREATE POLICY useradmin ON " + table.name +
                     " TO " + std::string(*account_of_policies) + " USING (true);"});
        Column column = column_of(rows, has_iso_dates);
        column.is_unicode = is_unicode;
        if (!column.name.empty()) {
            table.columns.push_back(std::move(column));
            return;
        }
        const model::NullableText closed_schema = rows.take();
        const std::string account(rows.take().value_or(""));
        if (const model::NullableText distrusted = rows.take())
            table.absence_reason = *distrusted;
        else if (closed_schema)
            table.absence_reason = "the database account " + account + " may not use schema " +
                                   std::string(*closed_schema) + ", which contains a table named " +
                                   table.name + "; run: GRANT USAGE ON SCHEMA " +
                                   quoted_identifier(*closed_schema) + " TO " +
                                   quoted_identifier(account) + ";";
        else if (own_name && (letter == 'r' || letter == 't')) // columns require SELECT
            table.absence_reason = "the database account " + account + " may not use table " +
                                   table.sql + "; run: GRANT SELECT, INSERT, UPDATE, DELETE ON " +
                                   table.sql + " TO " + quoted_identifier(account) + ";";
    }

    /// Locks the row before updating it, so the old row in Work::row_change() is the version that
    /// the update replaces. Sets `loses_privileges` to whether the changes take away privileges. If
    /// so, records the revocation.
    Result<model::User> update_locked(Work& work, std::string_view id, const Changes& changes,
                                      const UpdateGuard& guard, bool& loses_privileges) const {
        const Table& user = work.schema().user;
        const Column& key = user.at("id");
        Statement statement = work.statement();
        statement << "WITH useradmin_before (useradmin_key, useradmin_loses, " << names_before()
                  << ") AS (SELECT " << key << ", ";
        statements::append_privilege_loss(statement, user, changes);
        statement << ", " << user.select_list << " FROM " << user << " AS useradmin_row WHERE ";
        append_equals(statement, key, id);
        append_guard(statement, user, guard);
        statement << " FOR NO KEY UPDATE)";
        if (const Table& table = work.schema().revocation;
            table.exists() && statements::may_revoke_privileges(changes)) {
            append_cleanup(statement << ", ", table);
            append_recording(statement << ", useradmin_revoked AS (", table, {id, {}});
            statement << " FROM useradmin_before WHERE useradmin_loses)";
        }
        statement << " UPDATE " << user << " AS useradmin_row SET ";
        statements::append_changes(statement, user, changes);
        statement << " FROM useradmin_before WHERE useradmin_row." << key << key.op("=")
                  << "useradmin_key RETURNING " << work.schema().full_user() << ", "
                  << names_before() << ", useradmin_loses";
        return statements::first_row(work, statement, [&](Rows& rows) {
            const model::User after = work.read_full_user(rows);
            work.row_change() = {after.id, rows.take_record<model::User>(), after};
            loses_privileges = rows.take_boolean();
            return after;
        });
    }

    /// Appends a CTE that removes up to ten revocations that are older than 30 days. Skips those
    /// that another transaction is removing.
    static void append_cleanup(Statement& statement, const Table& table) {
        statement << "useradmin_old AS (DELETE FROM " << table << " WHERE id" << equals
                  << "ANY (ARRAY(SELECT id FROM " << table
                  << " WHERE created_at OPERATOR(pg_catalog.<) (pg_catalog.now() "
                     "OPERATOR(pg_catalog.-) '30 days'::pg_catalog.interval) ORDER BY created_at "
                     "LIMIT 10 FOR UPDATE SKIP LOCKED)))";
    }

    /// Appends an INSERT of a revocation. A FROM clause may follow.
    static void append_recording(Statement& statement, const Table& table,
                                 const Revocation& revocation) {
        statement << "INSERT INTO " << table << " (user_id, session_id) SELECT "
                  << argument(revocation.user_id) << ", "
                  << optional_argument(revocation.session_id);
    }
};

} // namespace

const Dialect& postgresql() noexcept {
    static constexpr Postgresql dialect;
    return dialect;
}

} // namespace useradmin::store
