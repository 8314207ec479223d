// Random requests with valid and invalid parts, over HTTP/1.1 and HTTP/2. A request depends only on
// its number and the seed (USERADMIN_TEST_SEED in the environment).
#include "own_httpd.hpp"

#include "api/texts.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <cJSON.h>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>

namespace useradmin::test {

namespace {

bool is_error_text(std::string_view text) {
    const auto all = api::all_texts();
    return std::any_of(all.begin(), all.end(),
                       [text](const api::Text& each) { return each.spanish == text; });
}

/// Generates random numbers that are the same on all platforms.
class RandomSource {
  public:
    explicit RandomSource(std::uint64_t seed) : engine_(seed) {}

    std::size_t below(std::size_t bound) { return engine_() % bound; }
    bool one_in(std::size_t times) { return below(times) == 0; }
    char byte() { return static_cast<char>(below(256)); }

    template <std::size_t size>
    std::string_view one_of(const char* const (&texts)[size]) {
        return texts[below(size)];
    }
    /// Returns one of the words in the text.
    std::string word_of(const std::string& text) {
        const std::vector<std::string> words = words_of(text);
        return words[below(words.size())];
    }
    std::string bytes(std::size_t most) {
        std::string text(below(most + 1), '\0');
        for (char& byte_of_text : text)
            byte_of_text = byte();
        return text;
    }

  private:
    std::mt19937_64 engine_;
};

/// A request and the properties that determine its valid responses.
struct Hostile {
    std::string method;
    std::string target;
    std::vector<std::string> headers = {};
    std::optional<std::string> body = {};
    /// Whether the service or httpd must respond with the service's envelope.
    bool is_below_base = true;
    /// Whether the path is spelled as in the configuration.
    bool is_spelled_plainly = true;
    /// Whether httpd finds no error before it processes the path.
    bool is_regular = true;

    /// If httpd rejects a request before it decodes the path, the response is an envelope only if
    /// the path has the configuration's spelling.
    bool expects_envelope() const noexcept {
        return is_below_base && (is_regular || is_spelled_plainly);
    }
};

class RequestGenerator {
  public:
    explicit RequestGenerator(std::uint64_t seed) : random_(seed) {}

    Hostile generate() {
        Hostile request;
        request.target = target(request);
        request.method = method(request);
        add_headers(request);
        if (random_.one_in(2) || request.method == "POST" || request.method == "PUT")
            request.body = body();
        return request;
    }

    /// Returns the request as HTTP/1.1 bytes, sometimes with a few bytes changed. A changed request
    /// need not get a response.
    std::string bytes_of(Hostile& request) {
        std::string bytes = request.method + " " + request.target + version(request) + "\r\n";
        bytes += host(request);
        for (const std::string& header : request.headers)
            bytes += header + "\r\n";
        bytes += frame_body(request);
        if (random_.one_in(12)) {
            request.is_below_base = false;
            request.is_regular = false;
            corrupt(bytes);
        }
        return bytes;
    }

  private:
    std::string method(Hostile& request) {
        if (random_.one_in(40)) {
            request.is_regular = false;
            request.is_below_base = false;
            return random_.bytes(12);
        }
        if (random_.one_in(6))
            return std::string(
                random_.one_of({"OPTIONS", "PATCH", "TRACE", "PROPFIND", "MERGE", "LOCK", "get",
                                "FOO", "QUERY", "GETX", "POST", "PUT"}));
        return std::string(request.target.find("users/") != std::string::npos
                               ? random_.one_of({"GET", "PUT", "PUT", "PUT", "DELETE", "HEAD"})
                               : random_.one_of({"GET", "GET", "POST", "POST", "POST", "HEAD"}));
    }

    std::string target(Hostile& request) {
        std::string target(
            random_.one_of({"/api/users", "/api/users", "/open/users", "/open/users", "/open/users",
                            "/%61pi/users", "/open/./users", "/x/../open/users", "/open/%75sers",
                            "//open//users", "/api/auth/sign-in/email", "/api/auth/get-session",
                            "/api/auth/sign-out", "/api/auth"}));
        if (target.starts_with("/api/auth"))
            request.is_below_base = false; // better-auth's errors
        else if (random_.one_in(2)) {
            target += "/" + segment(request);
            if (random_.one_in(3))
                target += random_.one_of({"/sessions", "/sessions", "/password", "/ban", "/ban",
                                          "/sessions/", "/ban/x", "/Password", "/"});
            if (random_.one_in(8))
                target += "/" + segment(request);
        }
        request.is_spelled_plainly =
            target.starts_with("/api/users") || target.starts_with("/open/users");
        if (random_.one_in(2))
            target += "?" + query();
        return target;
    }

