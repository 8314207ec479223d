#include "store/sqlite/schema.hpp"

#include "store/similar_tables.hpp"
#include "text/number.hpp"
#include "text/timestamp.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace useradmin::store {

namespace {

/// Returns the catalog query. Each row is a column: the table's letter, the name of a plugin's
/// table, the column's position, name and type, whether it is nullable, and whether it requires a
/// value.
std::string sqlite_columns_query(const TableNames& names) {
    // Generated columns have hidden > 1, and hidden columns of virtual tables have hidden = 1.
    // SQLite generates the values of an INTEGER PRIMARY KEY.
    const std::string column =
        ", p.cid, p.name, lower(p.type), p.\"notnull\" = 0, p.\"notnull\" = 1 AND "
        "p.dflt_value IS NULL AND p.hidden = 0 AND NOT (p.pk = 1 AND lower(p.type) = 'integer') "
        "FROM ";
    const auto table = [&](const char* letter, std::string_view name) {
        const std::size_t dot = name.find('.');
        const std::string of =
            dot == name.npos ? literal(name)
                             : literal(name.substr(dot + 1)) + ", " + literal(name.substr(0, dot));
        return "SELECT '" + std::string(letter) + "', ''" + column + "pragma_table_xinfo(" + of +
               ") p WHERE p.hidden <> 1";
    };
    const std::size_t dot = names.user.find('.');
    const bool has_schema = dot != names.user.npos;
    const std::string schema(has_schema ? names.user.substr(0, dot) : "");
    const std::string plugins = " UNION ALL SELECT 'p', m.name" + column +
                                (has_schema ? quoted_identifier(schema) + "." : "") +
                                "sqlite_master m JOIN pragma_table_xinfo(m.name" +
                                (has_schema ? ", " + literal(schema) : "") +
                                ") p WHERE p.hidden <> 1 AND m.type = 'table' AND m.name IN (" +
                                plugin_table_names() + ")";
    return table("u", names.user) + " UNION ALL " + table("s", names.session) + " UNION ALL " +
           table("a", names.account) + " UNION ALL " +
           table("r", own_table(names, revocation_table)) + " UNION ALL " +
           table("t", own_table(names, attempt_table)) + (names.has_plugins ? plugins : "") +
           " ORDER BY 1, 2, 3";
}

/// Returns the query for similar tables (with_typical_columns). `schema_prefix` is empty or
/// includes the dot, as in "main.".
std::string sqlite_similar_tables_query(std::string_view schema_prefix) {
    const std::string schema(schema_prefix.substr(0, schema_prefix.find('.')));
    const auto has_column = [&](const char* mark) {
        return " AND EXISTS (SELECT 1 FROM pragma_table_info(m.name" +
               (schema.empty() ? "" : ", " + literal(schema)) +
               ") p WHERE lower(replace(p.name, '_', '')) = " + mark + ")";
    };
    return with_typical_columns +
           ("SELECT typical.letter, " + literal(schema_prefix) +
            " || m.name FROM typical CROSS JOIN " +
            (schema.empty() ? "" : quoted_identifier(schema) + ".") +
            "sqlite_master m WHERE m.type IN ('table', 'view')" + has_column("typical.first") +
            has_column("typical.second") + has_column("typical.third") + " ORDER BY m.name");
}

/// Returns the kind of a column by its declared type, with rules similar to SQLite's affinity.
Column::Kind affinity_of(std::string_view type) noexcept {
    if (type.find("int") != type.npos)
        return Column::Kind::integer;
    if (type.starts_with("bool"))
        return Column::Kind::boolean;
    for (const std::string_view text : {"char", "clob", "text", "string", "uuid"})
        if (type.find(text) != type.npos)
            return Column::Kind::text;
    return type.empty() ? Column::Kind::text : Column::Kind::other;
}

/// Returns whether the type has an affinity that converts strings to numbers.
bool converts_to_numbers(std::string_view type) noexcept {
    return !type.empty() && type.find("char") == type.npos && type.find("clob") == type.npos &&
           type.find("text") == type.npos && type.find("blob") == type.npos;
}

/// Returns whether has_name() accepts the name of any time field of Record.
template <class Record>
bool has_time_field(const auto& has_name) {
    return std::ranges::any_of(
        model::fields<Record>(),
        [&](const model::Field<Record>& field) {
            return std::holds_alternative<model::NullableTime Record::*>(field.member) &&
                   has_name(field.name);
        });
}

/// Returns whether the column may store times as text or as numbers. Its kind must be neither text
/// nor boolean. It must be declared with a type for times, or have the name of a time field or of
/// the column with the last activity.
bool may_store_times(const Column& column, std::string_view last_seen) {
    if (column.kind != Column::Kind::integer && column.kind != Column::Kind::other)
        return false;
    const auto has_name = [&](std::string_view name) {
        return column.name == name || column.name == text::snake_case(name);
    };
    return column.is_declared_as_time() || has_name(last_seen) ||
           has_time_field<model::User>(has_name) || has_time_field<model::Session>(has_name) ||
           has_time_field<model::Account>(has_name) || has_time_field<model::ApiKey>(has_name) ||
           has_time_field<model::SecondFactor>(has_name) ||
           has_time_field<model::VerificationValue>(has_name);
}

/// Returns how a value stores a time, or std::nullopt for NULL and 0.
std::optional<Column::TimeFormat> time_format_of(model::NullableText value) noexcept {
    if (!value)
        return std::nullopt;
    std::int64_t number = 0;
    const char* const end = value->data() + value->size();
    const auto [stop, error] = std::from_chars(value->data(), end, number);
    if (error != std::errc() || stop != end)
        return Column::TimeFormat::text;
    if (number == 0)
        return std::nullopt;
    return text::is_in_seconds(number) ? Column::TimeFormat::seconds
                                       : Column::TimeFormat::milliseconds;
}

/// Sets the time format of the tables' columns. SQLite has no type for times: ORMs store text or
/// numbers in columns of the same type. A column's value in the first row decides. A column without
/// a value in that row gets the format of another column of the same type. Returns false on
/// failure.
bool read_time_formats(SqliteClient& client, apr_pool_t* pool, std::span<Table* const> tables,
                       const TableNames& names, std::string& fingerprint) {
    std::vector<Column*> columns;
    std::string query;
    for (Table* const table : tables)
        for (Column& column : table->columns)
            if (may_store_times(column, names.last_seen)) {
                columns.push_back(&column);
                query += (query.empty() ? "SELECT (SELECT " : ", (SELECT ") + column.sql() +
                         " FROM " + table->sql + " LIMIT 1)";
            }
    if (columns.empty())
        return true;
    auto rows = client.execute(query.c_str(), pool);
    if (!rows)
        return false;
    rows->next();
    std::map<std::string, Column::TimeFormat> formats;
    std::vector<Column*> undecided;
    for (Column* const column : columns)
        if (const auto format = time_format_of(rows->take())) {
            column->time_format = *format;
            formats.emplace(column->type, *format);
        } else {
            undecided.push_back(column);
        }
    for (Column* const column : undecided)
        if (const auto found = formats.find(column->type); found != formats.end())
            column->time_format = found->second;
        else if (column->kind == Column::Kind::integer)
            column->time_format = Column::TimeFormat::milliseconds;
    for (const Column* const column : columns)
        fingerprint += static_cast<char>('0' + static_cast<int>(column->time_format));
    return true;
}

/// Returns an expression for the column whose json_quote() is a JSON value of its type. SQLite has
/// neither booleans nor JSON types.
std::string json_of(const Column& column) {
    const std::string sql = column.sql();
    // JSON has no infinity. Some versions of SQLite write an invalid token. Write null, like
    // JSON.stringify.
    std::string value = "CASE typeof(" + sql + ") WHEN 'blob' THEN hex(" + sql +
                        ") WHEN 'real' THEN iif(" + sql + " IN (9e999, -9e999), NULL, " + sql + ")";
    if (column.is_declared_as_time())
        value += " WHEN 'text' THEN " + column.iso_text();
    if (column.is_declared_as_time() && column.has_unix_times())
        value += " WHEN 'integer' THEN strftime('%Y-%m-%dT%H:%M:%fZ', " + sql +
                 (column.time_format == Column::TimeFormat::milliseconds ? " / 1000.0" : "") +
                 ", 'unixepoch')";
    if (column.kind == Column::Kind::boolean)
        value += " WHEN 'integer' THEN json(iif(" + sql + ", 'true', 'false'))";
    // JavaScript would round larger numbers, so they are strings.
    const std::string most = std::to_string(text::max_safe_integer);
    value += " WHEN 'integer' THEN iif(" + sql + " BETWEEN -" + most + " AND " + most + ", " + sql +
             ", CAST(" + sql + " AS TEXT))";
    value += " ELSE " + sql + " END";
    if (column.type.starts_with("json"))
        return "iif(typeof(" + sql + ") = 'text' AND json_valid(" + sql + "), json(" + sql + "), " +
               value + ")";
    return value;
}

/// Returns the expression for a row's version. Concatenates several digests, because functions may
/// be limited to 127 arguments.
std::string version_of(const Table& table) {
    constexpr std::size_t columns_at_once = 100;
    std::string sql;
    for (std::size_t index = 0; index < table.columns.size(); ++index) {
        if (index % columns_at_once == 0)
            sql += index == 0 ? "useradmin_version(" : ") || '.' || useradmin_version(";
        else
            sql += ", ";
        sql += table.columns[index].sql();
    }
    return sql + ")";
}

} // namespace

