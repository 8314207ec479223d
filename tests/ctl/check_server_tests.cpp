// Problems in httpd's configuration and the running server that useradminctl check reports.
#include "scene.hpp"

#include "support/certificates.hpp"
#include "support/httpd.hpp"
#include "support/log_watch.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"

#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace useradmin::test {

namespace {

const std::string service = "<Location \"/api/users\">\n  Require all granted\n"
                            "  AuthUserAdmin On\n  UserAdmin On\n</Location>\n";

/// Returns the string with the first occurrence of a part replaced.
std::string replace_first(std::string text, std::string_view part, std::string_view replacement) {
    const std::size_t at = text.find(part);
    if (at == text.npos)
        fail_test("there is no " + std::string(part));
    return text.replace(at, part.size(), replacement);
}

} // namespace

class CheckServer : public Scene {
  protected:
    /// Writes a complete configuration that ends with these lines. Returns its path.
    static std::string full_config(const std::string& text, std::vector<std::string> modules = {}) {
        return Httpd::write_configuration(work(),
                                          {"event", std::move(modules), with_database(text), {}});
    }
    /// Like full_config(), but without the directives of the database.
    static std::string config_without_database(const std::string& text,
                                               std::vector<std::string> modules = {}) {
        return Httpd::write_configuration(work(), {"event", std::move(modules), text, {}});
    }
    static std::string database_directives(const std::string& driver,
                                           const std::string& parameters) {
        return "DBDriver " + driver + "\nDBDParams \"" + parameters + "\"\n";
    }
    /// Creates an SQLite database in the directory. Returns its path.
    static std::string create_database(const std::filesystem::path& folder) {
        const std::string database = folder / "users.sqlite";
        expect_ok(ctl_without_database({"--driver", "sqlite3", "--params", database, "schema"}));
        return database;
    }
    static std::string without_module(const std::string& name, const std::string& text) {
        const std::string configuration = full_config(text);
        write_file(configuration,
                   replace_first(replace_first(read_file(configuration),
                                               "LoadModule " + name + "_module", "#"),
                                 " useradmin:trace8 auth_useradmin:trace8", ""));
        return configuration;
    }
    static CommandResult check(const std::string& configuration,
                               std::vector<std::string> arguments = {}, Environment more = {}) {
        arguments.insert(arguments.begin(), {"--config", configuration, "check"});
        more.emplace_back("APACHE_HTTPD", machine::httpd().string());
        return ctl_without_database(std::move(arguments), "", more);
    }
    /// Fails the test unless the check finds exactly this problem.
    static void expect_problem(const std::string& configuration, const std::string& problem,
                               std::vector<std::string> arguments = {}, SourceLocation where = {}) {
        const CommandResult ended = check(configuration, std::move(arguments));
        if (ended.status != 1 || !ended.output.starts_with("1 problem found:\n  ") ||
            !has(ended.output.substr(0, ended.output.find('\n', 25)), problem))
            fail_test("status " + std::to_string(ended.status) + ": " + ended.output +
                          ended.errors + read_file(configuration),
                      where);
    }
    static void expect_no_problem(const CommandResult& ended, SourceLocation where = {}) {
        if (ended.status != 0 || !ended.output.starts_with("No problems found.\n"))
            fail_test("status " + std::to_string(ended.status) + ": " + ended.output + ended.errors,
                      where);
    }
    static void expect_no_problem(const std::string& configuration,
                                  std::vector<std::string> arguments = {},
                                  SourceLocation where = {}) {
        expect_no_problem(check(configuration, std::move(arguments)), where);
    }
    static std::string secret_directive(const std::string& text = "the s3cr3t of the application") {
        return "AuthUserAdminSecret file:" + file("check.secret", text + "\n") + "\n";
    }
};

TEST_GROUP_BASE(check_server, CheckServer){};