    std::string segment(Hostile& request) {
        constexpr const char* ids[] = {"sara-1", "ada-1",   "ulises-1",
                                       "",       "unknown", "5f7c3c1e-0d1c-4d7c-9d3a-1f2e3d4c5b6a"};
        constexpr const char* odd =
            "a/b a%2fb ..%2f.. %00 a%00b %ff %c0%af %E2%80%AE '%20or%20'1'='1 %25s%25n %zz % "
            "a%2 . ;x=y a+b * %2561 ~ | {} %0d%0aSet-Cookie:%20x sara-1/ %5c \\ @";
        switch (random_.below(8)) {
        case 0:
            return percent_encoded(random_.bytes(40));
        case 1: {
            // Random bytes may include a space or newline, which would end the path or the request
            // line.
            request.is_regular = false;
            request.is_below_base = false;
            return random_.bytes(20);
        }
        case 2: {
            const std::size_t size = random_.below(9000);
            // httpd rejects lines of this length.
            request.is_below_base = request.is_below_base && size < 7000;
            request.is_regular = request.is_regular && size < 7000;
            return std::string(size, 'x');
        }
        case 3:
        case 4:
            return random_.word_of(odd);
        default:
            return std::string(random_.one_of(ids));
        }
    }

    std::string query() {
        std::string query;
        for (std::size_t count = random_.below(5); count > 0; --count) {
            query += query.empty() ? "" : std::string(random_.one_of({"&", "&", "&&", ";"}));
            query += random_.one_of(
                {"page", "limit", "search", "role", "sea%72ch", "x", "", "search[]", "page%00"});
            query += random_.one_of({"=", "=", "=", "", "=="});
            query += value();
        }
        return query;
    }

    std::string value() {
        switch (random_.below(4)) {
        case 0:
            return percent_encoded(random_.bytes(30));
        case 1:
            return std::to_string(static_cast<std::int64_t>(random_.below(40)) - 5);
        default:
            return random_.word_of(
                "1 20 2147483647 99999999999999999999 -1 1e3 0x10 admin user superAdmin ada "
                "%25 _ %5C %27 %22%20-- %27%3B%20drop%20table%20x %C3%81NGEL %ff %00 "
                "%F0%9F%98%80 %s%n + %2B1 $1 :a % %zz");
        }
    }

    void add_headers(Hostile& request) {
        switch (random_.below(6)) {
        case 0:
            break;
        case 1:
            request.headers.push_back(
                "Cookie: better-auth.session_token=" +
                std::string(random_.one_of({"s3cr3t-token-of-sara", "\"s3cr3t-token-of-ada\"", "",
                                            "%73", "a.b", "x; y=z", "%ff%fe", "\xff"})));
            break;
        case 2:
            request.headers.push_back(
                "Authorization: " + std::string(random_.one_of(
                                        {"Bearer", "Bearer  ", "Basic x", "Bearer %00", "bearer x",
                                         "Bearer s3cr3t-token-of-nobody", "Bearer \xff\xfe", ""})));
            break;
        default:
            request.headers.push_back(
                bearer(std::array{Caller::user, Caller::admin, Caller::super_admin,
                                  Caller::super_admin}[random_.below(4)]));
        }
        for (std::size_t count = random_.below(5); count > 0; --count)
            request.headers.push_back(
                std::string(random_.one_of({"Origin: http://localhost",
                                            "Origin: null",
                                            "Origin: https://evil.example",
                                            "Origin: https://app.example.org",
                                            "Origin: \xff",
                                            "Sec-Fetch-Site: cross-site",
                                            "Sec-Fetch-Site: same-origin",
                                            "Sec-Fetch-Site: none",
                                            "Range: bytes=0-3",
                                            "If-None-Match: *",
                                            "If-Match: \"x\"",
                                            "Accept: text/html",
                                            "Accept-Encoding: gzip",
                                            "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT",
                                            "X-Forwarded-For: ::1, \"x\"",
                                            "Content-Type: text/xml",
                                            "Content-Type: application/json",
                                            "Content-Type: application/x-www-form-urlencoded",
                                            "Content-Encoding: gzip",
                                            "X-HTTP-Method-Override: DELETE",
                                            "Access-Control-Request-Method: DELETE",
                                            "User-Agent: <script>alert(1)</script>",
                                            "Referer: //",
                                            "Accept-Language: *",
                                            "Content-Language: es",
                                            "Cache-Control: max-age=0",
                                            "TE: trailers"})));
        if (random_.one_in(40)) {
            request.is_regular = false;
            request.headers.push_back("X-Long: " + std::string(random_.below(9000), 'x'));
        }
        if (random_.one_in(40)) {
            request.is_regular = false;
            for (std::size_t count = random_.below(150); count > 0; --count)
                request.headers.push_back("X-Many: x");
        }
    }

