#include "scene.hpp"

#include "support/machine.hpp"
#include "support/process.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <chrono>
#include <cstdio>
#include <ctime>

namespace useradmin::test {

namespace {

Suite* current_suite = nullptr;

std::string denied_location(const std::string& path) {
    return "<Location \"" + path + "\">\n  Require all denied\n</Location>\n";
}

/// Returns the configuration of the suite's httpd, with a Location for each way to configure the
/// service.
std::string configuration(const TestDatabase& database, const std::filesystem::path& secret_file) {
    const std::string signed_by = "AuthUserAdminSecret \"file:" + secret_file.string() + "\"\n";
    const std::string trusts =
        "UserAdminTrustedOrigin https://App.Example.org:443 http://localhost:3000\n";
    return "LoadModule test_callers_module \"" +
           machine::built("tests/mod_test_callers.so").string() + "\"\n" +
           Suite::directives_for(database) +
           // Long enough that the tests' concurrent requests are never rejected.
           "UserAdminHashQueue 32\n"
           "DocumentRoot \"${WORK}\"\n"
           "<Location \"/\">\n  Require all granted\n</Location>\n" +
           location("/api/users", "AuthUserAdmin On") +
           location("/headers/users", "UserAdminSession \"%{req:X-Id}\" \"%{req:X-Role}\"") +
           location("/id-only/users", "UserAdminSession \"%{req:X-Id}\"") + //
           location("/notes/users", "") +
           location("/strict/users", "AuthUserAdmin On\nUserAdminGuard rank last-superadmin") +
           location("/strict-by-header/users",
                    "UserAdminGuard last-superadmin\n"
                    "UserAdminSession \"%{req:X-Id}\" \"%{req:X-Role}\"") +
           location("/extra/users", "AuthUserAdmin On\nUserAdminExtras On") +
           location("/scrypt/users", "AuthUserAdmin On\nUserAdminPasswordHash scrypt") +
           location("/cheap/users",
                    "AuthUserAdmin On\nUserAdminPasswordHash argon2id m=64 t=3 p=2") +
           location("/cookie/users", "AuthUserAdmin On\nAuthUserAdminCookie my_session") +
           location("/host/users", "AuthUserAdmin On\nAuthUserAdminCookie __Host-my_session") +
           location("/hasty/users", "AuthUserAdmin On\nUserAdminBodyTimeout 1") +
           sign_in("/hasty/auth", "UserAdminBodyTimeout 1") +
           location("/open users", "AuthUserAdmin On") + denied_location("/open users/a b") +
           denied_location("/open users/x:1") + denied_location("/open users/\xc3\xb1") +
           location("/limited/users", "AuthUserAdmin On\nLimitRequestBody 512") +
           sign_in("/api/auth", "") + //
           sign_in("/signed/auth", signed_by) +
           location("/signed/users", "AuthUserAdmin On\n" + signed_by) +
           sign_in("/cookie/auth", "AuthUserAdminCookie my_session") +
           sign_in("/prefix/auth", "AuthUserAdminCookie mine.session_token") +
           sign_in("/bearerless/auth", "AuthUserAdminBearer Off") +
           location("/trusting/users", trusts + "AuthUserAdmin On\nUserAdminMaxBody 1024") +
           sign_in("/trusting/auth", trusts) + "<Location \"/trusting/denied/users\">\n" + trusts +
           "  UserAdmin On\n  Require all denied\n</Location>\n"
           "<Location \"/trusting/denied/auth\">\n" +
           trusts +
           "  AuthUserAdminSignIn On\n  Require all denied\n</Location>\n"
           "<Location \"/off/users\">\n  UserAdmin Off\n  Require all granted\n</Location>\n"
           "<Location \"/denied/users\">\n  UserAdmin On\n  AuthUserAdmin On\n"
           "  Require all denied\n</Location>\n"
           "<Location \"/document/users\">\n  UserAdmin On\n  Require all denied\n"
           "  ErrorDocument 403 /page.html\n</Location>\n"
           "<Location \"/document/auth\">\n" +
           trusts +
           "  AuthUserAdminSignIn On\n  Require all denied\n"
           "  ErrorDocument 403 /httpd.pid\n</Location>\n"
           "<Location \"/text/users\">\n  UserAdmin On\n  Require all denied\n"
           "  ErrorDocument 403 \"no and no\"\n</Location>\n"
           "<Location \"/remote/users\">\n  UserAdmin On\n  Require all denied\n"
           "  ErrorDocument 403 https://status.example.org/\n</Location>\n"
           "ErrorDocument 400 /page.html\n"
           "ErrorDocument 413 /page.html\n"
           "<Location \"/guarded\">\n  AuthUserAdmin On\n  SetHandler test-redirect\n"
           "</Location>\n"
           "<Location \"/role-guarded/users\">\n  UserAdmin On\n"
           "  Require user-role admin\n</Location>\n"
           "<Location \"/typed/users\">\n  UserAdmin On\n  AuthUserAdmin On\n"
           "  AuthType useradmin\n  Require user-role admin\n</Location>\n" +
           handler("/redirect", "test-redirect") + handler("/subrequest", "test-subrequest") +
           virtual_host("localhost") +
           virtual_host("other.test", location("/other/users", "AuthUserAdmin On")) +
           virtual_host("slashes.test", "AllowEncodedSlashes NoDecode\nMergeSlashes Off\n");
}

bool is_bodiless(const Response& response) {
    return response.status == 204 || response.asked.starts_with("HEAD ");
}

} // namespace

Suite::Suite(std::string mpm, Kind kind)
    : mpm_(std::move(mpm)), database_(work_, kind, "database") {
    current_suite = this;
    httpd_ = std::make_unique<Httpd>(work_, settings(configuration(database_, secret_file())));
    client_ = std::make_unique<HttpClient>(httpd_->port());
}

std::filesystem::path Suite::secret_file() const {
    const auto file = work_.path() / "secret";
    write_file(file, std::string(secret) + "\nanother line\n");
    using std::filesystem::perms;
    std::filesystem::permissions(file, perms::owner_read | perms::owner_write);
    return file;
}

Suite::~Suite() {
    current_suite = nullptr;
}

bool Suite::is_event_without_sanitizers() const {
    return mpm_ == "event" && machine::sanitizer_environment().empty();
}

Suite& Suite::current() {
    return *current_suite;
}

HttpdSettings Suite::settings(const std::string& configuration) const {
    HttpdSettings settings;
    settings.mpm = mpm_;
    settings.configuration = configuration;
    return settings;
}

std::string Suite::directives_for(const TestDatabase& database) {
    return "DBDriver " + database.driver() + "\nDBDParams \"" + database.params() +
           "\"\nDBDMin 0\n" +
           // Tests that do not need a short timeout must pass on a stalled machine, too.
           "UserAdminTimeout 60\nAuthUserAdminTimeout 60\n";
}

std::string location(const std::string& path, const std::string& directives) {
    return "<Location \"" + path + "\">\n  UserAdmin On\n" + directives +
           "\n  Require all granted\n</Location>\n";
}

std::string sign_in(const std::string& path, const std::string& directives) {
    return "<Location \"" + path +
           "\">\n  AuthUserAdminSignIn On\n  AuthUserAdminSignInLimit 1000000\n" + directives +
           "\n  Require all granted\n</Location>\n";
}

std::string handler(const std::string& path, const std::string& name,
                    const std::string& directives) {
    return "<Location \"" + path + "\">\n  SetHandler " + name + "\n" + directives +
           "</Location>\n";
}

std::string virtual_host(const std::string& name, const std::string& directives) {
    return "<VirtualHost *:${PORT}>\n  ServerName " + name + "\n" + directives + "</VirtualHost>\n";
}

std::string Person::json() const {
    return R"({"id":")" + id + R"(","name":")" + name + R"(","email":")" + email + R"(","role":")" +
           role + R"(","emailVerified":true,"image":null,"createdAt":")" + created +
           R"(","updatedAt":")" + created +
           R"(","banned":false,"banReason":null,"banExpires":null})";
}

