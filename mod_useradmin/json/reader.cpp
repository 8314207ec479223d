#include "json/reader.hpp"

#include "secret/secret.hpp"
#include "text/unicode.hpp"

#include <cJSON.h>

#include <algorithm>
#include <string>

namespace useradmin::json {

namespace {

constexpr int deepest = 64;

bool is_digit(char byte) noexcept {
    return byte >= '0' && byte <= '9';
}

bool is_high_surrogate(unsigned unit) noexcept {
    return unit >= 0xd800 && unit <= 0xdbff;
}

bool is_low_surrogate(unsigned unit) noexcept {
    return unit >= 0xdc00 && unit <= 0xdfff;
}

/// Checks UTF-8 text against the grammar of RFC 8259, since cJSON is lenient. What passes here
/// cJSON does not refuse midway, which would free what it had read of a password without a wipe.
class Grammar {
  public:
    /// Every number in the text is replaced by 0: nobody asks for one, and cJSON reads them in the
    /// process's locale and, in some versions, to their 63rd character only.
    explicit Grammar(std::string& text) noexcept : text_(text) {}

    /// Whether the text is one object and nothing else.
    bool is_object() noexcept {
        skip_space();
        if (peek() != '{' || !value(0))
            return false;
        skip_space();
        return at_ == text_.size();
    }

  private:
    /// The next byte; at the end U+0000, which no valid text holds.
    char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }

    bool take(char expected) noexcept {
        const bool found = peek() == expected;
        at_ += found ? 1 : 0;
        return found;
    }

    void skip_space() noexcept {
        while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')
            ++at_;
    }

    /// A value inside so many objects and arrays.
    bool value(int depth) noexcept {
        switch (peek()) {
        case '{':
            return depth < deepest && container('{', '}', depth + 1);
        case '[':
            return depth < deepest && container('[', ']', depth + 1);
        case '"':
            return string();
        case 't':
            return literal("true");
        case 'f':
            return literal("false");
        case 'n':
            return literal("null");
        default:
            return number();
        }
    }

    bool container(char open, char close, int depth) noexcept {
        take(open);
        skip_space();
        if (take(close))
            return true;
        do {
            skip_space();
            if ((open == '{' && !name()) || !value(depth))
                return false;
            skip_space();
        } while (take(','));
        return take(close);
    }

    /// A member's name with its colon.
    bool name() noexcept {
        if (!string())
            return false;
        skip_space();
        const bool found = take(':');
        skip_space();
        return found;
    }

    bool literal(std::string_view word) noexcept {
        const bool found = text_.compare(at_, word.size(), word) == 0;
        at_ += found ? word.size() : 0;
        return found;
    }

    bool digits() noexcept {
        const auto start = at_;
        while (is_digit(peek()))
            ++at_;
        return at_ > start;
    }

    bool number() noexcept {
        const auto start = at_;
        take('-');
        if (!take('0') && !digits())
            return false;
        if (take('.') && !digits())
            return false;
        if (take('e') || take('E')) {
            if (!take('+'))
                take('-');
            if (!digits())
                return false;
        }
        std::fill(text_.begin() + static_cast<std::ptrdiff_t>(start),
                  text_.begin() + static_cast<std::ptrdiff_t>(at_), ' ');
        text_[start] = '0';
        return true;
    }

    bool string() noexcept {
        if (!take('"'))
            return false;
        while (at_ < text_.size()) {
            const auto byte = static_cast<unsigned char>(text_[at_++]);
            if (byte == '"')
                return true;
            if (byte < 0x20 || (byte == '\\' && !escape()))
                return false;
        }
        return false;
    }

    /// What follows a backslash.
    bool escape() noexcept {
        if (take('u'))
            return unicode_escape();
        const bool known = std::string_view("\"\\/bfnrt").find(peek()) != std::string_view::npos;
        at_ += known ? 1 : 0;
        return known;
    }

    /// What follows \u: a code unit, or the two of a surrogate pair; never U+0000, which would end
    /// the string for cJSON.
    bool unicode_escape() noexcept {
        const auto unit = code_unit();
        if (!unit || *unit == 0 || is_low_surrogate(*unit))
            return false;
        if (!is_high_surrogate(*unit))
            return true;
        if (!take('\\') || !take('u'))
            return false;
        const auto low = code_unit();
        return low && is_low_surrogate(*low);
    }

    /// Four hexadecimal digits.
    std::optional<unsigned> code_unit() noexcept {
        unsigned unit = 0;
        for (int i = 0; i < 4; ++i) {
            const char digit = peek();
            if (is_digit(digit))
                unit = unit * 16 + static_cast<unsigned>(digit - '0');
            else if (digit >= 'a' && digit <= 'f')
                unit = unit * 16 + static_cast<unsigned>(digit - 'a' + 10);
            else if (digit >= 'A' && digit <= 'F')
                unit = unit * 16 + static_cast<unsigned>(digit - 'A' + 10);
            else
                return std::nullopt;
            ++at_;
        }
        return unit;
    }

    std::string& text_;
    std::size_t at_ = 0;
};

void wipe_text(char* text) noexcept {
    if (text != nullptr)
        secret::wipe(text, std::char_traits<char>::length(text));
}

/// Goes no deeper than the grammar lets a text be nested.
void wipe_texts(cJSON* first) noexcept {
    for (cJSON* node = first; node != nullptr; node = node->next) {
        wipe_text(node->string);
        wipe_text(node->valuestring);
        wipe_texts(node->child);
    }
}

} // namespace

void Object::WipeAndDelete::operator()(cJSON* tree) const noexcept {
    wipe_texts(tree);
    cJSON_Delete(tree);
}

std::optional<Object> Object::parse(std::string_view text) {
    if (!text::is_clean_utf8(text))
        return std::nullopt;
    std::string copy(text);
    cJSON* const tree =
        Grammar(copy).is_object()
            ? cJSON_ParseWithLengthOpts(copy.data(), copy.size(), nullptr, /* terminated */ 0)
            : nullptr;
    secret::wipe(copy);
    if (tree == nullptr)
        return std::nullopt;
    return Object(tree);
}

const cJSON* Object::member(std::string_view key) const noexcept {
    const cJSON* last = nullptr;
    for (const cJSON* node = tree_->child; node != nullptr; node = node->next)
        if (node->string == key)
            last = node;
    return last;
}

Object::Kind Object::kind(std::string_view key) const noexcept {
    const cJSON* const found = member(key);
    if (found == nullptr)
        return Kind::absent;
    if (cJSON_IsNull(found))
        return Kind::null;
    if (cJSON_IsBool(found))
        return Kind::boolean;
    if (cJSON_IsNumber(found))
        return Kind::number;
    return cJSON_IsString(found) ? Kind::string : Kind::other;
}

std::string_view Object::text(std::string_view key) const noexcept {
    const char* const value = cJSON_GetStringValue(member(key));
    return value == nullptr ? std::string_view() : std::string_view(value);
}

bool Object::boolean(std::string_view key) const noexcept {
    return cJSON_IsTrue(member(key));
}

} // namespace useradmin::json
