// useradminctl's command line.
#pragma once

#include "ctl/command.hpp"
#include "ctl/config/options.hpp"

#include <span>

namespace useradmin::ctl {

struct CommandLine {
    /// The command; nullptr if there is none, as for --version or --help alone.
    const Command* command = nullptr;
    Options options;
    /// The requested help; otherwise empty.
    std::string help;
};

/// Parses the arguments without the program's name. Throws CommandError (Exit::usage) if they are
/// wrong or not UTF-8.
CommandLine parse(std::span<const char* const> arguments);

} // namespace useradmin::ctl
