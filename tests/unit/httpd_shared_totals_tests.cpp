#include "httpd/shared_totals.hpp"
#include "support/process.hpp"
#include "support/recording_logger.hpp"
#include "support/shared_object.hpp"

#include <CppUTest/TestHarness.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace useradmin::test {

using httpd::SharedTotals;
using store::Filter;
using store::LastTotal;
using Total = store::Result<std::int64_t>;
using namespace std::chrono_literals;

namespace {

Filter search_of(std::string_view text) {
    Filter filter;
    filter.search = text;
    return filter;
}

/// Returns whether a thread of this process is sleeping.
bool is_asleep(pid_t thread) {
    return status_field("/proc/self/task/" + std::to_string(thread), "State").starts_with('S');
}

} // namespace

TEST_GROUP(shared_totals) {
    SharedObject<SharedTotals::Table> table;
    RecordingLogger log;
    SharedTotals::Options terms{"here", 0s, 30s, "UserAdminTimeout"};

    SharedTotals totals() {
        return SharedTotals(*table, terms, log);
    }

    /// Returns the cached total, or `counted` if there is none, such as "5". Returns "unavailable"
    /// or "failed" on failure.
    std::string total(const Filter& filter, Total counted) {
        const Total total = totals().total(filter, deadline(), [&](LastTotal) { return counted; });
        return total                                            ? std::to_string(*total)
               : total.failure() == store::Failure::unavailable ? "unavailable"
                                                                : "failed";
    }
    void invalidate() {
        totals().invalidate();
    }
    store::Deadline deadline() const {
        return store::Clock::now() + terms.timeout;
    }
    /// Requests a total and discards it.
    static void request_total(SharedTotals totals, const Filter& filter,
                              const SharedTotals::Count& count) {
        const Total total = totals.total(filter, store::Clock::now() + 60s, count);
        static_cast<void>(total);
    }

    /// Counts in a separate thread until end().
    class SlowCount {
      public:
        SlowCount(SharedTotals totals, const Filter& filter, std::int64_t counted)
            : thread_([=, this]() mutable {
                  request_total(totals, filter, [&](LastTotal) -> Total {
                      has_begun_ = true;
                      while (!may_end_)
                          std::this_thread::sleep_for(1ms);
                      return counted;
                  });
              }) {
            while (!has_begun_)
                std::this_thread::sleep_for(1ms);
        }
        ~SlowCount() { end(); }
        void end() {
            may_end_ = true;
            if (thread_.joinable())
                thread_.join();
        }

      private:
        std::atomic<bool> has_begun_ = false;
        std::atomic<bool> may_end_ = false;
        std::thread thread_;
    };
};

TEST(shared_totals, are_not_cached_if_the_age_is_zero) {
    CHECK_FALSE(totals().is_caching());
    for (const std::int64_t number : {1, 2, 3})
        CHECK_EQUAL(std::to_string(number), total(search_of("a"), number));
}

TEST(shared_totals, are_kept_for_the_configured_time) {
    CHECK_EQUAL(std::string("1"), total(search_of("a"), 1));
    terms.age = 3600s;
    CHECK_TRUE(totals().is_caching());
    CHECK_EQUAL(std::string("1"), total(search_of("a"), 2));
    terms.age = 1s;
    CHECK_TRUE(eventually([&] { return total(search_of("a"), 3) == "3"; }));
    terms.age = 3600s;
    CHECK_EQUAL(std::string("3"), total(search_of("a"), 4));
}

TEST(shared_totals, are_separate_for_each_filter_and_database) {
    terms.age = 3600s;
    const auto filter = [](model::NullableText role, model::NullableText search) {
        Filter filter;
        filter.role = role;
        filter.search = search;
        return filter;
    };
    std::vector<Filter> filters = {filter({}, {}),   filter("", {}),   filter({}, ""),
                                   filter("a", {}),  filter({}, "a"),  filter("a", "b"),
                                   filter("ab", ""), filter("", "ab"), filter({}, "A")};
    for (const bool boolean : {false, true}) {
        filters.emplace_back().banned = boolean;
        filters.emplace_back().email_verified = boolean;
    }
    filters.emplace_back().created_from = text::Timestamp();
    filters.emplace_back().created_before = text::Timestamp();
    filters.emplace_back().created_from = text::Timestamp(std::chrono::milliseconds(1));
    filters.emplace_back(filter("a", "b")).matches_all = true;
    for (const bool is_stored : {false, true})
        for (const char* tables_id : {"here", "there"}) {
            terms.tables_id = tables_id;
            std::int64_t number = std::string_view(tables_id) == "here" ? 100 : 200;
            for (const Filter& each : filters) {
                ++number;
                CHECK_EQUAL(std::to_string(number), total(each, is_stored ? 0 : number));
            }
        }
}

