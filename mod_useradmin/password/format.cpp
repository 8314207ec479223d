#include "password/format.hpp"

#include "text/number.hpp"

namespace useradmin::password {

namespace {

/// Describes the valid arguments and their bounds.
std::string accepted_forms() {
    std::string message = "'scrypt', or 'argon2id' with any of ";
    for (const auto& parameter : argon2id_parameters) {
        message += parameter.letter;
        message += '=';
        message += parameter.unit;
        message +=
            " (" + std::to_string(parameter.min) + " to " + std::to_string(parameter.max) + "), ";
    }
    return message + "where m is at least " + std::to_string(min_lane_memory_kib) + " times p";
}

/// Parses one parameter, such as "m=19456". Returns false if it is invalid or out of bounds.
bool read_parameter(std::string_view word, Argon2id& argon2id) {
    if (word.size() < 2 || word[1] != '=')
        return false;
    for (const auto& parameter : argon2id_parameters) {
        if (word[0] != parameter.letter)
            continue;
        const auto value = text::parse_integer(word.substr(2), parameter.min, parameter.max);
        argon2id.*parameter.value = value.value_or(0);
        return value.has_value();
    }
    return false;
}

} // namespace

std::variant<Format, std::string> parse_format(std::span<const std::string_view> words) {
    if (words.size() == 1 && words[0] == "scrypt")
        return Format(Scrypt());
    if (words.empty() || words[0] != "argon2id")
        return accepted_forms();
    Argon2id argon2id;
    for (const std::string_view word : words.subspan(1))
        if (!read_parameter(word, argon2id))
            return accepted_forms();
    if (argon2id.memory_kib < min_lane_memory_kib * argon2id.lanes)
        return accepted_forms();
    return Format(argon2id);
}

} // namespace useradmin::password
