#pragma once

#include "ctl/command_audit.hpp"
#include "ctl/config/options.hpp"
#include "ctl/config/settings.hpp"
#include "ctl/database.hpp"

#include <optional>
#include <utility>

namespace useradmin::ctl {

/// Holds the command line, the settings and the database connection. Connects on first use.
class Context {
  public:
    /// The options must outlive the context.
    Context(const Options& options, std::span<const std::string_view> command_options,
            DatabaseUse use, std::string_view command)
        : options(options), settings(read_settings(options, command_options, use, command)),
          audit_(settings, command, target_of(command, options), errors_) {}

    Database& database(Database::IfAbsent absent = Database::IfAbsent::fail) {
        if (!database_) {
            database_.emplace(settings, absent, errors_);
            database_->store().set_change_listener(audit_.change_listener());
        }
        return *database_;
    }
    /// Runs the command and writes its audit line.
    template <class Run>
    Exit run_audited(const Run& run) {
        try {
            const Exit code = run();
            audit_.finish(Exit::success);
            return code;
        } catch (PrintedError& error) {
            error.cause = errors_.last();
            audit_.finish(error.code);
            throw;
        } catch (const CommandError& error) {
            audit_.finish(error.code);
            throw;
        } catch (...) {
            audit_.finish(Exit::failure);
            throw;
        }
    }
    CommandAudit& audit() noexcept { return audit_; }
    /// Returns the database for a command that accesses rows. Throws CommandError if there is a
    /// superuser risk (Database::superuser_risk).
    Database& database_with_rows() {
        Database& opened = database();
        if (!std::exchange(is_checked_, true))
            opened.reject_superuser_risk(opened.schema());
        return opened;
    }
    store::Store& store() { return database_with_rows().store(); }
    bool wants_json() const { return options.has("json"); }

    const Options& options;
    const CommandSettings settings;

  private:
    ErrorLogger errors_;
    CommandAudit audit_;
    std::optional<Database> database_;
    bool is_checked_ = false;
};

} // namespace useradmin::ctl
