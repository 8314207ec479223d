// Writes JSON straight into a text, without a tree in between.
#pragma once

#include "text/timestamp.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace useradmin::json {

/// Appends one JSON value to a text that the caller owns; commas come by themselves.
/// Bytes of a string that are not UTF-8 become U+FFFD, so that the result is always well-formed.
class Writer {
  public:
    explicit Writer(std::string& out) noexcept : out_(out) {}

    Writer& begin_object();
    Writer& end_object();
    Writer& begin_array();
    Writer& end_array();
    /// The key of the member whose value is written next: a constant of the code, without any
    /// character that would have to be escaped.
    Writer& key(std::string_view name);
    /// The same, of a name that may hold any characters.
    Writer& escaped_key(std::string_view name);

    Writer& string(std::string_view value);
    Writer& boolean(bool value);
    Writer& integer(std::int64_t value);
    Writer& null();
    /// The text, or null where there is none.
    Writer& string_or_null(const std::optional<std::string_view>& value);
    /// The time as ISO 8601, or null where there is none.
    Writer& time_or_null(const std::optional<text::Timestamp>& value);
    /// A value that is JSON already, as the database built it.
    Writer& raw(std::string_view json);
    /// The members of a JSON object that the database built ("{…}"), taken into the open
    /// object without white space between them.
    Writer& splice_members(std::string_view object);

  private:
    void separate();
    /// What stands before a text: its quote, and the comma that it needs.
    std::string_view string_prefix() const noexcept;

    std::string& out_;
    bool needs_comma_ = false;
};

} // namespace useradmin::json
