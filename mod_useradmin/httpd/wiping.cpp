#include "httpd/wiping.hpp"

#include "apr/pool.hpp"
#include "httpd/first_request.hpp"
#include "secret/secret.hpp"

#include <http_connection.h>
#include <strings.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace useradmin::httpd {

namespace {

constexpr const char* filter_name = "USERADMIN_WIPING";
/// Under this key a connection keeps what is known of what is being read.
constexpr const char* key = "useradmin wiping 1";

constexpr const char* secret_headers[] = {"Authorization", "Cookie"};

/// What is known of what is being read from a connection.
struct Reading {
    bool is_in_line = false;
    bool is_secret_line = false;
    bool is_secret_body = false;
    bool has_had_secret_body = false;
};

Reading* reading_of(const conn_rec* connection) noexcept {
    void* reading = nullptr;
    apr_pool_userdata_get(&reading, key, connection->pool);
    return static_cast<Reading*>(reading);
}

/// Whether a line that begins so may be one of the secret headers.
bool begins_secret(std::string_view text) noexcept {
    return std::any_of(
        std::begin(secret_headers), std::end(secret_headers),
        [&](const char* name) {
            return strncasecmp(text.data(), name, std::min(text.size(), std::strlen(name))) == 0;
        });
}

/// Takes notice of the next piece of a line; whether it is secret.
bool is_secret(Reading& reading, std::string_view piece) noexcept {
    // What begins with white space goes on with the header before it.
    const bool continues = reading.is_in_line || piece.front() == ' ' || piece.front() == '\t';
    reading.is_secret_line = continues ? reading.is_secret_line : begins_secret(piece);
    reading.is_in_line = !piece.ends_with('\n');
    return reading.is_secret_line;
}

/// Wipes the bytes of a bucket, where they are the bucket's own to write to.
void wipe(const apr_bucket* bucket, const char* bytes, apr_size_t count) noexcept {
    // Other kinds may lie in memory that is not to be written to.
    if (APR_BUCKET_IS_HEAP(bucket) || APR_BUCKET_IS_TRANSIENT(bucket))
        secret::wipe(const_cast<char*>(bytes), count);
}

/// A copy that is wiped when it is freed; nullptr where there is no memory.
char* wiped_copy(std::string_view text) noexcept {
    auto* const memory = static_cast<char*>(std::malloc(sizeof(std::size_t) + text.size()));
    if (memory == nullptr)
        return nullptr;
    const std::size_t size = text.size();
    std::memcpy(memory, &size, sizeof size);
    std::memcpy(memory + sizeof size, text.data(), size);
    return memory + sizeof size;
}

void wipe_and_free(void* data) noexcept {
    char* const memory = static_cast<char*>(data) - sizeof(std::size_t);
    std::size_t size = 0;
    std::memcpy(&size, memory, sizeof size);
    secret::wipe(memory, sizeof size + size);
    std::free(memory);
}

/// What is read comes out of a buffer that httpd goes on to use, and frees as it is.
apr_status_t take_secrets_out(ap_filter_t* filter, apr_bucket_brigade* brigade,
                              ap_input_mode_t mode, apr_read_type_e block,
                              apr_off_t size) noexcept {
    const apr_status_t status = ap_get_brigade(filter->next, brigade, mode, block, size);
    Reading& reading = *static_cast<Reading*>(filter->ctx);
    const bool is_line = mode == AP_MODE_GETLINE;
    if (status != APR_SUCCESS ||
        !(is_line || (mode == AP_MODE_READBYTES && reading.is_secret_body)))
        return status;
    for (apr_bucket* bucket = APR_BRIGADE_FIRST(brigade); bucket != APR_BRIGADE_SENTINEL(brigade);
         bucket = APR_BUCKET_NEXT(bucket)) {
        const char* bytes = nullptr;
        apr_size_t count = 0;
        if (APR_BUCKET_IS_METADATA(bucket) ||
            apr_bucket_read(bucket, &bytes, &count, APR_NONBLOCK_READ) != APR_SUCCESS ||
            count == 0 || (is_line && !is_secret(reading, {bytes, count})))
            continue;
        char* const copy = wiped_copy({bytes, count});
        if (copy == nullptr)
            continue;
        apr_bucket* const moved =
            apr_bucket_heap_create(copy, count, wipe_and_free, filter->c->bucket_alloc);
        wipe(bucket, bytes, count);
        APR_BUCKET_INSERT_BEFORE(bucket, moved);
        apr_bucket_delete(bucket);
        bucket = moved;
    }
    return APR_SUCCESS;
}

int add_filter(conn_rec* connection, void*) noexcept {
    if (reading_of(connection) != nullptr)
        return OK;
    Reading& reading = apr::emplace<Reading>(connection->pool);
    apr_pool_userdata_setn(&reading, key, apr_pool_cleanup_null, connection->pool);
    ap_add_input_filter(filter_name, &reading, nullptr, connection);
    return OK;
}

/// What came of a body that was left unread is read, for the filter to wipe it.
int wipe_unread(conn_rec* connection) noexcept {
    constexpr int most_pieces = 16;
    constexpr apr_off_t piece_size = 8192;
    Reading* const reading = reading_of(connection);
    // The streams of HTTP/2 share their connection.
    if (reading == nullptr || !reading->has_had_secret_body || connection->master != nullptr)
        return OK;
    reading->is_secret_body = true;
    apr_bucket_brigade* const brigade =
        apr_brigade_create(connection->pool, connection->bucket_alloc);
    for (int piece = 0; piece < most_pieces; ++piece) {
        const apr_status_t status = ap_get_brigade(
            connection->input_filters, brigade, AP_MODE_READBYTES, APR_NONBLOCK_READ, piece_size);
        if (status != APR_SUCCESS || APR_BRIGADE_EMPTY(brigade))
            break;
        apr_brigade_cleanup(brigade);
    }
    apr_brigade_destroy(brigade);
    return OK;
}

int wipe_value(void*, const char*, const char* value) noexcept {
    secret::wipe(const_cast<char*>(value), std::strlen(value));
    return 1;
}

} // namespace

