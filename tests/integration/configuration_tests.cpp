// `httpd -t` accepts a correct configuration and rejects a wrong one with a message that names the
// problem.
#include "scene.hpp"

#include "support/files.hpp"
#include "support/machine.hpp"

#include <algorithm>
#include <filesystem>

namespace useradmin::test {

class Configuration : public Scene {
  protected:
    static std::string with_database(const std::string& configuration) {
        return Suite::directives_for(Suite::current().database()) + configuration;
    }

    /// Expects that httpd rejects the configuration with a message that contains all these strings.
    static void expect_rejected(const std::string& configuration,
                                const std::vector<std::string>& texts, SourceLocation where = {}) {
        const auto finished =
            Httpd::check(Suite::current().work(), Suite::current().settings(configuration));
        if (finished.status == 0)
            fail_test("httpd accepted this:\n" + configuration + finished.errors, where);
        for (const auto& text : texts)
            if (finished.errors.find(text) == std::string::npos)
                fail_test("httpd did not print \"" + text + "\" but\n" + finished.errors, where);
        UtestShell::getCurrent()->countCheck();
    }

    /// Expects that httpd rejects a directive in the service's Location with a message that
    /// contains the directive's name and the text.
    static void expect_rejected_in_location(const std::string& directive, const std::string& text,
                                            SourceLocation where = {}) {
        expect_rejected(with_database(location("/api/users", directive)),
                        {directive.substr(0, directive.find(' ')), text}, where);
    }

    /// Expects that httpd accepts the configuration. Returns its output.
    static std::string expect_accepted(const std::string& configuration,
                                       SourceLocation where = {}) {
        const auto finished =
            Httpd::check(Suite::current().work(), Suite::current().settings(configuration));
        if (finished.status != 0)
            fail_test("httpd rejected this:\n" + configuration + finished.errors, where);
        UtestShell::getCurrent()->countCheck();
        return finished.errors;
    }

    /// Expects that httpd accepts the sign-in configuration and that, of the tags below, its
    /// output contains exactly these.
    static void expect_warnings(const std::string& configuration,
                                const std::vector<std::string>& tags, SourceLocation where = {}) {
        const auto said = expect_accepted(with_database(configuration), where);
        for (const char* tag : {"UA0311", "UA0312", "UA0313"}) {
            const bool is_wanted = std::find(tags.begin(), tags.end(), tag) != tags.end();
            if ((said.find(tag) != std::string::npos) != is_wanted)
                fail_test(std::string(is_wanted ? "did not warn of " : "warned of ") + tag + ":\n" +
                              configuration + said,
                          where);
        }
        if (said.find("s3cr3t") != std::string::npos)
            fail_test("a secret is in the warnings: " + said, where);
    }

