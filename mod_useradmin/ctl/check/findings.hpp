// What follows from what check found: advice, problems, and the directives to write.
#pragma once

#include "ctl/check/database_facts.hpp"
#include "ctl/config/settings.hpp"

#include <string>
#include <vector>

namespace useradmin::ctl {

struct Findings {
    /// What is worth knowing, and keeps nothing from working.
    std::vector<std::string> notes;
    /// What keeps the service or the application from working, each with its remedy.
    std::vector<std::string> problems;
    /// The directives that suit the application's rows.
    std::vector<std::string> directives;
};

Findings findings_of(const DatabaseFacts& found, const CommandSettings& settings,
                     const store::DatabaseProduct& product);

} // namespace useradmin::ctl
