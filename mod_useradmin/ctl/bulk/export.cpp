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
#include <cstdlib>
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

/// Writes the export to standard output or to a file. A file gets its final name when it is
/// complete.
class Output {
  public:
    /// Throws CommandError if the file exists and is not a regular file or `replaces` is false, or
    /// if it cannot be created.
    Output(const std::string& name, bool replaces) : name_(name) {
        if (name == "-")
            return;
        struct stat status = {};
        const bool exists = lstat(name.c_str(), &status) == 0;
        // Renaming a file to /dev/stdout would replace the symbolic link.
        if (exists && !S_ISREG(status.st_mode))
            throw CommandError(name + " is not a regular file; use - and redirect the output");
        if (exists && !replaces)
            throw CommandError(name + " already exists; use --force to replace it");
        // Only its owner may read the file, because it contains password hashes.
        part_ = name + ".XXXXXX";
        const int descriptor = mkostemp(part_.data(), O_CLOEXEC);
        file_.reset(descriptor >= 0 ? fdopen(descriptor, "w") : nullptr);
        if (file_ == nullptr)
            reject();
    }
    ~Output() { remove_partial_file(); }

    /// Removes the incomplete file. Returns false if there is none or it cannot be removed.
    bool remove_partial_file() const noexcept { return unlink(part_.c_str()) == 0; }
    bool is_file() const noexcept { return file_ != nullptr; }
    bool is_terminal() const noexcept { return isatty(fileno(stream())) == 1; }
    void write(const std::string& text) {
        if (std::fwrite(text.data(), 1, text.size(), stream()) != text.size())
            reject();
    }
    /// Flushes the output. Syncs a file and gives it its final name.
    void finish() {
        if (std::fflush(stream()) != 0 ||
            (file_ != nullptr &&
             (fsync(fileno(file_.get())) != 0 || std::rename(part_.c_str(), name_.c_str()) != 0)))
            reject();
        part_.clear();
    }

  private:
    struct Close {
        void operator()(std::FILE* file) const noexcept { std::fclose(file); }
    };

    std::FILE* stream() const noexcept { return file_ != nullptr ? file_.get() : stdout; }

    [[noreturn]] void reject() const {
        throw CommandError("cannot write " + (name_ == "-" ? "the output" : name_) + ": " +
                           std::generic_category().message(errno));
    }

    std::string name_;
    std::string part_;
    std::unique_ptr<std::FILE, Close> file_;
};

std::int64_t number_of_users(Database& database, const store::Schema& schema) {
    return to_integer(database.rows("SELECT " + schema.user.function("count") + "*) FROM " +
                                    schema.user.sql)[0][0]);
}

/// Prints the number of exported users, on stderr unless the output is a file.
void print_count(const Context& context, const Output& output, std::int64_t count) {
    const std::string message = count_of(count, "user", "users") + " exported";
    if (!output.is_file())
        std::fprintf(stderr, "%s\n", message.c_str());
    else if (context.wants_json())
        print_data([&](json::Writer& writer) { writer.key("exported").integer(count); });
    else
        print_line(message);
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
    Database& database = context.database();
    const store::Schema& schema = context.schema();
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
    const bool wants_json = context.wants_json() && output.is_file();
    InterruptHandler interrupt_handler(wants_json, [&](bool is_delayed) {
        if (progress)
            progress->clear();
        return is_delayed    ? "the output may be incomplete; run the command again"
               : is_complete ? "the output is complete"
               : output.remove_partial_file() ? "nothing was written; run the command again"
                                              : "the output is incomplete; run the command again";
    });
    database.execute(database.dialect().product().begin_snapshot);
    database.disable_timeouts();
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
