#include "httpd/headers.hpp"

#include "apr/pool.hpp"

namespace useradmin::httpd {

std::string_view RequestHeaders::find(const char* name) const noexcept {
    return apr::view_of(apr_table_get(request_->headers_in, name));
}

bool RequestHeaders::has(const char* name) const noexcept {
    return apr_table_get(request_->headers_in, name) != nullptr;
}

} // namespace useradmin::httpd
