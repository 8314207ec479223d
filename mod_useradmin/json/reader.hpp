// Reads a request's JSON object, strictly.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

struct cJSON;

namespace useradmin::json {

/// A JSON object that was read whole. Its texts may be secret: they are wiped when it goes.
class Object {
  public:
    enum class Kind { absent, null, boolean, number, string, other };

    /// Reads a JSON text as RFC 8259 has it. Nothing where it is not UTF-8, not JSON to the letter,
    /// not an object, nested deeper than 64, or holds U+0000 in a string.
    static std::optional<Object> parse(std::string_view text);

    /// What the member is. A key is compared to the letter; of a repeated key the last one counts.
    Kind kind(std::string_view key) const noexcept;

    /// The text of a member that is a string, else an empty view. It lives as long as the object.
    std::string_view text(std::string_view key) const noexcept;

    /// The value of a member that is a boolean, else false.
    bool boolean(std::string_view key) const noexcept;

    /// The members' keys, in their order. They live as long as the object.
    std::vector<std::string_view> keys() const;

  private:
    struct WipeAndDelete {
        void operator()(cJSON* tree) const noexcept;
    };

    explicit Object(cJSON* tree) noexcept : tree_(tree) {}
    const cJSON* member(std::string_view key) const noexcept;

    std::unique_ptr<cJSON, WipeAndDelete> tree_;
};

} // namespace useradmin::json
