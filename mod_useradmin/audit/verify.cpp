#include "audit/verify.hpp"

#include "crypto/sha256.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace useradmin::audit {

namespace {

constexpr std::size_t max_problems = 100;
constexpr std::size_t max_unknown_lines = 100;

std::string quantity(std::uint64_t first, std::uint64_t last) {
    return first == last
               ? "line number " + std::to_string(first) + " is"
               : "lines numbered " + std::to_string(first) + " to " + std::to_string(last) + " are";
}

void add_problem(Findings& findings, std::string message) {
    if (findings.problems.size() < max_problems)
        findings.problems.push_back(std::move(message));
    else if (findings.problems.size() == max_problems)
        findings.problems.emplace_back("more problems were found; only the first 100 are listed");
}

/// Reads the lines of a source. Skips and reports text that is not a line of an audit log.
class Reader {
  public:
    Reader(const Source& source, Findings& findings) : source_(&source), findings_(&findings) {
        next();
    }

    /// The chain of the last verified line, or nullptr before the first line.
    ChainFindings* chain = nullptr;

    /// Returns the current line, or std::nullopt at the end.
    const std::optional<ParsedLine>& head() const noexcept { return head_; }
    std::string_view text() const noexcept { return line_; }
    const Source& source() const noexcept { return *source_; }
    /// Returns the location of the line, such as "audit.log, line 17".
    std::string where() const { return source_->name + ", line " + std::to_string(count_); }

    void next() {
        head_.reset();
        std::optional<std::string> foreign;
        // The views of the parsed line refer to line_, so do not read the next one.
        while (!head_ && take_line()) {
            ++count_;
            if (line_.size() <= max_line_length)
                head_ = parse_line(line_);
            if (foreign && head_ && head_->broken == crypto::sha256_hex(*foreign))
                findings_->notes.push_back(
                    source_->name + ", line " + std::to_string(count_ - 1) +
                    ": a partial line, left by a process that was killed while writing");
            else if (foreign)
                reject(count_ - 1);
            foreign = head_ ? std::nullopt : std::optional(line_);
        }
        if (foreign)
            reject(count_);
        if (const int error = read_error(); !head_ && error != Z_OK)
            add_problem(*findings_, source_->name + (error == Z_ERRNO ? "" : " is truncated and") +
                                        " cannot be read to the end");
    }

  private:
    /// Reads a line, or the beginning of a line that is too long. Returns false at the end or on a
    /// read error.
    bool take_line() {
        const gzFile file = source_->file.get();
        line_.clear();
        int byte = gzgetc(file);
        const bool has_begun = byte >= 0;
        for (; byte >= 0 && byte != '\n'; byte = gzgetc(file))
            if (line_.size() <= max_line_length)
                line_.push_back(static_cast<char>(byte));
        return has_begun && (byte == '\n' || read_error() == Z_OK);
    }
    /// Returns zlib's error code, or Z_OK. Z_BUF_ERROR means that a compressed file is truncated.
    int read_error() const noexcept {
        int error = Z_OK;
        static_cast<void>(gzerror(source_->file.get(), &error));
        return error == Z_STREAM_END ? Z_OK : error;
    }
    void reject(std::uint64_t number) {
        add_problem(*findings_, source_->name + ", line " + std::to_string(number) +
                                    ": this is not an audit log line: it was edited or truncated");
    }

    const Source* source_;
    Findings* findings_;
    std::string line_;
    std::uint64_t count_ = 0;
    std::optional<ParsedLine> head_;
};

/// Returns the key of the line's chain. Lines of earlier versions have neither host nor instance.
std::string origin_of(const ParsedLine& line) {
    return line.host.empty() ? std::string()
                             : std::string(line.host).append("\n").append(line.instance);
}

/// Assigns the lines of all sources to their chains and verifies each chain in order.
class Chains {
  public:
    Chains(const std::vector<Source>& sources, Findings& findings) : findings_(findings) {
        readers_.reserve(sources.size());
        for (const Source& source : sources) {
            Reader& reader = readers_.emplace_back(source, findings);
            put(reader);
            if (source.last_written)
                open_ends_.push_back(&reader);
        }
    }

    /// Removes and returns the reader whose line is verified next. Returns nullptr at the end. Call
    /// put() after the reader has read its next line.
    Reader* take() {
        // Writers read the clock before they wait for the lock, so a chain may not be ordered by
        // time. The numbers take precedence.
        const auto next = std::ranges::min_element(heads_, {}, [this](const auto& heads) {
            const auto& [number, reader] = *heads.second.begin();
            const auto chain = chains_.find(heads.first);
            // A line that seems to be missing may still come after another chain's line, so read
            // that line first.
            const bool has_gap = chain != chains_.end() && number > chain->second.last.number + 1;
            return std::pair(has_gap, reader->head()->time);
        });
        if (next == heads_.end())
            return nullptr;
        Reader* const reader = next->second.begin()->second;
        next->second.erase(next->second.begin());
        if (next->second.empty())
            heads_.erase(next);
        return reader;
    }
    void put(Reader& reader) {
        if (const auto& line = reader.head())
            heads_[origin_of(*line)].emplace(line->position.number, &reader);
    }

