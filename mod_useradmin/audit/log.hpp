// An audit log that several processes append to.
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

/// What came of an attempt to append a line.
struct AppendResult {
    /// Of the line; 0 where it is not in the log.
    std::uint64_t number = 0;
    /// What errno had; 0 where all went well. The line may be in the log and not on its disk.
    /// EAGAIN where a program has no room for it.
    int error = 0;
    /// Whether this is the first line for which the program has no room.
    bool begins_stall = false;
    /// Where the program reads again and has read all: how many lines it was not given.
    std::uint64_t not_written = 0;
};

/// The descriptors of a log and of the file with its place; negative for what could not be opened.
struct Descriptors {
    int log = -1;
    int position = -1;

    explicit operator bool() const noexcept { return log >= 0 && position >= 0; }
};

/// Opens the file of a log and the one beside it, or makes them: written to by their owner, and
/// read by its group. The descriptors are the caller's to close; errno says what failed. What is
/// opened twice in a process would not keep its lock.
Descriptors open_log(const std::string& name);

/// A file or a pipe whose lines make one chain, whoever writes them: the children of an httpd,
/// those of the configuration before, and useradminctl. The place that the chain has come to stands
/// in a file beside the log, which is also what they lock; it is looked up in the log's own end
/// where a process was killed before it wrote it there. So a log that is moved away goes on in the
/// new one.
class Log {
  public:
    /// The name of the file with the chain's place, for a log of that name.
    static std::string position_file(std::string_view log) { return std::string(log) + ".chain"; }

    /// The log is open for reading and appending, or a pipe; the place's file for reading and
    /// writing. Neither is closed here. Made in memory that processes share, before they fork, it
    /// lets each of them wait for its turn as threads do.
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
    /// Chains the line, an open object, and appends it, whole or not at all.
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
    /// The lock on the file is the process's, and nobody is woken when it is free: among the
    /// threads and children of one httpd this comes first.
    ipc::Mutex mutex_ = {};
    /// Of a program: how many lines it was not given since it last had read all.
    std::atomic<std::uint64_t> not_written_{0};
    /// Whether a line has waited for it in vain since it last read.
    std::atomic<bool> is_stalled_{false};
    Refusals refusals_ = {};
    bool is_ready_;
};

/// The place that the file beside a log holds; nothing where it holds none.
std::optional<ChainPosition> parse_position(std::string_view text);

} // namespace useradmin::audit
