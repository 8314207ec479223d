#include "http/response.hpp"

#include "apr/guard.hpp"
#include "apr/pool.hpp"
#include "http/configuration.hpp"

#include <algorithm>
#include <utility>

namespace useradmin::http {

namespace {

/// Puts the reply into the brigade and sets its headers. The reply then lives in the request's
/// pool.
void fill(request_rec* request, api::Reply&& made, apr_bucket_brigade* brigade) {
    const api::Reply& reply = apr::emplace<api::Reply>(request->pool, std::move(made));
    request->status = reply.status;
    if (!reply.body.empty()) {
        ap_set_content_type(request, "application/json");
        APR_BRIGADE_INSERT_TAIL(brigade, apr_bucket_pool_create(reply.body.data(),
                                                                reply.body.size(), request->pool,
                                                                request->connection->bucket_alloc));
    }
    APR_BRIGADE_INSERT_TAIL(brigade, apr_bucket_eos_create(request->connection->bucket_alloc));
    apr_table_setn(request->headers_out, "Cache-Control", "no-store");
    if (!reply.allow.empty())
        apr_table_setn(request->headers_out, "Allow", apr::terminated(request->pool, reply.allow));
    if (reply.status == HTTP_SERVICE_UNAVAILABLE)
        apr_table_setn(request->headers_out, "Retry-After", "1");
    // An envelope is whole or it is no envelope.
    apr_table_unset(request->headers_in, "Range");
    apr_table_unset(request->headers_in, "Request-Range");
}

} // namespace

int send(request_rec* request, api::Reply reply) {
    apr_bucket_brigade* brigade =
        apr_brigade_create(request->pool, request->connection->bucket_alloc);
    fill(request, std::move(reply), brigade);
    // A client that has gone away is no error of the handler's.
    ap_pass_brigade(request->output_filters, brigade);
    return OK;
}

const char* base_of(const request_rec* request) noexcept {
    const std::string_view path = apr::view_of(request->uri);
    const apr_array_header_t* bases = configuration_of(request->server).bases;
    for (int index = 0; index < bases->nelts; ++index) {
        const char* base = reinterpret_cast<const char* const*>(bases->elts)[index];
        const std::size_t length = apr::view_of(base).size();
        if (path.starts_with(base) && (path.size() == length || path[length] == '/'))
            return base;
    }
    return nullptr;
}

std::string_view path_below(const request_rec* request, const char* base) noexcept {
    const std::string_view path = apr::view_of(request->uri);
    return path.substr(std::min(path.size(), apr::view_of(base).size()));
}

api::Reply envelope_of(const request_rec* request, const char* base) {
    return api::error_reply(request->status, apr::view_of(request->method),
                            path_below(request, base));
}

apr_status_t put_envelope(ap_filter_t* filter, apr_bucket_brigade* brigade) noexcept {
    request_rec* request = filter->r;
    return apr::guarded(
        [&] {
            apr_brigade_cleanup(brigade);
            // Everything after the first piece of the error response is dropped: the envelope is
            // whole.
            void* const base = std::exchange(filter->ctx, nullptr);
            if (base == nullptr)
                return APR_SUCCESS;
            apr_table_unset(request->headers_out, "Content-Length");
            fill(request, envelope_of(request, static_cast<const char*>(base)), brigade);
            return ap_pass_brigade(filter->next, brigade);
        },
        [](const char*) -> apr_status_t { return APR_EGENERAL; });
}

} // namespace useradmin::http
