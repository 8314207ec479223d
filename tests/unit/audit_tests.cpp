// The hash chain of an audit log, and the problems that verification reports.
#include "fake_sign_in.hpp"

#include "audit/history.hpp"
#include "audit/log.hpp"
#include "audit/recorder.hpp"
#include "audit/verify.hpp"
#include "crypto/sha256.hpp"
#include "support/fail_test.hpp"
#include "support/process.hpp"
#include "support/text.hpp"
#include "text/hex.hpp"
#include "json/reader.hpp"

#include <CppUTest/TestHarness.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

std::atomic<int> syncs{0};

} // namespace

/// Replaces the C library's function to count the calls.
extern "C" int fdatasync(int file) {
    ++syncs;
    return static_cast<int>(syscall(SYS_fdatasync, file));
}

namespace useradmin::test {

namespace {

using Texts = std::vector<std::string>;

/// Creates a temporary file, open for reading and writing. flags: extra flags of open(2), such as
/// O_APPEND for an audit log.
class TemporaryFile {
  public:
    explicit TemporaryFile(int flags = 0) : descriptor_(mkostemp(path_, O_CLOEXEC | flags)) {}
    ~TemporaryFile() {
        close(descriptor_);
        unlink(path_);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    int descriptor() const noexcept { return descriptor_; }
    std::string text() const {
        std::string text(static_cast<std::size_t>(lseek(descriptor_, 0, SEEK_END)), '\0');
        CHECK(pread(descriptor_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
        return text;
    }
    void set(std::string_view text) const {
        CHECK_EQUAL(0, ftruncate(descriptor_, 0));
        CHECK(pwrite(descriptor_, text.data(), text.size(), 0) ==
              static_cast<ssize_t>(text.size()));
    }

    void remove() const { CHECK_EQUAL(0, unlink(path_)); }

  private:
    char path_[32] = "/tmp/useradmin-test-XXXXXX";
    int descriptor_;
};

std::string text_of(const Texts& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    return text;
}

/// Returns a file with this text, open for reading.
audit::Source source_of(std::string name, std::string_view text,
                        std::optional<audit::ChainPosition> last = {}) {
    const int file = memfd_create("log", MFD_CLOEXEC);
    CHECK(write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    CHECK_EQUAL(0, lseek(file, 0, SEEK_SET));
    audit::Source source;
    source.name = std::move(name);
    source.file.reset(gzdopen(file, "r"));
    source.last_written = std::move(last);
    return source;
}

/// Verifies files with these contents. Returns the problems, then the notes, one per line.
std::string findings_in(const Texts& files, std::optional<audit::ChainPosition> last = {},
                        const Texts& anchors = {}) {
    std::vector<audit::Source> sources;
    for (const std::string& file : files) {
        const char name = static_cast<char>('a' + sources.size());
        sources.push_back(
            source_of(std::string(1, name), file, sources.empty() ? last : std::nullopt));
    }
    const audit::Findings found = audit::verify(sources, anchors, [](std::string_view) {});
    std::string text;
    for (const std::string& problem : found.problems)
        text += problem + "\n";
    for (const std::string& note : found.notes)
        text += "(" + note + ")\n";
    return text;
}

} // namespace

TEST_GROUP(audit_chain) {
    TemporaryFile log{O_APPEND};
    TemporaryFile position_file;
    audit::Log chained{log.descriptor(), position_file.descriptor()};

    std::uint64_t append(std::string_view what) {
        const auto appended = chained.append("{\"what\":\"" + std::string(what) + "\"",
                                             audit::Log::Delivery::blocking);
        CHECK_EQUAL(0, appended.error);
        return appended.number;
    }
    Texts append_five() {
        for (const char* what : {"a", "b", "c", "d", "e"})
            append(what);
        return lines_of(log.text());
    }
};

TEST(audit_chain, links_each_line_to_the_hash_of_the_previous_one) {
    append("x");
    append("y");
    const Texts lines = lines_of(log.text());
    const std::string zeros(64, '0');
    const std::string origin = R"(,"host":")" + std::string(audit::parse_line(lines.at(0))->host) +
                               R"(","instance":")" +
                               std::string(audit::parse_line(lines.at(0))->instance) + "\"";
    const std::string first =
        R"({"what":"x")" + origin + R"(,"number":1,"previous":")" + zeros + "\"";
    CHECK_EQUAL(first + R"(,"hash":")" + crypto::sha256_hex(first) + "\"}", lines.at(0));
    const std::string second = R"({"what":"y")" + origin + R"(,"number":2,"previous":")" +
                               crypto::sha256_hex(first) + "\"";
    CHECK_EQUAL(second + R"(,"hash":")" + crypto::sha256_hex(second) + "\"}", lines.at(1));
}

TEST(audit_chain, unchanged_log_has_no_problems) {
    CHECK_EQUAL(std::string(""), findings_in({text_of(append_five())}));
    CHECK_EQUAL(std::string(""), findings_in({""}));
}

