#include "support/exchange_log.hpp"

#include "support/files.hpp"
#include "support/log_watch.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"

#include <CppUTest/TestHarness.h>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <functional>
#include <sstream>

namespace useradmin::test {

namespace {

/// The path segment of the OpenAPI document that directives() adds. Tests do not request it.
constexpr const char* page = "openapi-of-the-tests";

/// Returns a JSON string with one character for each byte.
std::string json_string(std::string_view bytes) {
    std::string text = "\"";
    for (const char character : bytes) {
        const auto byte = static_cast<unsigned char>(character);
        if (byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\') {
            text += character;
            continue;
        }
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\u%04x", byte);
        text += escape;
    }
    return text + "\"";
}

std::string encoded(std::string_view path) {
    std::string text;
    for (const char character : path) {
        const auto byte = static_cast<unsigned char>(character);
        if (byte > 0x20 && byte < 0x7f && byte != '%') {
            text += character;
            continue;
        }
        char escape[8];
        std::snprintf(escape, sizeof escape, "%%%02X", byte);
        text += escape;
    }
    return text;
}

std::string host_of(const Request& request) {
    for (const std::string& header : request.headers)
        if (header.starts_with("Host: "))
            return header.substr(sizeof "Host: " - 1);
    return {};
}

/// Returns the words of a configuration line, without quotes.
std::vector<std::string> words_of_directive(const std::string& line) {
    std::vector<std::string> words;
    std::string word;
    bool is_quoted = false;
    for (const char character : line + " ")
        if (character == '"')
            is_quoted = !is_quoted;
        else if (is_quoted || (character != ' ' && character != '>' && character != '\t'))
            word += character;
        else if (!word.empty())
            words.push_back(std::exchange(word, {}));
    return words;
}

/// Returns the path of a request in the form that httpd compares with a Location.
std::string path_of(std::string_view target) {
    std::string path;
    for (std::size_t at = 0; at < target.size() && target[at] != '?'; ++at) {
        char character = target[at];
        unsigned byte = 0;
        if (character == '%' && at + 2 < target.size() &&
            std::from_chars(&target[at + 1], &target[at + 3], byte, 16).ptr == &target[at + 3]) {
            character = static_cast<char>(byte);
            at += 2;
        }
        if (character != '/' || !path.ends_with('/'))
            path += character;
    }
    return path;
}

bool is_below(const std::string& path, const std::string& base) {
    return path.starts_with(base) && (path.size() == base.size() || path[base.size()] == '/');
}

} // namespace

void exclude_from_document() {
    ExchangeLog::instance().exclude_from_document();
}

ExchangeLog& ExchangeLog::instance() {
    static ExchangeLog log;
    return log;
}

void ExchangeLog::begin(const std::filesystem::path& folder) {
    path_ = folder / "exchanges";
    file_ = std::make_unique<std::ofstream>(path_);
}

std::string ExchangeLog::directives() const {
    if (!is_on())
        return {};
    return std::string("<LocationMatch \"/") + page +
           "$\">\n  SetHandler useradmin-openapi\n  Require all granted\n</LocationMatch>\n";
}

void ExchangeLog::read(const std::string& configuration, Server& server) {
    std::istringstream lines(configuration);
    std::string location;
    for (std::string line; std::getline(lines, line);) {
        const std::vector<std::string> words = words_of_directive(line);
        if (words.size() < 2)
            continue;
        if (words[0] == "<Location")
            location = words[1].substr(0, words[1].find_last_not_of('/') + 1);
        if (words[0] == "UserAdmin" && words[1] == "On")
            server.bases.push_back(location);
        // If a location is excluded in one virtual host, it is excluded in all of them.
        if ((words[0] == "SetHandler" && words[1].starts_with("useradmin-")) ||
            (words[0] == "UserAdmin" && words[1] == "Off"))
            server.pages.push_back(location);
        if (words[0] == "Include")
            read(read_file(words[1]), server);
    }
}

void ExchangeLog::begin_server(std::uint16_t port, const std::string& configuration) {
    if (!is_on())
        return;
    Server& server = servers_[port] = {++servers_begun_};
    read(configuration, server);
}

void ExchangeLog::write(const std::string& line) {
    *file_ << line << '\n';
}

void ExchangeLog::note(std::uint16_t port, const Request& request, const Response& response) {
    note(port, request, response, true);
}

void ExchangeLog::note(std::uint16_t port, std::string_view bytes, const Response& response) {
    std::istringstream text{std::string(bytes)};
    Request request;
    std::string line;
    text >> request.method >> request.path;
    while (std::getline(text, line) && line != "\r")
        if (line.starts_with("Host: ") && line.ends_with('\r'))
            request.headers.push_back(line.substr(0, line.size() - 1));
    note(port, request, response, false);
}

void ExchangeLog::note(std::uint16_t port, const Request& request, const Response& response,
                       bool is_valid) {
    const std::lock_guard lock(mutex_);
    const auto server = servers_.find(port);
    if (server == servers_.end() || is_asking_)
        return;
    auto& [number, bases, pages, asked] = server->second;
    const std::string path = path_of(request.path);
    const auto is_above = [&](const std::string& location) { return is_below(path, location); };
    if (std::any_of(pages.begin(), pages.end(), is_above))
        return;
    const std::string* base = nullptr;
    for (const std::string& each : bases)
        if (is_above(each) && (base == nullptr || each.size() > base->size()))
            base = &each;
    if (base == nullptr)
        return;
    const std::string host = host_of(request);
    asked.insert({host, *base});
    std::string line = "{\"server\":" + std::to_string(number);
    line += ",\"host\":" + json_string(host) + ",\"method\":" + json_string(request.method);
    line += ",\"base\":" + json_string(*base) + ",\"path\":" + json_string(request.path);
    line += std::string(",\"is_valid\":") + (is_valid ? "true" : "false") + ",\"request\":";
    line += request.body ? json_string(*request.body) : "null";
    line += ",\"status\":" + std::to_string(response.status) + ",\"headers\":[";
    const char* comma = "";
    for (const auto& [name, value] : response.headers) {
        // The date differs in each response.
        if (name == "Date" || name == "date")
            continue;
        line += comma + ("[" + json_string(name)) + "," + json_string(value) + "]";
        comma = ",";
    }
    line += "],\"response\":" + json_string(response.body);
    const UtestShell& test = *UtestShell::getCurrent();
    const std::string name =
        std::string(test.getGroup().asCharString()) + "." + test.getName().asCharString();
    // Record identical exchanges of a test only once.
    if (seen_.insert(std::hash<std::string>()(line + name)).second)
        write(line + ",\"test\":" + json_string(name) + "}");
}

void ExchangeLog::exclude_from_document() {
    if (!is_on())
        return;
    const UtestShell& test = *UtestShell::getCurrent();
    const std::string name =
        std::string(test.getGroup().asCharString()) + "." + test.getName().asCharString();
    if (excluded_.insert(name).second)
        write("{\"excluded\":" + json_string(name) + "}");
}

void ExchangeLog::end_server(std::uint16_t port) noexcept {
    const auto found = servers_.find(port);
    if (found == servers_.end())
        return;
    const Server server = std::exchange(found->second, {});
    servers_.erase(found);
    if (server.asked.empty())
        return;
    is_asking_ = true;
    LogWatch::instance().ignore_during([&] { ask(server, port); });
    is_asking_ = false;
}

void ExchangeLog::ask(const Server& server, std::uint16_t port) {
    HttpClient client(port);
    for (const auto& [host, base] : server.asked) {
        Request request{"GET", encoded(base) + "/" + page};
        if (!host.empty())
            request.headers.push_back("Host: " + host);
        const std::optional<Response> response = client.try_send(request);
        const bool is_whole = response && response->status == 200;
        write("{\"server\":" + std::to_string(server.number) + ",\"host\":" + json_string(host) +
              ",\"base\":" + json_string(base) +
              ",\"document\":" + (is_whole ? json_string(response->body) : "null") + "}");
    }
}

bool ExchangeLog::matches_document() {
    file_.reset();
    const CommandResult check =
        run({{machine::program("python3"), machine::source("tests/integration/exchanges").string(),
              path_.string()}});
    std::fputs((check.output + check.errors).c_str(), stdout);
    return check.status == 0;
}

} // namespace useradmin::test
