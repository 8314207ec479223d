// The values of directives, and of useradminctl's options.
#include "targets.hpp"

#include "crypto/source.hpp"
#include "ctl/duration.hpp"
#include "http/origin.hpp"
#include "httpd/directives.hpp"
#include "password/format.hpp"
#include "store/table_names.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <apr_general.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace useradmin::fuzz {

namespace {

using Words = std::vector<std::string_view>;

Words words_of(std::string_view line) {
    Words words;
    while (!line.empty()) {
        const std::size_t end = std::min(line.find(' '), line.size());
        words.push_back(line.substr(0, end));
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return words;
}

std::string joined(const Words& words) {
    std::string line;
    for (const std::string_view word : words)
        (line += line.empty() ? "" : " ") += word;
    return line;
}

void take_number(std::string_view word) {
    constexpr long least = -3;
    constexpr long most = 65536;
    const auto number = httpd::number_within(word, least, most);
    if (!number)
        return;
    require(*number >= least && *number <= most, "a number is within its bounds");
    require(httpd::number_within(std::to_string(*number), least, most) == number,
            "a number that is written again is the same");
    require(word.find_first_not_of("-0123456789") == word.npos, "a number is digits");
}

void take_duration(std::string_view word) {
    const auto duration = ctl::parse_duration(word);
    if (!duration)
        return;
    require(duration->count() >= 60 && *duration <= std::chrono::days(36525),
            "a length of time is from a minute to a hundred years");
    require(duration->count() % 60 == 0 &&
                ctl::parse_duration(std::to_string(duration->count() / 60) + "m") == duration,
            "a length of time that is written in minutes is the same");
}

void take_tables(const Words& words) {
    const auto parsed = store::parse_table_names(words);
    const auto* const names = std::get_if<store::TableNames>(&parsed);
    if (names == nullptr)
        return;
    for (const std::string_view name : {names->user, names->session, names->account})
        require(!name.empty() && name.size() <= 2 * 63 + 1 && text::is_clean_utf8(name) &&
                    name.find('%') == name.npos,
                "a table's name is one that a statement may hold");
}

void take_hash(const Words& words) {
    const auto parsed = password::parse_format(words);
    const auto* const format = std::get_if<password::Format>(&parsed);
    if (format == nullptr)
        return;
    const auto* const argon2id = std::get_if<password::Argon2id>(format);
    if (argon2id == nullptr) {
        require(joined(words) == "scrypt", "scrypt stands alone");
        return;
    }
    std::vector<std::string> written = {"argon2id"};
    for (const auto& parameter : password::argon2id_parameters) {
        const auto value = argon2id->*parameter.value;
        require(value >= parameter.min && value <= parameter.max,
                "the work of new hashes is bounded");
        written.push_back(std::string(1, parameter.letter) + "=" + std::to_string(value));
    }
    const auto again = password::parse_format(Words(written.begin(), written.end()));
    require(std::get<password::Format>(again) == *format,
            "a format that is written again is the same");
}

/// A file in memory, for as long as the program runs.
int file_of(std::string_view content) {
    static const int file = memfd_create("secret", MFD_CLOEXEC);
    require(file >= 0 && ftruncate(file, 0) == 0 &&
                pwrite(file, content.data(), content.size(), 0) ==
                    static_cast<ssize_t>(content.size()),
            "the system has memory for a file");
    return file;
}

void take_secret(std::string_view text) {
    const std::string source = "file:/proc/self/fd/" + std::to_string(file_of(text));
    const auto read = crypto::load_secret(source, "");
    if (const auto* const sourced = std::get_if<crypto::LoadedSecret>(&read)) {
        const std::string_view secret = sourced->secret.view();
        require(secret == text.substr(0, text.find('\n')), "the secret is the file's first line");
        require(!secret.empty() && text::is_clean_utf8(secret), "a secret is a text");
    } else {
        const auto line = text.substr(0, text.find('\n'));
        require(line.empty() || line.size() > 4096 || !text::is_clean_utf8(line),
                "a file with a text is read");
    }
    // What may name any file of this machine is left alone.
    if (text.find('\0') != text.npos || text.starts_with("file:"))
        return;
    const auto given = crypto::load_secret(text, "/nowhere");
    if (const auto* const sourced = std::get_if<crypto::LoadedSecret>(&given))
        require(text.starts_with("env:") || (sourced->is_inline && sourced->secret.view() == text),
                "another text is the secret itself");
}

/// As httpd hands a directive's line over.
void take_line(const Words& words) {
    if (words.empty())
        return;
    apr_pool_t* pool = nullptr;
    require(apr_initialize() == APR_SUCCESS && apr_pool_create(&pool, nullptr) == APR_SUCCESS,
            "APR has a pool");
    cmd_parms command{};
    command.pool = pool;
    const httpd::ConfigLine line{&command, words};
    unsigned number = 77;
    const char* const problem = httpd::NumberReader{"a number", 1, 300}(line, number);
    require(problem == nullptr
                ? number >= 1 && number <= 300
                : number == 77 && std::string_view(problem) == "must be a number from 1 to 300",
            "a line is refused, or its number is set");
    bool is_second = false;
    const char* const refusal = httpd::ChoiceReader{"email", "user-id"}(line, is_second);
    require((refusal == nullptr) == (words[0] == "email" || words[0] == "user-id"),
            "a choice is one of its words");
    apr_pool_destroy(pool);
}

} // namespace

void fuzz_configuration(std::string_view line) {
    const Words words = words_of(line);
    for (const std::string_view word : words) {
        take_number(word);
        take_duration(word);
    }
    take_tables(words);
    take_hash(words);
    take_secret(line);
    take_line(words);
}

} // namespace useradmin::fuzz
