// useradminctl: what must happen before or beside the service.
#include "api/envelope.hpp"
#include "ctl/command.hpp"
#include "ctl/display.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>

namespace useradmin::ctl {

namespace {

constexpr std::string_view common_options[] = {"driver", "params", "config", "tables", "json"};
constexpr std::string_view create_options[] = {"email", "name",       "role",
                                               "hash",  "account-id", "email-case"};
constexpr std::string_view list_options[] = {"search", "role", "page", "limit"};
constexpr std::string_view password_options[] = {"hash", "account-id", "keep-sessions"};
constexpr std::string_view ban_options[] = {"reason", "expires"};
constexpr std::string_view delete_options[] = {"yes"};
constexpr std::string_view open_options[] = {"secret"};
constexpr std::string_view revoke_options[] = {"all"};
constexpr std::string_view check_options[] = {"hash", "account-id", "email-case"};

constexpr Command all_commands[] = {
    {"schema", "", "lays the tables, or adds the columns that they lack", {}, 0, 0, lay_schema},
    {"create",
     "--email ADDRESS --name NAME [--role ROLE] [--hash argon2id|scrypt] [--account-id "
     "email|user-id] [--email-case keep|lower]",
     "makes a user and prints its id; asks for the password", create_options, 0, 0, create},
    {"list", "[--search TEXT] [--role ROLE] [--page N] [--limit N]",
     "lists the users that match the text or the role, newest first", list_options, 0, 0, list},
    {"show", "USER", "shows a user", {}, 1, 1, show},
    {"passwd", "USER [--keep-sessions] [--hash argon2id|scrypt] [--account-id email|user-id]",
     "sets a user's password, which it asks for, and ends the user's sessions", password_options, 1,
     1, set_password},
    {"role", "USER ROLE", "gives a user a role: user, admin or superAdmin", {}, 2, 2, set_role},
    {"ban", "USER [--reason TEXT] [--expires DATE|30m|12h|7d|2w]",
     "bans a user and ends the user's sessions", ban_options, 1, 1, ban},
    {"unban", "USER", "lifts a user's ban", {}, 1, 1, unban},
    {"delete", "USER [--yes]", "deletes a user with its sessions and accounts; asks before",
     delete_options, 1, 1, remove},
    {"session open", "USER [--secret file:PATH|env:NAME]",
     "opens a session of seven days and prints its token, signed where there is a secret",
     open_options, 1, 1, open_session},
    {"session list", "USER", "lists a user's sessions", {}, 1, 1, list_sessions},
    {"session revoke", "USER SESSION | USER --all | TOKEN",
     "ends one session, by its id or token, or all of a user", revoke_options, 1, 2,
     revoke_sessions},
    {"check", "[--hash argon2id|scrypt] [--account-id email|user-id] [--email-case keep|lower]",
     "says what is in the database, what the service would do with it, what is wrong, and which "
     "directives suit it",
     check_options, 0, 0, check},
};

void print_help() {
    std::puts(
        "useradminctl: the users of an application, from the command line\n\n"
        "  useradminctl --config FILE COMMAND\n"
        "  useradminctl --driver pgsql|sqlite3 --params TEXT COMMAND\n\n"
        "The driver and its parameters are those of mod_dbd (DBDriver, DBDParams); --config reads\n"
        "them, and mod_useradmin's own directives, from an httpd configuration file.\n"
        "USER is an address, which has an @, or an id.\n");
    for (const Command& command : commands())
        std::printf("  %.*s%s%.*s\n      %.*s\n", static_cast<int>(command.name.size()),
                    command.name.data(), command.arguments.empty() ? "" : " ",
                    static_cast<int>(command.arguments.size()), command.arguments.data(),
                    static_cast<int>(command.purpose.size()), command.purpose.data());
    std::puts(
        "\nWith every command:\n"
        "  --tables \"USER SESSION ACCOUNT\"\n"
        "      the tables' names, as UserAdminTables has them\n"
        "  --json\n"
        "      prints one JSON document instead of lines for people\n\n"
        "A password is typed, or comes on one line of standard input.\n\n"
        "Exit codes: 0 done, 1 the database or the system failed, or check found problems,\n"
        "2 the command line is not right, 3 the address is taken, 4 no such user or session.");
}

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Whether the words begin with the command's name; the name goes from them then.
bool take_name(const Command& command, std::vector<std::string>& words) {
    const std::size_t blank = command.name.find(' ');
    const bool is_family = blank != command.name.npos;
    if (words[0] != command.name.substr(0, blank))
        return false;
    if (is_family && (words.size() < 2 || words[1] != command.name.substr(blank + 1)))
        return false;
    words.erase(words.begin(), words.begin() + (is_family ? 2 : 1));
    return true;
}

std::string form_of(const Command& command) {
    return "useradminctl " + std::string(command.name) + (command.arguments.empty() ? "" : " ") +
           std::string(command.arguments);
}

/// What may follow the first word of a family: " alone, but 'session open', …".
std::string members_of(std::string_view family) {
    std::string members;
    for (const Command& command : commands())
        if (command.name.starts_with(family) && command.name.substr(family.size()).starts_with(' '))
            members +=
                (members.empty() ? " alone, but '" : ", '") + std::string(command.name) + "'";
    return members;
}

/// The command that the words name; its name is taken from them.
const Command& command_of(Options& options) {
    if (options.words.empty())
        throw CommandError(Exit::usage, "say what to do; 'useradminctl --help' lists the commands");
    for (const Command& command : commands()) {
        if (!take_name(command, options.words))
            continue;
        const std::size_t count = options.words.size();
        if (count < command.fewest_words || count > command.most_words)
            throw CommandError(Exit::usage, "the right form is: " + form_of(command));
        for (const auto& [name, value] : options.values)
            if (!is_one_of(name, common_options) && !is_one_of(name, command.options))
                throw CommandError(Exit::usage, "'" + std::string(command.name) + "' knows no --" +
                                                    name +
                                                    "; the right form is: " + form_of(command));
        return command;
    }
    throw CommandError(Exit::usage, "there is no command '" + options.words[0] + "'" +
                                        members_of(options.words[0]) +
                                        "; 'useradminctl --help' lists them");
}

Exit run(Options& options) {
    if (options.has("help")) {
        print_help();
        return Exit::success;
    }
    if (options.has("version")) {
        std::puts("useradminctl " USERADMIN_VERSION);
        return Exit::success;
    }
    const Command& command = command_of(options);
    Context context(options, command.options);
    return command.run(context);
}

/// Tells of a failure: in a sentence, and as JSON to whoever asked for that.
Exit fail(std::span<const char* const> arguments, Exit code, const std::string& sentence) {
    complain(sentence);
    if (std::find(arguments.begin(), arguments.end(), std::string_view("--json")) !=
        arguments.end())
        print_json(api::error(0, sentence).body);
    return code;
}

Exit guarded_run(std::span<const char* const> arguments) {
    try {
        Options options = parse(arguments);
        return run(options);
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

} // namespace useradmin::ctl

int main(int count, char** arguments) {
    using namespace useradmin::ctl;
    Exit code = guarded_run({arguments + 1, arguments + std::max(count, 1)});
    // A full disk shows here, and not before.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        complain("the output could not be written");
        code = Exit::failure;
    }
    return static_cast<int>(code);
}