TEST(audit_chain, reports_an_edited_line) {
    Texts lines = append_five();
    lines[4].replace(lines[4].find("\"e\""), 3, "\"f\"");
    CHECK_EQUAL(std::string("a, line 5: the line was edited: its hash does not match its text\n"),
                findings_in({text_of(lines)}));
}

TEST(audit_chain, reports_a_line_with_a_NUL_byte) {
    Texts lines = append_five();
    lines[2].replace(lines[2].find("\"c\""), 3, std::string("\"\0\"", 3));
    CHECK_EQUAL(std::string("a, line 3: the line was edited: its hash does not match its text\n"),
                findings_in({text_of(lines)}));
}

TEST(audit_chain, may_end_without_a_newline) {
    std::string text = text_of(append_five());
    text.pop_back();
    CHECK_EQUAL(std::string(""), findings_in({text}));
    text.pop_back();
    CHECK_EQUAL(
        std::string("a, line 5: this is not an audit log line: it was edited or truncated\n"),
        findings_in({text}));
}

TEST(audit_chain, reports_a_replaced_line_with_a_valid_hash) {
    Texts lines = append_five();
    audit::ChainPosition position = audit::parse_line(lines[1])->position;
    std::string other = R"({"what":"other")";
    audit::append_origin_of_chain(other, audit::parse_line(lines[1])->instance);
    lines[2] = audit::close_line(other, position);
    lines[2].pop_back();
    CHECK_EQUAL(
        std::string("a, line 4: the line does not follow the previous one, which was replaced\n"),
        findings_in({text_of(lines)}));
}

TEST(audit_chain, reports_missing_lines) {
    Texts lines = append_five();
    lines.erase(lines.begin() + 1, lines.begin() + 3);
    CHECK_EQUAL(std::string("a, line 2: lines numbered 2 to 3 are missing before this line\n"),
                findings_in({text_of(lines)}));
    lines.erase(lines.begin());
    CHECK_EQUAL(std::string("(the lines before number 4 are not in these files)\n"),
                findings_in({text_of(lines)}));
}

TEST(audit_chain, reports_reordered_lines) {
    Texts lines = append_five();
    std::swap(lines[1], lines[2]);
    CHECK_EQUAL(
        std::string(
            "a, line 2: line number 2 is missing before this line\na, line 3: number 2 comes after "
            "number 3: lines were reordered or inserted\na, line 4: line number 3 is missing "
            "before this line\n"),
        findings_in({text_of(lines)}));
}

TEST(audit_chain, reports_duplicate_and_malformed_lines) {
    Texts lines = append_five();
    lines.insert(lines.begin() + 2, lines[1]);
    lines.insert(lines.begin(), R"({"what":"mine"})");
    CHECK_EQUAL(
        std::string(
            "a, line 1: this is not an audit log line: it was edited or truncated\na, line 4: "
            "number 2 comes after number 2: lines were reordered or inserted\n"),
        findings_in({text_of(lines)}));
}

TEST(audit_chain, reports_a_truncated_end) {
    Texts lines = append_five();
    const audit::ChainPosition last = *audit::parse_position(position_file.text());
    const std::string anchor = last.hash;
    CHECK_EQUAL(std::string(""), findings_in({text_of(lines)}, last, {anchor}));
    lines.resize(3);
    CHECK_EQUAL(std::string(""), findings_in({text_of(lines)}));
    CHECK_EQUAL(
        std::string(
            "a: the end is missing: lines numbered 4 to 5 are recorded in the .chain file\n"),
        findings_in({text_of(lines)}, last));
    CHECK_EQUAL("no line has the hash " + anchor + ", which an earlier verification printed\n",
                findings_in({text_of(lines)}, {}, {anchor}));
}

TEST(audit_chain, verifies_overlong_lines_in_bounded_memory) {
    std::array<int, 2> ends{};
    CHECK_EQUAL(0, pipe(ends.data()));
    const long before = resident_kib();
    long at_end = 0;
    std::thread writer([&] {
        const std::string piece(std::size_t{1} << 16, 'x');
        for (int count = 0; count < 1024; ++count)
            static_cast<void>(!write(ends[1], piece.data(), piece.size()));
        at_end = resident_kib();
        close(ends[1]);
    });
    std::vector<audit::Source> sources(1);
    sources[0].name = "a";
    sources[0].file.reset(gzdopen(ends[0], "r"));
    const audit::Findings found = audit::verify(sources, {}, [](std::string_view) {});
    writer.join();
    CHECK(at_end - before < 32L * 1024);
    CHECK_EQUAL(0, found.lines);
    CHECK_EQUAL(1, found.problems.size());
    CHECK_EQUAL(std::string("a, line 1: this is not an audit log line: it was edited or truncated"),
                found.problems[0]);
}

TEST(audit_chain, spans_lines_of_any_length) {
    for (std::size_t length = 3800; length < 4100; ++length)
        append(std::string(length, 'x'));
    for (const std::size_t length : {8000, 100000})
        append(std::string(length, 'x'));
    CHECK_EQUAL(std::string(""), findings_in({log.text()}));
}

