// All that is particular to SQLite, 3.35 and later.
#include "store/arguments.hpp"
#include "store/dialect.hpp"
#include "store/known_connection.hpp"
#include "text/unicode.hpp"

#include <sqlite3.h>

#include <string>

namespace useradmin::store {

namespace {

std::string catalogue_query(const TableNames& names) {
    const auto table = [](const char* letter, std::string_view name) {
        const std::size_t dot = name.find('.');
        const std::string of =
            dot == name.npos ? literal(name)
                             : literal(name.substr(dot + 1)) + ", " + literal(name.substr(0, dot));
        return "SELECT '" + std::string(letter) +
               "' AS letter, cid, name, lower(type), \"notnull\" = 1 AND dflt_value IS NULL FROM "
               "pragma_table_info(" +
               of + ")";
    };
    return table("u", names.user) + " UNION ALL " + table("s", names.session) + " UNION ALL " +
           table("a", names.account) +
           " UNION ALL SELECT 'v', schema_version, NULL, NULL, NULL FROM pragma_schema_version "
           "ORDER BY 1, 2";
}

sqlite3* native_of(const Connection& connection) noexcept {
    return static_cast<sqlite3*>(apr_dbd_native_handle(connection.driver, connection.handle));
}

/// useradmin_fold(text): case and accents folded away, which SQLite itself does for ASCII alone.
void fold(sqlite3_context* context, int, sqlite3_value** values) noexcept {
    const auto* text = static_cast<const char*>(sqlite3_value_blob(values[0]));
    const auto length = static_cast<std::size_t>(sqlite3_value_bytes(values[0]));
    try {
        const std::string folded = text::fold({text != nullptr ? text : "", length});
        sqlite3_result_text(context, folded.data(), static_cast<int>(folded.size()),
                            SQLITE_TRANSIENT);
    } catch (...) {
        sqlite3_result_error_nomem(context);
    }
}

/// Ends a transaction by rolling it back, unless it was committed.
class Transaction {
  public:
    explicit Transaction(Work& work) : work_(work), open_(work.execute("BEGIN IMMEDIATE")) {}
    ~Transaction() {
        if (open_)
            work_.execute("ROLLBACK");
    }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    explicit operator bool() const noexcept { return open_; }
    bool commit() {
        if (!work_.execute("COMMIT"))
            return false;
        open_ = false;
        return true;
    }