TEST(check_server, prints_the_verdict_first_and_details_if_verbose) {
    const std::string configuration = full_config(service);
    CHECK_FALSE(has(check(configuration).output, "driver"));
    CHECK(has(check(configuration).output, "(use --verbose to show them)\n"));
    const std::string details = check(configuration, {"--verbose"}).output;
    CHECK(details.starts_with("No problems found.\nDatabase\n  driver "));
    CHECK(has(details, "\nNotes\n"));
}

TEST(check_server, ignores_files_that_this_account_cannot_read) {
    const std::string configuration = full_config(secret_directive() + service);
    std::filesystem::permissions(path("check.secret"), std::filesystem::perms::none);
    Environment environment = Scene::environment();
    environment.emplace_back("APACHE_HTTPD", machine::httpd().string());
    const CommandResult ended = run_as_other_account(
        {machine::built("useradminctl").string(), "--config", configuration, "check"}, environment);
    std::filesystem::remove(path("check.secret"));
    CHECK_EQUAL(std::string(), ended.errors);
    CHECK_EQUAL(0, ended.status);
    CHECK(has(ended.output, "Not checked\n  testing the configuration (httpd -t) requires the "
                            "account that starts httpd, usually root\n"));
    for (const char* const text : {"Syntax error", "Permission denied", "AuthUserAdminSecret"})
        CHECK_FALSE(has(ended.output, text));
}

TEST(check_server, resolves_a_relative_configuration_path_in_the_current_directory) {
    const std::filesystem::path configuration = full_config(service);
    Environment environment = Scene::environment();
    environment.emplace_back("APACHE_HTTPD", machine::httpd().string());
    const auto check_in_directory = [&](std::vector<std::string> options, Environment variables) {
        std::vector<std::string> command = {"/bin/sh", "-c", "cd \"$0\" && exec \"$@\"",
                                            configuration.parent_path(),
                                            machine::built("useradminctl")};
        command.insert(command.end(), options.begin(), options.end());
        variables.insert(variables.end(), environment.begin(), environment.end());
        expect_no_problem(test::run({command, variables}));
    };
    const std::string name = configuration.filename();
    check_in_directory({"--config", name, "check"}, {});
    check_in_directory({"check"}, {{"USERADMINCTL_CONFIG", name}});
}

TEST(check_server, reports_a_database_file_that_httpds_children_cannot_use) {
    if (!running_as_root())
        return;
    const std::filesystem::path folder = work().make("children");
    const std::string database = create_database(folder);
    const std::string directives = "DBDriver sqlite3\nDBDParams " + database + "\n";
    const std::string configuration = config_without_database(directives + service);
    using std::filesystem::perms;
    const auto set_owner_and_mode = [](const std::filesystem::path& path, uid_t owner, perms mode) {
        CHECK_EQUAL(0, ::chown(path.c_str(), owner, owner));
        std::filesystem::permissions(path, mode);
    };
    const perms all_read = perms::owner_all | perms::group_read | perms::group_exec |
                           perms::others_read | perms::others_exec;
    const auto account = *Httpd::account();
    const std::string remedy =
        "; run: chown " + account.name + ": '" + database + "' && chmod u+rw '" + database + "';";
    set_owner_and_mode(folder, account.user_id, all_read);
    set_owner_and_mode(database, 0, perms::owner_read | perms::owner_write | perms::others_read);
    expect_problem(configuration, remedy);
    expect_problem(configuration, "users.sqlite (owner root:root, mode 0604), in " +
                                      folder.string() + " (owner " + account.name);
    set_owner_and_mode(database, account.user_id, perms::owner_read | perms::owner_write);
    expect_no_problem(configuration);
    {
        // These files exist only while the database is open. Write to it first, because SQLite
        // corrects the mode of empty files.
        Database open("sqlite3", database);
        open.run("CREATE TABLE other (id TEXT)");
        for (const char* suffix : {"-wal", "-shm"}) {
            set_owner_and_mode(database + suffix, account.user_id, perms::owner_read);
            expect_problem(configuration, database + suffix + " (owner " + account.name);
            expect_problem(configuration, database + "-wal' '" + database + "-shm' && chmod u+rw");
            set_owner_and_mode(database + suffix, account.user_id,
                               perms::owner_read | perms::owner_write);
        }
    }
    const auto move_from = [&](const std::filesystem::path& directory) {
        return account.name + " lacks full access to " + directory.string() +
               ": if no other program uses this directory, make " + account.name +
               " its owner; otherwise, move the database to a directory of its own";
    };
    for (const perms mode : {all_read, perms::owner_all}) {
        set_owner_and_mode(folder, 0, mode);
        expect_problem(configuration, move_from(folder));
    }
    const std::filesystem::path inner = folder / "inner";
    std::filesystem::create_directory(inner);
    std::filesystem::rename(database, inner / "users.sqlite");
    set_owner_and_mode(inner, account.user_id, perms::owner_all);
    expect_problem(config_without_database(
                       replace_first(directives, "children/", "children/inner/") + service),
                   move_from(inner));
}

