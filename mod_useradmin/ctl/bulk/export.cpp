// useradminctl export: writes all users with their password hashes.
#include "ctl/bulk/user_file.hpp"
#include "ctl/command.hpp"
#include "ctl/display.hpp"
#include "ctl/interrupt_handler.hpp"

#include "apr/pool.hpp"
#include "store/bulk.hpp"
#include "text/printable.hpp"
#include "text/split.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

namespace useradmin::ctl {

namespace {

// Start small, because a row may contain a large image. Later pages stay near page_bytes.
constexpr std::int64_t first_users = 50;
constexpr std::int64_t max_users = 2000;
constexpr std::size_t page_bytes = std::size_t{1} << 20;

/// Returns the number of users for the next page, calculated from the number and size of the
/// previous page.
std::int64_t next_users(std::int64_t users, std::size_t bytes) {
    const auto fitting =
        static_cast<std::int64_t>(page_bytes * static_cast<std::size_t>(users) / (bytes + 1));
    return std::clamp<std::int64_t>(fitting, 1, std::min(2 * users, max_users));
}

[[noreturn]] void fail_write(const std::string& name) {
    throw CommandError("cannot write " + name + ": " + std::generic_category().message(errno));
}

/// Resolves and checks the file that a name refers to. In a shared directory such as /tmp, another
/// account's symbolic link could redirect the output.
class Target {
  public:
    /// Throws CommandError if another account could read the output, or if the file cannot be
    /// examined.
    explicit Target(const std::string& name)
        : name_(name), descriptor_(open(name.c_str(), O_PATH | O_CLOEXEC)) {
        if (descriptor_ < 0 && errno != ENOENT)
            fail_write(name);
        if (descriptor_ < 0)
            return;
        struct stat status = {};
        if (fstat(descriptor_, &status) != 0)
            fail_write(name);
        // Character devices are exempt: /dev/null and some terminals belong to root.
        if (!S_ISCHR(status.st_mode) && status.st_uid != geteuid())
            throw CommandError(name + " belongs to another account, which could read the password "
                                      "hashes; choose another name, or - for standard output");
        if (S_ISFIFO(status.st_mode) && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
            throw CommandError(name +
                               " can be opened by other accounts, which could read the password "
                               "hashes; run: chmod 600 " +
                               name);
        is_file_ = S_ISREG(status.st_mode);
        if (!is_file_)
            return;
        std::error_code error;
        name_ = std::filesystem::read_symlink(link(), error).string();
        if (error) {
            errno = error.value();
            fail_write(name);
        }
    }
    ~Target() {
        if (descriptor_ >= 0)
            close(descriptor_);
    }
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;

    /// Returns whether the target is a pipe or a device. Such a target must not be replaced.
    bool is_device() const noexcept { return descriptor_ >= 0 && !is_file_; }
    bool is_file() const noexcept { return is_file_; }
    /// Returns the name. If it refers to a regular file, symbolic links are resolved.
    const std::string& name() const noexcept { return name_; }
    /// Opens the device that the constructor checked, even if the name now refers to another file.
    /// On failure, returns -1 and sets errno.
    int open_device() const { return open(link().c_str(), O_WRONLY | O_CLOEXEC); }

  private:
    std::string link() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

    std::string name_;
    int descriptor_;
    bool is_file_ = false;
};

/// Creates or replaces a file, with mode 0600, and returns its descriptor. On failure, returns -1
/// and sets errno: EEXIST if an existing file cannot be removed.
int create_exclusive(const std::string& name) noexcept {
    std::remove(name.c_str());
    return open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
}

/// Returns whether the name still refers to the open file.
bool has_name(std::FILE* file, const std::string& name) {
    struct stat open = {};
    struct stat named = {};
    return fstat(fileno(file), &open) == 0 && lstat(name.c_str(), &named) == 0 &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

/// Throws CommandError if the file's extension is unknown and --format is missing.
void require_known_extension(const Options& options, const std::string& name) {
    const std::string ending = std::filesystem::path(name).extension();
    if (!options.has("format") && !ending.empty() && ending != ".csv" && ending != ".ndjson" &&
        ending != ".jsonl")
        throw UsageError("unknown file extension " + ending +
                         " (known: .csv, .ndjson, .jsonl); add --format csv or --format ndjson");
}

/// Escapes the control characters in each line.
std::string escape_lines(std::string_view lines) {
    std::string escaped;
    while (!lines.empty()) {
        const std::string_view line = text::take_until(lines, '\n');
        escaped.append(text::printable(line)) += '\n';
    }
    return escaped;
}

/// Writes the export to standard output, to a pipe or device, or to a file. A file gets its final
/// name when it is complete.
class Output {
  public:
    /// Throws CommandError if the file exists and replaces is false, or if it cannot be opened.
    Output(const std::string& name, bool replaces) : name_(name) {
        if (name == "-")
            return;
        const Target target(name);
        name_ = target.name();
        if (target.is_file() && !replaces)
            throw CommandError(name + " already exists; use --force to replace it");
        is_file_ = !target.is_device();
        if (is_file_)
            part_ = name_ + ".part";
        // The file contains password hashes, so only its owner may read it.
        const int descriptor = part_.empty() ? target.open_device() : create_exclusive(part_);
        file_.reset(descriptor >= 0 ? fdopen(descriptor, "w") : nullptr);
        if (file_ == nullptr)
            reject();
    }
    ~Output() { remove_part(); }

    /// Removes the incomplete file. Returns false if there is none or it cannot be removed.
    bool remove_part() const noexcept {
        return file_ != nullptr && !part_.empty() && has_name(file_.get(), part_) &&
               std::remove(part_.c_str()) == 0;
    }
    /// Returns whether the output is a regular file.
    bool is_file() const noexcept { return is_file_; }
    bool is_terminal() const noexcept { return isatty(fileno(stream())) == 1; }
    void write(const std::string& text) {
        if (std::fwrite(text.data(), 1, text.size(), stream()) != text.size())
            reject();
    }
    void finish() {
        if (file_ == nullptr)
            return; // main() flushes standard output
        if (std::fflush(file_.get()) != 0)
            reject();
        if (part_.empty())
            return;
        if (!has_name(file_.get(), part_))
            throw CommandError("another export is writing " + name_ + "; nothing was written");
        if (fsync(fileno(file_.get())) != 0 || std::rename(part_.c_str(), name_.c_str()) != 0)
            reject();
        part_.clear();
    }

  private:
    struct Close {
        void operator()(std::FILE* file) const noexcept { std::fclose(file); }
    };

    std::FILE* stream() const noexcept { return file_ != nullptr ? file_.get() : stdout; }

    [[noreturn]] void reject() const {
        fail_write(!part_.empty() ? part_ : name_ == "-" ? "the output" : name_);
    }

    std::string name_;
    std::string part_;
    bool is_file_ = false;
    std::unique_ptr<std::FILE, Close> file_;
};

std::int64_t number_of_users(Database& database, const store::Schema& schema) {
    return number_of(database.rows("SELECT " + schema.user.function("count") + "*) FROM " +
                                   schema.user.sql)[0][0]);
}

/// Prints the number of exported users, on stderr unless the output is a file.
void print_count(const Context& context, const Output& output, std::int64_t count) {
    const std::string sentence = count_of(count, "user", "users") + " exported";
    if (!output.is_file())
        std::fprintf(stderr, "%s\n", sentence.c_str());
    else if (context.wants_json())
        print_data([&](json::Writer& writer) { writer.key("exported").integer(count); });
    else
        print_line(sentence);
}

} // namespace

Exit export_users(Context& context) {
    const std::string name = context.options.arguments.empty() ? "-" : context.options.arguments[0];
    require_known_extension(context.options, name);
    const FileFormat format = format_of(context.options.find("format"), name);
    const bool is_for_spreadsheet = context.options.has("spreadsheet");
    if (is_for_spreadsheet && format != FileFormat::csv)
        throw UsageError("--spreadsheet requires CSV; add --format csv");
    UserFileWriter writer(format, is_for_spreadsheet ? Formulas::escape : Formulas::keep);
    Database& database = context.database_with_rows();
    const store::Schema schema = database.schema();
    if (const store::Problem* problem =
            schema.find_problem(store::needs_user | store::needs_account))
        throw CommandError(problem->text);
    Output output(name, context.options.has("force"));
    // On a terminal, the exported lines already show the progress.
    const bool is_seen = output.is_terminal();
    std::optional<Progress> progress;
    if (!is_seen)
        progress.emplace("Exporting users");
    bool is_complete = false;
    InterruptHandler interrupt_handler(context.wants_json(), [&](bool is_delayed) {
        if (progress)
            progress->clear();
        return is_delayed             ? "the output may be incomplete; run the command again"
               : is_complete          ? "the output is complete"
               : output.remove_part() ? "nothing was written; run the command again"
                                      : "the output is incomplete; run the command again";
    });
    // Read all users in one snapshot.
    database.execute(database.dialect().product().begin_snapshot);
    database.remove_timeouts();
    const std::int64_t total =
        progress && progress->is_shown() ? number_of_users(database, schema) : 0;
    std::string text;
    writer.append_header(text);
    std::optional<std::string> last;
    std::int64_t users_at_once = first_users;
    std::int64_t count = 0;
    for (;;) {
        const apr::ScopedPool pool(database.pool());
        store::Work work(database.client(), database.dialect(), schema, pool.get());
        const auto rows = store::bulk::read(work, last, users_at_once);
        if (!rows)
            database.fail();
        for (const store::bulk::Row& row : *rows)
            writer.append(text, row);
        output.write(is_seen ? escape_lines(text) : text);
        users_at_once = next_users(users_at_once, text.size());
        text.clear();
        if (rows->empty())
            break;
        last = rows->back().user.id;
        count += static_cast<std::int64_t>(rows->size());
        if (progress)
            progress->show(static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(total));
    }
    database.execute("COMMIT");
    {
        const auto delay = interrupt_handler.delay();
        output.finish();
        is_complete = true;
    }
    if (progress)
        progress->clear();
    print_count(context, output, count);
    if (const std::int64_t kept = writer.formulas_kept(); kept > 0)
        print_error(count_of(kept, "cell contains", "cells contain") +
                    " formulas that a spreadsheet would evaluate; use --spreadsheet to escape "
                    "them, but do not import such a file");
    return Exit::success;
}

} // namespace useradmin::ctl
