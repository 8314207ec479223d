// A searched text as a pattern of SQL.
#pragma once

#include <string>
#include <string_view>

namespace useradmin::store {

/// The pattern that LIKE and ILIKE find a text by wherever it stands: each of its characters is
/// meant as it is.
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
