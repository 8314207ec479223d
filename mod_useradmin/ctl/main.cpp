// useradminctl: its commands, its help, and main().
#include "api/envelope.hpp"
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

constexpr Names shared_options = {"config", "driver", "params",   "tables",
                                  "json",   "help",   "audit-log"};
constexpr Names schema_options = {"scale", "no-scale", "api-keys", "force"};
constexpr Names create_demands = {"email", "name"};
constexpr Names create_options = {"role", "hash", "account-id", "email-case", "force"};
constexpr Names list_options = {"search", "role", "page", "limit"};
constexpr Names password_options = {"keep-sessions", "hash", "account-id", "force"};
constexpr Names role_options = {"force", "yes"};
constexpr Names ban_options = {"reason", "expires", "yes"};
constexpr Names delete_options = {"yes"};
constexpr Names open_options = {"for", "secret"};
constexpr Names revoke_options = {"all"};
constexpr Names key_demands = {"name"};
constexpr Names key_options = {"expires", "permissions", "remaining", "rate", "per"};
constexpr Names export_options = {"format", "spreadsheet"};
constexpr Names import_options = {"dry-run",    "on-conflict",  "format", "hash", "account-id",
                                  "email-case", "email-change", "force",  "yes"};
constexpr Names verify_options = {"anchor"};
constexpr Names check_options = {"hash",   "account-id", "email-case", "protected-email",
                                 "counts", "orphans",    "delete",     "yes",
                                 "url",    "cookie",     "verbose"};

constexpr Command all_commands[] = {
    {"schema",
     "",
     {},
     schema_options,
     "creates the tables, or adds missing columns",
     0,
     0,
     create_schema},
    {"create", "", create_demands, create_options,
     "creates a user and prints its id; asks for the password", 0, 0, create, DatabaseUse::write},
    {"list",
     "",
     {},
     list_options,
     "lists the users that match the text or the role, newest first",
     0,
     0,
     list},
    {"show", "USER", {}, {}, "shows a user", 1, 1, show},
    {"passwd",
     "USER",
     {},
     password_options,
     "sets a user's password, which it asks for, and ends the user's sessions",
     1,
     1,
     set_password,
     DatabaseUse::write},
    {"role",
     "USER ROLE",
     {},
     role_options,
     "gives a user a role: user, admin or superAdmin; asks where it was the last superAdmin",
     2,
     2,
     set_role,
     DatabaseUse::write},
    {"ban",
     "USER",
     {},
     ban_options,
     "bans a user and ends the user's sessions; asks where it is the last superAdmin",
     1,
     1,
     ban,
     DatabaseUse::write},
    {"unban", "USER", {}, {}, "lifts a user's ban", 1, 1, unban, DatabaseUse::write},
    {"delete",
     "USER",
     {},
     delete_options,
     "deletes a user with its sessions and accounts; asks before",
     1,
     1,
     remove,
     DatabaseUse::write},
    {"session open",
     "USER",
     {},
     open_options,
     "opens a session and prints its token, signed if a secret is configured",
     1,
     1,
     open_session,
     DatabaseUse::write},
    {"session list", "USER", {}, {}, "lists a user's sessions", 1, 1, list_sessions},
    {"session revoke",
     "USER SESSION | USER --all | TOKEN",
     {},
     revoke_options,
     "ends one session, by its id or token, or all of a user",
     1,
     2,
     revoke_sessions,
     DatabaseUse::write},
    {"key create", "USER", key_demands, key_options,
     "creates an API key of a user and prints it, once", 1, 1, create_key, DatabaseUse::write},
    {"key list", "USER", {}, {}, "lists a user's API keys", 1, 1, list_keys},
    {"key revoke",
     "KEY",
     {},
     {},
     "deletes an API key by its id",
     1,
     1,
     revoke_key,
     DatabaseUse::write},
    {"second-factor reset",
     "USER",
     {},
     {},
     "removes a user's second factor and trusted devices, and ends the user's sessions",
     1,
     1,
     reset_second_factor,
     DatabaseUse::write},
    {"export",
     "[FILE]",
     {},
     export_options,
     "writes all users with the hashes of their passwords, for 'import'; without a file, or with "
     "-, to standard output",
     0,
     1,
     export_users},
    {"import",
     "FILE",
     {},
     import_options,
     "makes the users of a file, or of standard input for -; --on-conflict skip goes on with an "
     "import that was broken off",
     1,
     1,
     import_users,
     DatabaseUse::write},
    {"check",
     "",
     {},
     check_options,
     "says what is wrong with the configuration, the database and how they fit together; --verbose "
     "says what is there, and which directives suit it",
     0,
     0,
     check},
    {"audit verify",
     "FILE…",
     {},
     verify_options,
     "says whether the lines of an audit log, and of those that were moved away, are all there and "
     "as they were written",
     1,
     10000,
     verify_audit_log,
     DatabaseUse::none},
};

