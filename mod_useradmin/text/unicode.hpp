// What the service needs of Unicode: whether bytes are UTF-8, and two normal forms.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace useradmin::text {

/// U+FFFD, which stands for bytes that are not UTF-8 where a text must be.
inline constexpr std::string_view replacement_character = "\xef\xbf\xbd";

/// Whether the bytes are well-formed UTF-8 (no surrogates, no overlong forms) and hold no U+0000.
/// Everything that comes from a client passes here before it reaches a database.
bool is_clean_utf8(std::string_view bytes) noexcept;

/// The length of the well-formed UTF-8 sequence (U+0000 is one) that the bytes start with, 1 to 4;
/// 0 where they start with none.
std::size_t sequence_length(std::string_view bytes) noexcept;

/// How many units of UTF-16 the UTF-8 text takes: the length that JavaScript counts.
std::size_t utf16_length(std::string_view text) noexcept;

/// The text with case and accents folded away, for comparing as people do ("ÁNGEL" and "angel").
/// Bytes that are not UTF-8 come back as they are.
std::string fold(std::string_view text);

/// Whether the text is of combining marks alone: that is folded to nothing, which every text
/// contains.
bool has_only_combining_marks(std::string_view text) noexcept;

/// What texts are sorted by, byte by byte, in every database: decomposed (NFKD), without combining
/// marks (U+0300 to U+036F), the letters A to Z in lower case. Clean UTF-8 goes in.
std::string sort_key(std::string_view text);
/// Visits the code points that are folded to something else, with that: a text is folded when each
/// of its code points is, and the whole is composed (NFC) then.
void for_each_fold(const std::function<void(std::string_view, std::string_view)>& visit);

/// The text in lower case, letter by letter, as better-auth keeps addresses.
/// Bytes that are not UTF-8 come back as they are.
std::string lower(std::string_view text);

/// The text in normal form KC, as better-auth normalises a password before it hashes it.
/// Bytes that are not UTF-8 come back as they are. It leaves no copy behind; the caller wipes a
/// result that is secret. Takes quadratic time for a run of marks: the caller bounds the length.
std::string nfkc(std::string_view text);

} // namespace useradmin::text