    std::string body() {
        std::string number = std::to_string(random_.below(60));
        const std::string good[] = {
            R"({"name":"N","email":"n)" + number + R"(@x","password":"s3cr3t","role":"user"})",
            R"({"name":"N","email":"n)" + number + R"(@x","password":"s3cr3t"})",
            R"({"name":"Otra"})",
            R"({"email":"n)" + number + R"(@x"})",
            R"({"role":"admin"})",
            R"({"banned":true,"banReason":"x"})",
            R"({"banned":false})",
            R"({"password":"s3cr3t word"})",
            R"({"reason":"x","expires":"2999-01-01T00:00:00Z"})",
            R"({"name":"\ud83d\ude00 \u00f1","email":"\u00e9@x","password":"\u0001"})",
            R"({"name":"' or '1'='1' --","email":"%s%n$1?@x","password":"p","role":"user"})",
            R"({"email":"eva@example.org","password":"right"})",
            "email=eva%40example.org&password=x",
            "{}"};
        const std::string odd[] = {"",
                                   "[]",
                                   "null",
                                   "{",
                                   R"({"name":null,"email":[],"password":{}})",
                                   R"({"name":"a\u0000b"})",
                                   "{\"name\":\"\xff\"}",
                                   "\xef\xbb\xbf\xef\xbb\xbf{}",
                                   R"({"banned":"true"})",
                                   R"({"role":7})",
                                   R"({"a":1e400,"b":-0.0,"c":[[[[[[]]]]]]})",
                                   std::string(2000, '['),
                                   "{\"name\":\"" + std::string(random_.below(80000), 'x') + "\"}",
                                   random_.bytes(300)};
        std::string text = random_.one_in(3) ? odd[random_.below(std::size(odd))]
                                             : good[random_.below(std::size(good))];
        if (random_.one_in(5))
            corrupt(text);
        return text;
    }

    /// Changes, removes or inserts a few bytes.
    void corrupt(std::string& text) {
        for (std::size_t times = 1 + random_.below(3); times > 0 && !text.empty(); --times) {
            const std::size_t at = random_.below(text.size());
            switch (random_.below(5)) {
            case 0:
                text[at] = random_.byte();
                break;
            case 1:
                text[at] = static_cast<char>(text[at] ^ (1 << random_.below(8)));
                break;
            case 2:
                text.erase(at, 1 + random_.below(8));
                break;
            case 3:
                text.insert(at, random_.bytes(8));
                break;
            default:
                text.insert(at, text.substr(at, 1 + random_.below(30)));
            }
        }
    }

    std::string version(Hostile& request) {
        if (!random_.one_in(15))
            return " HTTP/1.1";
        request.is_regular = false;
        return std::string(random_.one_of({"", " HTTP/1.0", " HTTP/0.9", " HTTP/1.2", " HTTP/2.0",
                                           " HTTP/9.9", " http/1.1", " HTTP/1.1 ", "  HTTP/1.1",
                                           " XTTP/1.1", " HTTP/1.", "\tHTTP/1.1", " HTTP/1.1\r"}));
    }

    std::string host(Hostile& request) {
        if (!random_.one_in(20))
            return "Host: localhost\r\n";
        request.is_regular = false;
        return std::string(random_.one_of(
            {"", "Host: a b\r\n", "Host: localhost\r\nHost: localhost\r\n", "Host:\r\n",
             "Host: [::1\r\n", "Host: \xff\r\n", "Host: other.example:99999\r\n",
             "Host : localhost\r\n", " Host: localhost\r\n", "no colon\r\n", ": x\r\n",
             "Host: localhost\r\n folded\r\n"}));
    }

