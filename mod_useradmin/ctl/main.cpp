// useradminctl's commands and main().
#include "ctl/command.hpp"
#include "ctl/command_line.hpp"
#include "ctl/display.hpp"
#include "store/dialect.hpp"
#include "text/split.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>

#include <fcntl.h>
#include <unistd.h>

namespace useradmin::ctl {

namespace {

constexpr std::string_view shared_options[] = {"config", "driver", "params",   "tables",
                                               "json",   "help",   "audit-log"};

constexpr Command all_commands[] = {
    {"schema", "", "scale no-scale api-keys force", "create the tables, or add missing columns",
     "schema", 0, 0, create_schema},
    {"create", "--email ADDRESS --name NAME", "email name role hash account-id email-case force",
     "ask for a password, create a user and print its id",
     "create --email ana@example.com --name Ana --role superAdmin", 0, 0, create,
     DatabaseUse::write},
    {"list", "", "search role banned sort page limit", "list users", "list --search ana --limit 50",
     0, 0, list},
    {"show", "USER", "", "show a user", "show ana@example.com", 1, 1, show},
    {"passwd", "USER", "keep-sessions hash account-id force",
     "ask for a user's new password, set it and end the user's sessions", "passwd ana@example.com",
     1, 1, set_password, DatabaseUse::write},
    {"role", "USER ROLE", "force yes", "change a user's role", "role ana@example.com admin", 2, 2,
     set_role, DatabaseUse::write},
    {"ban", "USER", "reason expires yes", "ban a user and end the user's sessions",
     "ban bo@example.com --reason spam --expires 7d", 1, 1, ban, DatabaseUse::write},
    {"unban", "USER", "", "lift a user's ban", "unban bo@example.com", 1, 1, unban,
     DatabaseUse::write},
    {"delete", "USER", "yes", "delete a user with its sessions and accounts",
     "delete bo@example.com", 1, 1, remove, DatabaseUse::write},
    {"session open", "USER", "for secret",
     "open a session and print its token, signed if there is a secret",
     "session open ana@example.com --for 5m", 1, 1, open_session, DatabaseUse::write},
    {"session list", "USER", "", "list a user's sessions", "session list ana@example.com", 1, 1,
     list_sessions},
    {"session revoke", "USER SESSION | USER --all | - | TOKEN", "all",
     "end a session by its id or token (- reads the token), or all sessions of a user",
     "session revoke ana@example.com --all", 1, 2, revoke_sessions, DatabaseUse::write},
    {"key create", "USER --name NAME", "name expires permissions remaining rate per",
     "create an API key for a user and print it once",
     "key create ana@example.com --name backup --expires 2w", 1, 1, create_key, DatabaseUse::write},
    {"key list", "USER", "", "list a user's API keys", "key list ana@example.com", 1, 1, list_keys},
    {"key revoke", "KEY", "", "delete an API key by its id",
     "key revoke 6f1c9a52-0d3e-4b7a-9c1d-2f8e5b7a4c10", 1, 1, revoke_key, DatabaseUse::write},
    {"second-factor reset", "USER", "", "remove a user's second factor and end the user's sessions",
     "second-factor reset ana@example.com", 1, 1, reset_second_factor, DatabaseUse::write},
    {"export", "[FILE]", "format spreadsheet force", "write all users with their password hashes",
     "export users.ndjson", 0, 1, export_users},
    {"import", "FILE",
     "dry-run on-conflict format hash account-id email-case email-change force yes",
     "create users from a file, or from standard input (-)", "import users.ndjson --dry-run", 1, 1,
     import_users, DatabaseUse::write},
    {"check", "", "hash account-id email-case protected-email url verbose",
     "check the configuration, the database and the running server",
     "check --url https://www.example.org/api/users", 0, 0, check},
    {"drain", "on|off", "file", "take this server out of load balancing, or put it back",
     "drain on", 1, 1, drain, DatabaseUse::none},
    {"audit verify", "FILE...", "print anchor", "verify that audit logs have not been altered",
     "audit verify /var/log/useradmin/audit.log*", 1, 10000, verify_audit_log, DatabaseUse::none},
    {"help", "[COMMAND]", "", "describe a command", "help session open", 0, 2, nullptr,
     DatabaseUse::none},
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
    // A dry run changes nothing, so it is not logged.
    const bool is_dry_run = options.has("dry-run");
    Context context(options, options_of(command), is_dry_run ? DatabaseUse::read : command.use,
                    command.name);
    return context.run_audited([&] { return command.run(context); });
}

/// Opens /dev/null for each standard stream that the parent process closed, in a mode that makes
/// any use of the stream fail. Otherwise, a file opened later, such as the audit log, would get the
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
        for (const store::Dialect* dialect : store::dialects())
            dialect->set_connect_timeout(std::chrono::seconds(5));
        return run(parse(arguments));
    } catch (const PrintedError& error) {
        print_failure(error.what(), wants_json, error.cause);
        return error.code;
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

std::vector<std::string_view> options_of(const Command& command) {
    std::vector<std::string_view> names;
    for (std::string_view rest = command.options; !rest.empty();)
        names.push_back(text::take_until(rest, ' '));
    return names;
}

std::string usage_of(const Command& command) {
    std::string form(command.name);
    if (!command.synopsis.empty())
        form.append(" ").append(command.synopsis);
    for (const std::string_view name : options_of(command))
        if (command.synopsis.find("--" + std::string(name)) == command.synopsis.npos)
            form += " [" + find_option(name)->usage() + "]";
    return form;
}

} // namespace useradmin::ctl

int main(int count, char** arguments) {
    using namespace useradmin::ctl;
    reopen_closed_streams();
    Exit code = run_guarded({arguments + 1, arguments + std::max(count, 1)});
    // A full disk may not be detected before the flush.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        if (code == Exit::success)
            print_error("cannot write the output");
        code = Exit::failure;
    }
    return static_cast<int>(code);
}
