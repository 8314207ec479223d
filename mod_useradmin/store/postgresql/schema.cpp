#include "store/postgresql/schema.hpp"

#include "store/postgresql/scale.hpp"
#include "store/similar_tables.hpp"
#include "text/number.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace useradmin::store {

namespace {

// These queries name the schema of every object and operator (postgresql/dialect.cpp).

/// Returns an expression for the OID of a table. Its value is NULL if the table does not exist. A
/// name without a schema is looked up in the search path.
std::string oid_of(std::string_view name) {
    const std::size_t dot = name.find('.');
    if (dot == name.npos)
        return "pg_catalog.to_regclass(" + literal(quoted_identifier(name)) + ")::pg_catalog.oid";
    // to_regclass() fails without USAGE on the schema. A query of the catalog does not.
    return R"((
  SELECT c.oid
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
  WHERE pg_catalog.has_schema_privilege(n.oid, 'USAGE')
    AND n.nspname OPERATOR(pg_catalog.=) )" +
           literal(name.substr(0, dot)) + " AND c.relname OPERATOR(pg_catalog.=) " +
           literal(name.substr(dot + 1)) + ")";
}

/// Returns FROM and WHERE clauses for tables `c` with these names in the schema of the user table.
/// Considers only tables that belong to a superuser, to this account or to the owner of the user
/// table, because another owner's triggers would run with the privileges of this account. If
/// `not_trusted` is "NOT ", considers only tables of other owners.
std::string from_tables(const TableNames& names, const std::string& literals,
                        const char* not_trusted = "") {
    return R"(
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_class u ON u.relnamespace OPERATOR(pg_catalog.=) c.relnamespace
    AND u.oid OPERATOR(pg_catalog.=) )" +
           oid_of(names.user) + R"(
  JOIN pg_catalog.pg_roles o ON o.oid OPERATOR(pg_catalog.=) c.relowner
    AND )" +
           not_trusted + R"((o.rolsuper OR o.rolname OPERATOR(pg_catalog.=) current_user
      OR o.oid OPERATOR(pg_catalog.=) u.relowner)
  WHERE c.relkind OPERATOR(pg_catalog.=) 'r'
    AND c.relname OPERATOR(pg_catalog.=) ANY (ARRAY[)" +
           literals + "]::pg_catalog.name[])";
}

/// Returns a row of the catalog query's tables for a table of the application.
std::string row_of_application_table(const char* letter, std::string_view name) {
    return "('" + std::string(letter) + "', " + oid_of(name) + ", " +
           literal(name.substr(name.find('.') + 1)) + ", NULL)";
}

/// Returns an expression for a message if the owner of one of mod_useradmin's tables is not
/// trusted. Otherwise, its value is NULL.
std::string untrusted_owner(const TableNames& names, std::string_view name) {
    return R"((
  SELECT pg_catalog.format(
    'table %1$s.%2$I belongs to %3$I, not to the owner of the user table; '
    'run: ALTER TABLE %1$s.%2$I OWNER TO %4$I;',
    c.relnamespace::pg_catalog.regnamespace, c.relname, o.rolname,
    pg_catalog.pg_get_userbyid(u.relowner)))" +
           from_tables(names, literal(name), "NOT ") + ")";
}

/// Returns a row of the catalog query's tables for one of mod_useradmin's tables. If the table's
/// owner is not trusted, the row has a message instead of an OID.
std::string row_of_own_table(const TableNames& names, const char* letter, std::string_view name) {
    return "('" + std::string(letter) + "', (SELECT c.oid" + from_tables(names, literal(name)) +
           "), '', " + untrusted_owner(names, name) + ")";
}

