// LIKE patterns.
#pragma once

#include <string>
#include <string_view>

namespace useradmin::store {

/// Returns the pattern that matches a text at any position, with all characters literal.
inline std::string containing_pattern(std::string_view search) {
    std::string pattern = "%";
    for (const char character : search) {
        if (character == '%' || character == '_' || character == '\\')
            pattern += '\\';
        pattern += character;
    }
    return pattern += '%';
}

} // namespace useradmin::store
