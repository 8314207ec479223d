// What a command works with.
#pragma once

#include "ctl/database.hpp"
#include "ctl/options.hpp"
#include "ctl/settings.hpp"

#include <optional>

namespace useradmin::ctl {

/// The command line, what it says of the database, and the database, which is opened at its first
/// use: a command line that is not right is refused before.
class Context {
  public:
    /// The options outlive the context.
    Context(const Options& options, std::span<const std::string_view> command_options)
        : options(options), settings(settings_of(options, command_options)) {}

    Database& database(Database::Absent absent = Database::Absent::refuse) {
        if (!database_)
            database_.emplace(settings, absent);
        return *database_;
    }
    store::Store& store() { return database().store(); }
    bool wants_json() const { return options.has("json"); }

    const Options& options;
    const Settings settings;

  private:
    std::optional<Database> database_;
};

} // namespace useradmin::ctl
