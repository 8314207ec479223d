// useradminctl export: writes all users, with the hashes of their passwords.
#include "ctl/command.hpp"
#include "ctl/display.hpp"
#include "ctl/fresh_file.hpp"
#include "ctl/user_file.hpp"

#include "apr/pool.hpp"
#include "store/bulk.hpp"

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

// A few at first: a picture may be long, and what is read at once is to stay at about that size.
constexpr std::int64_t first_users = 50;
constexpr std::int64_t most_users = 2000;
constexpr std::size_t bytes_at_once = std::size_t{1} << 20;

/// How many users are read next, after that many that came to so many bytes.
std::int64_t next_users(std::int64_t users, std::size_t bytes) {
    const auto fitting =
        static_cast<std::int64_t>(bytes_at_once * static_cast<std::size_t>(users) / (bytes + 1));
    return std::clamp<std::int64_t>(fitting, 1, std::min(2 * users, most_users));
}

/// Whether there is something that is no file, such as a pipe or /dev/null: nothing may take its
/// place.
bool is_device(const std::string& name) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(name, error);
    return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

[[noreturn]] void fail(const std::string& name) {
    throw CommandError(Exit::failure,
                       name + " cannot be written: " + std::generic_category().message(errno));
}

/// The file that a name leads to, where it is a symbolic link that is there and that the system
/// follows: in a folder for all, such as /tmp, another's is a trap.
std::string behind_links(const std::string& name) {
    const int file = open(name.c_str(), O_PATH | O_CLOEXEC);
    if (file < 0 && errno != ENOENT)
        fail(name);
    if (file < 0)
        return name;
    std::error_code error;
    const std::filesystem::path path =
        std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file), error);
    close(file);
    if (error) {
        errno = error.value();
        fail(name);
    }
    return path.string();
}

/// Whether the open file has that name still.
bool has_name(std::FILE* file, const std::string& name) {
    struct stat open = {};
    struct stat named = {};
    return fstat(fileno(file), &open) == 0 && lstat(name.c_str(), &named) == 0 &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

/// Lines as a terminal may have them.
std::string visible_lines(std::string_view lines) {
    std::string text;
    while (!lines.empty()) {
        const std::string_view line = lines.substr(0, lines.find('\n'));
        text.append(visible(line)) += '\n';
        lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    }
    return text;
}

/// Where the lines go: standard output, a pipe or a device, or a file that appears under its name
/// when it is whole.
class Output {
  public:
    explicit Output(const std::string& name) : name_(name == "-" ? name : behind_links(name)) {
        if (name == "-")
            return;
        if (!is_device(name_))
            part_ = name_ + ".part";
        // It holds what passwords can be guessed from.
        const int descriptor =
            part_.empty() ? open(name_.c_str(), O_WRONLY | O_CLOEXEC) : open_fresh(part_);
        file_.reset(descriptor >= 0 ? fdopen(descriptor, "w") : nullptr);
        if (file_ == nullptr)
            refuse();
    }
    ~Output() {
        if (file_ != nullptr && !part_.empty() && has_name(file_.get(), part_))
            std::remove(part_.c_str());
    }
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    void write(const std::string& text) {
        std::FILE* const file = file_ != nullptr ? file_.get() : stdout;
        if (std::fwrite(text.data(), 1, text.size(), file) != text.size())
            refuse();
    }
    void finish() {
        if (file_ == nullptr)
            return; // main looks after standard output
        if (std::fflush(file_.get()) != 0)
            refuse();
        if (part_.empty())
            return;
        if (!has_name(file_.get(), part_))
            throw CommandError(Exit::failure, "another export has begun to write " + name_ +
                                                  "; this one ends without a file");
        if (fsync(fileno(file_.get())) != 0 || std::rename(part_.c_str(), name_.c_str()) != 0)
            refuse();
        part_.clear();
    }

  private:
    struct Close {
        void operator()(std::FILE* file) const noexcept { std::fclose(file); }
    };

    [[noreturn]] void refuse() const {
        fail(!part_.empty() ? part_ : name_ == "-" ? "the output" : name_);
    }

    std::string name_;
    std::string part_;
    std::unique_ptr<std::FILE, Close> file_;
};

} // namespace

Exit export_users(Context& context) {
    const std::string name = context.options.words.empty() ? "-" : context.options.words[0];
    const UserFileWriter writer(format_of(context.options.find("format"), name));
    Database& database = context.database();
    const store::Schema schema = database.schema();
    if (const store::Problem* problem = schema.problem_of(store::needs_user | store::needs_account))
        throw CommandError(Exit::failure, problem->text);
    Output output(name);
    // Lines on a terminal show by themselves how far it is.
    const bool is_seen = name == "-" && isatty(STDOUT_FILENO) == 1;
    std::optional<Progress> progress;
    if (!is_seen)
        progress.emplace("Exporting the users");
    // All users as they are at one moment.
    database.execute(database.dialect().product().begin_reading);
    std::string text;
    writer.append_headings(text);
    std::optional<std::string> last;
    std::int64_t users_at_once = first_users;
    for (std::uint64_t count = 0;;) {
        const apr::Scratch pool(database.pool());
        store::Work work(database.client(), schema, pool.get());
        const auto rows = store::bulk::read(work, last, users_at_once);
        if (!rows)
            throw CommandError(Exit::failure, "the database refused: " + work.error());
        for (const store::bulk::Row& row : *rows)
            writer.append(text, row);
        output.write(is_seen ? visible_lines(text) : text);
        users_at_once = next_users(users_at_once, text.size());
        text.clear();
        if (rows->empty())
            break;
        last = rows->back().user.id;
        count += rows->size();
        if (progress)
            progress->show("Exporting the users: " + std::to_string(count));
    }
    database.execute("COMMIT");
    output.finish();
    return Exit::success;
}

} // namespace useradmin::ctl
