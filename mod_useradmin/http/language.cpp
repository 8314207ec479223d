#include "http/language.hpp"

#include "text/split.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace useradmin::http {

namespace {

constexpr Language languages[] = {Language::spanish, Language::english};

/// Returns whether the text is a language range (RFC 4647, section 2.1).
bool is_range(std::string_view range) noexcept {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    constexpr std::string_view letters_and_digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    if (range == "*")
        return true;
    std::string_view allowed = letters;
    // A trailing hyphen leaves an empty subtag, which is invalid.
    for (bool has_more = true; has_more; allowed = letters_and_digits) {
        has_more = range.find('-') != range.npos;
        const std::string_view subtag = text::take_until(range, '-');
        if (subtag.empty() || subtag.size() > 8 || subtag.find_first_not_of(allowed) != subtag.npos)
            return false;
    }
    return true;
}

/// Parses a weight such as "q=0.8" (RFC 9110, section 12.4.2). Returns std::nullopt if it is
/// malformed.
std::optional<double> parse_weight(std::string_view text) noexcept {
    if (!text.starts_with("q=") && !text.starts_with("Q="))
        return std::nullopt;
    text.remove_prefix(2);
    // from_chars also accepts numbers such as ".5" and "01", and any number of decimals.
    const bool has_form =
        text == "0" || text == "1" || text.starts_with("0.") || text.starts_with("1.");
    if (!has_form || text.size() > 5)
        return std::nullopt;
    double weight = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, weight, std::chars_format::fixed);
    return error == std::errc() && stop == end && weight <= 1 ? std::optional(weight)
                                                              : std::nullopt;
}

/// Returns whether the range's primary subtag is the language.
bool is_range_of(std::string_view range, Language language) {
    return text::lower_ascii(std::string(text::take_until(range, '-'))) == tag_of(language);
}

} // namespace

Language preferred_language(std::string_view accept_language) noexcept {
    Language best = Language::spanish;
    double best_weight = 0;
    double wildcard_weight = 0;
    bool is_listed[std::size(languages)] = {};
    while (!accept_language.empty()) {
        std::string_view parameters = text::take_until(accept_language, ',');
        const bool is_weighted = parameters.find(';') != parameters.npos;
        const std::string_view range = text::trim(text::take_until(parameters, ';'));
        // Empty list elements are ignored.
        if (range.empty() && !is_weighted)
            continue;
        const std::optional<double> weight = is_weighted ? parse_weight(text::trim(parameters)) : 1;
        if (!is_range(range) || !weight)
            return Language::spanish;
        if (range == "*")
            wildcard_weight = std::max(wildcard_weight, *weight);
        for (const Language language : languages) {
            if (!is_range_of(range, language))
                continue;
            is_listed[static_cast<std::size_t>(language)] = true;
            if (*weight > best_weight) {
                best = language;
                best_weight = *weight;
            }
        }
    }
    for (const Language language : languages)
        if (!is_listed[static_cast<std::size_t>(language)] && wildcard_weight > best_weight) {
            best = language;
            best_weight = wildcard_weight;
        }
    return best;
}

} // namespace useradmin::http
