#include "crypto/source.hpp"

#include "text/unicode.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace useradmin::crypto {

namespace {

constexpr std::size_t max_line_length = 4096;

std::string resolve_path(std::string_view path, std::string_view folder) {
    std::string joined;
    if (!path.starts_with('/') && !folder.empty())
        (joined += folder) += '/';
    return joined += path;
}

bool is_file(const std::string& path) {
    struct stat about {};
    return stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode);
}

std::variant<LoadedSecret, std::string> read_file(const std::string& path) {
    SecretBytes<max_line_length + 1> bytes;
    struct stat about {};
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    // One read returns a whole line, even from a pipe.
    const auto size = file >= 0 && fstat(file, &about) == 0 ? read(file, bytes.data(), bytes.size())
                                                            : ssize_t(-1);
    const std::error_code reason(errno, std::generic_category());
    if (file >= 0)
        close(file);
    if (size < 0)
        return "cannot read " + path + ": " + reason.message();
    const auto text = bytes.view().substr(0, static_cast<std::size_t>(size));
    auto line = text::without_byte_order_mark(text.substr(0, text.find('\n')));
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    if (line.empty())
        return "the first line of " + path + " is empty";
    if (line.size() > max_line_length || !text::is_clean_utf8(line))
        return "the first line of " + path + " is not UTF-8 text of at most " +
               std::to_string(max_line_length) + " bytes";
    return LoadedSecret{Secret(std::string(line)), false, (about.st_mode & S_IROTH) != 0, path};
}

} // namespace

std::variant<LoadedSecret, std::string> load_secret(std::string_view source,
                                                    std::string_view folder) {
    if (source.starts_with("file:"))
        return read_file(resolve_path(source.substr(5), folder));
    if (source.starts_with("env:")) {
        const std::string name(source.substr(4));
        const char* const value = std::getenv(name.c_str());
        if (value == nullptr || *value == '\0')
            return "the environment variable " + name + " is not set";
        return LoadedSecret{Secret(std::string(value))};
    }
    if (source.empty())
        return "must not be empty; use file:path, env:NAME or the text itself";
    if (is_file(resolve_path(source, folder)))
        return "the argument is the path of a file; prefix it with file: to read that file";
    return LoadedSecret{Secret(std::string(source)), /* is_inline */ true};
}

} // namespace useradmin::crypto
