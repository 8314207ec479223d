// Metrics and their Prometheus format.
#include "admin/service.hpp"
#include "api/service.hpp"
#include "httpd/prometheus.hpp"
#include "sign_in/service.hpp"
#include "support/process.hpp"
#include "support/shared_object.hpp"

#include <CppUTest/TestHarness.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <set>
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
using httpd::SharedMetrics;
using namespace std::chrono_literals;

class MetricsTest : public Utest {
  protected:
    void setup() override { registry_->add_operations(names); }

    /// Returns the metrics of a process that is not registered as a child.
    Metrics metrics() { return {*shared_, -1}; }
    MetricsSnapshot snapshot() { return shared_->snapshot(*registry_); }
    /// Returns how many requests for the operation got the status. 0 means all statuses that are
    /// not counted separately.
    std::uint64_t requests(std::size_t operation = 0, int status = 200) {
        const auto* const found =
            std::find(httpd::counted_statuses.begin(), httpd::counted_statuses.end(), status);
        return snapshot()
            .operations[operation]
            .statuses[static_cast<std::size_t>(found - httpd::counted_statuses.begin())];
    }

    /// Calls the function in a forked child, which then dies from SIGKILL.
    template <class Work>
    void run_child(const Work& work) {
        const pid_t child = fork();
        if (child == 0) {
            work(registry_->register_child());
            kill(getpid(), SIGKILL);
        }
        waitpid(child, nullptr, 0);
    }

    static constexpr std::array<std::string_view, 3> names = {"list", "create", "get"};
    SharedObject<MetricsRegistry> registry_;
    SharedObject<SharedMetrics> shared_;
};

TEST_GROUP_BASE(metrics, MetricsTest){};

TEST(metrics, are_shared_by_all_children) {
    for (int number = 0; number < 5; ++number)
        run_child([&](int child) {
            const Metrics metrics(*shared_, child);
            metrics.count_request(0, 200, 1ms);
            metrics.count(Lookup::valid);
            metrics.count(Rejection::hash_queue);
        });
    CHECK_EQUAL(5, requests());
    CHECK_EQUAL(5, snapshot().lookups[static_cast<std::size_t>(Lookup::valid)]);
    CHECK_EQUAL(5, snapshot().rejections[static_cast<std::size_t>(Rejection::hash_queue)]);
}

TEST(metrics, are_separate_for_each_status_of_each_operation) {
    for (std::size_t operation = 0; operation < httpd::max_operations; ++operation)
        for (std::size_t time = 0; time <= operation; ++time)
            for (const int status : httpd::counted_statuses)
                metrics().count_request(operation, status, 1ms);
    for (std::size_t operation = 0; operation < httpd::max_operations; ++operation)
        for (const int status : httpd::counted_statuses)
            CHECK_EQUAL(operation + 1, requests(operation, status));
}

TEST(metrics, count_rare_statuses_as_other) {
    for (const int status : {100, 199, 418, 599})
        metrics().count_request(0, status, 1ms);
    CHECK_EQUAL(4, requests(0, 0));
}

TEST(metrics, name_the_operations_of_both_modules) {
    constexpr std::array<std::string_view, 2> others = {"get", "sign-in"};
    registry_->add_operations(others);
    registry_->add_operations(names);
    std::size_t index = 0;
    for (const char* name : {"list", "create", "get", "sign-in"}) {
        CHECK_EQUAL(index, registry_->operation_index(name));
        CHECK(registry_->operation_name(index++) == name);
    }
    for (const char* unknown : {"unheard-of", "lis", ""})
        CHECK_EQUAL(httpd::max_operations - 1, registry_->operation_index(unknown));
    CHECK(registry_->operation_name(httpd::max_operations - 1) == "other");
}

TEST(metrics, have_room_for_all_operations) {
    std::set<std::string_view> all = {"other"};
    for (const auto& of_module :
         {api::operation_names(), admin::operation_names(), sign_in::operation_names()}) {
        registry_->add_operations(of_module);
        all.insert(of_module.begin(), of_module.end());
    }
    for (const std::string_view name : all)
        CHECK(registry_->operation_name(registry_->operation_index(name)) == name);
}

TEST(metrics, count_a_duration_in_the_first_matching_bucket) {
    for (const auto time : {0us, 500us, 501us, 10'000'000us, 10'000'001us, -5us})
        metrics().count_request(0, 200, time);
    const auto times = snapshot().operations[0].durations;
    CHECK_EQUAL(3, times.counts[0]);
    CHECK_EQUAL(1, times.counts[1]);
    CHECK_EQUAL(1, times.counts[times.counts.size() - 2]);
    CHECK_EQUAL(1, times.counts.back());
    CHECK_EQUAL(20'001'002, times.sum_microseconds);
}

