// Strict parsing of a JSON object.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct cJSON;

namespace useradmin::json {

/// A parsed JSON object. Its destructor wipes the strings, which may be secret.
class Object {
  public:
    enum class Kind { absent, null, boolean, number, string, array, object };

    /// Parses a JSON text (RFC 8259). Returns nothing if it is not UTF-8, not valid JSON, not an
    /// object, nested deeper than 64 levels, or contains U+0000 in a string.
    static std::optional<Object> parse(std::string_view text);

    /// As above, for a JSON text of any type, which becomes the member "value".
    static std::optional<Object> parse_value(std::string_view text);

    /// Returns the type of a member. Keys are case-sensitive. If a key is repeated, its last
    /// member counts.
    Kind kind(std::string_view key) const noexcept;

    /// Returns the value of a string member, valid for the lifetime of the object; otherwise an
    /// empty view.
    std::string_view text(std::string_view key) const noexcept;

    /// Returns the value of a boolean member; otherwise false.
    bool boolean(std::string_view key) const noexcept;

    /// Returns the value of a number, infinite if it is out of range; otherwise 0. Numbers of more
    /// than 60 characters are 0.
    double number(std::string_view key) const noexcept;

    /// Returns a member as a string, as JavaScript's String() does; "undefined" if it is absent.
    std::string as_text(std::string_view key) const;

    /// Returns a member as JSON; "null" if it is absent.
    std::string as_json(std::string_view key) const;

    /// Returns a copy of a member that is an object; otherwise nothing.
    std::optional<Object> object(std::string_view key) const;

    /// Returns copies of the elements of a member that is an array of objects; otherwise nothing.
    std::optional<std::vector<Object>> objects(std::string_view key) const;

    /// Returns the elements of a member that is an array of strings, valid for the lifetime of the
    /// object; otherwise nothing.
    std::optional<std::vector<std::string_view>> texts(std::string_view key) const;

    /// Returns the keys in their order, valid for the lifetime of the object.
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
