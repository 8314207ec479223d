// Parses JSON objects strictly.
#pragma once

#include <map>
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

    /// Parses a JSON text (RFC 8259). Returns std::nullopt unless the text is a valid object in
    /// UTF-8, with at most 64 levels of nesting and without U+0000 or lone surrogates.
    static std::optional<Object> parse(std::string_view text);

    /// Parses a JSON value of any type, and returns an object with the value as its member "value".
    /// Returns std::nullopt if the text is not a valid value within the limits of parse().
    static std::optional<Object> parse_value(std::string_view text);

    /// Returns the type of a member, or Kind::absent if there is none. Keys are case-sensitive. If
    /// a key is repeated, the last member counts.
    Kind kind(std::string_view key) const noexcept;

    /// Returns a string member, or an empty view if the member is not a string. The view is valid
    /// for the lifetime of the object.
    std::string_view text(std::string_view key) const noexcept;

    /// Returns a boolean member, or false if the member is not a boolean.
    bool boolean(std::string_view key) const noexcept;

    /// Returns a number member, or 0 if the member is not a number. A number out of range is
    /// infinite.
    double number(std::string_view key) const noexcept;

    /// Converts a member to a string as JavaScript's String() does. Returns "undefined" if the
    /// member is absent.
    std::string as_text(std::string_view key) const;

    /// Returns a member as JSON, or "null" if the member is absent.
    std::string as_json(std::string_view key) const;

    /// Returns a copy of an object member, or std::nullopt if the member is not an object.
    std::optional<Object> object(std::string_view key) const;

    /// Returns copies of the objects in an array member, or std::nullopt if the member is not an
    /// array of objects.
    std::optional<std::vector<Object>> objects(std::string_view key) const;

    /// Returns the strings in an array member, or std::nullopt if the member is not an array of
    /// strings. The views are valid for the lifetime of the object.
    std::optional<std::vector<std::string_view>> texts(std::string_view key) const;

    /// Returns the keys in order of appearance, each once. The views are valid for the lifetime of
    /// the object.
    std::vector<std::string_view> keys() const;

  private:
    struct WipeAndDelete {
        void operator()(cJSON* tree) const noexcept;
    };

    explicit Object(cJSON* tree);
    static std::optional<Object> copy_of(const cJSON* value);
    const cJSON* member(std::string_view key) const noexcept;

    std::unique_ptr<cJSON, WipeAndDelete> tree_;
    /// The last member with each key. A body may have thousands of members.
    std::map<std::string_view, const cJSON*> members_;
};

} // namespace useradmin::json
