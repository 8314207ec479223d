// The configurations in conf/recipes, included unchanged.
#include "own_httpd.hpp"

#include "support/certificates.hpp"
#include "support/identity_provider.hpp"
#include "support/machine.hpp"
#include "support/ports.hpp"
#include "support/process.hpp"

#include <sys/stat.h>
#include <unistd.h>

namespace useradmin::test {

class Recipes : public OwnHttpd {
  protected:
    void teardown() override {
        outside_.reset();
        OwnHttpd::teardown();
    }

    static std::string include(const std::string& name) {
        return "Include \"" + machine::source("conf/recipes/" + name).string() + "\"\n";
    }
    static std::string define(const std::string& name, const std::string& value) {
        return "Define " + name + " \"" + value + "\"\n";
    }

    /// Creates a file with a secret that only its owner may read. Returns its name in the syntax of
    /// AuthUserAdminSecret.
    static std::string secret_file(const std::string& name, const std::string& text) {
        const auto file = Suite::current().work().path() / (name + ".secret");
        write_file(file, text + "\n");
        using std::filesystem::perms;
        std::filesystem::permissions(file, perms::owner_read | perms::owner_write);
        return "file:" + file.string();
    }

    /// Adds the superAdmin sara-1 with this name, and a session, to a PostgreSQL database.
    static void add_super_admin(Database& database, const std::string& name) {
        database.insert("user", {{"id", "sara-1"},
                                 {"name", name},
                                 {"email", "sara@example.org"},
                                 {"role", "superAdmin"}});
        database.insert("session", {{"id", "s"},
                                    {"token", token_of(Caller::super_admin)},
                                    {"userId", "sara-1"},
                                    {"expiresAt", "2999-01-01"}});
    }

    /// Returns the cookies that a response sets, in a Cookie header.
    static std::string cookies_of(const Response& response) {
        std::string cookies;
        for (const auto& [name, value] : response.headers)
            if (name == "Set-Cookie")
                cookies += (cookies.empty() ? "Cookie: " : "; ") + value.substr(0, value.find(';'));
        return cookies;
    }

    /// Starts the service and a proxy in front of it.
    void start_behind_proxy() {
        start(include("proxy-inside.conf") + location("/api/users", "AuthUserAdmin On") +
                  "UserAdminPasswordHash argon2id m=64\n<Location \"/api/auth\">\n"
                  "AuthUserAdminSignIn On\nAuthUserAdminSignInLimit 1 1000\n"
                  "Require all granted\n</Location>\n",
              {"mod_remoteip.so"});
        auto settings = Suite::current().settings(
            define("USERADMIN_INSIDE", "http://127.0.0.1:" + std::to_string(httpd_->port())) +
            include("proxy-outside.conf") +
            // Clients can have arbitrary addresses.
            "RemoteIPHeader X-Client\nRemoteIPInternalProxy 127.0.0.1\n");
        settings.modules = {"mod_proxy.so", "mod_proxy_http.so", "mod_remoteip.so"};
        outside_ = std::make_unique<Httpd>(Suite::current().work(), settings);
    }
    Response send_to_proxy(const Request& request) const {
        return HttpClient(outside_->port()).send(request);
    }
    /// Tries to sign in to an unknown account, a different one each time. Returns the status.
    int fail_sign_in_from(const std::string& client) {
        return send_to_proxy({"POST",
                              "/api/auth/sign-in/email",
                              {"X-Client: " + client},
                              R"({"email":"nobody)" + std::to_string(++attempts_) +
                                  R"(@example.org","password":"s3cr3t"})"})
            .status;
    }

    int attempts_ = 0;
    std::unique_ptr<Httpd> outside_;
};

TEST_GROUP_BASE(recipes, Recipes){};
TEST_GROUP_BASE(postgresql_recipes, Recipes){};

TEST(recipes, behind_a_proxy_only_the_public_origin_is_accepted) {
    start_behind_proxy();
    const auto change = [&](const std::string& origin) {
        return send_to_proxy(
            {"PUT",
             "/api/users/ulises-1",
             {bearer(Caller::super_admin), "Host: app.example.com", "Origin: " + origin},
             R"({"name":"Ulises"})"});
    };
    expect_success(change("https://app.example.com"));
    expect_error(change("https://evil.example.com"), 403, "Origen no permitido");
}

TEST(recipes, behind_a_proxy_an_encoded_id_arrives_unchanged) {
    start_behind_proxy();
    for (const char* id : {"a b", "a/b", "50%", "ñ"}) {
        add_user({id, "N", std::string(percent_encoded(id)) + "@example.org", "user",
                  "2026-01-01T00:00:00.000Z"});
        expect_success(send_to_proxy(
            {"GET", "/api/users/" + percent_encoded(id), {bearer(Caller::super_admin)}}));
    }
}

