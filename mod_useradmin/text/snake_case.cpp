#include "text/snake_case.hpp"

namespace useradmin::text {

std::string snake_case(std::string_view camel_case) {
    std::string snake;
    for (const char letter : camel_case) {
        if (letter >= 'A' && letter <= 'Z') {
            snake += '_';
            snake += static_cast<char>(letter - 'A' + 'a');
        } else {
            snake += letter;
        }
    }
    return snake;
}

} // namespace useradmin::text