void register_wiping(apr_pool_t*) noexcept {
    // Above TLS, whose plain text it sees.
    ap_register_input_filter(filter_name, take_secrets_out, nullptr, AP_FTYPE_CONNECTION);
    ap_hook_pre_connection(add_filter, nullptr, nullptr, APR_HOOK_MIDDLE);
    ap_hook_pre_close_connection(wipe_unread, nullptr, nullptr, APR_HOOK_FIRST);
}

void wipe_body(request_rec* request) noexcept {
    Reading* const reading = reading_of(request->connection);
    if (reading == nullptr || reading->is_secret_body)
        return;
    reading->is_secret_body = reading->has_had_secret_body = true;
    // What nobody reads, httpd throws away before the request ends, or closes the connection.
    apr_pool_cleanup_register(
        first_request(request)->pool, reading,
        [](void* data) noexcept -> apr_status_t {
            static_cast<Reading*>(data)->is_secret_body = false;
            return APR_SUCCESS;
        },
        apr_pool_cleanup_null);
}

void wipe_credentials_at_end(request_rec* request) noexcept {
    request_rec* const first = first_request(request);
    apr_pool_cleanup_register(
        first->pool, first,
        [](void* data) noexcept -> apr_status_t {
            for (const char* name : secret_headers)
                apr_table_do(wipe_value, nullptr, static_cast<request_rec*>(data)->headers_in, name,
                             nullptr);
            return APR_SUCCESS;
        },
        apr_pool_cleanup_null);
}

void wipe_at_end(const request_rec* request, const char* text) noexcept {
    apr_pool_cleanup_register(
        request->pool, text,
        [](void* data) noexcept -> apr_status_t {
            wipe_value(nullptr, nullptr, static_cast<const char*>(data));
            return APR_SUCCESS;
        },
        apr_pool_cleanup_null);
}

} // namespace useradmin::httpd