TEST(recipes, behind_a_TLS_proxy_the_session_cookie_is_Secure) {
    start_behind_proxy();
    expect_success(send_to_proxy(
        {"POST", "/api/users", {bearer(Caller::super_admin)}, user_json(eva, "admin")}));
    const Response response =
        send_to_proxy({"POST", "/api/auth/sign-in/email", {}, sign_in_body(eva, right_password)});
    CHECK_EQUAL(200, response.status);
    const std::string cookie = response.header("Set-Cookie").value_or("");
    CHECK_TEXT(cookie.starts_with("__Secure-better-auth.session_token="), cookie.c_str());
    CHECK_TEXT(cookie.find("; Secure") != std::string::npos, cookie.c_str());
    expect_success(send_to_proxy({"GET", "/api/users", {cookies_of(response)}}));
}

TEST(recipes, behind_a_proxy_failed_attempts_are_counted_for_each_client) {
    expect_log("UA0305");
    start_behind_proxy();
    for (int attempt = 0; attempt < 3; ++attempt)
        CHECK_EQUAL(401, fail_sign_in_from("192.0.2.1"));
    CHECK_EQUAL(429, fail_sign_in_from("192.0.2.1"));
    CHECK_EQUAL(401, fail_sign_in_from("192.0.2.2"));
}

TEST(recipes, client_certificates_name_the_caller_and_the_role) {
    // mod_http2 warns if the MPM is prefork.
    if (Suite::current().mpm() == "prefork")
        return;
    const Certificates certificates(Suite::current().work(), "certificates");
    const auto file = [&](const std::string& name) { return certificates.file(name); };
    certificates.make("server", "/CN=localhost",
                      {"-addext", "subjectAltName=IP:127.0.0.1", "-addext",
                       "basicConstraints=critical,CA:FALSE"});
    certificates.make("authority", "/CN=Clients");
    const auto make_client = [&](const std::string& name, const std::string& subject) {
        certificates.make(name, subject, Certificates::signed_by("authority", certificates));
        return Tls{file("server.crt"), file(name + ".crt"), file(name + ".key")};
    };
    const Tls super_admin = make_client("superior", "/UID=sara-1/OU=superAdmin/CN=Sara");
    const Tls plain_user = make_client("simple", "/UID=ulises-1/OU=clerks/CN=Ulises");
    certificates.make("stranger", "/UID=sara-1/OU=superAdmin/CN=Sara");
    allow_log("AH01873"); // no SSLSessionCache
    allow_log("AH01882"); // mod_ssl was built with a newer OpenSSL
    const auto start_with = [&](const std::string& directives = {}) {
        start(define("USERADMIN_PORT", "${PORT}") +
                  define("USERADMIN_CERTIFICATE", file("server.crt")) +
                  define("USERADMIN_CERTIFICATE_KEY", file("server.key")) +
                  define("USERADMIN_CLIENT_AUTHORITY", file("authority.crt")) + directives +
                  include("client-certificates.conf"),
              {"mod_ssl.so", "mod_http2.so"});
    };
    start_with();
    const auto request_over = [](const Tls& tls, const std::string& path) {
        Request made{"GET", path};
        made.tls = tls;
        return made;
    };
    HttpClient client(httpd_->port());
    const Response list = client.send(request_over(super_admin, "/api/users"));
    expect_success(list);
    CHECK(list.is_http2);
    expect_success(
        HttpClient(httpd_->port()).send(request_over(plain_user, "/api/users/ulises-1")));
    expect_error(HttpClient(httpd_->port()).send(request_over(plain_user, "/api/users")), 403,
                 "No tienes permisos para ver usuarios");
    // A certificate for the same name from an untrusted authority, and no certificate.
    const Tls stranger = {file("server.crt"), file("stranger.crt"), file("stranger.key")};
    for (const Tls& rejected : {stranger, Tls{file("server.crt")}})
        CHECK(!HttpClient(httpd_->port()).try_send(request_over(rejected, "/api/users")));
    // A list of revoked certificates.
    certificates.revoke("authority", "simple", "revoked.pem");
    start_with(define("USERADMIN_REVOKED_CLIENTS", file("revoked.pem")));
    expect_success(HttpClient(httpd_->port()).send(request_over(super_admin, "/api/users")));
    CHECK(!HttpClient(httpd_->port()).try_send(request_over(plain_user, "/api/users/ulises-1")));
}

