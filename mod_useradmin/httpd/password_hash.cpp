#include "httpd/password_hash.hpp"

#include "httpd/directive.hpp"

namespace useradmin::httpd {

namespace {

/// Reads one parameter of argon2id ("m=19456"); false where it is none.
bool read_argon2_parameter(std::string_view text, password::Argon2id& argon2id) {
    if (text.size() < 3 || text[1] != '=')
        return false;
    struct {
        char name;
        std::uint32_t& value;
        long least;
        long most;
    } const parameters[] = {{'m', argon2id.memory_kib, 8, 262144},
                            {'t', argon2id.passes, 1, 10},
                            {'p', argon2id.lanes, 1, 16}};
    for (const auto& parameter : parameters) {
        if (text[0] != parameter.name)
            continue;
        const std::optional<long> number =
            number_within(text.data() + 2, parameter.least, parameter.most);
        if (number)
            parameter.value = static_cast<std::uint32_t>(*number);
        return number.has_value();
    }
    return false;
}

} // namespace

const char* set_password_hash(const cmd_parms* command, std::optional<password::Format>& format,
                              int count, char* const words[]) {
    constexpr const char* right = "must be 'scrypt', or 'argon2id' with any of m=KiB (8 to "
                                  "262144), t=N (1 to 10), p=N (1 to 16)";
    const std::string_view name = count > 0 ? apr::view_of(words[0]) : std::string_view();
    if (name == "scrypt" && count == 1) {
        format = password::Scrypt();
        return nullptr;
    }
    if (name != "argon2id")
        return refusal(command, right);
    password::Argon2id argon2id;
    for (int word = 1; word < count; ++word)
        if (!read_argon2_parameter(words[word], argon2id))
            return refusal(command, right);
    if (argon2id.memory_kib < 8 * argon2id.lanes)
        return refusal(command, "m must be at least 8 times p");
    format = argon2id;
    return nullptr;
}

} // namespace useradmin::httpd
