// What bodies say.
#pragma once

#include "api/service.hpp"
#include "json/reader.hpp"

#include <string>
#include <string_view>

namespace useradmin::api {

/// Whether the body has a role: neither absent, null nor empty. It may be of a wrong type.
bool names_role(const json::Object& body);

/// Whether the member is a text, null or absent.
bool is_text_or_nothing(const json::Object& body, std::string_view name);

/// An address as it is stored.
std::string stored_email(std::string_view email, const Settings& settings);

} // namespace useradmin::api