TEST(postgresql_recipes, two_applications_have_their_own_users_and_secrets) {
    TestDatabase club(Suite::current().work(), Kind::postgresql, "club");
    const auto create_secret = [](const std::string& name) {
        return secret_file(name, "the s3cr3t of the " + name);
    };
    auto settings = Suite::current().settings(
        define("USERADMIN_PORT", "${PORT}") + define("SHOP_HOST", "shop.example.com") +
        define("SHOP_DATABASE", Suite::current().database().params()) +
        define("SHOP_SECRET", create_secret("shop")) + define("CLUB_HOST", "club.example.com") +
        define("CLUB_DATABASE", club.params()) + define("CLUB_SECRET", create_secret("club")) +
        include("two-applications.conf"));
    httpd_ = std::make_unique<Httpd>(Suite::current().work(), settings);
    add_super_admin(club.sql(), "Socia");
    const auto list_at = [&](const std::string& host, const std::string& secret) {
        return HttpClient(httpd_->port())
            .send({"GET",
                   "/api/users/sara-1",
                   {"Host: " + host + ".example.com",
                    "Authorization: Bearer " + signed_token(token_of(Caller::super_admin),
                                                            "the s3cr3t of the " + secret)}});
    };
    CHECK_EQUAL(std::string("Sara"), text_member(list_at("shop", "shop"), "name"));
    CHECK_EQUAL(std::string("Socia"), text_member(list_at("club", "club"), "name"));
    expect_error(list_at("shop", "club"), 401, "No autorizado");
    expect_error(list_at("club", "shop"), 401, "No autorizado");
    // The password hash and the account id have the format of better-auth.
    const auto create_in = [&](const std::string& name, TestDatabase& database) {
        expect_success(
            HttpClient(httpd_->port())
                .send({"POST",
                       "/api/users",
                       {"Host: " + name + ".example.com",
                        "Authorization: Bearer " + signed_token(token_of(Caller::super_admin),
                                                                "the s3cr3t of the " + name)},
                       R"({"name":"Eva","email":"Eva@Example.org","password":"s3cr3t of eva",)"
                       R"("role":"user"})"}));
        CHECK_EQUAL(1, database.sql().number(
                           "SELECT count(*) FROM \"user\" u JOIN \"account\" a ON a.\"userId\" = "
                           "u.\"id\" AND a.\"accountId\" = u.\"id\" WHERE u.\"email\" = "
                           "'eva@example.org' AND a.\"password\" NOT LIKE '$argon2%'"));
    };
    create_in("shop", Suite::current().database());
    create_in("club", club);
}

TEST(recipes, secret_rotation_accepts_both_secrets_and_signs_with_the_first) {
    const std::string before = "the s3cr3t of before";
    const std::string after = "the s3cr3t of thereafter";
    const std::string file_before = secret_file("before", before);
    const std::string file_after = secret_file("after", after);
    const auto step = Suite::current().work().path() / "rotation-step.conf";
    const auto write_step = [&](const std::string& first, const std::string& other) {
        write_file(step, define("USERADMIN_SECRET", first) +
                             define("USERADMIN_OTHER_SECRET", other) +
                             include("secret-rotation.conf"));
    };
    const auto status_with = [&](const std::string& secret) {
        return client_
            ->send(
                {"GET",
                 "/api/users/sara-1",
                 {"Authorization: Bearer " + signed_token(token_of(Caller::super_admin), secret)}})
            .status;
    };
    /// Returns whether the cookie of a new session is signed with this secret.
    const auto signs_with = [&](const std::string& secret) {
        const Response response = client_->send(
            {"POST", "/api/auth/sign-in/email", {}, sign_in_body(eva, right_password)});
        CHECK_EQUAL(200, response.status);
        const std::string value = signed_token(text_member(response, "token"), secret);
        return response.header("Set-Cookie")
            .value_or("")
            .starts_with("better-auth.session_token=" + component_encoded(value) + ";");
    };

    write_step(file_before, file_after);
    start("UserAdminPasswordHash argon2id m=64\nInclude \"" + step.string() + "\"\n" +
          location("/api/users", "AuthUserAdmin On") + sign_in("/api/auth", ""));
    expect_success(client_->send(
        {"POST",
         "/api/users",
         {"Authorization: Bearer " + signed_token(token_of(Caller::super_admin), before)},
         user_json(eva)}));
    CHECK_EQUAL(200, status_with(before));
    CHECK_EQUAL(200, status_with(after));
    CHECK(signs_with(before));
    CHECK_EQUAL(401, status_with("a s3cr3t of neither"));

    // An old child may still accept connections.
    const auto eventually_after_restart = [&](const auto& condition) {
        httpd_->restart_gracefully();
        return eventually([&] {
            client_ = std::make_unique<HttpClient>(httpd_->port());
            return condition();
        });
    };
    write_step(file_after, file_before);
    CHECK(eventually_after_restart([&] { return signs_with(after); }));
    CHECK_EQUAL(200, status_with(before));
    CHECK_EQUAL(200, status_with(after));

    write_file(step, "AuthUserAdminSecret \"" + file_after + "\"\n");
    CHECK(eventually_after_restart([&] { return status_with(before) == 401; }));
    CHECK_EQUAL(200, status_with(after));
}