TEST(check_server, prints_commands_that_fix_the_access_to_a_database_file) {
    if (!running_as_root())
        return;
    const std::filesystem::path folder = work().make("the app's files");
    const std::string database = create_database(folder);
    const std::string configuration =
        config_without_database(database_directives("sqlite3", database) + service);
    using std::filesystem::perms;
    std::filesystem::permissions(database, perms::owner_read | perms::owner_write);
    // A shared directory keeps its owner.
    std::filesystem::permissions(folder, perms(0777));
    const std::string found = check(configuration).output;
    const std::size_t start = found.find("; run: ");
    CHECK_TEXT(start != found.npos, found.c_str());
    const std::string remedy = found.substr(start + 7, found.find(';', start + 7) - start - 7);
    expect_ok(test::run({{"/bin/sh", "-c", remedy}}));
    expect_no_problem(configuration);
    struct stat about = {};
    CHECK_EQUAL(0, stat(folder.c_str(), &about));
    CHECK_EQUAL(uid_t(0), about.st_uid);
}

TEST(check_server, reports_a_relative_database_file) {
    const std::filesystem::path folder = work().make("relative");
    const std::string database = create_database(folder);
    std::filesystem::permissions(folder, std::filesystem::perms::all);
    std::filesystem::permissions(database, std::filesystem::perms(0666));
    const std::string configuration =
        config_without_database(database_directives("sqlite3", "users.sqlite") + service);
    const auto where = std::filesystem::current_path();
    std::filesystem::current_path(folder);
    const CommandResult relative = check(configuration);
    const CommandResult option = check(configuration, {"--params", "users.sqlite"});
    std::filesystem::current_path(where);
    CHECK_EQUAL(1, relative.status);
    CHECK_TEXT(has(relative.output, "DBDParams names the relative path users.sqlite, which httpd "
                                    "resolves against its working directory"),
               relative.output.c_str());
    expect_no_problem(option);
}

TEST(check_server, reports_the_owner_and_mode_of_an_unreadable_file) {
    if (!running_as_root())
        return;
    const std::filesystem::path folder = work().make("closed");
    const std::string database = create_database(folder);
    using std::filesystem::perms;
    const auto errors_of_check = [&] {
        return run_as_other_account({machine::built("useradminctl").string(), "--driver", "sqlite3",
                                     "--params", database, "check"},
                                    Scene::environment())
            .errors;
    };
    std::filesystem::permissions(database, perms::owner_read | perms::owner_write);
    std::filesystem::permissions(folder, perms::owner_all | perms::others_exec);
    const std::string file_alone = errors_of_check();
    CHECK_TEXT(has(file_alone, "unable to open database file: " + database +
                                   " (owner root:root, mode 0600), in " + folder.string() +
                                   " (owner root:root, mode 0701)"),
               file_alone.c_str());
    std::filesystem::permissions(folder, perms::owner_all);
    const std::string both = errors_of_check();
    CHECK_TEXT(has(both, "unable to open database file: " + database + " (Permission denied), in " +
                             folder.string() + " (owner root:root, mode 0700)"),
               both.c_str());
}

