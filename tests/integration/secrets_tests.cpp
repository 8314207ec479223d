// Secrets must not be in logs, responses or the server's status, and the modules must wipe their
// copies. httpd's buffers keep what the client sent. Therefore, clients encode the secrets, and
// only the modules have the plain text. The database's client library does not wipe its memory.
#include "own_httpd.hpp"

#include "support/machine.hpp"
#include "support/memory.hpp"
#include "support/process.hpp"

#include <algorithm>
#include <random>

namespace useradmin::test {

namespace {

constexpr const char* cookie = "better-auth.session_token=";
/// The headers that contain the token of a new session.
constexpr const char* handing_out[] = {"Set-Cookie: ", "set-auth-token: "};

/// Returns a random string that is unique in memory.
std::string random_text() {
    static std::mt19937_64 random(std::random_device{}());
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                         "0123456789";
    std::string text(secret_mark);
    while (text.size() < 40)
        text += letters[random() % letters.size()];
    return text;
}

std::string from_hex(const std::string& text) {
    std::string bytes;
    for (std::size_t at = 0; at + 1 < text.size(); at += 2)
        bytes += static_cast<char>(std::stoi(text.substr(at, 2), nullptr, 16));
    return bytes;
}

/// Replaces each ASCII character with the prefix and its hexadecimal code. The prefix is "%" in
/// URLs and "\\u00" in JSON.
std::string encoded(std::string_view text, const char* prefix) {
    std::string out;
    for (const char character : text) {
        char number[3];
        std::snprintf(number, sizeof number, "%02x", static_cast<unsigned char>(character));
        if (static_cast<unsigned char>(character) < 0x80)
            out.append(prefix).append(number);
        else
            out += character;
    }
    return out;
}
std::string escape_in_json(std::string_view text) {
    return encoded(text, "\\u00");
}
/// Percent-encodes the text. Characters that are percent-encoded already stay unchanged.
std::string escape_in_url(std::string_view text) {
    const std::size_t end = std::min(text.find('%'), text.size());
    std::string out = encoded(text.substr(0, end), "%");
    constexpr std::size_t size = 3;
    if (end < text.size())
        out.append(text.substr(end, size)).append(escape_in_url(text.substr(end + size)));
    return out;
}

std::string json(const std::vector<std::pair<std::string, std::string>>& members) {
    std::string text;
    for (const auto& [name, value] : members)
        text.append(text.empty() ? "{\"" : ",\"").append(name) +=
            "\":\"" + (name == "password" ? escape_in_json(value) : value) + "\"";
    return text + "}";
}

std::string json_login(const std::string& email, const std::string& password) {
    return json({{"email", email}, {"password", password}});
}

std::string new_user(const std::string& email, const std::string& password,
                     const std::string& role = "user") {
    return json({{"name", "N"}, {"role", role}, {"email", email}, {"password", password}});
}

std::string bearer_header(const std::string& token) {
    return "Authorization: Bearer " + escape_in_url(token);
}

/// Returns the text of a response without the token of a new session.
std::string without_token(Response response) {
    std::erase_if(response.headers, [](const auto& header) {
        return header.first == "Set-Cookie" || header.first == "set-auth-token";
    });
    const std::string member = R"("token":")";
    if (const auto at = response.body.find(member); at != std::string::npos)
        response.body.erase(at, response.body.find('"', at + member.size()) - at);
    return response.text();
}

std::string text_of(const Occurrence& occurrence) {
    return occurrence.what + (occurrence.region.empty() ? "" : " in " + occurrence.region) + ": " +
           occurrence.part + "\n    " + occurrence.around + "\n";
}

} // namespace

class Secrets : public OwnHttpd {
  protected:
    void setup() override {
        OwnHttpd::setup();
        // In this test, the database is unavailable, rejects a row, and contains an unknown hash.
        for (const char* line : {"UA0", "dbd", "AH006", "AH016"})
            allow_log(line);
        make_database();
        for (const Person* person : {&sara(), &ada()})
            own_->sql().insert("user", {{"id", person->id},
                                        {"name", "N"},
                                        {"email", person->email},
                                        {"role", person->role}});
    }
    void teardown() override {
        connections_.clear();
        // Servers started in the meantime keep these connections open, too.
        own_.reset();
        OwnHttpd::teardown();
    }

