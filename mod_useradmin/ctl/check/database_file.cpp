#include "ctl/check/checks.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace useradmin::ctl {

namespace {

/// Returns the text as one word of a shell command.
std::string shell_word(const std::string& text) {
    std::string word = "'";
    for (const char each : text)
        word += each == '\'' ? "'\\''" : std::string(1, each);
    return word + "'";
}

} // namespace

void check_database_file(const std::string& file, const std::optional<Account>& child_account,
                         Findings& findings) {
    if (file.empty() || !child_account)
        return;
    // SQLite creates these files with the mode of the database, so only existing ones may differ.
    std::vector<std::string> files = {file};
    for (const char* suffix : {"-wal", "-shm"})
        if (std::error_code ignored; std::filesystem::exists(file + suffix, ignored))
            files.push_back(file + suffix);
    FileAccess access = FileAccess::full;
    const auto rejected = std::ranges::find_if(files, [&](const std::string& each) {
        access = access_of(*child_account, each);
        return access != FileAccess::full;
    });
    if (rejected == files.end())
        return;
    // Never change the directory's owner: it may be shared, like /tmp.
    std::string all = shell_word(file);
    // If httpd's children cannot use the database, this command may have created the other files.
    // They are removed when the command ends.
    if (rejected != files.begin())
        for (auto each = files.begin() + 1; each != files.end(); ++each)
            all += " " + shell_word(*each);
    const std::string problem =
        "httpd's children (" + child_account->name +
        ") cannot read and write the database, so requests get 503: " + describe_access(*rejected);
    if (access == FileAccess::unreachable)
        findings.problems.push_back(
            problem + "; " + child_account->name + " lacks full access to " + directory_of(file) +
            ": if no other program uses this directory, make " + child_account->name +
            " its owner; otherwise, move the database to a directory of its own");
    else if (access == FileAccess::denied)
        findings.problems.push_back(problem + "; run: chown " + child_account->name + ": " + all +
                                    " && chmod u+rw " + all +
                                    "; if another program uses the database, give both accounts a "
                                    "common group instead");
}

} // namespace useradmin::ctl