TEST(shared_totals, are_invalidated_when_users_are_changed) {
    terms.age = 3600s;
    CHECK_EQUAL(std::string("1"), total(search_of("a"), 1));
    invalidate();
    CHECK_EQUAL(std::string("2"), total(search_of("a"), 2));
    CHECK_EQUAL(std::string("2"), total(search_of("a"), 3));
}

TEST(shared_totals, are_not_cached_if_users_changed_during_the_count) {
    terms.age = 3600s;
    request_total(totals(), search_of("a"), [&](LastTotal) -> Total {
        invalidate();
        return 1;
    });
    CHECK_EQUAL(std::string("2"), total(search_of("a"), 2));
    CHECK_EQUAL(std::string("2"), total(search_of("a"), 3));
}

TEST(shared_totals, that_could_not_be_counted_are_not_kept) {
    terms.age = 3600s;
    CHECK_EQUAL(std::string("failed"), total(search_of("a"), store::Failure::failed));
    CHECK_EQUAL(std::string("unavailable"), total(search_of("a"), store::Failure::unavailable));
    CHECK_EQUAL(std::string("1"), total(search_of("a"), 1));
    try {
        request_total(
            totals(), search_of("b"), [](LastTotal) -> Total { throw std::bad_alloc(); });
    } catch (const std::bad_alloc&) {
    }
    CHECK_EQUAL(std::string("2"), total(search_of("b"), 2));
}

TEST(shared_totals, evict_the_oldest_first) {
    terms.age = 3600s;
    CHECK_EQUAL(std::string("7"), total(search_of("old"), 7));
    for (int number = 0; number < 20000; ++number)
        total(search_of("x" + std::to_string(number)), number);
    CHECK_EQUAL(std::string("8"), total(search_of("old"), 8));
    CHECK_EQUAL(std::string("19999"), total(search_of("x19999"), 9));
    int cached = 0;
    for (int number = 0; number < 20000; ++number) {
        bool is_kept = true;
        request_total(totals(), search_of("x" + std::to_string(number)), [&](LastTotal) -> Total {
            is_kept = false;
            return store::Failure::failed;
        });
        cached += is_kept ? 1 : 0;
    }
    CHECK_TRUE(cached > 0 && cached <= 1024);
}

TEST(shared_totals, pass_the_last_count_to_the_counter) {
    std::vector<LastTotal> last_totals;
    for (const std::int64_t counted : {7, 8})
        request_total(totals(), search_of("a"), [&](LastTotal last) -> Total {
            last_totals.push_back(last);
            return counted;
        });
    request_total(totals(), search_of("b"), [&](LastTotal last) -> Total {
        last_totals.push_back(last);
        return 0;
    });
    CHECK_TRUE(last_totals == std::vector<LastTotal>({std::nullopt, 7, std::nullopt}));
}

TEST(shared_totals, wait_for_a_count_that_starts_after_the_request) {
    SlowCount first(totals(), search_of("a"), 1);
    std::atomic<int> counts = 0;
    std::vector<std::int64_t> found(15);
    std::vector<std::atomic<pid_t>> asking(15);
    std::vector<std::thread> threads;
    for (std::size_t index = 0; index < found.size(); ++index)
        threads.emplace_back([&, index] {
            asking[index] = gettid();
            const Total total = totals().total(
                search_of("a"), deadline(), [&](LastTotal) -> Total { return ++counts + 1; });
            found[index] = total ? *total : -1;
        });
    CHECK_TRUE(eventually([&] {
        return std::all_of(asking.begin(), asking.end(),
                           [](pid_t thread) { return thread != 0 && is_asleep(thread); });
    }));
    // The other threads wait for the first count.
    CHECK_EQUAL(0, counts.load());
    first.end();
    for (std::thread& thread : threads)
        thread.join();
    CHECK_EQUAL(1, counts.load());
    for (const std::int64_t number : found)
        CHECK_EQUAL(2, number);
}

TEST(shared_totals, delay_a_count_to_coalesce_requests) {
    using Clock = std::chrono::steady_clock;
    constexpr auto moment = 5ms;
    constexpr auto counting = 32 * moment;
    std::atomic<int> counts = 0;
    std::atomic<Clock::rep> counted_at = 0;
    const auto request_with_time = [&] {
        request_total(totals(), search_of("a"), [&](LastTotal) -> Total {
            counted_at = Clock::now().time_since_epoch().count();
            ++counts;
            return 2;
        });
    };
    SlowCount first(totals(), search_of("a"), 1);
    std::atomic<pid_t> waiting = 0;
    std::thread second([&] {
        waiting = gettid();
        request_with_time();
    });
    CHECK_TRUE(eventually([&] { return waiting != 0 && is_asleep(waiting); }));
    std::this_thread::sleep_for(counting);
    const auto ended_at = Clock::now();
    first.end();
    const bool is_in_time = counts == 0; // a busy machine may be late
    request_with_time();
    second.join();
    CHECK_TRUE(Clock::time_point(Clock::duration(counted_at)) >= ended_at + moment);
    CHECK_TRUE(counts == 1 || !is_in_time);
}

