// Where a secret comes from: a text, a file, or the environment.
#pragma once

#include "crypto/secret.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace useradmin::crypto {

/// How many bytes a secret should have at least.
inline constexpr std::size_t min_secret_length = 16;

/// A secret, and what an operator should be warned of.
struct LoadedSecret {
    Secret secret;
    /// The source is the secret itself: whoever sees the configuration sees the secret.
    bool is_inline = false;
    /// The file that it stands in may be read by every user of the system.
    bool is_world_readable = false;

    bool is_short() const noexcept { return secret.view().size() < min_secret_length; }
};

/// Reads the secret that a source names: "file:path" is the first line of a file (a relative path
/// starts in the folder, an empty folder is the current one), "env:NAME" a variable of the
/// environment, any other text the secret itself. Where there is none, gives a sentence that says
/// why, with the path and the system's reason; it holds no secret. A text that is the path of a
/// file is refused: somebody forgot the "file:".
std::variant<LoadedSecret, std::string> load_secret(std::string_view source,
                                                    std::string_view folder);

} // namespace useradmin::crypto