bool read_sqlite_schema(SqliteClient& client, apr_pool_t* pool, const TableNames& names,
                        Schema& schema) {
    auto rows = client.execute(sqlite_columns_query(names).c_str(), pool);
    if (!rows)
        return false;
    Schema read;
    read.fingerprint = fingerprint_of(names, *rows);
    read.set_table_names(names);
    std::map<std::string, Table> plugins;
    const std::string schema_prefix(names.user.substr(0, names.user.find('.') + 1));
    while (rows->next()) {
        const char letter = rows->take().value_or("u").front();
        const std::string plugin(rows->take().value_or(""));
        Table& table = letter == 'p' ? plugins[plugin] : read.table(letter);
        if (letter == 'p')
            table.name = table.sql = quoted_table(schema_prefix + plugin);
        static_cast<void>(rows->take()); // the column's position
        Column column;
        column.dialect = &sqlite();
        column.name = rows->take().value_or("");
        column.type = rows->take().value_or("");
        column.kind = affinity_of(column.type);
        column.is_nullable = rows->take_boolean();
        column.requires_value = rows->take_boolean();
        column.has_loose_equality =
            // Integer ids are compared only in canonical form (Column::can_hold_id).
            (column.kind != Column::Kind::integer && converts_to_numbers(column.type)) ||
            (letter != 'r' && letter != 't' &&
             !client.is_collated_exactly(letter == 'u'   ? names.user
                                         : letter == 's' ? names.session
                                         : letter == 'a' ? names.account
                                                         : schema_prefix + plugin,
                                         column.name));
        read.fingerprint += column.has_loose_equality ? '~' : '=';
        table.columns.push_back(std::move(column));
    }
    std::vector<Table*> tables = {&read.user, &read.session, &read.account};
    for (auto& [name, table] : plugins)
        tables.push_back(&table);
    if (!read_time_formats(client, pool, tables, names, read.fingerprint))
        return false;
    if (read.fingerprint == schema.fingerprint)
        return true;
    find_similar_tables(client, pool, sqlite_similar_tables_query(schema_prefix), names, read);
    read.resolve_fields(names);
    read.resolve_plugins(plugins);
    read.user.version = version_of(read.user);
    for (Column& column : read.user.columns)
        // Lists and their index compare the role within coalesce(), and therefore exactly.
        if (column.field == "role")
            column.has_loose_equality = false;
    for (const Column* const column : read.extra_user_columns())
        read.extra_columns += ", json_quote(" + json_of(*column) + ")";
    schema = std::move(read);
    return true;
}

} // namespace useradmin::store
