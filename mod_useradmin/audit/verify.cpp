#include "audit/verify.hpp"

#include "crypto/sha256.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <string_view>
#include <utility>

namespace useradmin::audit {

namespace {

constexpr std::size_t max_problems = 100;
constexpr std::size_t max_unknown_lines = 100;
constexpr std::size_t max_chains = 1000;
constexpr std::uint64_t progress_interval = 10000;

std::string quantity(std::uint64_t first, std::uint64_t last) {
    return first == last
               ? "line number " + std::to_string(first) + " is"
               : "lines numbered " + std::to_string(first) + " to " + std::to_string(last) + " are";
}

class Chain;

void add_problem(Findings& findings, std::string sentence) {
    if (findings.problems.size() < max_problems)
        findings.problems.push_back(std::move(sentence));
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
    Chain* chain = nullptr;

    /// Returns the current line, or std::nullopt at the end.
    const std::optional<ParsedLine>& head() const noexcept { return head_; }
    std::string_view text() const noexcept { return line_; }
    /// Returns the number of lines read, including skipped ones.
    std::uint64_t count() const noexcept { return count_; }
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
                refuse(count_ - 1);
            foreign = head_ ? std::nullopt : std::optional(line_);
        }
        if (foreign)
            refuse(count_);
        if (!head_ && source_->text->bad())
            add_problem(*findings_, source_->name + " is truncated and cannot be read to the end");
    }

  private:
    /// Reads a line, or the beginning of a line that is too long. Returns false at the end or on a
    /// read error.
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
        add_problem(*findings_, source_->name + ", line " + std::to_string(number) +
                                    ": this is not an audit log line: it was edited or truncated");
    }

    const Source* source_;
    Findings* findings_;
    std::string line_;
    std::uint64_t count_ = 0;
    std::optional<ParsedLine> head_;
};

/// Returns the name of a log without the suffix of a rotation: "audit.log" for "audit.log.2.gz" and
/// "audit.log-20261127".
std::string_view log_name(std::string_view file) {
    if (const std::string_view gzip = ".gz"; file.ends_with(gzip))
        file.remove_suffix(gzip.size());
    const std::size_t end = file.find_last_not_of("0123456789") + 1;
    const bool is_rotated =
        end > 1 && end < file.size() && (file[end - 1] == '.' || file[end - 1] == '-');
    return is_rotated ? file.substr(0, end - 1) : file;
}

std::vector<Reader> open_all(const std::vector<Source>& sources, Findings& findings) {
    std::vector<Reader> readers;
    readers.reserve(sources.size());
    for (const Source& source : sources)
        readers.emplace_back(source, findings);
    return readers;
}

/// Returns a key for a host and an instance.
std::string origin_of(std::string_view host, std::string_view instance) {
    return std::string(host).append("\n").append(instance);
}

/// Verifies a chain line by line.
class Chain {
  public:
    Chain(Findings& findings, const Reader& reader) : findings_(findings) {
        found.source = reader.source().name;
    }

    /// Returns whether the line follows the last line of the chain.
    bool is_followed_by(const ParsedLine& line) const { return line.previous == found.last.hash; }
    /// Returns whether the line has the same number and predecessor as the last line of the chain.
    bool forks_before(const ParsedLine& line) const {
        return line.position.number == found.last.number && line.previous == previous_;
    }

    void follow(const Reader& reader) {
        const ParsedLine& line = *reader.head();
        if (!line.is_intact)
            problem(reader.where() + ": the line was edited: its hash does not match its text");
        if (found.lines == 0)
            begin(reader);
        else
            compare(line, reader);
        if (found.host.empty()) {
            found.host = line.host;
            found.instance = line.instance;
        }
        ++found.lines;
        found.last = line.position;
        previous_ = line.previous;
    }

    void problem(std::string sentence) {
        found.is_intact = false;
        add_problem(findings_, std::move(sentence));
    }

    /// Returns a key that no other chain has.
    std::string key() const {
        return found.host.empty() ? found.first.hash : origin_of(found.host, found.instance);
    }

    ChainFindings found;
    /// Whether the predecessor of the first line is in another chain.
    bool continues_another = false;

  private:
    void begin(const Reader& reader) {
        const ParsedLine& line = *reader.head();
        found.first = line.position;
        if (line.position.number == 1 && line.previous != ChainPosition().hash)
            problem("the first line does not start the chain: it was edited");
        if (line.position.number == 1)
            return;
        if (continues_another)
            findings_.notes.push_back(reader.where() + ": the host or instance changes here");
        else
            findings_.notes.push_back("the lines before number " +
                                      std::to_string(line.position.number) +
                                      " are not in these files");
    }

