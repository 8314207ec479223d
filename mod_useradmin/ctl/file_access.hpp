// An account's access to a file and its directory.
#pragma once

#include <sys/types.h>

#include <string>

namespace useradmin::ctl {

/// An operating system account.
struct Account {
    std::string name;
    uid_t user = 0;
    gid_t group = 0;
};

/// Whether SQLite can use a database file.
enum class FileAccess {
    full,
    /// The account lacks read or write permission on the file.
    denied,
    /// The directory does not exist, or the account cannot read it or create files in it.
    unreachable,
    /// The access of another account cannot be determined. Usually, only root can determine it.
    unknown,
};

/// Returns the directory of a file or, for a symbolic link, of its target.
std::string directory_of(const std::string& file);

/// Returns the account's access to a database file.
FileAccess access_of(const Account& account, const std::string& file);

/// Describes the owner and mode of a file and of its directory, for a message.
std::string describe_access(const std::string& file);

} // namespace useradmin::ctl
