#include "support/http_client.hpp"

#include "support/exchange_log.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <curl/curl.h>

namespace useradmin::test {

namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), [](unsigned char character) {
        return static_cast<char>(std::tolower(character));
    });
    return result;
}

/// Parses a line of a response's header section. A new status line, as after 100 Continue, discards
/// the headers before it.
void take_head_line(Response& response, std::string_view line) {
    while (!line.empty() && (line.back() == '\r' || line.back() == '\n'))
        line.remove_suffix(1);
    if (line.starts_with("HTTP/")) {
        response.headers.clear();
        response.is_http2 = line.starts_with("HTTP/2");
        const auto space = line.find(' ');
        response.status = 0;
        if (space != std::string_view::npos)
            std::from_chars(line.data() + space + 1, line.data() + line.size(), response.status);
        return;
    }
    const auto colon = line.find(':');
    if (colon == std::string_view::npos)
        return;
    auto value = line.substr(colon + 1);
    while (value.starts_with(' '))
        value.remove_prefix(1);
    response.headers.emplace_back(line.substr(0, colon), value);
}

std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* response) {
    take_head_line(*static_cast<Response*>(response), {bytes, size * count});
    return size * count;
}

std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* response) {
    static_cast<Response*>(response)->body.append(bytes, size * count);
    return size * count;
}

struct HeaderList {
    curl_slist* first = nullptr;
    ~HeaderList() { curl_slist_free_all(first); }
    HeaderList() = default;
    HeaderList(const HeaderList&) = delete;
    HeaderList& operator=(const HeaderList&) = delete;
    void add(const std::string& line) { first = curl_slist_append(first, line.c_str()); }
};

struct Easy {
    CURL* handle = curl_easy_init();
    HeaderList headers;
    Easy() = default;
    ~Easy() { curl_easy_cleanup(handle); }
    Easy(const Easy&) = delete;
    Easy& operator=(const Easy&) = delete;
};

void prepare(CURL* handle, HeaderList& headers, std::uint16_t port, const Request& request,
             Response& response) {
    response.asked = request.method + " " + request.path;
    const std::string url = std::string(request.tls ? "https" : "http") +
                            "://127.0.0.1:" + std::to_string(port) + request.path;
    if (request.tls) {
        curl_easy_setopt(handle, CURLOPT_CAINFO, request.tls->authority.c_str());
        if (!request.tls->certificate.empty()) {
            curl_easy_setopt(handle, CURLOPT_SSLCERT, request.tls->certificate.c_str());
            curl_easy_setopt(handle, CURLOPT_SSLKEY, request.tls->key.c_str());
        }
    }
    if (request.is_http2) {
        curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
        // libcurl 7.88 fails if an HTTP/2 connection is reused after curl_easy_reset().
        curl_easy_setopt(handle, CURLOPT_FORBID_REUSE, 1L);
    }
    // curl would send Expect: 100-continue with a long body.
    headers.add("Expect:");
    for (const auto& header : request.headers)
        headers.add(header);
    curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
    curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(handle, CURLOPT_PROXY, "");
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_TIMEOUT, static_cast<long>(request.timeout.count()));
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, &response);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &response);
    if (request.body) {
        curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, static_cast<long>(request.body->size()));
        curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, request.body->c_str());
        const bool has_type = std::any_of(
            request.headers.begin(), request.headers.end(),
            [](const std::string& header) { return lower(header).starts_with("content-type"); });
        if (!has_type)
            headers.add("Content-Type: application/json");
    }
    if (request.method == "HEAD")
        curl_easy_setopt(handle, CURLOPT_NOBODY, 1L);
    else
        curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.first);
}

} // namespace

std::optional<std::string> Response::header(std::string_view name) const {
    for (const auto& [key, value] : headers)
        if (lower(key) == lower(name))
            return value;
    return {};
}

std::string Response::text() const {
    std::string all = "request: " + asked + "\nresponse: " + std::to_string(status) + "\n";
    for (const auto& [name, value] : headers)
        all += "  " + name + ": " + value + "\n";
    return all + body.substr(0, 4000) + (body.size() > 4000 ? "…\n" : "\n");
}

Response parse_response(std::string_view bytes) {
    Response response;
    while (!bytes.empty()) {
        const auto end = bytes.find("\r\n\r\n");
        auto head = bytes.substr(0, end);
        while (!head.empty()) {
            const auto line_end = std::min(head.find('\n'), head.size() - 1);
            take_head_line(response, head.substr(0, line_end + 1));
            head.remove_prefix(line_end + 1);
        }
        bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 4);
        if (response.status >= 200)
            break;
    }
    response.body = bytes;
    return response;
}

struct HttpClient::Session {
    std::uint16_t port;
    CURL* handle = curl_easy_init();
    long connections = 0;

    explicit Session(std::uint16_t to_port) : port(to_port) {}
    ~Session() { curl_easy_cleanup(handle); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// Sends the request and waits for the response. Returns an error message, or nullptr on
    /// success.
    const char* exchange(const Request& request, Response& response) {
        HeaderList headers;
        curl_easy_reset(handle);
        prepare(handle, headers, port, request, response);
        const auto code = curl_easy_perform(handle);
        long opened = 0;
        curl_easy_getinfo(handle, CURLINFO_NUM_CONNECTS, &opened);
        connections += opened;
        if (code != CURLE_OK)
            return curl_easy_strerror(code);
        ExchangeLog::instance().note(port, request, response);
        return nullptr;
    }
};

HttpClient::HttpClient(std::uint16_t port) : session_(std::make_unique<Session>(port)) {}

HttpClient::~HttpClient() = default;

Response HttpClient::send(const Request& request, SourceLocation where) {
    Response response;
    if (const char* const problem = session_->exchange(request, response))
        fail_test(response.text() + "incomplete response: " + problem, where);
    return response;
}

std::optional<Response> HttpClient::try_send(const Request& request) {
    Response response;
    return session_->exchange(request, response) == nullptr ? std::optional(response)
                                                            : std::nullopt;
}

std::vector<Response> HttpClient::send_at_once(const std::vector<Request>& requests,
                                               SourceLocation where) {
    // curl keeps pointers to the elements, so the vectors must not grow later.
    std::vector<Response> responses(requests.size());
    std::vector<Easy> handles(requests.size());
    CURLM* multi = curl_multi_init();
    for (std::size_t index = 0; index < requests.size(); ++index) {
        auto& [handle, headers] = handles[index];
        prepare(handle, headers, session_->port, requests[index], responses[index]);
        curl_easy_setopt(handle, CURLOPT_FRESH_CONNECT, 1L);
        curl_multi_add_handle(multi, handle);
    }
    int running = 0;
    while (curl_multi_perform(multi, &running) == CURLM_OK && running > 0)
        curl_multi_poll(multi, nullptr, 0, 1000, nullptr);
    std::string failures;
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi, &left))
        if (message->msg == CURLMSG_DONE && message->data.result != CURLE_OK)
            failures += std::string(curl_easy_strerror(message->data.result)) + "\n";
    for (const auto& easy : handles)
        curl_multi_remove_handle(multi, easy.handle);
    curl_multi_cleanup(multi);
    if (!failures.empty())
        fail_test("of " + std::to_string(requests.size()) + " requests at once some failed:\n" +
                      failures,
                  where);
    for (std::size_t index = 0; index < requests.size(); ++index)
        ExchangeLog::instance().note(session_->port, requests[index], responses[index]);
    return responses;
}

long HttpClient::connections() const noexcept {
    return session_->connections;
}

} // namespace useradmin::test
