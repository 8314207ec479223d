#include "audit/recorder.hpp"

#include "text/network.hpp"

#include <cerrno>
#include <string>
#include <system_error>

namespace useradmin::audit {

namespace {

/// Returns whether the status denies access: unauthenticated, forbidden or rate-limited.
bool is_denied(int status) noexcept {
    return status == 401 || status == 403 || status == 429;
}

/// Logs a write error, and the beginning and end of a stall.
void report(const AppendResult& appended, bool is_required, text::Logger& errors) {
    if (appended.error != 0 && appended.error != EAGAIN)
        errors.write_throttled(
            text::Level::error,
            "UA0401: cannot write the audit log: " +
                std::generic_category().message(appended.error) +
                (is_required ? "; changes are rejected until it can be written" : ""));
    if (appended.begins_stall)
        errors.write(
            text::Level::error,
            std::string("UA0403: the piped log program is not keeping up; lines are lost") +
                (is_required ? " and changes are rejected" : "") + " until it catches up");
    if (appended.not_written != 0)
        errors.write(text::Level::warning,
                     "UA0404: the piped log program has caught up; " +
                         std::to_string(appended.not_written) +
                         (appended.not_written == 1 ? " line was lost" : " lines were lost"));
}

} // namespace

bool Recorder::on_change(std::string_view user_id, const model::User* before,
                         const model::User* after) {
    if (!user_id.empty())
        event_.target = user_id;
    event_.before = before != nullptr ? std::optional(*before) : std::nullopt;
    event_.after = after != nullptr ? std::optional(*after) : std::nullopt;
    if (!runs_before_commit() || !event_.is_change)
        return true;
    event_.status = 200;
    return write();
}

bool Recorder::is_combined() const noexcept {
    const Result result = event_.result();
    return (event_.caller.empty() || event_.is_credential_rejected || !event_.is_change) &&
           written_ == 0 && (result == Result::refused || result == Result::failed);
}

bool Recorder::finish() {
    if (!is_enabled())
        return true;
    const bool is_recorded = written_ != 0 && event_.result() == Result::done;
    if (is_recorded || !(event_.is_change || is_denied(event_.status)))
        return true;
    // The line must not claim that a change was made if this is unknown.
    if (event_.result() != Result::done)
        event_.before = event_.after = std::nullopt;
    if (!is_combined())
        return write();
    const std::string sender = text::Network::of(origin_.address).text() + ' ' + event_.caller;
    const std::string_view reason = event_.caller.empty() ? "" : event_.reason;
    event_.count = trail_.log->rejections().count(reason, sender, ipc::LogThrottle::Clock::now(),
                                                  /*max_lines=*/1);
    if (event_.count != 0)
        write();
    return true;
}

/// Returns `non_blocking` unless the line records a change or corrects another line.
Log::Delivery Recorder::delivery() const noexcept {
    const Result result = event_.result();
    const bool is_change = result == Result::done || result == Result::unknown || written_ != 0;
    return !is_change                                 ? Log::Delivery::non_blocking
           : trail_.is_required && !is_sync_deferred_ ? Log::Delivery::durable
                                                      : Log::Delivery::blocking;
}

bool Recorder::sync() {
    is_sync_deferred_ = false;
    if (!runs_before_commit())
        return true;
    const AppendResult synced{0, trail_.log->sync()};
    report(synced, trail_.is_required, errors_);
    return synced.error == 0;
}

bool Recorder::write() {
    const AppendResult appended =
        trail_.log->append(begin_line(event_, origin_, text::now(), written_), delivery());
    const Result result = event_.result();
    if (appended.number != 0)
        written_ = appended.number;
    else if (written_ != 0 && result != Result::done)
        errors_.write(text::Level::error,
                      "UA0401: cannot write the audit log: " +
                          std::generic_category().message(appended.error) + "; line " +
                          std::to_string(written_) + " claims a change that was " +
                          (result == Result::unknown ? "possibly not made" : "not made"));
    report(appended, trail_.is_required, errors_);
    return appended.error == 0;
}

} // namespace useradmin::audit
