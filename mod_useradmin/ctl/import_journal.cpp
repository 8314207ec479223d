#include "ctl/import_journal.hpp"

#include "ctl/command_error.hpp"
#include "ctl/fresh_file.hpp"
#include "text/url.hpp"

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace useradmin::ctl {

namespace {

constexpr std::string_view first_line = "useradminctl import 2";

// A line each. The user's id is encoded as in a URL, since it may hold anything; it may be empty.
void append(std::string& out, std::string_view kind, const ImportPlace& place) {
    std::string user;
    text::append_encoded(user, place.user, "-");
    std::ostringstream line;
    line << kind << ' ' << place.file.bytes << ' ' << place.file.line << ' ' << place.file.digest
         << ' ' << place.made << ' ' << place.changed << ' ' << place.skipped << ' ' << user
         << '\n';
    out += line.str();
}

std::optional<ImportPlace> place_of(const std::string& line, std::string_view kind) {
    std::istringstream words(line);
    std::string found;
    ImportPlace place;
    words >> found >> place.file.bytes >> place.file.line >> place.file.digest >> place.made >>
        place.changed >> place.skipped;
    if (!words || found != kind)
        return std::nullopt;
    words.get();
    std::string user;
    std::getline(words, user);
    place.user = text::decode_path_segment(user);
    return place;
}

} // namespace

ImportJournal::ImportJournal(std::string_view file)
    : name_(file == "-" ? std::string() : std::string(file) + ".import") {}

std::optional<ImportJournal::Contents> ImportJournal::read() const {
    struct stat status = {};
    if (name_.empty() || lstat(name_.c_str(), &status) != 0)
        return std::nullopt;
    // Where all may write, as in /tmp, anybody could say what is imported already.
    if (status.st_uid != geteuid())
        throw CommandError(Exit::failure, name_ +
                                              " belongs to another account; go on as that one, or "
                                              "move it away to begin anew");
    std::ifstream file(name_);
    std::string line;
    std::getline(file, line);
    const bool is_one = line == first_line;
    std::getline(file, line);
    const auto committed = place_of(line, "committed");
    if (!is_one || !committed)
        throw CommandError(Exit::failure, name_ +
                                              " is no journal of an import that was broken off; "
                                              "move it away to begin anew");
    Contents contents{*committed, std::nullopt};
    if (std::getline(file, line))
        contents.next = place_of(line, "next");
    return contents;
}

void ImportJournal::write(const Contents& contents) const {
    if (name_.empty())
        return;
    std::string text = std::string(first_line) + "\n";
    append(text, "committed", contents.committed);
    if (contents.next)
        append(text, "next", *contents.next);
    // Renamed into its place, so that whoever is killed leaves a whole one.
    const std::string fresh = name_ + ".new";
    const int file = open_fresh(fresh);
    const bool is_written =
        file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const int error = errno;
    if (file >= 0)
        close(file);
    if (is_written && std::rename(fresh.c_str(), name_.c_str()) == 0)
        return;
    const int reason = is_written ? errno : error;
    if (file >= 0)
        std::remove(fresh.c_str());
    throw CommandError(Exit::failure,
                       name_ + " cannot be written (" + std::generic_category().message(reason) +
                           "), and without it the import could not go on where it is broken "
                           "off; put the file where it can, or send it to 'import -'");
}

void ImportJournal::remove() const noexcept {
    if (!name_.empty())
        std::remove(name_.c_str());
}

} // namespace useradmin::ctl
