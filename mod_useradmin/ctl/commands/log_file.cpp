#include "ctl/commands/log_file.hpp"

#include <zlib.h>

#include <filesystem>
#include <ios>
#include <iterator>
#include <system_error>

namespace useradmin::ctl {

LogFile::LogFile(const std::string& name)
    : std::istream(nullptr), file_(gzopen(name.c_str(), "re")), buffer_(file_) {
    rdbuf(&buffer_);
}

LogFile::~LogFile() {
    if (file_ != nullptr)
        gzclose_r(file_);
}

LogFile::Buffer::int_type LogFile::Buffer::underflow() {
    if (file_ == nullptr)
        return traits_type::eof();
    const int count = gzread(file_, bytes_.data(), static_cast<unsigned>(bytes_.size()));
    int error = Z_OK;
    if (count <= 0)
        static_cast<void>(gzerror(file_, &error));
    // The stream catches this exception and sets badbit.
    if (error != Z_OK && error != Z_STREAM_END)
        throw std::ios_base::failure("cannot be read");
    if (count <= 0)
        return traits_type::eof();
    setg(bytes_.data(), bytes_.data(), bytes_.data() + count);
    return traits_type::to_int_type(bytes_[0]);
}

std::uint64_t count_lines(const std::string& name) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(name, ignored))
        return 0;
    LogFile file(name);
    std::uint64_t lines = 0;
    char last = '\n';
    for (std::istreambuf_iterator<char> each(file), end; each != end; ++each) {
        last = *each;
        lines += last == '\n' ? 1 : 0;
    }
    return lines + (last == '\n' ? 0 : 1);
}

} // namespace useradmin::ctl