TEST(check_server, reports_a_misspelled_handler) {
    const auto page_config = [](const std::string& handler) {
        return full_config(service + "<Location \"/admin\">\n  SetHandler " + handler +
                           "\n</Location>\n");
    };
    expect_problem(page_config("useradmin-consol"),
                   "SetHandler: unknown handler useradmin-consol, so requests get 404; use one of "
                   "useradmin-better-auth, useradmin-console, useradmin-health, useradmin-metrics, "
                   "useradmin-openapi");
    for (const char* const handler : {"useradmin-console", "useradmin-openapi", "useradmin-metrics",
                                      "useradmin-health", "server-status"})
        expect_no_problem(page_config(handler));
}

TEST(check_server, reports_a_Location_without_a_slash) {
    for (const char* const line : {"SetHandler useradmin-metrics", "AuthUserAdmin On"})
        expect_problem(
            full_config(service + "<Location \"metrics\">\n  " + line +
                        "\n  UserAdminMaxLimit 5\n</Location>\n"),
            "<Location \"metrics\"> matches no request because paths start with a slash; use "
            "<Location \"/metrics\">");
    expect_no_problem(
        full_config(service + "<Location \"other\">\n  SetHandler server-status\n</Location>\n" +
                    "<Location ~ \"metrics$\">\n  SetHandler useradmin-metrics\n</Location>\n"));
}

TEST(check_server, reports_what_httpd_rejects) {
    const std::pair<std::string, const char*> rejections[] = {
        {full_config("AuthUserAdminSecret file:/nonexistent/secret\n" + service),
         "cannot read /nonexistent/secret"},
        {full_config("AuthUserAdminSecret env:NO_SUCH_SECRET\n" + service), "NO_SUCH_SECRET"},
        {full_config(secret_directive("") + service), "check.secret"},
        {full_config(replace_first(service, "/api/users", "/api/users/")),
         "must not end with a slash; use <Location \"/api/users\">"},
        {full_config(replace_first(service, "UserAdmin On\n<", "UserAdmin Yes\n<")),
         "UserAdmin must be On or Off"},
        {full_config("UserAdmin On\n"), "allowed only in a <Location>"},
        {full_config("<LocationMatch \"^/api/users\">\n  UserAdmin On\n</LocationMatch>\n"),
         "UserAdmin"},
        {full_config("UserAdminTrustedOrigins https://x.org\n" + service),
         "Invalid command 'UserAdminTrustedOrigins'"},
        {full_config(replace_first(service, "AuthUserAdmin", "AuthUserAdmim")), "AuthUserAdmim"},
        {full_config("UserAdminTimeout soon\n" + service), "UserAdminTimeout"},
        {full_config("UserAdminMaxLimit\n" + service), "UserAdminMaxLimit"},
        {full_config(service + "<Location \"/x\">\n"), "was not closed"},
        {full_config("LoadModule other_module /nonexistent/mod_other.so\n" + service),
         "/nonexistent/mod_other.so"},
        {without_module("dbd", service), "Invalid command 'DBDriver'"},
        {without_module("useradmin", service), "Invalid command 'UserAdmin'"},
    };
    for (const auto& [configuration, problem] : rejections)
        expect_problem(configuration, problem);
}

TEST(check_server, reports_mod_dbd_inside_a_false_condition) {
    const std::string configuration = without_module("dbd", service);
    write_file(configuration, replace_first(replace_first(read_file(configuration), "DBDriver",
                                                          "<IfModule mod_dbd.c>\nDBDriver"),
                                            "<Location", "</IfModule>\n<Location"));
    expect_problem(configuration, "mod_dbd");
}

