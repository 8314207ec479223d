// Keeps pages of other sites from changing anything with a caller's session.
#pragma once

#include "message/origin.hpp"

namespace useradmin::api {

/// Whether a browser marks the request as that of a page which is neither of this server nor
/// trusted. Without a browser's marks it comes from no page.
bool is_of_another_site(const message::Headers& headers, message::Origins trusted);

} // namespace useradmin::api