TEST(audit_chain, spans_files_in_any_order) {
    const Texts lines = append_five();
    CHECK_EQUAL(std::string(""), findings_in({text_of({lines[1], lines[4]}), text_of({lines[0]}),
                                              text_of({lines[2], lines[3]})}));
    CHECK_EQUAL(std::string("(the lines before number 2 are not in these files)\n"),
                findings_in({text_of({lines[1], lines[4]}), text_of({lines[2], lines[3]})}));
    CHECK_EQUAL(std::string("a, line 2: lines numbered 3 to 4 are missing before this line\n"),
                findings_in({text_of({lines[1], lines[4]}), text_of({lines[0]})}));
}

TEST(audit_chain, continues_without_a_valid_position_file) {
    append_five();
    const std::string before = position_file.text();
    append("f");
    position_file.set(before);
    CHECK_EQUAL(7u, append("g"));
    position_file.set("");
    CHECK_EQUAL(8u, append("h"));
    position_file.set("no position at all");
    CHECK_EQUAL(9u, append("i"));
    CHECK_EQUAL(std::string(""), findings_in({log.text()}));
}

TEST(audit_chain, continues_in_an_empty_file) {
    const std::string old = text_of(append_five());
    log.set("");
    append("f");
    CHECK_EQUAL(std::string(""), findings_in({log.text(), old}));
}

TEST(audit_chain, line_in_a_deleted_file_is_an_error) {
    append("a");
    log.remove();
    CHECK_EQUAL(ENOENT, chained.append(R"({"what":"b")", audit::Log::Delivery::durable).error);
    CHECK_EQUAL(ENOENT, chained.last_error());
}

TEST(audit_chain, continues_after_an_incomplete_line) {
    append_five();
    const std::string half = R"({"what":"half)";
    log.set(log.text() + half);
    CHECK_EQUAL(6u, append("f"));
    CHECK_EQUAL(
        std::string(
            "(a, line 6: a partial line, left by a process that was killed while writing)\n"),
        findings_in({log.text()}));
    Texts lines = lines_of(log.text());
    CHECK_EQUAL(half, lines.at(5));
    lines[5] = R"({"what":"hale)";
    CHECK_EQUAL(
        std::string("a, line 6: this is not an audit log line: it was edited or truncated\n"),
        findings_in({text_of(lines)}));
}

TEST(audit_chain, leaves_no_incomplete_line_on_a_full_disk) {
    append_five();
    const std::string before = log.text();
    rlimit old = {};
    getrlimit(RLIMIT_FSIZE, &old);
    rlimit small = old;
    small.rlim_cur = before.size() + 20;
    const auto handler = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    const auto appended = chained.append(R"({"what":"f")", audit::Log::Delivery::durable);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, handler);
    CHECK_EQUAL(EFBIG, appended.error);
    CHECK_EQUAL(0u, appended.number);
    CHECK_EQUAL(before, log.text());
    CHECK_EQUAL(6u, append("f"));
    CHECK_EQUAL(std::string(""), findings_in({log.text()}));
}

TEST(audit_chain, is_shared_by_many_threads) {
    constexpr int threads = 4;
    constexpr int times = 100;
    {
        std::vector<std::thread> writers;
        for (int thread = 0; thread < threads; ++thread)
            writers.emplace_back([&] {
                for (int time = 0; time < times; ++time)
                    static_cast<void>(
                        chained.append(R"({"what":"t")", audit::Log::Delivery::blocking));
            });
        for (std::thread& writer : writers)
            writer.join();
    }
    CHECK_EQUAL(std::string(""), findings_in({log.text()}));
    CHECK_EQUAL(std::size_t(threads * times), lines_of(log.text()).size());
}

TEST(audit_chain, names_the_machine_and_one_instance) {
    append("a");
    std::array<char, 256> host{};
    CHECK_EQUAL(0, gethostname(host.data(), host.size() - 1));
    const std::string first = lines_of(log.text())[0];
    const std::string instance(std::string(audit::parse_line(first)->instance));
    CHECK_EQUAL(std::string(host.data()), std::string(audit::parse_line(first)->host));
    CHECK(text::is_lower_hex(instance, audit::instance_size));
    append("b");
    position_file.set(""); // the last line contains the instance
    append("c");
    log.set(""); // the instance is in the .chain file
    append("d");
    CHECK_EQUAL(instance, std::string(audit::parse_line(lines_of(log.text())[0])->instance));
    log.set("");
    position_file.set("");
    append("e");
    CHECK(std::string(audit::parse_line(lines_of(log.text())[0])->instance) != instance);
}

