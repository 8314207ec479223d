#include "ctl/options.hpp"

#include "ctl/command_error.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace useradmin::ctl {

namespace {

/// The options that stand alone.
constexpr std::string_view flags[] = {"help", "version", "json", "yes", "keep-sessions", "all"};

bool is_flag(std::string_view name) {
    return std::find(std::begin(flags), std::end(flags), name) != std::end(flags);
}

void add(Options& options, std::string_view name, std::string_view value) {
    if (!options.values.emplace(name, value).second)
        throw CommandError(Exit::usage, "say --" + std::string(name) + " once");
}

} // namespace

std::optional<std::string_view> Options::find(std::string_view name) const {
    const auto found = values.find(name);
    return found != values.end() ? std::optional<std::string_view>(found->second) : std::nullopt;
}

std::string_view Options::demand(std::string_view name) const {
    const std::optional<std::string_view> value = find(name);
    if (!value || value->empty())
        throw CommandError(Exit::usage, "say --" + std::string(name) + " with a value");
    return *value;
}

std::int64_t Options::number(std::string_view name, std::int64_t most,
                             std::int64_t default_value) const {
    const std::optional<std::string_view> value = find(name);
    if (!value)
        return default_value;
    std::int64_t number = 0;
    const char* const end = value->data() + value->size();
    const auto [stop, error] = std::from_chars(value->data(), end, number);
    if (error != std::errc() || stop != end || number < 1 || number > most)
        throw CommandError(Exit::usage, "--" + std::string(name) +
                                            " must be a whole number from 1 to " +
                                            std::to_string(most));
    return number;
}

Options parse(std::span<const char* const> arguments) {
    Options options;
    bool are_all_words = false;
    for (std::size_t index = 0; index < arguments.size(); ++index) {
        const std::string_view argument = arguments[index];
        if (!text::is_clean_utf8(argument))
            throw CommandError(Exit::usage, "the arguments must be UTF-8");
        if (are_all_words || (!argument.starts_with("--") && argument != "-h")) {
            options.words.emplace_back(argument);
            continue;
        }
        if (argument == "--") {
            are_all_words = true;
            continue;
        }
        if (argument == "-h") {
            add(options, "help", "");
            continue;
        }
        const std::string_view name = argument.substr(2, argument.find('=') - 2);
        const bool has_value = argument.size() > name.size() + 2;
        if (is_flag(name)) {
            if (has_value)
                throw CommandError(Exit::usage, "--" + std::string(name) + " takes no value");
            add(options, name, "");
        } else if (has_value) {
            add(options, name, argument.substr(name.size() + 3));
        } else if (index + 1 < arguments.size()) {
            const std::string_view value = arguments[++index];
            if (!text::is_clean_utf8(value))
                throw CommandError(Exit::usage, "the arguments must be UTF-8");
            add(options, name, value);
        } else {
            throw CommandError(Exit::usage, "--" + std::string(name) + " wants a value");
        }
    }
    return options;
}

} // namespace useradmin::ctl