TEST(metrics, count_the_errors_of_a_database_by_kind) {
    using Outcome = store::WorkOutcome;
    for (const Outcome outcome : {Outcome::timed_out, Outcome::lock_timed_out, Outcome::failed,
                                  Outcome::connection_lost, Outcome::failed, Outcome::written})
        metrics().count(outcome);
    const auto counted = snapshot().database_errors;
    const auto count_of = [&](std::string_view name) {
        const auto& names = httpd::database_error_names;
        return counted[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) -
                                                names.begin())];
    };
    for (const char* name : {"timeout", "lock", "connection"})
        CHECK_EQUAL(1, count_of(name));
    CHECK_EQUAL(0, count_of("read-only"));
    CHECK_EQUAL(2, count_of("failed"));
}

TEST(metrics, show_a_database_as_read_only_until_a_write_succeeds) {
    metrics().count(store::WorkOutcome::read_only);
    metrics().count(store::WorkOutcome::timed_out);
    CHECK(snapshot().is_read_only);
    metrics().count(store::WorkOutcome::written);
    CHECK_FALSE(snapshot().is_read_only);
}

TEST(metrics, show_the_worst_of_several_deliveries) {
    using Result = httpd::DeliveryResult;
    using Time = httpd::DeliveryState::Clock::time_point;
    const httpd::DeliveryState good{Result::delivered, 200, Time(2s)};
    const httpd::DeliveryState bad{Result::unreachable, 100, Time(1s)};
    const std::vector<httpd::HostDelivery> deliveries = {
        {nullptr, "x", &good}, {nullptr, "y", &bad}, {nullptr, "x", &good}};
    const auto snapshot_of = [&](std::string_view storages) {
        return httpd::snapshot_of(deliveries, [&](const httpd::HostDelivery& delivery) {
            return storages.find(delivery.storage_id) != storages.npos;
        });
    };
    const auto worst = snapshot_of("xy");
    CHECK(worst && worst->last_result == Result::unreachable && worst->delivered_until == 100);
    CHECK(worst && worst->progressed_at == Time(1s));
    const auto other = snapshot_of("x");
    CHECK(other && other->last_result == Result::delivered && other->delivered_until == 200);
    CHECK_FALSE(snapshot_of("z").has_value());
}

TEST(metrics, show_a_delivery_as_failed_after_ten_seconds_without_progress) {
    using Result = httpd::DeliveryResult;
    const httpd::DeliveryState::Clock::time_point now(1h);
    CHECK_FALSE((httpd::DeliverySnapshot{Result::delivered, 0, now - 10s}.has_failed(now)));
    CHECK_TRUE((httpd::DeliverySnapshot{Result::delivered, 0, now - 11s}.has_failed(now)));
    CHECK_FALSE((httpd::DeliverySnapshot{Result::unknown, 0, now}.has_failed(now)));
    for (const Result failure : {Result::unusable_table, Result::unreachable})
        CHECK_TRUE((httpd::DeliverySnapshot{failure, 0, now}.has_failed(now)));
}

TEST(metrics, drop_the_connections_of_a_killed_child) {
    const int own = registry_->register_child();
    const Metrics metrics(*shared_, own);
    metrics.connection_acquired(1ms);
    std::atomic<bool>& is_right = shared_->is_read_only; // set by the child
    run_child([&](int child) {
        const Metrics others(*shared_, child);
        others.connection_acquired(1ms);
        others.connection_acquired(1ms);
        is_right = child >= 0 && child != own && snapshot().connections_in_use == 3;
    });
    CHECK(is_right);
    CHECK_EQUAL(1, snapshot().connections_in_use);
    // The next child that gets the same number starts at 0.
    run_child([&](int child) {
        const Metrics others(*shared_, child);
        is_right = snapshot().connections_in_use == 1;
    });
    CHECK(is_right);
    metrics.connection_released(2ms);
    CHECK_EQUAL(0, snapshot().connections_in_use);
    CHECK_EQUAL(3, snapshot().connection_waits.count());
    CHECK_EQUAL(1, snapshot().connection_holds.count());
    CHECK_EQUAL(2000, snapshot().connection_holds.sum_microseconds);
}

TEST(metrics, are_counted_in_a_child_without_a_slot) {
    metrics().connection_acquired(1ms);
    metrics().count_request(0, 200, 1ms);
    metrics().connection_released(1ms);
    CHECK_EQUAL(1, requests());
    CHECK_EQUAL(1, snapshot().connection_holds.count());
    CHECK_EQUAL(0, snapshot().connections_in_use);
}

namespace {

/// Fails the test if the text does not contain the line.
void check_line(const std::string& text, const std::string& line) {
    CHECK_TEXT(("\n" + text).find("\n" + line + "\n") != std::string::npos,
               (line + " is not in:\n" + text).c_str());
}

} // namespace

