// What is counted for the operator, and how Prometheus reads it.
#include "httpd/metrics_registry.hpp"
#include "httpd/prometheus.hpp"

#include "support/process.hpp"

#include <CppUTest/TestHarness.h>
#include <algorithm>
#include <apr_general.h>
#include <csignal>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace useradmin::test {

using httpd::Lookup;
using httpd::Metrics;
using httpd::MetricsRegistry;
using httpd::MetricsSnapshot;
using httpd::Rejection;
using httpd::ServerMetrics;
using namespace std::chrono_literals;

class FiguresTest : public Utest {
  protected:
    void setup() override {
        apr_initialize();
        apr_pool_create(&process_, nullptr);
        read_configuration();
    }
    void teardown() override {
        apr_pool_destroy(process_);
        apr_terminate();
    }

    /// As httpd does at a reload.
    void read_configuration() {
        if (configuration_ != nullptr)
            apr_pool_destroy(configuration_);
        apr_pool_create(&configuration_, process_);
        const auto opened = MetricsRegistry::open(process_, configuration_, children);
        CHECK(std::holds_alternative<MetricsRegistry*>(opened));
        book_ = std::get<MetricsRegistry*>(opened);
    }
    Metrics of(const std::string& name) {
        const auto figures = book_->metrics_of(name.c_str());
        CHECK(std::holds_alternative<Metrics>(figures));
        return std::get<Metrics>(figures);
    }
    MetricsSnapshot sums(const std::string& name) {
        return of(name).snapshot(book_->running_children());
    }
    /// The requests of the operation with that status.
    std::uint64_t requests(const std::string& name, std::size_t operation = 0, int status = 200) {
        const auto statuses = sums(name).operations[operation].statuses;
        const auto found = statuses.find(status);
        return found != statuses.end() ? found->second : 0;
    }

    /// A child of httpd that does something and is then killed.
    template <class Work>
    void run_child(const Work& work) {
        const pid_t child = fork();
        if (child == 0) {
            work(book_->register_child());
            kill(getpid(), SIGKILL);
        }
        waitpid(child, nullptr, 0);
    }

    static constexpr unsigned children = 3;
    apr_pool_t* process_ = nullptr;
    apr_pool_t* configuration_ = nullptr;
    MetricsRegistry* book_ = nullptr;
};

TEST_GROUP_BASE(metrics, FiguresTest){};

TEST(metrics, are_shared_by_all_children) {
    const Metrics figures = of("a");
    for (int number = 0; number < 5; ++number)
        run_child([&](int child) {
            figures.in_child(child).count_request(0, 200, 1ms);
            figures.in_child(child).count(Lookup::valid);
            figures.in_child(child).count(Rejection::hash_queue);
        });
    CHECK_EQUAL(5, requests("a"));
    CHECK_EQUAL(5, sums("a").lookups[static_cast<std::size_t>(Lookup::valid)]);
    CHECK_EQUAL(5, sums("a").rejections[static_cast<std::size_t>(Rejection::hash_queue)]);
}

TEST(metrics, are_separate_for_each_name) {
    constexpr std::uint64_t names = 50;
    for (std::uint64_t number = 0; number < names; ++number)
        for (std::uint64_t time = 0; time < number; ++time)
            of(std::to_string(number)).count_request(0, 200, 1ms);
    for (std::uint64_t number = 0; number < names; ++number)
        CHECK_EQUAL(number, requests(std::to_string(number)));
}

TEST(metrics, survive_a_restart) {
    of("a").count_request(0, 200, 1ms);
    for (int time = 0; time < 5; ++time) {
        read_configuration();
        CHECK_EQUAL(1, requests("a"));
    }
}

TEST(metrics, reuse_the_slot_of_a_removed_name_after_two_restarts) {
    of("gone").count_request(0, 200, 1ms);
    read_configuration();
    for (int number = 0; number < 15; ++number)
        of(std::to_string(number));
    of("15");
    CHECK_EQUAL(1, requests("gone"));
    read_configuration();
    for (int number = 0; number < 32; ++number)
        CHECK_EQUAL(0, requests(std::to_string(number)));
}

TEST(metrics, are_separate_for_each_status_of_each_operation) {
    const Metrics figures = of("a");
    const std::size_t operations = httpd::operation_names().size();
    for (std::size_t operation = 0; operation < operations; ++operation)
        for (std::size_t time = 0; time <= operation; ++time)
            for (const int status : {200, 401, 403, 404, 500, 503})
                figures.count_request(operation, status, 1ms);
    for (std::size_t operation = 0; operation < operations; ++operation)
        for (const int status : {200, 401, 403, 404, 500, 503})
            CHECK_EQUAL(operation + 1, requests("a", operation, status));
}

