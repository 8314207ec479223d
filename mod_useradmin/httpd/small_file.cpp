#include "httpd/small_file.hpp"

#include <apr_file_info.h>
#include <apr_file_io.h>

namespace useradmin::httpd {

std::optional<std::string> read_small_file(apr_pool_t* pool, const char* path,
                                           std::size_t max_size) {
    apr_file_t* file = nullptr;
    apr_finfo_t information;
    // Opening a FIFO would otherwise wait for a writer.
    if (apr_file_open(&file, path, APR_FOPEN_READ | APR_FOPEN_NONBLOCK, APR_FPROT_OS_DEFAULT,
                      pool) != APR_SUCCESS)
        return std::nullopt;
    std::optional<std::string> content;
    if (apr_file_info_get(&information, APR_FINFO_SIZE | APR_FINFO_TYPE, file) == APR_SUCCESS &&
        information.filetype == APR_REG && information.size <= static_cast<apr_off_t>(max_size)) {
        content.emplace(static_cast<std::size_t>(information.size), '\0');
        if (apr_file_read_full(file, content->data(), content->size(), nullptr) != APR_SUCCESS)
            content.reset();
    }
    apr_file_close(file);
    return content;
}

} // namespace useradmin::httpd
