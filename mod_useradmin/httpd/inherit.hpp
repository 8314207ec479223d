// How a setting that is unsaid takes the value around it.
#pragma once

#include <optional>

namespace useradmin::httpd {

template <class T>
void inherit(std::optional<T>& value, const std::optional<T>& base) {
    if (!value)
        value = base;
}

template <class T>
void inherit(T*& value, T* base) {
    if (value == nullptr)
        value = base;
}

} // namespace useradmin::httpd
