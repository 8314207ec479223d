#include "ctl/httpd_configuration.hpp"

#include "ctl/command_error.hpp"

#include <strings.h>

#include <algorithm>
#include <fstream>

namespace useradmin::ctl {

namespace {

constexpr std::string_view white_space = " \t\r";

bool is_same_name(const std::string& left, std::string_view right) {
    return left.size() == right.size() && strncasecmp(left.data(), right.data(), right.size()) == 0;
}

/// Takes the first word of a line that begins with one.
std::string take_word(std::string_view& line) {
    const char quote = line[0] == '"' || line[0] == '\'' ? line[0] : '\0';
    std::string word;
    std::size_t at = quote != '\0' ? 1 : 0;
    for (; at < line.size(); ++at) {
        if (quote != '\0' && line[at] == '\\' && at + 1 < line.size() &&
            (line[at + 1] == quote || line[at + 1] == '\\'))
            ++at;
        else if (quote != '\0' ? line[at] == quote : white_space.find(line[at]) != line.npos)
            break;
        word += line[at];
    }
    line.remove_prefix(std::min(at + 1, line.size()));
    return word;
}

/// Reads a line with those that it goes on in: httpd joins them at a backslash.
bool read_line(std::istream& stream, std::string& line) {
    line.clear();
    bool was_read = false;
    for (std::string part; std::getline(stream, part);) {
        was_read = true;
        line += part;
        if (!line.ends_with('\\'))
            break;
        line.pop_back();
    }
    return was_read;
}

} // namespace

std::vector<std::string> words_of(std::string_view line) {
    std::vector<std::string> words;
    for (;;) {
        line.remove_prefix(std::min(line.find_first_not_of(white_space), line.size()));
        if (line.empty())
            return words;
        words.push_back(take_word(line));
    }
}

HttpdConfiguration::HttpdConfiguration(std::string_view file) : name_(file) {
    std::ifstream stream(name_);
    if (!stream)
        throw CommandError(Exit::failure,
                           "cannot read " + name_ + "; --config names an httpd configuration file");
    for (std::string line; read_line(stream, line);)
        if (std::vector<std::string> words = words_of(line);
            !words.empty() && !words[0].starts_with('#'))
            lines_.push_back(std::move(words));
}

std::optional<std::vector<std::string>> HttpdConfiguration::find(std::string_view directive,
                                                                 std::string_view option) const {
    const std::vector<std::string>* found = nullptr;
    for (const std::vector<std::string>& line : lines_) {
        if (!is_same_name(line[0], directive))
            continue;
        const auto refuse = [&](std::string_view why) {
            throw CommandError(Exit::usage, name_ + ": " + std::string(directive) +
                                                std::string(why) + "; say --" +
                                                std::string(option));
        };
        for (const std::string& word : line)
            if (word.find("${") != word.npos)
                refuse(" holds a variable, which is not followed");
        if (found != nullptr &&
            !std::equal(found->begin() + 1, found->end(), line.begin() + 1, line.end()))
            refuse(" stands there more than once, and not the same");
        found = &line;
    }
    if (found == nullptr)
        return std::nullopt;
    return std::vector<std::string>(found->begin() + 1, found->end());
}

bool HttpdConfiguration::says(std::string_view directive, std::string_view argument) const {
    return std::any_of(
        lines_.begin(), lines_.end(),
        [&](const std::vector<std::string>& line) {
            return line.size() == 2 && is_same_name(line[0], directive) &&
                   is_same_name(line[1], argument);
        });
}

} // namespace useradmin::ctl
