#include "httpd/methods.hpp"

namespace useradmin::httpd {

std::optional<int> reject_unless_get(request_rec* request) noexcept {
    ap_allow_standard_methods(request, REPLACE_ALLOW, M_GET, M_OPTIONS, -1);
    if (request->method_number == M_OPTIONS) {
        request->status = HTTP_NO_CONTENT;
        apr_table_setn(request->headers_out, "Allow", "GET, HEAD, OPTIONS");
        return OK;
    }
    if (request->method_number != M_GET)
        return HTTP_METHOD_NOT_ALLOWED;
    return std::nullopt;
}

} // namespace useradmin::httpd
