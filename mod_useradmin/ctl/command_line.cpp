#include "ctl/command_line.hpp"

#include "text/unicode.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

namespace useradmin::ctl {

namespace {

constexpr std::string_view version_option[] = {"version"};

constexpr const char* notes =
    "USER is an email address or an id. Type the password when prompted, or pass it as one line "
    "of\nstandard input. 'useradminctl help COMMAND' describes a command; useradminctl(8) has "
    "more.\n\n"
    "Exit codes: 0 success, 1 database or system error, or problems found, 2 invalid command "
    "line,\n3 address already registered, 4 no such user, session, key or second factor.";

constexpr const char* own_group = "Options";
constexpr const char* global_group = "Global options";

void add_options(CLI::App& app, std::span<const std::string_view> names, const char* group) {
    for (const std::string_view name : names) {
        const Option& option = *find_option(name);
        const std::string flags = (name == "help" ? "-h,--" : "--") + std::string(name);
        CLI::Option* const added =
            option.value.empty() ? app.add_flag(flags)->disable_flag_override()
                                 : app.add_option(flags)->type_name(std::string(option.value));
        added->description(std::string(option.description))->group(group);
    }
}

/// Returns the full name of a command, or an empty string for the program.
std::string name_of(const CLI::App& app) {
    if (app.get_parent() == nullptr)
        return {};
    const std::string family = name_of(*app.get_parent());
    return family + (family.empty() ? "" : " ") + app.get_name();
}

const Command* find_command(std::string_view name) {
    const auto all = commands();
    const auto found = std::ranges::find(all, name, &Command::name);
    return found != all.end() ? &*found : nullptr;
}

/// Returns the example of a command, of its first subcommand, or of the program.
std::string_view example_of(const CLI::App& app) {
    if (app.get_parent() == nullptr)
        return find_command("create")->example;
    const Command* const command = find_command(name_of(app));
    return command != nullptr ? command->example : example_of(*app.get_subcommands({}).front());
}

/// Formats the help: an example first, then the commands or options, and the global options last.
class HelpFormatter final : public CLI::Formatter {
  public:
    std::string make_help(const CLI::App* app, std::string /* name */,
                          CLI::AppFormatMode mode) const override {
        const CLI::App* program = app;
        while (program->get_parent() != nullptr)
            program = program->get_parent();
        const Command* const command = find_command(name_of(*app));
        const std::string name = name_of(*app) + (app != program ? " " : "");
        std::string text = "Example: useradminctl " + std::string(example_of(*app)) + "\n\n" +
                           app->get_description() + "\n\nUsage: useradminctl " +
                           (command != nullptr ? usage_of(*command) : name + "COMMAND") + "\n" +
                           make_subcommands(app, mode);
        for (const char* const group : {own_group, global_group}) {
            // Some versions of CLI11 include the program's options in a command's options.
            const auto options =
                (group == own_group ? app : program)->get_options([&](const CLI::Option* option) {
                    return option->get_group() == group;
                });
            if (!options.empty())
                text += make_group(group, false, options);
        }
        return text + '\n' + program->get_footer() + '\n';
    }
};

/// Adds a command to the program or to its parent command.
void add_command(CLI::App& program, const Command& command) {
    CLI::App* parent = &program;
    const std::size_t blank = command.name.find(' ');
    if (blank != command.name.npos) {
        const std::string family(command.name.substr(0, blank));
        const std::vector<CLI::App*> found =
            program.get_subcommands([&](CLI::App* each) { return each->get_name() == family; });
        parent = found.empty() ? program.add_subcommand(family) : found.front();
        parent->group("Commands");
        const std::string members = parent->get_description();
        parent->description(members + (members.empty() ? "commands: " : ", ") +
                            std::string(command.name.substr(blank + 1)));
    }
    CLI::App& app = *parent->add_subcommand(std::string(command.name.substr(blank + 1)),
                                            std::string(command.description));
    app.group("Commands");
    add_options(app, options_of(command), own_group);
    // The number of arguments is checked later, because --help needs none.
    if (command.max_arguments > 0)
        app.add_option("arguments")
            ->group("")
            ->expected(static_cast<int>(command.max_arguments))
            ->allow_extra_args(false)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// Copies the parsed options and arguments to `options`.
void take_options(const CLI::App& app, Options& options) {
    for (const CLI::Option* const option : app.get_options())
        if (option->get_positional())
            options.arguments = option->results();
        else if (option->count() > 0)
            options.values.emplace(option->get_single_name(), option->results().back());
}

/// Returns the Levenshtein distance in bytes.
std::size_t edit_distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t line = 0; line < from.size(); ++line) {
        std::size_t diagonal = std::exchange(row[0], line + 1);
        for (std::size_t column = 0; column < to.size(); ++column) {
            const std::size_t replaced = diagonal + (from[line] == to[column] ? 0 : 1);
            diagonal = row[column + 1];
            row[column + 1] = std::min({replaced, diagonal + 1, row[column] + 1});
        }
    }
    return row[to.size()];
}

/// Returns a question that suggests the most similar name, or an empty string if none is similar.
std::string suggestion(const std::string& typed, const std::vector<std::string>& names) {
    constexpr std::size_t max_edits = 2;
    const auto nearest = std::ranges::min_element(
        names, {}, [&](const auto& name) { return edit_distance(typed, name); });
    if (nearest == names.end() || edit_distance(typed, *nearest) > max_edits)
        return "";
    return " (did you mean '" + *nearest + "'?)";
}

[[noreturn]] void reject_command(std::string name, const std::vector<std::string>& rest) {
    if (name.empty() && rest.empty())
        throw UsageError("a command is required; see 'useradminctl --help'");
    if (!rest.empty())
        name += (name.empty() ? "" : " ") + rest.front();
    std::vector<std::string> names;
    std::string members;
    for (const Command& command : commands()) {
        names.emplace_back(command.name);
        if (command.name.starts_with(name + " "))
            members += (members.empty() ? "" : ", ") + names.back().substr(name.size() + 1);
        names.emplace_back(command.name.substr(0, command.name.find(' ')));
    }
    if (!members.empty())
        throw UsageError("'" + name + "' requires a subcommand: " + members);
    throw UsageError("unknown command '" + name + "'" + suggestion(name, names) +
                     "; see 'useradminctl --help'");
}

[[noreturn]] void reject_option(const std::string& option, const Command* command) {
    if (option == "--password")
        throw UsageError(
            "a password cannot be given on the command line; type it at the prompt, or pipe it to "
            "standard input as one line");
    std::vector<std::string> names;
    const auto add_names = [&](std::span<const std::string_view> added) {
        for (const std::string_view name : added)
            names.push_back("--" + std::string(name));
    };
    add_names(common_options());
    if (command == nullptr)
        throw UsageError("unknown global option " + option + suggestion(option, names) +
                         "; see 'useradminctl --help'");
    add_names(options_of(*command));
    const std::string right = "; usage: useradminctl " + usage_of(*command);
    if (std::ranges::find(names, option) != names.end())
        throw UsageError(option + " must follow the command" + right);
    throw UsageError("'" + std::string(command->name) + "' has no option " + option +
                     suggestion(option, names) + right);
}

/// Returns the arguments in reverse order, as CLI11 expects. Throws UsageError if one is not
/// UTF-8.
std::vector<std::string> reversed(std::span<const char* const> arguments) {
    std::vector<std::string> texts;
    bool has_options = true;
    for (const std::string_view argument : arguments) {
        if (!text::is_clean_utf8(argument))
            throw UsageError("the arguments must be UTF-8");
        // For "--name=", CLI11 would take the next argument as the value, so pass an empty one.
        has_options = has_options && argument != "--";
        const bool has_empty_value =
            has_options && argument.starts_with("--") && argument.find('=') == argument.size() - 1;
        texts.emplace_back(argument.substr(0, argument.size() - (has_empty_value ? 1 : 0)));
        if (has_empty_value)
            texts.emplace_back();
    }
    std::ranges::reverse(texts);
    return texts;
}

} // namespace

