#include "ctl/command_line.hpp"

#include "ctl/edit_distance.hpp"
#include "text/unicode.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace useradmin::ctl {

namespace {

void add_options(CLI::App& app, std::span<const std::string_view> names) {
    for (const std::string_view name : names) {
        const Option& option = *find_option(name);
        const std::string flags = (name == "help" ? "-h,--" : "--") + std::string(name);
        if (option.value.empty())
            app.add_flag(flags)->disable_flag_override();
        else
            app.add_option(flags)->type_name(std::string(option.value));
    }
}

/// Adds a command below the program, or below its family.
void add_command(CLI::App& program, const Command& command) {
    CLI::App* parent = &program;
    const std::size_t blank = command.name.find(' ');
    if (blank != command.name.npos) {
        const std::string family(command.name.substr(0, blank));
        const std::vector<CLI::App*> found =
            program.get_subcommands([&](CLI::App* each) { return each->get_name() == family; });
        parent = found.empty() ? program.add_subcommand(family) : found.front();
    }
    CLI::App& app = *parent->add_subcommand(std::string(command.name.substr(blank + 1)));
    add_options(app, command.required_options);
    add_options(app, command.options);
    // The number is checked later, so that --help needs none.
    if (command.max_words > 0)
        app.add_option("arguments")
            ->expected(static_cast<int>(command.max_words))
            ->allow_extra_args(false)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// Takes an app's options and arguments.
void take_options(const CLI::App& app, Options& options) {
    for (const CLI::Option* const option : app.get_options())
        if (option->get_positional())
            options.words = option->results();
        else if (option->count() > 0)
            options.values.emplace(option->get_single_name(), option->results().back());
}

/// Returns a question that suggests the most similar name; empty if none is similar.
std::string suggestion(const std::string& typed, const std::vector<std::string>& names) {
    constexpr std::size_t most_edits = 2;
    const auto nearest =
        std::min_element(names.begin(), names.end(), [&](const auto& left, const auto& right) {
            return edit_distance(typed, left) < edit_distance(typed, right);
        });
    if (nearest == names.end() || edit_distance(typed, *nearest) > most_edits)
        return "";
    return " (did you mean '" + *nearest + "'?)";
}

[[noreturn]] void reject(const std::string& sentence) {
    throw CommandError(Exit::usage, sentence);
}

[[noreturn]] void reject_command(std::string name, const std::vector<std::string>& rest) {
    if (name.empty() && rest.empty())
        reject("a command is required; 'useradminctl --help' lists the commands");
    if (!rest.empty())
        name += (name.empty() ? "" : " ") + rest.front();
    std::vector<std::string> names;
    std::string members;
    for (const Command& command : commands()) {
        names.emplace_back(command.name);
        if (command.name.starts_with(name + " "))
            members += (members.empty() ? " alone, but '" : ", '") + names.back() + "'";
    }
    reject("there is no command '" + name + "'" + members + suggestion(name, names) +
           "; 'useradminctl --help' lists them");
}

[[noreturn]] void reject_option(const std::string& option, const Command* command) {
    if (option == "--password")
        reject("a password cannot be given on the command line; type it, or pipe it as one line of "
               "standard input");
    std::vector<std::string> names;
    const auto add_names = [&](std::span<const std::string_view> added) {
        for (const std::string_view name : added)
            names.push_back("--" + std::string(name));
    };
    add_names(common_options());
    if (command == nullptr)
        reject("there is no option " + option + " without a command" + suggestion(option, names) +
               "; 'useradminctl --help' lists them");
    add_names(command->required_options);
    add_names(command->options);
    const std::string right = "; usage: useradminctl " + usage_of(*command);
    if (std::find(names.begin(), names.end(), option) != names.end())
        reject(option + " must follow the command" + right);
    reject("'" + std::string(command->name) + "' takes no " + option + suggestion(option, names) +
           right);
}

/// Returns the arguments in reverse order, as CLI11 expects.
std::vector<std::string> reversed(std::span<const char* const> arguments) {
    std::vector<std::string> texts;
    for (const std::string_view argument : arguments) {
        if (!text::is_clean_utf8(argument))
            reject("the arguments must be UTF-8");
        // If an option has no value of its own, CLI11 takes the next argument.
        const bool has_empty_value = argument.starts_with("--") && argument.ends_with('=');
        texts.emplace_back(argument.substr(0, argument.size() - (has_empty_value ? 1 : 0)));
        if (has_empty_value)
            texts.emplace_back();
    }
    std::reverse(texts.begin(), texts.end());
    return texts;
}

} // namespace

CommandLine parse(std::span<const char* const> arguments) {
    CLI::App program;
    program.set_help_flag();
    program.allow_extras()->fallthrough()->require_subcommand(0, 1);
    add_options(program, common_options());
    program.add_flag("--version");
    for (const Command& command : commands())
        add_command(program, command);
    try {
        program.parse(reversed(arguments));
    } catch (const CLI::ParseError& error) {
        reject(std::string(error.what()) + "; 'useradminctl --help' shows the right form");
    }

    CommandLine line;
    std::string name;
    const CLI::App* app = &program;
    take_options(*app, line.options);
    while (!app->get_subcommands().empty()) {
        app = app->get_subcommands().front();
        take_options(*app, line.options);
        name += (name.empty() ? "" : " ") + app->get_name();
    }
    for (const Command& command : commands())
        if (command.name == name)
            line.command = &command;

    std::vector<std::string> rest = program.remaining(true);
    std::erase(rest, "--");
    for (const std::string& text : rest)
        if (text.starts_with('-') && text != "-")
            reject_option(text.substr(0, text.find('=')), line.command);
    const bool needs_no_command = line.options.has("help") || line.options.has("version");
    if (line.command == nullptr && !(needs_no_command && name.empty() && rest.empty()))
        reject_command(name, rest);
    if (line.command != nullptr && !needs_no_command &&
        (!rest.empty() || line.options.words.size() < line.command->min_words))
        reject("usage: useradminctl " + usage_of(*line.command));
    return line;
}

} // namespace useradmin::ctl