TEST(audit_chain, log_of_an_earlier_version_continues_with_an_instance) {
    audit::ChainPosition position;
    std::string old;
    for (const char* what : {"a", "b"})
        old += audit::close_line("{\"what\":\"" + std::string(what) + "\"", position);
    log.set(old);
    // Earlier versions did not write the instance.
    std::array<char, 200> chain{};
    std::snprintf(chain.data(), chain.size(), "%020llu %s %020llu %020llu 0\n", 2ULL,
                  position.hash.c_str(), 0ULL, 0ULL);
    position_file.set(chain.data());
    CHECK_EQUAL(3u, append("c"));
    CHECK_EQUAL(4u, append("d"));
    Texts lines = lines_of(log.text());
    CHECK_EQUAL(std::string(""), std::string(audit::parse_line(lines[1])->instance));
    CHECK_EQUAL(std::string(audit::parse_line(lines[2])->instance),
                std::string(audit::parse_line(lines[3])->instance));
    CHECK_EQUAL(std::string("(a, line 3: the host or instance changes here)\n"),
                findings_in({text_of(lines)}));
    CHECK_EQUAL(std::string("(a, line 1: the host or instance changes here)\n"),
                findings_in({text_of({lines[2], lines[3]}), old}));
    lines.erase(lines.begin() + 1);
    CHECK_EQUAL(std::string("a, line 2: line number 2 is missing before this line\n"),
                findings_in({text_of(lines)}));
}

TEST_GROUP(audit_history) {
    static constexpr std::int64_t end = std::numeric_limits<std::int64_t>::max();
    TemporaryFile log{O_APPEND};
    TemporaryFile position_file;
    audit::Log chained{log.descriptor(), position_file.descriptor()};
    int number = 0;

    /// Appends a line about a target. The line's number is the caller.
    void append(std::string_view target) {
        audit::Event event;
        event.operation = "ban";
        event.target = target;
        event.caller = std::to_string(++number);
        const std::string line =
            audit::begin_line(event, {.server = "a.example"}, text::Timestamp(), 0);
        CHECK_EQUAL(0, chained.append(line, audit::Log::Delivery::blocking).error);
    }
    /// Returns the callers of the lines about a target.
    std::string read(std::string_view target, std::int64_t & before, std::size_t most = 1000) {
        const auto history = audit::read_history(log.descriptor(), target, before, most);
        CHECK(history.has_value());
        before = history->earlier;
        std::string callers;
        for (const std::string& line : history->lines) {
            const auto object = json::Object::parse(line);
            CHECK(object.has_value());
            callers +=
                std::string(callers.empty() ? "" : " ") + std::string(object->text("caller"));
        }
        return callers;
    }
    std::string read(std::string_view target) {
        std::int64_t before = end;
        return read(target, before);
    }
};

TEST(audit_history, has_the_lines_of_a_target_newest_first) {
    for (const char* target : {"ana", "bo", "ana", "anab", "xana", "ana"})
        append(target);
    CHECK_EQUAL(std::string("6 3 1"), read("ana"));
    CHECK_EQUAL(std::string("2"), read("bo"));
    CHECK_EQUAL(std::string(), read("nobody"));
    const auto history = audit::read_history(log.descriptor(), "bo", end, 10);
    CHECK_EQUAL(std::string(R"({"time":"1970-01-01T00:00:00.000Z","server":"a.example",)"
                            R"("operation":"ban","result":"done","status":200,"caller":"2",)"
                            R"("role":null,"address":null,"target":"bo"})"),
                history->lines.at(0));
}

TEST(audit_history, skips_lines_longer_than_a_block) {
    append("ana");
    const std::string too_long = std::string(1024 * 1024 + 5, 'x') + "\n";
    CHECK_EQUAL(std::ssize(too_long), write(log.descriptor(), too_long.data(), too_long.size()));
    CHECK_EQUAL(std::string("1"), read("ana"));
}

TEST(audit_history, finds_any_target_but_no_other_text_that_contains_it) {
    const std::string quoted = R"(a","target":"bo)";
    const std::string reversed = "a\xe2\x80\xae\n";
    append(quoted);
    append(reversed);
    append(std::string(2000, 'x'));
    CHECK_EQUAL(std::string("1"), read(quoted));
    CHECK_EQUAL(std::string("2"), read(reversed));
    CHECK_EQUAL(std::string("3"), read(std::string(2000, 'x')));
    CHECK_EQUAL(std::string(), read("bo"));
}

TEST(audit_history, is_read_in_pages) {
    for (int count = 0; count < 5; ++count)
        append("ana");
    std::int64_t before = end;
    CHECK_EQUAL(std::string("5 4"), read("ana", before, 2));
    CHECK_EQUAL(std::string("3 2"), read("ana", before, 2));
    append("ana");
    CHECK_EQUAL(std::string("1"), read("ana", before, 2));
    CHECK_EQUAL(0, before);
}

TEST(audit_history, spans_blocks) {
    const std::string others(500, 'o');
    std::string callers;
    for (int count = 0; count < 6000; ++count) {
        append(count % 50 == 0 ? "ana" : others);
        if (count % 50 == 0)
            callers.insert(0, std::to_string(number) + (callers.empty() ? "" : " "));
    }
    CHECK(log.text().size() > std::size_t{3} * 1024 * 1024);
    CHECK_EQUAL(callers, read("ana"));
}