TEST(metrics, are_samples_with_labels_in_the_text_format) {
    metrics().count_request(0, 200, 700us);
    metrics().count_request(0, 200, 20s);
    metrics().count_request(0, 503, 700us);
    metrics().count_request(0, 599, 700us);
    metrics().count(Rejection::connection_wait);
    metrics().count(Lookup::cached);
    metrics().connection_acquired(300us);
    metrics().connection_released(1500ms);
    metrics().count(store::WorkOutcome::read_only);
    metrics().count_lost_audit_line();
    using Result = httpd::DeliveryResult;
    const std::string text =
        httpd::prometheus_text({*registry_,
                                {{"a.test:443", snapshot(), {{Result::delivered, 1700000000}}},
                                 {"b.test:443", {}, {{Result::unreachable, 1700000000}}},
                                 {"c.test:443", {}, {{Result::unknown, 1600000000}}},
                                 {"d.test:443", {}, {}}},
                                {4, 100},
                                {1, 2}});
    for (
        const char* line : {
            "# TYPE useradmin_requests_total counter",
            R"(useradmin_requests_total{virtual_host="a.test:443",operation="list",status="200"} 2)",
            R"(useradmin_requests_total{virtual_host="a.test:443",operation="list",status="503"} 1)",
            R"(useradmin_requests_total{virtual_host="a.test:443",operation="list",status="other"} 1)",
            "# TYPE useradmin_request_duration_seconds histogram",
            R"(useradmin_request_duration_seconds_bucket{virtual_host="a.test:443",operation="list",le="0.0005"} 0)",
            R"(useradmin_request_duration_seconds_bucket{virtual_host="a.test:443",operation="list",le="0.001"} 3)",
            R"(useradmin_request_duration_seconds_bucket{virtual_host="a.test:443",operation="list",le="10"} 3)",
            R"(useradmin_request_duration_seconds_bucket{virtual_host="a.test:443",operation="list",le="+Inf"} 4)",
            R"(useradmin_request_duration_seconds_sum{virtual_host="a.test:443",operation="list"} 20.0021)",
            R"(useradmin_request_duration_seconds_count{virtual_host="a.test:443",operation="list"} 4)",
            R"(useradmin_refusals_total{virtual_host="a.test:443",reason="connection-wait"} 1)",
            R"(useradmin_refusals_total{virtual_host="a.test:443",reason="hash-queue"} 0)",
            R"(useradmin_session_lookups_total{virtual_host="a.test:443",result="kept"} 1)",
            R"(useradmin_connection_wait_duration_seconds_sum{virtual_host="a.test:443"} 0.0003)",
            R"(useradmin_database_duration_seconds_bucket{virtual_host="a.test:443",le="2.5"} 1)",
            R"(useradmin_database_duration_seconds_sum{virtual_host="a.test:443"} 1.5)",
            R"(useradmin_connections_in_use{virtual_host="a.test:443"} 0)",
            R"(useradmin_database_errors_total{virtual_host="a.test:443",reason="read-only"} 1)",
            R"(useradmin_database_errors_total{virtual_host="a.test:443",reason="timeout"} 0)",
            R"(useradmin_database_read_only{virtual_host="a.test:443"} 1)",
            R"(useradmin_audit_lines_lost_total{virtual_host="a.test:443"} 1)",
            R"(useradmin_secondary_storage_up{virtual_host="a.test:443"} 1)",
            R"(useradmin_secondary_storage_up{virtual_host="b.test:443"} 0)",
            R"(useradmin_revocations_delivered_timestamp_seconds{virtual_host="a.test:443"} 1700000000)",
            R"(useradmin_revocations_delivered_timestamp_seconds{virtual_host="c.test:443"} 1600000000)",
            "useradmin_hash_slots 4",
            "useradmin_hash_slots_in_use 1",
            "useradmin_hash_queue_places 100",
            "useradmin_hash_queue_places_in_use 2",
        })
        check_line(text, line);
    STRCMP_CONTAINS("# HELP useradmin_requests_total Responses", text.c_str());
    CHECK(text.find("operation=\"create\"") == std::string::npos);
    CHECK(text.find("_up{virtual_host=\"c.test") == std::string::npos);
    CHECK(text.find("_timestamp_seconds{virtual_host=\"d.test") == std::string::npos);
}

TEST(metrics, escape_label_values) {
    const std::string text = httpd::prometheus_text(
        {*registry_, {{"a\"b\\c\nd", {}}, {"\xff.test", {}}, {"ñ.test", {}}}, {1, 1}, {0, 0}});
    check_line(text, R"(useradmin_connections_in_use{virtual_host="a\"b\\c\nd"} 0)");
    check_line(text, R"(useradmin_connections_in_use{virtual_host="\\xff.test"} 0)");
    check_line(text, R"(useradmin_connections_in_use{virtual_host="ñ.test"} 0)");
}

TEST(metrics, have_no_buckets_on_server_status) {
    CHECK_EQUAL(std::string("a{b=\"c d\"}: 1\ne_sum: 2.5\n"),
                httpd::status_lines("# HELP a text\n# TYPE a counter\na{b=\"c d\"} 1\n"
                                    "e_bucket{le=\"1\"} 3\ne_sum 2.5\n"));
}

} // namespace useradmin::test
