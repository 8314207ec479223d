// Memory that all children share.
#pragma once

#include "httpd/httpd.hpp"

#include <cstddef>
#include <functional>
#include <variant>

namespace useradmin::httpd {

/// Zeros that processes share for as long as the pool lives. The system gives them page by page, as
/// they are written to. The status says why there are none.
std::variant<void*, apr_status_t> map_shared_memory(apr_pool_t* pool, std::size_t size) noexcept;

/// Zeroed memory that lives as long as the pool, the same for one key in both modules: made and
/// laid out at the first call, before the children are forked. The pool is the configuration's or,
/// for what stays when httpd reads its configuration anew, the process'. The status says why there
/// is none (APR_EGENERAL: it could not be laid out).
std::variant<void*, apr_status_t> shared_memory_for_key(apr_pool_t* pool, const char* key,
                                                        std::size_t size,
                                                        const std::function<bool(void*)>& init);

} // namespace useradmin::httpd