TEST(audit_history, omits_an_edited_line) {
    append("ana");
    append("ana");
    std::string text = log.text();
    text.replace(text.find("ban"), 3, "get");
    log.set(text + R"({"half of a line","target":"ana")");
    CHECK_EQUAL(std::string("2"), read("ana"));
}

TEST(audit_history, omits_the_mark_of_a_truncated_line) {
    log.set(R"({"half of a line)");
    append("ana");
    CHECK(audit::parse_line(lines_of(log.text()).back())->broken.size() == 64);
    CHECK_EQUAL(std::string("1"), read("ana"));
}

TEST_GROUP(audit_chains) {
    /// Returns a server's lines at these times (seconds). If its name starts with "old", the lines
    /// have no host.
    static Texts lines_of_server(std::string_view host, std::initializer_list<int> times,
                                 audit::ChainPosition position = {}) {
        std::string text;
        for (const int time : times) {
            std::string line = R"({"time":"2026-11-27T08:00:)" + std::to_string(time) +
                               R"(.000Z","server":")" + std::string(host.substr(0, 2)) + "\"";
            if (!host.starts_with("old"))
                line += R"(,"host":")" + std::string(host) + R"(","instance":"00000000000000a1")";
            text += audit::close_line(line, position);
        }
        return lines_of(text);
    }
    static Texts interleave(const Texts& one, const Texts& other) {
        Texts all;
        for (std::size_t line = 0; line < std::max(one.size(), other.size()); ++line)
            for (const Texts* each : {&one, &other})
                if (line < each->size())
                    all.push_back(each->at(line));
        return all;
    }
    /// Returns the seconds of the lines in the order in which they are verified.
    static std::string order_of(const Texts& files) {
        std::vector<audit::Source> sources;
        for (const std::string& file : files)
            sources.push_back(source_of("audit.log." + std::to_string(sources.size()), file));
        std::string seconds;
        const audit::Findings found = audit::verify(sources, {}, [&](std::string_view line) {
            seconds += std::string(line.substr(26, 2)) + " ";
        });
        CHECK_EQUAL(0U, found.problems.size());
        return seconds;
    }

    const Texts one = lines_of_server("web1", {10, 12, 14, 16});
    const Texts two = lines_of_server("web2", {11, 13, 15});
    const Texts old = lines_of_server("old1", {10, 20, 30});
};

TEST(audit_chains, chains_of_several_servers_are_verified_separately) {
    CHECK_EQUAL(std::string(), findings_in({text_of(one), text_of(two), text_of(old)}));
    CHECK_EQUAL(std::string(), findings_in({text_of(interleave(one, two))}));
    // Rotated files in any order.
    CHECK_EQUAL(std::string(), findings_in({text_of({one[3]}), text_of({old[2]}),
                                            text_of({one[0], one[1], one[2]}),
                                            text_of({old[0], old[1]}), text_of(two)}));
    // Both servers write to one file, which was rotated.
    CHECK_EQUAL(std::string(), findings_in({text_of({one[1], two[2], one[2], one[3]}),
                                            text_of({one[0], two[0], two[1]})}));
}

TEST(audit_chains, are_reported_with_the_missing_lines_of_each) {
    const std::string whole = text_of(two);
    CHECK_EQUAL(std::string("b, line 2: line number 2 is missing before this line\n"),
                findings_in({whole, text_of({one[0], one[2], one[3]})}));
    CHECK_EQUAL(
        std::string("a, line 2: line number 2 is missing before this line\na, line 3: number 2 "
                    "comes after number 3: lines were reordered or inserted\na, line 5: line "
                    "number 3 is missing before this line\n"),
        findings_in({text_of({one[0], one[2], one[1], two[0], one[3], two[1], two[2]})}));
    Texts edited = one;
    edited[1].replace(edited[1].find("web1\","), 6, "web3\",");
    CHECK_FALSE(findings_in({whole, text_of(edited)}).empty());
    CHECK_EQUAL(std::string("b, line 2: line number 2 is missing before this line\n"),
                findings_in({text_of(two), text_of({old[0], old[2]})}));
    // The file in the middle is missing.
    CHECK_EQUAL(std::string("c, line 1: lines numbered 2 to 3 are missing before this line\n"),
                findings_in({whole, text_of({one[0]}), text_of({one[3]})}));
}

TEST(audit_chains, have_one_last_hash_each) {
    const auto hash = [](const std::string& line) {
        return audit::parse_line(line)->position.hash;
    };
    const Texts files = {text_of(one), text_of(two)};
    CHECK_EQUAL(std::string(), findings_in(files, {}, {hash(one[3]), hash(two[2])}));
    CHECK_EQUAL("no line has the hash " + hash(one[0]) +
                    ", which an earlier verification printed\n(the lines before number 2 are not "
                    "in these files)\n",
                findings_in({text_of({one[1], one[2], one[3]}), text_of(two)}, {},
                            {hash(two[2]), hash(one[0])}));
    CHECK_EQUAL(
        std::string("a: the end is missing: line number 4 is recorded in the .chain file\n"),
        findings_in({text_of({one[0], one[1], one[2]}), text_of(two)},
                    audit::parse_line(one[3])->position));
}

