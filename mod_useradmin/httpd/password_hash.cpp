#include "httpd/password_hash.hpp"

#include "httpd/directive.hpp"

#include <vector>

namespace useradmin::httpd {

const char* set_password_hash(const cmd_parms* command, std::optional<password::Format>& format,
                              int count, char* const words[]) {
    const auto parsed = password::parse_format(std::vector<std::string_view>(words, words + count));
    if (const auto* const right = std::get_if<std::string>(&parsed))
        return refusal(command, ("must be " + *right).c_str());
    format = std::get<password::Format>(parsed);
    return nullptr;
}

} // namespace useradmin::httpd
