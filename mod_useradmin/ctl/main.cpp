// useradminctl: what must happen before or beside the service.
#include "ctl/command.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>

namespace useradmin::ctl {

namespace {

constexpr std::string_view connection_options[] = {"driver", "params", "config"};
constexpr std::string_view create_options[] = {"email", "name", "role", "hash"};

constexpr Command all_commands[] = {
    {"schema", "", "lays the tables, or adds the columns that they lack", {}, 0, lay_schema},
    {"create", "--email ADDRESS --name NAME [--role ROLE] [--hash argon2id|scrypt]",
     "makes a user and prints its id; the password is typed, or comes on one line of standard "
     "input",
     create_options, 0, create},
    {"session",
     "open ADDRESS",
     "opens a session for the user and prints its token",
     {},
     2,
     open_session},
};

void print_help() {
    std::puts(
        "useradminctl: the users of an application, from the command line\n\n"
        "  useradminctl --driver pgsql|sqlite3 --params TEXT COMMAND\n"
        "  useradminctl --config FILE COMMAND\n\n"
        "The driver and its parameters are those of mod_dbd (DBDriver, DBDParams); --config reads\n"
        "them from an httpd configuration file.\n");
    for (const Command& command : commands())
        std::printf("  %.*s %.*s\n      %.*s\n", static_cast<int>(command.name.size()),
                    command.name.data(), static_cast<int>(command.arguments.size()),
                    command.arguments.data(), static_cast<int>(command.purpose.size()),
                    command.purpose.data());
    std::puts(
        "\nExit codes: 0 done, 1 the database or the system failed, 2 the command line is not "
        "right,\n3 the address is taken, 4 no such user.");
}

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

const Command& command_of(const Options& options) {
    if (options.words.empty())
        throw CommandError(Exit::usage, "say what to do; 'useradminctl --help' lists the commands");
    for (const Command& command : commands()) {
        if (command.name != options.words[0])
            continue;
        if (options.words.size() != command.words + 1)
            throw CommandError(Exit::usage, "the right form is: useradminctl " +
                                                std::string(command.name) + " " +
                                                std::string(command.arguments));
        for (const auto& [name, value] : options.values)
            if (!is_one_of(name, connection_options) && !is_one_of(name, command.options))
                throw CommandError(Exit::usage,
                                   "'" + std::string(command.name) + "' knows no --" + name);
        return command;
    }
    throw CommandError(Exit::usage, "there is no command '" + options.words[0] +
                                        "'; 'useradminctl --help' lists them");
}

Exit run(int count, const char* const* arguments) {
    const Options options = parse(count, arguments);
    if (options.find("help")) {
        print_help();
        return Exit::success;
    }
    const Command& command = command_of(options);
    Database database(options);
    return command.run(options, database);
}

} // namespace

std::span<const Command> commands() {
    return all_commands;
}

} // namespace useradmin::ctl

int main(int count, char** arguments) {
    using namespace useradmin::ctl;
    try {
        return static_cast<int>(run(count, arguments));
    } catch (const CommandError& error) {
        std::fprintf(stderr, "useradminctl: %s\n", error.what());
        return static_cast<int>(error.code);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "useradminctl: failed: %s\n", error.what());
        return static_cast<int>(Exit::failure);
    }
}
