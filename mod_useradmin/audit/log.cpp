#include "audit/log.hpp"

#include "text/hex.hpp"
#include "text/number.hpp"
#include "text/split.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <thread>
#include <utility>

namespace useradmin::audit {

namespace {

// How long append() waits for the locks and for the program to read its input, unless the delivery
// is non_blocking.
constexpr std::chrono::seconds lock_timeout(5);

// The maximum length of a line's chain members.
constexpr std::size_t max_chain_size = 512;

/// Reads up to `max_size` bytes from the end of a file.
std::string end_of(int file, std::int64_t size, std::size_t max_size) {
    const auto wanted = std::min(static_cast<std::uint64_t>(size), std::uint64_t{max_size});
    return read_at(file, wanted, size - static_cast<std::int64_t>(wanted));
}

} // namespace

std::string read_at(int file, std::size_t size, std::int64_t at) {
    std::string bytes(size, '\0');
    std::size_t read = 0;
    while (read < size) {
        const ssize_t count =
            pread(file, bytes.data() + read, size - read, at + static_cast<std::int64_t>(read));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        read += static_cast<std::size_t>(count);
    }
    bytes.resize(read);
    return bytes;
}

/// The contents of the .chain file. The first line has a fixed length and contains the position.
/// The second line contains the instance id, which earlier versions neither read nor overwrite.
struct Log::StoredPosition {
    ChainPosition link;
    std::uint64_t inode = 0;
    /// The log's size in bytes after the last line was written.
    std::uint64_t size = 0;
    /// The instance id. Empty if the log has none yet.
    std::string instance = {};