    /// Returns the header fields that frame the body, an empty line, and the body.
    std::string frame_body(Hostile& request) {
        const std::string text = request.body.value_or("");
        if (!random_.one_in(6))
            return request.body
                       ? "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text
                       : "\r\n";
        if (random_.one_in(2))
            return "Transfer-Encoding: chunked\r\n\r\n" + chunked(text);
        request.is_regular = false;
        // If the length is wrong, the remaining bytes are not a valid request.
        return std::string(random_.one_of(
                   {"Content-Length: 5\r\n", "Content-Length: 1000000\r\n",
                    "Content-Length: -1\r\n", "Content-Length: 4\r\nContent-Length: 5\r\n",
                    "Content-Length: 0x10\r\n", "Content-Length: 99999999999999999999\r\n",
                    "Transfer-Encoding: gzip\r\n",
                    "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                    "Transfer-Encoding: chunked, chunked\r\n", "Transfer-Encoding: x\r\n",
                    "Expect: 100-continue\r\nContent-Length: 10\r\n", "Expect: magic\r\n"})) +
               "\r\n" + text;
    }

    std::string chunked(std::string_view text) {
        std::string chunks;
        while (!text.empty()) {
            const std::string_view chunk = text.substr(0, 1 + random_.below(3000));
            char size[32];
            std::snprintf(size, sizeof size, "%zx", chunk.size());
            chunks += size;
            chunks += random_.one_in(20)
                          ? std::string(random_.one_of({" ", ";x=y", "\x01", "g", "-"}))
                          : "";
            (chunks += "\r\n") += chunk;
            chunks += random_.one_in(30) ? "" : "\r\n";
            text.remove_prefix(chunk.size());
        }
        return chunks + (random_.one_in(20) ? "" : "0\r\n\r\n");
    }

    RandomSource random_;
};

/// Returns the bytes with escapes as in a C string.
std::string with_escapes(std::string_view bytes) {
    std::string text;
    for (const char character : bytes.substr(0, 1500)) {
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned char>(character));
        const bool is_plain = character >= ' ' && character < 0x7f && character != '\\';
        text += character == '\n' ? "\\n\n" : is_plain ? std::string(1, character) : escape;
    }
    return text + (bytes.size() > 1500 ? "…" : "");
}

bool is_json_object(const std::string& text) {
    cJSON* const tree = cJSON_ParseWithLengthOpts(text.c_str(), text.size() + 1, nullptr, 1);
    const bool is_object = cJSON_IsObject(tree) != 0;
    cJSON_Delete(tree);
    return is_object;
}

} // namespace

class HostileRequests : public OwnHttpd {
  protected:
    void setup() override {
        OwnHttpd::setup();
        if (!should_run())
            return;
        allow_log("AH10244"); // httpd: invalid URI path
        allow_log("AH00135"); // httpd: invalid method in request
        allow_log("AH00127"); // httpd: cannot map the path to a file
        // The database rejects an address that another user has.
        allow_log("violates unique constraint");
        allow_log("UNIQUE constraint failed");
        const char* const seed = std::getenv("USERADMIN_TEST_SEED");
        seed_ = seed != nullptr ? std::strtoull(seed, nullptr, 10)
                                : static_cast<std::uint64_t>(
                                      machine::times(1, static_cast<int>(std::random_device()())));
        start("Protocols h2c http/1.1\nUserAdminExtras On\n"
              "UserAdminPasswordHash argon2id m=64 t=1\n" +
                  location("/api/users",
                           "AuthUserAdmin On\nUserAdminTrustedOrigin https://app.example.org") +
                  location("/open/users", as_sara) + sign_in("/api/auth", ""),
              {"mod_http2.so"});
        // add_session() puts the token into the session's id. Replace the ids, because responses
        // contain them and must not contain tokens.
        sql().run(R"(UPDATE "session" SET "id" = "userId")");
    }

    /// Returns whether to run the test. Requests are the same for all MPMs, but not all MPMs
    /// support HTTP/2.
    static bool should_run() { return Suite::current().mpm() == "event"; }

