// useradminctl schema: lays or updates the tables.
#include "ctl/command.hpp"
#include "ctl/display.hpp"
#include "sql_texts.hpp"
#include "text/names.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace useradmin::ctl {

namespace {

/// The SQL file of that name for the database.
std::string_view text_of(const Database& database, std::string_view name) {
    const std::string path =
        std::string(database.dialect().product().folder) + "/" + std::string(name);
    for (const sql::File& file : sql::files)
        if (file.path == path)
            return file.text;
    throw CommandError(Exit::failure, "useradminctl was built without " + path + ".sql");
}

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
            statements.push_back(std::move(statement));
            statement.clear();
        }
    }
    return statements;
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += with.size())
        text.replace(at, what.size(), with);
}

/// The statement for tables of other names; an index is named after its table.
std::string renamed(std::string statement, const store::TableNames& names) {
    const std::pair<std::string, std::string_view> tables[] = {
        {"user", names.user}, {"session", names.session}, {"account", names.account}};
    for (const auto& [known, name] : tables) {
        if (name == known)
            continue;
        const std::string_view own = name.substr(name.find('.') + 1); // all where there is no dot
        replace_all(statement, "\"" + known + "\"", store::quoted_table(name));
        replace_all(statement, "\"" + known + "_", "\"" + std::string(own) + "_");
    }
    // The table that the application alone uses goes into the same schema as its users.
    if (const std::size_t dot = names.user.find('.'); dot != names.user.npos)
        replace_all(statement, "\"verification\"",
                    store::quoted_identifier(names.user.substr(0, dot)) + ".\"verification\"");
    return statement;
}

/// A group of statements, done whole or not at all.
class Transaction {
  public:
    explicit Transaction(Database& database) : database_(database) { database_.execute("BEGIN"); }
    ~Transaction() {
        if (is_open_)
            static_cast<void>(database_.client().execute("ROLLBACK", database_.pool()));
    }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    void commit() {
        database_.execute("COMMIT");
        is_open_ = false;
    }

  private:
    Database& database_;
    bool is_open_ = true;
};

/// The column's name in the style of the table: snake_case where its other columns have that.
std::string column_name(const store::Table& user, const std::string& camel_case) {
    const store::Column* known = nullptr;
    for (std::string_view field : {"emailVerified", "createdAt", "updatedAt"})
        if (known == nullptr)
            known = user.find(field);
    if (known == nullptr || known->name.find('_') == std::string::npos)
        return camel_case;
    return text::snake_case(camel_case);
}

/// Adds the columns of the admin plugin that the user table lacks; their names.
std::vector<std::string> add_columns(Database& database, std::string_view migration) {
    const store::Schema schema = database.schema();
    std::vector<std::string> added;
    for (std::string& statement : statements_of(migration)) {
        const std::size_t first = statement.find('"', statement.find("COLUMN")) + 1;
        const std::size_t length = statement.find('"', first) - first;
        const std::string name = statement.substr(first, length);
        if (schema.user.find(name) != nullptr)
            continue;
        added.push_back(column_name(schema.user, name));
        statement.replace(first, length, added.back());
        database.execute(renamed(std::move(statement), database.tables()));
    }
    return added;
}

void lay_tables(Database& database) {
    for (std::string& statement : statements_of(text_of(database, "schema")))
        database.execute(renamed(std::move(statement), database.tables()));
}

void print_done(const Context& context, bool laid, const std::vector<std::string>& added) {
    if (context.wants_json()) {
        std::string document;
        json::Writer writer(document);
        writer.begin_object().key("success").boolean(true).key("data").begin_object();
        writer.key("tablesLaid").boolean(laid).key("columnsAdded").begin_array();
        for (const std::string& name : added)
            writer.string(name);
        writer.end_array().end_object().end_object();
        print_json(document);
        return;
    }
    if (laid)
        say("The tables were laid.");
    else if (added.empty())
        say("The tables are there already; nothing was changed.");
    if (added.empty())
        return;
    std::string names;
    for (const std::string& name : added)
        names += (names.empty() ? "" : ", ") + name;
    say("Columns that were missing were added: " + names + ".");
}

} // namespace

Exit lay_schema(Context& context) {
    Database& database = context.database(Database::Absent::make);
    const store::TableNames& names = database.tables();
    if (!database.dialect().product().has_schemas)
        for (std::string_view name : {names.user, names.session, names.account})
            if (name.find('.') != name.npos)
                throw CommandError(Exit::usage, std::string(database.dialect().product().name) +
                                                    " lays tables without a schema; leave it out "
                                                    "of --tables");
    const store::Schema before = database.schema();
    const bool is_complete =
        before.user.exists() && before.session.exists() && before.account.exists();
    if (!before.user.exists() &&
        !database.dialect().prepare_new(database.client(), database.pool()))
        throw CommandError(Exit::failure, "the database refused: " + database.client().error());
    Transaction transaction(database);
    if (!is_complete)
        lay_tables(database);
    const std::vector<std::string> added =
        add_columns(database, text_of(database, "migrations/0001_admin_columns"));
    transaction.commit();
    print_done(context, !is_complete, added);
    return Exit::success;
}

} // namespace useradmin::ctl
