// Decodes and encodes paths and query strings (application/x-www-form-urlencoded).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::text {

/// Decodes %XX in a path segment. Leaves invalid escapes unchanged.
std::string decode_path_segment(std::string_view segment);

/// Returns the first value of a parameter in a query string such as "a=1&b=2", or std::nullopt if
/// the parameter is absent. Decodes '+' as a space, and %XX, in names and values.
std::optional<std::string> query_parameter(std::string_view query, std::string_view name);

/// Returns all values of a parameter, in order.
std::vector<std::string> query_parameters(std::string_view query, std::string_view name);

/// Returns the query string without any occurrence of the parameter.
std::string remove_query_parameter(std::string_view query, std::string_view name);

/// The reserved characters that need no encoding in a path (RFC 3986).
inline constexpr std::string_view path_characters = "/!$&'()*+,;=:@";

/// Appends the text. Percent-encodes each byte except letters, digits, "-._~" and the characters in
/// unescaped.
void append_percent_encoded(std::string& out, std::string_view text, std::string_view unescaped);

} // namespace useradmin::text