TEST(recipes, form_sessions_end_with_sign_out_or_a_new_password) {
    if (!Suite::current().is_event_without_sanitizers())
        return;
    expect_log("AH01807"); // mod_auth_form: a wrong password
    expect_log("AH01842"); // mod_session_crypto: cannot decrypt a cookie
    expect_log("AH01817"); // mod_session: cannot load the session
    const auto passphrase = Suite::current().work().path() / "form.passphrase";
    write_file(passphrase, "the s3cr3t of the form\n");
    start(define("USERADMIN_PASSPHRASE_FILE", passphrase.string()) +
              define("USERADMIN_SIGN_IN_PAGE", "/welcome.html") +
              define("USERADMIN_FIRST_PAGE", "/users.html") +
              "UserAdminPasswordHash argon2id m=64\n" + include("form-sign-in.conf") +
              location("/make/users", as_sara),
          {"mod_authz_user.so", "mod_request.so", "mod_session.so", "mod_session_cookie.so",
           "mod_session_crypto.so", "mod_auth_form.so"});
    const std::string id =
        text_member(client_->send({"POST", "/make/users", {}, user_json(eva, "admin")}), "id");
    const auto sign_in = [&](const std::string& password) {
        Response response =
            client_->send({"POST",
                           "/sign-in",
                           {"Content-Type: application/x-www-form-urlencoded"},
                           "httpd_username=eva%40example.org&httpd_password=" + password});
        CHECK_EQUAL(302, response.status);
        CHECK_TEXT(!contains_secret(response.text()), response.text().c_str());
        return response;
    };
    const auto request_with = [&](const std::vector<std::string>& headers,
                                  const char* method = "GET",
                                  const std::optional<std::string>& body = {}) {
        Response response = client_->send({method, "/api/users", headers, body});
        check_response(response);
        return response;
    };

    expect_error(request_with({}), 401, "No autorizado");
    expect_error(request_with({}, "POST", R"({"name":"N"})"), 401, "No autorizado");
    const Response rejected = sign_in("s3cr3t+of+evo");
    CHECK(rejected.header("Location").value_or("").ends_with("/welcome.html?failed"));
    const Response welcome = sign_in("s3cr3t+of+eva");
    CHECK(welcome.header("Location").value_or("").ends_with("/users.html"));
    CHECK(
        welcome.header("Set-Cookie").value_or("").ends_with("path=/;HttpOnly;Secure;SameSite=Lax"));
    const std::string cookie = cookies_of(welcome);
    expect_success(request_with({cookie}));
    // The caller is Eva, who is an admin.
    expect_success(client_->send({"GET", "/api/users/" + id, {cookie}}));
    // Other sites neither sign users in nor choose where they are redirected.
    const auto post_form = [&](const std::string& path, const std::string& site) {
        return client_->send(
            {"POST",
             path,
             {"Content-Type: application/x-www-form-urlencoded", "Sec-Fetch-Site: " + site},
             "httpd_location=https%3A%2F%2Fevil.example&httpd_username=eva%40example.org&"
             "httpd_password=s3cr3t+of+eva&httpd_location=https%3A%2F%2Fevil.example"});
    };
    expect_log("AH01630"); // client denied by server configuration
    for (const char* const site : {"cross-site", "same-site"}) {
        const Response forbidden = post_form("/sign-in", site);
        CHECK_EQUAL(403, forbidden.status);
        expect_error(request_with({cookies_of(forbidden)}), 401, "No autorizado");
    }
    CHECK(post_form("/sign-in", "same-origin")
              .header("Location")
              .value_or("")
              .ends_with("/users.html"));
    const Response unauthorized = post_form("/api/users", "same-origin");
    CHECK_EQUAL(401, unauthorized.status);
    expect_error(request_with({cookies_of(unauthorized)}), 401, "No autorizado");
    CHECK_FALSE(unauthorized.header("Location").has_value());
    sql().run("UPDATE \"user\" SET \"role\" = 'user' WHERE \"email\" = 'eva@example.org'");
    expect_error(request_with({cookie}), 403, "No tienes permisos para ver usuarios");
    expect_success(client_->send({"GET", "/api/users/" + id, {cookie}}));
    expect_error(request_with({"Cookie: useradmin-form=" + cookie.substr(cookie.size() / 2)}), 401,
                 "No autorizado");

    const Response out = client_->send({"GET", "/sign-out", {cookie}});
    CHECK_EQUAL(307, out.status);
    CHECK(out.header("Location").value_or("").ends_with("/welcome.html"));
    expect_error(request_with({cookies_of(out)}), 401, "No autorizado");
    expect_success(
        client_->send({"PUT", "/make/users/" + id, {}, R"({"banned":true,"banReason":"none"})"}));
    expect_error(request_with({cookie}), 401, "No autorizado");
}

