#include "text/url.hpp"

#include "text/hex.hpp"
#include "text/split.hpp"

namespace useradmin::text {

namespace {

enum class Plus { stays, is_a_space };

std::string decode(std::string_view text, Plus plus) {
    if (plus == Plus::stays && text.find('%') == text.npos)
        return std::string(text);
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool may_escape = text[at] == '%' && at + 2 < text.size();
        const int high = may_escape ? hex_value(text[at + 1]) : -1;
        const int low = may_escape ? hex_value(text[at + 2]) : -1;
        if (high >= 0 && low >= 0) {
            decoded += static_cast<char>(high * 16 + low);
            at += 2;
        } else {
            decoded += text[at] == '+' && plus == Plus::is_a_space ? ' ' : text[at];
        }
    }
    return decoded;
}

} // namespace

std::string decode_path_segment(std::string_view segment) {
    return decode(segment, Plus::stays);
}

std::optional<std::string> query_parameter(std::string_view query, std::string_view name) {
    while (!query.empty()) {
        auto value = take_until(query, '&');
        if (value.empty())
            continue; // skip empty parameters ("a=1&&b=2")
        const auto key = take_until(value, '=');
        if (decode(key, Plus::is_a_space) == name)
            return decode(value, Plus::is_a_space);
    }
    return std::nullopt;
}

std::vector<std::string> query_parameters(std::string_view query, std::string_view name) {
    std::vector<std::string> values;
    while (!query.empty()) {
        const std::string_view parameter = take_until(query, '&');
        if (auto value = query_parameter(parameter, name))
            values.push_back(*std::move(value));
    }
    return values;
}

std::string remove_query_parameter(std::string_view query, std::string_view name) {
    std::string rest;
    while (!query.empty()) {
        const auto parameter = take_until(query, '&');
        auto value = parameter;
        if (parameter.empty() || decode(take_until(value, '='), Plus::is_a_space) == name)
            continue;
        rest.append(rest.empty() ? "" : "&").append(parameter);
    }
    return rest;
}

void append_percent_encoded(std::string& out, std::string_view text, std::string_view unescaped) {
    constexpr std::string_view unreserved =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    for (const char character : text)
        if (unreserved.find(character) != unreserved.npos ||
            unescaped.find(character) != unescaped.npos)
            out += character;
        else
            append_hex(out += '%', static_cast<unsigned char>(character), upper_hex_digits);
}

} // namespace useradmin::text