TEST(audit_chains, chain_of_another_server_cannot_hide_a_truncated_end) {
    const Texts other = lines_of_server("web3", {20, 21, 22, 23, 24});
    CHECK_EQUAL(std::string("a: line number 4 was replaced, according to the .chain file\n"),
                findings_in({text_of({one[0], one[1]}) + text_of(other)},
                            audit::parse_line(one[3])->position));
}

TEST(audit_chains, continue_when_the_host_changes) {
    Texts lines = one;
    for (const std::string& line :
         lines_of_server("web3", {20, 21}, audit::parse_line(one[3])->position))
        lines.push_back(line);
    CHECK_EQUAL(std::string("(a, line 5: the host or instance changes here)\n"),
                findings_in({text_of(lines)}));
    lines.erase(lines.begin() + 2, lines.begin() + 4);
    CHECK_EQUAL(std::string("a, line 3: lines numbered 3 to 4 are missing before this line\n"),
                findings_in({text_of(lines)}));
}

TEST(audit_chains, include_an_inserted_line_without_a_host) {
    CHECK_EQUAL(std::string("a, line 3: number 1 comes after number 2: lines were reordered or "
                            "inserted\n"),
                findings_in({text_of({one[0], one[1], old[0], one[2], one[3]})}));
}

TEST(audit_chains, may_follow_lines_of_a_server_whose_clock_is_fast) {
    const Texts fast = lines_of_server("web3", {40});
    CHECK_EQUAL(std::string(),
                findings_in({text_of({one[2], one[3]}), text_of({one[0], fast[0], one[1]})}));
}

TEST(audit_chains, are_merged_in_chronological_order) {
    CHECK_EQUAL(std::string("10 11 12 13 14 15 16 "), order_of({text_of(one), text_of(two)}));
    CHECK_EQUAL(std::string("10 11 12 13 14 15 16 "),
                order_of({text_of({one[2], one[3]}), text_of(two), text_of({one[0], one[1]})}));
    CHECK_EQUAL(std::string("10 11 13 15 20 30 "),
                order_of({text_of({old[2]}), text_of(two), text_of({old[0], old[1]})}));
}

TEST_GROUP(audit_program) {
    std::array<int, 2> ends{};
    TemporaryFile position_file;
    std::unique_ptr<audit::Log> piped;
    std::size_t written = 0;

    void setup() override {
        CHECK_EQUAL(0, pipe(ends.data()));
        piped = std::make_unique<audit::Log>(ends[1], position_file.descriptor());
    }
    void teardown() override {
        for (const int end : ends)
            close(end);
    }

    audit::AppendResult append(audit::Log::Delivery delivery, std::size_t size = 6000) {
        const auto appended =
            piped->append(R"({"what":")" + std::string(size, 'x') + "\"", delivery);
        written += appended.error == 0 ? 1 : 0;
        return appended;
    }
    /// Appends lines until the pipe has no room for another one.
    audit::AppendResult fill(std::size_t size = 6000) {
        audit::AppendResult appended;
        while (appended.error == 0)
            appended = append(audit::Log::Delivery::non_blocking, size);
        return appended;
    }
    /// Reads all data in the pipe.
    std::string read_all() const {
        std::string text;
        std::array<char, 4096> piece;
        int held = 0;
        while (ioctl(ends[0], FIONREAD, &held) == 0 && held > 0)
            text.append(piece.data(),
                        static_cast<std::size_t>(read(ends[0], piece.data(), piece.size())));
        return text;
    }
};

TEST(audit_program, receives_only_whole_lines) {
    for (const std::size_t size : {10, 300, 2100, 4096, 6000}) {
        written = 0;
        CHECK_EQUAL(EAGAIN, fill(size).error);
        const Texts lines = lines_of(read_all());
        CHECK(written > 0);
        CHECK_EQUAL(written, lines.size());
        for (const std::string& line : lines)
            CHECK(audit::parse_line(line)->is_intact);
    }
}

TEST(audit_program, reports_the_start_and_the_end_of_a_stall) {
    CHECK(fill().begins_stall);
    for (int time = 0; time < 3; ++time)
        CHECK_FALSE(append(audit::Log::Delivery::non_blocking).begins_stall);
    std::string text = read_all();
    const auto first = append(audit::Log::Delivery::non_blocking);
    CHECK_EQUAL(0, first.error);
    CHECK_EQUAL(4U, first.not_written);
    CHECK_EQUAL(0U, append(audit::Log::Delivery::non_blocking).not_written);
    text += read_all();
    CHECK_EQUAL(std::string(""), findings_in({text}));
    CHECK(fill().begins_stall);
}

TEST(audit_program, delays_only_the_first_line_of_a_stall) {
    fill();
    // If each append waited, the test would take minutes.
    for (int time = 0; time < 50; ++time)
        CHECK_EQUAL(EAGAIN, append(audit::Log::Delivery::blocking).error);
    const std::string text = read_all();
    CHECK_EQUAL(0, append(audit::Log::Delivery::durable).error);
}

