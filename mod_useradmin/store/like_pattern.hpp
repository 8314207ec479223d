#pragma once

#include <string>
#include <string_view>

namespace useradmin::store {

/// Returns a LIKE pattern that matches only this string. The escape character is a backslash.
inline std::string escaped_pattern(std::string_view text) {
    std::string pattern;
    for (const char character : text) {
        if (character == '%' || character == '_' || character == '\\')
            pattern += '\\';
        pattern += character;
    }
    return pattern;
}

/// Returns a LIKE pattern that matches every string that contains this one.
inline std::string containing_pattern(std::string_view search) {
    return "%" + escaped_pattern(search) + "%";
}

} // namespace useradmin::store
