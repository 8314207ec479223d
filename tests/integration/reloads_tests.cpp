// Graceful restarts under load.
#include "own_httpd.hpp"

#include "support/load.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <mutex>

namespace useradmin::test {

namespace {

/// Resources of httpd's parent process: file descriptors, shared mappings, and resident memory in
/// KiB.
struct ResourceUsage {
    long descriptors = 0;
    long shared = 0;
    long resident = 0;

    static ResourceUsage of(pid_t process) {
        const std::filesystem::path folder = "/proc/" + std::to_string(process);
        ResourceUsage found;
        found.descriptors = std::distance(std::filesystem::directory_iterator(folder / "fd"), {});
        std::ifstream maps(folder / "maps");
        for (std::string line; std::getline(maps, line);)
            if (line.find(" rw-s ") != std::string::npos)
                ++found.shared;
        found.resident = resident_kib(folder);
        return found;
    }
};

} // namespace

TEST_GROUP_BASE(reloads, OwnHttpd){};

TEST(reloads, under_load_fail_no_requests_and_leak_nothing) {
    start("UserAdminHashQueue 32\nUserAdminTotalCache 5\nAuthUserAdminCache 5\n" +
          location("/api/users", as_sara + "UserAdminPasswordHash argon2id m=64") +
          location("/sessions/users", "AuthUserAdmin On"));
    constexpr int threads = 4;
    constexpr int warm_up = 3;
    std::mutex mutex;
    std::string failure;
    std::atomic<int> answered{0};
    ResourceUsage before;
    ResourceUsage after;
    const int reloads = machine::times(8, 300);
    {
        const Load load(threads, [&](int thread, int turn) {
            const std::string number = std::to_string(thread) + "-" + std::to_string(turn);
            const Response response =
                turn % 4 == 0
                    ? send_alone(httpd_->port(), "POST", "/api/users",
                                 R"({"name":"N","password":"s3cr3t","email":"n)" + number + "@x\"}")
                    : send_alone(httpd_->port(), "GET", "/api/users?search=" + number);
            ++answered;
            const std::lock_guard lock(mutex);
            if (response.status != 200 && failure.empty())
                failure = number + ": " + (response.status == 0 ? "no response" : response.text());
        });
        for (int time = 0; time < warm_up + reloads; ++time) {
            if (time == warm_up)
                before = ResourceUsage::of(httpd_->main_process());
            const int seen = answered;
            httpd_->restart_gracefully();
            CHECK(eventually([&] { return answered > seen + threads; }));
        }
        after = ResourceUsage::of(httpd_->main_process());
    }
    CHECK_EQUAL(std::string(), failure);
    CHECK_EQUAL(before.descriptors, after.descriptors);
    CHECK_EQUAL(before.shared, after.shared);
    // Sanitizers keep freed memory for a while.
    if (machine::sanitizer_environment().empty())
        CHECK_TEXT(after.resident - before.resident < 1024,
                   (std::to_string(after.resident - before.resident) + " KiB more").c_str());
    if (machine::is_long())
        std::printf("\n%d reloads under %d requests: %ld KiB more in httpd's main process\n",
                    reloads, answered.load(), after.resident - before.resident);
}

} // namespace useradmin::test
