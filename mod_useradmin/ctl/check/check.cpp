#include "ctl/check/checks.hpp"
#include "ctl/command.hpp"
#include "ctl/context.hpp"
#include "ctl/display.hpp"

#include <utility>

namespace useradmin::ctl {

namespace {

/// How the service uses the tables, as pairs of a name and a description.
using Behavior = std::vector<std::pair<const char*, std::string>>;

std::string type_of(const store::Table& table, std::string_view field) {
    const store::Column* column = table.find(field);
    return column != nullptr ? column->type : "absent";
}

Behavior behavior_of(const store::Schema& schema, const CommandSettings& settings) {
    const store::Column* id = schema.user.find("id");
    const bool has_serial_ids = id != nullptr && id->is_integer_id();
    const bool has_issuer = schema.account.find("issuer") != nullptr;
    const bool has_user_id = settings.account_id_is_user_id.value_or(false);
    const bool is_scrypt = std::holds_alternative<password::Scrypt>(settings.hash_format());
    return {
        {"ids", type_of(schema.user, "id") + (has_serial_ids ? "; the database generates new ones"
                                                             : "; new ones are random UUIDs")},
        {"timestamps", type_of(schema.user, "createdAt") + "; written in UTC"},
        {"issuer", has_issuer ? "local:credential is written" : "absent; nothing is written"},
        {"accountId", has_user_id ? "the user's id is written" : "the email is written"},
        {"email",
         settings.lowers_email.value_or(false) ? "stored in lower case" : "stored unchanged"},
        {"password", std::string("hashed with ") + (is_scrypt ? "scrypt" : "argon2id")},
    };
}

std::string columns_of(const store::Table& table) {
    std::string columns;
    for (const store::Column& column : table.columns)
        columns += (columns.empty() ? "" : ", ") + column.name + " " + column.type;
    return columns.empty() ? "absent" : columns;
}

void print_texts(const char* title, const std::vector<std::string>& texts) {
    if (texts.empty())
        return;
    print_line(title);
    for (const std::string& text : texts)
        print_line("  " + text);
}

void print_verdict(const Findings& findings) {
    if (findings.problems.empty())
        print_line(findings.unchecked.empty()
                       ? "No problems found."
                       : "No problems found, but some checks could not be performed.");
    else
        print_texts((count_of(findings.problems.size(), "problem", "problems") + " found:").c_str(),
                    findings.problems);
    print_texts("Not checked", findings.unchecked);
}

void print_details(const std::string& driver, const DatabaseFacts& found, const Findings& findings,
                   const Behavior& behavior) {
    const store::Schema& schema = found.schema;
    print_line("Database");
    print_line("  driver        " + driver + ", server version " + found.version);
    for (const store::Table* table : {&schema.user, &schema.session, &schema.account})
        print_line("  table         " + table->name + ": " + columns_of(*table));
    print_line("Behavior of the service");
    for (const auto& [name, text] : behavior) {
        std::string line = "  " + std::string(name);
        line.resize(16, ' ');
        print_line(line + text);
    }
    print_texts("Notes", findings.notes);
    print_texts("Suggested directives", findings.directives);
}

void write(json::Writer& writer, std::string_view key, const store::Table& table) {
    writer.key(key).begin_object().key("name").string(table.name).key("columns").begin_array();
    for (const store::Column& column : table.columns) {
        writer.begin_object();
        writer.key("name").string(column.name);
        writer.key("type").string(column.type);
        writer.end_object();
    }
    writer.end_array().end_object();
}

void print_as_json(const std::string& driver, const DatabaseFacts& found, const Findings& findings,
                   const Behavior& behavior) {
    print_data(
        [&](json::Writer& writer) {
            writer.key("driver").string(driver).key("version").string(found.version);
            writer.key("tables").begin_object();
            write(writer, "user", found.schema.user);
            write(writer, "session", found.schema.session);
            write(writer, "account", found.schema.account);
            writer.end_object().key("service").begin_object();
            for (const auto& [name, text] : behavior)
                writer.key(name).string(text);
            writer.end_object();
            write_texts(writer.key("notes"), findings.notes);
            write_texts(writer.key("unchecked"), findings.unchecked);
            write_texts(writer.key("problems"), findings.problems);
            write_texts(writer.key("directives"), findings.directives);
        },
        findings.problems.empty() ? "" : "problems were found");
}

} // namespace

Exit check(Context& context) {
    Database& database = context.database();
    const DatabaseFacts found = collect_database_facts(database, context.settings);
    Findings findings = findings_of(found, context.settings, database.dialect().product());
    const std::optional<Account> child_account =
        check_configuration(context.settings, database.pool(), findings);
    if (const std::string& file = database.file(); file.empty() || file.starts_with('/'))
        check_database_file(file, child_account, findings);
    else if (!context.settings.httpd.name().empty() && !context.options.has("params"))
        findings.problems.push_back("DBDParams names the relative path " + file +
                                    ", which httpd resolves against its working directory; use "
                                    "an absolute path");
    if (const auto url = context.options.find("url"))
        check_running_server(std::string(*url), findings);
    const Behavior behavior = behavior_of(found.schema, context.settings);
    const Exit code = findings.problems.empty() ? Exit::success : Exit::failure;
    if (context.wants_json()) {
        print_as_json(context.settings.driver, found, findings, behavior);
        return code;
    }
    print_verdict(findings);
    if (context.options.has("verbose"))
        print_details(context.settings.driver, found, findings, behavior);
    else if (!findings.notes.empty())
        print_line(count_of(findings.notes.size(), "note", "notes") +
                   " (use --verbose to show them)");
    return code;
}

} // namespace useradmin::ctl
