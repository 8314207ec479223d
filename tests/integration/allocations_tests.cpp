// Makes each allocation of a request fail, first only that allocation, then all later ones, too. A
// short run tests every seventh allocation.
#include "module/failing_allocations.hpp"
#include "own_httpd.hpp"

#include "support/machine.hpp"
#include "support/process.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>

namespace useradmin::test {

class Allocations : public OwnHttpd {
  protected:
    void setup() override {
        OwnHttpd::setup();
        // Not with sanitizers, which replace malloc().
        if (!Suite::current().is_event_without_sanitizers())
            return;
        for (const char* line : {"UA0", "AH00629", "AH02655"}) // each failure is logged
            allow_log(line);
        const auto file = Suite::current().work().path() / "allocations";
        environment_ = {{"LD_PRELOAD", machine::built("tests/failing_allocations.so").string()},
                        {"TEST_ALLOCATIONS", file.string()}};
        start("LoadModule test_callers_module \"" +
              machine::built("tests/mod_test_callers.so").string() +
              "\"\nUserAdminPasswordHash argon2id m=64 t=1\n" +
              location("/api/users", "AuthUserAdmin On") +
              location("/cached/users",
                       "AuthUserAdmin On\nAuthUserAdminCache 60\nUserAdminTotalCache 60\n"
                       "UserAdminTrustedOrigin https://app.example.org") +
              sign_in("/api/auth", ""));
        const int opened = open(file.c_str(), O_RDONLY | O_CLOEXEC);
        void* const memory =
            mmap(nullptr, sizeof(AllocationCounts), PROT_READ, MAP_SHARED, opened, 0);
        close(opened);
        CHECK_TRUE(memory != MAP_FAILED);
        counts_ = static_cast<const AllocationCounts*>(memory);
        children_ = children_of(httpd_->main_process());
    }
    void teardown() override {
        if (counts_ != nullptr)
            munmap(const_cast<AllocationCounts*>(counts_), sizeof(AllocationCounts));
        OwnHttpd::teardown();
    }

    /// Repeats the request until no allocation fails, with one more successful allocation each
    /// time. Calls `prepare` before each attempt and `check` with each response.
    template <class Prepare, class Check>
    void fail_each_allocation(const Request& request, const char* kind, const Prepare& prepare,
                              const Check& check) {
        constexpr int most = 3000;
        for (int granted = 0; granted < most; granted += machine::times(7, 1)) {
            prepare();
            Request failing = request;
            failing.headers.push_back("X-Fail-Allocations: " + std::to_string(granted) + kind);
            const long failed_before = counts_->failed;
            const std::optional<Response> response = client_->try_send(failing);
            const bool has_failed = counts_->failed != failed_before;
            for (const pid_t child : children_)
                if (has_ended(child))
                    fail({},
                         "a child of httpd has ended at allocation " + std::to_string(granted) +
                             kind,
                         {});
            // If all allocations fail, httpd may send no response.
            if (!response && (*kind == '\0' || !has_failed))
                fail({},
                     request.method + " " + request.path + ": no response at allocation " +
                         std::to_string(granted) + kind,
                     {});
            if (response)
                check(*response, has_failed);
            if (!has_failed)
                return;
        }
        fail({}, "some allocation still fails", {});
    }

    const AllocationCounts* counts_ = nullptr;
    std::vector<pid_t> children_;
};

TEST_GROUP_BASE(allocations, Allocations){};

TEST(allocations, that_fail_result_only_in_500_or_503) {
    if (!Suite::current().is_event_without_sanitizers())
        return;
    std::string complete; // the response without failing allocations
    const auto check = [&complete](const Response& response, bool has_failed) {
        check_response(response);
        if (response.status == 200 && !complete.empty())
            expect(response, 200, complete);
        if (response.status != 200 &&
            !(has_failed && (response.status == 500 || response.status == 503)))
            fail(response, "unexpected status", {});
    };
    const auto restore_rows = [] {
        sql().run(
            R"(DELETE FROM "account"; DELETE FROM "user" WHERE "id" NOT IN ('sara-1', 'ada-1'))");
        add_user(ulises());
    };
    const std::string token = bearer(Caller::super_admin);
    const Request requests[] = {
        {"GET", "/api/users?search=a", {token}},
        {"GET", "/cached/users?role=user", {token, "Origin: https://app.example.org"}},
        {"GET", "/api/users/ulises-1", {token}},
        {"POST", "/api/users", {token}, R"({"name":"N","email":"n@x","password":"s3cr3t"})"},
        {"PUT", "/cached/users/ulises-1", {token}, R"({"name":"Otra","banned":true})"},
        {"DELETE", "/api/users/ulises-1", {token}},
    };
    for (const char* kind : {"", " all"})
        for (const Request& request : requests) {
            restore_rows();
            complete = request.method == "GET" ? client_->send(request).body : "";
            fail_each_allocation(request, kind, restore_rows, check);
            CHECK_EQUAL(sql().number(R"(SELECT count(*) FROM "user" WHERE "email" = 'n@x')"),
                        sql().number(R"(SELECT count(*) FROM "account")"));
        }
}

TEST(allocations, that_fail_make_only_the_sign_in_fail) {
    if (!Suite::current().is_event_without_sanitizers())
        return;
    expect_success(send("POST", "/api/users",
                        R"({"name":"Nina","email":"nina@example.org","password":"s3cr3t"})"));
    const auto restore_session = [] {
        sql().run(R"(DELETE FROM "session" WHERE "token" = 's3cr3t-token-of-nina')");
        add_session("s3cr3t-token-of-nina", "ulises-1");
    };
    const auto check = [](const Response& response, bool has_failed) {
        // cJSON does not distinguish out of memory from invalid JSON, so the response may be 400.
        const bool is_failure =
            response.status == 500 || response.status == 503 || response.status == 400;
        if (response.status != 200 && !(has_failed && is_failure))
            fail(response, "unexpected status", {});
    };
    const std::vector<std::string> token = {"Authorization: Bearer s3cr3t-token-of-nina"};
    const Request requests[] = {
        {"POST",
         "/api/auth/sign-in/email",
         {},
         R"({"email":"nina@example.org","password":"s3cr3t"})"},
        {"GET", "/api/auth/get-session", token},
        {"POST", "/api/auth/sign-out", token, "{}"},
    };
    for (const char* kind : {"", " all"})
        for (const Request& request : requests)
            fail_each_allocation(request, kind, restore_session, check);
}

} // namespace useradmin::test
