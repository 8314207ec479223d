// Directives that useradminctl reads from httpd's configuration.
#include "scene.hpp"

#include "support/machine.hpp"
#include "support/process.hpp"

#include <filesystem>
#include <sys/stat.h>

namespace useradmin::test {

class CtlConfiguration : public Scene {
  protected:
    static std::string driver() { return "DBDriver " + database().driver() + "\n"; }
    static std::string params() { return "DBDParams '" + database().params() + "'\n"; }
    /// Runs list with this configuration.
    static CommandResult list_with(const std::string& text) {
        return ctl_without_database({"--config", file("some.conf", text), "list"});
    }
    static std::string folder() { return std::filesystem::path(path("x")).parent_path().string(); }
    static std::string server_root() { return "ServerRoot \"" + folder() + "\"\n"; }
};

TEST_GROUP_BASE(configuration, CtlConfiguration){};
TEST_GROUP_BASE(postgresql_configuration, CtlConfiguration){};

TEST(configuration, that_does_not_identify_the_database_is_rejected) {
    const auto status_of = [](const std::string& text) { return list_with(text).status; };
    CHECK_EQUAL(0, status_of(driver() + params() + driver()));
    CHECK_EQUAL(2, status_of(driver()));
    CHECK_EQUAL(2, status_of(params()));
    CHECK_EQUAL(2, status_of(driver() + params() + "DBDParams other\n"));
    CHECK_EQUAL(2, status_of(driver() + "DBDParams \"${PARAMS}\"\n"));
    CHECK_EQUAL(2, status_of(driver() + params() + "UserAdminTables user\n"));
    // If an option sets the parameters, DBDParams in the file may be undefined.
    expect_ok(ctl_without_database({"--config", file("some.conf", driver() + "DBDParams ${X}\n"),
                                    "--params", database().params(), "list"}));
}

TEST(configuration, runs_the_statements_of_DBDInitSQL) {
    create("ana@x.org");
    if (is_postgresql())
        change("CREATE SCHEMA shop; CREATE TABLE shop.\"user\" (LIKE \"user\" INCLUDING ALL); "
               "CREATE TABLE shop.\"session\" (LIKE \"session\" INCLUDING ALL); "
               "CREATE TABLE shop.\"account\" (LIKE \"account\" INCLUDING ALL)",
               "DROP SCHEMA shop CASCADE");
    const std::string statement =
        is_postgresql() ? "SET search_path TO shop"
                        : "CREATE TEMP TABLE \"user\" AS SELECT * FROM main.\"user\" WHERE 0";
    const std::string init = "DBDInitSQL '" + statement + "'\n";
    const auto count = [&](const std::string& lines) {
        return Json(expect_ok(ctl_with(lines, {"list", "--json"})) + "\n").at("pagination.total");
    };
    CHECK_EQUAL(std::string("1"), count(""));
    CHECK_EQUAL(std::string("0"), count(init));
    const std::string host = "<VirtualHost *:80>\n";
    const std::string end = "</VirtualHost>\n";
    CHECK_EQUAL(std::string("0"), count(host + init + end + host + init + end));
    CHECK_EQUAL(2, ctl_with(init + host + "DBDInitSQL 'SELECT 1'\n" + end, {"list"}).status);
    CHECK_EQUAL(2, ctl_with("DBDInitSQL '${INIT}'\n", {"list"}).status);
    const CommandResult failed = ctl_with("DBDInitSQL 'nonsense'\n", {"list"});
    CHECK_EQUAL(1, failed.status);
    CHECK_TEXT(has(failed.errors, "DBDInitSQL 'nonsense' failed: "), failed.errors.c_str());
    // If an option sets the parameters, the statements are those of another database.
    expect_ok(ctl_without_database(
        {"--config", path("database.conf"), "--params", database().params(), "list"}));
}

TEST(postgresql_configuration, statements_of_DBDInitSQL_run_again_after_a_reconnect) {
    const std::string id = create("ana@x.org");
    change("CREATE SCHEMA shop; CREATE TABLE shop.\"user\" AS TABLE \"user\"; "
           "CREATE TABLE shop.\"session\" AS TABLE \"session\"; "
           "CREATE TABLE shop.\"account\" AS TABLE \"account\"",
           "DROP SCHEMA shop CASCADE");
    const auto hash_in = [&](const std::string& schema) {
        return sql().value("SELECT \"password\" FROM " + schema + ".\"account\"").value();
    };
    const std::string hash = hash_in("public");
    Terminal terminal({machine::built("useradminctl").string(), "--config",
                       file("init.conf", with_database("DBDInitSQL 'SET search_path TO shop'\n")),
                       "passwd", id},
                      environment());
    terminal.await("assword: ");
    // The connection of an earlier command may still be listed.
    CHECK(sql().number("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE "
                       "backend_type = 'client backend' AND pid <> pg_backend_pid()") >= 1);
    // The command reads the catalog again because a column is missing.
    sql().run("ALTER TABLE shop.\"account\" DROP COLUMN \"updatedAt\"");
    terminal.type("another s3cr3t\n");
    terminal.await("assword: ");
    terminal.type("another s3cr3t\n");
    CHECK_EQUAL(0, terminal.status());
    CHECK_EQUAL(hash, hash_in("public"));
    CHECK(hash != hash_in("shop"));
}

TEST(configuration, is_taken_from_the_environment_without_an_option) {
    const Environment named = {{"USERADMINCTL_CONFIG", file("named.conf", driver() + params())}};
    expect_ok(ctl_without_database({"list"}, "", named));
    CHECK_EQUAL(2, ctl_without_database({"--config", "/nonexistent", "list"}, "", named).status);
    CHECK_EQUAL(2, ctl_without_database({"list"}, "", {{"USERADMINCTL_CONFIG", ""}}).status);
}

TEST(configuration, defaults_to_that_of_the_installed_httpd) {
    const std::string compiled = test::run({{machine::httpd().string(), "-V"}}).output;
    const auto compiled_value = [&](const std::string& name) {
        const std::size_t at = compiled.find(name + "=\"") + name.size() + 2;
        return compiled.substr(at, compiled.find('"', at) - at);
    };
    const std::filesystem::path installed =
        std::filesystem::path(compiled_value("HTTPD_ROOT")) / compiled_value("SERVER_CONFIG_FILE");
    const CommandResult without = ctl_without_database({"list"}, "", {{"USERADMINCTL_CONFIG", ""}});
    CHECK_EQUAL(2, without.status);
    CHECK_TEXT(has(without.errors, installed.string()), without.errors.c_str());

    const std::string folder = path("installed");
    const std::string name = "installed/" + compiled_value("SERVER_CONFIG_FILE");
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    const Environment confdir = {{"APACHE_CONFDIR", folder}};
    file(name, driver() + params());
    expect_ok(ctl_without_database({"list"}, "", confdir));
    expect_ok(ctl_without_database({"list", "--tables", "user session account"}, "", confdir));
    file(name, driver());
    CHECK(has(ctl_without_database({"list"}, "", confdir).errors,
              "DBDParams is not set in " + path(name)));
    // Relative file names also start at this directory.
    file("installed/part.conf", driver() + params());
    file(name, "Include part.conf\n");
    expect_ok(ctl_without_database({"list"}, "", confdir));
    CHECK(has(
        ctl_without_database({"list"}, "", {{"USERADMINCTL_CONFIG", ""}, {"APACHE_CONFDIR", ""}})
            .errors,
        installed.string()));
    // If options name the database, the installed configuration is not read.
    file(name, "UserAdminTables other\n");
    expect_ok(ctl({"list"}, "", confdir));
}

TEST(configuration, follows_include_directives) {
    std::filesystem::create_directories(path("parts/inner"));
    file("parts/a.conf", driver());
    file("parts/b.conf", params());
    file("parts/b.txt", "DBDParams other\n");
    file("parts/inner/c", driver() + params());
    expect_ok(list_with("Include " + path("parts/a.conf") + "\ninclude \"" + path("parts/b.conf") +
                        "\"\n"));
    expect_ok(list_with(server_root() + "Include parts/*.conf\nIncludeOptional none/*.conf\n"));
    expect_ok(list_with(server_root() + "IncludeOptional parts/[ab].conf parts/none\n"));
    expect_ok(list_with(server_root() + "Include parts/inner\n"));
    expect_ok(list_with(server_root() + "Include part*/a.conf\nInclude parts/b.conf\n"));
    CHECK_EQUAL(2, list_with(server_root() + "Include parts/a.conf\n").status);
    const CommandResult twice = list_with(server_root() + params() + "Include parts\n");
    CHECK_EQUAL(2, twice.status);
    CHECK(has(twice.errors, "parts/b.txt: DBDParams differs from that in"));
    const CommandResult absent =
        list_with(server_root() + driver() + params() + "Include nowhere.conf\n");
    CHECK_EQUAL(2, absent.status);
    CHECK(has(absent.errors, folder() + "/nowhere.conf, which does not exist"));
    std::filesystem::remove_all(path("parts"));
}

TEST(configuration, rejects_a_relative_Include_after_a_ServerRoot_in_a_condition) {
    file("part.conf", driver() + params());
    const auto list_including = [](const std::string& root, const std::string& named) {
        return list_with(server_root() + "<IfDefine X>\n" + root + "</IfDefine>\nInclude " + named +
                         "\n");
    };
    const std::string other = "ServerRoot /nonexistent\n";
    CHECK(has(list_including(other, "part.conf").errors,
              "part.conf, a relative path, but ServerRoot is set inside a condition"));
    expect_ok(list_including(other, path("part.conf")));
    expect_ok(list_including(server_root(), "part.conf"));
    expect_ok(list_with("<IfDefine X>\n" + other + "</IfDefine>\n" + server_root() +
                        "Include part.conf\n"));
}

TEST(configuration, ignores_a_dangling_link_that_IncludeOptional_matches) {
    std::filesystem::create_directories(path("enabled"));
    std::filesystem::create_symlink("/nonexistent", path("enabled/old.conf"));
    file("enabled/site.conf", driver() + params());
    for (const std::string named : {"enabled", "enabled/*.conf"}) {
        expect_ok(list_with(server_root() + "IncludeOptional " + named + "\n"));
        CHECK_EQUAL(2, list_with(server_root() + "Include " + named + "\n").status);
    }
    expect_ok(
        list_with(server_root() + driver() + params() + "IncludeOptional enabled/old.conf\n"));
    std::filesystem::remove_all(path("enabled"));
}

TEST(configuration, may_include_dev_null) {
    expect_ok(list_with(driver() + params() + "Include /dev/null\n"));
}

TEST(configuration, ignores_a_missing_file_in_a_condition_or_macro) {
    const std::string include = ">\nInclude /nonexistent/x.conf\n</";
    for (const auto& [name, argument] :
         {std::pair("IfFile", " /nonexistent"), std::pair("IfModule", " no.c"),
          std::pair("IfDefine", " NO"), std::pair("IfVersion", " >= 9"),
          std::pair("Macro", " App $name")})
        expect_ok(list_with(driver() + params() + "<" + name + argument + include + name + ">\n"));
    CHECK_EQUAL(
        2,
        list_with(driver() + params() + "<VirtualHost *:80" + include + "VirtualHost>\n").status);
}

TEST(configuration, names_an_included_directory_that_cannot_be_read) {
    std::string deep = "parts";
    for (int level = 0; level < 300; ++level)
        deep += "/inner";
    std::filesystem::create_directories(path(deep));
    const std::string main = file("some.conf", "Include " + path("parts") + "\n");
    // Each open directory takes a file descriptor.
    const CommandResult result =
        test::run({{"/bin/sh", "-c", "ulimit -n 256 && exec \"$@\"", "sh",
                    machine::built("useradminctl").string(), "--config", main, "list"},
                   environment()});
    std::filesystem::remove_all(path("parts"));
    CHECK_EQUAL(2, result.status);
    CHECK_TEXT(has(result.errors, "cannot read " + path("parts") + ": "), result.errors.c_str());
}

TEST(configuration, continues_after_a_backslash_with_any_line_ending) {
    for (const char* end : {"\n", "\r\n"})
        expect_ok(list_with(std::string("DBDriver \\") + end + "  " + database().driver() + end +
                            "DBDParams '" + database().params() + "'" + end));
}

TEST(configuration, unescapes_backslashes_with_and_without_quotes) {
    const std::string id = create("ana@x.org");
    for (const char* quote : {"", "\""}) {
        expect_ok(ctl_without_database(
            {"--config",
             file("some.conf", server_root() + driver() + params() + "UserAdminAuditLog " + quote +
                                   "one\\\\two.log" + quote + "\n"),
             "role", id, "admin"}));
        CHECK(std::filesystem::remove(path("one\\two.log")));
        std::filesystem::remove(path("one\\two.log.chain"));
    }
}

TEST(configuration, that_includes_itself_is_rejected) {
    file("first.conf", driver() + params() + "Include " + path("second.conf") + "\n");
    file("second.conf", "Include " + path("first.conf") + "\n");
    const CommandResult ended = ctl_without_database({"--config", path("first.conf"), "list"});
    CHECK_EQUAL(2, ended.status);
    CHECK(has(ended.errors, "first.conf includes itself"));
    // A file may be included twice, but not from within itself.
    file("second.conf", driver());
    expect_ok(list_with(params() + "Include " + path("second.conf") + "\nInclude " +
                        path("second.conf") + "\n"));
}

TEST(configuration, that_is_no_file_or_nests_too_deeply_is_rejected) {
    CHECK_EQUAL(2, ctl_without_database({"--config", "/dev/zero", "list"}).status);
    CHECK_EQUAL(2, ctl_without_database({"--config", folder(), "list"}).status);
    CHECK(has(ctl_without_database({"--config", "/nonexistent", "list"}).errors,
              "cannot read /nonexistent: No such file or directory"));
    ::mkfifo(path("pipe").c_str(), 0600);
    CHECK(has(list_with("Include " + path("pipe") + "\n").errors, "pipe: not a regular file"));
    file("large.conf", std::string((16 << 20) + 1, '#'));
    CHECK(has(ctl_without_database({"--config", path("large.conf"), "list"}).errors,
              "is larger than"));
    std::filesystem::remove(path("large.conf"));
    const auto file_name = [](int number) { return "deep" + std::to_string(number) + ".conf"; };
    file(file_name(129), driver() + params());
    for (int number = 128; number >= 0; --number)
        file(file_name(number), "Include " + path(file_name(number + 1)) + "\n");
    CHECK_EQUAL(2, ctl_without_database({"--config", path(file_name(0)), "list"}).status);
    expect_ok(ctl_without_database({"--config", path(file_name(1)), "list"}));
}

TEST(configuration, expands_variables_that_Define_sets_to_one_value) {
    file("params.conf", "DBDParams ${PARAMS}\n");
    const std::string define = "Define PARAMS \"" + database().params() + "\"\n";
    expect_ok(list_with(driver() + "Define PARAMS \"" + database().params() +
                        "\"\nDBDParams \"${PARAMS}\"\n"));
    expect_ok(list_with(
        driver() + "Define HERE " + folder() + "\n" + define +
        "Define QUOTED \"'${PARAMS}'\"\nDBDParams ${QUOTED}\nIncludeOptional ${HERE}/none*\n"));
    const CommandResult two =
        list_with(driver() + define + "Define PARAMS other\nDBDParams \"${PARAMS}\"\n");
    CHECK_EQUAL(2, two.status);
    CHECK(has(two.errors, "DBDParams contains an undefined or ambiguous variable or a macro "
                          "parameter; use --params"));
    CHECK_EQUAL(2,
                list_with(driver() + define + "UnDefine PARAMS\nDBDParams \"${PARAMS}\"\n").status);
    CHECK_EQUAL(2, list_with(driver() + params() + "Include ${NOWHERE}/x.conf\n").status);
}

TEST(configuration, ignores_a_recipes_defaults_after_an_earlier_Define) {
    const std::string define = "Define PARAMS \"" + database().params() + "\"\n";
    const std::string recipe =
        "<IfDefine !PARAMS>\nDefine PARAMS other\n</IfDefine>\nDBDParams \"${PARAMS}\"\n";
    expect_ok(list_with(driver() + define + recipe));
    CHECK_EQUAL(
        2, list_with(driver() + "<IfDefine HERE>\n" + define + "</IfDefine>\n" + recipe).status);
    CHECK_EQUAL(1, list_with(driver() + define + "UnDefine PARAMS\n" + recipe).status);
}

TEST(configuration, makes_a_variable_ambiguous_by_an_UnDefine_in_a_condition) {
    const std::string good = "Define PARAMS \"" + database().params() + "\"\n";
    const auto status_of = [&](const std::string& define) {
        return list_with(driver() + define + "DBDParams \"${PARAMS}\"\n").status;
    };
    CHECK_EQUAL(2, status_of("Define PARAMS other\n<IfDefine TEST>\nUnDefine PARAMS\n" + good +
                             "</IfDefine>\n"));
    CHECK_EQUAL(2, status_of(good + "<IfDefine TEST>\nUnDefine PARAMS\n</IfDefine>\n"));
    CHECK_EQUAL(0, status_of("Define PARAMS other\nUnDefine PARAMS\n" + good));
    CHECK_EQUAL(0, status_of("Define PARAMS other\n<IfDefine PARAMS>\nUnDefine PARAMS\n"
                             "</IfDefine>\n" +
                             good));
    CHECK_EQUAL(0, status_of(good + "<IfDefine TEST>\nUnDefine OTHER\n</IfDefine>\n"));
}

TEST(configuration, rejects_a_variable_without_a_value_or_with_macro_parameters) {
    const CommandResult empty =
        list_with(driver() + "Define NONE\nDBDParams '" + database().params() + "${NONE}'\n");
    CHECK_EQUAL(2, empty.status);
    CHECK(has(empty.errors, "DBDParams contains an undefined or ambiguous variable or a macro "
                            "parameter; use --params"));
    const auto status_of = [&](const std::string& value) {
        return list_with(driver() + "<Macro Site $name>\nDefine PARAMS \"" + value +
                         "\"\n</Macro>\nUse Site a\nDBDParams \"${PARAMS}\"\n")
            .status;
    };
    CHECK_EQUAL(2, status_of("/x/$name.db"));
    CHECK_EQUAL(0, status_of(database().params()));
}

TEST(configuration, that_sets_a_directive_to_a_macro_parameter_is_rejected) {
    const CommandResult ended = list_with("<Macro App $name $params>\n" + driver() +
                                          "DBDParams \"$params\"\n</Macro>\nUse App a x\n");
    CHECK_EQUAL(2, ended.status);
    CHECK_TEXT(has(ended.errors, "DBDParams contains an undefined or ambiguous variable or a macro "
                                 "parameter; use --params"),
               ended.errors.c_str());
    expect_ok(list_with("<Macro App $name>\n" + driver() + params() + "</Macro>\nUse App a\n"));
}

TEST(configuration, resolves_a_relative_secret_path_against_ServerRoot) {
    const std::string id = create("ana@x.org");
    file("secret", "the s3cr3t of the application\n");
    const std::string text = driver() + params() + "AuthUserAdminSecret file:secret\n";
    expect_ok(ctl_without_database(
        {"--config", file("root.conf", server_root() + text), "session", "open", id}));
    // The working directory contains the secret, but must not be searched.
    const auto where = std::filesystem::current_path();
    std::filesystem::current_path(folder());
    const CommandResult ended =
        ctl_without_database({"--config", file("none.conf", text), "session", "open", id});
    std::filesystem::current_path(where);
    CHECK_EQUAL(1, ended.status);
    const std::string compiled = test::run({{machine::httpd().string(), "-V"}}).output;
    const std::size_t at = compiled.find("HTTPD_ROOT=\"") + 12;
    const std::string root = compiled.substr(at, compiled.find('"', at) - at);
    CHECK(has(ended.errors, "cannot read " + root + "/secret: No such file or directory"));
}

} // namespace useradmin::test
