// Opens pages of several origins in a real browser. Own and trusted pages may use the service.
// Other pages must not use a visitor's session.
#include "support/http_client.hpp"
#include "support/httpd.hpp"
#include "support/log_watch.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"
#include "support/test_database.hpp"
#include "support/test_main.hpp"
#include "support/text.hpp"

#include <CppUTest/TestHarness.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <sstream>
#include <unistd.h>

namespace useradmin::test {

namespace {

/// Returns the path of the browser, or an empty path if it is not installed.
std::filesystem::path browser() {
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "/usr/bin");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (auto program = std::filesystem::path(folder) / "chromium";
            access(program.c_str(), X_OK) == 0)
            return program;
    return {};
}

/// A line of httpd's log, with the fields in order.
struct LoggedRequest {
    std::string host, origin, site, type, has_session, status, method, path, readable_by;

    static constexpr const char* format =
        "%{Host}i|%{Origin}i|%{Sec-Fetch-Site}i|%{Content-Type}i|%{has_session}e|%>s|%m|%U|"
        "%{Access-Control-Allow-Origin}o";

    explicit LoggedRequest(const std::string& line) {
        std::istringstream fields(line);
        for (std::string* field :
             {&host, &origin, &site, &type, &has_session, &status, &method, &path, &readable_by})
            std::getline(fields, *field, '|');
        type = type.substr(0, type.find(';'));
    }

    bool is_write() const { return method == "POST" || method == "PUT" || method == "DELETE"; }
};

} // namespace