const Person& sara() {
    static const Person person{"sara-1", "Sara", "sara@example.org", "superAdmin",
                               "2026-01-03T00:00:00.000Z"};
    return person;
}

const Person& ada() {
    static const Person person{"ada-1", "Ada", "ada@example.org", "admin",
                               "2026-01-02T00:00:00.000Z"};
    return person;
}

const Person& ulises() {
    static const Person person{"ulises-1", "Ulises", "ulises@example.org", "user",
                               "2026-01-01T00:00:00.000Z"};
    return person;
}

std::string token_of(Caller caller) {
    switch (caller) {
    case Caller::user:
        return "s3cr3t-token-of-ulises";
    case Caller::admin:
        return "s3cr3t-token-of-ada";
    case Caller::super_admin:
        return "s3cr3t-token-of-sara";
    case Caller::nobody:
        break;
    }
    return "";
}

std::string signed_token(const std::string& token, std::string_view with) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    HMAC(EVP_sha256(), with.data(), static_cast<int>(with.size()),
         reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest, &size);
    return token + "." + to_base64({reinterpret_cast<const char*>(digest), size});
}

std::string bearer(Caller caller) {
    return "Authorization: Bearer " + token_of(caller);
}

void Scene::setup() {
    Suite::current().database().clear();
    for (const auto* person : {&sara(), &ada(), &ulises()})
        add_user(*person);
    add_session(token_of(Caller::super_admin), sara().id);
    add_session(token_of(Caller::admin), ada().id);
    add_session(token_of(Caller::user), ulises().id);
}

