// An audit log with several writing processes.
#pragma once

#include "audit/chain.hpp"
#include "audit/refusals.hpp"
#include "ipc/mutex.hpp"

#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace useradmin::audit {

/// The result of appending a line.
struct AppendResult {
    /// The number of the line; 0 if it was not written.
    std::uint64_t number = 0;
    /// The errno value, or 0. After an error, the line may be in the log but not on disk.
    int error = 0;
    /// Whether this is the first line for which the program has no room.
    bool begins_stall = false;
    /// Where the program reads again and has read all: how many lines it was not given.
    std::uint64_t not_written = 0;
};

/// The descriptors of a log and of its .chain file; negative if not open.
struct Descriptors {
    int log = -1;
    int position = -1;

    explicit operator bool() const noexcept { return log >= 0 && position >= 0; }
};

/// Opens or creates a log and its .chain file, writable by the owner and readable by the group. The
/// caller closes the descriptors. errno tells the error. Do not open a log twice in a process:
/// closing one descriptor would release the lock.
Descriptors open_log(const std::string& name);

/// A file or a pipe whose lines form one hash chain with several writers: the children of httpd,
/// those of the previous configuration, and useradminctl. The .chain file next to the log contains
/// the last position and serves as the lock. If a process was killed before it wrote the position,
/// it is read from the end of the log. A log that is moved away continues in the new file.
class Log {
  public:
    /// Returns the name of a log's .chain file.
    static std::string position_file(std::string_view log) { return std::string(log) + ".chain"; }

    /// log: open for reading and appending, or a pipe. place: the .chain file, open for reading and
    /// writing. Closes neither. In shared memory, before the processes fork, it also serializes
    /// them.
    Log(int log, int place) noexcept
        : log_(log), position_file_(place), is_ready_(mutex_.init() && refusals_.init()) {}
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    /// How much is done for a line.
    enum class Delivery {
        at_once, ///< it is not written where a program has no room for it
        waits,   ///< it waits for the program, unless another has waited in vain since it last read
        durable, ///< the same, and it is on its disk before it counts
    };
    /// Chains a line (an open object) and appends it, completely or not at all.
    AppendResult append(const std::string& open_object, Delivery delivery);

    /// The counts of anonymous callers' refusals.
    Refusals& refusals() noexcept { return refusals_; }

  private:
    struct StoredPosition;
    using Clock = std::chrono::steady_clock;

    int lock(Clock::time_point deadline) const noexcept;
    void unlock() const noexcept;
    StoredPosition read_position() const;
    void write_position(const StoredPosition& place) const noexcept;
    AppendResult append_once(std::string open_object, Clock::time_point deadline);
    AppendResult append_locked(std::string open_object);
    AppendResult append_to_file(std::string open_object, const struct stat& log) const;
    AppendResult append_to_pipe(std::string open_object);
    int write_whole(std::string_view text, std::int64_t size) const noexcept;

    int log_;
    int position_file_;
    /// File locks belong to processes and wake no waiters: this mutex orders the threads and
    /// children of one httpd.
    ipc::Mutex mutex_ = {};
    /// Of a program: how many lines it was not given since it last had read all.
    std::atomic<std::uint64_t> not_written_{0};
    /// Whether a line has waited for it in vain since it last read.
    std::atomic<bool> is_stalled_{false};
    Refusals refusals_ = {};
    bool is_ready_;
};

/// Returns the position in the text of a .chain file, or nothing.
std::optional<ChainPosition> parse_position(std::string_view text);

} // namespace useradmin::audit
