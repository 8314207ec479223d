#include "admin/email.hpp"

#include "text/unicode.hpp"

#include <algorithm>

namespace useradmin::admin {

namespace {

bool is_letter(char character) {
    return text::is_alphanumeric(character) && character > '9';
}

bool is_local_part(std::string_view text) {
    return !text.empty() && text.front() != '.' && text.back() != '.' && text.back() != '\'' &&
           text.find("..") == text.npos &&
           std::ranges::all_of(
               text,
               [](char c) {
                   return text::is_alphanumeric(c) ||
                          std::string_view("_'+-.").find(c) != std::string_view::npos;
               });
}

bool is_domain(std::string_view text) {
    const std::size_t last = text.rfind('.');
    if (last == text.npos)
        return false;
    const std::string_view top = text.substr(last + 1);
    if (top.size() < 2 || !std::ranges::all_of(top, is_letter))
        return false;
    char before = '.';
    for (const char character : text) {
        const bool is_allowed = text::is_alphanumeric(character) ||
                                (before != '.' && (character == '-' || character == '.'));
        if (!is_allowed)
            return false;
        before = character;
    }
    return true;
}

} // namespace

bool is_email(std::string_view text) noexcept {
    const std::size_t at = text.find('@');
    return at != text.npos && is_local_part(text.substr(0, at)) && is_domain(text.substr(at + 1));
}

} // namespace useradmin::admin