TEST(recipes, OpenID_Connect_claims_name_the_caller_and_the_role) {
    if (!Suite::current().is_event_without_sanitizers())
        return;
    allow_log("[auth_openidc:warn]");
    expect_log("[auth_openidc:error]");
    IdentityProvider provider(Suite::current().work());
    start(define("USERADMIN_PROVIDER", provider.issuer()) +
              define("USERADMIN_CLIENT_ID", "useradmin") +
              define("USERADMIN_CLIENT_SECRET", "the s3cr3t of the client") +
              define("USERADMIN_PASSPHRASE", "the s3cr3t of the cookies") +
              define("USERADMIN_ID_CLAIM", "sub") + define("USERADMIN_ROLE_CLAIM", "role") +
              include("openid-connect.conf"),
          {"mod_authz_user.so", "mod_auth_openidc.so"});
    const auto get_with = [&](const std::string& cookie, const std::string& path) {
        Response response = client_->send({"GET", path, {cookie}});
        check_response(response);
        return response;
    };
    /// Signs in like a browser: requests the page, is redirected to the provider, and returns with
    /// its code. claims: the claims of the ID token.
    const auto return_from_provider = [&](const std::string& claims, IdentityProvider::Key key) {
        const Response away = client_->send({"GET", "/admin/"});
        const std::string to = away.header("Location").value_or("");
        CHECK_TEXT(to.starts_with(provider.issuer() + "/authorize?"), away.text().c_str());
        const auto query_parameter = [&](const std::string& name) {
            return between(to + "&", "&" + name + "=", "&").value_or("");
        };
        provider.issue_tokens("useradmin",
                              R"("nonce":")" + query_parameter("nonce") + "\"," + claims, key);
        return client_->send(
            {"GET", "/oidc/callback?code=c&state=" + query_parameter("state"), {cookies_of(away)}});
    };
    const auto sign_in = [&](const std::string& claims) {
        const Response back = return_from_provider(claims, IdentityProvider::Key::published);
        CHECK_TEXT(back.header("Location").value_or("").ends_with("/admin/"), back.text().c_str());
        return cookies_of(back);
    };

    expect_error(get_with("", "/api/users"), 401, "No autorizado");
    // Headers that a client sends are not claims.
    expect_error(get_with("OIDC_CLAIM_sub: sara-1", "/api/users"), 401, "No autorizado");
    const std::string super_admin = sign_in(R"("sub":"sara-1","role":"superAdmin")");
    expect_success(get_with(super_admin, "/api/users"));
    const std::string plain_user = sign_in(R"("sub":"ulises-1")");
    expect_success(get_with(plain_user, "/api/users/ulises-1"));
    expect_error(get_with(plain_user, "/api/users"), 403, "No tienes permisos para ver usuarios");
    const std::string several = sign_in(R"("sub":"sara-1","role":["admin","superAdmin"])");
    expect_error(get_with(several, "/api/users"), 403, "No tienes permisos para ver usuarios");
    // The service rejects tokens that the provider has not signed.
    const Response forged = return_from_provider(R"("sub":"sara-1","role":"superAdmin")",
                                                 IdentityProvider::Key::another);
    CHECK_TEXT(!forged.header("Location").has_value(), forged.text().c_str());
    expect_error(get_with(cookies_of(forged), "/api/users"), 401, "No autorizado");
}

TEST(postgresql_recipes, PostgreSQL_over_TLS_requires_both_certificates) {
    if (!Suite::current().is_event_without_sanitizers())
        return;
    const Certificates server(Suite::current().work(), "database-server");
    const Certificates client(Suite::current().work(), "database-client");
    const Certificates stranger(Suite::current().work(), "database-stranger");
    server.make("root", "/CN=Clients");
    client.make("root", "/CN=Servers");
    stranger.make("root", "/CN=Others");
    auto for_localhost = Certificates::signed_by("root", client);
    for_localhost.insert(for_localhost.end(), {"-addext", "subjectAltName=DNS:localhost"});
    server.make("server", "/CN=localhost", for_localhost);
    client.make("client", "/CN=useradmin", Certificates::signed_by("root", server));
    stranger.make("client", "/CN=useradmin", Certificates::signed_by("root", stranger));
    write_file(server.file("pg_hba.conf"), "local all all trust\n"
                                           "hostssl all useradmin 127.0.0.1/32 cert\n");
    if (running_as_root()) {
        Account::first_of({"postgres"})->take_ownership(server.folder());
        // The owner and mode in the recipe.
        for (const Certificates* each : {&client, &stranger}) {
            const std::string key = each->file("client.key");
            CHECK_EQUAL(0, chown(key.c_str(), 0, Httpd::account()->group_id));
            CHECK_EQUAL(0, chmod(key.c_str(), S_IRUSR | S_IWUSR | S_IRGRP));
        }
    }
    const std::string port = "port=" + std::to_string(free_port());
    TestDatabase database(
        Suite::current().work(), Kind::postgresql, "over-tls",
        {port, "listen_addresses=127.0.0.1", "ssl=on", "ssl_cert_file=" + server.file("server.crt"),
         "ssl_key_file=" + server.file("server.key"), "ssl_ca_file=" + server.file("root.crt"),
         "hba_file=" + server.file("pg_hba.conf")});
    const auto list_from = [&](const std::string& host, const std::string& files) {
        stop();
        httpd_ = std::make_unique<Httpd>(
            Suite::current().work(),
            Suite::current().settings(
                define("USERADMIN_DATABASE", "host=" + host + " hostaddr=127.0.0.1 " + port +
                                                 " dbname=postgres user=useradmin") +
                define("USERADMIN_DATABASE_FILES", files) + include("postgresql-tls.conf") +
                location("/api/users", as_sara)));
        client_ = std::make_unique<HttpClient>(httpd_->port());
        return client_->send({"GET", "/api/users"});
    };

    expect_success(list_from("localhost", client.folder()));
    CHECK(database.sql().number("SELECT count(*) FROM pg_stat_ssl WHERE ssl AND client_dn = "
                                "'/CN=useradmin'") > 0);
    expect_log("certificate verify failed"); // libpq rejects the server's certificate
    expect_log("does not match host name");
    expect_log("UA0202");
    expect_log("AH02655"); // mod_dbd: no connection
    const auto expect_no_connection = [&](const std::string& host, const std::string& files) {
        expect_error(list_from(host, files), 503, "Servicio no disponible temporalmente");
    };
    // The first client does not trust the server's certificate. The second client expects another
    // host name.
    expect_no_connection("localhost", stranger.folder());
    expect_no_connection("db.example.com", client.folder());
    // The server does not trust this client.
    std::filesystem::copy_file(client.file("root.crt"), stranger.file("root.crt"),
                               std::filesystem::copy_options::overwrite_existing);
    expect_log("alert unknown ca");
    expect_no_connection("localhost", stranger.folder());
}