    /// Registers a string to search for at the end of the test. A string that the client library
    /// has seen is searched for only in logs and responses: libpq keeps what it sent and received,
    /// and SQLite caches pages of the file.
    std::string search_for(const std::string& what, const std::string& text,
                           bool is_in_client_library = false) {
        sought_.push_back({what, text});
        if (!is_in_client_library)
            sought_in_memory_.push_back({what, text});
        return text;
    }
    std::string new_secret(const std::string& what) { return search_for(what, random_text()); }
    /// Returns a token without a session.
    std::string unknown_token(const std::string& what) {
        return search_for(what, random_text(), is_postgresql());
    }

    /// Adds a session to the table. Returns its token.
    std::string new_session(const Person& person, const std::string& what,
                            const std::string& expiry = "2999-01-01T00:00:00.000Z") {
        std::string token = search_for(what, random_text(), true);
        own_->sql().insert("session", {{"id", "session-" + std::to_string(sought_.size())},
                                       {"token", token},
                                       {"userId", person.id},
                                       {"expiresAt", expiry}});
        return token;
    }

    /// Sends the request over a connection that stays open. Otherwise, the next request would
    /// overwrite the memory of this one.
    Response send(const Request& request) {
        connections_.push_back(std::make_unique<HttpClient>(httpd_->port()));
        return connections_.back()->send(request);
    }
    /// Sends the request. Expects the status, unless it is 0.
    Response ask(int status, const Request& request, SourceLocation where = {}) {
        Response response = send(request);
        responses_ += response.text();
        if (status != 0 && response.status != status)
            fail(response, "expected status " + std::to_string(status), where);
        return response;
    }
    Response post(int status, const std::string& path, const std::string& body,
                  const std::vector<std::string>& headers = {}, SourceLocation where = {}) {
        return ask(status, {"POST", path, headers, body}, where);
    }
    /// Signs in, and registers the new token and its signature, if there is one. Returns the
    /// cookie's value.
    std::string open_session(const std::string& base, const std::string& body,
                             const std::vector<std::string>& headers = {},
                             SourceLocation where = {}) {
        const Response response = send({"POST", base + "/sign-in/email", headers, body});
        if (response.status != 200)
            fail(response, "nobody is signed in", where);
        responses_ += without_token(response);
        const std::string token =
            search_for("token of a sign-in", text_member(response, "token"), true);
        const std::string value = *between(*response.header("Set-Cookie"), cookie, ";");
        if (value != token)
            search_for("signature of a sign-in", value.substr(token.size() + 1));
        return value;
    }
    /// Returns a header with Basic authentication. The password is not searched for in memory,
    /// because mod_auth_basic does not wipe it.
    std::string basic_header(const char* address, const std::string& what,
                             const std::string& password) {
        for (const std::string& text : {password, to_base64(std::string(address) + ":" + password)})
            sought_.push_back({what, text});
        return "Authorization: Basic " + to_base64(std::string(address) + ":" + password);
    }

    /// Registers the hash of the account's password, as text and as bytes.
    void search_for_hash(const std::string& email) {
        const std::string stored = *own_->sql().value(
            "SELECT \"password\" FROM \"account\" WHERE \"accountId\" = " + sql_literal(email));
        const std::string hash = stored.substr(stored.find_last_of("$:") + 1);
        search_for("hash of " + email, hash, true);
        search_for("bytes of the hash of " + email,
                   stored.front() == '$' ? from_base64(hash) : from_hex(hash));
    }

    /// Returns the secrets in the memory of httpd's processes, except known cases that the modules
    /// cannot prevent.
    std::string secrets_in_memory() {
        std::string found;
        auto processes = children_of(httpd_->main_process());
        processes.push_back(httpd_->main_process());
        for (const pid_t process : processes)
            for (const Occurrence& occurrence : find_occurrences(process, sought_in_memory_))
                if (!is_response_of_httpd(occurrence))
                    found += text_of(occurrence);
        return found;
    }

    /// Returns whether the text is in a response's header with a new token. httpd copies headers to
    /// memory that modules cannot wipe.
    static bool is_response_of_httpd(const Occurrence& occurrence) {
        const std::string_view before =
            std::string_view(occurrence.around).substr(0, occurrence.around.find(occurrence.part));
        return std::any_of(std::begin(handing_out), std::end(handing_out), [&](const char* name) {
            const auto at = before.rfind(name);
            constexpr std::string_view line_end = "..";
            return at != before.npos && before.find(line_end, at) == before.npos;
        });
    }

    std::vector<SearchedText> sought_;
    std::vector<SearchedText> sought_in_memory_;
    std::string responses_;
    std::vector<std::unique_ptr<HttpClient>> connections_;
};

TEST_GROUP_BASE(secrets, Secrets){};