TEST(check_server, reports_directives_of_modules_that_are_not_loaded) {
    for (const char* const condition : {"auth_useradmin_module", "mod_auth_useradmin.c"})
        expect_problem(without_module("auth_useradmin", "<IfModule " + std::string(condition) +
                                                            ">\n" + service + "</IfModule>\n"),
                       "load mod_auth_useradmin with LoadModule");
    expect_problem(without_module("useradmin", "<IfModule useradmin_module>\n<IfModule other>\n" +
                                                   service + "</IfModule>\n</IfModule>\n"),
                   "load mod_useradmin with LoadModule");
}

TEST(check_server, reports_an_IfModule_that_names_no_module) {
    for (const char* const name : {"mod_useradmin", "!mod_useradmin.so", "UserAdmin_module"})
        expect_problem(full_config(service + "<IfModule " + name + ">\n" + "UserAdminMaxLimit 5\n" +
                                   "UserAdminTimeout 5\n</IfModule>\n"),
                       "<IfModule " + std::string(name) + "> names no module; use");
}

TEST(check_server, accepts_directives_that_another_condition_skips) {
    const std::string session = replace_first(service, "AuthUserAdmin On", "UserAdminSession x y");
    for (const char* const condition : {"IfModule !mod_useradmin.c", "IfDefine NO_SUCH_NAME"}) {
        const std::string end = std::string(condition).substr(0, std::string(condition).find(' '));
        expect_no_problem(without_module("auth_useradmin", session + "<" + condition + ">\n" +
                                                               service + "</" + end + ">\n"));
    }
}

TEST(check_server, reports_configurations_that_httpd_accepts_but_that_do_not_work) {
    const std::string on = "AuthUserAdmin On\n";
    const std::string bare = replace_first(service, "  AuthUserAdmin On\n", "");
    const std::string host = "<VirtualHost *:80>\nServerName x.example.org\n";
    const std::string end = "</VirtualHost>\n";
    const auto location = [](const std::string& path, const std::string& directives) {
        return "<Location \"" + path + "\">\n" + directives + "</Location>\n";
    };
    const char* const no_caller = "requests get 401 unless another module";
    const char* const no_service = "the service is not enabled";
    const struct {
        const char* sentence;
        std::string configuration;
        /// Part of the only problem, or nullptr if there must be none.
        const char* problem;
    } rows[] = {
        {"no service", "", no_service},
        {"the service is off", location("/api/users", "UserAdmin Off\n"), no_service},
        {"sessions where the service is expected", location("/api/users", on), no_service},
        {"sessions without the service", location("/reports", on), nullptr},
        {"true conditions",
         "Define HERE\n<IfDefine HERE>\n<IfModule mod_useradmin.c>\n<IfModule !other_module>\n" +
             service + "</IfModule>\n</IfModule>\n</IfDefine>\n",
         nullptr},
        {"AuthUserAdmin is missing", bare, no_caller},
        {"AuthUserAdmin is off in the Location",
         on + replace_first(service, "AuthUserAdmin On", "AuthUserAdmin Off"), no_caller},
        {"AuthUserAdmin is on in another Location", bare + location("/api/user", on), no_caller},
        {"AuthUserAdmin is on below the service", bare + location("/api/users/x", on), no_caller},
        {"AuthUserAdmin is on for files", bare + "<Directory \"/\">\n" + on + "</Directory>\n",
         no_caller},
        {"a later Location turns it off", on + bare + location("/api", "AuthUserAdmin Off\n"),
         no_caller},
        {"AuthUserAdmin is on for the server", on + bare, nullptr},
        {"AuthUserAdmin is on in a Location around", bare + location("/api", on), nullptr},
        {"AuthUserAdmin is on in the root", bare + location("/", on), nullptr},
        {"a LocationMatch may apply",
         bare + "<LocationMatch \"^/api/\">\n" + on + "</LocationMatch>\n", nullptr},
        {"a LocationMatch may not apply",
         service + "<LocationMatch \"^/x\">\nAuthUserAdmin Off\n</LocationMatch>\n", nullptr},
        {"AuthUserAdmin is on in the virtual host", host + on + bare + end, nullptr},
        {"a virtual host inherits AuthUserAdmin", on + host + bare + end, nullptr},
        {"UserAdminSession names the caller",
         bare + "UserAdminSession \"%{reqenv:ID}\" \"%{reqenv:ROLE}\"\n", nullptr},
        {"a virtual host completes the main server", bare + host + on + end, nullptr},
        {"a virtual host completes the main server's Location",
         bare + host + location("/api/users", on) + end, nullptr},
        {"a virtual host completes another Location", bare + host + location("/x", on) + end,
         no_caller},
        {"the Locations of a virtual host apply last",
         host + bare + location("/api", "AuthUserAdmin Off\n") + end + location("/api", on),
         no_caller},
    };
    for (const auto& [sentence, configuration, problem] : rows) {
        const CommandResult ended = check(full_config(configuration));
        const std::string verdict =
            problem != nullptr ? "1 problem found:\n  " : "No problems found.\n";
        CHECK_TEXT(ended.output.starts_with(verdict) &&
                       (problem == nullptr || has(ended.output, problem)),
                   (std::string(sentence) + ": " + ended.output + ended.errors).c_str());
    }
}