TEST(shared_totals, totals_of_other_filters_and_databases_do_not_wait) {
    SlowCount first(totals(), search_of("a"), 1);
    terms.timeout = 0s;
    CHECK_EQUAL(std::string("2"), total(search_of("b"), 2));
    CHECK_EQUAL(std::string("unavailable"), total(search_of("a"), 3));
    terms.tables_id = "there";
    CHECK_EQUAL(std::string("4"), total(search_of("a"), 4));
}

TEST(shared_totals, time_out_at_the_deadline) {
    SlowCount first(totals(), search_of("a"), 1);
    terms.timeout = 1s;
    CHECK_EQUAL(std::string("unavailable"), total(search_of("a"), 2));
    STRCMP_CONTAINS("UA0214: timed out after 1 s waiting for another request to count the same "
                    "users; raise UserAdminTimeout",
                    log.text().c_str());
}

TEST(shared_totals, are_counted_by_the_next_waiter_after_a_failure) {
    std::atomic<bool> has_begun = false;
    std::atomic<bool> may_fail = false;
    std::thread first([&] {
        request_total(
            totals(), search_of("a"),
            [&](LastTotal) -> Total {
                has_begun = true;
                while (!may_fail)
                    std::this_thread::sleep_for(1ms);
                return store::Failure::failed;
            });
    });
    CHECK_TRUE(eventually([&] { return has_begun.load(); }));
    std::atomic<bool> is_asking = false;
    std::string found;
    std::thread second([&] {
        is_asking = true;
        found = total(search_of("a"), 2);
    });
    CHECK_TRUE(eventually([&] { return is_asking.load(); }));
    may_fail = true;
    first.join();
    second.join();
    CHECK_EQUAL(std::string("2"), found);
}

TEST(shared_totals, are_counted_when_the_table_is_full) {
    std::deque<SlowCount> counts;
    std::deque<std::string> names;
    // The buckets of some filters are full, but these filters are counted, too.
    for (int number = 0; number < 300; ++number)
        counts.emplace_back(totals(), search_of(names.emplace_back(std::to_string(number))),
                            number);
    terms.timeout = 0s;
    int own = 0;
    for (int number = 300; number < 1000; ++number)
        own += total(search_of(std::to_string(number)), number) == std::to_string(number) ? 1 : 0;
    CHECK_EQUAL(700, own);
}

TEST(shared_totals, are_shared_by_processes) {
    terms.age = 3600s;
    const pid_t child = fork();
    if (child == 0) {
        total(search_of("a"), 1);
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    CHECK_EQUAL(std::string("1"), total(search_of("a"), 2));
}

TEST(shared_totals, are_counted_by_the_next_waiter_after_a_kill) {
    int ready[2];
    CHECK_EQUAL(0, pipe(ready));
    const pid_t child = fork();
    if (child == 0)
        request_total(totals(), search_of("a"), [&](LastTotal) -> Total {
            if (write(ready[1], "x", 1) != 1)
                _exit(1);
            for (;;)
                pause();
        });
    char byte = 0;
    CHECK_EQUAL(1, read(ready[0], &byte, 1));
    terms.timeout = 0s;
    CHECK_EQUAL(std::string("unavailable"), total(search_of("a"), 2));
    terms.timeout = 60s;
    std::atomic<bool> is_asking = false;
    std::string found;
    std::thread waiter([&] {
        is_asking = true;
        found = total(search_of("a"), 3);
    });
    CHECK_TRUE(eventually([&] { return is_asking.load(); }));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    waiter.join();
    CHECK_EQUAL(std::string("3"), found);
    close(ready[0]);
    close(ready[1]);
}

TEST(shared_totals, survive_a_process_killed_at_any_point) {
    terms.age = 3600s;
    int ready[2];
    CHECK_EQUAL(0, pipe(ready));
    for (int round = 0; round < 50; ++round) {
        const pid_t child = fork();
        if (child == 0)
            for (bool has_begun = false;; has_begun = true) {
                total(search_of("a"), 7);
                invalidate();
                if (!has_begun)
                    static_cast<void>(!write(ready[1], "x", 1));
            }
        char byte = 0;
        CHECK_EQUAL(1, read(ready[0], &byte, 1));
        usleep(1000);
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        CHECK_EQUAL(std::string("7"), total(search_of("a"), 7));
    }
    close(ready[0]);
    close(ready[1]);
    invalidate();
    CHECK_EQUAL(std::string("8"), total(search_of("a"), 8));
}

} // namespace useradmin::test