TEST(secrets, do_not_leak_and_copies_are_wiped) {
    const std::string cheap = "UserAdminPasswordHash argon2id m=64\n";
    const std::string signed_by =
        "AuthUserAdminSecret \"file:" + Suite::current().secret_file().string() + "\"\n";
    // Otherwise, the dynamic linker saves vector registers on the stack at the first call of a
    // function. They may contain copied data.
    environment_ = {{"LD_BIND_NOW", "1"}};
    start("LogLevel debug useradmin:trace8 auth_useradmin:trace8\n"
          // Otherwise, only root could read the children's memory.
          "CoreDumpDirectory \"${WORK}\"\n"
          "KeepAliveTimeout 60\nExtendedStatus On\nUserAdminHashQueue 32\n"
          "<IfModule !mpm_prefork_module>\n  ThreadLimit 48\n  ThreadsPerChild 48\n"
          "  MaxRequestWorkers 96\n  MaxSpareThreads 96\n</IfModule>\n"
          "<IfModule mpm_prefork_module>\n  ServerLimit 96\n  MaxRequestWorkers 96\n"
          "</IfModule>\n"
          "<Location \"/server-status\">\n  SetHandler server-status\n"
          "  Require all granted\n</Location>\n"
          "<Location \"/basic/users\">\n  UserAdmin On\n  AuthType Basic\n  AuthName x\n"
          "  AuthBasicProvider useradmin\n  AuthUserAdminSignInLimit 1000000\n"
          "  Require valid-user\n" +
              cheap + "</Location>\n" + location("/api/users", "AuthUserAdmin On\n" + cheap) +
              location("/cached/users", "AuthUserAdmin On\nAuthUserAdminCache 60\n") +
              location("/scrypt/users", "AuthUserAdmin On\nUserAdminPasswordHash scrypt") +
              location("/signed/users", "AuthUserAdmin On\n" + signed_by) +
              sign_in("/api/auth", cheap) + sign_in("/signed/auth", signed_by + cheap) +
              sign_in("/limited/auth", cheap + "AuthUserAdminSignInLimit 1\n"),
          {"mod_status.so", "mod_auth_basic.so", "mod_authz_user.so"});
    const std::string form = "Content-Type: application/x-www-form-urlencoded";

    const std::string sara_token = new_session(sara(), "token of Sara");
    const std::string ada_token = new_session(ada(), "token of Ada");
    const auto by_sara = bearer_header(sara_token);
    const std::string password = new_secret("password of Eva");
    post(200, "/api/users", new_user(eva, password), {by_sara});
    const std::string odd_password = new_secret("password of Odile") + "\xef\xac\x81";
    post(200, "/scrypt/users", new_user("odile@example.org", odd_password), {by_sara});
    post(400, "/api/users", new_user(eva, new_secret("password for a taken address")), {by_sara});
    post(403, "/api/users",
         new_user("b@example.org", new_secret("password of a create by Ada"), "admin"),
         {bearer_header(ada_token)});
    post(400, "/api/users", json({{"password", new_secret("password without a name")}}), {by_sara});
    post(500, "/api/users", R"({"password":")" + escape_in_json(new_secret("password in no JSON")),
         {by_sara});
    ask(500, {"PUT",
              "/api/users/" + ada().id,
              {by_sara},
              "{\"banned\":3,\"password\":\"" +
                  escape_in_json(new_secret("password of an update")) + "\"}"});
    ask(200, {"PUT",
              "/api/users/" + ada().id,
              {by_sara},
              json({{"name", "A"}, {"password", new_secret("password that an update ignores")}})});
    ask(200, {"GET", "/api/users", {by_sara}});
    ask(200, {"GET", "/cached/users", {by_sara}});
    ask(200, {"GET", "/cached/users", {by_sara}});
    ask(200,
        {"GET", "/api/users", {"Cookie: a=b; " + std::string(cookie) + escape_in_url(ada_token)}});
    ask(401, {"GET",
              "/api/users",
              {bearer_header(
                  new_session(ada(), "token that has expired", "2020-01-01T00:00:00.000Z"))}});
    ask(401, {"GET", "/signed/users", {bearer_header(sara_token)}});
    const std::string forged = new_secret("forged signature");
    ask(401, {"GET", "/signed/users", {bearer_header(sara_token + "." + forged)}});
    const std::string bearer_value = open_session("/api/auth", json_login(eva, password));
    open_session("/api/auth", "email=" + std::string(eva) + "&password=" + escape_in_url(password),
                 {form});
    open_session("/api/auth", json_login("odile@example.org", odd_password));
    const std::string signed_value = open_session("/signed/auth", json_login(eva, password));
    ask(403,
        {"GET", "/signed/users", {"Cookie: " + std::string(cookie) + escape_in_url(signed_value)}});
    const Response session =
        send({"GET",
              "/signed/auth/get-session",
              {"Cookie: " + std::string(cookie) + escape_in_url(signed_value)}});
    CHECK_EQUAL(200, session.status);
    responses_ += without_token(session);
    post(200, "/signed/auth/sign-out", "{}",
         {"Cookie: " + std::string(cookie) + escape_in_url(signed_value),
          "Origin: http://127.0.0.1:" + std::to_string(httpd_->port())});
    post(200, "/api/auth/sign-out", "{}", {bearer_header(bearer_value)});
    const std::string in = "/api/auth/sign-in/email";
    post(401, in, json_login(eva, new_secret("wrong password")));
    post(401, in, json_login("nobody@example.org", new_secret("password of nobody")));
    post(400, in,
         "{\"password\":\"" + escape_in_json(new_secret("password of a sign-in in no JSON")) +
             "\"");
    post(400, in, json({{"password", new_secret("password of a sign-in without address")}}));
    post(400, in, "password=" + escape_in_url(new_secret("password of a form without address")),
         {form});
    post(415, in, json_login(eva, new_secret("password of no known type")),
         {"Content-Type: text/plain"});
    post(401, "/limited/auth/sign-in/email",
         json_login("l@example.org", new_secret("password before the limit")));
    post(429, "/limited/auth/sign-in/email",
         json_login("l@example.org", new_secret("password over the limit")));
    const std::string unknown_hash = search_for("hash of no known format", random_text(), true);
    own_->sql().run("UPDATE \"account\" SET \"password\" = " + sql_literal(unknown_hash) +
                    " WHERE \"accountId\" = 'odile@example.org'");
    post(401, in, json_login("odile@example.org", new_secret("password for an unknown hash")));
    // Basic authentication.
    const char* const bea = "bea@example.org";
    const std::string password_of_bea = random_text();
    const auto of_bea = basic_header(bea, "password of Basic", password_of_bea);
    post(200, "/api/users", new_user(bea, password_of_bea), {by_sara});
    ask(403, {"GET", "/basic/users", {of_bea}});
    ask(401,
        {"GET", "/basic/users", {basic_header(bea, "wrong password of Basic", random_text())}});

    search_for_hash(eva);
    // A database outage.
    own_->make_unavailable();
    const int unavailable = is_postgresql() ? 503 : 0;
    const std::string in_vain = bearer_header(unknown_token("token while the database is away"));
    ask(unavailable, {"GET", "/api/users", {in_vain}});
    post(unavailable, in, json_login(eva, new_secret("password while nobody can look")));
    post(unavailable, "/api/users", new_user(eva, new_secret("password of a create in vain")),
         {in_vain});
    ask(is_postgresql() ? 500 : 0,
        {"GET", "/basic/users", {basic_header(bea, "Basic while nobody can look", random_text())}});
    own_->make_available();
    ask(200, {"GET", "/api/users", {by_sara}});

    responses_ += send({"GET", "/server-status", {}, {}}).body;
    responses_ += send({"GET", "/server-status?auto", {}, {}}).body;
    // Must be last, because later requests would overwrite the memory: bodies that are not read
    // completely.
    post(413, "/api/users",
         new_user("c@example.org", new_secret("password of a large body")) +
             std::string(70000, ' '),
         {by_sara});
    post(403, "/api/users", new_user("d@example.org", new_secret("password from another site")),
         {by_sara, "Origin: https://evil.test"});
    post(401, "/api/users",
         new_user("a@example.org", new_secret("password of a create by nobody")));
    ask(401, {"GET", "/api/users", {bearer_header(unknown_token("token of nobody"))}});

    if (machine::sanitizer_environment().empty()) {
        std::string left;
        // A thread may still be processing its request.
        eventually([&] { return (left = secrets_in_memory()).empty(); });
        CHECK_EQUAL(std::string(), left);
    }
    search_for("secret of the configuration", std::string(secret));
    for (const Occurrence& occurrence : find_occurrences(responses_, sought_))
        FAIL(("in a response: " + text_of(occurrence)).c_str());
    std::string logs = LogWatch::instance().lines();
    for (const std::string& line : httpd_->access_log())
        logs += line + "\n";
    for (const Occurrence& occurrence : find_occurrences(logs, sought_))
        FAIL(("in a log: " + text_of(occurrence)).c_str());
}

} // namespace useradmin::test
