#include "audit/recorder.hpp"

#include <string>
#include <system_error>

namespace useradmin::audit {

namespace {

/// Whether it was refused since the caller is not known, may not, or came too often.
bool is_denied(int status) noexcept {
    return status == 401 || status == 403 || status == 429;
}

} // namespace

bool Recorder::saw(std::string_view user_id, const store::User* before, const store::User* after) {
    if (!user_id.empty())
        event_.target = user_id;
    event_.before = before != nullptr ? std::optional(*before) : std::nullopt;
    event_.after = after != nullptr ? std::optional(*after) : std::nullopt;
    if (!comes_before())
        return true;
    event_.status = 200;
    return write();
}

bool Recorder::finish() {
    if (!is_on())
        return true;
    const bool is_told = written_ != 0 && event_.result() == Result::done;
    if (is_told || !(event_.is_change || is_denied(event_.status)))
        return true;
    // What was not done changed nothing.
    if (event_.result() != Result::done)
        event_.before = event_.after = std::nullopt;
    return write();
}

bool Recorder::write() {
    const Appended appended =
        trail_.log->append(describe(event_, origin_, text::now(), written_),
                           trail_.is_required ? Log::Durable::yes : Log::Durable::no);
    if (appended.number != 0)
        written_ = appended.number;
    if (appended.error == 0)
        return true;
    errors_.write_for_many(text::Level::error,
                           "UA0401: the audit log could not be written: " +
                               std::generic_category().message(appended.error) +
                               (trail_.is_required ? "; changes are refused until it can" : ""));
    return false;
}

} // namespace useradmin::audit
