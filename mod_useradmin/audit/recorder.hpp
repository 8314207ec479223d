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
    /// nullptr if there is no log.
    Log* log = nullptr;
    /// Whether a change is rolled back if its line cannot be written.
    bool is_required = false;
};

/// Records the event of a request or command. As the store's listener, it receives the rows before
/// and after a change. If the log is required, writes the line before the commit, so no change is
/// committed without a line. If the commit then fails, a second line corrects the first.
class Recorder final : public store::ChangeListener {
  public:
    /// errors: receives a message if a line cannot be written.
    Recorder(const Trail& trail, const Origin& origin, text::Logger& errors) noexcept
        : trail_(trail), origin_(origin), errors_(errors) {}

    Event& event() noexcept { return event_; }
    /// Begins the next event after finish(). corrects: the number of the line to correct, or 0.
    void begin(Event event, std::uint64_t corrects = 0) {
        event_ = std::move(event);
        written_ = corrects;
    }
    /// Returns the number of the event's line. Before the line is written, returns the number of
    /// the line that it will correct, or 0 if there is none.
    std::uint64_t written() const noexcept { return written_; }
    bool is_enabled() const noexcept { return trail_.log != nullptr; }

    bool runs_before_commit() const noexcept override { return trail_.is_required && is_enabled(); }
    bool on_change(std::string_view user_id, const model::User* before,
                   const model::User* after) override;
    void on_unknown_outcome() noexcept override { event_.is_outcome_unknown = true; }

    /// Writes the event's line, unless the line written before the commit is still correct. Records
    /// an operation that is not a change only if it was denied with 401, 403 or 429. Combines such
    /// denials, rejected credentials and anonymous requests: writes at most one line a minute for
    /// each network or, if the caller is known, for each combination of network, caller and reason.
    /// Returns false if the line of any other event could not be written.
    bool finish();

    /// Stops syncing each line to disk until sync() is called.
    void defer_sync() noexcept { is_sync_deferred_ = true; }
    /// Syncs the lines since defer_sync() if the log is required. Returns false if they may not be
    /// on disk.
    bool sync();

  private:
    bool is_combined() const noexcept;
    Log::Delivery delivery() const noexcept;
    bool write();

    Trail trail_;
    Origin origin_;
    text::Logger& errors_;
    Event event_;
    std::uint64_t written_ = 0;
    bool is_sync_deferred_ = false;
};

} // namespace useradmin::audit
