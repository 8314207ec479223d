#include "text/unicode.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace useradmin::text {

namespace {

const utf8proc_uint8_t* bytes_of(std::string_view text) noexcept {
    return reinterpret_cast<const utf8proc_uint8_t*>(text.data());
}

bool is_ascii(char byte) noexcept {
    return static_cast<unsigned char>(byte) < 0x80;
}

bool all_ascii(std::string_view text) noexcept {
    return std::all_of(text.begin(), text.end(), is_ascii);
}

/// Whether the eight bytes are all in 0x01 to 0x7f: the bulk of every text, checked at once.
bool eight_clean_ascii(const char* bytes) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101;
    constexpr std::uint64_t high_bits = 0x8080808080808080;
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return (((word - ones) | word) & high_bits) == 0;
}

/// Reads the first code point; the length of its sequence, 0 where it is ill-formed.
std::size_t take_point(std::string_view bytes, utf8proc_int32_t& point) noexcept {
    if (bytes.empty())
        return 0;
    const auto length =
        utf8proc_iterate(bytes_of(bytes), static_cast<utf8proc_ssize_t>(bytes.size()), &point);
    return length > 0 ? static_cast<std::size_t>(length) : 0;
}

/// Code points of a text that may be secret.
class CodePoints {
  public:
    explicit CodePoints(std::size_t count)
        : count_(count), points_(std::make_unique<utf8proc_int32_t[]>(count)) {}
    CodePoints(const CodePoints&) = delete;
    CodePoints& operator=(const CodePoints&) = delete;
    ~CodePoints() { explicit_bzero(points_.get(), count_ * sizeof(utf8proc_int32_t)); }

    utf8proc_int32_t* data() noexcept { return points_.get(); }

  private:
    std::size_t count_;
    std::unique_ptr<utf8proc_int32_t[]> points_;
};

int combining_class(utf8proc_int32_t point) noexcept {
    return utf8proc_get_property(point)->combining_class;
}

/// Puts a run of marks in canonical order: by class, those of one class as they come.
void order_marks(std::span<utf8proc_int32_t> marks) {
    const auto by_class = [](auto left, auto right) {
        return combining_class(left) < combining_class(right);
    };
    if (std::is_sorted(marks.begin(), marks.end(), by_class))
        return;
    // std::stable_sort would leave code points in memory of its own, so places are sorted instead.
    std::vector<std::size_t> places(marks.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::sort(places.begin(), places.end(), [&](auto left, auto right) {
        return std::pair(combining_class(marks[left]), left) <
               std::pair(combining_class(marks[right]), right);
    });
    CodePoints ordered(marks.size());
    std::transform(places.begin(), places.end(), ordered.data(),
                   [&](auto place) { return marks[place]; });
    std::copy_n(ordered.data(), marks.size(), marks.begin());
}

void order_all_marks(std::span<utf8proc_int32_t> points) {
    const auto is_mark = [](auto point) { return combining_class(point) != 0; };
    auto start = points.begin();
    while (start != points.end()) {
        start = std::find_if(start, points.end(), is_mark);
        const auto end = std::find_if_not(start, points.end(), is_mark);
        order_marks({start, end});
        start = end;
    }
}

/// What utf8proc_map does, except that it leaves code points in freed memory, and takes quadratic
/// time to order marks (seconds for 64 KiB of them).
std::string mapped(std::string_view text, int flags) {
    const auto options = static_cast<utf8proc_option_t>(flags);
    const auto count = utf8proc_decompose(
        bytes_of(text), static_cast<utf8proc_ssize_t>(text.size()), nullptr, 0, options);
    if (count < 0)
        return std::string(text);
    CodePoints points(static_cast<std::size_t>(count) + 1); // utf8proc_reencode adds a terminator
    utf8proc_ssize_t filled = 0;
    for (std::size_t at = 0; at < text.size();) {
        utf8proc_int32_t point = 0;
        at += take_point(text.substr(at), point);
        int boundary = 0; // required, but not used with these options
        filled += utf8proc_decompose_char(point, points.data() + filled, count - filled, options,
                                          &boundary);
    }
    order_all_marks({points.data(), static_cast<std::size_t>(count)});
    const auto size = utf8proc_reencode(points.data(), count, options);
    return {reinterpret_cast<const char*>(points.data()), static_cast<std::size_t>(size)};
}

char lower_ascii(char byte) noexcept {
    return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
}

} // namespace

std::size_t sequence_length(std::string_view bytes) noexcept {
    utf8proc_int32_t point = 0;
    return take_point(bytes, point);
}

bool is_clean_utf8(std::string_view bytes) noexcept {
    std::size_t at = 0;
    while (at < bytes.size()) {
        if (bytes.size() - at >= 8 && eight_clean_ascii(bytes.data() + at)) {
            at += 8;
            continue;
        }
        const auto length = is_ascii(bytes[at]) ? 1 : sequence_length(bytes.substr(at));
        if (length == 0 || bytes[at] == '\0')
            return false;
        at += length;
    }
    return true;
}

std::string lower(std::string_view text) {
    std::string lowered;
    lowered.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        utf8proc_int32_t point = 0;
        const std::size_t length = take_point(text.substr(at), point);
        if (length == 0)
            return std::string(text);
        utf8proc_uint8_t bytes[4];
        lowered.append(
            reinterpret_cast<const char*>(bytes),
            static_cast<std::size_t>(utf8proc_encode_char(utf8proc_tolower(point), bytes)));
        at += length;
    }
    return lowered;
}

std::string fold(std::string_view text) {
    if (all_ascii(text)) {
        std::string folded(text);
        std::transform(folded.begin(), folded.end(), folded.begin(), lower_ascii);
        return folded;
    }
    // Composed, so that a Hangul syllable is compared as a whole and not by its first letters.
    return mapped(text,
                  UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD | UTF8PROC_STRIPMARK);
}

std::string nfkc(std::string_view text) {
    if (all_ascii(text))
        return std::string(text);
    return mapped(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
}

} // namespace useradmin::text
