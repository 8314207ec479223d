#include "ctl/check/checks.hpp"

#include "ctl/command_error.hpp"
#include "json/reader.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

namespace useradmin::ctl {

namespace {

constexpr long timeout_seconds = 5;
constexpr std::size_t max_response = 1 << 20;

/// Appends to the body, up to max_response bytes. Returns the number of bytes appended. If it is
/// less than `count`, curl aborts the transfer.
std::size_t on_body(char* bytes, std::size_t, std::size_t count, void* data) noexcept {
    std::string& body = *static_cast<std::string*>(data);
    const std::size_t taken = std::min(count, max_response - body.size());
    body.append(bytes, taken);
    return taken;
}

/// Returns whether the body of a response is the service's envelope.
bool is_of_service(std::string_view body) {
    using enum json::Object::Kind;
    const auto json = json::Object::parse(body);
    return json && json->kind("success") == boolean &&
           (json->boolean("success") || json->kind("error") == string);
}

/// Explains a response that is not the service's 401. Returns an empty string for the service's
/// 401.
std::string problem_of(long status, std::string_view body) {
    const std::string number = std::to_string(status);
    if (is_of_service(body) && status == 401)
        return "";
    if (is_of_service(body))
        return "the service responded with " + number +
               " instead of 401 to a request without credentials; check that this is its base URL, "
               "that no Require directive rejects the request, and that UserAdminSession gives "
               "such a caller no id; see httpd's error log";
    if (status == 401)
        return "httpd itself, not the service, requires credentials (401): a Require or AuthType "
               "directive applies to this URL; add Require all granted";
    return "the " + number +
           " response is not from the service; check that the URL matches the <Location> with "
           "UserAdmin On and its <VirtualHost>, reload httpd if you have changed the "
           "configuration, and see httpd's error log";
}

} // namespace

void check_running_server(const std::string& url, Findings& findings) {
    const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> transfer(curl_easy_init(),
                                                                       curl_easy_cleanup);
    CURL* const handle = transfer.get();
    std::string body;
    std::array<char, CURL_ERROR_SIZE> detail{};
    curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
    curl_easy_setopt(handle, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    curl_easy_setopt(handle, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, timeout_seconds);
    curl_easy_setopt(handle, CURLOPT_TIMEOUT, 2 * timeout_seconds);
    curl_easy_setopt(handle, CURLOPT_USERAGENT, "useradminctl");
    // mod_auth_openidc redirects clients that accept any type to the sign-in page.
    const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers(
        curl_slist_append(nullptr, "Accept: application/json"), curl_slist_free_all);
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, detail.data());
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &body);
    const bool is_http = url.starts_with("http://") || url.starts_with("https://");
    const CURLcode result = is_http ? curl_easy_perform(handle) : CURLE_URL_MALFORMAT;
    if (result == CURLE_URL_MALFORMAT || result == CURLE_LOGIN_DENIED)
        throw UsageError("--url must be http://HOST[:PORT]/PATH or https://HOST[:PORT]/PATH, such "
                         "as https://www.example.org/api/users");
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    const std::string error = detail[0] != '\0' ? detail.data() : curl_easy_strerror(result);
    // If a status line arrived, judge the response by its status and body, even if the transfer
    // failed.
    const std::string problem =
        result == CURLE_OK || status != 0
            ? problem_of(status, body)
            : "no response: " + error +
                  "; check that httpd is running and listens at this address and, for https, that "
                  "this machine trusts the server's certificate";
    if (!problem.empty())
        findings.problems.push_back(url + ": " + problem);
}

} // namespace useradmin::ctl
