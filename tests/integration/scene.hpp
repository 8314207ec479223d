// Shared by the integration tests: one httpd, one database, and three users as callers.
#pragma once

#include "support/exchange_log.hpp"
#include "support/http_client.hpp"
#include "support/httpd.hpp"
#include "support/log_watch.hpp"
#include "support/raw_connection.hpp"
#include "support/test_database.hpp"
#include "support/text.hpp"

#include <CppUTest/TestHarness.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::test {

/// Owns the objects that all tests of a run share. main() creates the only instance.
class Suite {
  public:
    Suite(std::string mpm, Kind kind);
    ~Suite();

    static Suite& current();

    const WorkFolder& work() const noexcept { return work_; }
    const std::string& mpm() const noexcept { return mpm_; }
    /// Returns whether this run uses the event MPM without sanitizers. Some tests need only this
    /// run, or cannot pass in others.
    bool is_event_without_sanitizers() const;
    Kind kind() const noexcept { return database_.kind(); }
    TestDatabase& database() noexcept { return database_; }
    Httpd& httpd() noexcept { return *httpd_; }
    HttpClient& client() noexcept { return *client_; }

    /// Returns settings for another httpd with the MPM of the run and this configuration.
    HttpdSettings settings(const std::string& configuration) const;

    /// Returns the path of a file with the tests' secret on its first line, readable only by its
    /// owner.
    std::filesystem::path secret_file() const;

    /// Returns DBDriver and DBDParams for a database.
    static std::string directives_for(const TestDatabase& database);

  private:
    WorkFolder work_;
    std::string mpm_;
    TestDatabase database_;
    std::unique_ptr<Httpd> httpd_;
    std::unique_ptr<HttpClient> client_;
};

/// Returns a <Location "path"> with the service, open to all, and the directives.
std::string location(const std::string& path, const std::string& directives);

/// Returns a <Location "path"> with stand-alone sign-in and the directives. By default, its limit
/// on failed attempts is too high to be reached.
std::string sign_in(const std::string& path, const std::string& directives);

/// Returns a <Location "path"> with the handler and the directives.
std::string handler(const std::string& path, const std::string& name,
                    const std::string& directives = {});

/// Returns a name-based virtual host with the directives.
std::string virtual_host(const std::string& name, const std::string& directives = {});

/// Error messages of the service.
inline constexpr const char* not_found = "Usuario no encontrado";
inline constexpr const char* unavailable = "Servicio no disponible temporalmente";
/// Eva's address and password.
inline constexpr const char* eva = "eva@example.org";
inline constexpr const char* right_password = "s3cr3t of eva";

/// Returns the body of a sign-in request. more: extra members, for example `,"rememberMe":false`.
inline std::string sign_in_body(const std::string& email, const std::string& password,
                                const std::string& more = "") {
    return R"({"email":")" + email + R"(","password":")" + password + "\"" + more + "}";
}

/// Returns the body of a request that creates a user named Eva with right_password.
inline std::string user_json(const std::string& email, const std::string& role = "user") {
    return R"({"name":"Eva","email":")" + email + R"(","password":")" + right_password +
           R"(","role":")" + role + "\"}";
}

inline constexpr std::string_view secret = "s3cr3t that signs the cookies";

enum class Caller { nobody, user, admin, super_admin };

/// A row of the user table.
struct Person {
    std::string id;
    std::string name;
    std::string email;
    std::string role;
    std::string created;

    /// Returns the row as JSON, exactly as in the service's responses.
    std::string json() const;
};

/// Sara (superAdmin), Ada (admin) and Ulises (user). Sara's row is the newest, Ulises's the oldest.
const Person& sara();
const Person& ada();
const Person& ulises();

/// Returns the caller's session token.
std::string token_of(Caller caller);

/// Returns the token with better-auth's signature by the secret `with`: token.base64(HMAC-SHA-256).
std::string signed_token(const std::string& token, std::string_view with);

/// Returns an Authorization header with the caller's token.
std::string bearer(Caller caller);

/// Returns the first string member with this name in a response.
std::string text_member(const Response& response, std::string_view name, SourceLocation where = {});

/// Starts each test with only the three users and their sessions in the tables.
class Scene : public Utest {
  public:
    void setup() override;

  protected:
    static Database& sql() { return Suite::current().database().sql(); }
    static bool is_postgresql() { return Suite::current().kind() == Kind::postgresql; }
    /// Sends a request with the caller's bearer token and calls check_response().
    static Response ask(Caller caller, const std::string& method, const std::string& path,
                        const std::optional<std::string>& body = {},
                        const std::vector<std::string>& headers = {}, SourceLocation where = {});

    static Response get(Caller caller, const std::string& path, SourceLocation where = {}) {
        return ask(caller, "GET", path, {}, {}, where);
    }
    static Response post(Caller caller, const std::string& body, SourceLocation where = {}) {
        return ask(caller, "POST", "/api/users", body, {}, where);
    }
    static Response put(Caller caller, const std::string& id, const std::string& body,
                        SourceLocation where = {}) {
        return ask(caller, "PUT", "/api/users/" + id, body, {}, where);
    }
    static Response remove(Caller caller, const std::string& id, SourceLocation where = {}) {
        return ask(caller, "DELETE", "/api/users/" + id, {}, {}, where);
    }

    /// Sends raw bytes and reads until the server closes the connection. Returns the response.
    static Response exchange(std::string_view bytes, SourceLocation where = {});

    /// Adds a row to the user table.
    static void add_user(const Person& person);
    /// Adds `count` users with the user role: "u001" and so on. They are older than all other
    /// users.
    static void add_users(int count);
    /// Adds `count` users with one session each: "b1" with the token "t1", and so on.
    static void add_users_with_sessions(Database& database, int count);
    /// As an administrator, adds Eva with right_password. Returns her id.
    static std::string add_eva(const std::string& path = "/cheap/users") {
        return text_member(ask(Caller::super_admin, "POST", path, user_json(eva)), "id");
    }
    static void add_session(std::string_view token, std::string_view user_id,
                            std::string_view expires_at = "2999-01-01T00:00:00.000Z");
    static long count(const std::string& table);

    static void allow_lines_without_a_database() {
        for (const char* line : {"UA010", "UA020", "dbd:", "AH0062"})
            allow_log(line);
    }
};

/// Checks that the response has this status and this body, byte for byte.
void expect(const Response& response, int status, std::string_view body, SourceLocation where = {});

/// Checks that the response is the failure envelope with this error message.
void expect_error(const Response& response, int status, std::string_view text,
                  SourceLocation where = {});

/// Checks that the response is the failure envelope with an error status.
void expect_rejected(const Response& response, SourceLocation where = {});

/// Checks that the response has this status and the success envelope.
void expect_success(const Response& response, SourceLocation where = {});

/// Returns the values of a header, ignoring the case of its name.
std::vector<std::string> values_of(const Response& response, const char* name);

/// Checks the requirements for all of the service's responses: JSON, not cached, no secret.
void check_response(const Response& response, SourceLocation where = {});

/// Returns the ids in a response, in the same order: "a b c".
std::string ids_of(const Response& response);

/// Returns the time in so many hours in the service's format, in which times sort as strings.
std::string current_time(int hours_from_now = 0);

/// Fails the test and shows the response.
[[noreturn]] void fail(const Response& response, const std::string& why, SourceLocation where);

} // namespace useradmin::test
