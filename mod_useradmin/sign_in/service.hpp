// Signing in, as better-auth's endpoints do it. Nothing here knows of httpd or of SQL.
#pragma once

#include "api/service.hpp"
#include "sign_in/cookies.hpp"
#include "sign_in/credentials.hpp"
#include "store/store.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace useradmin::sign_in {

/// Where a request comes from, as a browser says it; what is absent is empty.
struct Provenance {
    std::string_view origin;
    std::string_view referer;
    std::string_view fetch_site;
    std::string_view fetch_mode;
    std::string_view fetch_dest;
    bool has_cookies = false;
};

/// Who sends a request.
struct Client {
    std::string_view ip;
    std::string_view user_agent;
    /// What its failed attempts are counted for: its address, or the network of it.
    std::string_view address;
};

struct Request {
    std::string_view method;
    /// What follows the base address in the path.
    std::string_view path;
    /// The query string without its question mark.
    std::string_view query;
    std::string_view content_type;
    Provenance provenance;
    /// The request's own scheme://host[:port].
    std::string_view own_origin;
    Client client;
    /// The session token that the request carries, its signature verified; empty: none.
    std::string_view token;
    /// Whether the request says that its session is not to be remembered.
    bool is_not_remembered = false;
    api::BodySource& body;
};

struct Reply {
    int status = 200;
    std::string body;
    /// The names live as long as the program.
    std::vector<std::pair<const char*, std::string>> headers = {};
};

/// What the endpoints work with.
struct Service {
    store::Store& store;
    CredentialVerifier& credentials;
    const Cookies& cookies;
    /// Whether tokens are read from `Authorization: Bearer` as well.
    bool takes_bearer = true;
    store::Timestamp now;
};

/// Answers a request under the base address.
Reply answer(const Request& request, const Service& service);

} // namespace useradmin::sign_in