    /// Verifies the reader's line as part of its chain.
    void follow(Reader& reader) {
        const ParsedLine& line = *reader.head();
        const std::string origin = origin_of(line);
        const auto known = chains_.find(origin);
        const ChainFindings* const before =
            known != chains_.end() ? &known->second : chain_before(reader);
        ChainFindings& chain = chains_[origin];
        if (!line.is_intact)
            problem(chain,
                    reader.where() + ": the line was edited: its hash does not match its text");
        if (before != nullptr)
            compare(chain, before->last, reader);
        else if (line.position.number != 1)
            findings_.notes.push_back("the lines before number " +
                                      std::to_string(line.position.number) +
                                      " are not in these files");
        else if (line.previous != ChainPosition().hash)
            problem(chain, "the first line does not start the chain: it was edited");
        if (chain.lines == 0) {
            chain.host = line.host;
            chain.instance = line.instance;
            chain.source = reader.source().name;
            chain.first = line.position;
        }
        ++chain.lines;
        chain.last = line.position;
        reader.chain = &chain;
        std::erase_if(open_ends_, [&](const Reader* each) {
            return each->source().last_written->hash == line.position.hash;
        });
    }

    /// Reports the logs that lack the line recorded in their .chain files.
    void check_ends() {
        for (const Reader* const reader : open_ends_) {
            ChainFindings* const chain = reader->chain != nullptr ? reader->chain
                                         : chains_.size() == 1    ? &chains_.begin()->second
                                                                  : nullptr;
            const std::uint64_t last = chain != nullptr ? chain->last.number : 0;
            const std::uint64_t written = reader->source().last_written->number;
            std::string message =
                reader->source().name + ": " +
                (written > last
                     ? "the end is missing: " + quantity(last + 1, written) + " recorded in"
                     : "line number " + std::to_string(written) + " was replaced, according to") +
                " the .chain file";
            if (chain != nullptr)
                problem(*chain, std::move(message));
            else
                add_problem(findings_, std::move(message));
        }
    }

    void finish() {
        for (auto& [origin, chain] : chains_)
            findings_.chains.push_back(std::move(chain));
    }

  private:
    /// Returns the chain that the reader's line continues, or nullptr if there is none. The line is
    /// the first of its own chain.
    const ChainFindings* chain_before(const Reader& reader) {
        const ParsedLine& line = *reader.head();
        const std::uint64_t number = line.position.number;
        for (const auto& [origin, chain] : chains_)
            if (chain.last.number + 1 == number && chain.last.hash == line.previous) {
                findings_.notes.push_back(reader.where() + ": the host or instance changes here");
                return &chain;
            }
        // Lines may have been removed where the host or the version changed.
        const ChainFindings* const above = reader.chain;
        const bool is_continued =
            above != nullptr &&
            (line.host.empty() ||
             (number != 1 && (above->host.empty() || above->instance == line.instance)));
        return is_continued ? above : nullptr;
    }

    void compare(ChainFindings& chain, const ChainPosition& last, const Reader& reader) {
        const ParsedLine& line = *reader.head();
        const std::uint64_t number = line.position.number;
        if (number > last.number + 1)
            problem(chain, reader.where() + ": " + quantity(last.number + 1, number - 1) +
                               " missing before this line");
        else if (number <= last.number)
            problem(chain, reader.where() + ": number " + std::to_string(number) +
                               " comes after number " + std::to_string(last.number) +
                               ": lines were reordered or inserted");
        else if (line.previous != last.hash)
            problem(chain, reader.where() +
                               ": the line does not follow the previous one, which was replaced");
    }

    void problem(ChainFindings& chain, std::string message) {
        chain.is_intact = false;
        add_problem(findings_, std::move(message));
    }

    Findings& findings_;
    std::vector<Reader> readers_;
    /// The chains by origin.
    std::map<std::string, ChainFindings> chains_;
    /// The readers and the numbers of their next lines, by origin.
    std::map<std::string, std::set<std::pair<std::uint64_t, Reader*>>> heads_;
    /// The readers of logs whose last line, according to the .chain file, has not been verified
    /// yet.
    std::vector<const Reader*> open_ends_;
};

} // namespace

Findings verify(const std::vector<Source>& sources, std::vector<std::string> known_hashes,
                const std::function<void(std::string_view line)>& on_line) {
    Findings findings;
    Chains chains(sources, findings);
    while (Reader* const reader = chains.take()) {
        const ParsedLine& line = *reader->head();
        chains.follow(*reader);
        ++findings.lines;
        if (line.is_outcome_unknown && ++findings.unknown <= max_unknown_lines)
            findings.unknown_lines.push_back(reader->where() + ", number " +
                                             std::to_string(line.position.number));
        if (line.is_intact)
            std::erase(known_hashes, line.position.hash);
        on_line(reader->text());
        reader->next();
        chains.put(*reader);
    }
    chains.check_ends();
    for (const std::string& hash : known_hashes)
        add_problem(findings,
                    "no line has the hash " + hash + ", which an earlier verification printed");
    chains.finish();
    return findings;
}

} // namespace useradmin::audit
