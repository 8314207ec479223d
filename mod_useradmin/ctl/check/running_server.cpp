#include "ctl/check/running_server.hpp"

#include "apr/pool.hpp"
#include "ctl/command_error.hpp"
#include "json/reader.hpp"

#include <apr_network_io.h>
#include <apr_strings.h>
#include <apr_uri.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <variant>

namespace useradmin::ctl {

namespace {

constexpr apr_interval_time_t timeout = 5 * APR_USEC_PER_SEC;
constexpr std::size_t max_reply = 1 << 20;

apr_uri_t parse(std::string_view url, apr_pool_t* pool) {
    apr_uri_t uri{};
    const bool is_printable =
        std::all_of(url.begin(), url.end(), [](char each) { return each > ' ' && each < '\x7f'; });
    if (!is_printable || !url.starts_with("http://") ||
        apr_uri_parse(pool, apr::copy_c_string(pool, url), &uri) != APR_SUCCESS ||
        apr::view_of(uri.hostname).empty() || uri.user != nullptr)
        throw CommandError(Exit::usage, "--url must be http://HOST[:PORT]/PATH, such as "
                                        "http://localhost/api/users; https is not supported");
    return uri;
}

std::string sentence_of(apr_status_t status) {
    std::array<char, 200> text{};
    return apr_strerror(status, text.data(), text.size());
}

/// Connects to the first of the host's addresses that accepts the connection. On failure, returns
/// nullptr and sets `failure`.
apr_socket_t* connect(const apr_uri_t& uri, apr_pool_t* pool, std::string& failure) {
    const apr_port_t port = uri.port != 0 ? uri.port : 80;
    apr_sockaddr_t* address = nullptr;
    apr_status_t status = apr_sockaddr_info_get(&address, uri.hostname, APR_UNSPEC, port, 0, pool);
    for (; address != nullptr; address = address->next) {
        apr_socket_t* socket = nullptr;
        status = apr_socket_create(&socket, address->family, SOCK_STREAM, APR_PROTO_TCP, pool);
        if (status == APR_SUCCESS)
            status = apr_socket_timeout_set(socket, timeout);
        if (status == APR_SUCCESS)
            status = apr_socket_connect(socket, address);
        if (status == APR_SUCCESS)
            return socket;
    }
    failure = "no server accepts the connection: " + sentence_of(status) +
              "; start httpd, and compare its Listen";
    return nullptr;
}

/// Sends a GET request and returns the reply. On failure, returns std::nullopt and sets `failure`.
std::optional<std::string> reply_to_get(const apr_uri_t& uri, apr_pool_t* pool,
                                        std::string& failure) {
    apr_socket_t* const socket = connect(uri, pool, failure);
    if (socket == nullptr)
        return std::nullopt;
    // The reply to an HTTP/1.0 request is not chunked; its end is the end of the connection.
    const std::string request =
        "GET " + std::string(uri.path != nullptr ? uri.path : "/") +
        " HTTP/1.0\r\nHost: " + uri.hostinfo +
        "\r\nAccept: application/json\r\nUser-Agent: useradminctl\r\nConnection: close\r\n\r\n";
    std::size_t size = request.size();
    apr_status_t status = apr_socket_send(socket, request.data(), &size);
    std::string reply;
    std::array<char, 4096> part{};
    while (status == APR_SUCCESS && reply.size() < max_reply) {
        size = part.size();
        status = apr_socket_recv(socket, part.data(), &size);
        reply.append(part.data(), size);
    }
    if (status == APR_SUCCESS || status == APR_EOF)
        return reply;
    failure = "the server sends no reply: " + sentence_of(status);
    return std::nullopt;
}

/// Returns the status code of a reply, or 0 if the reply is not HTTP/1.
int http_status_of(std::string_view reply) {
    int status = 0;
    constexpr std::size_t at = sizeof "HTTP/1.1 " - 1;
    if (reply.starts_with("HTTP/1.") && reply.size() > at)
        std::from_chars(reply.data() + at, reply.data() + reply.size(), status);
    return status;
}

/// Returns whether the body of a reply is the service's envelope.
bool is_of_service(std::string_view reply) {
    using enum json::Object::Kind;
    const std::size_t end = reply.find("\r\n\r\n");
    const auto json = end != reply.npos ? json::Object::parse(reply.substr(end + 4)) : std::nullopt;
    return json && json->kind("success") == boolean &&
           (json->boolean("success") || json->kind("error") == string);
}

/// Explains a reply that is not from the service.
std::string problem_of_status(int status) {
    const std::string number = std::to_string(status);
    switch (status) {
    case 0:
        return "the reply is not HTTP/1; another server is at this port";
    case 401:
        return "httpd itself asks for credentials (401), not the service; a Require or AuthType "
               "applies to this address; write Require all granted";
    case 403:
    case 404:
        return "no service is at this address, or httpd refuses the request before it (" + number +
               "); compare the <Location> that has UserAdmin On, and its <VirtualHost>, with this "
               "address, reload httpd after a change, and see httpd's error log";
    case 502:
    case 503:
    case 504:
        return "a proxy or an overloaded server replies " + number + ", not the service";
    default:
        if (status >= 300 && status < 400)
            return "the reply redirects elsewhere (" + number + "); use that address";
        if (status >= 500)
            return "httpd fails (" + number + "); see its error log";
        return "another page replies (" + number + "), not the service";
    }
}

} // namespace

void check_running_server(std::string_view url, apr_pool_t* pool, Findings& findings) {
    const apr::ScopedPool own(pool);
    const apr_uri_t uri = parse(url, own.get());
    std::string problem;
    if (const auto reply = reply_to_get(uri, own.get(), problem)) {
        const int status = http_status_of(*reply);
        if (!is_of_service(*reply))
            problem = problem_of_status(status);
        else if (status == 404)
            problem = "the service has nothing at this path (404); its base address is shorter";
        else if (status == 403)
            problem = "a request without credentials is refused (403) instead of 401: a Require of "
                      "httpd applies to the <Location>, or UserAdminSession gives such a caller an "
                      "id; httpd's error log says which";
        else if (status != 401)
            problem = "the service replies " + std::to_string(status) +
                      " to a request without credentials instead of 401; see httpd's error log, "
                      "and whether UserAdminSession gives such a caller an id";
    }
    if (!problem.empty())
        findings.problems.push_back(std::string(url) + ": " + problem);
}

} // namespace useradmin::ctl
