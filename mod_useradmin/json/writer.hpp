#pragma once

#include "text/timestamp.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace useradmin::json {

/// Appends one JSON value to a string that the caller owns, with commas where needed. Replaces
/// invalid UTF-8 with U+FFFD, so the output is always valid UTF-8.
class Writer {
  public:
    explicit Writer(std::string& out) noexcept : out_(out) {}

    Writer& begin_object() { return begin('{'); }
    Writer& end_object() { return end('}'); }
    Writer& begin_array() { return begin('['); }
    Writer& end_array() { return end(']'); }
    /// Writes the key of the next member.
    Writer& key(std::string_view name);

    Writer& string(std::string_view value);
    Writer& boolean(bool value);
    Writer& integer(std::int64_t value);
    Writer& null();
    Writer& string_or_null(const std::optional<std::string_view>& value);
    /// Writes the time in ISO 8601, or null if there is none.
    Writer& time_or_null(const std::optional<text::Timestamp>& value);
    /// Writes a value that is already JSON, without the white space between tokens.
    Writer& json(std::string_view value);

  private:
    Writer& begin(char bracket);
    Writer& end(char bracket);
    void separate();
    /// Returns the opening quote of a string, after a comma if one is needed.
    std::string_view string_prefix() const noexcept;

    std::string& out_;
    bool needs_comma_ = false;
};

} // namespace useradmin::json
