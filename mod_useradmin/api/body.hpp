// What bodies say.
#pragma once

#include "api/service.hpp"
#include "json/reader.hpp"

#include <string>
#include <string_view>

namespace useradmin::api {

/// Whether the body has a role: neither absent, null nor empty. It may be of a wrong type.
bool has_role(const json::Object& body);

/// Whether the member is a text, null or absent.
bool is_string_or_null(const json::Object& body, std::string_view name);

/// An address as it is stored.
std::string normalize_email(std::string_view email, const OperationSettings& settings);

} // namespace useradmin::api