TEST(postgresql_recipes, a_standby_shows_its_data_age_and_rejects_changes) {
    if (!Suite::current().is_event_without_sanitizers())
        return;
    TestDatabase primary(Suite::current().work(), Kind::postgresql, "read-primary");
    add_super_admin(primary.sql(), "Sara");
    const PostgreSql standby(Suite::current().work(), "read-standby", primary.server());
    start(define("STANDBY_DATABASE", standby.params()) +
              define("STANDBY_SECRET", secret_file("standby", "the s3cr3t of the app")) +
              define("STANDBY_SIGN_IN", "/sign-in") + include("standby.conf"),
          {"mod_authz_host.so"});
    const auto send_signed = [&](const std::string& method, const std::string& path,
                                 const std::string& body = {}) {
        return client_->send(
            {method,
             path,
             {"Authorization: Bearer " +
              signed_token(token_of(Caller::super_admin), "the s3cr3t of the app")},
             body});
    };
    const auto warning_of = [&](const std::string& path) {
        const Response response = send_signed("GET", path);
        expect_success(response);
        return response.value("Warning");
    };
    const std::string before = warning_of("/api/users");
    CHECK_TEXT(before.starts_with("110 - \"Read from a standby; the last change that it has "
                                  "received dates from 20"),
               before.c_str());
    primary.sql().run("UPDATE \"user\" SET \"name\" = 'Sara Antigua'");
    CHECK(eventually([&] {
        return text_member(send_signed("GET", "/api/users/sara-1"), "name") == "Sara Antigua";
    }));
    CHECK(warning_of("/api/users/sara-1") > before);
    allow_log("UA0108");
    expect_error(send_signed("PUT", "/api/users/sara-1", R"({"name":"Otra"})"), 503,
                 "Servicio no disponible temporalmente");
    CHECK_EQUAL(200, send_signed("GET", "/health").status);
}

TEST(postgresql_recipes, limits_return_408_and_413) {
    if (!Suite::current().is_event_without_sanitizers())
        return;
    start(define("USERADMIN_HEADER_TIME", "1") + define("USERADMIN_BODY_TIME", "1") +
              define("USERADMIN_LARGEST_BODY", "100") + include("request-limits.conf") +
              "UserAdminBodyTimeout 300\n" + location("/api/users", as_sara),
          {"mod_reqtimeout.so"});
    const auto response_to = [&](const std::string& bytes) {
        const RawConnection connection(httpd_->port());
        CHECK(connection.send(bytes));
        return parse_response(connection.receive_all());
    };
    const std::string head = "POST /api/users HTTP/1.1\r\nHost: localhost\r\n";
    CHECK_EQUAL(408, response_to(head + "Content-Ty").status);
    for (const char* headers :
         {"Content-Length: 50\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n1"}) {
        const Response late = response_to(head + headers);
        check_response(late);
        expect_error(late, 408, "Tiempo de espera agotado");
    }
    const auto create_with = [&](std::size_t size) {
        Response response = client_->send({"POST", "/api/users", {}, std::string(size, ' ')});
        check_response(response);
        return response;
    };
    expect_error(create_with(101), 413, "El cuerpo de la petición es demasiado grande");
    CHECK_EQUAL(500, create_with(100).status); // not JSON
}

