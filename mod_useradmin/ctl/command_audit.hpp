#pragma once

#include "audit/recorder.hpp"
#include "ctl/command_error.hpp"
#include "ctl/config/settings.hpp"
#include "ctl/display.hpp"
#include "store/work.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace useradmin::ctl {

/// Returns the argument that names the command's target or, without arguments, the address in
/// --email. Empty if there is none or if the argument may be a token or an API key.
std::string_view target_of(std::string_view command, const Options& options);

/// Records a command in the configured audit log, which httpd may write at the same time.
class CommandAudit {
  public:
    /// Opens the log, if one is configured. On failure, prints a warning, or throws CommandError if
    /// the log is required. target: see target_of(). The logger must outlive this object.
    CommandAudit(const CommandSettings& settings, std::string_view command, std::string_view target,
                 text::Logger& errors);
    ~CommandAudit();

    /// Returns the listener for the store, or nullptr if there is no log.
    store::ChangeListener* change_listener() noexcept;

    /// Sets the target to a user's id, in place of the argument that named the user.
    void set_target(std::string_view id) {
        if (recorder_)
            recorder_->event().target = id;
    }
    /// Writes the command's line.
    void finish(Exit code);
    /// Records changes of the command, and syncs a required log once. Returns false if they must
    /// not be committed because a line could not be written.
    bool record_changes(std::span<const store::RowChange> changes);
    /// Marks the recorded changes as committed.
    void confirm_changes() noexcept { unconfirmed_.clear(); }
    /// Writes a correcting line for each recorded change that was rolled back or whose outcome is
    /// unknown.
    void write_corrections(bool is_outcome_unknown);
    /// Returns whether changes are recorded before the commit.
    bool runs_before_commit() const noexcept {
        return recorder_ && recorder_->runs_before_commit();
    }

  private:
    struct Files;

    /// Records a change. Returns false if its line could not be written.
    bool record_change(const store::RowChange& change);
    /// Begins an event of the command. corrects: the number of the line to correct, or 0.
    void begin(std::string_view target, std::uint64_t corrects = 0);

    std::string command_;
    std::string target_;
    std::string caller_;
    text::Logger& errors_;
    std::unique_ptr<Files> files_;
    std::optional<audit::Recorder> recorder_;
    /// The line numbers and targets of recorded changes that are not yet committed.
    std::vector<std::pair<std::uint64_t, std::string>> unconfirmed_;
};

} // namespace useradmin::ctl
