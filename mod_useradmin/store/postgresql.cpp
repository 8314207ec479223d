// All that is particular to PostgreSQL, 13 and later.
#include "store/arguments.hpp"
#include "store/dialect.hpp"
#include "store/known_connection.hpp"

#include <string>

namespace useradmin::store {

namespace {

/// The tables' columns in one result: settings, the table's letter, name, type, whether it demands
/// a value.
std::string catalogue_query(const TableNames& names) {
    const auto table = [](const char* letter, std::string_view name) {
        return "('" + std::string(letter) + "', to_regclass(" + literal(quoted_table(name)) + "))";
    };
    return "SELECT current_setting('DateStyle'), current_setting('client_encoding'), t.letter, "
           "a.attname, format_type(a.atttypid, NULL), a.attnotnull AND NOT a.atthasdef AND "
           "a.attidentity = '' FROM (VALUES " +
           table("u", names.user) + ", " + table("s", names.session) + ", " +
           table("a", names.account) +
           ") AS t (letter, relation) LEFT JOIN pg_attribute a ON a.attrelid = t.relation AND "
           "a.attnum > 0 AND NOT a.attisdropped ORDER BY t.letter, a.attnum";
}

bool is_timestamp(const Column& column) {
    return column.type.starts_with("timestamp");
}

constexpr const char* iso_format = "'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'";

// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): one constant, never deleted
class PostgreSql final : public Dialect {
  public:
    void set_up(const Connection&) const override {}

    bool is_busy(const Connection&) const override { return false; }

    bool statements_expire() const override { return false; }

    std::optional<Schema> read_schema(const Connection& connection, apr_pool_t* pool,
                                      const TableNames& names) const override {
        apr_dbd_results_t* results = nullptr;
        if (apr_dbd_select(connection.driver, pool, connection.handle, &results,
                           catalogue_query(names).c_str(), 1) != 0)
            return std::nullopt;
        Schema schema;
        schema.user.sql = quoted_table(names.user);
        schema.session.sql = quoted_table(names.session);
        schema.account.sql = quoted_table(names.account);
        for (Rows rows(connection.driver, pool, results); rows.next();) {
            for (int column = 0; column < 6; ++column)
                schema.fingerprint.append(rows.text(column).value_or("")) += '\n';
            schema.plain_timestamps = rows.text(0).value_or("").starts_with("ISO");
            const std::string_view encoding = rows.text(1).value_or("");
            if (encoding != "UTF8" && schema.problems.empty())
                schema.problems.push_back(
                    {needs_user, "the connection's encoding is " + std::string(encoding) +
                                     "; add client_encoding=UTF8 to DBDParams"});
            const std::string_view letter = rows.text(2).value_or("");
            Table& table = letter == "u"   ? schema.user
                           : letter == "s" ? schema.session
                                           : schema.account;
            if (const Text name = rows.text(3))
                table.columns.push_back({std::string(*name), std::string(rows.text(4).value_or("")),
                                         rows.text(5).value_or("") == "t"});
        }
        schema.examine();
        return schema;
    }

    std::string session_identity(const Connection& connection, apr_pool_t* pool) const override {
        apr_dbd_results_t* results = nullptr;
        if (apr_dbd_select(connection.driver, pool, connection.handle, &results,
                           "SELECT pg_backend_pid()", 1) != 0)
            return {};
        Rows rows(connection.driver, pool, results);
        return rows.next() ? std::string(rows.text(0).value_or("")) : std::string();
    }

    std::string parameter(const Column& column) const override {
        if (column.type == "text" || column.type == "character varying")
            return "%s";
        std::string type = column.type;
        for (std::size_t at = 0; (at = type.find('%', at)) != std::string::npos; at += 2)
            type.insert(at, 1, '%');
        return "%s::" + type;
    }

    std::string whole_number() const override { return "%s::bigint"; }

    std::string timestamp(const Column& column, const std::string& sql,
                          bool plain_timestamps) const override {
        // The column as it is costs the least; only another DateStyle makes it unreadable.
        if (plain_timestamps || !is_timestamp(column))
            return sql;
        return in_utc(column, sql);
    }

    const char* boolean_argument(const Column& column, bool value) const override {
        if (column.type == "boolean")
            return value ? "true" : "false";
        return value ? "1" : "0";
    }

    std::string timestamp_argument(const Column&, Timestamp time) const override {
        std::string text;
        text::append_iso8601(text, time);
        return text;
    }

    std::string contains(const std::string& sql) const override { return sql + " ILIKE %s"; }

    std::string search_argument(std::string_view search) const override {
        std::string pattern = "%";
        for (char character : search) {
            if (character == '%' || character == '_' || character == '\\')
                pattern += '\\';
            pattern += character;
        }
        return pattern += '%';
    }

    std::string other_columns(std::string_view source, const Schema& schema) const override {
        // The whole row less the known columns, so that a column added a moment ago is there as
        // well.
        std::string known;
        for (std::string_view field : user_fields)
            if (const Column* column = schema.user.find(field))
                known += (known.empty() ? "" : ", ") + literal(column->name);
        std::string json = "to_jsonb(" + std::string(source) + ".*) - ARRAY[" + known + "]";
        for (const Column* column : schema.other_user_columns())
            if (is_timestamp(*column))
                json += " || jsonb_build_object(" + literal(column->name) + ", " +
                        in_utc(*column, column->sql()) + ")";
        return "(" + json + ")::text";
    }

    Result<std::optional<User>> create(Work& work, const NewUser& user) const override {
        const Schema& schema = work.schema();
        Arguments arguments(work.pool(), *this);
        append_account(append_user(arguments, schema.user, user), schema.account, user);
        Result<Rows> rows = work.run(Query::create, arguments.view());
        if (!rows)
            return rows.failure();
        return rows->next() ? std::optional(full_user_of(*rows)) : std::nullopt;
    }

    Result<Removal> remove(Work& work, std::string_view id,
                           std::string_view protected_email) const override {
        Arguments arguments(work.pool(), *this);
        arguments.text(protected_email).text(id);
        Result<Rows> rows = work.run(Query::remove, arguments.view());
        if (!rows)
            return rows.failure();
        if (!rows->next())
            return Removal::not_found;
        return rows->text(0) == "t" ? Removal::removed : Removal::protected_address;
    }

  private:
    static std::string in_utc(const Column& column, const std::string& sql) {
        const bool has_zone = column.type == "timestamp with time zone";
        return "to_char(" + sql + (has_zone ? " AT TIME ZONE 'UTC'" : "") + ", " + iso_format + ")";
    }
};

} // namespace

const Dialect& postgresql() noexcept {
    static constexpr PostgreSql dialect;
    return dialect;
}

} // namespace useradmin::store