TEST(check_server, reports_a_virtual_host_without_a_database) {
    const std::string directives = with_database("");
    const std::string other = "<VirtualHost *:80>\nServerName other.example.org\n";
    const std::string host = "<VirtualHost *:80>\nServerName x.example.org\n";
    const std::string end = "</VirtualHost>\n";
    expect_problem(config_without_database(other + directives + end + host + service + end),
                   "no DBDriver applies to the virtual host at ");
    expect_no_problem(config_without_database(other + directives + end + service));
    const std::size_t second = directives.find("DBDParams");
    const std::string driver_only =
        config_without_database(directives.substr(0, second) + other + directives.substr(second) +
                                end + host + service + end);
    if (database().driver() == "sqlite3")
        expect_problem(driver_only, "no DBDParams applies to");
    else // libpq may get its parameters from the environment
        expect_no_problem(driver_only);
    expect_no_problem(config_without_database(host + directives + service + end));
    expect_no_problem(config_without_database(host + service + end + directives));
    expect_no_problem(config_without_database("<Macro App>\n" + service + "</Macro>\n" + host +
                                                  directives + "Use App\n" + end,
                                              {"mod_macro.so"}));
}

TEST(check_server, reports_tables_with_other_names) {
    const CommandResult ended =
        check(full_config("UserAdminTables users sessions accounts\n" + service));
    CHECK_EQUAL(1, ended.status);
    CHECK(ended.output.starts_with("3 problems found:\n"));
    CHECK(has(ended.output, "set UserAdminTables user session account\n"));
}

TEST(check_server, reports_a_file_that_cannot_be_included) {
    const CommandResult ended = check(full_config("Include /nonexistent/x.conf\n" + service));
    CHECK_EQUAL(2, ended.status);
    CHECK(has(ended.errors, "/nonexistent/x.conf, which does not exist"));
}

TEST(check_server, reports_the_warnings_of_the_modules) {
    const CommandResult ended = check(full_config("AuthUserAdminSecret short\n" + service));
    CHECK_EQUAL(1, ended.status);
    CHECK(ended.output.starts_with("1 problem found:\n  UA0313: "));
    CHECK_FALSE(has(ended.output, "UA0311"));
}

TEST(check_server, reports_that_httpd_cannot_be_run) {
    const std::string configuration = full_config(service);
    const CommandResult ended =
        check(configuration, {}, {{"APACHE_ENVVARS", file("envvars", "exit 127\n")}});
    CHECK_EQUAL(0, ended.status);
    CHECK(ended.output.starts_with(
        "No problems found, but some checks could not be performed.\nNot checked\n  httpd: "));
    const Json json(check(configuration, {"--json"}, {{"APACHE_ENVVARS", path("envvars")}}).output);
    CHECK_EQUAL(1, json.size("data.unchecked"));
}

