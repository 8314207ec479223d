#include "ctl/command.hpp"
#include "ctl/commands/sql_files.hpp"
#include "ctl/display.hpp"
#include "ctl/lock_retry.hpp"
#include "ctl/transaction.hpp"
#include "text/unicode.hpp"
#include "json/writer.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

namespace useradmin::ctl {

namespace {

/// Returns the replacements for the table names in the SQL files: the configured names with their
/// schemas. Indexes are named after their tables.
Replacements replacements_for(Database& database, const store::Schema& schema) {
    std::string default_schema;
    if (database.dialect().product().has_schemas)
        default_schema =
            database.rows("SELECT pg_catalog.quote_ident(pg_catalog.current_schema())")[0][0]
                .value_or("");
    const store::TableNames& names = database.tables();
    Replacements all;
    for (const auto& [known, name, table] :
         {std::tuple(std::string("user"), names.user, &schema.user),
          {"session", names.session, &schema.session},
          {"account", names.account, &schema.account}}) {
        // If there is no dot, this is the whole name.
        const std::string own(name.substr(name.find('.') + 1));
        const bool has_schema =
            table->exists() || name.find('.') != name.npos || default_schema.empty();
        const std::string qualified = has_schema ? table->sql : default_schema + "." + table->sql;
        all.emplace_back("\"" + known + "\"", qualified);
        all.emplace_back("\"" + known + "_", "\"" + own + "_");
        // Other tables are created in the schema of the user table.
        if (table == &schema.user)
            for (const std::string other :
                 {"\"verification\"", "\"useradmin_revocation\"", "\"useradmin_disabled_key\"",
                  "\"useradmin_attempt\"", "\"apikey\""})
                all.emplace_back(
                    other,
                    qualified.substr(0, qualified.size() - store::quoted_identifier(own).size()) +
                        other);
    }
    return all;
}

/// Returns the column's name in the style of the table: snake_case if its other columns use it.
std::string column_name(const store::Table& user, const std::string& camel_case) {
    const store::Column* known = nullptr;
    for (std::string_view field : {"emailVerified", "createdAt", "updatedAt"})
        if (known == nullptr)
            known = user.find(field);
    if (known == nullptr || known->name.find('_') == std::string::npos)
        return camel_case;
    return text::snake_case(camel_case);
}

/// Adds the missing columns of a migration to the user table. Appends the names of these columns to
/// `added`.
void add_columns(Database& database, const store::Schema& schema, const Replacements& names,
                 std::string_view migration, std::vector<std::string>& added) {
    for (std::string& statement : statements_of(migration)) {
        const std::size_t first = statement.find('"', statement.find("COLUMN")) + 1;
        const std::size_t length = statement.find('"', first) - first;
        const std::string name = statement.substr(first, length);
        if (schema.user.find(name) != nullptr)
            continue;
        added.push_back(column_name(schema.user, name));
        statement.replace(first, length, added.back());
        database.execute(replace_placeholders(statement, names));
    }
}

/// Returns the quoted name after the words, which end with the opening quote. Returns an empty
/// string if the statement does not contain the words.
std::string_view name_after(std::string_view statement, std::string_view words) {
    const std::size_t at = statement.find(words);
    if (at == statement.npos)
        return {};
    const std::string_view rest = statement.substr(at + words.size());
    return rest.substr(0, rest.find('"'));
}

bool has_application_tables(const store::Schema& schema) {
    return schema.user.exists() && schema.session.exists() && schema.account.exists();
}

/// Returns whether the table that the statement creates or indexes already exists. The verification
/// table is considered to exist if the application's tables exist.
bool is_done(std::string_view statement, const store::Schema& schema) {
    const std::string_view created = name_after(statement, "CREATE TABLE IF NOT EXISTS \"");
    const std::string_view table = created.empty() ? name_after(statement, " ON \"") : created;
    return (table == "user" && schema.user.exists()) ||
           (table == "session" && schema.session.exists()) ||
           (table == "account" && schema.account.exists()) ||
           (table == store::revocation_table && schema.revocation.exists()) ||
           (table == store::attempt_table && schema.attempt.exists()) ||
           (table == store::disabled_keys_table && schema.has_disabled_key_table()) ||
           (table == "verification" && has_application_tables(schema));
}

/// Creates the missing tables of an SQL file with their indexes.
void create_tables(Database& database, const store::Schema& schema, const Replacements& names,
                   std::string_view file) {
    for (const std::string_view text : sql_files_with_prefix(database, file))
        for (std::string& statement : statements_of(text))
            if (!is_done(statement, schema))
                database.execute(replace_placeholders(statement, names));
}

struct Done {
    /// Whether there was no user table before.
    bool is_new;
    bool has_created_tables;
    std::vector<std::string> added_columns;
    /// The created database file. Empty if none was created.
    std::string created_file;
};

/// Creates the missing tables and columns in one transaction, including the table of API keys if
/// `wants_keys`. Throws LockTimeout if a table stays locked.
Done create_missing(Database& database, const store::TableNames& names, bool wants_keys) {
    const bool has_schemas = database.dialect().product().has_schemas;
    Transaction transaction(database);
    // Several servers may run this command at the same time.
    if (has_schemas) {
        database.execute("SET LOCAL lock_timeout = '2s'");
        database.rows("SELECT pg_catalog.pg_advisory_xact_lock("
                      "pg_catalog.hashtextextended('useradminctl schema', 0))");
    }
    const store::Schema before = database.schema(names);
    for (const store::Table* const table :
         {&before.revocation, &before.attempt, &before.disabled_key})
        if (!table->absence_reason.empty())
            throw CommandError(table->absence_reason);
    database.reject_superuser_risk(before);
    const bool is_complete = has_application_tables(before) && before.revocation.exists() &&
                             before.attempt.exists() && before.has_disabled_key_table();
    const bool adds_keys = wants_keys && before.api_keys() == nullptr;
    // If ids are numbers, a user and an organization may have the same id, and the owner of a key
    // would be ambiguous.
    if (const auto* const id = before.user.find("id");
        adds_keys && id != nullptr && id->is_integer_id())
        throw CommandError("API keys require user ids that are text or UUIDs");
    Done done{!before.user.exists(), !is_complete || adds_keys, {}, database.created_file()};
    const Replacements names_in_files = replacements_for(database, before);
    // The SQL files name types without a schema. With this search_path, other types cannot shadow
    // the built-in ones.
    if (has_schemas) {
        database.execute("SET LOCAL search_path = pg_catalog, pg_temp");
        // The modules ignore tables that belong neither to the user table's owner nor to their own
        // role.
        if (before.user.exists())
            database.rows(
                "SELECT set_config('role', pg_get_userbyid(relowner), true) FROM pg_class "
                "WHERE oid = " +
                store::literal(before.user.sql) + "::regclass AND pg_has_role(relowner, 'MEMBER')");
    }
    if (!is_complete)
        create_tables(database, before, names_in_files, "schema");
    if (adds_keys)
        create_tables(database, before, names_in_files, "api_keys");
    // A table that was just created has all columns.
    if (before.user.exists())
        for (const std::string_view migration : sql_files_with_prefix(database, "migrations/"))
            add_columns(database, before, names_in_files, migration, done.added_columns);
    transaction.commit();
    return done;
}

void print_done(const Context& context, const Done& done) {
    if (context.wants_json()) {
        print_data([&](json::Writer& writer) {
            writer.key("tablesLaid").boolean(done.has_created_tables);
            write_texts(writer.key("columnsAdded"), done.added_columns);
        });
        return;
    }
    if (done.has_created_tables)
        print_line(done.is_new ? "The tables were created." : "Missing tables were created.");
    else if (done.added_columns.empty())
        print_line("The tables exist; nothing was changed.");
    std::string names;
    for (const std::string& name : done.added_columns)
        names += (names.empty() ? "" : ", ") + name;
    if (!names.empty())
        print_line("Missing columns were added: " + names + ".");
    if (!done.created_file.empty())
        print_line("The file " + done.created_file +
                   " is accessible only to its owner. The file and its directory must be owned "
                   "by the account that httpd runs as (User).");
}

void reject_schemas(const store::DatabaseProduct& product, const store::TableNames& names) {
    if (product.has_schemas)
        return;
    for (std::string_view name : {names.user, names.session, names.account})
        if (name.find('.') != name.npos)
            throw UsageError(std::string(product.name) +
                             " has no schemas; omit them from --tables");
}

} // namespace

Exit create_schema(Context& context) {
    // Only the owner may read the SQLite file, because it contains hashes and tokens. Its
    // write-ahead log gets the same mode.
    umask(S_IRWXG | S_IRWXO);
    if (context.options.has("scale") + context.options.has("no-scale") +
            context.options.has("api-keys") >
        1)
        throw UsageError("use only one of --scale, --no-scale and --api-keys");
    if (context.options.has("scale"))
        return create_scale(context);
    if (context.options.has("no-scale"))
        return remove_scale(context);
    Database& database = context.database(Database::IfAbsent::create);
    const store::Dialect& dialect = database.dialect();
    reject_schemas(dialect.product(), database.tables());
    store::TableNames names = database.tables();
    names.has_plugins = true; // useradmin_disabled_key is treated as a plugin's table
    const store::Schema found = database.schema(names);
    if (!found.similar_table_names.empty() && !context.options.has("force"))
        throw CommandError("the tables exist under other names; use --tables \"" +
                           found.similar_table_names + "\" and set UserAdminTables " +
                           found.similar_table_names + "; use --force to create other tables");
    if (!found.user.exists() && !dialect.init_database(database.client(), database.pool())) {
        const std::string& error = database.client().error_message();
        throw CommandError(
            error.empty() ? "the file cannot have a write-ahead log; move it to a local file system"
                          : "the database reported an error: " + error);
    }
    const bool wants_keys = context.options.has("api-keys");
    // On SQLite, each statement already waits for the file's lock.
    const Done done =
        dialect.product().has_schemas
            ? retry_locked([&] { return create_missing(database, names, wants_keys); })
            : create_missing(database, names, wants_keys);
    print_done(context, done);
    return Exit::success;
}

} // namespace useradmin::ctl
