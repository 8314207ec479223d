#pragma once

#include "ctl/command.hpp"
#include "ctl/config/options.hpp"

#include <span>

namespace useradmin::ctl {

struct CommandLine {
    /// nullptr if there is no command, as in "useradminctl --version".
    const Command* command = nullptr;
    Options options;
    /// The requested help. Empty if no help was requested.
    std::string help;
};

/// Parses the arguments without the program's name. Throws UsageError if they are invalid or not
/// UTF-8.
CommandLine parse(std::span<const char* const> arguments);

} // namespace useradmin::ctl
