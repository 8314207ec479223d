#include "sign_in/client_text.hpp"

#include "text/unicode.hpp"

#include <algorithm>

namespace useradmin::sign_in {

std::string client_text(std::string_view text) {
    // Longer than any real address or User-Agent.
    constexpr std::size_t max_length = 512;
    std::string out;
    while (!text.empty()) {
        const std::size_t length = text::sequence_length(text);
        if (out.size() + length > max_length)
            break;
        if (length > 0 && text.front() != '\0')
            out.append(text, 0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

} // namespace useradmin::sign_in