TEST(postgresql_recipes, fail2ban_matches_only_attackers) {
    if (!Suite::current().is_event_without_sanitizers())
        return;
    const std::string signed_by =
        "AuthUserAdminSecret \"file:" + Suite::current().secret_file().string() + "\"\n";
    start("Protocols h2c http/1.1\nRemoteIPHeader X-Client\nRemoteIPInternalProxy 127.0.0.1\n"
          "UserAdminPasswordHash argon2id m=64\n" +
              signed_by + location("/make/users", as_sara) +
              location("/api/users", "AuthUserAdmin On") +
              sign_in("/api/auth", "AuthUserAdminSignInLimit 10"),
          {"mod_remoteip.so", "mod_http2.so"});
    expect_log("UA0305");
    expect_success(client_->send({"POST", "/make/users", {}, user_json(eva)}));
    const auto sign_in_from = [&](const std::string& address, const std::string& email,
                                  const std::string& password) {
        return client_
            ->send({"POST",
                    "/api/auth/sign-in/email",
                    {"X-Client: " + address},
                    sign_in_body(email, password)})
            .status;
    };
    const auto list_from = [&](const std::string& address, const std::string& token,
                               bool is_http2 = false) {
        Request request{
            "GET", "/api/users", {"X-Client: " + address, "Authorization: Bearer " + token}};
        request.is_http2 = is_http2;
        return HttpClient(httpd_->port()).send(request).status;
    };
    const std::string token = token_of(Caller::super_admin);
    CHECK_EQUAL(401, sign_in_from("192.0.2.1", "eva@example.org", "s3cr3t of evo"));
    CHECK_EQUAL(401, sign_in_from("2001:db8::2", "o'failed@example.org", "s3cr3t"));
    CHECK_EQUAL(401, list_from("192.0.2.3", signed_token(token, "a s3cr3t of its own")));
    CHECK_EQUAL(401, list_from("192.0.2.4", signed_token(token, "a s3cr3t of its own"), true));
    CHECK_EQUAL(401, list_from("192.0.2.5", signed_token("gone", secret)));
    // These clients do nothing that the filter matches.
    CHECK_EQUAL(200, sign_in_from("192.0.2.6", "eva@example.org", "s3cr3t of eva"));
    CHECK_EQUAL(200, list_from("192.0.2.7", signed_token(token, secret)));
    add_session("late", "ulises-1", "1999-01-01T00:00:00.000Z");
    CHECK_EQUAL(401, list_from("192.0.2.8", signed_token("late", secret)));

    // The same configuration as on Debian, with only these two files added.
    const auto folder = Suite::current().work().make("fail2ban");
    for (const char* name : {"fail2ban.conf", "jail.conf", "paths-common.conf", "paths-debian.conf",
                             "action.d", "filter.d"})
        std::filesystem::copy(std::filesystem::path("/etc/fail2ban") / name, folder / name,
                              std::filesystem::copy_options::recursive);
    std::filesystem::copy_file(machine::source("conf/recipes/fail2ban-filter.conf"),
                               folder / "filter.d/useradmin.conf");
    std::filesystem::create_directory(folder / "jail.d");
    std::filesystem::copy_file(machine::source("conf/recipes/fail2ban-jail.conf"),
                               folder / "jail.d/useradmin.conf");
    const std::string log = httpd_->error_log().string();
    write_file(folder / "paths-overrides.local", "[DEFAULT]\napache_error_log = " + log + "\n");
    const auto matched_addresses = [&](const std::string& filter) {
        const CommandResult found = test::run(
            {{machine::program("fail2ban-regex"), "-c", folder.string(), "-o", "ip", log, filter}});
        CHECK_TEXT(found.status == 0, found.errors.c_str());
        return found.output;
    };
    CHECK_EQUAL(std::string("192.0.2.1\n2001:db8::2\n192.0.2.3\n192.0.2.4\n"),
                matched_addresses("useradmin"));
    CHECK_EQUAL(std::string("192.0.2.1\n2001:db8::2\n192.0.2.3\n192.0.2.4\n192.0.2.5\n"),
                matched_addresses("useradmin[mode=aggressive]"));
    // A client with many failures is banned, although not every failure is logged.
    for (int attempt = 0; attempt < 60; ++attempt) {
        const std::string email = "nobody" + std::to_string(attempt) + "@example.org";
        CHECK(sign_in_from("192.0.2.9", email, "s3cr3t") >= 401);
        CHECK(sign_in_from("192.0.2.11", "ivo@example.org", "s3cr3t") >= 401);
        const std::string address = "2001:db8:9::" + std::to_string(attempt + 1);
        CHECK(sign_in_from(address, email, "s3cr3t") >= 401);
        CHECK_EQUAL(401, list_from("192.0.2.10", signed_token(token, "a s3cr3t of its own")));
    }
    const std::string jail = read_file(machine::source("conf/recipes/fail2ban-jail.conf"));
    const int most = std::stoi(jail.substr(jail.find("maxretry = ") + 11));
    const std::string all = matched_addresses("useradmin");
    for (const std::string address :
         {"192.0.2.9\n", "192.0.2.10\n", "192.0.2.11\n", "2001:db8:9::/64\n"}) {
        int count = 0;
        for (auto at = all.find(address); at != all.npos; at = all.find(address, at + 1))
            ++count;
        CHECK(count >= most && count < 60);
    }
    const CommandResult taken =
        test::run({{machine::program("fail2ban-client"), "-c", folder.string(), "--test"}});
    CHECK_TEXT(taken.status == 0, (taken.output + taken.errors).c_str());
}

