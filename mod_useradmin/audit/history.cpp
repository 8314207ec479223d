#include "audit/history.hpp"

#include "audit/chain.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace useradmin::audit {

namespace {

constexpr std::int64_t block_size = std::int64_t{1024} * 1024;
static_assert(max_line_length < block_size);
constexpr std::int64_t max_read = 64 * block_size;

/// Reads a part of the log. Returns false if it cannot be read completely.
bool read_block(int log, std::int64_t start, std::int64_t end, std::string& block) {
    block.resize(static_cast<std::size_t>(end - start));
    for (std::size_t done = 0; done < block.size();) {
        const ssize_t count = pread(log, block.data() + done, block.size() - done,
                                    start + static_cast<std::int64_t>(done));
        if (count == 0 || (count < 0 && errno != EINTR))
            return false;
        done += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    }
    return true;
}

/// Returns the lines of a text that contain the member.
std::vector<std::string_view> lines_with(std::string_view text, std::string_view member) {
    std::vector<std::string_view> lines;
    for (std::size_t at = 0; (at = text.find(member, at)) != text.npos;) {
        const std::size_t start = text.rfind('\n', at) + 1;
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(start, end - start));
        at = end;
    }
    return lines;
}

} // namespace

std::optional<History> read_history(int log, std::string_view target, std::int64_t before,
                                    std::size_t most_lines) {
    struct stat file = {};
    if (fstat(log, &file) != 0)
        return std::nullopt;
    const std::string member = target_member(target);
    History history;
    std::string block;
    std::int64_t end = std::min<std::int64_t>(before, file.st_size);
    const std::int64_t last = std::max<std::int64_t>(end - max_read, 0);
    while (end > last) {
        const std::int64_t start = std::max<std::int64_t>(end - block_size, 0);
        if (!read_block(log, start, end, block))
            return std::nullopt;
        // The first line may begin in the block before.
        const std::size_t whole = start == 0 ? 0 : block.find('\n') + 1;
        const std::vector<std::string_view> lines =
            lines_with(std::string_view(block).substr(whole), member);
        for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
            const auto parsed = parse_line(*line);
            if (!parsed || !parsed->is_intact)
                continue;
            history.lines.push_back(std::string(parsed->members) + "}");
            if (history.lines.size() == most_lines) {
                end = start + (line->data() - block.data());
                if (end > 0)
                    history.earlier = end;
                return history;
            }
        }
        end = start + static_cast<std::int64_t>(whole);
    }
    if (end > 0)
        history.earlier = end;
    return history;
}

} // namespace useradmin::audit
