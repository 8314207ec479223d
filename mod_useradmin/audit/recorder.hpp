// Records events in the audit log.
#pragma once

#include "audit/chain.hpp"
#include "audit/log.hpp"
#include "store/store.hpp"
#include "text/logger.hpp"

#include <cstdint>
#include <utility>

namespace useradmin::audit {

/// The audit log, and whether changes require it.
struct Trail {
    /// nullptr: no log.
    Log* log = nullptr;
    /// Whether a change without a line is rolled back.
    bool is_required = false;
};

/// Records the event of a request or command. As a listener of the store, receives the rows before
/// and after a change. With `required`, writes the line before the commit, so that no change
/// lacks a line. If the commit then fails, another line corrects the first.
class Recorder final : public store::ChangeListener {
  public:
    /// errors: the log for lines that cannot be written.
    Recorder(const Trail& trail, const Origin& origin, text::Logger& errors) noexcept
        : trail_(trail), origin_(origin), errors_(errors) {}

    Event& event() noexcept { return event_; }
    /// Begins another event after the previous one is finished. corrects: the number of the line to
    /// correct, or 0.
    void begin(Event event, std::uint64_t corrects = 0) {
        event_ = std::move(event);
        written_ = corrects;
    }
    /// Returns the number of the event's line or of the line it corrects, or 0.
    std::uint64_t written() const noexcept { return written_; }
    /// Returns whether there is a log.
    bool is_enabled() const noexcept { return trail_.log != nullptr; }

    bool runs_before_commit() const noexcept override { return trail_.is_required && is_enabled(); }
    bool on_change(std::string_view user_id, const model::User* before,
                   const model::User* after) override;
    void on_unknown_outcome() noexcept override { event_.is_outcome_unknown = true; }

    /// Writes the line, unless a correct one is already written. For operations that change
    /// nothing, writes only refusals. Returns false if the line is lost. A counted refusal is not
    /// lost: its line follows.
    bool finish();

  private:
    bool is_anonymous_refusal() const noexcept;
    Log::Delivery delivery() const noexcept;
    bool write();

    Trail trail_;
    Origin origin_;
    text::Logger& errors_;
    Event event_;
    /// The number of the written line, or 0.
    std::uint64_t written_ = 0;
};

/// Writes the lines of refusals that were counted longer than a minute ago.
void write_due_refusals(Log& log, text::Logger& errors);
/// Writes the lines of all counted refusals before the log is closed. From then on, each refusal is
/// logged at once.
void write_last_refusals(Log& log, text::Logger& errors);

} // namespace useradmin::audit
