#include "ctl/display.hpp"

#include "api/envelope.hpp"
#include "text/printable.hpp"

#include <unistd.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <new>

namespace useradmin::ctl {

namespace {

constexpr std::size_t max_column_width = 48;

/// Removes the first code point of printable text. Returns its width in columns.
std::size_t take_width(std::string_view& text) {
    utf8proc_int32_t point = 0;
    const auto size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                       static_cast<utf8proc_ssize_t>(text.size()), &point);
    text.remove_prefix(static_cast<std::size_t>(size));
    return static_cast<std::size_t>(utf8proc_charwidth(point));
}

std::size_t width_of(std::string_view text) {
    std::size_t width = 0;
    while (!text.empty())
        width += take_width(text);
    return width;
}

/// Formats a duration as minutes and seconds ("0:16") or, if it is at least an hour, as hours,
/// minutes and seconds ("1:02:03").
std::string clock_time(double seconds) {
    const auto all = static_cast<unsigned long long>(seconds);
    char text[40];
    if (all < 3600)
        std::snprintf(text, sizeof text, "%llu:%02llu", all / 60, all % 60);
    else
        std::snprintf(text, sizeof text, "%llu:%02llu:%02llu", all / 3600, all / 60 % 60, all % 60);
    return text;
}

/// Returns the completed share, or 0 if the total is unknown.
double share_of(std::uint64_t done, std::uint64_t total) {
    return total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
}

/// Returns the time in the local time zone, such as "2026-11-20 23:30:19 CET", or an empty string
/// on failure.
std::string local_time(text::Timestamp time) {
    const std::time_t seconds =
        std::chrono::system_clock::to_time_t(std::chrono::floor<std::chrono::seconds>(time));
    std::tm local = {};
    char text[64];
    if (localtime_r(&seconds, &local) == nullptr)
        return {};
    return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %Z", &local)};
}

/// Truncates the text to max_column_width, with an ellipsis.
std::string truncate(const std::string& text) {
    if (width_of(text) <= max_column_width)
        return text;
    std::string_view rest = text;
    std::size_t size = 0;
    for (std::size_t width = take_width(rest); width < max_column_width; width += take_width(rest))
        size = text.size() - rest.size();
    return text.substr(0, size) + "…";
}

} // namespace

void print_line(std::string_view line) {
    std::puts(text::printable(line).c_str());
}

void print_error(std::string_view message) noexcept {
    try {
        std::fprintf(stderr, "useradminctl: %s\n", text::printable(message).c_str());
    } catch (const std::bad_alloc&) {
        std::fputs("useradminctl: out of memory\n", stderr);
    }
}

void print_failure(const std::string& message, bool wants_json, const std::string& cause) {
    print_error(message);
    if (wants_json)
        print_json(api::text_envelope(false, cause.empty() ? message : cause));
}

Progress::Progress(std::string_view activity) noexcept
    : activity_(activity), is_shown_(isatty(STDERR_FILENO) == 1) {
    if (is_shown_)
        std::fprintf(stderr, "%.*s …", static_cast<int>(activity.size()), activity.data());
}

void Progress::show(std::uint64_t done, std::uint64_t total) const {
    print(done, total > 0 ? " of " + std::to_string(total) : "", share_of(done, total));
}

void Progress::show_share(std::uint64_t lines, std::uint64_t bytes, std::uint64_t size) const {
    const double share = share_of(bytes, size);
    print(lines, size > 0 ? " (" + std::to_string(static_cast<int>(100 * share)) + " %)" : "",
          share);
}

/// Prints the number done, followed by `whole`, the rate and, if the completed share is known, the
/// time left.
void Progress::print(std::uint64_t done, const std::string& whole, double share) const {
    if (!is_shown_)
        return;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
    const double seconds = std::max(passed.count(), 0.001);
    std::string text = std::string(activity_) + ": " + std::to_string(done) + whole + ", " +
                       std::to_string(static_cast<std::uint64_t>(done / seconds)) + "/s";
    if (share > 0 && share <= 1)
        text += ", " + clock_time(seconds / share - seconds) + " left";
    // Turn off automatic wrapping, so a narrow terminal truncates the line.
    std::fprintf(stderr, "\r\x1b[K\x1b[?7l%s …\x1b[?7h", text.c_str());
}

void Progress::clear() const noexcept {
    if (is_shown_)
        std::fputs("\r\x1b[K", stderr);
}

Progress::~Progress() {
    clear();
}

void print_json(std::string_view document) {
    std::puts(text::printable_json(document).c_str());
}

void print_data(const std::function<void(json::Writer&)>& write_members, std::string_view error) {
    std::string document;
    json::Writer writer(document);
    writer.begin_object().key("success").boolean(error.empty()).key("data").begin_object();
    write_members(writer);
    writer.end_object();
    if (!error.empty())
        writer.key("error").string(error);
    writer.end_object();
    print_json(document);
}

void print_list(const std::function<void(json::Writer&)>& write_elements) {
    std::string document;
    json::Writer writer(document);
    writer.begin_object().key("success").boolean(true).key("data").begin_array();
    write_elements(writer);
    writer.end_array().end_object();
    print_json(document);
}

void write_texts(json::Writer& writer, const std::vector<std::string>& texts) {
    writer.begin_array();
    for (const std::string& text : texts)
        writer.string(text);
    writer.end_array();
}

void TextTable::add(std::vector<std::string> cells) {
    for (std::size_t column = 0; column < cells.size(); ++column) {
        cells[column] = text::printable(cells[column]);
        if (headings_[column].width == Width::truncated)
            cells[column] = truncate(cells[column]);
    }
    rows_.push_back(std::move(cells));
}

void TextTable::print() const {
    std::vector<std::size_t> widths;
    std::vector<std::string> titles;
    for (std::size_t column = 0; column < headings_.size(); ++column) {
        titles.emplace_back(headings_[column].title);
        widths.push_back(titles.back().size());
        for (const auto& row : rows_)
            widths.back() =
                std::max(widths.back(), std::min(width_of(row[column]), max_column_width));
    }
    const auto print_row = [&](const std::vector<std::string>& row) {
        std::string line;
        for (std::size_t column = 0; column < row.size(); ++column) {
            line += row[column];
            if (column + 1 == row.size())
                break;
            const std::size_t width = width_of(row[column]);
            line.append(widths[column] > width ? widths[column] - width + 2 : 2, ' ');
        }
        std::puts(line.c_str());
    };
    if (!rows_.empty())
        print_row(titles);
    for (const auto& row : rows_)
        print_row(row);
}

std::string display(const std::optional<text::Timestamp>& time) {
    if (!time)
        return "-";
    return isatty(STDOUT_FILENO) == 1 ? local_time(*time) : *model::text_of(*time);
}

std::string display(const model::User& user) {
    return std::string(user.name) + " <" + std::string(user.email) + ">";
}

} // namespace useradmin::ctl
