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

/// Fails a test whose log lines it did not name.
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
    // The library's own leak detection calls what a cache keeps a leak; the sanitizer build looks
    // for real ones.
    MemoryLeakWarningPlugin::turnOffNewDeleteOverloads();
    LogPlugin plugin;
    TestRegistry::getCurrentRegistry()->installPlugin(&plugin);
    int status = 2;
    try {
        // Not the number of failures: CTest takes 77 for a skipped test, and a process cannot exit
        // with 256.
        status = around(
            [&] { return CommandLineTestRunner::RunAllTests(count, arguments) == 0 ? 0 : 1; });
    } catch (const std::exception& trouble) {
        std::fprintf(stderr, "%s\n", trouble.what());
    }
    // What the servers wrote while they stopped belongs to no test, and must not be lost.
    const auto complaint = LogWatch::instance().settle();
    if (!complaint.empty()) {
        std::fprintf(stderr, "after the last test: %s", complaint.c_str());
        status = status == 0 ? 1 : status;
    }
    TestRegistry::getCurrentRegistry()->resetPlugins();
    return status;
}

} // namespace useradmin::test
