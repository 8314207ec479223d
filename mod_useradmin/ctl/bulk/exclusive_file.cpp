#include "ctl/bulk/exclusive_file.hpp"

#include <cstdio>

#include <fcntl.h>
#include <sys/stat.h>

namespace useradmin::ctl {

int create_exclusive(const std::string& name) noexcept {
    std::remove(name.c_str());
    return open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
}

} // namespace useradmin::ctl
