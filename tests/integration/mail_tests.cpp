// UserAdminMailCommand: links sent by a command that saves the message, fails or hangs.
#include "own_httpd.hpp"

#include "support/files.hpp"
#include "support/machine.hpp"

#include <filesystem>

namespace useradmin::test {

namespace {

constexpr const char* link_failed = "Error al enviar el enlace";
constexpr const char* link_sent = R"({"success":true,"message":"Enlace enviado correctamente"})";

} // namespace

class Mail : public OwnHttpd {
  protected:
    std::filesystem::path folder_ = Suite::current().work().make("mail");
    std::filesystem::path saved_ = folder_ / "message";
    std::filesystem::path log_ = folder_ / "audit.log";

    void setup() override {
        OwnHttpd::setup();
        std::filesystem::permissions(folder_, std::filesystem::perms::all);
        std::filesystem::remove(saved_);
    }

    /// Starts the service with this shell script as the mail command.
    void start_with(const std::string& script, const std::string& more = {}) {
        allow_log("UA0311"); // the configuration contains a secret
        const auto program = folder_ / "sendmail";
        write_file(program, "#!/bin/sh\n" + script + "\n");
        std::filesystem::permissions(program, std::filesystem::perms(0755));
        start("UserAdminAuditLog \"" + log_.string() + "\" required\n" + as_sara +
              location("/api/users",
                       "UserAdminExtras On\nUserAdminMailCommand \"" + program.string() +
                           " -t\"\nUserAdminMailFrom support@example.org Ayuda\n"
                           "UserAdminMailPasswordLink https://app.example.org/reset?t={token}\n"
                           "UserAdminMailVerifyLink https://app.example.org/verify?t={token}\n"
                           "AuthUserAdminSecret \"a secret of thirty-two characters\"\n" +
                           more));
    }
    Response send_link(const char* kind, SourceLocation where = {}) {
        return send("POST", "/api/users/ulises-1/" + std::string(kind) + "-link", {}, where);
    }

    /// Returns the text of the saved message.
    std::string mail_text() const {
        std::string base64 = read_file(saved_);
        base64 = base64.substr(std::min(base64.find("\n\n") + 2, base64.size()));
        std::erase(base64, '\n');
        return from_base64(base64);
    }
    std::string token_in_mail() const {
        const std::string text = mail_text();
        const std::size_t begin = text.find("?t=") + 3;
        return text.substr(begin, text.find('\r', begin) - begin);
    }
    std::string save_script() const {
        return "cat >" + saved_.string() + "; chmod 644 " + saved_.string();
    }
};

TEST_GROUP_BASE(mail, Mail){};

TEST(mail, with_a_password_link_has_a_stored_token) {
    start_with(save_script());
    expect(send_link("password"), 200, link_sent);
    const std::string header = read_file(saved_);
    CHECK(header.starts_with(
        "From: Ayuda <support@example.org>\nTo: <ulises@example.org>\nSubject: "));
    CHECK_EQUAL(24, token_in_mail().size());
    CHECK_EQUAL(1, sql().number(R"(SELECT count(*) FROM "verification" WHERE "identifier" =
        'reset-password:)" + token_in_mail() +
                                R"(' AND "value" = 'ulises-1')"));
    const std::string audit = read_file(log_);
    STRCMP_CONTAINS(R"("operation":"send-password-link","result":"done")", audit.c_str());
    STRCMP_CONTAINS(R"("target":"ulises-1","sentTo":"ulises@example.org")", audit.c_str());
    CHECK_EQUAL(std::string::npos, audit.find(token_in_mail()));
}

TEST(mail, with_a_password_link_is_invalidated_by_a_new_password) {
    start_with(save_script());
    expect(send_link("password"), 200, link_sent);
    CHECK_EQUAL(1, count("verification"));
    expect_success(send("PUT", "/api/users/ulises-1/password", R"({"password":"a new password"})"));
    CHECK_EQUAL(0, count("verification"));
}

TEST(mail, with_a_verification_link_goes_only_to_unverified_addresses) {
    start_with(save_script());
    expect_error(send_link("verification"), 400, "El email ya está verificado");
    sql().run(R"(UPDATE "user" SET "emailVerified" = FALSE WHERE "id" = 'ulises-1')");
    expect(send_link("verification"), 200, link_sent);
    CHECK(token_in_mail().starts_with("eyJhbGciOiJIUzI1NiJ9."));
    CHECK_EQUAL(0, count("verification"));
}

TEST(mail, runs_its_command_without_the_sockets_of_httpd) {
    start_with("cat >/dev/null; ls -l /proc/self/fd >" + saved_.string() + "; chmod 644 " +
               saved_.string());
    expect(send_link("password"), 200, link_sent);
    STRCMP_CONTAINS(" 0 -> pipe:", read_file(saved_).c_str());
    CHECK_EQUAL(std::string::npos, read_file(saved_).find("socket:"));
}

TEST(mail, that_fails_leaves_no_link) {
    start_with("cat >/dev/null; echo refused; exit 69");
    expect_log("UA0231");
    expect_error(send_link("password"), 500, link_failed);
    CHECK_EQUAL(0, count("verification"));
    // A second line corrects the one written before the commit.
    STRCMP_CONTAINS(R"("result":"failed","status":500)", read_file(log_).c_str());
    STRCMP_CONTAINS(R"("corrects":)", read_file(log_).c_str());
}

TEST(mail, that_hangs_is_killed_at_the_time_limit) {
    start_with("exec /bin/sleep 1000", "UserAdminTimeout 1\n");
    expect_log("did not exit within 1 s (UserAdminTimeout)");
    expect_error(send_link("password"), 500, link_failed);
    CHECK_EQUAL(0, count("verification"));
}

TEST(mail, is_limited_per_hour_for_all_servers) {
    start_with(save_script(), "UserAdminMailLimit 2\n");
    expect(send_link("password"), 200, link_sent);
    start_with(save_script(), "UserAdminMailLimit 2\n");
    expect(send_link("password"), 200, link_sent);
    const auto rejected = send_link("password");
    expect_error(rejected, 429, "Demasiadas peticiones");
    const long wait = std::stol(rejected.header("Retry-After").value_or("0"));
    CHECK(wait > 3000 && wait <= 3600);
    CHECK_EQUAL(1, count("verification"));
}

TEST(mail, with_a_failed_invitation_is_logged_as_a_failed_creation) {
    std::filesystem::remove(log_);
    start_with("exit 1");
    expect_log("UA0231");
    const long users = count("user");
    expect_error(send("POST", "/api/users",
                      R"({"name":"Eva","email":"eva@example.org","role":"user","invite":true})"),
                 500, "Error al enviar la invitación; no se ha creado el usuario");
    CHECK_EQUAL(users, count("user"));
    CHECK_EQUAL(0, count("verification"));
    const std::vector<std::string> lines = lines_of(read_file(log_));
    CHECK_EQUAL(2U, lines.size());
    STRCMP_CONTAINS(R"("operation":"create","result":"done")", lines[0].c_str());
    STRCMP_CONTAINS(R"("operation":"create","result":"failed")", lines[1].c_str());
    STRCMP_CONTAINS("\"corrects\":", lines[1].c_str());
}

TEST(mail, requires_the_attempt_table) {
    change("ALTER TABLE useradmin_attempt RENAME TO other",
           "ALTER TABLE other RENAME TO useradmin_attempt");
    start_with(save_script());
    expect_log("UA0103: table \"useradmin_attempt\" does not exist");
    expect_error(send_link("password"), 500, link_failed);
    CHECK(!std::filesystem::exists(saved_));
}

} // namespace useradmin::test
