#include "http/language.hpp"

#include <algorithm>
#include <optional>

namespace useradmin::http {

namespace {

constexpr Language languages[] = {Language::spanish, Language::english};

/// Returns the text without leading and trailing blanks.
std::string_view trim(std::string_view text) noexcept {
    constexpr std::string_view blanks = " \t";
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// Removes and returns the text before the first separator.
std::string_view split(std::string_view& text, char separator) noexcept {
    const std::string_view first = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(first.size() + 1, text.size()));
    return first;
}

char lower(char character) noexcept {
    return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a')
                                                : character;
}

bool is_digit(char character) noexcept {
    return character >= '0' && character <= '9';
}

bool is_letter(char character) noexcept {
    return lower(character) >= 'a' && lower(character) <= 'z';
}

bool is_subtag(std::string_view text, bool is_first) noexcept {
    return !text.empty() && text.size() <= 8 &&
           std::all_of(
               text.begin(), text.end(),
               [&](char character) {
                   return is_letter(character) || (!is_first && is_digit(character));
               });
}

/// Returns whether the text is a language range (RFC 4647, section 2.1).
bool is_range(std::string_view text) noexcept {
    if (text == "*")
        return true;
    bool is_first = true;
    // A trailing hyphen leaves an empty subtag, which is invalid.
    for (bool has_more = true; has_more; is_first = false) {
        has_more = text.find('-') != text.npos;
        if (!is_subtag(split(text, '-'), is_first))
            return false;
    }
    return true;
}

/// Parses a weight such as "q=0.8". Returns it in thousandths, or std::nullopt if it is malformed.
std::optional<int> parse_weight(std::string_view text) noexcept {
    if (text.size() < 3 || lower(text[0]) != 'q' || text[1] != '=')
        return std::nullopt;
    text.remove_prefix(2);
    const std::string_view decimals = text.substr(std::min<std::size_t>(2, text.size()));
    if ((text[0] != '0' && text[0] != '1') || (text.size() > 1 && text[1] != '.') ||
        decimals.size() > 3 || !std::all_of(decimals.begin(), decimals.end(), is_digit))
        return std::nullopt;
    int weight = text[0] == '1' ? 1000 : 0;
    int unit = 100;
    for (const char digit : decimals) {
        weight += (digit - '0') * unit;
        unit /= 10;
    }
    return weight <= 1000 ? std::optional(weight) : std::nullopt;
}

bool is_range_of(std::string_view range, Language language) noexcept {
    const std::string_view primary = split(range, '-');
    const std::string_view tag = tag_of(language);
    return std::equal(primary.begin(), primary.end(), tag.begin(), tag.end(),
                      [](char character, char wanted) { return lower(character) == wanted; });
}

} // namespace

Language preferred_language(std::string_view accept_language) noexcept {
    Language best = Language::spanish;
    int best_weight = 0;
    int weight_of_others = 0;
    bool is_listed[std::size(languages)] = {};
    while (!accept_language.empty()) {
        std::string_view parameters = split(accept_language, ',');
        const bool is_weighted = parameters.find(';') != parameters.npos;
        const std::string_view range = trim(split(parameters, ';'));
        // Empty list elements are ignored.
        if (range.empty() && !is_weighted)
            continue;
        const std::optional<int> weight = is_weighted ? parse_weight(trim(parameters)) : 1000;
        if (!is_range(range) || !weight)
            return Language::spanish;
        if (range == "*")
            weight_of_others = std::max(weight_of_others, *weight);
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
        if (!is_listed[static_cast<std::size_t>(language)] && weight_of_others > best_weight) {
            best = language;
            best_weight = weight_of_others;
        }
    return best;
}

} // namespace useradmin::http