/// Returns the catalog query. Each row is a column of a table, with everything whose change
/// invalidates a prepared statement. A missing table has one row without a column.
std::string catalog_query(const TableNames& names) {
    // These columns are in the order of read_column() and column_of(). The user table comes first
    // and the plugins' tables last, because only the first problem is logged.
    //
    // - `restricted`: this account, if row-level security may hide rows from it. A policy USING
    //   (true) shows all rows, unless there are restrictive policies.
    // - The type of a domain is its base type.
    // - `operator_schema`: the operators of a type such as citext are in the schema of "=" in the
    //   type's default btree operator class. Only a superuser can create an operator class, so the
    //   schema can be trusted. Types without such a class use the built-in operators.
    // - `closed_schema`: a schema without USAGE that has a table of this name.
    static constexpr std::string_view select = R"(
SELECT
  pg_catalog.current_setting('DateStyle'),
  pg_catalog.current_setting('client_encoding'),
  pg_catalog.current_setting('server_encoding'),
  t.letter,
  q.nspname,
  c.relname,
  coalesce(c.relkind OPERATOR(pg_catalog.=) 'r' AND h.amname OPERATOR(pg_catalog.=) 'heap', false),
  c.relkind,
  t.letter OPERATOR(pg_catalog.<>) 'p' OR pg_catalog.has_table_privilege(t.relation, 'DELETE'),
  t.letter OPERATOR(pg_catalog.<>) 'p' OR pg_catalog.has_table_privilege(t.relation, 'INSERT'),
  CASE WHEN pg_catalog.row_security_active(t.relation) AND NOT coalesce((
      SELECT pg_catalog.bool_and(l.polpermissive) AND pg_catalog.bool_or(
        l.polcmd OPERATOR(pg_catalog.=) '*'
        AND l.polwithcheck IS NULL
        AND pg_catalog.pg_get_expr(l.polqual, l.polrelid) OPERATOR(pg_catalog.=) 'true'
        AND EXISTS (
          SELECT FROM pg_catalog.unnest(l.polroles) AS m (id)
          WHERE m.id OPERATOR(pg_catalog.=) 0::pg_catalog.oid
            OR pg_catalog.pg_has_role(m.id, 'USAGE')))
      FROM pg_catalog.pg_policy l
      WHERE l.polrelid OPERATOR(pg_catalog.=) t.relation), false)
    THEN pg_catalog.quote_ident(current_user::pg_catalog.text) END AS restricted,
  a.attname,
  pg_catalog.format_type(y.oid, CASE WHEN d.typtype OPERATOR(pg_catalog.=) 'd'
    THEN d.typtypmod ELSE a.atttypmod END),
  y.typname,
  z.nspname,
  (SELECT e.nspname
    FROM pg_catalog.pg_opclass p
    JOIN pg_catalog.pg_am m ON m.oid OPERATOR(pg_catalog.=) p.opcmethod
      AND m.amname OPERATOR(pg_catalog.=) 'btree'
    JOIN pg_catalog.pg_amop s ON s.amopfamily OPERATOR(pg_catalog.=) p.opcfamily
      AND s.amoplefttype OPERATOR(pg_catalog.=) p.opcintype
      AND s.amoprighttype OPERATOR(pg_catalog.=) p.opcintype
      AND s.amopstrategy OPERATOR(pg_catalog.=) 3
    JOIN pg_catalog.pg_operator w ON w.oid OPERATOR(pg_catalog.=) s.amopopr
    JOIN pg_catalog.pg_namespace e ON e.oid OPERATOR(pg_catalog.=) w.oprnamespace
      AND pg_catalog.has_schema_privilege(e.oid, 'USAGE')
    WHERE p.opcdefault AND p.opcintype OPERATOR(pg_catalog.=)
      CASE WHEN y.typtype OPERATOR(pg_catalog.=) 'e' THEN 3500::pg_catalog.oid ELSE y.oid END
  ) AS operator_schema,
  NOT a.attnotnull,
  (a.attnotnull OR d.typnotnull) AND NOT a.atthasdef AND d.typdefault IS NULL
    AND a.attidentity OPERATOR(pg_catalog.=) '',
  NOT o.collisdeterministic,
  t.letter OPERATOR(pg_catalog.<>) ALL (ARRAY['p', 's', 'a'])
    OR pg_catalog.has_column_privilege(t.relation, a.attnum, 'SELECT'),
  t.letter OPERATOR(pg_catalog.<>) 'p'
    OR pg_catalog.has_column_privilege(t.relation, a.attnum, 'UPDATE'),
  (SELECT pg_catalog.min(n.nspname::pg_catalog.text)
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
    WHERE c.relname OPERATOR(pg_catalog.=) t.name
      AND NOT pg_catalog.has_schema_privilege(n.oid, 'USAGE')) AS closed_schema,
  current_user,
  t.distrusted,
  a.atttypmod,
  a.attcollation,
  t.relation
FROM ()";
    static constexpr std::string_view joins = R"() AS t (letter, relation, name, distrusted)
LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) t.relation
  AND a.attnum OPERATOR(pg_catalog.>) 0
  AND NOT a.attisdropped
  AND (t.letter OPERATOR(pg_catalog.<>) ALL (ARRAY['r', 't'])
    OR pg_catalog.has_table_privilege(t.relation, 'SELECT'))
