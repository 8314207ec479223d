// Where a secret comes from: a text, a file, or the environment.
#pragma once

#include "crypto/secret.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace useradmin::crypto {

/// How many bytes a secret should have at least.
inline constexpr std::size_t least_sound_length = 16;

/// A secret, and what an operator should be warned of.
struct SourcedSecret {
    Secret secret;
    /// The source is the secret itself: whoever sees the configuration sees the secret.
    bool is_written_out = false;
    /// The file that it stands in may be read by every user of the system.
    bool others_may_read = false;

    bool is_short() const noexcept { return secret.view().size() < least_sound_length; }
};

/// Reads the secret that a source names: "file:path" is the first line of a file (a relative path
/// starts in the folder, an empty folder is the current one), "env:NAME" a variable of the
/// environment, any other text the secret itself. Where there is none, gives a sentence that says
/// why, with the path and the system's reason; it holds no secret. A text that is the path of a
/// file is refused: somebody forgot the "file:".
std::variant<SourcedSecret, std::string> read_source(std::string_view source,
                                                     std::string_view folder);

} // namespace useradmin::crypto