    static std::string signed_sign_in(const std::string& path, const std::string& source) {
        return sign_in(path, "AuthUserAdminSecret \"" + source + "\"\n");
    }
};

TEST_GROUP_BASE(configuration, Configuration){};

TEST(configuration, with_an_invalid_value_is_rejected_with_a_hint) {
    const std::string file = "AuthUserAdminSecret file:" + Suite::current().secret_file().string();
    const std::pair<std::string, const char*> rejections[] = {
        {"AuthUserAdmin maybe", "On or Off"},
        {"AuthUserAdminBearer 1", "On or Off"},
        {"AuthUserAdminSecondFactor Off", "must be 'verify', 'refuse' or 'ignore'"},
        {"AuthUserAdminImpersonated no", "must be 'allow' or 'refuse'"},
        {"UserAdminHealth On", "must be 'readable' or 'writable'"},
        {"AuthUserAdminApiKey yes", "must be On or Off"},
        {"AuthUserAdminCookie \"a b\"", "cookie"},
        {"AuthUserAdminSecret file:/nonexistent",
         "cannot read /nonexistent: No such file or directory"},
        {"AuthUserAdminSecret /etc/passwd", "prefix it with file:"},
        {"AuthUserAdminSecret env:NO_SUCH_VARIABLE", "variable NO_SUCH_VARIABLE is not set"},
        {"AuthUserAdminSecret a s3cr3t of words", "quote a secret that contains spaces"},
        {file + " s3cr3t", "each must be file:path or env:NAME"},
        {"AuthUserAdminSignInLimit 0", "must be a number of failed attempts"},
        {"AuthUserAdminSignInLimit 1000001", "must be a number of failed attempts"},
        {"AuthUserAdminSignInLimit 5 86401", "must be a number of failed attempts"},
        {"AuthUserAdminSignInLimit 1 2 alone", "must be a number of failed attempts"},
        {"AuthUserAdminSignInLimit 1 2 shared 4", "takes one, two or three arguments"},
        {"AuthUserAdminTimeout 0", "must be"},
        {"UserAdminApplicationCache -1", "must be a number of seconds from 0 to 3600"},
        {"UserAdminApplicationCache 3601", "must be a number of seconds from 0 to 3600"},
        {"UserAdminApplicationCache 5m", "must be a number of seconds from 0 to 3600"},
        {"UserAdminConsoleSignIn sign-in", "must be a path, or a URL that begins with https"},
        {"UserAdminConsoleSignIn //evil.example.com", "must be a path"},
        {"UserAdminConsoleSignIn javascript:alert(1)", "must be a path"},
        {"UserAdminConsoleTitle " + std::string(101, 'a'),
         "must be UTF-8 text of at most 100 bytes"},
        {"UserAdminConsoleTitle \"a\tb\"", "100 bytes without control characters"},
        {"UserAdminConsoleTitle \xff", "100 bytes without control characters"},
        {"UserAdminConsoleLogo /nonexistent", "'/nonexistent' cannot be read, or is larger than"},
        {"UserAdminConsoleLogo /tmp", "'/tmp' cannot be read, or is larger than"},
        {"UserAdminConsoleLogo /etc/passwd", "'/etc/passwd' is not an SVG, PNG, JPEG or WebP"},
        {"UserAdminConsoleAccent blue", "must be a quoted color in the form"},
        {"UserAdminConsoleAccent \"#12345g\"", "must be a quoted color in the form"},
        {"UserAdminConsoleAccent \"#ff8800\"",
         "is too light for text on white; use \"#aa5b00\" or"},
        {"UserAdminColumns", "must be one or more columns of the user table"},
        {"UserAdminColumns company,plan", "must be one or more column names separated by"},
        {"UserAdminColumns company email_verified", "'email_verified' is a field of the service"},
        {"UserAdminColumns banReason", "'banReason' is a field of the service itself"},
        {"UserAdminColumns lastSeenAt", "'lastSeenAt' is a built-in field (the last activity)"},
        {"UserAdminColumns passwordHint", "'passwordHint' looks like the name of a secret"},
        {"UserAdminColumns reset_token", "'reset_token' looks like the name of a secret"},
        {"UserAdminEditable", "must be one or more columns of the user table"},
        {"UserAdminEditable plan,company", "must be one or more column names separated by"},
        {"UserAdminEditable role", "'role' is a field of the service itself"},
        {"UserAdminEditable two_factor_enabled", "must match the user's second factor"},
        {"UserAdminEditable APIKEY", "'APIKEY' looks like the name of a secret"},
        {"UserAdminEmailChange Off", "must be 'keep' or 'unverify'"},
        {"UserAdminGuard", "must be none, rank, last-superadmin, or both"},
        {"UserAdminGuard none rank", "must be none, rank, last-superadmin, or both"},
        {"UserAdminAuditLog /nowhere/audit.log",
         "the directory /nowhere does not exist; create it"},
        {"UserAdminAuditLog /tmp", "is a directory; specify a file in it"},
        {"UserAdminAuditLog /tmp/a demanded", "optionally followed by required"},
        {"UserAdminAuditLog NONE required", "optionally followed by required"},
        {"UserAdminAuditLog none required", "optionally followed by required"},
        {"UserAdminAuditLog \"|\"", "must be a file or a"},
        {"UserAdminAuditLog \"|/usr/bin/loger -t x\"",
         "the program /usr/bin/loger is not an executable file"},
        {"UserAdminAuditLog \"|| '/etc/passwd' required\"", "program /etc/passwd is not an"},
        {"UserAdminBetterAuthRole", "must be a role and its actions"},
        {"UserAdminBetterAuthRole admin", "must be a role and its actions"},
        {"UserAdminBetterAuthRole user:list user:get", "must be a role and its actions"},
        {"UserAdminBetterAuthRole admin user:fly", "'user:fly' is not an action; use actions such"},
        {"UserAdminBetterAuthRole admin all user:list", "'all' is not an action"},
        {"UserAdminBetterAuthRole admin user", "'user' is not an action"},
        {"UserAdminLastSeen " + std::string(64, 'a'), "must be the name of a column, such as"},
        {"UserAdminLastSeen lastLoginAt seenAt", "takes one argument"},
        {"UserAdminHashLimit 2", "not allowed"},
        {"UserAdminHashQueue 2", "not allowed"},
        {"UserAdminLanguage fr", "must be 'es', 'en' or 'accept'"},
        {"UserAdminLanguage EN", "must be 'es', 'en' or 'accept'"},
        {"UserAdminLanguage es en", "takes one argument"},
        {"UserAdminMailCommand sendmail", "must begin with the absolute path of a program"},
        {"UserAdminMailCommand /nonexistent", "but /nonexistent is not an executable file"},
        {"UserAdminMailCommand /etc/passwd", "but /etc/passwd is not an executable file"},
        {"UserAdminMailFrom nobody", "must be an email address"},
        {"UserAdminMailFrom a@example.org " + std::string(101, 'a'), "the name must be UTF-8 text"},
        {"UserAdminMailFrom a@example.org \"a\tb\"", "the name must be UTF-8 text"},
        {"UserAdminMailFrom a@example.org b c", "takes 1-2 arguments"},
        {"UserAdminMailPasswordLink https://a.example.com/", "contains {token} once"},
        {"UserAdminMailPasswordLink https://a/{token}{token}", "contains {token} once"},
        {"UserAdminMailVerifyLink https://a.example.com/", "contains {token} once"},
        {"UserAdminMailVerifyLink javascript:{token}", "must be a URL that begins with"},
        {"UserAdminMailVerifyLink \"https://a/ {token}\"", "must be a URL that begins with"},
        {"UserAdminMailTemplates /nonexistent",
         "'/nonexistent' cannot be read, or is larger than 64 KiB"},
        {"UserAdminMailTemplates /tmp", "'/tmp' cannot be read, or is larger than 64 KiB"},
        {"UserAdminMailTemplates /dev/zero",
         "'/dev/zero' cannot be read, or is larger than 64 KiB"},
        {"UserAdminMailTemplates /etc/passwd", "cannot parse /etc/passwd: the line 'root:"},
        {"UserAdminMailLimit 0", "must be an integer from 1 to 100000"},
        {"UserAdminMailLimit 100001", "must be an integer from 1 to 100000"},
        {"UserAdminMailLimit many", "must be an integer from 1 to 100000"},
        {"UserAdminMaxBody 0", "must be"},
        {"UserAdminMaxLimit 0", "must be"},
        {"UserAdminMaxLimit -1", "must be"},
        {"UserAdminMaxLimit 1x", "must be"},
        {"UserAdminMaxLimit 1.5", "must be"},
        {"UserAdminMaxLimit \" 5\"", "must be"},
        {"UserAdminMaxLimit 99999999999999999999", "must be"},
        {"UserAdminPasswordHash md5", "must be 'scrypt', or"},
        {"UserAdminProtectedEmail nobody", "email address"},
        {"UserAdminProtectedEmail a@x b@x", "takes one argument"},
        {"UserAdminSecondaryStorage", "must be none, or a URL (redis:"},
        {"UserAdminSecondaryStorage localhost", "must be none, or a URL (redis:"},
        {"UserAdminSecondaryStorage http://localhost", "must be none, or a URL (redis:"},
        {"UserAdminSecondaryStorage redis://", "must be none, or a URL (redis:"},
        {"UserAdminSecondaryStorage redis://localhost/x", "must be none, or a URL (redis:"},
        {"UserAdminSecondaryStorage redis://user@localhost", "must be none, or a URL (redis:"},
        {"UserAdminSecondaryStorage redis://:a%00b@localhost", "must be none, or a URL (redis:"},
        {"UserAdminSecondaryStorage redis://localhost:0", "must be none, or a URL (redis:"},
        {"UserAdminSecondaryStorage redis://localhost:65536", "must be none, or a URL (redis:"},
        {"UserAdminSecondaryStorage redis://localhost/1?x=y", "must be none, or a URL (redis:"},
        {"UserAdminSecondaryStorage rediss://user@localhost", "must be none, or a URL (redis:"},
        {"UserAdminSecondaryStorage rediss:", "must be none, or a URL (redis:"},
        {"UserAdminSecondaryStorage redis://localhost a b", "must be none, or a URL (redis:"},
        {"UserAdminSecondaryStorage redis://localhost a b required",
         "must be none, or a URL (redis:"},
        {"UserAdminSecondaryStorage file:/nowhere/at-all", "cannot read /nowhere/at-all"},
        {"UserAdminSession \"%{note:\"", "expression"},
        {"UserAdminSession \"%{note:id}\" \"%{nofunction:x}\"", "expression"},
        {"UserAdminSession a b c", "1-2 arguments"},
        {"UserAdminTables user session user", "must be the names of three different tables"},
        {"UserAdminTimeout 0", "must be"},
        {"UserAdminTrustedOrigin", "must be one or more origins"},
        {"UserAdminTrustedOrigin app.example.com", "is not an origin; use http:// or https://"},
        {"UserAdminTrustedOrigin https://a https://b/c", "is not an origin"},
    };
    for (const auto& [directive, hint] : rejections)
        expect_rejected_in_location(directive, hint);
}

TEST(configuration, with_valid_values_of_every_directive_is_accepted) {
    expect_accepted(
        with_database("UserAdminHashLimit 3\nUserAdminHashQueue 10000\n"
                      "UserAdminMaxLimit 10\nUserAdminMaxBody 2048\n"
                      "UserAdminTimeout 1\nUserAdminProtectedEmail a@example.org\n"
                      "UserAdminPasswordHash scrypt\nUserAdminSession %{REMOTE_USER}\n"
                      "AuthUserAdmin On\nAuthUserAdminCookie a.b-c_d\nAuthUserAdminBearer Off\n"
                      "AuthUserAdminTimeout 2\nUserAdminGuard last-superadmin rank\n"
                      "UserAdminTrustedOrigin https://app.example.com HTTP://LOCALHOST:3000\n"
                      "UserAdminConsoleSignIn /sign-in\nUserAdminApplicationCache 0\n"
                      "UserAdminLanguage accept\nUserAdminColumns tokensUsed twoFactorEnabled\n"
                      "UserAdminEditable company \"phone number\"\n" +
                      location("/api/users", "UserAdminSession \"%{note:a}\" \"%{env:B}\"\n"
                                             "UserAdminProtectedEmail b@example.org\n"
                                             "UserAdminPasswordHash argon2id t=3 m=65536 p=4\n"
                                             "UserAdminGuard none\n"
                                             "UserAdminConsoleSignIn https://a.example.com/x\n"
                                             "UserAdminConsoleTitle \"Usuarios: García\"\n"
                                             "UserAdminConsoleAccent \"#0A5C48\"\n"
                                             "UserAdminApplicationCache 3600\n"
                                             "UserAdminMaxLimit 100000\nUserAdminMaxBody 1048576\n"
                                             "UserAdminTimeout 300\nAuthUserAdmin Off\n"
                                             "UserAdminLanguage en\n"
                                             "UserAdminBetterAuthRole superAdmin all\n"
                                             "UserAdminBetterAuthRole admin user:list user:get\n"
                                             "UserAdminBetterAuthTokens On\n"
                                             "AuthUserAdminCookie x\nAuthUserAdminBearer On")));
}

TEST(configuration, with_incomplete_directives_for_links_by_mail_is_rejected) {
    const std::string extras = "UserAdminExtras On\n";
    const std::string command = "UserAdminMailCommand \"/bin/cat -\"\n";
    const std::string sender = "UserAdminMailFrom support@example.com \"The support\"\n";
    const std::string password = "UserAdminMailPasswordLink https://a.example.com/{token}\n";
    const std::string verify = "UserAdminMailVerifyLink https://a.example.com/{token}\n";
    const std::string signing =
        "AuthUserAdminSecret file:" + Suite::current().secret_file().string() + "\n";
    const auto in_location = [](const std::string& directives) {
        return with_database(location("/api/users", directives));
    };
    for (const auto& [directives, hint] :
         {std::pair(extras + sender, "mailed links require UserAdminMailCommand"),
          {command + sender + password, "UserAdminMailCommand requires UserAdminExtras On"},
          {extras + command + password, "requires UserAdminMailFrom"},
          {extras + command + sender,
           "requires UserAdminMailPasswordLink or UserAdminMailVerifyLink"},
          {extras + command + sender + verify, "requires AuthUserAdminSecret"}})
        expect_rejected(in_location(directives), {"UA0230", hint});
    expect_accepted(in_location(extras + command + sender + password + "UserAdminMailLimit 1\n"));
    expect_accepted(in_location(extras + command + sender + verify + signing));
    // Several Locations apply to a request.
    expect_accepted(in_location(password) + "<Location \"/\">\n" + extras + command + sender +
                    "</Location>\n");
    // A virtual host without the service sends no mail.
    expect_accepted(in_location(extras + command + sender + password) +
                    "<VirtualHost *:80>\n<Location \"/api/users\">\nUserAdmin Off\n"
                    "UserAdminExtras Off\n</Location>\n</VirtualHost>\n");
}

TEST(configuration, with_valid_values_for_sign_in_is_accepted) {
    expect_accepted(
        with_database("UserAdminPasswordHash scrypt\nAuthUserAdminSignInLimit 3\n"
                      "AuthUserAdminSecondFactor ignore\nAuthUserAdminImpersonated refuse\n"
                      "AuthUserAdminApiKey On\n"
                      "<Location \"/api/auth\">\nAuthUserAdminSignIn On\n"
                      "UserAdminPasswordHash argon2id t=3\nAuthUserAdminSignInLimit 5 3600\n"
                      "AuthUserAdminSecret s3cr3t\n</Location>\n"
                      "<Location \"/off\">\nAuthUserAdminSignIn Off\n</Location>\n"));
}

TEST(configuration, with_a_directive_in_the_wrong_section_is_rejected) {
    const auto in_section = [](const std::string& section, const std::string& line) {
        if (section.empty())
            return with_database(line + "\n");
        return with_database("<" + section + ">\n" + line + "\n</" +
                             section.substr(0, section.find(' ')) + ">\n");
    };
    const char* const users = "must not end with a slash; use <Location \"/api/users\">";
    const char* const auth = "<Location \"/api/auth\">";
    const struct {
        const char* section;
        std::string line;
        const char* hint;
    } rows[] = {
        {"", "UserAdmin On", "<Location"},
        {"VirtualHost *:80", "UserAdmin On", "<Location"},
        {"Directory \"/srv\"", "UserAdmin On", "<Location"},
        {"Files \"x\"", "UserAdmin On", "<Location"},
        {"LocationMatch \"^/api\"", "UserAdmin On", "<Location"},
        {"Location ~ \"^/api\"", "UserAdmin On", "<Location"},
        {"Location \"/api/*\"", "UserAdmin On", "wildcard"},
        {"Location \"/api/users/\"", "UserAdmin On", users},
        {"Location \"/api/users//\"", "UserAdmin On", users},
        {"Location \"/api\"", "UserAdmin Yes", "On or Off"},
        {"", "AuthUserAdminSignIn On", auth},
        {"Directory \"/srv\"", "AuthUserAdminSignIn On", auth},
        {"LocationMatch \"/a\"", "AuthUserAdminSignIn On", auth},
        {"Location \"/a/*\"", "AuthUserAdminSignIn On", auth},
        {"Location \"/api/users/\"", "AuthUserAdminSignIn On", users},
        {"Location \"/api/users//\"", "AuthUserAdminSignIn On", users},
        {"", "UserAdminHashLimit 0", "must be"},
        {"", "UserAdminHashQueue 0", "must be"},
        {"VirtualHost *:80", "UserAdminHashLimit 2", "<VirtualHost>"},
        {"VirtualHost *:80", "UserAdminHashQueue 2", "<VirtualHost>"},
    };
    for (const auto& [section, line, hint] : rows)
        expect_rejected(in_section(section, line), {line.substr(0, line.find(' ')), hint});
    expect_accepted(in_section("Location \"/\"", "UserAdmin On"));
    expect_accepted(in_section("Location \"/\"", "AuthUserAdminSignIn On"));
}

TEST(configuration, with_a_secondary_storage_in_a_condition_is_rejected) {
    for (const std::string section : {"If \"true\"", "Files \"x\"", "Directory \"/\""})
        expect_rejected(with_database("<" + section + ">\nUserAdminSecondaryStorage none\n</" +
                                      section.substr(0, section.find(' ')) + ">\n"),
                        {"UserAdminSecondaryStorage: not allowed in a <Directory>, <Files> or "
                         "<If>; move it"});
}

TEST(configuration, with_no_secret_or_too_many_secrets_is_rejected) {
    const std::string file = " file:" + Suite::current().secret_file().string();
    const auto empty = Suite::current().work().path() / "empty-secret";
    write_file(empty, "\n");
    expect_rejected_in_location("AuthUserAdminSecret", "must be the application's secret");
    expect_rejected_in_location("AuthUserAdminSecret" + file + file + file + file + file,
                                "at most 3 more secrets");
    expect_rejected_in_location("AuthUserAdminSecret" + file + " file:" + empty.string(),
                                "is empty");
    expect_rejected_in_location("AuthUserAdminSecret \"\"" + file,
                                "must not be empty; use file:path");
    expect_accepted(with_database(
        location("/api/users", "AuthUserAdminSecret" + file + file + file + file + "\n")));
}

TEST(configuration, with_a_weak_second_secret_causes_a_warning) {
    const auto file = Suite::current().work().path() / "short-secret";
    write_file(file, "s3cr3t\n");
    using std::filesystem::perms;
    std::filesystem::permissions(file, perms::owner_read | perms::others_read);
    const auto strong_secret = "file:" + Suite::current().secret_file().string();
    const auto several =
        sign_in("/a", "AuthUserAdminSecret " + strong_secret + " file:" + file.string() + "\n");
    expect_warnings(several, {"UA0312", "UA0313"});
}

TEST(configuration, with_a_strong_secret_causes_no_warning) {
    const auto file = "file:" + Suite::current().secret_file().string();
    expect_warnings(signed_sign_in("/a", file) + signed_sign_in("/b", file), {});
}

TEST(configuration, that_contains_a_secret_causes_a_warning) {
    expect_warnings(signed_sign_in("/a", "s3cr3t of sixteen and more"), {"UA0311"});
}

TEST(configuration, with_a_world_readable_secret_causes_a_warning) {
    const auto file = Suite::current().work().path() / "public-secret";
    write_file(file, "s3cr3t of sixteen and more\n");
    using std::filesystem::perms;
    std::filesystem::permissions(file, perms::owner_read | perms::group_read | perms::others_read);
    expect_warnings(signed_sign_in("/a", "file:" + file.string()), {"UA0312"});
    std::filesystem::permissions(file, perms::owner_read | perms::group_read);
    expect_warnings(signed_sign_in("/a", "file:" + file.string()), {});
}

TEST(configuration, with_a_readable_password_of_Redis_causes_a_warning) {
    const auto storage_at = [](const std::string& source) {
        return location("/api/users", "UserAdminSecondaryStorage \"" + source + "\"\n");
    };
    const std::string url = "redis://:s3cr3t@localhost";
    expect_warnings(storage_at(url), {"UA0311"});
    expect_warnings(storage_at("redis://localhost"), {});
    const auto file = Suite::current().work().path() / "redis-url";
    write_file(file, url + "\n");
    using std::filesystem::perms;
    std::filesystem::permissions(file, perms::owner_read | perms::others_read);
    expect_warnings(storage_at("file:" + file.string()), {"UA0312"});
    std::filesystem::permissions(file, perms::owner_read);
    expect_warnings(storage_at("file:" + file.string()), {});
}

TEST(configuration, with_keywords_in_capitals_is_accepted) {
    const std::string log = (Suite::current().work().path() / "audit.log").string();
    expect_accepted(
        with_database(location("/a", "UserAdminSecondaryStorage redis://localhost app: REQUIRED\n"
                                     "UserAdminAuditLog " +
                                         log + " Required\n") +
                      location("/b", "UserAdminSecondaryStorage NONE\nUserAdminAuditLog None\n")));
}

TEST(configuration, with_a_short_secret_causes_a_warning) {
    expect_warnings(signed_sign_in("/a", "s3cr3t-15-chars"), {"UA0311", "UA0313"});
    expect_warnings(signed_sign_in("/a", "s3cr3t-16-charss"), {"UA0311"});
}

TEST(configuration, may_test_for_the_modules_by_their_source_file_names) {
    for (const char* name : {"mod_useradmin.c", "mod_auth_useradmin.c", "useradmin_module"})
        expect_rejected("<IfModule " + std::string(name) + ">\nNoSuchDirective\n</IfModule>\n",
                        {"NoSuchDirective"});
}

TEST(configuration, without_a_database_is_rejected) {
    expect_rejected("<Location \"/x\">\nAuthUserAdminSignIn On\n</Location>\n",
                    {"AuthUserAdmin", "DBDriver"});
    expect_rejected(location("/api/users", ""), {"UA0206: UserAdmin", "DBDriver"});
    expect_rejected("<VirtualHost *:80>\n" + location("/api/users", "") + "</VirtualHost>\n",
                    {"UA0206: UserAdmin", "DBDriver"});
    expect_rejected("<Location \"/x\">\nAuthUserAdmin On\n</Location>\n",
                    {"AuthUserAdmin", "DBDriver"});
}

TEST(configuration, admin_client_without_a_database_is_rejected) {
    expect_rejected(
        "<Location \"/api/auth/admin\">\nSetHandler useradmin-better-auth\n</Location>\n",
        {"UA0206: SetHandler useradmin-better-auth", "DBDriver"});
}

TEST(configuration, without_enabled_modules_needs_no_database) {
    expect_accepted("<Location \"/api\">\nUserAdmin Off\nAuthUserAdmin Off\n</Location>\n");
}

TEST(configuration, that_cannot_work_as_intended_causes_a_warning) {
    const std::string users = location("/api/users", "AuthUserAdmin On");
    const std::string host = "<VirtualHost *:80>\n";
    const std::string end = "</VirtualHost>\n";
    const std::string callers =
        "UA0225: neither AuthUserAdmin nor UserAdminSession applies to <Location \"/api/users\">, "
        "so requests get 401 unless another module sets the session-user-id note; "
        "set AuthUserAdmin On or UserAdminSession in the Location (";
    const std::string no_slash = "UA0227: <Location \"metrics\"> matches no request because paths "
                                 "start with a slash; use <Location \"/metrics\"> (";
    const std::pair<std::string, std::string> mistakes[] = {
        {with_database(location("/api/users", "")), callers},
        {with_database(host + location("/api/users", "") + end), callers},
        {with_database("<VirtualHost *:80>\n" + users + end + host + location("/", "") + end),
         "applies to <Location \"/\">, so"},
        {with_database(users + handler("/admin", "useradmin-consol")),
         "UA0226: SetHandler: unknown handler useradmin-consol, so requests get 404; "
         "use one of useradmin-better-auth, useradmin-console, useradmin-health, "
         "useradmin-metrics, useradmin-openapi ("},
        {with_database(users + handler("metrics", "useradmin-metrics", "UserAdminMaxLimit 5\n")),
         no_slash},
        {with_database(location("/a//b", "AuthUserAdmin On")),
         "UA0227: <Location \"/a//b\"> matches no request because httpd normalizes paths; "
         "use <Location \"/a/b\"> ("},
        {with_database(location("/a/../b", "AuthUserAdmin On")), "use <Location \"/b\"> ("},
        {with_database(location("/a/b/.", "AuthUserAdmin On")), "use <Location \"/a/b/\"> ("},
        {with_database("<Location metrics>\nAuthUserAdmin On\n</Location>\n"), no_slash},
        {host + users + end + host + with_database("") + end,
         "no DBDriver applies to the virtual host at "},
        {host + "<Location \"/x\">\nAuthUserAdmin On\n</Location>\n" + end + host +
             with_database("") + end,
         "UA0228: AuthUserAdmin: no DBDriver applies to the virtual host at "},
    };
    for (const auto& [configuration, warning] : mistakes) {
        const std::string said = expect_accepted(configuration);
        const std::size_t at = said.find(warning);
        CHECK_TEXT(at != said.npos && said.find("UA0", at + warning.size()) == said.npos,
                   (configuration + said).c_str());
    }
}

TEST(configuration, that_may_work_causes_no_warning) {
    const std::string host = "<VirtualHost *:80>\n";
    const std::string end = "</VirtualHost>\n";
    const std::string on = "<Location \"/api/users\">\nAuthUserAdmin On\n</Location>\n";
    const std::string users = location("/api/users", "AuthUserAdmin On");
    for (const std::string& configuration :
         {with_database(location("/api/users", "UserAdminSession \"%{reqenv:ID}\"")),
          with_database("<LocationMatch \"^/api/\">\nAuthUserAdmin On\n</LocationMatch>\n" +
                        location("/api/users", "")),
          with_database(location("/api/users", "") + host + on + end),
          with_database("<AuthnProviderAlias useradmin other>\n</AuthnProviderAlias>\n" +
                        location("/api/users", "")),
          with_database("<Location ~ \"metrics$\">\nSetHandler useradmin-metrics\n</Location>\n" +
                        location("/api/users", "AuthUserAdmin On")),
          with_database("<Location \"other\">\nSetHandler server-status\n</Location>\n"),
          with_database(location("/api/users", "<If \"true\">\nAuthUserAdmin On\n</If>")),
          with_database(location("/api/users", "AuthUserAdmin On") +
                        handler("/admin", "Useradmin-Console")),
          with_database("<Location \"\">\nAuthUserAdmin On\n</Location>\n"),
          host + "DBDriver pgsql\n" + users + end + host + with_database("") + end,
          location("/api/users", "AuthUserAdmin On") + host + with_database("") + end}) {
        const std::string said = expect_accepted(configuration);
        CHECK_TEXT(said.find("UA0") == said.npos, (configuration + said).c_str());
    }
}

// --- Configuration files of the repository -------------------------------------------------------

/// Returns the configuration in a file, with paths of files that exist on this machine.
static std::string configuration_from(const std::filesystem::path& file) {
    const std::filesystem::path logo = Suite::current().work().make("logo") / "logo.svg";
    write_file(logo, "<svg xmlns='http://www.w3.org/2000/svg'/>");
    const std::filesystem::path templates = Suite::current().work().make("templates") / "mail";
    write_file(templates, "[invitation en]\nWelcome\n\n{link}\n");
    std::string text = read_file(file);
    for (const auto& [path, own] :
         {std::pair<std::string_view, std::filesystem::path>("/etc/apache2/useradmin.secret",
                                                             Suite::current().secret_file()),
          {"/etc/apache2/logo.svg", logo},
          {"/etc/useradmin/mail-templates", templates},
          {"/usr/sbin/sendmail", "/bin/cat"}})
        for (std::size_t at = 0; (at = text.find(path, at)) != text.npos;)
            text.replace(at, path.size(), own.string());
    return text;
}

TEST(configuration, configuration_of_an_earlier_release_is_accepted) {
    int samples = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(machine::source("tests/samples"))) {
        if (entry.path().extension() != ".conf")
            continue;
        ++samples;
        expect_accepted(configuration_from(entry.path()));
    }
    CHECK(samples >= 3);
}

TEST(configuration, example_from_the_package_is_accepted) {
    const std::string said =
        expect_accepted(configuration_from(machine::source("conf/users.conf")));
    CHECK_TEXT(said.find("UA0") == said.npos, said.c_str());
}

TEST(configuration, packaged_file_is_accepted_when_uncommented) {
    std::string directives;
    int locations = 0;
    for (std::string line : lines_of(configuration_from(machine::source("conf/useradmin.conf")))) {
        if (line.size() < 2 || line[0] != '#' || line[1] < 'A' || line[1] > 'Z')
            continue;
        line.erase(0, 1);
        if (line == "UserAdmin On" || line == "AuthUserAdminSignIn On")
            line = "<Location \"/" + std::to_string(++locations) + "\">\n" + line + "\n</Location>";
        // UserAdminMailCommand requires UserAdminExtras.
        if (line == "UserAdminExtras Off")
            line = "UserAdminExtras On";
        directives += line + "\n";
    }
    CHECK_EQUAL(2, locations);
    expect_accepted(directives);
}

} // namespace useradmin::test
