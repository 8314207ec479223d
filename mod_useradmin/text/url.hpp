// The parts of a URL, decoded as browsers encode them (application/x-www-form-urlencoded).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace useradmin::text {

/// Decodes %XX in one path segment. A percent sign that starts no such triple stays as it is.
std::string decode_path_segment(std::string_view segment);

/// The first value of the parameter in a query string ("a=1&b=2", without its question mark), with
/// '+' as a space and %XX decoded in names and values; nothing where the parameter is absent.
std::optional<std::string> query_parameter(std::string_view query, std::string_view name);

/// The query string without that parameter, which may be there more than once.
std::string remove_query_parameter(std::string_view query, std::string_view name);

/// Appends a text, percent-encoding each byte that is neither a letter, a digit, one of "-._~" nor
/// one of those that stay.
void append_percent_encoded(std::string& out, std::string_view text, std::string_view unescaped);

} // namespace useradmin::text
