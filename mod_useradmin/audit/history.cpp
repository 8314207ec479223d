#include "audit/history.hpp"

#include "audit/log.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>

namespace useradmin::audit {

namespace {

constexpr std::int64_t block_size = std::int64_t{1024} * 1024;
static_assert(max_line_length < block_size);
constexpr std::int64_t max_read = 64 * block_size;

/// Returns the lines that contain the member.
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
                                    std::size_t max_lines) {
    struct stat file = {};
    if (fstat(log, &file) != 0)
        return std::nullopt;
    const std::string member = target_member(target);
    History history;
    std::int64_t& end = history.earlier = std::min<std::int64_t>(before, file.st_size);
    const std::int64_t last = std::max<std::int64_t>(end - max_read, 0);
    while (end > last) {
        const std::int64_t start = std::max<std::int64_t>(end - block_size, 0);
        const std::string block = read_at(log, static_cast<std::size_t>(end - start), start);
        if (std::ssize(block) != end - start)
            return std::nullopt;
        // The first line may begin in the preceding block, so start after it.
        const std::size_t whole = start == 0 ? 0 : block.find('\n') + 1;
        const std::vector<std::string_view> lines =
            lines_with(std::string_view(block).substr(whole), member);
        for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
            const auto parsed = parse_line(*line);
            if (!parsed || !parsed->is_intact)
                continue;
            history.lines.push_back(std::string(parsed->members) + "}");
            if (history.lines.size() == max_lines) {
                end = start + (line->data() - block.data());
                return history;
            }
        }
        // If a block's only line break is its last byte, its line is too long. Skip the block.
        end = whole < block.size() ? start + static_cast<std::int64_t>(whole) : start;
    }
    return history;
}

} // namespace useradmin::audit
