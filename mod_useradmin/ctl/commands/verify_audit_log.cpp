// useradminctl audit verify
#include "audit/log.hpp"
#include "audit/verify.hpp"
#include "ctl/command.hpp"
#include "ctl/commands/log_file.hpp"
#include "ctl/display.hpp"
#include "json/writer.hpp"

#include <cerrno>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <system_error>
#include <utility>

namespace useradmin::ctl {

namespace {

/// Returns the position in a log's .chain file, or nothing if there is none, as for a rotated log.
/// Reports an unreadable file.
std::optional<audit::ChainPosition> last_written(const std::string& log, bool has_lines,
                                                 std::vector<std::string>& notes) {
    const std::string name = audit::Log::position_file(log);
    errno = 0;
    std::ifstream stream(name);
    const int error = stream.is_open() ? 0 : errno;
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    auto place = audit::parse_position(text);
    if (!place && has_lines && error != ENOENT)
        notes.push_back(name +
                        (error != 0
                             ? " cannot be read (" + std::generic_category().message(error) + ")"
                             : " holds no place") +
                        ": it does not tell whether the end of " + log + " is there");
    return place;
}

/// The open files; "-" is standard input.
class Files {
  public:
    explicit Files(const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            // A pattern for logs also matches .chain files.
            if (name.ends_with(audit::Log::position_file("")))
                continue;
            if (name == "-") {
                sources_.push_back({"standard input", &std::cin});
                continue;
            }
            std::error_code ignored;
            LogFile& stream = streams_.emplace_back(name);
            if (!stream.is_open() || std::filesystem::is_directory(name, ignored))
                throw CommandError(Exit::failure, "cannot read " + name +
                                                      "; name a file that this account may read");
            const bool has_lines = stream.peek() != LogFile::traits_type::eof();
            sources_.push_back({name, &stream, last_written(name, has_lines, notes_)});
        }
        if (sources_.empty())
            throw CommandError(Exit::usage, "name an audit log");
    }

    const std::vector<audit::Source>& sources() const noexcept { return sources_; }
    /// Returns notes on what could not be checked.
    const std::vector<std::string>& notes() const noexcept { return notes_; }

  private:
    std::deque<LogFile> streams_;
    std::vector<audit::Source> sources_;
    std::vector<std::string> notes_;
};

/// Returns the number of lines; 0 if standard input is one of the sources.
std::uint64_t lines_of(const std::vector<audit::Source>& sources) {
    std::uint64_t lines = 0;
    for (const audit::Source& source : sources) {
        if (source.text == &std::cin)
            return 0;
        lines += count_lines(source.name);
    }
    return lines;
}

audit::Findings follow(const Files& files, std::optional<std::string> anchor) {
    const Progress progress("Following the lines");
    const std::uint64_t total = progress.is_shown() ? lines_of(files.sources()) : 0;
    audit::Findings found =
        audit::verify(files.sources(), std::move(anchor),
                      [&](std::uint64_t lines) { progress.show(lines, total); });
    found.notes.insert(found.notes.end(), files.notes().begin(), files.notes().end());
    return found;
}

void print_verification_as_json(const audit::Findings& found) {
    print_data(
        [&](json::Writer& writer) {
            writer.key("lines").integer(static_cast<std::int64_t>(found.lines));
            writer.key("first").integer(static_cast<std::int64_t>(found.first.number));
            writer.key("last").integer(static_cast<std::int64_t>(found.last.number));
            writer.key("hash").string(found.last.hash);
            write_texts(writer.key("problems"), found.problems);
            write_texts(writer.key("notes"), found.notes);
            writer.key("unknown").integer(static_cast<std::int64_t>(found.unknown));
            write_texts(writer.key("unknownLines"), found.unknown_lines);
        },
        found.problems.empty() ? "" : "the lines are not as they were written");
}

void print_verification(const audit::Findings& found) {
    for (const std::string& problem : found.problems)
        print_line("problem: " + problem);
    for (const std::string& note : found.notes)
        print_line("note: " + note);
    for (const std::string& line : found.unknown_lines)
        print_line("unknown: " + line);
    if (found.lines == 0) {
        print_line("There are no lines.");
        return;
    }
    print_line(
        std::to_string(found.lines) + (found.lines == 1 ? " line, number " : " lines, number ") +
        std::to_string(found.first.number) + " to " + std::to_string(found.last.number) +
        (found.problems.empty() ? ": all as they were written." : ": not as they were written."));
    if (found.unknown != 0)
        print_line(
            "The outcome of " + std::to_string(found.unknown) +
            (found.unknown == 1 ? " change" : " changes") +
            " is unknown: the database did not answer the COMMIT. Compare the lines with the "
            "database.");
    if (found.problems.empty())
        print_line(
            "The last hash is " + found.last.hash +
            "; kept elsewhere, it shows later (--anchor) that nothing up to here was taken away.");
}

} // namespace

Exit verify_audit_log(Context& context) {
    std::optional<std::string> anchor;
    if (const auto said = context.options.find("anchor")) {
        if (said->size() != 64 || said->find_first_not_of("0123456789abcdef") != said->npos)
            throw CommandError(Exit::usage, "--anchor must be a hash that an earlier verification "
                                            "printed: 64 hexadecimal digits");
        anchor = *said;
    }
    const Files files(context.options.words);
    const audit::Findings found = follow(files, std::move(anchor));
    if (context.wants_json())
        print_verification_as_json(found);
    else
        print_verification(found);
    return found.problems.empty() ? Exit::success : Exit::failure;
}

} // namespace useradmin::ctl
