#include "http/language.hpp"

#include "text/split.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <charconv>

namespace useradmin::http {

namespace {

constexpr Language languages[] = {Language::spanish, Language::english};

/// Returns the weight in the parameters of a list element (RFC 9110, section 12.4.2): 1 if there
/// are none, and 0 if they are malformed.
double weight_of(std::string_view parameters) noexcept {
    if (parameters.empty())
        return 1;
    if (!parameters.starts_with("q=") && !parameters.starts_with("Q="))
        return 0;
    double weight = 0;
    const char* const end = parameters.data() + parameters.size();
    const auto [stop, error] =
        std::from_chars(parameters.data() + 2, end, weight, std::chars_format::fixed);
    return error == std::errc() && stop == end && weight <= 1 ? weight : 0;
}

/// Returns whether the range's primary subtag is the language.
bool is_range_of(std::string_view range, Language language) {
    const std::string_view primary = text::take_until(range, '-');
    return primary.size() == tag_of(language).size() &&
           text::lower_ascii(std::string(primary)) == tag_of(language);
}

} // namespace

Language preferred_language(std::string_view accept_language) noexcept {
    Language best = Language::spanish;
    double best_weight = 0;
    double wildcard_weight = 0;
    bool is_listed[std::size(languages)] = {};
    while (!accept_language.empty()) {
        std::string_view parameters = text::take_until(accept_language, ',');
        const std::string_view range = text::trim(text::take_until(parameters, ';'));
        const double weight = weight_of(text::trim(parameters));
        if (range == "*")
            wildcard_weight = std::max(wildcard_weight, weight);
        for (const Language language : languages) {
            if (!is_range_of(range, language))
                continue;
            is_listed[static_cast<std::size_t>(language)] = true;
            if (weight > best_weight) {
                best = language;
                best_weight = weight;
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
