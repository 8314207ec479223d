#pragma once

#include "api/service.hpp"
#include "json/reader.hpp"

#include <string>
#include <string_view>

namespace useradmin::api {

/// Returns whether the body has a role other than null and "". The role may have the wrong type.
bool sends_role(const json::Object& body);

/// Returns whether the member is a string, null or absent.
bool is_string_or_null(const json::Object& body, std::string_view name);

/// Returns the address in lower case if addresses are stored that way, otherwise unchanged.
std::string normalize_email(std::string_view email, const OperationSettings& settings);

} // namespace useradmin::api