Response Scene::ask(Caller caller, const std::string& method, const std::string& path,
                    const std::optional<std::string>& body, const std::vector<std::string>& headers,
                    SourceLocation where) {
    Request request{method, path, headers, body};
    if (caller != Caller::nobody)
        request.headers.push_back(bearer(caller));
    auto response = Suite::current().client().send(request, where);
    check_response(response, where);
    return response;
}

Response Scene::exchange(std::string_view bytes, SourceLocation where) {
    const RawConnection connection(Suite::current().httpd().port());
    connection.send(bytes);
    auto response = parse_response(connection.receive_all());
    response.asked = bytes.substr(0, 500);
    ExchangeLog::instance().note(Suite::current().httpd().port(), bytes, response);
    check_response(response, where);
    return response;
}

void Scene::add_user(const Person& person) {
    sql().insert("user", {{"id", person.id},
                          {"name", person.name},
                          {"email", person.email},
                          {"role", person.role},
                          {"createdAt", person.created},
                          {"updatedAt", person.created}});
}

void Scene::add_users(int count) {
    std::string rows;
    for (int number = 1; number <= count; ++number) {
        char id[16];
        std::snprintf(id, sizeof id, "u%03d", number);
        rows += std::string(rows.empty() ? "" : ", ") + "('" + id + "', 'Persona', '" + id +
                "@example.org', TRUE, 'user', '2025-01-01T00:00:00.000Z', "
                "'2025-01-01T00:00:00.000Z')";
    }
    sql().run("INSERT INTO \"user\" (\"id\", \"name\", \"email\", \"emailVerified\", \"role\", "
              "\"createdAt\", \"updatedAt\") VALUES " +
              rows);
}

void Scene::add_users_with_sessions(Database& database, int count) {
    const std::string numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 "
                                "FROM n WHERE i < " +
                                std::to_string(count) + ") ";
    const std::string time = "'2026-01-01T00:00:00.000Z'";
    database.run(R"(INSERT INTO "user" ("id", "name", "email", "emailVerified", "createdAt",
                    "updatedAt") )" +
                 numbers + "SELECT 'b' || i, 'B', 'b' || i, TRUE, " + time + ", " + time +
                 " FROM n");
    database.run(R"(INSERT INTO "session" ("id", "token", "userId", "expiresAt", "createdAt",
                    "updatedAt") )" +
                 numbers + "SELECT 's' || i, 't' || i, 'b' || i, '2999-01-01T00:00:00.000Z', " +
                 time + ", " + time + " FROM n");
}

