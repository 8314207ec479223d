// What a command tells the audit log.
#pragma once

#include "audit/recorder.hpp"
#include "ctl/command_error.hpp"
#include "ctl/config/settings.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace useradmin::ctl {

/// The word of a command line that names whom the command is about; empty where none does, or where
/// it is a token.
std::string_view target_of(std::string_view command, const Options& options);

/// The log that the settings name, the same that httpd writes, and the event of a command.
class CommandAudit {
  public:
    /// Opens the log, where there is one; what keeps it from being told is complained of, or is a
    /// CommandError where it must be. The target is the word that names it.
    CommandAudit(const CommandSettings& settings, std::string_view command,
                 std::string_view target);
    ~CommandAudit();
    CommandAudit(const CommandAudit&) = delete;
    CommandAudit& operator=(const CommandAudit&) = delete;

    /// Who is told of what the store changes; nullptr where there is no log.
    store::ChangeListener* change_listener() noexcept;

    void begin(std::string_view operation, std::string_view target, std::uint64_t corrects = 0);
    /// Tells how it ended.
    void finish(Exit code);
    /// Tells of one of many changes that the command makes; its own event goes on. False where a
    /// change is to be told before it is final, and could not be.
    bool record_change(std::string_view user_id, const model::User* before,
                       const model::User* after);
    /// What was told before it was final is final.
    void confirm_changes() noexcept { unconfirmed_.clear(); }
    /// It is not, or nobody knows: a line for each corrects what was told.
    void revert_changes(bool is_outcome_unknown);
    /// Whether such a change is told before it is final; else it is told afterwards.
    bool runs_before_commit() const noexcept {
        return recorder_ && recorder_->runs_before_commit();
    }

  private:
    class Errors;
    struct Files;

    std::string command_;
    std::string target_;
    std::string caller_;
    std::unique_ptr<Errors> errors_;
    std::unique_ptr<Files> files_;
    std::optional<audit::Recorder> recorder_;
    /// The numbers of lines about changes that are not final yet, and whom they are about.
    std::vector<std::pair<std::uint64_t, std::string>> unconfirmed_;
};

} // namespace useradmin::ctl