LEFT JOIN pg_catalog.pg_type d ON d.oid OPERATOR(pg_catalog.=) a.atttypid
LEFT JOIN pg_catalog.pg_type y ON y.oid OPERATOR(pg_catalog.=)
  CASE WHEN d.typtype OPERATOR(pg_catalog.=) 'd' THEN d.typbasetype ELSE d.oid END
LEFT JOIN pg_catalog.pg_namespace z ON z.oid OPERATOR(pg_catalog.=) y.typnamespace
LEFT JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) t.relation
LEFT JOIN pg_catalog.pg_namespace q ON q.oid OPERATOR(pg_catalog.=) c.relnamespace
LEFT JOIN pg_catalog.pg_am h ON h.oid OPERATOR(pg_catalog.=) c.relam
LEFT JOIN pg_catalog.pg_collation o ON o.oid OPERATOR(pg_catalog.=) a.attcollation
ORDER BY t.letter OPERATOR(pg_catalog.=) 'p', t.letter DESC, t.relation, a.attnum)";
    std::string query(select);
    query.append("VALUES ").append(row_of_application_table("u", names.user));
    query.append(", ").append(row_of_application_table("s", names.session));
    query.append(", ").append(row_of_application_table("a", names.account));
    query.append(", ").append(row_of_own_table(names, "r", revocation_table));
    query.append(", ").append(row_of_own_table(names, "t", attempt_table));
    if (names.has_plugins)
        query.append(", ('d', NULL, '', ")
            .append(untrusted_owner(names, disabled_keys_table))
            .append(") UNION ALL SELECT 'p', c.oid, '', NULL")
            .append(from_tables(names, plugin_table_names()));
    return query.append(joins);
}

/// Returns a query for tables that have the columns listed in with_typical_columns. It searches the
/// configured schema, or all schemas if none is configured.
std::string similar_tables_query(const TableNames& names) {
    const std::size_t dot = names.user.find('.');
    const bool has_schema = dot != names.user.npos;
    std::string query = with_typical_columns;
    query += R"(
SELECT typical.letter, CASE WHEN )";
    query += has_schema ? "false" : "pg_catalog.pg_table_is_visible(c.oid)";
    query += R"( THEN c.relname::pg_catalog.text
  ELSE pg_catalog.concat(n.nspname, '.', c.relname) END
FROM typical
CROSS JOIN pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
  AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
  AND n.nspname OPERATOR(pg_catalog.)";
    query += has_schema ? "=) " + literal(names.user.substr(0, dot))
                        : "!~) '^(pg_|information_schema$)'";
    query += R"(
WHERE c.relkind OPERATOR(pg_catalog.=) ANY (ARRAY['r', 'p', 'v']::pg_catalog."char"[])
  AND (SELECT pg_catalog.count(DISTINCT
      pg_catalog.lower(pg_catalog.replace(a.attname::pg_catalog.text, '_', '')))
    FROM pg_catalog.pg_attribute a
    WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid
      AND a.attnum OPERATOR(pg_catalog.>) 0
      AND NOT a.attisdropped
      AND pg_catalog.lower(pg_catalog.replace(a.attname::pg_catalog.text, '_', ''))
        OPERATOR(pg_catalog.=) ANY (ARRAY[typical.first, typical.second, typical.third])
    ) OPERATOR(pg_catalog.=) 3
ORDER BY n.nspname, c.relname)";
    return query;
}

constexpr std::string_view system_schema = "pg_catalog";

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

