#include "api/origin.hpp"

namespace useradmin::api {

bool is_of_another_site(const message::Headers& headers, message::Origins trusted) {
    const std::string_view origin = headers.find("Origin");
    if (message::is_trusted_origin(origin, trusted))
        return false;
    const std::string_view site = headers.find("Sec-Fetch-Site");
    if (!site.empty() && site != "same-origin" && site != "none")
        return true;
    if (origin.empty())
        return false;
    const auto parsed = message::parse_origin(origin);
    return !parsed || !message::is_own_origin(*parsed, headers);
}

} // namespace useradmin::api