TEST(audit_program, receives_a_waiting_line_if_it_reads_in_time) {
    fill();
    std::thread reader([this] { static_cast<void>(read_all()); });
    CHECK_EQUAL(0, append(audit::Log::Delivery::blocking).error);
    reader.join();
}

TEST(audit_program, does_not_block_other_lines_while_one_waits) {
    fill();
    std::atomic<bool> has_waited{false};
    std::thread waiter([&] {
        append(audit::Log::Delivery::blocking);
        has_waited = true;
    });
    CHECK_EQUAL(EAGAIN, append(audit::Log::Delivery::non_blocking).error);
    CHECK_FALSE(has_waited);
    static_cast<void>(read_all());
    waiter.join();
}

TEST(audit_program, gets_no_line_for_an_operation_without_a_change) {
    RecordingLogger errors;
    audit::Recorder recorder({piped.get(), true}, {}, errors);
    CHECK(recorder.on_change("n", nullptr, nullptr));
    CHECK_EQUAL(0U, recorder.written());
    recorder.event().is_change = true;
    CHECK(recorder.on_change("n", nullptr, nullptr));
    CHECK(recorder.written() != 0);
}

TEST_GROUP(audit_rejections) {
    TemporaryFile log{O_APPEND};
    TemporaryFile position_file;
    audit::Log chained{log.descriptor(), position_file.descriptor()};
    RecordingLogger errors;

    void refuse(std::string_view address, std::string_view caller = "",
                bool is_credential_rejected = false, const char* reason = "expired-session",
                bool is_change = true) {
        audit::Recorder recorder({&chained, true}, {"a.test", address}, errors);
        recorder.event().operation = "list";
        recorder.event().is_change = is_change;
        recorder.event().caller = caller;
        recorder.event().reason = reason;
        recorder.event().is_credential_rejected = is_credential_rejected;
        recorder.event().status = 401;
        CHECK(recorder.finish());
    }
    std::size_t count() const {
        return lines_of(log.text()).size();
    }
};

TEST(audit_rejections, rejections_of_a_network_have_one_line_a_minute) {
    for (int time = 0; time < 1000; ++time)
        refuse("192.0.2.1");
    CHECK_EQUAL(1U, count());
    for (const char* address : {"192.0.2.2", "2001:db8::1", "2001:db8::2"})
        refuse(address);
    CHECK_EQUAL(3U, count());
}

TEST(audit_rejections, rejected_changes_of_a_known_caller_have_a_line_each) {
    for (int time = 0; time < 3; ++time)
        refuse("192.0.2.1", "ana");
    CHECK_EQUAL(3U, count());
}

TEST(audit_rejections, rejected_reads_of_a_known_caller_have_one_line_a_minute) {
    for (int time = 0; time < 1000; ++time)
        refuse("192.0.2.1", "ana", false, "", false);
    CHECK_EQUAL(1U, count());
    refuse("192.0.2.1", "eva", false, "", false);
    CHECK_EQUAL(2U, count());
}

TEST(audit_rejections, rejected_credentials_of_an_owner_have_one_line_a_minute) {
    for (int time = 0; time < 1000; ++time)
        refuse("192.0.2.1", "ana", true);
    CHECK_EQUAL(1U, count());
    STRCMP_CONTAINS(R"("caller":"ana")", log.text().c_str());
    refuse("192.0.2.1", "eva", true);
    CHECK_EQUAL(2U, count());
    refuse("192.0.2.2", "ana", true);
    CHECK_EQUAL(3U, count());
}

TEST(audit_rejections, only_reasons_of_an_owner_have_separate_lines) {
    for (const char* const reason : {"expired-session", "banned"}) {
        refuse("192.0.2.1", "ana", true, reason);
        refuse("192.0.2.1", "", true, reason);
    }
    CHECK_EQUAL(3U, count());
}

TEST(audit_rejections, rejections_of_too_many_networks_are_counted_together) {
    for (int number = 0; number < 10000; ++number)
        refuse("10.0." + std::to_string(number / 250) + "." + std::to_string(number % 250));
    CHECK(count() > 1500);
    CHECK(count() <= 2049);
}

TEST_GROUP(audit_recorder) {
    TemporaryFile log{O_APPEND};
    TemporaryFile position_file;
    audit::Log chained{log.descriptor(), position_file.descriptor()};
    RecordingLogger errors;
};

TEST(audit_recorder, lines_of_several_changes_are_synced_once) {
    audit::Recorder recorder({&chained, true}, {}, errors);
    const auto record = [&] {
        audit::Event event;
        event.is_change = true;
        recorder.begin(std::move(event));
        CHECK(recorder.on_change("n", nullptr, nullptr));
    };
    const int before = syncs;
    record();
    CHECK_EQUAL(before + 1, syncs);
    recorder.defer_sync();
    record();
    record();
    CHECK_EQUAL(before + 1, syncs);
    CHECK(recorder.sync());
    CHECK_EQUAL(before + 2, syncs);
    CHECK_EQUAL(3U, lines_of(log.text()).size());
}