TEST_GROUP(browser) {
    WorkFolder work_;
    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<Httpd> httpd_;
    std::vector<LoggedRequest> requests_;

    void setup() override {
        database_ = std::make_unique<TestDatabase>(work_, Kind::sqlite, "database");
        for (const char* row : {"('root-1', 'Root', 'root@example.org', 'superAdmin'",
                                "('ada-1', 'Ada', 'ada@example.org', 'user'"})
            database_->sql().run("INSERT INTO \"user\" (\"id\", \"name\", \"email\", \"role\", "
                                 "\"emailVerified\", \"createdAt\", \"updatedAt\") VALUES " +
                                 std::string(row) + ", 1, '2026-01-01', '2026-01-01')");
        const auto documents = work_.make("documents");
        std::filesystem::copy(machine::source("tests/browser/pages"), documents / "pages",
                              std::filesystem::copy_options::recursive);
        HttpdSettings settings;
        settings.modules = {"mod_setenvif.so"};
        settings.configuration =
            "DBDriver sqlite3\nDBDParams \"" + database_->params() +
            "\"\nDBDMin 0\n"
            "DocumentRoot \"" +
            documents.string() + "\"\n<Directory \"" + documents.string() +
            "\">\n  Require all granted\n  ForceType text/html\n"
            "  <Files \"*.js\">\n    ForceType text/javascript\n  </Files>\n</Directory>\n"
            "SetEnvIf Cookie session_token=. has_session=yes\nLogFormat \"" +
            std::string(LoggedRequest::format) + "\" seen\nCustomLog \"" + log().string() +
            "\" seen\n"
            "<Location \"/api/users\">\n  Require all granted\n  AuthUserAdmin On\n"
            "  UserAdmin On\n  UserAdminProtectedEmail admin@example.com\n"
            "  UserAdminPasswordHash argon2id m=64\n"
            "  UserAdminTrustedOrigin " +
            origins("web.app") +
            "\n</Location>\n"
            "<Location \"/api/auth\">\n  Require all granted\n  AuthUserAdminSignIn On\n"
            "  UserAdminPasswordHash argon2id m=64\n"
            "  UserAdminTrustedOrigin " +
            origins("web.app") +
            "\n</Location>\n"
            "<Location \"/making\">\n  Require all granted\n  UserAdmin On\n"
            "  UserAdminPasswordHash argon2id m=64\n  UserAdminSession root-1 superAdmin\n"
            "</Location>\n";
        httpd_ = std::make_unique<Httpd>(work_, settings);
        const Response made = HttpClient(httpd_->port())
                                  .send({"POST",
                                         "/making",
                                         {},
                                         R"({"name":"Sara","email":"sara@example.org","role":)"
                                         R"("superAdmin","password":"s3cr3t of sara"})"});
        CHECK_EQUAL(200, made.status);
    }
    void teardown() override {
        httpd_.reset();
        database_.reset();
    }

    std::filesystem::path log() const {
        return work_.path() / "seen.log";
    }

    /// Browsers send Sec-Fetch-Site only to localhost and over TLS. To the domain test, they send
    /// only Origin.
    static constexpr std::array<const char*, 2> domains = {"localhost", "test"};

    std::string origin(const std::string& name, const std::string& domain) const {
        return "http://" + name + "." + domain + ":" + std::to_string(httpd_->port());
    }
    /// Returns the origins of this name in both domains, in the syntax of the configuration.
    static std::string origins(const std::string& name) {
        return "http://" + name + ".localhost:${PORT} http://" + name + ".test:${PORT}";
    }

    /// Opens the pages of both domains, then reads httpd's log.
    void visit_pages() {
        std::string address;
        for (const std::string domain : domains) {
            const std::string api = origin("api.app", domain);
            const auto add_page = [&](const std::string& name, const char* file) {
                address += (address.empty()                          ? ""
                            : address.find('#') == std::string::npos ? "#"
                                                                     : ",") +
                           origin(name, domain) + "/pages/" + file + "?api=" + api;
            };
            add_page("api.app", "own.html");
            add_page("evil", "attack.html");
            add_page("evil.app", "attack.html");
            add_page("web.app", "trusted.html");
        }
        Process chromium({{browser().string(), "--headless", "--no-sandbox", "--disable-gpu",
                           "--disable-dev-shm-usage", "--no-first-run", "--disable-popup-blocking",
                           "--disable-background-networking", "--disable-component-update",
                           "--no-proxy-server", "--disable-features=HttpsUpgrades",
                           "--host-resolver-rules=MAP *.localhost 127.0.0.1, MAP *.test 127.0.0.1",
                           "--user-data-dir=" + work_.make("profile").string(),
                           "--remote-debugging-port=0", address},
                          {{"HOME", work_.path().string()}}},
                         work_.path() / "chromium.log");
        const bool is_done = eventually(
            [&] { return read_file(log()).find("/report/all/pages/done") != std::string::npos; },
            std::chrono::minutes(4));
        if (!is_done)
            FAIL(("the pages did not finish:\n" + read_file(log()) +
                  read_file(work_.path() / "chromium.log"))
                     .c_str());
        for (const std::string& line : lines_of(read_file(log())))
            requests_.emplace_back(line);
    }

    /// Returns the reports of an origin's pages, such as "GET 200", one per line.
    std::string reports_of(const std::string& by) const {
        std::string text;
        for (const LoggedRequest& request : requests_)
            if ("http://" + request.host == by && request.path.starts_with("/report/") &&
                !request.path.starts_with("/report/all/")) {
                std::string line = request.path.substr(request.path.find('/', 8) + 1);
                line[line.rfind('/')] = ' ';
                text += line + "\n";
            }
        return text;
    }

    /// Checks that all writes from pages of another origin were refused, and that the pages read
    /// nothing.
    void check_attack(const std::string& by, const std::string& on) {
        // A form of each type, a fetch without preflight, and a frame with an opaque origin must
        // have arrived. Otherwise, nothing was tested.
        std::set<std::string> arrived;
        for (const LoggedRequest& request : requests_) {
            const bool is_theirs = request.origin == by || request.origin == "null";
            if ("http://" + request.host != on || !is_theirs || !request.path.starts_with("/api/"))
                continue;
            const std::string text = request.origin + " " + request.method + " " + request.path +
                                     " " + request.type + " " + request.status;
            CHECK_TEXT(request.readable_by == "-", (text + " may be read").c_str());
            if (!request.is_write())
                continue;
            // Without a session, a sign-out has no effect.
            const bool is_idle = request.path == "/api/auth/sign-out" && request.has_session == "-";
            CHECK_TEXT(request.status == "403" || is_idle, text.c_str());
            arrived.insert(request.origin.substr(0, 4) + " " + request.type + " " + request.path);
        }
        for (const std::string origin : {"http", "null"}) {
            for (const char* type :
                 {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data"})
                CHECK_TEXT(arrived.count(origin + " " + type + " /api/users") == 1,
                           (origin + " " + type + " did not arrive").c_str());
            for (const char* path : {"/api/auth/sign-in/email", "/api/auth/sign-out"})
                CHECK_TEXT(arrived.count(origin + " application/x-www-form-urlencoded " + path) ==
                               1,
                           (origin + " " + path + " did not arrive").c_str());
        }
        std::string wanted;
        for (const std::string credentials : {"include", "omit"}) {
            for (const char* sent : {"text ", "urlencoded ", "multipart "})
                wanted += sent + credentials + " opaque\n";
            for (const char* refused :
                 {"GET ", "POST text ", "POST json ", "PUT ", "DELETE ", "bearer "})
                wanted += refused + credentials + " refused\n";
        }
        CHECK_EQUAL(wanted, reports_of(by));
    }
};

TEST(browser, allows_only_pages_of_its_own_and_trusted_origins) {
    visit_pages();
    for (const std::string domain : domains) {
        const std::string api = origin("api.app", domain);
        CHECK_EQUAL(std::string("POST -api-auth-sign-in-email 200\nGET -api-users 200\n"
                                "POST -api-users 200\nPUT 200\nDELETE 200\n"),
                    reports_of(api));
        check_attack(origin("evil", domain), api);
        check_attack(origin("evil.app", domain), api);
        CHECK_EQUAL(std::string("GET 200\nPOST 200\nPUT 200\nDELETE 200\nGET of nobody 404\n"),
                    reports_of(origin("web.app", domain)));
        // The session could have been used: pages of the same site sent its cookie.
        CHECK(std::any_of(requests_.begin(), requests_.end(), [&](const LoggedRequest& request) {
            return request.origin == origin("evil.app", domain) && request.has_session == "yes" &&
                   request.is_write();
        }));
    }
    CHECK_EQUAL(std::string("Ada,Root,Sara"),
                database_->sql()
                    .value("SELECT group_concat(\"name\") FROM (SELECT \"name\" FROM \"user\" "
                           "ORDER BY \"name\")")
                    .value_or(""));
    // The own page has created one session in each domain.
    CHECK_EQUAL(2, database_->sql().number("SELECT count(*) FROM \"session\""));
}

} // namespace useradmin::test

int main(int count, char** arguments) {
    using namespace useradmin::test;
    if (browser().empty()) {
        std::puts("Skipped: there is no Chromium here (Debian's package is chromium).");
        constexpr int skipped = 77;
        return skipped;
    }
    return run_tests(count, arguments, [](const auto& tests) { return tests(); });
}
