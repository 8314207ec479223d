// HTTP requests and responses, independent of httpd.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace useradmin::http {

/// The body of a request, or why it could not be read.
struct Body {
    /// Valid for the lifetime of the BodySource.
    std::string_view text;
    /// The status of the response if the body could not be read, such as 400, 408 or 413. Otherwise
    /// 0.
    int error_status = 0;
};

/// Reads the body of a request on demand, so checks that do not need the body run first.
class BodySource {
  public:
    virtual ~BodySource() = default;
    /// Reads the body, or returns it again if it was read before. May block.
    virtual Body read() = 0;
};

class Headers {
  public:
    virtual ~Headers() = default;
    /// Returns the value of a field, or an empty view if it is absent. Names are case-insensitive.
    /// Repeated fields are combined with commas (RFC 9110, section 5.2). Valid for the lifetime of
    /// the request.
    virtual std::string_view find(const char* name) const noexcept = 0;
    /// Returns whether the field is present, even if empty.
    virtual bool has(const char* name) const noexcept = 0;
};

/// A request for the base address or a path below it.
struct Request {
    std::string_view method;
    /// The path after the base address, still percent-encoded: "", "/", "/{id}" or longer.
    std::string_view path;
    /// The query string without its question mark.
    std::string_view query;
    const Headers& headers;
    BodySource& body;
    /// The decoded base address, such as "/api/users".
    std::string_view base = {};
};

/// A header field of a response. The name is a string literal.
struct Header {
    const char* name;
    std::string value;
};

struct Response {
    int status = 200;
    /// JSON, or empty.
    std::string body = {};
    /// In sending order. Names may repeat, such as Set-Cookie.
    std::vector<Header> headers = {};
};

/// If the status is 401, adds the header that it requires (RFC 9110, section 15.5.2).
inline void add_challenge(Response& response) {
    if (response.status == 401)
        response.headers.push_back({"WWW-Authenticate", "Bearer"});
}

} // namespace useradmin::http