    void compare(const ParsedLine& line, const Reader& reader) {
        const ChainPosition& last = found.last;
        const std::uint64_t number = line.position.number;
        if (number > last.number + 1)
            problem(reader.where() + ": " + quantity(last.number + 1, number - 1) +
                    " missing before this line");
        else if (number <= last.number)
            problem(reader.where() + ": number " + std::to_string(number) + " comes after number " +
                    std::to_string(last.number) + ": lines were reordered or inserted");
        else if (line.previous != last.hash)
            problem(reader.where() +
                    ": the line does not follow the previous one, which was replaced");
    }

    Findings& findings_;
    std::string previous_;
};

/// Assigns the lines of all sources to their chains and verifies each chain in order.
class Chains {
  public:
    Chains(const std::vector<Source>& sources, Findings& findings)
        : findings_(findings), readers_(open_all(sources, findings)) {}

    /// Returns the reader whose line is verified next, or nullptr at the end.
    Reader* next() {
        const auto continues_chain = [&](const Reader& reader) {
            return reader.head() && is_next(reader) && is_first_of_instance(reader);
        };
        // The next line is usually in the same file.
        if (last_ != nullptr && continues_chain(*last_))
            return last_;
        for (Reader& reader : readers_)
            if (continues_chain(reader))
                return last_ = &reader;
        // Writers read the clock before they wait for the lock, so a chain may not be ordered by
        // time. The numbers take precedence.
        Reader* earliest = nullptr;
        for (Reader& reader : readers_)
            if (reader.head() && is_first_of_instance(reader) &&
                (earliest == nullptr || reader.head()->time < earliest->head()->time))
                earliest = &reader;
        return last_ = earliest;
    }

    /// Verifies the reader's line as part of its chain.
    void follow(Reader& reader) {
        Chain* chain = known(reader);
        if (chain == nullptr)
            chain = begin(reader);
        if (chain == nullptr) {
            add_problem(findings_, reader.where() + ": the line starts a new chain, but there are "
                                                    "too many chains; verify fewer files");
            return;
        }
        if (const ParsedLine& line = *reader.head(); !line.host.empty())
            by_origin_.emplace(origin_of(line.host, line.instance), chain);
        reader.chain = chain;
        chain->follow(reader);
    }

    /// Compares the ends of the logs with their .chain files.
    void check_ends() {
        for (const Reader& reader : readers_) {
            const Source& source = reader.source();
            if (!source.last_written)
                continue;
            Chain* const chain = chain_of_end(reader);
            const ChainPosition last = chain != nullptr ? chain->found.last : ChainPosition();
            std::string sentence;
            if (source.last_written->number > last.number)
                sentence = source.name + ": the end is missing: " +
                           quantity(last.number + 1, source.last_written->number) +
                           " recorded in the .chain file";
            else if (source.last_written->number == last.number &&
                     source.last_written->hash != last.hash)
                sentence =
                    source.name + ": the last line was replaced, according to the .chain file";
            if (sentence.empty())
                continue;
            if (chain != nullptr)
                chain->problem(std::move(sentence));
            else
                add_problem(findings_, std::move(sentence));
        }
    }

    void finish() {
        for (const Reader& reader : readers_)
            findings_.parts.push_back(
                {reader.count(), reader.chain != nullptr ? reader.chain->key() : ""});
        for (Chain& chain : chains_)
            findings_.chains.push_back(std::move(chain.found));
    }

  private:
    /// Returns the first chain that meets the condition, or nullptr.
    template <class Condition>
    Chain* find(const Condition& condition) {
        const auto chain = std::ranges::find_if(chains_, condition);
        return chain != chains_.end() ? &*chain : nullptr;
    }

    /// Returns the first chain of the reader's log, rotated files included, that meets the
    /// condition, or nullptr.
    template <class Condition>
    Chain* find_in_log(const Reader& reader, const Condition& condition) const {
        for (const Reader& other : readers_)
            if (other.chain != nullptr && condition(*other.chain) &&
                log_name(other.source().name) == log_name(reader.source().name))
                return other.chain;
        return nullptr;
    }

    /// Returns the chain of the reader's line, or nullptr if the chain is not known yet.
    Chain* known(const Reader& reader) {
        const ParsedLine& line = *reader.head();
        if (!line.host.empty()) {
            if (reader.chain != nullptr && reader.chain->found.host == line.host &&
                reader.chain->found.instance == line.instance)
                return reader.chain;
            const auto found = by_origin_.find(origin_of(line.host, line.instance));
            if (found != by_origin_.end())
                return found->second;
            // An earlier version, which did not write the host, may have begun the log.
            Chain* const before = chain_before(line);
            return before != nullptr && before->found.host.empty() ? before : nullptr;
        }
        if (reader.chain != nullptr && reader.chain->is_followed_by(line))
            return reader.chain;
        Chain* const before = chain_before(line);
        return before != nullptr ? before : reader.chain;
    }

    bool is_next(const Reader& reader) {
        const Chain* const chain = known(reader);
        return chain != nullptr && chain->is_followed_by(*reader.head());
    }

