#pragma once

#include "store/store.hpp"

#include <string>
#include <string_view>

namespace useradmin::store {

/// Returns a LIKE pattern for strings that contain, start with or end with this one. Every
/// character of the text is literal. The escape character is a backslash.
inline std::string like_pattern(std::string_view text,
                                Condition::Operator where = Condition::Operator::contains) {
    std::string pattern(where == Condition::Operator::starts_with ? "" : "%");
    for (const char character : text) {
        if (character == '%' || character == '_' || character == '\\')
            pattern += '\\';
        pattern += character;
    }
    return pattern += where == Condition::Operator::ends_with ? "" : "%";
}

} // namespace useradmin::store