TEST(audit_recorder, reports_a_line_that_cannot_be_corrected) {
    audit::Recorder recorder({&chained, true}, {}, errors);
    recorder.event().is_change = true;
    CHECK(recorder.on_change("n", nullptr, nullptr));
    recorder.event().status = 503;
    log.remove(); // appending to a deleted log fails
    CHECK_FALSE(recorder.finish());
    const std::string claim = "UA0401: cannot write the audit log: No such file or directory; line "
                              "1 claims a change that was ";
    CHECK_EQUAL(claim + "not made", errors.lines.front());
    errors.lines.clear();
    recorder.event().is_outcome_unknown = true;
    CHECK_FALSE(recorder.finish());
    CHECK_EQUAL(claim + "possibly not made", errors.lines.front());
}

TEST_GROUP(audit_line){};

TEST(audit_line, line_of_an_update_has_the_fields_that_differ) {
    audit::Event event;
    event.operation = "update";
    model::User before;
    before.id = "u";
    before.name = "Old";
    before.updated_at = text::now();
    model::User after = before;
    after.name = "New\n\"";
    after.role = "admin";
    after.updated_at = text::now() + std::chrono::hours(1);
    event.before = before;
    event.after = after;
    const std::string line = audit::begin_line(event, {}, text::now(), 0);
    CHECK(
        line.find(R"("old":{"name":"Old","role":null},"new":{"name":"New\n\"","role":"admin"})") !=
        line.npos);
}

TEST(audit_line, names_the_extra_columns_that_are_set) {
    audit::Event event;
    event.operation = "update";
    CHECK(audit::begin_line(event, {}, text::now(), 0).find("columns") == std::string::npos);
    event.columns = {"plan", "a\"b"};
    STRCMP_CONTAINS(R"("columns":["plan","a\"b"])",
                    audit::begin_line(event, {}, text::now(), 0).c_str());
}

TEST(audit_line, unknown_outcome_is_marked_and_listed) {
    audit::Event event;
    event.operation = "update";
    event.target = R"(,"result":"unknown",)";
    event.status = 503;
    audit::ChainPosition position;
    std::string text = audit::close_line(audit::begin_line(event, {}, text::now(), 0), position);
    event.is_outcome_unknown = true;
    text += audit::close_line(audit::begin_line(event, {}, text::now(), 1), position);
    // The caller may retry successfully.
    event.status = 200;
    text += audit::close_line(audit::begin_line(event, {}, text::now(), 0), position);
    std::vector<audit::Source> sources;
    sources.push_back(source_of("a", text));
    const audit::Findings found = audit::verify(sources, {}, [](std::string_view) {});
    CHECK(found.problems.empty());
    CHECK_EQUAL(1U, found.unknown);
    CHECK_EQUAL(std::string("a, line 2, number 2"), found.unknown_lines.at(0));
    CHECK(text.find(R"("result":"unknown","status":503)") != text.npos);
}

TEST(audit_line, line_of_several_rejections_has_their_count) {
    audit::Event event;
    event.status = 401;
    CHECK(audit::begin_line(event, {}, text::now(), 0).find("count") == std::string::npos);
    event.count = 7;
    CHECK(audit::begin_line(event, {}, text::now(), 0).find(R"("status":401,"count":7,)") !=
          std::string::npos);
}

TEST(audit_line, names_the_impersonator) {
    audit::Event event;
    event.caller = "eva-1";
    CHECK(audit::begin_line(event, {}, text::now(), 0).find("impersonatedBy") == std::string::npos);
    event.impersonated_by = "sara\n\"";
    STRCMP_CONTAINS(R"("impersonatedBy":"sara\n\"")",
                    audit::begin_line(event, {}, text::now(), 0).c_str());
}

TEST(audit_line, has_a_bounded_length_for_any_values) {
    audit::Event event;
    const std::string nasty(100000, '\x01');
    event.target = event.caller = event.role = event.impersonated_by = nasty;
    model::User user;
    user.id = user.name = user.email = nasty;
    user.role = user.image = user.ban_reason = nasty;
    event.before = user;
    event.after = user;
    event.after->id = event.after->name = "x";
    std::string line = audit::begin_line(event, {nasty, nasty, nasty, nasty}, text::now(), 1);
    audit::ChainPosition position;
    line = audit::close_line(std::move(line), position);
    CHECK(line.size() < audit::max_line_length);
    CHECK_EQUAL(line.size() - 1, line.find('\n'));
    line.pop_back();
    CHECK(audit::parse_line(line)->is_intact);
}

TEST(audit_line, is_truncated_between_characters) {
    audit::Event event;
    event.target = std::string(511, 'x') + "ñ";
    CHECK(audit::begin_line(event, {}, text::now(), 0).find(std::string(511, 'x') + "…\"") !=
          std::string::npos);
}

} // namespace useradmin::test