/// Reads a row of the catalog query.
void read_column(Rows& rows, Schema& schema, std::map<std::string, Table>& plugins) {
    const bool has_iso_dates = rows.take().value_or("").starts_with("ISO");
    const std::string_view encoding = rows.take().value_or("");
    if (encoding != "UTF8" && schema.problems.empty())
        schema.problems.push_back({needs_user, "the client encoding is " + std::string(encoding) +
                                                   "; set client_encoding=UTF8 in DBDParams"});
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
            {letter == 'p' ? needs_all_plugin_rows : needs_all_rows,
             "row-level security may hide rows of table " + table.name + " from role " +
                 std::string(*account_of_policies) +
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
        table.absence_reason =
            "role " + account + " lacks USAGE on schema " + std::string(*closed_schema) +
            ", which contains a table named " + table.name + "; run: GRANT USAGE ON SCHEMA " +
            quoted_identifier(*closed_schema) + " TO " + quoted_identifier(account) + ";";
    else if (own_name && (letter == 'r' || letter == 't')) // columns require SELECT
        table.absence_reason = "role " + account + " lacks privileges on table " + table.sql +
                               "; run: GRANT SELECT, INSERT, UPDATE, DELETE ON " + table.sql +
                               " TO " + quoted_identifier(account) + ";";
}

/// Returns an expression for the column of the row useradmin_row as JSON. Unlike to_jsonb(),
/// to_json() accepts every value of the type json, such as one with U+0000.
std::string as_json(const Column& column) {
    std::string value = "useradmin_row." + column.sql();
    if (column.kind == Column::Kind::timestamp) {
        const auto [before, after] = in_utc(column.type.ends_with("with time zone"));
        value = before + value + after;
    }
    const std::string json = "pg_catalog.to_json(" + value + ")::pg_catalog.text";
    if (column.type != "bigint")
        return json;
    // JavaScript would round larger numbers, so they are strings.
    const std::string most = std::to_string(text::max_safe_integer) + "'::pg_catalog.int8";
    return "CASE WHEN " + value + column.op(">=") + "'-" + most + " AND " + value +
           column.op("<=") + "'" + most + " THEN " + json + " ELSE pg_catalog.to_json(" + value +
           "::pg_catalog.text)::pg_catalog.text END";
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

} // namespace

bool read_postgresql_schema(Client& client, apr_pool_t* pool, const TableNames& names,
                            Schema& schema) {
    auto rows = client.execute(catalog_query(names).c_str(), pool);
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
        for (const Column* const column : read.extra_user_columns())
            read.extra_columns += ", " + as_json(*column);
    }
    if (!read_scale(client, pool, oid_of(names.user), is_same ? schema : read))
        return false;
    if (!is_same)
        schema = std::move(read);
    return true;
}

std::string postgresql_indexes_query(const Schema& schema) {
    return R"(
SELECT t.letter, i.indexrelid, i.indisunique, pg_catalog.pg_get_indexdef(i.indexrelid, k, true)
FROM )" + tables_of(schema) +
           R"(
JOIN pg_catalog.pg_index i ON i.indrelid OPERATOR(pg_catalog.=) t.relation AND i.indisvalid
  AND (i.indpred IS NULL
    OR pg_catalog.pg_get_expr(i.indpred, i.indrelid, true) OPERATOR(pg_catalog.=)
      pg_catalog.concat(pg_catalog.pg_get_indexdef(i.indexrelid, 1, true), ' IS NOT NULL'))
CROSS JOIN pg_catalog.generate_series(1, i.indnkeyatts::pg_catalog.int4) AS k
ORDER BY 1, 2, k)";
}

