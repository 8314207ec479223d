// UTF-8 validation, case folding, sort keys and normal forms.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::text {

/// U+FFFD, which replaces invalid bytes in output that must be UTF-8.
inline constexpr std::string_view replacement_character = "\xef\xbf\xbd";

/// Returns whether the bytes are well-formed UTF-8 (no surrogates, no overlong forms) without
/// U+0000. Every string from a client is checked before it reaches a database.
bool is_clean_utf8(std::string_view bytes) noexcept;

/// Returns the length (1 to 4) of the UTF-8 sequence at the start of the bytes, or 0 if it is
/// invalid. U+0000 is valid here.
std::size_t sequence_length(std::string_view bytes) noexcept;

/// Returns the longest prefix of at most `most` bytes that does not split a UTF-8 sequence.
std::string_view beginning(std::string_view text, std::size_t most) noexcept;

/// Returns the length of a UTF-8 text in UTF-16 code units, as JavaScript counts it.
std::size_t utf16_length(std::string_view text) noexcept;

/// A letter that does not decompose, and the plain letters with which fold() replaces it.
struct PlainLetter {
    std::string_view small;
    std::string_view capital; ///< empty if it is an ASCII letter
    std::string_view plain;
};

inline constexpr PlainLetter plain_letters[] = {{"ß", "ẞ", "ss"}, {"æ", "Æ", "ae"}, {"ð", "Ð", "d"},
                                                {"ø", "Ø", "o"},  {"þ", "Þ", "th"}, {"đ", "Đ", "d"},
                                                {"ħ", "Ħ", "h"},  {"ı", "", "i"},   {"ł", "Ł", "l"},
                                                {"œ", "Œ", "oe"}, {"ŧ", "Ŧ", "t"}};

/// Folds case and removes accents, for searching ("ÁNGEL" matches "angel", "Łukasz" "lukasz").
/// Text that is not UTF-8 keeps its case and accents.
std::string fold(std::string_view text);

/// Returns the words of a search, which are separated by white space: at most eight, the last of
/// which is the remainder. A search of only white space is one word.
std::vector<std::string_view> search_words(std::string_view search);

/// Returns whether the text consists of combining marks only. Such a text folds to an empty string,
/// which every text contains.
bool has_only_combining_marks(std::string_view text) noexcept;

/// Returns the text's sort key, which every database compares byte by byte: NFKD, without combining
/// marks (U+0300 to U+036F), with A to Z in lower case. The text must be clean UTF-8.
std::string sort_key(std::string_view text);

/// Calls visit with each code point that fold() changes, and with its replacement. To fold a text,
/// replace each of its code points, then compose it (NFC).
void for_each_fold(const std::function<void(std::string_view, std::string_view)>& visit);

/// Converts each code point to lower case, as better-auth does before it stores addresses. Returns
/// text that is not UTF-8 unchanged.
std::string lower(std::string_view text);

/// Returns the text in normal form KC, which better-auth applies to a password before hashing.
/// Returns text that is not UTF-8 unchanged. Leaves no copy in memory; the caller wipes a secret
/// result. A run of combining marks takes quadratic time: the caller bounds the length.
std::string nfkc(std::string_view text);

} // namespace useradmin::text
