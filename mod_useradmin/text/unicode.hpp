// UTF-8 validation, case folding, sort keys and normal forms.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::text {

/// U+FFFD. Replaces invalid bytes in output that must be UTF-8.
inline constexpr std::string_view replacement_character = "\xef\xbf\xbd";
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

constexpr std::string_view without_byte_order_mark(std::string_view text) noexcept {
    return text.substr(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
}

/// Returns whether the character is an ASCII letter or digit.
constexpr bool is_alphanumeric(char character) noexcept {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9');
}

/// Returns whether the bytes are valid UTF-8 (no surrogates, no overlong forms) without U+0000.
/// Every string from a client must pass this check before it reaches a database.
bool is_clean_utf8(std::string_view bytes) noexcept;

/// Returns the length (1 to 4) of the UTF-8 sequence at the start of the bytes, or 0 if it is
/// invalid. Accepts U+0000.
std::size_t sequence_length(std::string_view bytes) noexcept;

/// Returns the longest prefix of at most max_size bytes that does not split a UTF-8 sequence.
std::string_view utf8_prefix(std::string_view text, std::size_t max_size) noexcept;

/// Returns the length of UTF-8 text in UTF-16 code units, as JavaScript counts them.
std::size_t utf16_length(std::string_view text) noexcept;

/// A letter that has no Unicode decomposition, and the plain letters that fold() replaces it with.
struct PlainLetter {
    std::string_view small;
    std::string_view capital; ///< empty if the capital is an ASCII letter
    std::string_view plain;
};

inline constexpr PlainLetter plain_letters[] = {{"ß", "ẞ", "ss"}, {"æ", "Æ", "ae"}, {"ð", "Ð", "d"},
                                                {"ø", "Ø", "o"},  {"þ", "Þ", "th"}, {"đ", "Đ", "d"},
                                                {"ħ", "Ħ", "h"},  {"ı", "", "i"},   {"ł", "Ł", "l"},
                                                {"œ", "Œ", "oe"}, {"ŧ", "Ŧ", "t"}};

/// Folds case and removes accents for searching: "ÁNGEL" matches "angel", and "Łukasz" matches
/// "lukasz". If the text is not valid UTF-8, replaces only plain_letters.
std::string fold(std::string_view text);

/// Splits a search into at most eight words at white space. The eighth word includes the rest. A
/// search that contains only white space is one word.
std::vector<std::string_view> search_words(std::string_view search);

/// Returns whether the text consists only of combining marks. Such a text folds to an empty string,
/// so a search for it would match everything.
bool has_only_combining_marks(std::string_view text) noexcept;

/// Returns all combining marks, as the ranges of a bracket expression: "a-bc-d".
std::string combining_marks();

/// Returns a key for sorting by its bytes: NFKD without combining marks (U+0300 to U+036F), and
/// with A to Z in lower case. The text must be valid UTF-8 without U+0000.
std::string sort_key(std::string_view text);

/// Calls visit with each code point that fold() changes and its replacement. To fold a string,
/// replace each code point, then compose the result (NFC).
void for_each_fold(const std::function<void(std::string_view, std::string_view)>& visit);

/// Returns the text with A to Z in lower case.
std::string lower_ascii(std::string text);

/// Compares ASCII text without regard to case, as httpd compares names.
bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) noexcept;
bool equals_ignoring_case(std::string_view left, std::string_view right) noexcept;

/// Converts camelCase to snake_case, for example "emailVerified" to "email_verified".
std::string snake_case(std::string_view camel_case);

/// Converts each code point to lower case, as better-auth does before it stores email addresses.
/// Returns invalid UTF-8 unchanged.
std::string lower(std::string_view text);

/// Returns the text in normalization form KC, as better-auth normalizes passwords before it hashes
/// them. Returns invalid UTF-8 unchanged. Leaves no other copy in memory, but the caller must wipe
/// a secret result. Runs of combining marks take quadratic time, so the caller must limit the
/// length.
std::string nfkc(std::string_view text);

} // namespace useradmin::text
