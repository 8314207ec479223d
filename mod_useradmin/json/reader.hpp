// Parses JSON objects strictly.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct cJSON;

namespace useradmin::json {

/// A parsed JSON object. The destructor wipes all strings, because they may be secret.
class Object {
  public:
    enum class Kind { absent, null, boolean, number, string, array, object };

    /// Parses a JSON text (RFC 8259). Returns std::nullopt if the text is not valid UTF-8, not
    /// valid JSON, not an object, nested deeper than 64 levels, or contains U+0000 in a string.
    static std::optional<Object> parse(std::string_view text);

    /// Parses a JSON text of any type. The value becomes the member "value".
    static std::optional<Object> parse_value(std::string_view text);

    /// Returns the type of a member. Keys are case-sensitive. If a key is repeated, the last member
    /// counts.
    Kind kind(std::string_view key) const noexcept;

    /// Returns a string member, or an empty view if the member is not a string. Valid for the
    /// lifetime of the object.
    std::string_view text(std::string_view key) const noexcept;

    /// Returns a boolean member, or false if the member is not a boolean.
    bool boolean(std::string_view key) const noexcept;

    /// Returns a number member, or 0 if the member is not a number. A number out of range is
    /// infinite. Numbers of more than 60 characters are 0.
    double number(std::string_view key) const noexcept;

    /// Returns a member as a string like JavaScript's String(), or "undefined" if it is absent.
    std::string as_text(std::string_view key) const;

    /// Returns a member as JSON, or "null" if it is absent.
    std::string as_json(std::string_view key) const;

    /// Returns a copy of an object member, or std::nullopt if the member is not an object.
    std::optional<Object> object(std::string_view key) const;

    /// Returns copies of the objects in an array member, or std::nullopt if the member is not an
    /// array of objects.
    std::optional<std::vector<Object>> objects(std::string_view key) const;

    /// Returns the strings in an array member, or std::nullopt if the member is not an array of
    /// strings. Valid for the lifetime of the object.
    std::optional<std::vector<std::string_view>> texts(std::string_view key) const;

    /// Returns the keys in order of appearance. Valid for the lifetime of the object.
    std::vector<std::string_view> keys() const;

  private:
    struct WipeAndDelete {
        void operator()(cJSON* tree) const noexcept;
    };

    explicit Object(cJSON* tree) noexcept : tree_(tree) {}
    static std::optional<Object> copy_of(const cJSON* value);
    const cJSON* member(std::string_view key) const noexcept;

    std::unique_ptr<cJSON, WipeAndDelete> tree_;
};

} // namespace useradmin::json
