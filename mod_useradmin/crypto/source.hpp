// Reads a secret from a file, the environment or the configuration.
#pragma once

#include "crypto/secret.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace useradmin::crypto {

/// The recommended minimum length of a secret in bytes.
inline constexpr std::size_t min_secret_length = 16;

/// A secret, and conditions that warrant a warning.
struct LoadedSecret {
    Secret secret;
    /// The secret is part of the configuration.
    bool is_inline = false;
    /// Every user of the system may read the file.
    bool is_world_readable = false;

    bool is_short() const noexcept { return secret.view().size() < min_secret_length; }
};

/// Reads a secret: "file:path" is the first line of a file (relative paths start in the folder, or
/// in the current one if that is empty), "env:NAME" an environment variable, any other string the
/// secret itself. On failure, returns a sentence with the path and the system's reason, without the
/// secret. Rejects the path of an existing file without "file:".
std::variant<LoadedSecret, std::string> load_secret(std::string_view source,
                                                    std::string_view folder);

} // namespace useradmin::crypto
