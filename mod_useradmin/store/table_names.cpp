#include "store/table_names.hpp"

#include "text/unicode.hpp"

#include <algorithm>

namespace useradmin::store {

namespace {

// PostgreSQL's limit for identifiers (NAMEDATALEN - 1).
constexpr std::size_t max_identifier_length = 63;

bool is_table_name(std::string_view name) {
    const std::size_t dot = name.find('.');
    if (dot == name.npos)
        return is_identifier(name);
    return is_identifier(name.substr(0, dot)) && is_identifier(name.substr(dot + 1));
}

} // namespace

bool is_identifier(std::string_view name) {
    return !name.empty() && name.size() <= max_identifier_length && text::is_clean_utf8(name);
}

std::variant<TableNames, std::string> parse_table_names(std::span<const std::string_view> words) {
    if (words.size() != 3 || !std::ranges::all_of(words, is_table_name))
        return std::string(
            "the names of the user, session and account tables, each with or without "
            "a schema, such as user session account or auth.user auth.session "
            "auth.account");
    return TableNames{words[0], words[1], words[2]};
}

} // namespace useradmin::store
