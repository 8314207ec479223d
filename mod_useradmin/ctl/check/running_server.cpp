#include "ctl/check/checks.hpp"

#include "ctl/command_error.hpp"
#include "json/reader.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace useradmin::ctl {

namespace {

constexpr long timeout_seconds = 5;
constexpr std::size_t max_reply = 1 << 20;

using Url = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;
using HeaderList = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;
using Transfer = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;

bool has_part(const Url& url, CURLUPart part) {
    char* text = nullptr;
    const bool found = curl_url_get(url.get(), part, &text, 0) == CURLUE_OK;
    curl_free(text);
    return found;
}

Url parse(const std::string& text) {
    Url url(curl_url(), curl_url_cleanup);
    const bool is_http = text.starts_with("http://") || text.starts_with("https://");
    // libcurl ignores a third slash.
    const bool has_host = !text.starts_with("http:///") && !text.starts_with("https:///");
    const bool is_printable =
        std::ranges::all_of(text, [](char each) { return each > ' ' && each < '\x7f'; });
    if (!is_http || !has_host || !is_printable ||
        curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK ||
        has_part(url, CURLUPART_USER) || has_part(url, CURLUPART_PASSWORD))
        throw UsageError("--url must be http://HOST[:PORT]/PATH or https://HOST[:PORT]/PATH, such "
                         "as https://www.example.org/api/users");
    return url;
}

struct Reply {
    long status = 0;
    std::string body;
};

/// Returns the number of bytes consumed. Any number other than `count` ends the transfer.
std::size_t on_body(char* bytes, std::size_t, std::size_t count, void* data) noexcept {
    std::string& body = *static_cast<std::string*>(data);
    const std::size_t taken = std::min(count, max_reply - body.size());
    body.append(bytes, taken);
    return taken;
}

/// Explains why there is no reply.
std::string problem_of(CURLcode result, const std::string& detail) {
    switch (result) {
    case CURLE_COULDNT_RESOLVE_HOST:
        return "cannot resolve the host name: " + detail;
    case CURLE_COULDNT_CONNECT:
        return "cannot connect: " + detail + "; start httpd and check its Listen directives";
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
        return "the reply is not HTTP; another server is listening on this port";
    case CURLE_SSL_CONNECT_ERROR:
        return "the TLS handshake failed: " + detail + "; check the port and SSLEngine";
    default:
        return "the server did not reply: " + detail;
    }
}

/// Sends a GET request and returns the reply, or std::nullopt on failure. Appends connection
/// problems to `problems`.
std::optional<Reply> reply_to_get(const Url& url, std::vector<std::string>& problems) {
    const Transfer transfer(curl_easy_init(), curl_easy_cleanup);
    CURL* const handle = transfer.get();
    Reply reply;
    std::array<char, CURL_ERROR_SIZE> detail{};
    curl_easy_setopt(handle, CURLOPT_CURLU, url.get());
    curl_easy_setopt(handle, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, timeout_seconds);
    curl_easy_setopt(handle, CURLOPT_TIMEOUT, 2 * timeout_seconds);
    curl_easy_setopt(handle, CURLOPT_USERAGENT, "useradminctl");
    // mod_auth_openidc redirects clients that accept any type to the sign-in page.
    const HeaderList headers(curl_slist_append(nullptr, "Accept: application/json"),
                             curl_slist_free_all);
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, detail.data());
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &reply.body);
    const auto send = [&] {
        detail.front() = '\0';
        return curl_easy_perform(handle);
    };
    const auto sentence = [&](CURLcode result) {
        return std::string(detail.front() != '\0' ? detail.data() : curl_easy_strerror(result));
    };
    CURLcode result = send();
    if (result == CURLE_PEER_FAILED_VERIFICATION || result == CURLE_SSL_CACERT_BADFILE) {
        problems.push_back(
            "cannot verify the server's certificate: " + sentence(result) +
            "; use a host name that the certificate covers, or install its CA certificate "
            "on this machine (ca-certificates)");
        // The request has no credentials, so the other checks can use an untrusted connection.
        curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 0L);
        result = send();
    }
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &reply.status);
    // An incomplete or overlong reply is not from the service, either.
    if (result == CURLE_OK || reply.status != 0)
        return reply;
    double connect_seconds = 0;
    curl_easy_getinfo(handle, CURLINFO_CONNECT_TIME, &connect_seconds);
    if (result == CURLE_OPERATION_TIMEDOUT && connect_seconds == 0)
        result = CURLE_COULDNT_CONNECT;
    problems.push_back(problem_of(result, sentence(result)));
    return std::nullopt;
}

/// Returns whether the body of a reply is the service's envelope.
bool is_of_service(std::string_view body) {
    using enum json::Object::Kind;
    const auto json = json::Object::parse(body);
    return json && json->kind("success") == boolean &&
           (json->boolean("success") || json->kind("error") == string);
}

/// Explains a reply that is not from the service.
std::string problem_of_status(long status) {
    const std::string number = std::to_string(status);
    switch (status) {
    case 401:
        return "httpd itself, not the service, requires credentials (401): a Require or AuthType "
               "directive applies to this URL; add Require all granted";
    case 403:
    case 404:
        return "there is no service at this URL, or httpd rejects the request first (" + number +
               "); compare this URL with the <Location> that has UserAdmin On and with its "
               "<VirtualHost>, reload httpd after a change, and see httpd's error log";
    case 502:
    case 503:
    case 504:
        return "the reply " + number +
               " is from a proxy or an overloaded server, not from the service";
    default:
        if (status >= 300 && status < 400)
            return "the URL redirects to another one (" + number + "); use that one";
        if (status >= 500)
            return "httpd failed (" + number + "); see its error log";
        return "this URL serves another page (" + number + "), not the service";
    }
}

/// Explains a reply that is not the service's 401. Returns an empty string for the service's 401.
std::string problem_of(const Reply& reply) {
    if (!is_of_service(reply.body))
        return problem_of_status(reply.status);
    switch (reply.status) {
    case 401:
        return "";
    case 403:
        return "a request without credentials gets 403 instead of 401: a Require directive applies "
               "to the <Location>, or UserAdminSession gives such a caller an id; httpd's "
               "error log says which";
    case 404:
        return "the service has no resource at this path (404); use its base URL, which is shorter";
    default:
        return "the service replied with " + std::to_string(reply.status) +
               " instead of 401 to a request without credentials; see httpd's error log, and "
               "check whether UserAdminSession gives such a caller an id";
    }
}

} // namespace

void check_running_server(const std::string& url, Findings& findings) {
    const Url parsed = parse(url);
    std::vector<std::string> problems;
    if (const auto reply = reply_to_get(parsed, problems))
        problems.push_back(problem_of(*reply));
    for (const std::string& problem : problems)
        if (!problem.empty())
            findings.problems.push_back(url + ": " + problem);
}

} // namespace useradmin::ctl
