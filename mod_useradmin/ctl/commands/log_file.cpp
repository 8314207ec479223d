#include "ctl/commands/log_file.hpp"

#include <zlib.h>

#include <ios>

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
    // The stream turns this exception into its bad state.
    if (error != Z_OK && error != Z_STREAM_END)
        throw std::ios_base::failure("broken off");
    if (count <= 0)
        return traits_type::eof();
    setg(bytes_.data(), bytes_.data(), bytes_.data() + count);
    return traits_type::to_int_type(bytes_[0]);
}

} // namespace useradmin::ctl
