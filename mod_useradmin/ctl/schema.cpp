// useradminctl schema: lays or updates the tables.
#include "ctl/command.hpp"
#include "sql_texts.hpp"

#include <cstdio>
#include <string>

namespace useradmin::ctl {

namespace {

/// The statements of an SQL file, without its comments. A statement ends with a semicolon that ends
/// a line.
std::vector<std::string> statements_of(std::string_view file) {
    std::vector<std::string> statements;
    std::string statement;
    while (!file.empty()) {
        const std::string_view line = file.substr(0, file.find('\n'));
        file.remove_prefix(std::min(line.size() + 1, file.size()));
        if (line.empty() || line.starts_with("--"))
            continue;
        statement.append(line) += '\n';
        if (line.ends_with(';')) {
            // Without the semicolon: apr_dbd's SQLite driver would run the nothing behind it, and
            // fail.
            statement.resize(statement.size() - 2);
            statements.push_back(std::move(statement));
            statement.clear();
        }
    }
    return statements;
}

/// Adds the columns of the admin plugin that the user table lacks; how many.
int add_columns(Database& database, const store::Schema& schema, std::string_view migration) {
    int added = 0;
    for (const std::string& statement : statements_of(migration)) {
        const std::size_t column = statement.find("COLUMN");
        const std::size_t first = statement.find('"', column) + 1;
        const std::string name = statement.substr(first, statement.find('"', first) - first);
        if (schema.user.find(name) != nullptr)
            continue;
        database.execute(statement);
        ++added;
    }
    return added;
}

} // namespace

Exit lay_schema(const Options&, Database& database) {
    const bool is_postgresql = &database.dialect() == &store::postgresql();
    const store::Schema before = database.schema();
    const bool has_all_tables = !before.user.columns.empty() && !before.session.columns.empty() &&
                                !before.account.columns.empty();
    if (!has_all_tables) {
        if (!is_postgresql && before.user.columns.empty()) {
            // Readers and a writer at once; kept in the file. As a query, since it answers with a
            // row.
            apr_dbd_results_t* results = nullptr;
            apr_dbd_select(database.connection().driver, database.pool(),
                           database.connection().handle, &results, "PRAGMA journal_mode = WAL", 1);
        }
        for (const std::string& statement :
             statements_of(is_postgresql ? sql::postgresql_schema : sql::sqlite_schema))
            database.execute(statement);
    }
    const int added =
        add_columns(database, database.schema(),
                    is_postgresql ? sql::postgresql_admin_columns : sql::sqlite_admin_columns);
    if (has_all_tables && added == 0)
        std::puts("The tables are there already; nothing was changed.");
    else
        std::puts(has_all_tables ? "The missing columns were added." : "The tables were laid.");
    return Exit::success;
}

} // namespace useradmin::ctl
