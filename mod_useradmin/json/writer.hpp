// Writes JSON directly into a string.
#pragma once

#include "text/timestamp.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace useradmin::json {

/// Appends one JSON value to a string that the caller owns, and inserts the commas. Replaces bytes
/// that are not UTF-8 with U+FFFD, so the result is always well-formed.
class Writer {
  public:
    explicit Writer(std::string& out) noexcept : out_(out) {}

    Writer& begin_object();
    Writer& end_object();
    Writer& begin_array();
    Writer& end_array();
    /// Writes the key of the next member: a constant without characters that need escaping.
    Writer& key(std::string_view name);

    Writer& string(std::string_view value);
    Writer& boolean(bool value);
    Writer& integer(std::int64_t value);
    Writer& null();
    /// Writes the string, or null.
    Writer& string_or_null(const std::optional<std::string_view>& value);
    /// Writes the time as ISO 8601, or null.
    Writer& time_or_null(const std::optional<text::Timestamp>& value);
    /// Writes the members of a JSON object that the database built ("{…}") into the open object,
    /// without white space.
    Writer& splice_members(std::string_view object);
    /// As above, for the members of these names only.
    Writer& splice_members(std::string_view object, std::span<const std::string_view> names);

  private:
    void separate();
    /// Returns the opening quote of a string, with a comma if one is needed.
    std::string_view string_prefix() const noexcept;

    std::string& out_;
    bool needs_comma_ = false;
};

} // namespace useradmin::json
