// What strangers send, for the fuzzer and for the replay of what it found.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace useradmin::fuzz {

/// Something that takes whatever it is given: each target is a file of its own here, and its
/// corpus a folder of its name.
struct Target {
    std::string_view name;
    /// Does not return where the input breaks one of the target's promises.
    void (*take)(std::string_view input);
};

void take_body(std::string_view text);
void take_configuration(std::string_view line);
void take_origin(std::string_view lines);
void take_password_hash(std::string_view stored);
void take_path(std::string_view path);
void take_query(std::string_view query);
void take_sign_in(std::string_view lines);
void take_text(std::string_view text);
void take_timestamp(std::string_view text);
void take_token(std::string_view header);

inline constexpr Target targets[] = {
    {"body", take_body},           {"configuration", take_configuration},
    {"origin", take_origin},       {"password_hash", take_password_hash},
    {"path", take_path},           {"query", take_query},
    {"sign_in", take_sign_in},     {"text", take_text},
    {"timestamp", take_timestamp}, {"token", take_token},
};

/// The target of that name; nullptr where there is none.
inline const Target* target_named(std::string_view name) noexcept {
    for (const Target& target : targets)
        if (target.name == name)
            return &target;
    return nullptr;
}

/// Ends the program where a promise is broken.
inline void require(bool is_kept, const char* promise) noexcept {
    if (is_kept)
        return;
    std::fprintf(stderr, "Broken: %s\n", promise);
    std::abort();
}

} // namespace useradmin::fuzz
