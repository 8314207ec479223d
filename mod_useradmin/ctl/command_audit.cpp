#include "ctl/command_audit.hpp"

#include "apr/pool.hpp"
#include "ipc/descriptor.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace useradmin::ctl {

namespace {

/// Returns the account that runs the command or, under sudo, the account that called sudo.
std::string account() {
    const std::string_view before_sudo = apr::view_of(std::getenv("SUDO_USER"));
    if (geteuid() == 0 && !before_sudo.empty())
        return std::string(before_sudo);
    const passwd* const entry = getpwuid(getuid());
    return entry != nullptr ? entry->pw_name : std::to_string(getuid());
}

/// Returns the HTTP status that corresponds to an exit code.
int status_of(Exit code) noexcept {
    constexpr int statuses[] = {200, 500, 400, 409, 404}; // in the order of Exit
    return statuses[static_cast<std::size_t>(code)];
}

} // namespace

std::string_view target_of(std::string_view command, const Options& options) {
    if (options.arguments.empty())
        return options.find("email").value_or("");
    const std::string_view word = options.arguments[0];
    const bool may_be_secret =
        (command == "session revoke" || command == "key revoke") && word.find('@') == word.npos;
    return may_be_secret ? std::string_view() : word;
}

/// The open audit log and its .chain file.
struct CommandAudit::Files {
    audit::Descriptors open;
    audit::Log chained{open.log, open.position};
    ipc::Descriptor log{open.log};
    ipc::Descriptor position{open.position};

    explicit Files(const std::string& name) : open(audit::open_log(name)) {}
};

CommandAudit::CommandAudit(const CommandSettings& settings, std::string_view command,
                           std::string_view target, text::Logger& errors)
    : command_(command), target_(target), errors_(errors) {
    const std::string& name = settings.audit_log;
    if (name.empty())
        return;
    std::string problem;
    if (name.starts_with('|')) {
        problem = "UserAdminAuditLog is a program, to which only httpd can write; use --audit-log "
                  "FILE or --audit-log none";
    } else {
        files_ = std::make_unique<Files>(name);
        if (!files_->open)
            problem = "cannot open the audit log " + name + ": " +
                      std::generic_category().message(errno) +
                      "; run the command as an account that may write it, such as root";
    }
    if (!problem.empty() && settings.is_audit_required)
        throw CommandError(problem);
    if (!problem.empty()) {
        print_error(problem + "; this command is not logged");
        return;
    }
    caller_ = account();
    recorder_.emplace(audit::Trail{&files_->chained, settings.is_audit_required},
                      audit::Origin{"useradminctl"}, errors_);
    begin(target_);
}

CommandAudit::~CommandAudit() = default;

store::ChangeListener* CommandAudit::change_listener() noexcept {
    return recorder_ ? &*recorder_ : nullptr;
}

void CommandAudit::begin(std::string_view target, std::uint64_t corrects) {
    if (!recorder_)
        return;
    audit::Event event;
    event.operation = command_;
    event.is_change = true;
    event.target = target;
    event.caller = caller_;
    recorder_->begin(std::move(event), corrects);
}

void CommandAudit::finish(Exit code) {
    if (!recorder_)
        return;
    recorder_->event().status = status_of(code);
    recorder_->finish();
}

bool CommandAudit::record_changes(std::span<const store::RowChange> changes) {
    if (!recorder_)
        return true;
    recorder_->defer_sync();
    const bool is_recorded = std::ranges::all_of(
        changes, [&](const store::RowChange& change) { return record_change(change); });
    begin(target_);
    return recorder_->sync() && is_recorded;
}

bool CommandAudit::record_change(const store::RowChange& change) {
    begin(change.user_id);
    const bool is_recorded =
        recorder_->on_change(change.user_id, change.before ? &*change.before : nullptr,
                             change.after ? &*change.after : nullptr);
    if (recorder_->written() != 0)
        unconfirmed_.emplace_back(recorder_->written(), change.user_id);
    if (is_recorded)
        finish(Exit::success);
    return is_recorded;
}

void CommandAudit::write_corrections(bool is_outcome_unknown) {
    if (!recorder_)
        return;
    if (!unconfirmed_.empty()) {
        recorder_->defer_sync();
        for (const auto& [number, user_id] : unconfirmed_) {
            begin(user_id, number);
            recorder_->event().status = status_of(Exit::failure);
            recorder_->event().is_outcome_unknown = is_outcome_unknown;
            if (!recorder_->finish())
                break;
        }
        recorder_->sync();
        unconfirmed_.clear();
    }
    begin(target_);
    if (is_outcome_unknown)
        recorder_->on_unknown_outcome();
}

} // namespace useradmin::ctl
