#include "ctl/check/database_file.hpp"

namespace useradmin::ctl {

void check_database_file(const std::string& file, const std::optional<Account>& children,
                         Findings& findings) {
    if (file.empty() || !children)
        return;
    const FileAccess access = access_of(*children, file);
    const std::string folder = folder_of(file);
    const std::string problem =
        "httpd's children (" + children->name +
        ") cannot read and write the database, so requests get 503: " + describe_access(file);
    if (access == FileAccess::unreachable)
        findings.problems.push_back(problem + "; " + children->name + " may not enter " + folder +
                                    ": move the database to a folder such as /var/lib/useradmin");
    else if (access == FileAccess::denied)
        findings.problems.push_back(problem + "; run: chown " + children->name + ": " + folder +
                                    " " + file + " && chmod u+rwX " + folder + " " + file +
                                    "; if another program uses the database, give both accounts a "
                                    "common group instead");
}

} // namespace useradmin::ctl