TEST(metrics, count_a_status_without_a_slot_as_other) {
    for (int status = 200; status < 300; ++status)
        of("a").count_request(0, status, 1ms);
    std::uint64_t all = 0;
    const MetricsSnapshot counted = sums("a");
    for (const auto& [status, count] : counted.operations[0].statuses)
        all += count;
    CHECK_EQUAL(100, all);
}

TEST(metrics, name_the_operations) {
    const auto names = httpd::operation_names();
    const std::vector<std::string_view> expected = {
        "list",          "create",       "get",         "update",       "delete",
        "list-sessions", "end-sessions", "end-session", "set-password", "ban",
        "unban",         "sign-in",      "sign-out",    "get-session",  "other"};
    CHECK(names == expected);
    for (std::size_t index = 0; index < names.size(); ++index)
        CHECK_EQUAL(index, httpd::operation_index(names[index]));
    CHECK_EQUAL(names.size() - 1, httpd::operation_index("unheard-of"));
}

TEST(metrics, count_a_duration_in_the_first_matching_bucket) {
    const Metrics figures = of("a");
    for (const auto time : {0us, 500us, 501us, 10'000'000us, 10'000'001us, -5us})
        figures.count_request(0, 200, time);
    const auto times = sums("a").operations[0].durations;
    CHECK_EQUAL(3, times.counts[0]);
    CHECK_EQUAL(1, times.counts[1]);
    CHECK_EQUAL(1, times.counts[times.counts.size() - 2]);
    CHECK_EQUAL(1, times.counts.back());
    CHECK_EQUAL(20'001'002, times.microseconds);
}

TEST(metrics, drop_the_connections_of_a_killed_child) {
    const Metrics figures = of("a");
    const int own = book_->register_child();
    figures.in_child(own).connection_acquired(1ms);
    run_child([&](int child) {
        CHECK(child >= 0 && child != own);
        figures.in_child(child).connection_acquired(1ms);
        figures.in_child(child).connection_acquired(1ms);
        if (sums("a").connections_in_use != 3)
            figures.count(Rejection::hash_wait);
    });
    CHECK_EQUAL(0, sums("a").rejections[static_cast<std::size_t>(Rejection::hash_wait)]);
    CHECK_EQUAL(1, sums("a").connections_in_use);
    // Nor does who has its number next find them.
    run_child([&](int) {
        if (sums("a").connections_in_use != 1)
            figures.count(Rejection::hash_wait);
    });
    CHECK_EQUAL(0, sums("a").rejections[static_cast<std::size_t>(Rejection::hash_wait)]);
    figures.in_child(own).connection_released(2ms);
    CHECK_EQUAL(0, sums("a").connections_in_use);
    CHECK_EQUAL(3, sums("a").connection_waits.count());
    CHECK_EQUAL(1, sums("a").connection_holds.count());
    CHECK_EQUAL(2000, sums("a").connection_holds.microseconds);
}

TEST(metrics, count_in_a_child_without_a_slot) {
    std::vector<pid_t> waiting;
    for (unsigned number = 0; number < children; ++number) {
        int ready[2];
        CHECK_EQUAL(0, pipe(ready));
        const pid_t child = fork();
        if (child == 0) {
            book_->register_child();
            close(ready[1]);
            pause();
        }
        close(ready[1]);
        char none;
        CHECK_EQUAL(0, read(ready[0], &none, 1));
        close(ready[0]);
        waiting.push_back(child);
    }
    const Metrics figures = of("a").in_child(book_->register_child());
    CHECK(book_->register_child() < 0);
    figures.connection_acquired(1ms);
    figures.count_request(0, 200, 1ms);
    figures.connection_released(1ms);
    CHECK_EQUAL(1, requests("a"));
    CHECK_EQUAL(0, sums("a").connections_in_use);
    for (const pid_t child : waiting) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
}

TEST(metrics, do_nothing_without_shared_memory) {
    const Metrics nowhere;
    nowhere.activate();
    nowhere.count_request(0, 200, 1ms);
    nowhere.count(Lookup::failed);
    nowhere.count(Rejection::hash_queue);
    nowhere.connection_acquired(1ms);
    nowhere.connection_released(1ms);
    CHECK_FALSE(nowhere.is_active());
    POINTERS_EQUAL(nullptr, nowhere.counter(Rejection::hash_queue));
}

namespace {

/// Whether the text has the line.
void check_line(const std::string& text, const std::string& line) {
    CHECK_TEXT(("\n" + text).find("\n" + line + "\n") != std::string::npos,
               (line + " is not in:\n" + text).c_str());
}

} // namespace

