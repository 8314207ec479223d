#include "httpd/body.hpp"

#include "apr/pool.hpp"
#include "crypto/secret.hpp"
#include "httpd/body_timeout.hpp"

#include <algorithm>

namespace useradmin::httpd {

namespace {

constexpr apr_off_t chunk_size = 8192;

} // namespace

RequestBody::~RequestBody() {
    crypto::wipe(text_.data(), text_.size());
}

bool RequestBody::has_unread_data() const noexcept {
    const std::string_view length =
        apr::view_of(apr_table_get(request_->headers_in, "Content-Length"));
    const bool has_body = apr_table_get(request_->headers_in, "Transfer-Encoding") != nullptr ||
                          (!length.empty() && length != "0");
    return has_body && !is_read_;
}

http::Body RequestBody::read() {
    const char* length = apr_table_get(request_->headers_in, "Content-Length");
    if (length != nullptr && apr_atoi64(length) > limit_)
        return {{}, HTTP_REQUEST_ENTITY_TOO_LARGE};
    const BodyTimeout timeout(request_->connection, timeout_);
    apr_bucket_brigade* const brigade =
        apr_brigade_create(request_->pool, request_->connection->bucket_alloc);
    while (!is_read_) {
        const apr_status_t status =
            timeout.is_expired()
                ? APR_TIMEUP
                : ap_get_brigade(request_->input_filters, brigade, AP_MODE_READBYTES,
                                 APR_BLOCK_READ, std::min<apr_off_t>(limit_ + 1, chunk_size));
        if (status != APR_SUCCESS)
            return failure(status, timeout.is_expired());
        if (const int error_status = append(brigade); error_status != 0)
            return {{}, error_status};
        apr_brigade_cleanup(brigade);
    }
    return {text_};
}

int RequestBody::append(apr_bucket_brigade* brigade) {
    for (apr_bucket* bucket = APR_BRIGADE_FIRST(brigade); bucket != APR_BRIGADE_SENTINEL(brigade);
         bucket = APR_BUCKET_NEXT(bucket)) {
        if (APR_BUCKET_IS_EOS(bucket)) {
            is_read_ = true;
            break;
        }
        if (APR_BUCKET_IS_METADATA(bucket))
            continue;
        const char* bytes = nullptr;
        apr_size_t count = 0;
        if (apr_bucket_read(bucket, &bytes, &count, APR_BLOCK_READ) != APR_SUCCESS)
            return HTTP_BAD_REQUEST;
        if (text_.size() + count > static_cast<std::size_t>(limit_))
            return HTTP_REQUEST_ENTITY_TOO_LARGE;
        // A reallocation would leave a copy that is not wiped.
        text_.reserve(static_cast<std::size_t>(limit_));
        text_.append(bytes, count);
    }
    return 0;
}

http::Body RequestBody::failure(apr_status_t status, bool has_timed_out) {
    int answer = ap_map_http_request_error(status, HTTP_BAD_REQUEST);
    has_sent_response_ = answer == AP_FILTER_ERROR;
    // If a trailer times out, httpd reports a bad request, so has_timed_out takes precedence.
    if (has_timed_out)
        answer = HTTP_REQUEST_TIME_OUT;
    else if (has_sent_response_)
        answer = ap_is_HTTP_ERROR(request_->status) ? request_->status : HTTP_BAD_REQUEST;
    log_.write(text::Level::info, status,
               has_timed_out ? "UA0209: timed out after " + std::to_string(timeout_.count()) +
                                   " s reading the request body (UserAdminBodyTimeout)"
                             : "UA0209: cannot read the request body");
    return {{}, answer};
}

} // namespace useradmin::httpd
