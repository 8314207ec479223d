// Memory shared by all children.
#pragma once

#include "httpd/httpd.hpp"

#include <cstddef>
#include <functional>
#include <variant>

namespace useradmin::httpd {

/// Allocates zeroed shared memory for the life of the pool. The kernel allocates pages when they
/// are first written. On failure, returns the status.
std::variant<void*, apr_status_t> map_shared_memory(apr_pool_t* pool, std::size_t size) noexcept;

/// Returns zeroed shared memory for a key, the same for both modules. The first call allocates and
/// initializes it, before children are forked. It lives as long as the pool: the configuration's,
/// or the process pool if it must survive a reload. On failure, returns the status (APR_EGENERAL:
/// the initialization failed).
std::variant<void*, apr_status_t> shared_memory_for_key(apr_pool_t* pool, const char* key,
                                                        std::size_t size,
                                                        const std::function<bool(void*)>& init);

} // namespace useradmin::httpd