std::string postgresql_missing_privileges_query(const Schema& schema,
                                                std::span<const Privilege> privileges) {
    std::string wanted;
    for (const Privilege& privilege : privileges) {
        const Table& table = schema.table(privilege.table);
        const Column* column = table.find(privilege.field);
        if (!table.exists() || (!privilege.field.empty() && column == nullptr))
            continue;
        wanted += (wanted.empty() ? "('" : ", ('") + std::string(1, privilege.table) + "', " +
                  literal(privilege.name) + ", " + literal(column != nullptr ? column->name : "") +
                  ", " + std::to_string(wanted.size()) + ")";
    }
    if (wanted.empty())
        return {};
    // Identity columns have no default, and need no privilege on their sequence.
    return R"(
WITH w AS (
  SELECT t.letter, t.relation, v.privilege, v.name, v.place
  FROM )" + tables_of(schema) +
           " JOIN (VALUES " + wanted + R"() AS v (letter, privilege, name, place)
    ON v.letter OPERATOR(pg_catalog.=) t.letter
)
SELECT m.letter, m.privilege, m.name, pg_catalog.quote_ident(current_user::pg_catalog.text),
  m.sequence
FROM (
  SELECT w.letter, w.privilege, w.name, '' AS sequence, w.place
  FROM w
  WHERE NOT CASE WHEN w.name OPERATOR(pg_catalog.=) ''
    THEN pg_catalog.has_table_privilege(w.relation, w.privilege)
    ELSE pg_catalog.has_column_privilege(w.relation, w.name, w.privilege) END
  UNION ALL
  SELECT w.letter, 'USAGE', '',
    pg_catalog.concat(pg_catalog.quote_ident(n.nspname::pg_catalog.text), '.',
      pg_catalog.quote_ident(s.relname::pg_catalog.text)), w.place
  FROM w
  JOIN pg_catalog.pg_attrdef a ON a.adrelid OPERATOR(pg_catalog.=) w.relation
    AND w.privilege OPERATOR(pg_catalog.=) 'INSERT'
  JOIN pg_catalog.pg_depend d ON d.objid OPERATOR(pg_catalog.=) a.oid
    AND d.classid OPERATOR(pg_catalog.=)
      'pg_catalog.pg_attrdef'::pg_catalog.regclass::pg_catalog.oid
    AND d.refclassid OPERATOR(pg_catalog.=)
      'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid
  JOIN pg_catalog.pg_class s ON s.oid OPERATOR(pg_catalog.=) d.refobjid
  JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) s.relnamespace
  WHERE CASE WHEN s.relkind OPERATOR(pg_catalog.=) 'S'
    THEN NOT pg_catalog.has_sequence_privilege(s.oid, 'USAGE, UPDATE') END
) m
ORDER BY m.place, m.sequence)";
}

std::string postgresql_untrusted_roles_query(const Schema& schema) {
    // A schema's owner can replace its tables. pg_database_owner is the owner of the database.
    // TRIGGER allows a role to add a trigger, and REFERENCES a foreign key. Views, partitions,
    // foreign keys and defaults use other objects, so all owners of relations and functions are
    // included.
    return R"(
SELECT t.letter, r.rolname, s.rolname, r.oid OPERATOR(pg_catalog.=) c.relowner
FROM )" + tables_of(schema) +
           R"(
JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) t.relation
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
JOIN pg_catalog.pg_roles o ON o.oid OPERATOR(pg_catalog.=) n.nspowner
JOIN pg_catalog.pg_database d ON d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()
JOIN pg_catalog.pg_roles s ON s.rolname OPERATOR(pg_catalog.=) session_user
  AND EXISTS (
    SELECT FROM pg_catalog.pg_roles p
    WHERE p.rolsuper AND pg_catalog.pg_has_role(s.oid, p.oid, 'MEMBER'))
JOIN pg_catalog.pg_roles r ON NOT r.rolsuper AND (
  r.oid OPERATOR(pg_catalog.=) c.relowner
  OR r.oid OPERATOR(pg_catalog.=) CASE WHEN o.rolname OPERATOR(pg_catalog.=) 'pg_database_owner'
    THEN d.datdba ELSE n.nspowner END
  OR pg_catalog.has_table_privilege(r.oid, c.oid, 'TRIGGER, REFERENCES')
  OR EXISTS (SELECT FROM pg_catalog.pg_class x WHERE x.relowner OPERATOR(pg_catalog.=) r.oid)
  OR EXISTS (SELECT FROM pg_catalog.pg_proc p WHERE p.proowner OPERATOR(pg_catalog.=) r.oid))
ORDER BY 1, 4 DESC, 2)";
}

} // namespace useradmin::store
