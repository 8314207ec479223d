#include "audit/verify.hpp"

#include "crypto/sha256.hpp"

#include <algorithm>
#include <array>

namespace useradmin::audit {

namespace {

constexpr std::size_t max_problems = 100;
constexpr std::size_t most_unknown_lines = 100;
constexpr std::uint64_t progress_interval = 10000;

std::string quantity(std::uint64_t first, std::uint64_t last) {
    return first == last
               ? "line number " + std::to_string(first) + " is"
               : "lines number " + std::to_string(first) + " to " + std::to_string(last) + " are";
}

/// Collects the findings.
class FindingsCollector {
  public:
    void problem(std::string sentence) {
        if (findings.problems.size() < max_problems)
            findings.problems.push_back(std::move(sentence));
        else
            is_full_ = true;
    }
    void close() {
        if (is_full_)
            findings.problems.emplace_back("there is more; only the first problems are told");
    }

    Findings findings;

  private:
    bool is_full_ = false;
};

/// Reads the lines of a source.
class Reader {
  public:
    Reader(const Source& source, FindingsCollector& findings)
        : source_(&source), findings_(&findings) {
        next();
    }

    /// Returns the next line, or nothing at the end.
    const std::optional<ParsedLine>& head() const noexcept { return head_; }
    /// Returns the location of the line: "audit.log, line 17".
    std::string where() const { return source_->name + ", line " + std::to_string(count_); }

    void next() {
        head_.reset();
        std::string foreign;
        bool has_foreign = false;
        while (take_line()) {
            ++count_;
            if (line_.size() <= max_line_length)
                head_ = parse_line(line_);
            // The views refer to the stored line.
            if (head_) {
                if (has_foreign && head_->broken == crypto::sha256_hex(foreign)) {
                    findings_->findings.notes.push_back(
                        source_->name + ", line " + std::to_string(count_ - 1) +
                        ": half a line, left by a process that was ended while it wrote");
                    has_foreign = false;
                }
                break;
            }
            if (has_foreign)
                refuse(count_ - 1);
            foreign = line_;
            has_foreign = true;
        }
        if (has_foreign)
            refuse(head_ ? count_ - 1 : count_);
        if (!head_ && source_->text->bad())
            findings_->problem(source_->name + " cannot be read to its end: it was broken off");
    }

  private:
    /// Reads a line, or the beginning of a line that is too long. Returns false at the end.
    bool take_line() {
        std::istream& text = *source_->text;
        std::array<char, 4096> piece;
        line_.clear();
        for (bool has_begun = false;; has_begun = true) {
            text.getline(piece.data(), piece.size());
            auto count = static_cast<std::size_t>(text.gcount());
            if (text.bad() || (text.eof() && count == 0))
                return has_begun && !text.bad();
            const bool is_whole = !text.fail();
            if (is_whole && !text.eof())
                --count; // the newline
            if (line_.size() <= max_line_length)
                line_.append(piece.data(), count);
            if (is_whole)
                return true;
            text.clear();
        }
    }
    void refuse(std::uint64_t number) {
        findings_->problem(source_->name + ", line " + std::to_string(number) +
                           ": is no line of an audit log: it was edited or broken off");
    }

    const Source* source_;
    FindingsCollector* findings_;
    std::string line_;
    std::uint64_t count_ = 0;
    std::optional<ParsedLine> head_;
};

/// Verifies the chain from line to line.
class Chain {
  public:
    explicit Chain(FindingsCollector& notebook) : notebook_(notebook) {}

    void follow(const Reader& reader) {
        const ParsedLine& line = *reader.head();
        Findings& findings = notebook_.findings;
        if (!line.is_intact)
            notebook_.problem(reader.where() + ": was edited: its hash is not that of its text");
        if (findings.lines == 0)
            begin(line);
        else
            compare(line, reader);
        if (line.is_outcome_unknown && ++findings.unknown <= most_unknown_lines)
            findings.unknown_lines.push_back(reader.where() + ", number " +
                                             std::to_string(line.position.number));
        ++findings.lines;
        findings.last = line.position;
    }

  private:
    void begin(const ParsedLine& line) {
        notebook_.findings.first = line.position;
        if (line.position.number == 1 && line.previous != ChainPosition().hash)
            notebook_.problem("the first line does not begin the chain: it was edited");
        if (line.position.number != 1)
            notebook_.findings.notes.push_back("the lines before number " +
                                               std::to_string(line.position.number) +
                                               " are not in these files");
    }

    void compare(const ParsedLine& line, const Reader& reader) {
        const ChainPosition& last = notebook_.findings.last;
        const std::uint64_t number = line.position.number;
        if (number > last.number + 1)
            notebook_.problem(reader.where() + ": " + quantity(last.number + 1, number - 1) +
                              " missing before it");
        else if (number <= last.number)
            notebook_.problem(reader.where() + ": number " + std::to_string(number) +
                              " comes after number " + std::to_string(last.number) +
                              ": lines were reordered or put in");
        else if (line.previous != last.hash)
            notebook_.problem(reader.where() +
                              ": does not follow the line before it, which is another one than "
                              "was written");
    }

    FindingsCollector& notebook_;
};

} // namespace

Findings verify(const std::vector<Source>& sources, std::optional<std::string> known_hash,
                const std::function<void(std::uint64_t lines)>& progress) {
    FindingsCollector notebook;
    std::vector<Reader> readers;
    readers.reserve(sources.size());
    for (const Source& source : sources)
        readers.emplace_back(source, notebook);
    Chain chain(notebook);
    Findings& findings = notebook.findings;
    for (;;) {
        Reader* nearest = nullptr;
        for (Reader& reader : readers)
            if (reader.head() && (nearest == nullptr || reader.head()->position.number <
                                                            nearest->head()->position.number))
                nearest = &reader;
        if (nearest == nullptr)
            break;
        chain.follow(*nearest);
        if (known_hash && findings.last.hash == *known_hash && nearest->head()->is_intact)
            known_hash.reset();
        nearest->next();
        if (findings.lines % progress_interval == 0)
            progress(findings.lines);
    }
    for (const Source& source : sources)
        if (source.last_written && source.last_written->number > findings.last.number)
            notebook.problem(source.name + ": the end is missing: " +
                             quantity(findings.last.number + 1, source.last_written->number) +
                             " not there, by the file beside it");
        else if (source.last_written && source.last_written->number == findings.last.number &&
                 source.last_written->hash != findings.last.hash)
            notebook.problem(source.name +
                             ": the last line is another one than was written, by the file beside "
                             "it");
    if (known_hash)
        notebook.problem("no line has the hash " + *known_hash + ", which it had before");
    notebook.close();
    return std::move(findings);
}

} // namespace useradmin::audit