TEST(check_server, runs_httpd_with_the_variables_of_apachectl) {
    const Environment named = {
        {"APACHE_ENVVARS", file("envvars", "export THE_PORT=8099 APACHE_ARGUMENTS=-DSERVED\n")}};
    const std::string configuration = full_config(
        "Listen 127.0.0.1:${THE_PORT}\n<IfDefine SERVED>\n" + service + "</IfDefine>\n");
    expect_no_problem(check(configuration, {}, named));
    CHECK_EQUAL(1, check(configuration).status);
}

TEST(check_server, accepts_a_runtime_directory_that_does_not_exist_yet) {
    const std::string absent = path("run-of-apachectl");
    const Environment named = {
        {"APACHE_ENVVARS", file("envvars", "export APACHE_RUN_DIR=" + absent + "\n")}};
    expect_no_problem(
        check(full_config("DefaultRuntimeDir ${APACHE_RUN_DIR}\n" + service), {}, named));
    CHECK_FALSE(std::filesystem::exists(absent));
}

TEST(check_server, accepts_values_that_only_httpd_knows) {
    const Environment named = {
        {"APACHE_ENVVARS",
         file("envvars", "export BASE=/api/users THE_PORT=8098 KIND=console ROOT=/\n")}};
    const std::string page = "<Location \"/x\">\n  SetHandler useradmin-";
    const std::string mail = "  UserAdminExtras On\n  UserAdminMailCommand ${ROOT}bin/true\n"
                             "  UserAdminMailFrom a@example.org\n"
                             "  UserAdminMailPasswordLink https://a.example.org/{token}\n</";
    for (const std::string& text :
         {replace_first(service, "/api/users", "${BASE}"),
          service + page + "${KIND}\n</Location>\n",
          "Listen ${THE_PORT}\n<VirtualHost *:8098>\n" + service + "</VirtualHost>\n",
          "<IfFile ${ROOT}>\n" + service + "</IfFile>\n", replace_first(service, "</", mail),
          "<Macro App $path $kind>\n" + replace_first(service, "\"/api/users\"", "$path") + page +
              "$kind\n</Location>\n</Macro>\nUse App /api/users console\n"})
        expect_no_problem(check(full_config(text, {"mod_macro.so"}), {}, named));
}

TEST(check_server, reports_a_file_that_no_server_includes) {
    const CommandResult ended = check(file("part.conf", with_database(service)));
    CHECK_EQUAL(0, ended.status);
    CHECK(ended.output.starts_with("No problems found, but some checks could not be performed."));
    CHECK(has(ended.output, "part.conf is only part of a configuration"));
}

TEST(check_server, checks_the_server_that_includes_the_file) {
    const std::string part =
        file("part.conf", with_database(replace_first(service, "  AuthUserAdmin On\n", "")));
    const std::filesystem::path folder =
        std::filesystem::path(
            Httpd::write_configuration(work(), {"event", {}, "Include " + part + "\n", {}}))
            .parent_path();
    for (const char* const name : {"apache2.conf", "conf/httpd.conf"}) {
        std::filesystem::create_directories((folder / name).parent_path());
        write_file(folder / name, read_file(folder / "httpd.conf"));
    }
    const CommandResult ended = check(part, {}, {{"APACHE_CONFDIR", folder.string()}});
    CHECK_EQUAL(1, ended.status);
    CHECK(has(ended.output, "UA0225: neither AuthUserAdmin nor UserAdminSession applies"));
}

TEST(check_server, needs_no_configuration) {
    CHECK(ctl({"check"}).output.starts_with("No problems found.\n"));
}

TEST(check_server, does_not_check_values_with_undefined_variables) {
    const Environment named = {{"APACHE_ENVVARS", file("envvars", "export COLS=company\n")}};
    const CommandResult ended =
        check(full_config(replace_first(service, "</",
                                        "  UserAdminExtras On\n  UserAdminColumns ${COLS}\n</")),
              {}, named);
    CHECK_EQUAL_TEXT(0, ended.status, (ended.output + ended.errors).c_str());
    CHECK_TEXT(has(ended.output, "UserAdminColumns: contains an undefined or ambiguous variable"),
               ended.output.c_str());
}

