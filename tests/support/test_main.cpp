#include "support/test_main.hpp"

#include "support/log_watch.hpp"
#include "support/trouble.hpp"

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
        const auto complaint = LogWatch::instance().settle();
        if (!complaint.empty())
            result.addFailure(TestFailure(&test, complaint.c_str()));
        else if (!seen.empty())
            std::printf("\nthe error log while it ran:\n%s", seen.c_str());
    }
};

} // namespace

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
    // Report what servers logged during shutdown. No test owns those lines.
    const auto complaint = LogWatch::instance().settle();
    if (!complaint.empty()) {
        std::fprintf(stderr, "after the last test: %s", complaint.c_str());
        status = status == 0 ? 1 : status;
    }
    TestRegistry::getCurrentRegistry()->resetPlugins();
    return status;
}

} // namespace useradmin::test