    const std::string& instance_or_new() {
        if (instance.empty())
            instance = new_instance();
        return instance;
    }
};

namespace {

// The last field of the first line is always 0. Earlier versions stored a number in it.
constexpr const char* position_format = "%020llu %64.64s %020llu %020llu 0\n%16.16s\n";
constexpr std::size_t position_size = 20 + 1 + 64 + 1 + 20 + 1 + 20 + 1 + 1 + 1;
constexpr std::size_t file_size = position_size + instance_size + 1;

std::optional<std::uint64_t> take_number(std::string_view& text) noexcept {
    return text::parse_integer<std::uint64_t>(text::take_until(text, ' '));
}

std::optional<ChainPosition> take_link(std::string_view& text) {
    const auto number = take_number(text);
    const std::string_view hash = text::take_until(text, ' ');
    if (!number || !text::is_lower_hex(hash, ChainPosition().hash.size()))
        return std::nullopt;
    return ChainPosition{*number, std::string(hash)};
}

/// Locks or unlocks a whole file. On failure, returns -1 and sets errno.
int set_lock(int file, short type) noexcept {
    struct flock whole = {};
    whole.l_type = type;
    whole.l_whence = SEEK_SET;
    return fcntl(file, F_SETLK, &whole);
}

struct PipeSpace {
    bool is_enough;
    bool is_empty;
};

/// Returns whether a pipe or device accepts `size` bytes without blocking, and whether the pipe is
/// empty. A device is always considered empty.
PipeSpace pipe_space_of(int file, std::size_t size) noexcept {
    const int capacity = fcntl(file, F_GETPIPE_SZ);
    int held = 0;
    if (capacity < 0 || ioctl(file, FIONREAD, &held) != 0) {
        pollfd device = {file, POLLOUT, 0};
        return {poll(&device, 1, 0) != 0, true};
    }
    // A write that does not fit into a pipe's last page starts a new page, so the bytes in the pipe
    // may occupy twice their size.
    const long page = sysconf(_SC_PAGESIZE);
    return {(held == 0 && static_cast<long>(size) <= capacity) ||
                2L * held + static_cast<long>(size) + 3 * page <= capacity,
            held == 0};
}

} // namespace

Log::StoredPosition Log::read_position() const {
    const std::string text = read_at(position_file_, file_size, 0);
    std::string_view rest = text;
    std::string instance;
    if (text.size() == file_size && text.ends_with('\n'))
        instance = text.substr(position_size, instance_size);
    if (!text::is_lower_hex(instance, instance_size))
        instance.clear();
    const auto link = take_link(rest);
    const auto inode = take_number(rest);
    const auto size = take_number(rest);
    if (text.size() < position_size || !link || !inode || !size)
        return {};
    return {*link, *inode, *size, std::move(instance)};
}

void Log::write_position(const StoredPosition& position) const noexcept {
    std::array<char, file_size + 1> text;
    std::snprintf(text.data(), text.size(), position_format,
                  static_cast<unsigned long long>(position.link.number), position.link.hash.c_str(),
                  static_cast<unsigned long long>(position.inode),
                  static_cast<unsigned long long>(position.size), position.instance.c_str());
    // If this fails, the next writer to a log file reads the position from the end of the file.
    static_cast<void>(pwrite(position_file_, text.data(), file_size, 0) < 0);
}

int Log::lock(Clock::time_point deadline) const noexcept {
    for (int attempts = 0; set_lock(position_file_, F_WRLCK) != 0; ++attempts) {
        if (errno != EACCES && errno != EAGAIN && errno != EINTR)
            return errno;
        if (Clock::now() >= deadline)
            return ETIMEDOUT;
        // Processes hold the lock for only a few microseconds, so yield before sleeping.
        constexpr int max_yields = 20;
        if (attempts < max_yields)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return 0;
}

int Log::write_whole(std::string_view text, std::int64_t size) const noexcept {
    std::size_t written = 0;
    while (written < text.size()) {
        const ssize_t count = write(log_, text.data() + written, text.size() - written);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) {
            const int error = count < 0 ? errno : EIO;
            // Remove a partial line, which a full disk may leave.
            if (written > 0)
                static_cast<void>(ftruncate(log_, size) != 0);
            return error;
        }
        written += static_cast<std::size_t>(count);
    }
    return 0;
}

AppendResult Log::append_to_pipe(std::string open_object) {
    StoredPosition position = read_position();
    append_origin_of_chain(open_object, position.instance_or_new());
    const std::string line = close_line(std::move(open_object), position.link);
    const PipeSpace space = pipe_space_of(log_, line.size());
    if (!space.is_enough)
        return {0, EAGAIN};
    if (const int error = write_whole(line, 0); error != 0)
        return {0, error};
    write_position(position);
    is_stalled_ = false;
    return {position.link.number, 0, false, space.is_empty ? not_written_.exchange(0) : 0};
}

AppendResult Log::append_to_file(std::string open_object, const struct stat& log) const {
    if (log.st_nlink == 0)
        return {0, ENOENT}; // the file was deleted
    StoredPosition position = read_position();
    std::string before;
    // If the position does not match the file, a process was killed before it wrote the position,
    // or the log was replaced.
    if (log.st_size > 0 && (position.inode != log.st_ino ||
                            position.size != static_cast<std::uint64_t>(log.st_size))) {
        std::string end = end_of(log_, log.st_size, max_chain_size);
        if (!end.ends_with('\n')) {
            end = end_of(log_, log.st_size, max_line_length);
            const std::size_t partial = end.rfind('\n') + 1; // 0 if there is no newline
            append_broken_line(open_object, std::string_view(end).substr(partial));
            end.resize(partial);
            before = "\n";
        }
        const auto last = last_line(end);
        if (last && last->position.number > position.link.number)
            position.link = last->position;
        if (last && position.instance.empty())
            position.instance = last->instance;
    }
    append_origin_of_chain(open_object, position.instance_or_new());
    const std::string line = before + close_line(std::move(open_object), position.link);
    if (const int error = write_whole(line, log.st_size); error != 0)
        return {0, error};
    position.inode = log.st_ino;
    position.size = static_cast<std::uint64_t>(log.st_size) + line.size();
    write_position(position);
    return {position.link.number, 0};
}

AppendResult Log::append_once(std::string open_object, Clock::time_point deadline) {
    const std::unique_lock guard(mutex_, deadline);
    if (!guard)
        return {0, ETIMEDOUT};
    if (const int error = lock(deadline); error != 0)
        return {0, error};
    struct Unlock {
        int file;
        ~Unlock() { set_lock(file, F_UNLCK); }
    } const unlock{position_file_};
    struct stat log = {};
    if (fstat(log_, &log) != 0)
        return {0, errno};
    return S_ISREG(log.st_mode) ? append_to_file(std::move(open_object), log)
                                : append_to_pipe(std::move(open_object));
}

AppendResult Log::append(const std::string& open_object, Delivery delivery) {
    constexpr std::chrono::milliseconds pause(5);
    if (!is_ready_)
        return {0, ENOLCK};
    // If a line must not wait, allow only the time that another process takes to write a line.
    constexpr std::chrono::milliseconds write_time(50);
    const auto deadline =
        Clock::now() +
        (delivery == Delivery::non_blocking ? write_time : Clock::duration(lock_timeout));
    AppendResult appended = append_once(open_object, deadline);
    // Wait for the program without holding a lock.
    while (appended.error == EAGAIN && delivery != Delivery::non_blocking && !is_stalled_) {
        if (Clock::now() >= deadline) {
            is_stalled_ = true;
            break;
        }
        std::this_thread::sleep_for(pause);
        appended = append_once(open_object, deadline);
    }
    if (appended.error == EAGAIN)
        appended.begins_stall = not_written_++ == 0;
    if (appended.error == 0 && delivery == Delivery::durable)
        appended.error = sync();
    last_error_ = appended.error;
    return appended;
}

int Log::sync() const noexcept {
    // Ignore errors for pipes and devices, which cannot be synced.
    return fdatasync(log_) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
}

Descriptors open_log(const std::string& name) {
    constexpr int flags = O_RDWR | O_CREAT | O_CLOEXEC;
    constexpr mode_t mode = 0640;
    Descriptors opened;
    opened.log = open(name.c_str(), flags | O_APPEND, mode);
    if (opened.log >= 0)
        opened.position = open(Log::position_file(name).c_str(), flags, mode);
    return opened;
}

std::optional<ChainPosition> parse_position(std::string_view text) {
    return take_link(text);
}

} // namespace useradmin::audit
