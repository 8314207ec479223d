// useradminctl's commands and main().
#include "ctl/command.hpp"
#include "ctl/command_line.hpp"
#include "ctl/display.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>

#include <fcntl.h>
#include <unistd.h>

namespace useradmin::ctl {

namespace {

using Names = std::string_view[];

constexpr std::span<const std::string_view> no_options;
constexpr Names shared_options = {"config", "driver", "params",   "tables",
                                  "json",   "help",   "audit-log"};
constexpr Names schema_options = {"scale", "no-scale", "api-keys", "force"};
constexpr Names create_demands = {"email", "name"};
constexpr Names create_options = {"role", "hash", "account-id", "email-case", "force"};
constexpr Names list_options = {"search", "role", "banned", "sort", "page", "limit"};
constexpr Names password_options = {"keep-sessions", "hash", "account-id", "force"};
constexpr Names role_options = {"force", "yes"};
constexpr Names ban_options = {"reason", "expires", "yes"};
constexpr Names delete_options = {"yes"};
constexpr Names open_options = {"for", "secret"};
constexpr Names revoke_options = {"all"};
constexpr Names key_demands = {"name"};
constexpr Names key_options = {"expires", "permissions", "remaining", "rate", "per"};
constexpr Names export_options = {"format", "spreadsheet", "force"};
constexpr Names import_options = {"dry-run",    "on-conflict",  "format", "hash", "account-id",
                                  "email-case", "email-change", "force",  "yes"};
constexpr Names drain_options = {"file"};
constexpr Names verify_options = {"print", "anchor"};
constexpr Names check_options = {"hash",   "account-id", "email-case", "protected-email",
                                 "counts", "orphans",    "delete",     "yes",
                                 "url",    "cookie",     "verbose"};

constexpr Command all_commands[] = {
    {"schema", "", no_options, schema_options, "creates the tables, or adds missing columns",
     "schema", 0, 0, create_schema},
    {"create", "", create_demands, create_options,
     "creates a user and prints its id; asks for the password",
     "create --email ana@example.com --name Ana --role superAdmin", 0, 0, create,
     DatabaseUse::write},
    {"list", "", no_options, list_options, "lists users", "list --search ana --limit 50", 0, 0,
     list},
    {"show", "USER", no_options, no_options, "shows a user", "show ana@example.com", 1, 1, show},
    {"passwd", "USER", no_options, password_options,
     "asks for a user's new password, sets it and ends the user's sessions",
     "passwd ana@example.com", 1, 1, set_password, DatabaseUse::write},
    {"role", "USER ROLE", no_options, role_options, "changes a user's role",
     "role ana@example.com admin", 2, 2, set_role, DatabaseUse::write},
    {"ban", "USER", no_options, ban_options, "bans a user and ends the user's sessions",
     "ban bo@example.com --reason spam --expires 7d", 1, 1, ban, DatabaseUse::write},
    {"unban", "USER", no_options, no_options, "lifts a user's ban", "unban bo@example.com", 1, 1,
     unban, DatabaseUse::write},
    {"delete", "USER", no_options, delete_options, "deletes a user with its sessions and accounts",
     "delete bo@example.com", 1, 1, remove, DatabaseUse::write},
    {"session open", "USER", no_options, open_options,
     "opens a session and prints its token, signed if there is a secret",
     "session open ana@example.com --for 5m", 1, 1, open_session, DatabaseUse::write},
    {"session list", "USER", no_options, no_options, "lists a user's sessions",
     "session list ana@example.com", 1, 1, list_sessions},
    {"session revoke", "USER SESSION | USER --all | TOKEN", no_options, revoke_options,
     "ends a session by its id or token, or all sessions of a user",
     "session revoke ana@example.com --all", 1, 2, revoke_sessions, DatabaseUse::write},
    {"key create", "USER", key_demands, key_options,
     "creates an API key for a user and prints it once",
     "key create ana@example.com --name backup --expires 2w", 1, 1, create_key, DatabaseUse::write},
    {"key list", "USER", no_options, no_options, "lists a user's API keys",
     "key list ana@example.com", 1, 1, list_keys},
    {"key revoke", "KEY", no_options, no_options, "deletes an API key by its id",
     "key revoke 6f1c9a52-0d3e-4b7a-9c1d-2f8e5b7a4c10", 1, 1, revoke_key, DatabaseUse::write},
    {"second-factor reset", "USER", no_options, no_options,
     "removes a user's second factor and ends the user's sessions",
     "second-factor reset ana@example.com", 1, 1, reset_second_factor, DatabaseUse::write},
    {"export", "[FILE]", no_options, export_options, "writes all users with their password hashes",
     "export users.ndjson", 0, 1, export_users},
    {"import", "FILE", no_options, import_options,
     "creates users from a file, or from standard input (-)", "import users.ndjson --dry-run", 1, 1,
     import_users, DatabaseUse::write},
    {"check", "", no_options, check_options,
     "checks the configuration, the database and the running server",
     "check --url https://www.example.org/api/users", 0, 0, check},
    {"drain", "on|off", no_options, drain_options,
     "takes this server out of load balancing, or puts it back", "drain on", 1, 1, drain,
     DatabaseUse::none},
    {"audit verify", "FILE…", no_options, verify_options,
     "verifies that audit logs have not been altered", "audit verify /var/log/useradmin/audit.log*",
     1, 10000, verify_audit_log, DatabaseUse::none},
    {"help", "[COMMAND]", no_options, no_options, "describes a command", "help session open", 0, 2,
     nullptr, DatabaseUse::none},
};

Exit run(const CommandLine& line) {
    const Options& options = line.options;
    if (options.has("version")) {
        std::puts("useradminctl " USERADMIN_VERSION);
        return Exit::success;
    }
    if (!line.help.empty()) {
        std::fputs(line.help.c_str(), stdout);
        return Exit::success;
    }
    const Command& command = *line.command;
    // A dry run changes nothing and is not logged.
    const bool is_tried = options.has("dry-run");
    Context context(options, command.options, is_tried ? DatabaseUse::read : command.use,
                    command.name);
    return context.run_audited([&] { return command.run(context); });
}

/// Opens /dev/null for each standard stream that the parent process closed, in a mode in which
/// using the stream fails. Otherwise, a file opened later, such as the audit log, would get the
/// descriptor of a standard stream.
void reopen_closed_streams() noexcept {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(stream, F_GETFD) < 0)
            static_cast<void>(open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

Exit run_guarded(std::span<const char* const> arguments) {
    // --json also applies if the command line cannot be parsed.
    const bool wants_json =
        std::ranges::find(arguments, std::string_view("--json")) != arguments.end();
    try {
        return run(parse(arguments));
    } catch (const CommandError& error) {
        print_failure(error.what(), wants_json);
        return error.code;
    } catch (const std::exception& error) {
        print_failure("failed: " + std::string(error.what()), wants_json);
        return Exit::failure;
    }
}

} // namespace

std::span<const Command> commands() {
    return all_commands;
}

std::span<const std::string_view> common_options() {
    return shared_options;
}

std::string usage_of(const Command& command) {
    std::string form(command.name);
    if (!command.words.empty())
        form.append(" ").append(command.words);
    for (const std::string_view name : command.required_options)
        form += " " + find_option(name)->form();
    for (const std::string_view name : command.options)
        if (command.words.find("--" + std::string(name)) == command.words.npos)
            form += " [" + find_option(name)->form() + "]";
    return form;
}

} // namespace useradmin::ctl

int main(int count, char** arguments) {
    using namespace useradmin::ctl;
    reopen_closed_streams();
    Exit code = run_guarded({arguments + 1, arguments + std::max(count, 1)});
    // A full disk may not be detected before the flush.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        print_error("cannot write the output");
        code = Exit::failure;
    }
    return static_cast<int>(code);
}
