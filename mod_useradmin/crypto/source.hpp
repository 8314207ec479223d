// Reads a secret from a file, the environment or the configuration.
#pragma once

#include "crypto/secret.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace useradmin::crypto {

/// The recommended minimum length of a secret in bytes.
inline constexpr std::size_t min_secret_length = 16;

/// A secret, and the properties of its source that deserve a warning.
struct LoadedSecret {
    Secret secret;
    /// Whether the secret is written in the configuration itself.
    bool is_inline = false;
    /// Whether every user of the system may read the file.
    bool is_world_readable = false;
    /// The path of the file. Empty if the secret is not in a file.
    std::string file = {};

    bool is_short() const noexcept { return secret.view().size() < min_secret_length; }
};

/// Reads a secret: "file:path" is the first line of a file, "env:NAME" is an environment variable,
/// and any other string is the secret itself. A relative path is relative to `folder`, or to the
/// current directory if `folder` is empty. On failure, returns an error message without the secret.
/// Rejects the path of an existing file without "file:".
std::variant<LoadedSecret, std::string> load_secret(std::string_view source,
                                                    std::string_view folder);

} // namespace useradmin::crypto