    /// Returns whether no other reader's line has the same instance and a smaller number. If the
    /// line's chain is unknown, lines without an instance count too.
    bool is_first_of_instance(const Reader& reader) {
        const ParsedLine& line = *reader.head();
        const bool is_unknown = known(reader) == nullptr && line.position.number != 1;
        return std::ranges::all_of(readers_, [&](const Reader& other) {
            return !other.head() || other.head()->position.number >= line.position.number ||
                   (other.head()->instance != line.instance &&
                    !(is_unknown && other.head()->instance.empty()));
        });
    }

    /// Returns the chain whose last hash is the line's previous hash, or nullptr.
    Chain* chain_before(const ParsedLine& line) {
        return find([&](const Chain& chain) { return chain.is_followed_by(line); });
    }

    /// Returns the chain that the line probably continues after removed or edited lines, or
    /// nullptr.
    Chain* interrupted_chain(const Reader& reader) {
        const ParsedLine& line = *reader.head();
        const auto may_hold = [&](const Chain& chain) {
            return line.host.empty() || chain.found.host.empty() ||
                   chain.found.instance == line.instance;
        };
        return reader.chain != nullptr && may_hold(*reader.chain) ? reader.chain
                                                                  : find_in_log(reader, may_hold);
    }

    /// Begins a chain for a line that follows no known chain. Returns an existing chain instead if
    /// the line repeats its first line or probably continues it after missing lines. Returns
    /// nullptr if there are too many chains.
    Chain* begin(const Reader& reader) {
        const ParsedLine& line = *reader.head();
        Chain* old = nullptr;
        if (line.host.empty()) // the sources may contain the line twice
            old = find(
                [&](const Chain& chain) { return chain.found.first.hash == line.position.hash; });
        const bool continues_another =
            find([&](const Chain& chain) {
                return chain.is_followed_by(line) || chain.forks_before(line);
            }) != nullptr;
        if (line.position.number != 1 && !continues_another && old == nullptr)
            old = interrupted_chain(reader);
        if (old != nullptr || chains_.size() == max_chains)
            return old;
        Chain& chain = chains_.emplace_back(findings_, reader);
        chain.continues_another = continues_another;
        return &chain;
    }

    /// Returns the chain to compare with the source's .chain file, or nullptr if it cannot be
    /// determined.
    Chain* chain_of_end(const Reader& reader) {
        if (reader.chain != nullptr)
            return reader.chain;
        const std::string& last = reader.source().last_written->hash;
        if (Chain* const chain =
                find([&](const Chain& each) { return each.found.last.hash == last; }))
            return chain;
        if (Chain* const chain = find_in_log(reader, [](const Chain&) { return true; }))
            return chain;
        return chains_.size() == 1 ? &chains_.front() : nullptr;
    }

    Findings& findings_;
    std::vector<Reader> readers_;
    /// The reader that next() returned last, or nullptr.
    Reader* last_ = nullptr;
    std::deque<Chain> chains_;
    std::map<std::string, Chain*> by_origin_;
};

} // namespace

Findings verify(const std::vector<Source>& sources, std::vector<std::string> known_hashes,
                const std::function<void(std::uint64_t lines)>& progress) {
    Findings findings;
    Chains chains(sources, findings);
    while (Reader* const reader = chains.next()) {
        const ParsedLine& line = *reader->head();
        chains.follow(*reader);
        if (line.is_outcome_unknown && ++findings.unknown <= max_unknown_lines)
            findings.unknown_lines.push_back(reader->where() + ", number " +
                                             std::to_string(line.position.number));
        if (line.is_intact)
            std::erase(known_hashes, line.position.hash);
        reader->next();
        if (++findings.lines % progress_interval == 0)
            progress(findings.lines);
    }
    chains.check_ends();
    for (const std::string& hash : known_hashes)
        add_problem(findings,
                    "no line has the hash " + hash + ", which an earlier verification printed");
    chains.finish();
    return findings;
}

void merge(const std::vector<Source>& sources, const Findings& found,
           const std::function<void(std::string_view line)>& write) {
    Findings unused;
    std::vector<Reader> readers = open_all(sources, unused);
    for (;;) {
        std::map<std::string, Reader*> first_readers;
        for (std::size_t source = 0; source < readers.size(); ++source) {
            Reader& reader = readers[source];
            const Findings::Part& part = found.parts[source];
            // Skip lines written after the verification.
            if (!reader.head() || reader.count() > part.lines)
                continue;
            const ParsedLine& line = *reader.head();
            Reader*& first =
                first_readers[line.host.empty() ? part.chain : origin_of(line.host, line.instance)];
            if (first == nullptr || line.position.number < first->head()->position.number)
                first = &reader;
        }
        const auto earliest = std::ranges::min_element(
            first_readers, {}, [](const auto& first) { return first.second->head()->time; });
        if (earliest == first_readers.end())
            return;
        write(earliest->second->text());
        earliest->second->next();
    }
}

} // namespace useradmin::audit
