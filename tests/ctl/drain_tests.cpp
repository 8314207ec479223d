// useradminctl drain: a file that makes the health check fail.
#include "scene.hpp"

#include "support/files.hpp"

#include <filesystem>
#include <unistd.h>

namespace useradmin::test {

class Drain : public Scene {
  protected:
    static CommandResult drain(const std::string& directive, std::vector<std::string> words) {
        words.insert(words.begin(), "drain");
        return ctl_with(directive, std::move(words));
    }

    void teardown() override {
        std::filesystem::remove_all(file_);
        Scene::teardown();
    }

    // The work folder may be in /tmp.
    const std::filesystem::path file_ = "/dev/shm/useradmin-drained-" + std::to_string(::getpid());
    const std::string directive_ = "UserAdminDrainFile " + file_.string() + "\n";
};

TEST_GROUP_BASE(drain, Drain){};

TEST(drain, creates_and_removes_the_file_of_the_configuration) {
    for (int time = 0; time < 2; ++time) {
        STRCMP_CONTAINS("useradmin-health returns 503",
                        expect_ok(drain(directive_, {"on"})).c_str());
        CHECK(std::filesystem::exists(file_));
    }
    for (int time = 0; time < 2; ++time) {
        STRCMP_CONTAINS("useradmin-health returns 200 again",
                        expect_ok(drain(directive_, {"off"})).c_str());
        CHECK_FALSE(std::filesystem::exists(file_));
    }
    CHECK_EQUAL(std::string("true"),
                Json(drain(directive_, {"on", "--json"}).output).at("data.drains"));
    expect_ok(drain(directive_, {"off"}));
}

TEST(drain, with_a_file_needs_neither_a_configuration_nor_a_database) {
    const std::string output =
        expect_ok(ctl_without_database({"drain", "on", "--file", file_.string()}));
    STRCMP_CONTAINS(("where UserAdminDrainFile is " + file_.string()).c_str(), output.c_str());
    STRCMP_CONTAINS(("run: useradminctl drain off --file " + file_.string()).c_str(),
                    output.c_str());
    CHECK(std::filesystem::exists(file_));
    CHECK_EQUAL(0, ctl_without_database({"drain", "off", "--file", file_.string()}).status);
    CHECK_FALSE(std::filesystem::exists(file_));
}

TEST(drain, needs_UserAdminDrainFile_and_on_or_off) {
    const CommandResult none = drain("", {"on"});
    CHECK_EQUAL(2, none.status);
    STRCMP_CONTAINS("the configuration has no UserAdminDrainFile", none.errors.c_str());
    CHECK_EQUAL(2, drain(directive_, {"maybe"}).status);
}

TEST(drain, keeps_the_content_of_an_existing_file) {
    write_file(file_, "upgrade at noon\n");
    expect_ok(ctl_without_database({"drain", "on", "--file", file_.string()}));
    CHECK_EQUAL(std::string("upgrade at noon\n"), read_file(file_));
}

TEST(drain, off_removes_no_directory) {
    std::filesystem::create_directory(file_);
    const CommandResult ended = ctl_without_database({"drain", "off", "--file", file_.string()});
    CHECK_EQUAL(1, ended.status);
    STRCMP_CONTAINS(("cannot change " + file_.string()).c_str(), ended.errors.c_str());
    CHECK(std::filesystem::exists(file_));
}

TEST(drain, rejects_a_file_that_PrivateTmp_hides_from_httpd) {
    for (const char* file :
         {"/tmp/useradmin-drain", "/var/tmp/useradmin-drain", "/run/../tmp/useradmin-drain"})
        for (const char* argument : {"on", "off"}) {
            const CommandResult ended =
                drain("UserAdminDrainFile " + std::string(file) + "\n", {argument});
            CHECK_EQUAL(2, ended.status);
            STRCMP_CONTAINS("must be outside /tmp and /var/tmp", ended.errors.c_str());
            CHECK_FALSE(std::filesystem::exists(file));
        }
}

TEST(drain, says_why_the_file_cannot_be_created) {
    const CommandResult ended = drain("UserAdminDrainFile /no/such/folder/file\n", {"on"});
    CHECK_EQUAL(1, ended.status);
    STRCMP_CONTAINS("cannot change /no/such/folder/file: No such file or directory",
                    ended.errors.c_str());
}

} // namespace useradmin::test
