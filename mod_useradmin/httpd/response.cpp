#include "httpd/response.hpp"

#include "apr/pool.hpp"
#include "crypto/secret.hpp"

#include <utility>

namespace useradmin::httpd {

namespace {

/// A response that the request's pool owns.
struct PooledResponse {
    http::Response response;
    Content content;

    PooledResponse(http::Response&& response, Content content) noexcept
        : response(std::move(response)), content(content) {}
    ~PooledResponse() {
        if (content == Content::plain)
            return;
        crypto::wipe(response.body);
        for (http::Header& header : response.headers)
            crypto::wipe(header.value);
    }
    PooledResponse(const PooledResponse&) = delete;
    PooledResponse& operator=(const PooledResponse&) = delete;
};

} // namespace

void set_nosniff(request_rec* request) noexcept {
    constexpr const char* name = "X-Content-Type-Options";
    // On an error, httpd has moved err_headers_out to headers_out and sends both, so remove the
    // header from headers_out.
    apr_table_unset(request->headers_out, name);
    apr_table_setn(request->err_headers_out, name, "nosniff");
}

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

void write_to_brigade(request_rec* request, http::Response&& response, apr_bucket_brigade* brigade,
                      Content content) {
    const http::Response& pooled =
        apr::emplace<PooledResponse>(request->pool, std::move(response), content).response;
    request->status = pooled.status;
    request->content_languages = nullptr; // httpd would add DefaultLanguage to Content-Language
    if (!pooled.body.empty()) {
        ap_set_content_type(request, "application/json");
        APR_BRIGADE_INSERT_TAIL(brigade, apr_bucket_pool_create(pooled.body.data(),
                                                                pooled.body.size(), request->pool,
                                                                request->connection->bucket_alloc));
    }
    APR_BRIGADE_INSERT_TAIL(brigade, apr_bucket_eos_create(request->connection->bucket_alloc));
    set_nosniff(request);
    apr_table_setn(request->headers_out, "Cache-Control", "no-store");
    for (const http::Header& header : pooled.headers)
        // Keep Vary. Other modules may have set it, and httpd combines the values.
        if (std::string_view(header.name) != "Vary")
            apr_table_unset(request->headers_out, header.name);
    for (const http::Header& header : pooled.headers)
        if (std::string_view(header.name) == "Content-Type")
            ap_set_content_type(request, header.value.c_str());
        else
            apr_table_addn(request->headers_out, header.name, header.value.c_str());
    // Ignore Range, because the envelope must be sent as a whole.
    apr_table_unset(request->headers_in, "Range");
    apr_table_unset(request->headers_in, "Request-Range");
}

int send(request_rec* request, http::Response response, Content content) {
    apr_bucket_brigade* brigade =
        apr_brigade_create(request->pool, request->connection->bucket_alloc);
    write_to_brigade(request, std::move(response), brigade, content);
    // An aborted connection is not the handler's error.
    ap_pass_brigade(request->output_filters, brigade);
    return OK;
}

} // namespace useradmin::httpd
