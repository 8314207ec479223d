#include "http/entity_tags.hpp"

#include "text/split.hpp"

#include <algorithm>

namespace useradmin::http {

namespace {

void skip(std::string_view& text, std::string_view characters) noexcept {
    text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
}

bool is_tag_character(char character) noexcept {
    const auto code = static_cast<unsigned char>(character);
    return code > 0x20 && code != 0x7f;
}

} // namespace

EntityTagList parse_entity_tags(std::string_view list) {
    list = text::trim(list);
    EntityTagList tags;
    tags.is_any = list == "*";
    // Empty list elements are ignored.
    for (skip(list, " \t,"); !tags.is_any && !list.empty(); skip(list, " \t,")) {
        const bool is_weak = list.starts_with("W/");
        list.remove_prefix(is_weak ? 2 : 0);
        const std::size_t end = list.starts_with('"') ? list.find('"', 1) : list.npos;
        if (end == list.npos)
            return {};
        const std::string_view tag = list.substr(1, end - 1);
        list.remove_prefix(end + 1);
        skip(list, " \t");
        if (!std::ranges::all_of(tag, is_tag_character) || (!list.empty() && list.front() != ','))
            return {};
        if (!is_weak)
            tags.strong.push_back(tag);
    }
    return tags;
}

std::string make_strong_tag(std::string_view text) {
    return (std::string("\"") += text) += '"';
}

} // namespace useradmin::http
