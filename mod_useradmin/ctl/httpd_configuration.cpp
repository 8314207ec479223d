#include "ctl/httpd_configuration.hpp"

#include "ctl/command_error.hpp"

#include <strings.h>

#include <fstream>

namespace useradmin::ctl {

namespace {

constexpr const char* white_space = " \t\r";

/// Takes the first word of the line, with httpd's quotes around it removed.
std::string take_word(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(white_space), line.size()));
    std::string word;
    const char quote = !line.empty() && (line[0] == '"' || line[0] == '\'') ? line[0] : '\0';
    std::size_t at = quote != '\0' ? 1 : 0;
    for (; at < line.size(); ++at) {
        if (line[at] == '\\' && at + 1 < line.size() && line[at + 1] == quote)
            ++at;
        else if (quote != '\0' ? line[at] == quote : line[at] == ' ' || line[at] == '\t')
            break;
        word += line[at];
    }
    line.remove_prefix(std::min(at + 1, line.size()));
    return word;
}

} // namespace

std::string directive_in(std::string_view file, std::string_view name) {
    std::ifstream stream{std::string(file)};
    if (!stream)
        throw CommandError(Exit::failure, "cannot read " + std::string(file));
    for (std::string text; std::getline(stream, text);) {
        std::string_view line = text;
        if (strcasecmp(take_word(line).c_str(), std::string(name).c_str()) != 0)
            continue;
        std::string value = take_word(line);
        if (value.find("${") != value.npos)
            throw CommandError(Exit::usage, "the " + std::string(name) + " of " +
                                                std::string(file) +
                                                " holds a variable; say --driver and --params");
        return value;
    }
    throw CommandError(Exit::usage,
                       "there is no " + std::string(name) + " in " + std::string(file) +
                           "; name the file that has it, or say --driver and --params");
}

} // namespace useradmin::ctl