TEST(metrics, are_samples_with_labels_in_the_text_format) {
    const Metrics figures = of("a.test:443");
    figures.count_request(0, 200, 700us);
    figures.count_request(0, 200, 20s);
    figures.count_request(0, 503, 700us);
    figures.count(Rejection::connection_wait);
    figures.count(Lookup::cached);
    figures.connection_acquired(300us);
    figures.connection_released(1500ms);
    ServerMetrics server{{{"a.test:443", sums("a.test:443")}}, {4, 100}, {1, 2}};
    const std::string text = httpd::prometheus_text(server);
    for (
        const char* line : {
            "# TYPE useradmin_requests_total counter",
            R"(useradmin_requests_total{virtual_host="a.test:443",operation="list",status="200"} 2)",
            R"(useradmin_requests_total{virtual_host="a.test:443",operation="list",status="503"} 1)",
            "# TYPE useradmin_request_duration_seconds histogram",
            R"(useradmin_request_duration_seconds_bucket{virtual_host="a.test:443",operation="list",le="0.0005"} 0)",
            R"(useradmin_request_duration_seconds_bucket{virtual_host="a.test:443",operation="list",le="0.001"} 2)",
            R"(useradmin_request_duration_seconds_bucket{virtual_host="a.test:443",operation="list",le="10"} 2)",
            R"(useradmin_request_duration_seconds_bucket{virtual_host="a.test:443",operation="list",le="+Inf"} 3)",
            R"(useradmin_request_duration_seconds_sum{virtual_host="a.test:443",operation="list"} 20.0014)",
            R"(useradmin_request_duration_seconds_count{virtual_host="a.test:443",operation="list"} 3)",
            R"(useradmin_refusals_total{virtual_host="a.test:443",reason="connection-wait"} 1)",
            R"(useradmin_refusals_total{virtual_host="a.test:443",reason="hash-queue"} 0)",
            R"(useradmin_session_lookups_total{virtual_host="a.test:443",result="kept"} 1)",
            R"(useradmin_connection_wait_duration_seconds_sum{virtual_host="a.test:443"} 0.0003)",
            R"(useradmin_database_duration_seconds_bucket{virtual_host="a.test:443",le="2.5"} 1)",
            R"(useradmin_database_duration_seconds_sum{virtual_host="a.test:443"} 1.5)",
            R"(useradmin_connections_in_use{virtual_host="a.test:443"} 0)",
            "useradmin_hash_slots 4",
            "useradmin_hash_slots_in_use 1",
            "useradmin_hash_queue_places 100",
            "useradmin_hash_queue_places_in_use 2",
        })
        check_line(text, line);
    STRCMP_CONTAINS("# HELP useradmin_requests_total Requests", text.c_str());
    CHECK(text.find("operation=\"create\"") == std::string::npos);
}

TEST(metrics, escape_what_a_name_holds) {
    const MetricsSnapshot none = sums("a");
    const ServerMetrics server{
        {{"a\"b\\c\nd", none}, {"\xff.test", none}, {"ñ.test", none}}, {1, 1}, {0, 0}};
    const std::string text = httpd::prometheus_text(server);
    check_line(text, R"(useradmin_connections_in_use{virtual_host="a\"b\\c\nd"} 0)");
    check_line(text, R"(useradmin_connections_in_use{virtual_host="\\xff.test"} 0)");
    check_line(text, R"(useradmin_connections_in_use{virtual_host="ñ.test"} 0)");
}

TEST(metrics, in_total_are_the_sum_of_all_virtual_hosts) {
    for (const char* name : {"a", "b"}) {
        const Metrics figures = of(name);
        figures.count_request(2, 200, 1ms);
        figures.count(Lookup::banned);
        figures.count(Rejection::sign_in_limit);
        figures.connection_acquired(1ms);
        figures.connection_released(1ms);
    }
    const MetricsSnapshot total =
        ServerMetrics{{{"a", sums("a")}, {"b", sums("b")}}, {1, 1}, {0, 0}}.total();
    CHECK_EQUAL(2, total.operations[2].statuses.at(200));
    CHECK_EQUAL(2, total.operations[2].durations.count());
    CHECK_EQUAL(2, total.lookups[static_cast<std::size_t>(Lookup::banned)]);
    CHECK_EQUAL(2, total.rejections[static_cast<std::size_t>(Rejection::sign_in_limit)]);
    CHECK_EQUAL(2, total.connection_waits.count());
    CHECK_EQUAL(2000, total.connection_holds.microseconds);
}

} // namespace useradmin::test
