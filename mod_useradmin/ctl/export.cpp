// useradminctl export: writes all users, with the hashes of their passwords.
#include "ctl/command.hpp"
#include "ctl/display.hpp"
#include "ctl/fresh_file.hpp"
#include "ctl/user_file.hpp"

#include "apr/pool.hpp"
#include "store/bulk.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

namespace useradmin::ctl {

namespace {

constexpr std::int64_t users_at_once = 2000;

/// Whether there is something that is no file, such as a pipe or /dev/null: nothing may take its
/// place.
bool is_device(const std::string& name) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(name, error);
    return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

/// The file that a name leads to, where it is a symbolic link that is there.
std::string behind_links(const std::string& name) {
    std::error_code error;
    const std::filesystem::path path = std::filesystem::canonical(name, error);
    return error ? name : path.string();
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
            fail();
    }
    ~Output() {
        if (!part_.empty())
            std::remove(part_.c_str());
    }
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    void write(const std::string& text) {
        std::FILE* const file = file_ != nullptr ? file_.get() : stdout;
        if (std::fwrite(text.data(), 1, text.size(), file) != text.size())
            fail();
    }
    void finish() {
        if (file_ == nullptr)
            return; // main looks after standard output
        if (std::fflush(file_.get()) != 0)
            fail();
        if (part_.empty())
            return;
        if (fsync(fileno(file_.get())) != 0 || std::rename(part_.c_str(), name_.c_str()) != 0)
            fail();
        part_.clear();
    }

  private:
    struct Close {
        void operator()(std::FILE* file) const noexcept { std::fclose(file); }
    };

    [[noreturn]] void fail() const {
        throw CommandError(Exit::failure,
                           (!part_.empty() ? part_
                            : name_ == "-" ? "the output"
                                           : name_) +
                               " cannot be written: " + std::generic_category().message(errno));
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
    const Progress progress("Exporting the users");
    // All users as they are at one moment.
    database.execute(database.dialect().product().begin_reading);
    std::string text;
    writer.append_headings(text);
    std::optional<std::string> last;
    for (std::uint64_t count = 0;;) {
        const apr::Scratch pool(database.pool());
        store::Work work(database.client(), schema, pool.get());
        const auto rows = store::bulk::read(work, last, users_at_once);
        if (!rows)
            throw CommandError(Exit::failure, "the database refused: " + work.error());
        for (const store::bulk::Row& row : *rows)
            writer.append(text, row);
        output.write(text);
        text.clear();
        if (rows->empty())
            break;
        last = rows->back().user.id;
        count += rows->size();
        progress.show("Exporting the users: " + std::to_string(count));
    }
    database.execute("COMMIT");
    output.finish();
    return Exit::success;
}

} // namespace useradmin::ctl
