#include "json/reader.hpp"

#include "crypto/secret.hpp"
#include "text/unicode.hpp"
#include "json/writer.hpp"

#include <cJSON.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>

namespace useradmin::json {

namespace {

// cJSON accepts text that RFC 8259 does not allow: control characters as white space or in strings,
// "01" and "1.", and an escape without digits as U+0000. It also accepts a byte order mark and a
// thousand levels of nesting. The code below rejects all of these and leaves the rest of the
// grammar to cJSON.

constexpr int max_depth = 64;
// Longer numbers are shortened, because some versions of cJSON parse only the first 63 characters
// of a number.
constexpr std::size_t max_number_length = 60;
constexpr std::string_view white_space = " \t\r\n";

/// Returns the code unit of an escape such as "\u00e9" at the start of the text, or 0 if there is
/// no valid escape.
unsigned code_unit(std::string_view text) noexcept {
    if (!text.starts_with("\\u") || text.size() < 6)
        return 0;
    unsigned unit = 0;
    const char* const end = text.data() + 6;
    return std::from_chars(text.data() + 2, end, unit, 16).ptr == end ? unit : 0;
}

/// Returns the length of the escape or surrogate pair at the start of the text. Returns 0 for an
/// invalid escape, a lone surrogate, and U+0000, which would truncate the C string. The text must
/// start with a backslash.
std::size_t escape_length(std::string_view text) noexcept {
    if (!text.starts_with("\\u"))
        return text.substr(1, 1).find_first_of("\"\\/bfnrt") == 0 ? 2 : 0;
    const unsigned unit = code_unit(text);
    if (unit < 0xD800 || unit > 0xDFFF)
        return unit != 0 ? 6 : 0;
    const unsigned second = code_unit(text.substr(6));
    return unit < 0xDC00 && second >= 0xDC00 && second <= 0xDFFF ? 12 : 0;
}

/// Returns the length, including quotes, of the string at the start of the text, or 0 if the string
/// is invalid. The text must start with a quote.
std::size_t string_length(std::string_view text) noexcept {
    std::size_t step = 1;
    for (std::size_t at = 1; at < text.size() && step > 0; at += step) {
        if (text[at] == '"')
            return at + 1;
        const bool is_plain = static_cast<unsigned char>(text[at]) >= 0x20;
        step = text[at] == '\\' ? escape_length(text.substr(at)) : is_plain ? 1 : 0;
    }
    return 0;
}

/// Returns the length of the number at the start of the text, or 0 if the number is invalid. The
/// text must not be empty.
std::size_t number_length(std::string_view text) noexcept {
    const auto past_digits = [text](std::size_t at) {
        return std::min(text.find_first_not_of("0123456789", at), text.size());
    };
    std::size_t at = text[0] == '-' ? 1 : 0;
    std::size_t end = text.substr(at).starts_with('0') ? at + 1 : past_digits(at);
    if (end > at && text.substr(end).starts_with('.'))
        end = past_digits(at = end + 1);
    if (end > at && text.substr(end, 1).find_first_of("eE") == 0) {
        at = text.substr(end + 1, 1).find_first_of("+-") == 0 ? end + 2 : end + 1;
        end = past_digits(at);
    }
    return end > at ? end : 0;
}

/// Replaces a number with the shortest one that has the same value as a double, padded with spaces.
void shorten_number(char* number, std::size_t length) noexcept {
    double value = 0;
    if (std::from_chars(number, number + length, value).ec == std::errc::result_out_of_range)
        value = std::strtod(number, nullptr); // 0 or infinity
    const std::string_view infinite = value < 0 ? "-1e999" : "1e999";
    std::fill(number, number + length, ' ');
    if (std::isinf(value))
        std::ranges::copy(infinite, number);
    else
        std::to_chars(number, number + length, value);
}

/// Returns the text with empty strings and zeros in place of its strings and numbers. cJSON accepts
/// the result if and only if it accepts the text. Returns std::nullopt if a string, a number, a
/// control character or the nesting depth is invalid. In the text itself, shortens numbers that are
/// too long for cJSON.
std::optional<std::string> skeleton_of(std::string& text) {
    std::string skeleton;
    int depth = 0;
    std::size_t length = 1;
    for (std::size_t at = 0; at < text.size(); at += length) {
        const char byte = text[at];
        const auto rest = std::string_view(text).substr(at);
        length = 1;
        if (byte == '"') {
            length = string_length(rest);
            skeleton += "\"\"";
        } else if (byte == '-' || (byte >= '0' && byte <= '9')) {
            length = number_length(rest);
            skeleton += "0 "; // a number must be followed by a delimiter
            if (length > max_number_length)
                shorten_number(text.data() + at, length);
        } else {
            depth += byte == '{' || byte == '[' ? 1 : byte == '}' || byte == ']' ? -1 : 0;
            const bool is_control = static_cast<unsigned char>(byte) < 0x20;
            if (depth > max_depth || (is_control && white_space.find(byte) == white_space.npos))
                return std::nullopt;
            skeleton += byte;
        }
        if (length == 0)
            return std::nullopt;
    }
    return skeleton;
}

/// Parses the whole text. Returns nullptr if cJSON rejects it or memory runs out.
cJSON* parse_whole(const std::string& text) {
    return cJSON_ParseWithOpts(text.c_str(), nullptr, /* to the end */ 1);
}

/// Returns whether cJSON accepts the skeleton as an object. Call this before cJSON parses the text,
/// because on an error, cJSON would free parts of a password without wiping them.
bool is_object(const std::string& skeleton) {
    const auto start = skeleton.find_first_not_of(white_space);
    if (start == skeleton.npos || skeleton[start] != '{')
        return false;
    cJSON* const tree = parse_whole(skeleton);
    cJSON_Delete(tree);
    return tree != nullptr;
}

/// Appends a number as JavaScript prints it: with the fewest digits that identify it, and with an
/// exponent only if it is below 1e-6 or at least 1e21.
void append_number(std::string& out, double number) {
    if (std::isinf(number)) {
        out += number < 0 ? "-Infinity" : "Infinity";
        return;
    }
    std::array<char, 32> buffer;
    const auto [end, error] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                      number == 0 ? 0 : std::fabs(number), std::chars_format::scientific);
    const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    const std::size_t exponent_sign = text.find('e') + 1;
    int exponent = 0;
    std::from_chars(text.data() + exponent_sign + 1, end, exponent);
    exponent = text[exponent_sign] == '-' ? -exponent : exponent;
    out += number < 0 ? "-" : "";
    if (exponent >= 21 || exponent < -6) {
        out.append(text.substr(0, exponent_sign + 1)) += std::to_string(std::abs(exponent));
        return;
    }
    std::string digits(text.substr(0, exponent_sign - 1));
    std::erase(digits, '.');
    if (exponent < 0)
        digits.insert(0, static_cast<std::size_t>(-exponent), '0');
    const std::size_t whole = static_cast<std::size_t>(std::max(exponent, 0)) + 1;
    digits.append(whole - std::min(whole, digits.size()), '0');
    if (digits.size() > whole)
        digits.insert(whole, 1, '.');
    out += digits;
}

/// Appends a value as a string, converted like JavaScript's String().
void append_as_text(std::string& out, const cJSON* value) {
    if (cJSON_IsString(value))
        out += value->valuestring;
    else if (cJSON_IsNumber(value))
        append_number(out, value->valuedouble);
    else if (cJSON_IsBool(value))
        out += cJSON_IsTrue(value) ? "true" : "false";
    else if (cJSON_IsNull(value))
        out += "null";
    else if (cJSON_IsObject(value))
        out += "[object Object]";
    else
        for (const cJSON* node = value->child; node != nullptr; node = node->next) {
            if (!cJSON_IsNull(node))
                append_as_text(out, node);
            out += node->next != nullptr ? "," : "";
        }
}

/// Appends a value as JSON. A number keeps only the precision of a double.
void append_json(std::string& out, const cJSON* value) {
    if (cJSON_IsString(value)) {
        Writer(out).string(value->valuestring);
    } else if (cJSON_IsObject(value) || cJSON_IsArray(value)) {
        const bool is_object = cJSON_IsObject(value);
        out += is_object ? '{' : '[';
        for (const cJSON* node = value->child; node != nullptr; node = node->next) {
            if (is_object)
                Writer(out).string(node->string);
            out += is_object ? ":" : "";
            append_json(out, node);
            out += node->next != nullptr ? "," : "";
        }
        out += is_object ? '}' : ']';
    } else if (cJSON_IsNumber(value) && std::isinf(value->valuedouble)) {
        out += value->valuedouble < 0 ? "-1e999" : "1e999"; // JSON has no infinity
    } else {
        append_as_text(out, value);
    }
}

void wipe_text(char* text) noexcept {
    if (text != nullptr)
        crypto::wipe(text, std::char_traits<char>::length(text));
}

/// Wipes all keys and strings. The nesting limit also limits the recursion.
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

Object::Object(cJSON* tree) : tree_(tree) {
    for (const cJSON* node = tree_->child; node != nullptr; node = node->next)
        members_[node->string] = node;
}

std::optional<Object> Object::parse(std::string_view text) {
    if (!text::is_clean_utf8(text))
        return std::nullopt;
    std::string copy(text);
    const auto skeleton = skeleton_of(copy);
    cJSON* const tree = skeleton && is_object(*skeleton) ? parse_whole(copy) : nullptr;
    crypto::wipe(copy);
    if (tree == nullptr)
        return std::nullopt;
    return Object(tree);
}

const cJSON* Object::member(std::string_view key) const noexcept {
    const auto found = members_.find(key);
    return found != members_.end() ? found->second : nullptr;
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
    if (cJSON_IsString(found))
        return Kind::string;
    return cJSON_IsArray(found) ? Kind::array : Kind::object;
}

std::string_view Object::text(std::string_view key) const noexcept {
    const char* const value = cJSON_GetStringValue(member(key));
    return value == nullptr ? std::string_view() : std::string_view(value);
}

bool Object::boolean(std::string_view key) const noexcept {
    return cJSON_IsTrue(member(key));
}

double Object::number(std::string_view key) const noexcept {
    const cJSON* const found = member(key);
    return cJSON_IsNumber(found) ? found->valuedouble : 0;
}

std::string Object::as_text(std::string_view key) const {
    const cJSON* const found = member(key);
    if (found == nullptr)
        return "undefined";
    std::string text;
    append_as_text(text, found);
    return text;
}

std::string Object::as_json(std::string_view key) const {
    const cJSON* const found = member(key);
    if (found == nullptr)
        return "null";
    std::string json;
    append_json(json, found);
    return json;
}

std::optional<Object> Object::copy_of(const cJSON* value) {
    cJSON* const copy =
        cJSON_IsObject(value) ? cJSON_Duplicate(value, /* with members */ 1) : nullptr;
    return copy != nullptr ? std::optional(Object(copy)) : std::nullopt;
}

std::optional<Object> Object::object(std::string_view key) const {
    return copy_of(member(key));
}

std::optional<std::vector<Object>> Object::objects(std::string_view key) const {
    const cJSON* const found = member(key);
    if (!cJSON_IsArray(found))
        return std::nullopt;
    std::vector<Object> objects;
    for (const cJSON* node = found->child; node != nullptr; node = node->next) {
        std::optional<Object> copy = copy_of(node);
        if (!copy)
            return std::nullopt;
        objects.push_back(*std::move(copy));
    }
    return objects;
}

std::optional<Object> Object::parse_value(std::string_view text) {
    std::string wrapping;
    wrapping.reserve(text.size() + 16); // avoids copies left by reallocation
    ((wrapping += "{\"value\":") += text) += '}';
    auto object = parse(crypto::Secret(std::move(wrapping)).view());
    // A second member means that the text was more than a value, such as 1,"x":2.
    if (object && object->tree_->child->next != nullptr)
        object.reset();
    return object;
}

std::optional<std::vector<std::string_view>> Object::texts(std::string_view key) const {
    const cJSON* const found = member(key);
    if (!cJSON_IsArray(found))
        return std::nullopt;
    std::vector<std::string_view> texts;
    for (const cJSON* node = found->child; node != nullptr; node = node->next) {
        if (!cJSON_IsString(node))
            return std::nullopt;
        texts.emplace_back(node->valuestring);
    }
    return texts;
}

std::vector<std::string_view> Object::keys() const {
    std::vector<std::string_view> keys;
    std::set<std::string_view> known;
    for (const cJSON* node = tree_->child; node != nullptr; node = node->next)
        if (known.insert(node->string).second)
            keys.emplace_back(node->string);
    return keys;
}

} // namespace useradmin::json
