#include "support/test_main.hpp"

#include "support/fail_test.hpp"
#include "support/log_watch.hpp"
#include "support/test_database.hpp"

#include <CppUTest/CommandLineTestRunner.h>
#include <CppUTest/MemoryLeakWarningPlugin.h>
#include <CppUTest/TestHarness.h>
#include <CppUTest/TestPlugin.h>
#include <CppUTest/TestRegistry.h>
#include <cstdio>

namespace useradmin::test {

namespace {

class LogPlugin final : public TestPlugin {
  public:
    LogPlugin() : TestPlugin("LogPlugin") {}

    void preTestAction(UtestShell&, TestResult&) override { mark_test_running(true); }

    void postTestAction(UtestShell& test, TestResult& result) override {
        mark_test_running(false);
        const bool failed = test.hasFailed();
        const auto seen = failed ? LogWatch::instance().lines() : std::string();
        const auto complaint = LogWatch::instance().finish_test();
        if (!complaint.empty())
            result.addFailure(TestFailure(&test, complaint.c_str()));
        else if (!seen.empty())
            std::printf("\nthe error log while it ran:\n%s", seen.c_str());
    }
};

} // namespace

std::string take_option(std::vector<const char*>& arguments, std::string_view option,
                        std::string by_default) {
    std::erase_if(arguments, [&](std::string_view argument) {
        const bool has_option = argument.starts_with(option);
        if (has_option)
            by_default = argument.substr(option.size());
        return has_option;
    });
    return by_default;
}

void exclude_groups(const std::function<bool(std::string_view group)>& is_left_out) {
    TestRegistry& registry = *TestRegistry::getCurrentRegistry();
    std::vector<UtestShell*> tests;
    for (; registry.getFirstTest() != nullptr; registry.unDoLastAddTest())
        tests.push_back(registry.getFirstTest());
    for (auto test = tests.rbegin(); test != tests.rend(); ++test)
        if (!is_left_out((*test)->getGroup().asCharString()))
            registry.addTest(*test);
}

void exclude_groups_of_other_database(std::string_view database) {
    const std::string_view other = database == "postgresql" ? "sqlite_" : "postgresql_";
    exclude_groups([&](std::string_view group) { return group.starts_with(other); });
}

int run_tests(int count, const char* const* arguments,
              const std::function<int(const std::function<int()>&)>& around) {
    // CppUTest's leak detection reports cached objects. The sanitizer build finds real leaks.
    MemoryLeakWarningPlugin::turnOffNewDeleteOverloads();
    LogPlugin plugin;
    TestRegistry::getCurrentRegistry()->installPlugin(&plugin);
    int status = 2;
    try {
        // Do not return the number of failures: CTest treats 77 as a skipped test, and 256 would
        // become 0.
        status = around(
            [&] { return CommandLineTestRunner::RunAllTests(count, arguments) == 0 ? 0 : 1; });
    } catch (const std::exception& trouble) {
        std::fprintf(stderr, "%s\n", trouble.what());
    }
    // Report what servers logged after the last test.
    const auto complaint = LogWatch::instance().finish_test();
    if (!complaint.empty()) {
        std::fprintf(stderr, "after the last test: %s", complaint.c_str());
        status = status == 0 ? 1 : status;
    }
    TestRegistry::getCurrentRegistry()->resetPlugins();
    return status;
}

int run_tests_on_database(int count, char** arguments,
                          const std::function<void(TestDatabase&, const WorkFolder&)>& use) {
    std::vector<const char*> rest(arguments, arguments + count);
    const std::string name = take_option(rest, "--database=");
    return run_tests(static_cast<int>(rest.size()), rest.data(), [&](const auto& tests) {
        exclude_groups_of_other_database(name);
        const WorkFolder work;
        TestDatabase database(work, kind_of(name), "database");
        use(database, work);
        return tests();
    });
}

} // namespace useradmin::test