TEST(postgresql_recipes, fail2ban_ignores_limits_of_wide_networks) {
    if (!Suite::current().is_event_without_sanitizers())
        return;
    std::string lines;
    for (const char* network : {"/64", "/56", "/48"})
        lines += "[Mon Nov 30 18:12:33.123456 2026] [auth_useradmin:info] [pid 1:tid 2] [client "
                 "2001:db8::2:50000] UA0305: too many failed sign-in attempts from 2001:db8::" +
                 std::string(network) + "\n";
    const auto log = Suite::current().work().make("wide-networks") / "error.log";
    write_file(log, lines);
    const CommandResult found =
        test::run({{machine::program("fail2ban-regex"), "-o", "ip", log.string(),
                    machine::source("conf/recipes/fail2ban-filter.conf").string()}});
    CHECK_TEXT(found.status == 0, found.errors.c_str());
    CHECK_EQUAL(std::string("2001:db8::/64\n"), found.output);
}

TEST(postgresql_recipes, logrotate_keeps_one_audit_chain) {
    if (!Suite::current().is_event_without_sanitizers())
        return;
    const auto folder = Suite::current().work().make("rotated");
    const std::string log = (folder / "audit.log").string();
    start("UserAdminAuditLog \"" + log + "\"\n" + location("/api/users", as_sara));
    const auto change = [&] {
        // Use new connections: after a reload, old children still serve the existing connections.
        for (const char* name : {"Ulises", "Odysseus"})
            expect_success(HttpClient(httpd_->port())
                               .send({"PUT",
                                      "/api/users/ulises-1",
                                      {},
                                      R"({"name":")" + std::string(name) + "\"}"}));
    };
    // The recipe with these files, this account and this system's httpd.
    std::string rule = read_file(machine::source("conf/recipes/logrotate.conf"));
    const auto replace = [&](std::string_view old, std::string_view by) {
        std::size_t times = 0;
        for (auto at = rule.find(old); at != rule.npos;
             at = rule.find(old, at + by.size()), ++times)
            rule.replace(at, old.size(), by);
        CHECK(times > 0);
    };
    replace("/var/log/useradmin/", folder.string() + "/");
    if (!running_as_root())
        replace("create 640 root adm", "create 640");
    write_file(folder / "rule", rule);
    const std::string process = std::to_string(httpd_->main_process());
    const auto create_program = [&](const char* name, const std::string& words,
                                    const std::string& command) {
        write_file(folder / name, "#!/bin/sh\n[ \"$*\" = '" + words + "' ] && " + command + "\n");
        std::filesystem::permissions(folder / name, std::filesystem::perms::owner_all);
    };
    create_program("apachectl", "graceful", "kill -USR1 " + process);
    create_program("pgrep", "-f ^/usr/sbin/apache2", "kill -0 " + process + " 2>/dev/null");
    const auto rotate = [&] {
        const CommandResult rotated =
            test::run({{machine::program("logrotate"), "--force", "--state",
                        (folder / "state").string(), (folder / "rule").string()},
                       {{"PATH", folder.string() + ":/usr/sbin:/usr/bin:/sbin:/bin"}}});
        CHECK_EQUAL(std::string(), rotated.output + rotated.errors);
        CHECK_EQUAL(0, rotated.status);
    };
    for (int time = 0; time < 3; ++time) {
        change();
        httpd_->await_restart([&] {
            rotate();
            change(); // during the restart
        });
    }
    change();
    httpd_.reset();
    rotate(); // with httpd stopped

    const CommandResult verified = test::run(
        {{"/bin/sh", "-c", R"(test -e "$0/audit.log.2.gz" && "$1" audit verify "$0"/audit.log*)",
          folder.string(), machine::built("useradminctl").string()}});
    CHECK_TEXT(verified.status == 0, verified.errors.c_str());
    CHECK_TEXT(verified.output.find("14 lines") != std::string::npos, verified.output.c_str());
    const CommandResult without_middle = test::run(
        {{"/bin/sh", "-c", R"(zcat "$0/audit.log.3.gz" | "$1" audit verify - "$0/audit.log.1")",
          folder.string(), machine::built("useradminctl").string()}});
    CHECK_TEXT(without_middle.status != 0, without_middle.output.c_str());
}

} // namespace useradmin::test
