#include "support/log_watch.hpp"

#include "support/process.hpp"

#include <algorithm>
#include <fstream>

namespace useradmin::test {

namespace {

bool contains_any(std::string_view line, const std::vector<std::string>& parts) {
    return std::any_of(
        parts.begin(), parts.end(),
        [line](const std::string& part) { return line.find(part) != std::string_view::npos; });
}

} // namespace

bool contains_secret(std::string_view text) noexcept {
    return text.find(secret_mark) != std::string_view::npos ||
           text.find("$argon2") != std::string_view::npos;
}

bool is_unexpected(std::string_view line) noexcept {
    if (line.find("exit signal") != std::string_view::npos)
        return true;
    // Clients with invalid credentials cause these.
    for (const std::string_view tag :
         {" UA0223: ", " UA0224: ", " UA0310: ", " UA0318: ", " UA0319: "})
        if (line.find(tag) != std::string_view::npos)
            return false;
    // httpd logs these if it is stopped while busy: a connection could not be kept alive, or a
    // child took several seconds to exit.
    for (const std::string_view ending : {"AH03093", "AH00045"})
        if (line.find(ending) != std::string_view::npos)
            return false;
    // [time] [module:level] [pid …] message
    const auto second = line.find("] [");
    if (!line.starts_with('[') || second == std::string_view::npos)
        return true;
    const auto end = line.find(']', second + 3);
    const auto field =
        line.substr(second + 3, end == std::string_view::npos ? 0 : end - second - 3);
    const auto colon = field.find(':');
    if (colon == std::string_view::npos)
        return true;
    const auto level = field.substr(colon + 1);
    return level == "warn" || level == "error" || level == "crit" || level == "alert" ||
           level == "emerg";
}

LogWatch& LogWatch::instance() {
    static LogWatch watch;
    return watch;
}

void LogWatch::watch(const std::filesystem::path& log) {
    std::error_code none;
    const auto size = std::filesystem::file_size(log, none);
    sources_.push_back({log, none ? 0 : size, ""});
}

void LogWatch::stop_watching(const std::filesystem::path& log) {
    read_on();
    std::erase_if(sources_, [&log](const Source& source) { return source.path == log; });
}

void LogWatch::note(std::string line) {
    lines_.push_back(std::move(line));
}

void LogWatch::expect(std::string_view part) {
    expected_.emplace_back(part);
}

void LogWatch::allow(std::string_view part) {
    allowed_.emplace_back(part);
}

void LogWatch::ignore_during(const std::function<void()>& action) {
    read_on();
    const auto before = static_cast<std::ptrdiff_t>(lines_.size());
    action();
    read_on();
    // Keep other lines, such as those about a crash.
    static const std::vector<std::string> parts = {" UA0", "[dbd:error]"};
    lines_.erase(std::remove_if(lines_.begin() + before, lines_.end(),
                                [](const std::string& line) { return contains_any(line, parts); }),
                 lines_.end());
}

bool LogWatch::has(std::string_view part) {
    read_on();
    return std::any_of(lines_.begin(), lines_.end(), [part](const std::string& line) {
        return line.find(part) != std::string::npos;
    });
}

std::string LogWatch::finish_test() {
    std::string complaint;
    for (const auto& part : expected_)
        if (!eventually([this, &part] { return has(part); }))
            complaint += "no line of the error log holds: " + part + "\n";
    read_on();
    for (const auto& line : lines_)
        if (contains_secret(line))
            complaint += "a secret is in the error log: " + line + "\n";
        else if (is_unexpected(line) && !contains_any(line, expected_) &&
                 !contains_any(line, allowed_))
            complaint += "not expected in the error log: " + line + "\n";
    lines_.clear();
    expected_.clear();
    allowed_.clear();
    return complaint;
}

std::string LogWatch::lines() {
    read_on();
    std::string all;
    for (const auto& line : lines_)
        all += "  " + line + "\n";
    return all;
}

void LogWatch::read_on() {
    for (auto& source : sources_)
        read_on(source, lines_);
}

void LogWatch::read_on(Source& source, std::vector<std::string>& lines) {
    std::ifstream file(source.path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(source.read));
    std::string part;
    part.resize(65536);
    while (file.read(part.data(), static_cast<std::streamsize>(part.size())), file.gcount() > 0) {
        source.read += static_cast<std::uintmax_t>(file.gcount());
        source.rest.append(part, 0, static_cast<std::size_t>(file.gcount()));
    }
    // A line without a newline is still being written.
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = source.rest.find('\n', begin)) != std::string::npos;
         begin = end + 1)
        lines.push_back(source.rest.substr(begin, end - begin));
    source.rest.erase(0, begin);
}

void expect_log(std::string_view part) {
    LogWatch::instance().expect(part);
}

void allow_log(std::string_view part) {
    LogWatch::instance().allow(part);
}

} // namespace useradmin::test
