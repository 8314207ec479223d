// `httpd -t` refuses a bad configuration with a sentence that says what is wrong.
#include "scene.hpp"

namespace useradmin::test {

class Configuration : public Scene {
  protected:
    static std::string with_database(const std::string& configuration) {
        return Suite::directives_for(Suite::current().database()) + configuration;
    }

    /// httpd refuses the configuration, and says each of the texts.
    static void refused(const std::string& configuration, const std::vector<std::string>& texts,
                        Here here = {}) {
        const auto finished =
            Httpd::check(Suite::current().work(), Suite::current().settings(configuration));
        if (finished.status == 0)
            give_up("httpd took this:\n" + configuration + finished.output, here);
        for (const auto& text : texts)
            if (finished.output.find(text) == std::string::npos)
                give_up("httpd did not say \"" + text + "\" but\n" + finished.output, here);
        UtestShell::getCurrent()->countCheck();
    }

    /// A directive in the service's Location is refused with a sentence that names it.
    static void refused_in_location(const std::string& directive, const std::string& text,
                                    Here here = {}) {
        refused(with_database(location("/api/users", directive)),
                {directive.substr(0, directive.find(' ')), text}, here);
    }

    static void taken(const std::string& configuration, Here here = {}) {
        const auto finished =
            Httpd::check(Suite::current().work(), Suite::current().settings(configuration));
        if (finished.status != 0)
            give_up("httpd refused this:\n" + configuration + finished.output, here);
        UtestShell::getCurrent()->countCheck();
    }
};

TEST_GROUP_BASE(configuration, Configuration){};

TEST(configuration, of_every_directive_with_right_values_is_taken) {
    taken(
        with_database("UserAdminHashLimit 3\nUserAdminMaxLimit 10\nUserAdminMaxBody 2048\n"
                      "UserAdminTimeout 1\nUserAdminProtectedEmail a@example.org\n"
                      "UserAdminPasswordHash scrypt\nUserAdminSession %{REMOTE_USER}\n"
                      "AuthUserAdmin On\nAuthUserAdminCookie a.b-c_d\nAuthUserAdminBearer Off\n"
                      "AuthUserAdminTimeout 2\n" +
                      location("/api/users", "UserAdminSession \"%{note:a}\" \"%{env:B}\"\n"
                                             "UserAdminProtectedEmail b@example.org\n"
                                             "UserAdminPasswordHash argon2id t=3 m=65536 p=4\n"
                                             "UserAdminMaxLimit 100000\nUserAdminMaxBody 1048576\n"
                                             "UserAdminTimeout 300\nAuthUserAdmin Off\n"
                                             "AuthUserAdminCookie x\nAuthUserAdminBearer On")));
}

TEST(configuration, of_stand_alone_sign_in_with_right_values_is_taken) {
    taken(with_database("UserAdminPasswordHash scrypt\nAuthUserAdminSignInLimit 3\n"
                        "<Location \"/api/auth/\">\nAuthUserAdminSignIn On\n"
                        "UserAdminPasswordHash argon2id t=3\nAuthUserAdminSignInLimit 5 3600\n"
                        "AuthUserAdminSecret s3cr3t\n</Location>\n"
                        "<Location \"/off\">\nAuthUserAdminSignIn Off\n</Location>\n"));
}

TEST(configuration, of_UserAdmin_outside_of_a_Location_is_refused) {
    refused(with_database("UserAdmin On\n"), {"UserAdmin", "<Location"});
    refused(with_database("<VirtualHost *:80>\nUserAdmin On\n</VirtualHost>\n"),
            {"UserAdmin", "<Location"});
    refused(with_database("<Directory \"/srv\">\nUserAdmin On\n</Directory>\n"),
            {"UserAdmin", "<Location"});
    refused(with_database("<Files \"x\">\nUserAdmin On\n</Files>\n"), {"UserAdmin", "<Location"});
}

TEST(configuration, of_UserAdmin_in_a_Location_of_patterns_is_refused) {
    refused(with_database("<LocationMatch \"^/api\">\nUserAdmin On\n</LocationMatch>\n"),
            {"UserAdmin", "<Location"});
    refused(with_database("<Location ~ \"^/api\">\nUserAdmin On\n</Location>\n"),
            {"UserAdmin", "<Location"});
    refused(with_database("<Location \"/api/*\">\nUserAdmin On\n</Location>\n"),
            {"UserAdmin", "wildcard"});
}

TEST(configuration, of_a_switch_that_is_neither_On_nor_Off_is_refused) {
    refused(with_database("<Location \"/api\">\nUserAdmin Yes\n</Location>\n"),
            {"UserAdmin", "On or Off"});
    refused_in_location("AuthUserAdmin maybe", "On or Off");
    refused_in_location("AuthUserAdminBearer 1", "On or Off");
}

TEST(configuration, of_UserAdminSession_that_is_no_expression_is_refused) {
    refused_in_location("UserAdminSession \"%{note:\"", "expression");
    refused_in_location("UserAdminSession \"%{note:id}\" \"%{nofunction:x}\"", "expression");
    refused_in_location("UserAdminSession a b c", "1-2 arguments");
    refused_in_location("UserAdminSession", "1-2 arguments");
}

TEST(configuration, of_UserAdminProtectedEmail_that_is_no_address_is_refused) {
    refused_in_location("UserAdminProtectedEmail nobody", "e-mail address");
    refused_in_location("UserAdminProtectedEmail \" \"", "e-mail address");
    refused_in_location("UserAdminProtectedEmail a@x b@x", "takes one argument");
}

TEST(configuration, of_UserAdminPasswordHash_that_is_unknown_or_out_of_bounds_is_refused) {
    for (const char* value : {"", "md5", "argon2id m=7", "scrypt argon2id"})
        refused_in_location(std::string("UserAdminPasswordHash ") + value, "must be 'scrypt', or");
}

TEST(configuration, of_AuthUserAdminSecret_that_is_not_there_is_refused_with_the_reason) {
    refused_in_location("AuthUserAdminSecret file:/nonexistent",
                        "cannot read /nonexistent: No such file or directory");
    refused_in_location("AuthUserAdminSecret /etc/passwd", "put file: before it");
    refused_in_location("AuthUserAdminSecret env:NO_SUCH_VARIABLE", "no variable NO_SUCH_VARIABLE");
}

TEST(configuration, of_a_number_that_is_none_or_out_of_bounds_is_refused) {
    for (const char* directive : {"UserAdminMaxLimit", "UserAdminMaxBody", "UserAdminTimeout"})
        for (const char* value : {"0", "-1", "x", "1x", "1.5", "\" 5\"", "99999999999999999999"})
            refused_in_location(std::string(directive) + " " + value, "must be");
    for (const char* value : {"0", "-1", "x", "1.5", "99999999999999999999"}) {
        refused(with_database("UserAdminHashLimit " + std::string(value) + "\n"),
                {"UserAdminHashLimit", "must be"});
        refused_in_location("AuthUserAdminTimeout " + std::string(value), "must be");
    }
}

TEST(configuration, of_UserAdminHashLimit_below_the_whole_server_is_refused) {
    refused_in_location("UserAdminHashLimit 2", "not allowed");
    refused(with_database("<VirtualHost *:80>\nUserAdminHashLimit 2\n</VirtualHost>\n"),
            {"UserAdminHashLimit", "<VirtualHost>"});
}

TEST(configuration, of_AuthUserAdminCookie_that_is_no_cookie_s_name_is_refused) {
    for (const char* value : {"\"\"", "\"a b\"", "a=b", "\"a;b\"", "\"a,b\""})
        refused_in_location("AuthUserAdminCookie " + std::string(value), "cookie");
}

TEST(configuration, of_AuthUserAdminSignIn_outside_of_a_Location_is_refused) {
    for (const char* section : {"<Directory \"/srv\">", "<Files \"x\">", "<LocationMatch \"/a\">",
                                "<Location \"/a/*\">", "<Location ~ \"/a\">"}) {
        std::string text = section;
        const std::string name = text.substr(1, text.find(' ') - 1);
        text += "\nAuthUserAdminSignIn On\n</" + name + ">\n";
        refused(with_database(text), {"AuthUserAdminSignIn", "<Location \"/api/auth\">"});
    }
    refused(with_database("AuthUserAdminSignIn On\n"),
            {"AuthUserAdminSignIn", "<Location \"/api/auth\">"});
}

TEST(configuration, of_AuthUserAdminSignInLimit_that_is_none_or_out_of_bounds_is_refused) {
    for (const char* value : {"0", "-1", "x", "1.5", "1000001", "5 0", "5 x", "5 86401"})
        refused(with_database("AuthUserAdminSignInLimit " + std::string(value) + "\n"),
                {"AuthUserAdminSignInLimit", "must be how many attempts may fail"});
    refused(with_database("AuthUserAdminSignInLimit\n"), {"takes 1-2 arguments"});
    refused(with_database("AuthUserAdminSignInLimit 1 2 3\n"), {"takes 1-2 arguments"});
}

TEST(configuration, without_a_database_is_refused) {
    refused("<Location \"/x\">\nAuthUserAdminSignIn On\n</Location>\n",
            {"AuthUserAdmin", "DBDriver"});
    refused(location("/api/users", ""), {"UserAdmin", "DBDriver"});
    refused("<Location \"/x\">\nAuthUserAdmin On\n</Location>\n", {"AuthUserAdmin", "DBDriver"});
}

TEST(configuration, without_either_module_in_use_wants_no_database) {
    taken("<Location \"/api\">\nUserAdmin Off\nAuthUserAdmin Off\n</Location>\n");
}

} // namespace useradmin::test