void write_help_line(const std::string& line) {
    std::puts(line.c_str());
}

void print_option(std::string_view name) {
    const Option& option = *find_option(name);
    write_help_line("  " + option.form());
    write_help_line("      " + std::string(option.meaning));
}

/// Prints notes on USER and on input.
void print_notes() {
    write_help_line(
        "\nUSER is an address, which has an @, or an id. A password is typed, or comes on one "
        "line of\nstandard input.");
}

void print_common_options() {
    write_help_line("\nWith every command:");
    for (const std::string_view name : shared_options)
        print_option(name);
    print_notes();
}

void print_help() {
    write_help_line(
        "useradminctl: the users of an application, from the command line\n\n"
        "  useradminctl [--config FILE] COMMAND\n"
        "  useradminctl --driver pgsql|sqlite3 --params TEXT COMMAND\n\n"
        "The driver and its parameters are those of mod_dbd (DBDriver, DBDParams); --config "
        "reads\nthem, and the modules' own directives, from an httpd configuration file.\n");
    for (const Command& command : commands()) {
        write_help_line("  " + usage_of(command));
        write_help_line("      " + std::string(command.purpose));
    }
    print_common_options();
    write_help_line(
        "\nExit codes: 0 done, 1 the database or the system failed, or check or audit verify "
        "found\n"
        "problems, 2 the command line is not right, 3 the address is taken, 4 no such user, "
        "session, key or second factor.");
}

void print_help_of(const Command& command) {
    write_help_line("useradminctl " + usage_of(command));
    write_help_line("      " + std::string(command.purpose) + "\n");
    for (const auto names : {command.required_options, command.options})
        for (const std::string_view name : names)
            print_option(name);
    print_common_options();
}

Exit run(const CommandLine& line) {
    const Options& options = line.options;
    if (options.has("version")) {
        std::puts("useradminctl " USERADMIN_VERSION);
        return Exit::success;
    }
    if (line.command == nullptr) {
        print_help();
        return Exit::success;
    }
    const Command& command = *line.command;
    if (options.has("help")) {
        print_help_of(command);
        return Exit::success;
    }
    // A dry run changes nothing and is not logged.
    const bool is_tried = options.has("dry-run");
    Context context(options, command.options, is_tried ? DatabaseUse::read : command.use,
                    command.name);
    return context.run_audited([&] { return command.run(context); });
}

/// Reports a failure as a sentence and, with --json, as JSON.
Exit fail(std::span<const char* const> arguments, Exit code, const std::string& sentence) {
    print_error(sentence);
    if (std::find(arguments.begin(), arguments.end(), std::string_view("--json")) !=
        arguments.end())
        print_json(api::error(0, sentence).body);
    return code;
}

/// A file opened later, such as the audit log, must not get the descriptor of a standard stream
/// that the parent closed. Operations on such a stream fail.
void reopen_closed_streams() noexcept {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(stream, F_GETFD) < 0)
            static_cast<void>(open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

Exit run_guarded(std::span<const char* const> arguments) {
    try {
        return run(parse(arguments));
    } catch (const CommandError& error) {
        return fail(arguments, error.code, error.what());
    } catch (const std::exception& error) {
        return fail(arguments, Exit::failure, "failed: " + std::string(error.what()));
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
    // A full disk is reported only here.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        print_error("the output could not be written");
        code = Exit::failure;
    }
    return static_cast<int>(code);
}
