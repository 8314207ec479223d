#include "support/memory.hpp"

#include "support/fail_test.hpp"
#include "support/files.hpp"
#include "support/httpd.hpp"
#include "support/process.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/fsuid.h>
#include <unistd.h>

namespace useradmin::test {

namespace {

constexpr std::size_t context = 96;
// The number of bytes to read at a time, a multiple of the page size.
constexpr std::size_t block = 1 << 20;
constexpr std::size_t page_size = 4096;

std::string printable(std::string_view bytes) {
    std::string text(bytes);
    std::replace_if(
        text.begin(), text.end(), [](char byte) { return byte < ' ' || byte > '~'; }, '.');
    return text;
}

/// Finds every part of the searched strings that has at least min_part characters.
class TextSearch {
  public:
    explicit TextSearch(const std::vector<SearchedText>& texts) : texts_(texts) {
        for (const SearchedText& searched : texts) {
            if (searched.text.size() < min_part)
                fail_test("too short to be looked for: " + searched.what);
            for (std::size_t at = 0; at + min_part <= searched.text.size(); ++at)
                starts_[start_of(searched.text.data() + at)] = true;
        }
    }

    void find_in(std::string_view bytes, const std::string& region,
                 std::vector<Occurrence>& found) const {
        const char* const all = bytes.data();
        for (std::size_t at = 0; at + min_part <= bytes.size(); ++at) {
            if (!starts_[start_of(all + at)])
                continue;
            const std::size_t length = match(bytes.substr(at), found, region);
            if (length == 0)
                continue;
            const std::size_t before = std::min(at, context);
            found.back().around = printable(bytes.substr(at - before, before + length + context));
            at += length - 1;
        }
    }

  private:
    static std::size_t start_of(const char* bytes) noexcept {
        std::uint16_t start = 0;
        std::memcpy(&start, bytes, sizeof start);
        return start;
    }

    /// If the bytes start with a part of a searched string, adds the part to `found` and returns
    /// its length. Otherwise, returns 0.
    std::size_t match(std::string_view bytes, std::vector<Occurrence>& found,
                      const std::string& region) const {
        for (const SearchedText& searched : texts_) {
            const std::size_t at = searched.text.find(bytes.substr(0, min_part));
            if (at == std::string::npos)
                continue;
            const std::string_view rest = std::string_view(searched.text).substr(at);
            const auto [end, in_text] =
                std::mismatch(bytes.begin(), bytes.end(), rest.begin(), rest.end());
            const auto length = static_cast<std::size_t>(end - bytes.begin());
            found.push_back({searched.what, std::string(bytes.substr(0, length)), region, {}});
            return length;
        }
        return 0;
    }

    const std::vector<SearchedText>& texts_;
    std::array<bool, 65536> starts_{};
};

/// Opens a process's memory. In some containers, root may not read the memory of other accounts'
/// processes, so this retries as httpd's account.
int open_memory(pid_t process) {
    const std::string path = "/proc/" + std::to_string(process) + "/mem";
    int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (const auto account = Httpd::account(); file < 0 && account) {
        setfsgid(account->group_id);
        setfsuid(account->user_id);
        file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        setfsuid(0);
        setfsgid(0);
    }
    if (file < 0)
        fail_test(
            "the memory of a process of httpd cannot be read (is kernel.yama.ptrace_scope over "
            "1?)");
    return file;
}

bool is_empty(std::string_view bytes) noexcept {
    return std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0 && bytes[0] == '\0';
}

} // namespace

std::vector<Occurrence> find_occurrences(pid_t process, const std::vector<SearchedText>& texts) {
    const TextSearch search(texts);
    std::vector<Occurrence> found;
    const int memory = open_memory(process);
    std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
    std::string buffer(block + 2 * context, '\0');
    for (std::string line; std::getline(maps, line);) {
        std::uint64_t at = 0;
        std::uint64_t end = 0;
        char dash = 0;
        std::string rights;
        std::string ignored;
        std::string region;
        std::istringstream fields(line);
        fields >> std::hex >> at >> dash >> end >> rights >> ignored >> ignored >> ignored;
        std::getline(fields >> std::ws, region);
        if (rights.substr(0, 2) != "rw")
            continue;
        // A string may cross the boundary of two blocks.
        std::size_t kept = 0;
        while (at < end) {
            const std::size_t size = std::min<std::uint64_t>(block, end - at);
            const ssize_t got = pread(memory, buffer.data() + kept, size, static_cast<off_t>(at));
            if (got <= 0)
                break;
            const auto count = static_cast<std::size_t>(got);
            at += count;
            const std::string_view bytes(buffer.data(), kept + count);
            // Skip pages of zeros. Most of a thread's stack was never written to.
            for (std::size_t from = 0; from < bytes.size();) {
                std::size_t length = 0;
                while (from + length < bytes.size() &&
                       !is_empty(bytes.substr(from + length, page_size)))
                    length += page_size;
                search.find_in(bytes.substr(from, length), region, found);
                from += length + page_size;
            }
            kept = at < end ? std::min(min_part - 1, bytes.size()) : 0;
            std::memmove(buffer.data(), bytes.data() + bytes.size() - kept, kept);
        }
    }
    close(memory);
    return found;
}

std::vector<Occurrence> find_occurrences(std::string_view text,
                                         const std::vector<SearchedText>& texts) {
    std::vector<Occurrence> found;
    TextSearch(texts).find_in(text, {}, found);
    return found;
}

} // namespace useradmin::test
