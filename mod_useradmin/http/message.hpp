// A request and a reply: all that api and sign_in know of HTTP.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace useradmin::http {

/// The body of a request, or why there is none.
struct Body {
    enum class State { read, too_large, broken };
    State state = State::read;
    /// Lives as long as the source that it was read from.
    std::string_view text;
    /// The status to answer where the body is broken (400, 408).
    int status = 400;
};

/// Reads the body of a request, when the checks before it have passed.
class BodySource {
  public:
    virtual ~BodySource() = default;
    virtual Body read() = 0;
};

/// The header fields of a request.
class Headers {
  public:
    virtual ~Headers() = default;
    /// The value of the field of that name, whatever its case; empty where it is absent. Of a field
    /// that is there more than once the values come joined, as HTTP has it. It lives as long as the
    /// request.
    virtual std::string_view find(const char* name) const noexcept = 0;
    /// Whether there is one of that name, which may be empty.
    virtual bool has(const char* name) const noexcept = 0;
};

/// A request below a base address.
struct Request {
    std::string_view method;
    /// What follows the base address in the path, still percent-encoded: "", "/", "/{id}" or
    /// longer.
    std::string_view path;
    /// The query string without its question mark.
    std::string_view query;
    const Headers& headers;
    BodySource& body;
    /// The base address's own path, decoded: "/api/users".
    std::string_view base = {};
};

/// A header field of a reply. The name lives as long as the program.
struct Header {
    const char* name;
    std::string value;
};

/// What is answered.
struct Reply {
    int status = 200;
    /// JSON; empty for a reply that has none.
    std::string body = {};
    /// In the order in which they are sent; a name may stand there more than once (Set-Cookie).
    std::vector<Header> headers = {};
};

} // namespace useradmin::http
