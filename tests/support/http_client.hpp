#pragma once

#include "support/fail_test.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace useradmin::test {

/// The paths of a TLS client's files. If `certificate` is empty, the client presents none.
struct Tls {
    std::string authority;
    std::string certificate = {};
    std::string key = {};
};

struct Request {
    std::string method = "GET";
    std::string path; ///< with the query, sent unchanged
    std::vector<std::string> headers = {};
    std::optional<std::string> body = {};
    std::chrono::seconds timeout = std::chrono::seconds(60); ///< the timeout for a response
    bool is_http2 = false; ///< with prior knowledge, so the server must support HTTP/2
    std::optional<Tls> tls = {};
};

struct Response {
    int status = 0;
    bool is_http2 = false;
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::string body = {};
    std::string asked = {}; ///< the method and path of the request, for messages

    /// Returns the first header with the name, ignoring case, or std::nullopt if there is none.
    std::optional<std::string> header(std::string_view name) const;
    /// Returns the first header with the name, or "(none)".
    std::string value(std::string_view name) const { return header(name).value_or("(none)"); }

    /// Returns the response for a failure message, with at most 4000 bytes of the body.
    std::string text() const;
};

/// Parses a response read from a raw connection. Skips 1xx responses.
Response parse_response(std::string_view bytes);

/// Sends requests to a server on 127.0.0.1. Reuses HTTP/1.1 connections.
class HttpClient {
  public:
    explicit HttpClient(std::uint16_t port);
    ~HttpClient();

    /// Sends the request and waits for the response. If there is no complete response, fails the
    /// test.
    Response send(const Request& request, SourceLocation where = {});

    /// Like send(), but returns std::nullopt if there is no complete response or curl cannot send
    /// the request.
    std::optional<Response> try_send(const Request& request);

    /// Sends all requests simultaneously, each over a new connection, and waits for all responses.
    /// If a response is missing, fails the test.
    std::vector<Response> send_at_once(const std::vector<Request>& requests,
                                       SourceLocation where = {});

    /// Returns the number of connections that send() and try_send() have opened.
    long connections() const noexcept;

  private:
    struct Session;
    std::unique_ptr<Session> session_;
};

} // namespace useradmin::test
