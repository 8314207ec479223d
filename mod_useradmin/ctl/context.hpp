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
    /// Runs the command, and records its result in the audit log even if it throws. Returns the
    /// command's exit code.
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
    /// Returns the schema, for a command that accesses rows. Reads the catalog on first use. Throws
    /// CommandError if there is a superuser risk (Database::superuser_risk).
    const store::Schema& schema() {
        if (!schema_) {
            store::Schema read = database().schema();
            database().reject_superuser_risk(read);
            schema_ = std::move(read);
        }
        return *schema_;
    }
    store::DatabaseStore& database_store() {
        static_cast<void>(schema());
        return database().store();
    }
    store::Store& store() { return database_store(); }
    bool wants_json() const { return options.has("json"); }

    const Options& options;
    const CommandSettings settings;

  private:
    ErrorLogger errors_;
    CommandAudit audit_;
    std::optional<Database> database_;
    std::optional<store::Schema> schema_;
};

} // namespace useradmin::ctl
