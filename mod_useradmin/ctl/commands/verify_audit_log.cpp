// useradminctl audit verify
#include "audit/log.hpp"
#include "audit/verify.hpp"
#include "ctl/command.hpp"
#include "ctl/display.hpp"
#include "text/hex.hpp"
#include "text/split.hpp"
#include "json/writer.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

namespace useradmin::ctl {

namespace {

using PrintLine = std::function<void(std::string_view line)>;

constexpr std::uint64_t progress_interval = 10000;

std::optional<std::string_view> text_if_any(std::string_view text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

/// Returns the position in a log's .chain file. Returns std::nullopt if the file is missing, as for
/// a rotated log, unreadable or invalid. In the last two cases, adds a note unless the log is
/// empty. Call this before reading the log. Otherwise, lines written after the log was read would
/// seem to be missing.
std::optional<audit::ChainPosition> last_written(const std::string& log,
                                                 std::vector<std::string>& notes) {
    const std::string name = audit::Log::position_file(log);
    errno = 0;
    std::ifstream stream(name);
    const int error = stream.is_open() ? 0 : errno;
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    auto position = audit::parse_position(text);
    std::error_code ignored;
    if (!position && error != ENOENT && !std::filesystem::is_empty(log, ignored))
        notes.push_back(name +
                        (error != 0
                             ? " cannot be read (" + std::generic_category().message(error) + ")"
                             : " contains no position") +
                        ", so it is unknown whether the end of " + log + " is missing");
    return position;
}

/// Opens the files to verify, except .chain files. "-" is standard input. Adds notes on what cannot
/// be checked.
std::vector<audit::Source> open_files(const std::vector<std::string>& names,
                                      std::vector<std::string>& notes) {
    std::vector<audit::Source> sources;
    for (const std::string& name : names) {
        // A shell pattern such as audit.log* also matches the .chain file.
        if (name.ends_with(audit::Log::position_file("")))
            continue;
        const bool is_input = name == "-";
        audit::Source& source = sources.emplace_back();
        source.name = is_input ? "standard input" : name;
        source.file.reset(is_input ? gzdopen(STDIN_FILENO, "r") : gzopen(name.c_str(), "re"));
        const int error = source.file != nullptr ? EISDIR : errno;
        std::error_code ignored;
        if (source.file == nullptr || (!is_input && std::filesystem::is_directory(name, ignored)))
            throw CommandError("cannot read " + name + ": " +
                               std::generic_category().message(error) +
                               "; specify a file that this account may read");
        if (!is_input)
            source.last_written = last_written(name, notes);
    }
    if (sources.empty())
        throw UsageError("specify an audit log");
    return sources;
}

void write_chain(json::Writer& writer, const audit::ChainFindings& chain) {
    writer.key("first").integer(static_cast<std::int64_t>(chain.first.number));
    writer.key("last").integer(static_cast<std::int64_t>(chain.last.number));
    writer.key("hash").string(chain.last.hash);
}

void print_verification_as_json(const audit::Findings& found) {
    print_data(
        [&](json::Writer& writer) {
            writer.key("lines").integer(static_cast<std::int64_t>(found.lines));
            if (found.chains.size() < 2)
                write_chain(writer,
                            found.chains.empty() ? audit::ChainFindings() : found.chains[0]);
            write_texts(writer.key("problems"), found.problems);
            write_texts(writer.key("notes"), found.notes);
            writer.key("unknown").integer(static_cast<std::int64_t>(found.unknown));
            write_texts(writer.key("unknownLines"), found.unknown_lines);
            writer.key("chains").begin_array();
            for (const audit::ChainFindings& chain : found.chains) {
                writer.begin_object();
                writer.key("host").string_or_null(text_if_any(chain.host));
                writer.key("instance").string_or_null(text_if_any(chain.instance));
                writer.key("file").string(chain.source);
                writer.key("lines").integer(static_cast<std::int64_t>(chain.lines));
                write_chain(writer, chain);
                writer.key("intact").boolean(chain.is_intact);
                writer.end_object();
            }
            writer.end_array();
        },
        found.problems.empty() ? "" : "the audit log is not intact");
}

std::string verdict_of(const audit::ChainFindings& chain, bool is_intact) {
    const std::string last = std::to_string(chain.last.number);
    return count_of(chain.lines, "line, number ", "lines, numbered ") +
           (chain.lines == 1 ? last : std::to_string(chain.first.number) + " to " + last) +
           (is_intact ? ": intact." : ": not intact.");
}

void print_chains(const audit::Findings& found, const PrintLine& print) {
    if (found.chains.size() == 1) {
        const audit::ChainFindings& chain = found.chains[0];
        print(verdict_of(chain, found.problems.empty()));
        return;
    }
    for (const audit::ChainFindings& chain : found.chains)
        print((chain.host.empty() ? chain.source : chain.host + ", instance " + chain.instance) +
              ": " + verdict_of(chain, chain.is_intact) +
              (chain.is_intact ? " The last hash is " + chain.last.hash + "." : ""));
}

void print_verification(const audit::Findings& found, const PrintLine& print) {
    for (const std::string& problem : found.problems)
        print("problem: " + problem);
    for (const std::string& note : found.notes)
        print("note: " + note);
    for (const std::string& line : found.unknown_lines)
        print("unknown: " + line);
    if (found.lines == 0) {
        print("The log is empty.");
        return;
    }
    print_chains(found, print);
    if (found.unknown != 0)
        print("The outcome of " + count_of(found.unknown, "change", "changes") +
              " is unknown: the database did not answer the COMMIT. Compare the lines with the "
              "database.");
    if (!found.problems.empty())
        return;
    if (found.chains.size() == 1)
        print(
            "The last hash is " + found.chains[0].last.hash +
            ". Store it elsewhere: with --anchor, you can later verify that no line before it was "
            "removed.");
    else
        print("Store the last hashes elsewhere: with --anchor HASH,HASH, you can later verify that "
              "no line before them was removed.");
}

/// Returns the hashes in --anchor. Throws CommandError if one is invalid.
std::vector<std::string> anchors_of(const Options& options) {
    std::vector<std::string> anchors;
    std::string_view rest = options.find("anchor").value_or("");
    for (bool has_more = options.has("anchor"); has_more;) {
        has_more = rest.find(',') != rest.npos;
        const std::string_view hash = text::take_until(rest, ',');
        if (!text::is_lower_hex(hash, 64))
            throw UsageError("--anchor must be a hash printed by an earlier verification (64 "
                             "hexadecimal digits), or several separated by commas");
        anchors.emplace_back(hash);
    }
    return anchors;
}

} // namespace

Exit verify_audit_log(Context& context) {
    const bool prints_lines = context.options.has("print");
    if (prints_lines && context.wants_json())
        throw UsageError("--print prints lines that are already JSON; omit --json");
    std::vector<std::string> anchors = anchors_of(context.options);
    // All files are open at once, so raise the limit.
    if (rlimit limit{}; getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    std::vector<std::string> notes;
    const std::vector<audit::Source> sources = open_files(context.options.arguments, notes);
    std::optional<Progress> progress;
    if (!prints_lines)
        progress.emplace("Verifying lines");
    std::uint64_t lines = 0;
    audit::Findings found = audit::verify(sources, std::move(anchors), [&](std::string_view line) {
        if (prints_lines)
            print_json(line);
        else if (++lines % progress_interval == 0)
            progress->show(lines, 0);
    });
    progress.reset();
    found.notes.insert(found.notes.end(), notes.begin(), notes.end());
    if (context.wants_json())
        print_verification_as_json(found);
    else
        print_verification(found, prints_lines ? PrintLine(print_error) : PrintLine(print_line));
    return found.problems.empty() ? Exit::success : Exit::failure;
}

} // namespace useradmin::ctl
