// API keys of better-auth's @better-auth/api-key plugin.
#pragma once

#include "sign_in/identity.hpp"

#include <string_view>

namespace useradmin::sign_in {

/// Looks up a key and counts the request, as the plugin does.
Identity identify_api_key(store::Store& store, std::string_view key, text::Timestamp now);

} // namespace useradmin::sign_in
