// An audit log that several processes append to.
#pragma once

#include "audit/chain.hpp"
#include "ipc/log_throttle.hpp"
#include "ipc/mutex.hpp"

#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace useradmin::audit {

struct AppendResult {
    /// The number of the line, or 0 if it was not written.
    std::uint64_t number = 0;
    /// The errno value, or 0. If only the sync failed, the line is in the log but may not be on
    /// disk.
    int error = 0;
    /// Whether this is the first line lost because the pipe to the logging program is full.
    bool begins_stall = false;
    /// If this line ends a stall, the number of lines lost during the stall. Otherwise 0.
    std::uint64_t not_written = 0;
};

/// Reads bytes at an offset. Returns fewer than size at the end of the file or after an error.
std::string read_at(int file, std::size_t size, std::int64_t at);

/// The file descriptors of a log and its .chain file. Negative if not open.
struct Descriptors {
    int log = -1;
    int position = -1;

    explicit operator bool() const noexcept { return log >= 0 && position >= 0; }
};

/// Opens or creates a log and its .chain file, with mode 0640. The caller closes the descriptors.
/// On failure, sets errno, and one descriptor may be open. Do not open a log twice in a process:
/// closing either .chain descriptor releases the lock.
Descriptors open_log(const std::string& name);

/// A file or a pipe whose lines form one hash chain. Its writers are httpd's children, including
/// those that still run after a graceful restart, and useradminctl. The .chain file next to the log
/// contains the last position and serves as the lock file. If a process is killed before it writes
/// the position, the next writer reads it from the end of the log. After a rotation, the chain
/// continues in the new file.
class Log {
  public:
    /// Returns the name of a log's .chain file.
    static std::string position_file(std::string_view log) { return std::string(log) + ".chain"; }

    /// log: a file opened for reading and appending, or a pipe. position: the .chain file, opened
    /// for reading and writing. The caller closes both. If the object is constructed in shared
    /// memory before the processes fork, its mutex also serializes them.
    Log(int log, int position) noexcept
        : log_(log), position_file_(position), is_ready_(mutex_.init() && rejections_.init()) {}

    /// How reliably a line is delivered.
    enum class Delivery {
        non_blocking, ///< drops the line if the program's pipe is full
        blocking,     ///< waits up to five seconds for the program, but not during a stall
        durable,      ///< like `blocking`, and syncs the log to disk
    };
    /// Adds the chain members to a line from begin_line() and appends it, completely or not at all.
    AppendResult append(const std::string& open_object, Delivery delivery);
    /// Syncs the log to disk. Returns the errno value, or 0. Pipes and devices need no sync.
    int sync() const noexcept;

    /// Returns the log's descriptor. The descriptor is readable unless the log is a pipe.
    int descriptor() const noexcept { return log_; }

    /// Returns the errno value of the last append(), or 0.
    int last_error() const noexcept { return last_error_; }

    /// Limits the lines about rejected credentials and anonymous requests. Without a limit, an
    /// attacker could fill the disk.
    ipc::LogThrottle& rejections() noexcept { return rejections_; }

  private:
    struct StoredPosition;
    using Clock = std::chrono::steady_clock;

    int lock(Clock::time_point deadline) const noexcept;
    StoredPosition read_position() const;
    void write_position(const StoredPosition& position) const noexcept;
    AppendResult append_once(std::string open_object, Clock::time_point deadline);
    AppendResult append_to_file(std::string open_object, const struct stat& log) const;
    AppendResult append_to_pipe(std::string open_object);
    int write_whole(std::string_view text, std::int64_t size) const noexcept;

    int log_;
    int position_file_;
    /// POSIX file locks do not exclude other threads of the same process, and lock() has to poll.
    /// This mutex serializes all threads of one httpd and its children.
    ipc::Mutex mutex_ = {};
    /// The number of lines lost in the current stall.
    std::atomic<std::uint64_t> not_written_{0};
    /// Whether a call of append() has timed out waiting for the program since the last line was
    /// written.
    std::atomic<bool> is_stalled_{false};
    std::atomic<int> last_error_{0};
    ipc::LogThrottle rejections_ = {};
    bool is_ready_;
};

/// Parses the position in a .chain file. Returns std::nullopt if it is invalid.
std::optional<ChainPosition> parse_position(std::string_view text);

} // namespace useradmin::audit
