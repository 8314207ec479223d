// Takes an event down as it goes on.
#pragma once

#include "audit/chain.hpp"
#include "audit/log.hpp"
#include "store/store.hpp"
#include "text/logger.hpp"

#include <cstdint>
#include <utility>

namespace useradmin::audit {

/// Where events are taken down, and how strictly.
struct Trail {
    /// nullptr: nowhere.
    Log* log = nullptr;
    /// Whether a change is undone whose line cannot be written.
    bool is_required = false;
};

/// The event of one request or command, and its line. As the witness of a store it learns the rows
/// before and after a change; where lines are required, it writes before the change is final, so
/// that nothing is ever changed without a line. What then fails all the same is corrected by
/// another line.
class Recorder final : public store::ChangeListener {
  public:
    /// The errors are where a line that cannot be written is told.
    Recorder(const Trail& trail, const Origin& origin, text::Logger& errors) noexcept
        : trail_(trail), origin_(origin), errors_(errors) {}

    Event& event() noexcept { return event_; }
    /// Begins another event; the one before is finished. Its line corrects the one of that number.
    void begin(Event event, std::uint64_t corrects = 0) {
        event_ = std::move(event);
        written_ = corrects;
    }
    /// The number of the event's line, or of the one that it corrects; 0: none.
    std::uint64_t written() const noexcept { return written_; }
    /// Whether there is a log at all.
    bool is_enabled() const noexcept { return trail_.log != nullptr; }

    bool runs_before_commit() const noexcept override { return trail_.is_required && is_enabled(); }
    bool on_change(std::string_view user_id, const model::User* before,
                   const model::User* after) override;
    void on_unknown_outcome() noexcept override { event_.is_outcome_unknown = true; }

    /// Writes the line, unless it is written and right, or there is nothing to tell: of what
    /// changes nothing, refusals alone are told. False where it could not be.
    bool finish();

  private:
    bool is_anonymous_refusal() const noexcept;
    Log::Delivery delivery() const noexcept;
    bool write();

    Trail trail_;
    Origin origin_;
    text::Logger& errors_;
    Event event_;
    /// The number of the line that was written; 0: none.
    std::uint64_t written_ = 0;
};

/// Writes the lines of refusals that were counted, of networks whose minute has passed.
void write_due_refusals(Log& log, text::Logger& errors);
/// Writes the lines of all refusals that were counted, before the log is closed. What is refused
/// afterwards has a line at once.
void write_last_refusals(Log& log, text::Logger& errors);

} // namespace useradmin::audit
