#pragma once

#include "scene.hpp"

#include <filesystem>

namespace useradmin::test {

/// Makes every caller the superAdmin Sara, without a session lookup that could fail.
inline const std::string as_sara = "UserAdminSession sara-1 superAdmin\n";

class OwnHttpd : public Scene {
  protected:
    /// httpd's environment. Set it before start().
    std::vector<std::pair<std::string, std::string>> environment_;

    /// Starts httpd with own_, or else with the suite's database. The directives follow DBDriver
    /// and DBDParams.
    void start(const std::string& configuration, const std::vector<std::string>& modules = {}) {
        // An open connection would keep a child of the previous httpd alive for KeepAliveTimeout.
        stop();
        auto settings = Suite::current().settings(
            Suite::directives_for(own_ ? *own_ : Suite::current().database()) + configuration);
        settings.modules = modules;
        settings.environment = environment_;
        httpd_ = std::make_unique<Httpd>(Suite::current().work(), settings);
        client_ = std::make_unique<HttpClient>(httpd_->port());
    }
    /// Stops httpd if it is running.
    void stop() {
        client_.reset();
        httpd_.reset();
    }
    void teardown() override {
        stop();
        own_.reset();
        undo();
    }

    /// Changes the schema of the suite's database until undo() is called or the test ends.
    static void change(const std::string& statements, const std::string& reverse) {
        Suite::current().database().change(statements, reverse);
    }
    static void undo() { Suite::current().database().undo(); }

    /// Creates own_, a database for this test only.
    void make_database(PostgreSql::Settings settings = {}) {
        static int number = 0;
        own_ =
            std::make_unique<TestDatabase>(Suite::current().work(), Suite::current().kind(),
                                           "own-" + std::to_string(++number), std::move(settings));
    }

    Response send(const std::string& method, const std::string& path,
                  const std::optional<std::string>& body = {}, SourceLocation where = {}) {
        auto response = client_->send({method, path, {bearer(Caller::super_admin)}, body}, where);
        check_response(response, where);
        return response;
    }

    /// Creates an audit log to which every write fails with ENOSPC. Returns its path.
    static std::filesystem::path unwritable_log(const std::string& folder) {
        const auto log = Suite::current().work().make(folder) / "audit.log";
        std::filesystem::create_symlink("/dev/full", log);
        return log;
    }

    /// Checks that a path allows only GET, HEAD and OPTIONS, and that its Allow headers list them.
    void expect_read_methods_only(const std::string& path) {
        const auto methods_of = [](const Response& response) { return response.value("Allow"); };
        const auto send = [&](const char* method) {
            const Response response = client_->send({method, path});
            CHECK_EQUAL(std::string("nosniff"), response.value("X-Content-Type-Options"));
            return response;
        };
        CHECK_EQUAL(200, send("GET").status);
        const Response head = send("HEAD");
        CHECK_EQUAL(200, head.status);
        CHECK_EQUAL(std::string(), head.body);
        const Response options = send("OPTIONS");
        CHECK_EQUAL(204, options.status);
        CHECK_EQUAL(std::string("GET, HEAD, OPTIONS"), methods_of(options));
        for (const char* method : {"POST", "PUT", "DELETE", "PATCH"}) {
            const Response response = send(method);
            CHECK_EQUAL(405, response.status);
            STRCMP_CONTAINS("GET", methods_of(response).c_str());
            STRCMP_CONTAINS("HEAD", methods_of(response).c_str());
            CHECK(methods_of(response).find(method) == std::string::npos);
        }
    }

    std::unique_ptr<TestDatabase> own_;
    std::unique_ptr<Httpd> httpd_;
    std::unique_ptr<HttpClient> client_;
};

} // namespace useradmin::test