CommandLine parse(std::span<const char* const> arguments) {
    CLI::App program("manage an application's users from the command line");
    program.formatter(std::make_shared<HelpFormatter>());
    program.footer(notes);
    program.set_help_flag();
    program.allow_extras()->fallthrough()->require_subcommand(0, 1);
    add_options(program, common_options(), global_group);
    add_options(program, version_option, global_group);
    for (const Command& command : commands())
        add_command(program, command);
    try {
        program.parse(reversed(arguments));
    } catch (const CLI::ParseError& error) {
        throw UsageError(std::string(error.what()) + "; see 'useradminctl --help'");
    }

    CommandLine line;
    const CLI::App* app = &program;
    take_options(*app, line.options);
    while (!app->get_subcommands().empty()) {
        app = app->get_subcommands().front();
        take_options(*app, line.options);
    }
    const std::string name = name_of(*app);
    line.command = find_command(name);

    std::vector<std::string> rest = program.remaining(true);
    std::erase(rest, "--");
    for (const std::string& text : rest)
        if (text.starts_with('-') && text != "-")
            reject_option(text.substr(0, text.find('=')), line.command);
    const auto find = [&](std::string_view word) { return std::ranges::find(arguments, word); };
    // If a word precedes the command, report that word as an unknown command.
    if (line.command != nullptr && !rest.empty() &&
        find(rest.front()) < find(line.command->name.substr(0, name.find(' '))))
        reject_command("", rest);
    const bool needs_no_command = line.options.has("help") || line.options.has("version");
    if (line.command == nullptr && !(needs_no_command && rest.empty()))
        reject_command(name, rest);
    if (line.options.has("help"))
        line.help = program.help();
    if (line.command != nullptr && !needs_no_command &&
        (!rest.empty() || line.options.arguments.size() < line.command->min_arguments))
        throw UsageError("usage: useradminctl " + usage_of(*line.command));
    if (line.command != nullptr && line.command->run == nullptr && line.help.empty()) {
        std::vector<const char*> asked = {"--help"};
        for (const std::string& word : line.options.arguments)
            asked.push_back(word.c_str());
        return parse(asked);
    }
    return line;
}

} // namespace useradmin::ctl
