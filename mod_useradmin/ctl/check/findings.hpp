// The results of check: advice, problems and directives.
#pragma once

#include "ctl/check/database_facts.hpp"
#include "ctl/config/settings.hpp"

#include <string>
#include <vector>

namespace useradmin::ctl {

struct Findings {
    /// Advice that is not a problem.
    std::vector<std::string> notes;
    /// What could not be checked, and why.
    std::vector<std::string> unchecked;
    /// Problems of the service or the application, each with its remedy.
    std::vector<std::string> problems;
    /// Directives that fit the application's rows.
    std::vector<std::string> directives;
};

Findings findings_of(const DatabaseFacts& found, const CommandSettings& settings,
                     const store::DatabaseProduct& product);

} // namespace useradmin::ctl
