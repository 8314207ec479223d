// An HTTP client that keeps what came, byte for byte.
#pragma once

#include "support/trouble.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace useradmin::test {

/// Files of a client that speaks TLS; without a certificate and its key it shows none.
struct Tls {
    std::string authority;
    std::string certificate = {};
    std::string key = {};
};

struct Request {
    std::string method = "GET";
    std::string path; ///< with the query, sent as it is
    std::vector<std::string> headers = {};
    std::optional<std::string> body = {};
    std::chrono::seconds patience = std::chrono::seconds(60); ///< no reply by then is none at all
    bool is_http2 = false; ///< as HTTP/2 from the first byte on; the server must speak it
    std::optional<Tls> tls = {};
};

struct Reply {
    int status = 0;
    bool is_http2 = false;
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::string body = {};
    std::string asked = {}; ///< the request's line, for messages

    /// The first header of this name, in any case; nothing where there is none.
    std::optional<std::string> header(std::string_view name) const;

    /// All of it, for a failure's message.
    std::string text() const;
};

/// What a server sent over a raw connection, taken apart; 1xx replies before it are skipped.
Reply parse_reply(std::string_view bytes);

/// A client of one server on 127.0.0.1. It keeps connections alive from one request to the next.
class HttpClient {
  public:
    explicit HttpClient(std::uint16_t port);
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    /// Sends it and waits for the reply. No reply fails the test.
    Reply send(const Request& request, SourceLocation where = {});

    /// The same; nothing where no whole reply came, or the request is none that HTTP can send.
    std::optional<Reply> try_send(const Request& request);

    /// Sends all at once, each over a connection of its own, and waits for all replies.
    std::vector<Reply> send_at_once(const std::vector<Request>& requests,
                                    SourceLocation where = {});

    /// How many connections send has opened.
    long connections() const noexcept;

  private:
    struct Session;
    std::unique_ptr<Session> session_;
};

} // namespace useradmin::test