void Scene::add_session(std::string_view token, std::string_view user_id,
                        std::string_view expires_at) {
    sql().insert("session", {{"id", "id of " + std::string(token)},
                             {"token", std::string(token)},
                             {"userId", std::string(user_id)},
                             {"expiresAt", std::string(expires_at)}});
}

long Scene::count(const std::string& table) {
    return sql().number("SELECT count(*) FROM \"" + table + "\"");
}

void fail(const Response& response, const std::string& why, SourceLocation where) {
    fail_test(why + "\n" + response.text(), where);
}

std::vector<std::string> values_of(const Response& response, const char* name) {
    std::vector<std::string> values;
    for (const auto& [own_name, value] : response.headers)
        if (::strcasecmp(own_name.c_str(), name) == 0)
            values.push_back(value);
    return values;
}

void check_response(const Response& response, SourceLocation where) {
    std::string received = response.body;
    for (const auto& [name, value] : response.headers)
        received += name + ": " + value + "\n";
    if (contains_secret(received))
        fail(response, "a secret is in the response", where);
    if (response.header("Cache-Control") != "no-store")
        fail(response, "the response lacks Cache-Control: no-store", where);
    if (values_of(response, "X-Content-Type-Options") != std::vector<std::string>{"nosniff"})
        fail(response, "the response lacks X-Content-Type-Options: nosniff, or repeats it", where);
    if (response.status != 204 && response.header("Content-Type") != "application/json")
        fail(response, "the response is not application/json", where);
    if (is_bodiless(response)) {
        if (!response.body.empty())
            fail(response, "the response has a body", where);
        return;
    }
    const bool enveloped = response.status < 400
                               ? response.body.starts_with(R"({"success":true,)")
                               : response.body.starts_with(R"({"success":false,"error":")");
    if (!enveloped || !response.body.ends_with("}"))
        fail(response, "the response is not an envelope", where);
    // An error from httpd may have no Content-Length if it closes the connection.
    const auto length = response.header("Content-Length");
    const bool ends_with_connection =
        response.status >= 400 && response.header("Connection").value_or("") == "close";
    if (length ? *length != std::to_string(response.body.size()) : !ends_with_connection)
        fail(response, "Content-Length does not match the body", where);
}

void expect(const Response& response, int status, std::string_view body, SourceLocation where) {
    if (response.status != status || response.body != body)
        fail(response, "expected: " + std::to_string(status) + "\n" + std::string(body), where);
    UtestShell::getCurrent()->countCheck();
}

void expect_error(const Response& response, int status, std::string_view text,
                  SourceLocation where) {
    expect(response, status, R"({"success":false,"error":")" + std::string(text) + R"("})", where);
}

void expect_rejected(const Response& response, SourceLocation where) {
    if (response.status < 400 || !response.body.starts_with(R"({"success":false,"error":")"))
        fail(response, "expected a failure envelope", where);
    UtestShell::getCurrent()->countCheck();
}

void expect_success(const Response& response, SourceLocation where) {
    if (response.status != 200 || !response.body.starts_with(R"({"success":true,)"))
        fail(response, "expected a success envelope", where);
    UtestShell::getCurrent()->countCheck();
}

std::string ids_of(const Response& response) {
    std::string ids;
    constexpr std::string_view key = R"({"id":")";
    for (auto at = response.body.find(key); at != std::string::npos;
         at = response.body.find(key, at + 1)) {
        const auto from = at + key.size();
        ids += (ids.empty() ? "" : " ") +
               response.body.substr(from, response.body.find('"', from) - from);
    }
    return ids;
}

std::string text_member(const Response& response, std::string_view name, SourceLocation where) {
    const auto value = between(response.body, "\"" + std::string(name) + "\":\"", "\"");
    if (!value)
        fail(response, "there is no string member " + std::string(name), where);
    return *value;
}

std::string current_time(int hours_from_now) {
    const auto now = std::chrono::system_clock::now() + std::chrono::hours(hours_from_now);
    const auto seconds = std::chrono::system_clock::to_time_t(now);
    const auto milliseconds =
        std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() %
        1000;
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    char text[64];
    std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900,
                  parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                  static_cast<int>(milliseconds));
    return text;
}

} // namespace useradmin::test