TEST(check_server, queries_the_running_server) {
    const Httpd httpd(
        work(),
        {"event",
         {"mod_alias.so", "mod_auth_basic.so", "mod_authn_file.so", "mod_authz_user.so"},
         with_database(service +
                       "<Location \"/denied\">\n  Require all denied\n</Location>\n"
                       "<Location \"/closed\">\n  Require all denied\n"
                       "  AuthUserAdmin On\n  UserAdmin On\n</Location>\n"
                       "<Location \"/basic\">\n  AuthType Basic\n  AuthName x\n"
                       "  AuthUserFile /dev/null\n  Require valid-user\n</Location>\n"
                       "Redirect /moved http://localhost/\n"
                       "Alias /page \"${WORK}/httpd.conf\"\n"
                       "<Location \"/page\">\n  Require all granted\n</Location>\n"
                       "<Location \"/open\">\n  Require all granted\n"
                       "  UserAdminSession nobody superAdmin\n  UserAdmin On\n</Location>\n"),
         {}});
    const std::string configuration = full_config(service);
    expect_log("client denied by server configuration");
    const std::string server = "http://127.0.0.1:" + std::to_string(httpd.port());
    expect_no_problem(configuration, {"--url", server + "/api/users"});
    expect_no_problem(configuration, {"--url", server + "/api/users/"});
    for (const auto& [path, problem] :
         {std::pair("/api/user", "the 404 response is not from the service"),
          std::pair("/denied", "the 403 response is not from the service"),
          std::pair("/closed", "the service responded with 403 instead of 401"),
          std::pair("/basic", "httpd itself, not the service, requires credentials (401)"),
          std::pair("/moved", "the 302 response is not from the service"),
          std::pair("/page", "the 200 response is not from the service"),
          std::pair("/open", "instead of 401 to a request without credentials")})
        expect_problem(configuration, problem, {"--url", server + path});
}

TEST(check_server, queries_over_HTTPS_and_reports_an_untrusted_certificate) {
    const Certificates certificates(work(), "check_server");
    certificates.make("server", "/CN=elsewhere.example.com",
                      {"-addext", "basicConstraints=critical,CA:FALSE"});
    allow_log("AH01873"); // no SSLSessionCache
    allow_log("AH01882"); // mod_ssl was built with a newer OpenSSL
    allow_log("AH01909"); // the certificate has another name
    const std::string tls = "SSLEngine on\nSSLCertificateFile " + certificates.file("server.crt") +
                            "\nSSLCertificateKeyFile " + certificates.file("server.key") + "\n";
    const Httpd httpd(work(), {"event", {"mod_ssl.so"}, with_database(tls + service), {}});
    const std::string configuration = full_config(service);
    const std::string server = "127.0.0.1:" + std::to_string(httpd.port());
    expect_problem(configuration, "no response: SSL certificate problem: ",
                   {"--url", "https://" + server + "/api/users"});
    expect_problem(configuration, "the 400 response is not from the service",
                   {"--url", "http://" + server + "/"});
}

TEST(check_server, reports_a_server_that_is_not_running) {
    const std::string configuration = full_config(service);
    expect_problem(configuration, "no response: ", {"--url", "http://127.0.0.1:1/api/users"});
    CHECK_EQUAL(1, ctl({"check", "--url", "http://127.0.0.1:1/api/users"}).status);
}

TEST(check_server, rejects_URLs_that_it_cannot_query) {
    for (const char* const url :
         {"ftp://localhost/api/users", "localhost", "http://", "/api", "http://a@localhost/",
          "https://:b@localhost/", "http://local host/", "http://x/\r\nY: z"})
        CHECK_EQUAL_TEXT(2, ctl({"check", "--url", url}).status, url);
}

} // namespace useradmin::test
