// An audit log that several processes append to.
#pragma once

#include "audit/line.hpp"
#include "shared/mutex.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace useradmin::audit {

/// What came of an attempt to append a line.
struct Appended {
    /// Of the line; 0 where it is not in the log.
    std::uint64_t number = 0;
    /// What errno had; 0 where all went well. The line may be in the log and not on its disk.
    int error = 0;
};

/// The descriptors of a log and of the file with its place; negative for what could not be opened.
struct Descriptors {
    int log = -1;
    int place = -1;

    explicit operator bool() const noexcept { return log >= 0 && place >= 0; }
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
    static std::string name_of_place(std::string_view log) { return std::string(log) + ".chain"; }

    /// The log is open for reading and appending, or a pipe; the place's file for reading and
    /// writing. Neither is closed here. Made in memory that processes share, before they fork, it
    /// lets each of them wait for its turn as threads do.
    Log(int log, int place) noexcept : log_(log), place_(place), is_ready_(turns_.lay_out()) {}
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    /// Whether the line is to be on its disk before it counts.
    enum class Durable { no, yes };
    /// Chains the line, an open object, and appends it, whole or not at all.
    Appended append(std::string open_object, Durable durable);

  private:
    struct Place;
    using Clock = std::chrono::steady_clock;

    int lock(Clock::time_point deadline) const noexcept;
    void unlock() const noexcept;
    Place read_place() const;
    void write_place(const Place& place) const noexcept;
    Appended append_locked(std::string open_object, Clock::time_point deadline) const;
    int write_to_file(std::string_view text, std::int64_t size) const noexcept;
    int write_to_pipe(std::string_view text, Clock::time_point deadline,
                      std::size_t& written) const noexcept;

    int log_;
    int place_;
    /// The lock on the file is the process's, and nobody is woken when it is free: among the
    /// threads and children of one httpd this comes first.
    shared::Mutex turns_ = {};
    bool is_ready_;
};

/// The place that the file beside a log holds; nothing where it holds none.
std::optional<Link> read_place(std::string_view text);

} // namespace useradmin::audit
