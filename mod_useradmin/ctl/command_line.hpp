// useradminctl's command line.
#pragma once

#include "ctl/command.hpp"
#include "ctl/config/options.hpp"

#include <span>

namespace useradmin::ctl {

struct CommandLine {
    /// The command; nullptr for --version and for a help.
    const Command* command = nullptr;
    Options options;
    /// The help that was asked for; otherwise empty.
    std::string help;
};

/// Parses the arguments without the program's name. Throws a CommandError of usage if they are
/// wrong or not UTF-8.
CommandLine parse(std::span<const char* const> arguments);

} // namespace useradmin::ctl
