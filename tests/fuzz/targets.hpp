// The fuzz targets. The fuzzer runs them on generated input, and replay.cpp on the stored corpus.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace useradmin::fuzz {

/// A function that accepts any input. Each target has a source file in this directory and a corpus
/// directory with its name.
struct Target {
    std::string_view name;
    /// Aborts if the input violates a property that the target checks.
    void (*run)(std::string_view input);
};

void fuzz_body(std::string_view text);
void fuzz_origin(std::string_view lines);
void fuzz_password_hash(std::string_view stored);
void fuzz_path(std::string_view path);
void fuzz_query(std::string_view query);
void fuzz_sign_in(std::string_view lines);
void fuzz_text(std::string_view text);
void fuzz_timestamp(std::string_view text);
void fuzz_token(std::string_view header);

inline constexpr Target targets[] = {
    {"body", fuzz_body}, {"origin", fuzz_origin},       {"password_hash", fuzz_password_hash},
    {"path", fuzz_path}, {"query", fuzz_query},         {"sign_in", fuzz_sign_in},
    {"text", fuzz_text}, {"timestamp", fuzz_timestamp}, {"token", fuzz_token},
};

/// Returns the target with this name, or nullptr if there is none.
inline const Target* find_target(std::string_view name) noexcept {
    for (const Target& target : targets)
        if (target.name == name)
            return &target;
    return nullptr;
}

/// Aborts the program if the property does not hold.
inline void require(bool is_kept, const char* promise) noexcept {
    if (is_kept)
        return;
    std::fprintf(stderr, "Broken: %s\n", promise);
    std::abort();
}

} // namespace useradmin::fuzz
