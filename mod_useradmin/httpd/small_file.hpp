#pragma once

#include <apr_pools.h>

#include <cstddef>
#include <optional>
#include <string>

namespace useradmin::httpd {

/// Returns the content of a regular file, or std::nullopt if it cannot be read or has more than
/// `max_size` bytes.
std::optional<std::string> read_small_file(apr_pool_t* pool, const char* path,
                                           std::size_t max_size);

} // namespace useradmin::httpd