  private:
    Work& work_;
    bool open_;
};

// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): one constant, never deleted
class Sqlite final : public Dialect {
  public:
    void set_up(const Connection& connection) const override {
        // A function that is registered again expires every statement of the connection, also those
        // of its other users.
        constexpr const char* mark = "useradmin sqlite";
        void* is_set_up = nullptr;
        apr_pool_userdata_get(&is_set_up, mark, connection.pool);
        if (is_set_up != nullptr)
            return;
        apr_pool_userdata_setn(connection.handle, mark, apr_pool_cleanup_null, connection.pool);
        sqlite3* native = native_of(connection);
        sqlite3_db_config(native, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
        sqlite3_create_function_v2(native, "useradmin_fold", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                   nullptr, fold, nullptr, nullptr, nullptr);
    }

    bool is_busy(const Connection& connection) const override {
        const int code = sqlite3_errcode(native_of(connection));
        return code == SQLITE_BUSY || code == SQLITE_LOCKED;
    }

    /// apr_dbd prepares with sqlite3_prepare, whose statements do not prepare themselves again.
    bool statements_expire() const override { return true; }

    std::optional<Schema> read_schema(const Connection& connection, apr_pool_t* pool,
                                      const TableNames& names) const override {
        const std::string query = catalogue_query(names);
        apr_dbd_results_t* results = nullptr;
        const auto select = [&] {
            return apr_dbd_select(connection.driver, pool, connection.handle, &results,
                                  query.c_str(), 1) == 0;
        };
        // The first statement after another process has changed the schema fails, and has it read
        // again.
        bool is_read = select();
        if (!is_read)
            is_read = select();
        if (!is_read)
            return std::nullopt;
        Schema schema;
        schema.user.sql = quoted_table(names.user);
        schema.session.sql = quoted_table(names.session);
        schema.account.sql = quoted_table(names.account);
        for (Rows rows(connection.driver, pool, results); rows.next();) {
            for (int column = 0; column < 5; ++column)
                schema.fingerprint.append(rows.text(column).value_or("")) += '\n';
            const std::string_view letter = rows.text(0).value_or("");
            if (letter == "v")
                continue;
            Table& table = letter == "u"   ? schema.user
                           : letter == "s" ? schema.session
                                           : schema.account;
            table.columns.push_back({std::string(rows.text(2).value_or("")),
                                     std::string(rows.text(3).value_or("")),
                                     rows.text(4).value_or("") == "1"});
        }
        schema.examine();
        return schema;
    }

    std::string session_identity(const Connection&, apr_pool_t*) const override {
        return "sqlite3";
    }

    std::string parameter(const Column&) const override { return "%s"; }

    std::string whole_number() const override { return "CAST(%s AS INTEGER)"; }

    std::string timestamp(const Column&, const std::string& sql, bool) const override {
        return sql;
    }

    const char* boolean_argument(const Column&, bool value) const override {
        return value ? "1" : "0";
    }

    std::string timestamp_argument(const Column& column, Timestamp time) const override {
        if (column.type.find("int") != std::string::npos)
            return std::to_string(time.time_since_epoch().count());
        std::string text;
        text::append_iso8601(text, time);
        return text;
    }

    std::string contains(const std::string& sql) const override {
        return "instr(useradmin_fold(" + sql + "), %s) > 0";
    }

    std::string search_argument(std::string_view search) const override {
        return text::fold(search);
    }

    std::string other_columns(std::string_view, const Schema& schema) const override {
        std::string members;
        for (const Column* column : schema.other_user_columns())
            members +=
                (members.empty() ? "" : ", ") + literal(column->name) + ", " + value(*column);
        return "json_object(" + members + ")";
    }

    Result<std::optional<User>> create(Work& work, const NewUser& user) const override {
        const Schema& schema = work.schema();
        Arguments user_arguments(work.pool(), *this);
        append_user(user_arguments, schema.user, user);
        Arguments account_arguments(work.pool(), *this);
        append_account(account_arguments, schema.account, user);
        Transaction transaction(work);
        if (!transaction)
            return Failure::failed;
        Result<Rows> rows = work.run(Query::create_user, user_arguments.view());
        if (!rows)
            return rows.failure();
        if (!rows->next())
            return std::optional<User>();
        if (!work.run(Query::create_account, account_arguments.view()) || !transaction.commit())
            return Failure::failed;
        return std::optional(full_user_of(*rows));
    }

    Result<Removal> remove(Work& work, std::string_view id,
                           std::string_view protected_email) const override {
        Arguments arguments(work.pool(), *this);
        arguments.text(id);
        Transaction transaction(work);
        if (!transaction)
            return Failure::failed;
        Result<Rows> rows = work.run(Query::find, arguments.view());
        if (!rows)
            return rows.failure();
        if (!rows->next())
            return Removal::not_found;
        if (user_of(*rows, 0).email == protected_email)
            return Removal::protected_address;
        for (Query query : {Query::remove_sessions, Query::remove_accounts, Query::remove_user})
            if (!work.run(query, arguments.view()))
                return Failure::failed;
        if (!transaction.commit())
            return Failure::failed;
        return Removal::removed;
    }

  private:
    /// The column as a JSON value of its own type; SQLite knows neither booleans nor JSON as types.
    static std::string value(const Column& column) {
        const std::string sql = column.sql();
        if (column.is_boolean())
            return "json(iif(" + sql + " IS NULL, 'null', iif(" + sql + ", 'true', 'false')))";
        if (column.type.starts_with("json"))
            return "iif(json_valid(" + sql + "), json(" + sql + "), " + sql + ")";
        return "iif(typeof(" + sql + ") = 'blob', hex(" + sql + "), " + sql + ")";
    }
};

} // namespace

const Dialect& sqlite() noexcept {
    static constexpr Sqlite dialect;
    return dialect;
}

} // namespace useradmin::store