    /// Returns what is wrong with a response, or an empty string.
    static std::string problem_with(const Hostile& request, const Response& response) {
        constexpr int statuses[] = {200, 204, 400, 401, 403, 404, 405, 408, 411, 412,
                                    413, 414, 415, 417, 429, 431, 500, 501, 503, 505};
        if (std::find(std::begin(statuses), std::end(statuses), response.status) ==
            std::end(statuses))
            return "a status that nothing here has";
        if (response.status == 503)
            return "there is no overload";
        std::string received = response.body;
        for (const auto& [name, value] : response.headers)
            received += name + ": " + value + "\n";
        for (const char* text :
             {"SELECT", "INSERT", "ERROR:", "SQLSTATE", "sqlite", "libpq", "pg_"})
            if (received.find(text) != std::string::npos)
                return "the database speaks in the response";
        if (!request.expects_envelope())
            return "";
        if (contains_secret(received))
            return "a secret is in the response";
        if (response.status == 500 && request.method != "POST" && request.method != "PUT" &&
            request.target.find('?') == std::string::npos)
            return "nothing in the request is unreadable";
        if (response.header("Cache-Control") != "no-store")
            return "the response may be kept";
        if (response.status == 204 || request.method == "HEAD")
            return response.body.empty() ? "" : "the response has a body";
        if (response.header("Content-Type") != "application/json" || !is_json_object(response.body))
            return "the response is not JSON";
        if (response.status == 200)
            return response.body.starts_with(R"({"success":true,)") ? ""
                                                                    : "the response is no envelope";
        const auto text = between(response.body, R"({"success":false,"error":")", "\"}");
        return text && is_error_text(*text) ? "" : "the response is no failure's envelope";
    }

    void fail_request(std::uint64_t number, std::string_view bytes, const Response& response,
                      const std::string& why) const {
        fail_test("request " + std::to_string(number) +
                  " of USERADMIN_TEST_SEED=" + std::to_string(seed_) + ": " + why + "\n" +
                  with_escapes(bytes) + "\n" + response.text());
    }

    RequestGenerator generator(std::uint64_t number) const {
        return RequestGenerator(seed_ * 0x9e3779b97f4a7c15U + number);
    }

    /// Sends request `number` over a new connection.
    void send_bytes(std::uint64_t number) {
        RequestGenerator generator = this->generator(number);
        Hostile request = generator.generate();
        const std::string bytes = generator.bytes_of(request);
        std::string received;
        {
            const RawConnection connection(httpd_->port());
            connection.send(bytes);
            connection.finish_sending();
            received = connection.receive_all();
        }
        if (!received.starts_with("HTTP/")) {
            // httpd omits the status line and headers if the request looks like HTTP/0.9. It does
            // not respond to an empty request.
            if (request.is_regular)
                fail_request(number, bytes, {}, "no response");
            return;
        }
        Response response = parse_response(received);
        if (response.status == 101)
            return;
        if (const auto length = response.header("Content-Length"))
            response.body.resize(std::min<std::size_t>(
                response.body.size(), request.method == "HEAD" ? 0 : std::stoul(*length)));
        ++statuses_[response.status];
        const std::string complaint = problem_with(request, response);
        if (!complaint.empty())
            fail_request(number, bytes, response, complaint);
    }

    /// Sends request `number` over HTTP/2. libcurl omits bytes that it cannot send.
    void send_http2(std::uint64_t number) {
        const Hostile made = generator(number).generate();
        const Request request = {
            made.method,        made.target, made.headers, made.body, std::chrono::seconds(60),
            /* is_http2 */ true};
        auto response = client_->try_send(request);
        // httpd may have closed the connection after the previous request.
        if (!response)
            response = client_->try_send(request);
        ++(response ? statuses_[response->status] : unsent_);
        const std::string complaint = response ? problem_with(made, *response) : std::string();
        if (!complaint.empty())
            fail_request(number, made.method + " " + made.target + "\n" + made.body.value_or("-"),
                         *response, complaint);
    }

    /// Returns how many responses had each status.
    std::string summary() const {
        std::string text;
        for (const auto& [status, times] : statuses_)
            text += std::to_string(times) + " × " + std::to_string(status) + ", ";
        return text + std::to_string(unsent_) + " without a response";
    }

    std::uint64_t seed_ = 0;
    std::map<int, int> statuses_;
    int unsent_ = 0;
};

TEST_GROUP_BASE(hostile_requests, HostileRequests){};

TEST(hostile_requests, always_get_an_envelope) {
    exclude_from_document();
    if (!should_run())
        return;
    const int requests = machine::times(3000, 200000);
    const auto children = children_of(httpd_->main_process());
    for (int number = 0; number < requests; ++number) {
        if (number % 4 == 3)
            send_http2(static_cast<std::uint64_t>(number));
        else
            send_bytes(static_cast<std::uint64_t>(number));
        if (number % 20000 == 19999) {
            std::printf("\n%d requests: %s", number + 1, summary().c_str());
            std::fflush(stdout);
        }
    }
    expect_success(send("GET", "/open/users"));
    for (const pid_t child : children)
        CHECK_TEXT(!has_ended(child), "a child of httpd has ended");
    // The test is useful only if enough requests pass the first checks and nearly all get a
    // response.
    CHECK_TEXT(statuses_[200] > requests / 10 && unsent_ < requests / 30, summary().c_str());
}

} // namespace useradmin::test
