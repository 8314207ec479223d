// Concurrent use of objects that the threads of a child share. Long runs use ThreadSanitizer.
#include "contract.hpp"

#include "httpd/connection_limiter.hpp"
#include "httpd/shared_totals.hpp"
#include "password/hash.hpp"
#include "sign_in/credentials.hpp"
#include "sign_in/identity.hpp"
#include "store/cached_connection.hpp"
#include "support/machine.hpp"
#include "support/shared_object.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace useradmin::test {

namespace {

using namespace std::chrono_literals;

constexpr int thread_count = 8;
constexpr std::chrono::milliseconds wait = 60s;

/// Calls the function in thread_count threads with their numbers, and waits for all of them.
void run_in_threads(const std::function<void(int)>& work) {
    std::vector<std::thread> threads;
    for (int number = 0; number < thread_count; ++number)
        threads.emplace_back(work, number);
    for (std::thread& thread : threads)
        thread.join();
}

/// Keeps the first failure in any thread.
class FirstFailure {
  public:
    void note(bool is_right, const std::string& what) {
        const std::lock_guard lock(mutex_);
        if (!is_right && first_.empty())
            first_ = what;
    }
    const std::string& first() const noexcept { return first_; }

  private:
    std::mutex mutex_;
    std::string first_;
};

/// Allocates zeroed memory, like the memory that children share.
class Memory {
  public:
    explicit Memory(std::size_t size) : words_(size / sizeof(std::max_align_t) + 1) {}
    void* get() noexcept { return words_.data(); }

  private:
    std::vector<std::max_align_t> words_;
};

/// A few connections behind a ConnectionLimiter, like mod_dbd's pool.
struct ConnectionPool {
    static constexpr int most = 3;

    explicit ConnectionPool(TestDatabase& database) {
        for (int number = 0; number < most; ++number)
            free.push_back(&all.emplace_back(database, "useradmin", &schemas));
    }

    httpd::ConnectionLimiter limiter{most};
    store::SharedSchemas schemas;
    std::deque<SingleConnection> all;
    /// Guarded by a PoolLock.
    std::vector<SingleConnection*> free;
};

class PooledConnection final : public store::ConnectionSource {
  public:
    explicit PooledConnection(ConnectionPool& pool) noexcept : pool_(pool) {}

    const store::Connection* acquire(store::Deadline deadline) override {
        if (!pool_.limiter.acquire(deadline))
            return nullptr;
        {
            const httpd::ConnectionLimiter::PoolLock turn(pool_.limiter, deadline);
            taken_ = pool_.free.back();
            pool_.free.pop_back();
        }
        return taken_->acquire(deadline);
    }
    void release(const store::Connection& connection) noexcept override {
        taken_->release(connection);
        {
            const httpd::ConnectionLimiter::PoolLock turn(pool_.limiter,
                                                          store::Clock::now() + wait);
            pool_.free.push_back(taken_);
        }
        pool_.limiter.release();
    }

  private:
    ConnectionPool& pool_;
    SingleConnection* taken_ = nullptr;
};

/// The objects shared by all requests of a child.
struct Child {
    static constexpr ipc::FairSemaphore::Counts bounds{2, 2 * thread_count};
    static constexpr ipc::FairSemaphore::Counts writer_bounds{1, 2 * thread_count};

    explicit Child(TestDatabase& database) : kind(database.kind()), connections(database) {
        CHECK(slots != nullptr && writers != nullptr);
    }

    /// Returns the number of requests that hold or wait for a permit to write.
    unsigned queue_length() {
        const auto held = writers->in_use();
        return held.permits + held.waiters;
    }

    Kind kind;
    ConnectionPool connections;
    RecordingLogger log;
    SharedObject<httpd::SharedTotals::Table> totals;
    SharedObject<store::SessionCache> sessions;
    SharedObject<password::AttemptLimiter> attempts;
    Memory slot_memory{ipc::FairSemaphore::size_of(bounds)};
    Memory writer_memory{ipc::FairSemaphore::size_of(writer_bounds)};
    ipc::FairSemaphore* slots = ipc::FairSemaphore::create(slot_memory.get(), bounds);
    ipc::FairSemaphore* writers = ipc::FairSemaphore::create(writer_memory.get(), writer_bounds);
    sign_in::ObservedFormats formats;
};

/// Creates the objects that one request uses.
class Request {
  public:
    explicit Request(Child& child)
        : connection_(child.connections), pool_(new_pool()),
          totals_(*child.totals, {"here", 60s, wait, "UserAdminTimeout"}, child.log),
          cached{*child.sessions, "here", 60s, {}},
          database_store(connection_, child.log, pool_, store::TableNames{}, "threads",
                         store::TimeoutPolicy{wait}, &totals_,
                         child.kind == Kind::sqlite ? child.writers : nullptr) {
        database_store.set_session_cache(&cached.cache);
    }
    ~Request() { apr_pool_destroy(pool_); }
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;

  private:
    static apr_pool_t* new_pool() {
        apr_pool_t* pool = nullptr;
        apr_pool_create(&pool, nullptr);
        return pool;
    }

    PooledConnection connection_;
    apr_pool_t* pool_;
    httpd::SharedTotals totals_;

  public:
    sign_in::CachedSessions cached;
    store::DatabaseStore database_store;
    store::Store& store = database_store;
};

} // namespace

class Threads : public Contract {
  protected:
    void setup() override {
        Contract::setup();
        child_ = std::make_unique<Child>(database());
    }
    void teardown() override {
        const std::string logged = child_->log.text();
        child_.reset();
        Contract::teardown();
        // The failure message includes the log, which contains the cause.
        STRCMP_EQUAL("", (failure_.first() + logged).c_str());
    }

    /// Creates a user, signs in, and signs out or deletes the user. Checks what other requests see.
    void run_lifecycle(const std::string& name, bool is_deleted) {
        const auto check = [&](bool is_right, const char* what) {
            failure_.note(is_right, name + ": " + what);
        };
        const auto session_status = [&](const std::string& token) {
            Request request(*child_);
            request.cached.credential = token;
            const auto recalled = sign_in::find_cached(request.store, request.cached, text::now());
            return recalled ? recalled->status
                            : sign_in::identify(request.store, token, text::now(), &request.cached)
                                  .status;
        };
        const std::string email = name + "@example.org";
        const std::string token = "token of " + name;
        {
            Request request(*child_);
            store::NewUser user = new_user(name, email);
            user.account_id = "account of " + name;
            check(request.store.create(user).operator bool(), "is made");
        }
        {
            Request request(*child_);
            const auto page = request.store.list({"user", {}}, {3, 0});
            check(page && page->total >= 1 && !page->users.empty(), "is in the list");
        }
        {
            Request request(*child_);
            check(bool(request.store.create_session(session_of(name, token, text::now() + 1h))),
                  "is signed in");
        }
        for (int time = 0; time < 2; ++time)
            check(session_status(token) == sign_in::CredentialStatus::valid, "is recognized");
        {
            Request request(*child_);
            check(request.store.update(name, {{"updatedAt", text::now()}, {"name", name}}, {})
                      .
                      operator bool(),
                  "is changed");
        }
        check(session_status(token) == sign_in::CredentialStatus::valid,
              "is recognized after a change");
        {
            Request request(*child_);
            check(is_deleted ? request.store.remove(name, {"nobody"}, {}).operator bool()
                             : request.store.delete_session(token).operator bool(),
                  "goes");
        }
        check(session_status(token) == sign_in::CredentialStatus::unknown,
              "is not recognized any more");
    }

    std::unique_ptr<Child> child_;
    FirstFailure failure_;
};

TEST_GROUP_BASE(threads, Threads){};
TEST_GROUP_BASE(sqlite_threads, Threads){};

TEST(threads, share_connections_totals_and_sessions) {
    const int turns = machine::times(4, 200);
    run_in_threads([&](int thread) {
        for (int turn = 0; turn < turns; ++turn)
            run_lifecycle("u-" + std::to_string(thread) + "-" + std::to_string(turn),
                          /* is_deleted */ turn % 2 == 0);
    });
    Request request(*child_);
    CHECK_EQUAL(thread_count * turns / 2, expect_ok(request.store.list({}, {1, 0})).total);
    CHECK_EQUAL(thread_count * turns / 2, sql().number("SELECT count(*) FROM \"account\""));
}

/// Records a row's name before and after each change.
class RecordedChanges final : public IgnoringListener {
  public:
    RecordedChanges() : IgnoringListener(false) {}
    bool on_change(std::string_view, const model::User* before, const model::User* after) override {
        changes.emplace_back(before != nullptr ? before->name : "nobody",
                             after != nullptr ? after->name : "nobody");
        return true;
    }
    std::vector<std::pair<std::string, std::string>> changes;
};

TEST(threads, that_change_one_row_see_the_previous_value) {
    add_user("u", "u@x");
    std::mutex mutex;
    std::map<std::string, std::string> after_of;
    const std::string first(expect_ok(store().find("u")).name);
    const int turns = machine::times(25, 200);
    run_in_threads([&](int thread) {
        for (int turn = 0; turn < turns; ++turn) {
            const std::string name = std::to_string(thread) + "-" + std::to_string(turn);
            RecordedChanges recorded;
            Request request(*child_);
            request.database_store.set_change_listener(&recorded);
            const auto updated =
                request.store.update("u", {{"updatedAt", text::now()}, {"name", name}}, {});
            failure_.note(updated && recorded.changes.size() == 1, name + ": is changed");
            const std::lock_guard lock(mutex);
            for (const auto& [before, after] : recorded.changes)
                failure_.note(after_of.emplace(before, after).second,
                              before + ": was followed twice");
        }
    });
    // The changes must form one chain: each change starts with the name that another one set.
    std::string last = first;
    int length = 0;
    for (auto next = after_of.find(last); next != after_of.end(); next = after_of.find(last)) {
        last = next->second;
        ++length;
    }
    CHECK_EQUAL(thread_count * turns, length);
    CHECK_EQUAL(std::string(expect_ok(store().find("u")).name), last);
}

TEST(threads, cannot_both_change_the_same_version) {
    const int races = machine::times(250, 1000);
    std::string wrong;
    for (int race = 0; race < races && wrong.empty(); ++race) {
        add_user("u", "u@x");
        const std::string read(expect_ok(store().find("u")).version);
        store::UpdateGuard guard;
        guard.versions = {read};
        std::array<std::string, 2> outcomes;
        std::array<std::thread, 2> writers;
        std::atomic<int> ready = 0;
        for (std::size_t writer = 0; writer < writers.size(); ++writer)
            writers.at(writer) = std::thread([&, writer] {
                Request request(*child_);
                const std::string name = std::to_string(writer);
                ++ready;
                while (ready < 2)
                    std::this_thread::yield();
                // In every fourth race, one writer deletes the user.
                const auto outcome_of = [](const auto& result) {
                    return result                                                 ? "won"
                           : result.failure() == store::Failure::version_mismatch ? "lost"
                           : result.failure() == store::Failure::not_found        ? "lost"
                                                                                  : "failed";
                };
                outcomes.at(writer) =
                    race % 4 == 3 && writer == 1
                        ? outcome_of(request.store.remove("u", {"nobody"}, guard))
                        : outcome_of(request.store.update(
                              "u", {{"updatedAt", text::now()}, {"name", name}}, guard));
            });
        for (std::thread& writer : writers)
            writer.join();
        const std::string both = outcomes[0] + ", " + outcomes[1];
        if (both != "won, lost" && both != "lost, won")
            wrong = "race " + std::to_string(race) + ": " + both;
        sql().run("DELETE FROM \"user\"");
    }
    STRCMP_EQUAL("", wrong.c_str());
}

TEST(threads, cannot_exceed_the_sign_in_limit) {
    constexpr int accounts = 2;
    constexpr password::AttemptLimit limit{5, 1h};
    constexpr password::Argon2id cheap{8, 1, 1};
    const auto address = [](int account) { return "a" + std::to_string(account) + "@example.org"; };
    for (int account = 0; account < accounts; ++account) {
        Request request(*child_);
        const auto hash = password::hash(cheap, "right");
        store::NewUser user = new_user(std::to_string(account), "");
        const std::string email = address(account);
        user.account_id = "account of " + email;
        user.email = email;
        user.password_hash = hash->view();
        expect_ok(request.store.create(user));
    }
    std::array<std::atomic<int>, accounts> guesses{};
    const int turns = machine::times(8, 200);
    RecordingLogger log;
    run_in_threads([&](int) {
        for (int turn = 0; turn < turns; ++turn) {
            const int account = turn % accounts;
            Request request(*child_);
            sign_in::BoundedPasswordVerifier verifier(
                cheap, child_->formats,
                password::HashSlots(*child_->slots, {wait, "UserAdminTimeout"}, log));
            sign_in::CredentialVerifier credentials(request.store, "here", verifier,
                                                    child_->formats, *child_->attempts, limit, log);
            const auto from = text::Network::of("192.0.2." + std::to_string(account));
            const auto outcome = credentials.verify({address(account), "wrong", from}).outcome;
            failure_.note(outcome == sign_in::Outcome::wrong_password ||
                              outcome == sign_in::Outcome::limited,
                          "a guess is wrong, or comes too late");
            guesses[static_cast<std::size_t>(account)] +=
                outcome == sign_in::Outcome::wrong_password ? 1 : 0;
        }
    });
    // A thread may be preempted after it has released its slot and before it counts the failure, so
    // each thread may guess once more.
    for (const std::atomic<int>& made : guesses)
        CHECK_TEXT(made >= static_cast<int>(limit.attempts) &&
                       made <= static_cast<int>(limit.attempts) + thread_count,
                   std::to_string(made).c_str());
}

TEST(sqlite_threads, do_not_overtake_a_waiting_writer) {
    std::thread writer;
    bool waits = false;
    {
        const auto turn = child_->writers->acquire(0ms);
        writer = std::thread([this] {
            Request request(*child_);
            failure_.note(request.store.create(new_user("w", "w@x")).operator bool(), "is made");
        });
        waits = eventually([&] { return child_->queue_length() == 2; });
        waits = waits && sql().number("SELECT count(*) FROM \"user\"") == 0;
    }
    writer.join();
    CHECK(waits);
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"user\""));
}

TEST(sqlite_threads, read_a_locked_file_between_writers) {
    sql().run("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
    std::thread reader([this] {
        Request request(*child_);
        const auto found = request.store.find("nobody");
        failure_.note(!found && found.failure() == store::Failure::not_found, "is not found");
    });
    const bool waits = eventually([&] { return child_->queue_length() == 1; });
    sql().run("COMMIT; PRAGMA journal_mode = WAL");
    reader.join();
    CHECK(waits);
}

TEST(threads, with_one_hashing_slot_hash_one_password_at_a_time) {
    constexpr ipc::FairSemaphore::Counts one{1, thread_count};
    Memory memory(ipc::FairSemaphore::size_of(one));
    ipc::FairSemaphore* const semaphore = ipc::FairSemaphore::create(memory.get(), one);
    CHECK(semaphore != nullptr);
    const int turns = machine::times(200, 5000);
    int done = 0; // protected by the slot
    run_in_threads([&](int) {
        password::HashSlots slots(*semaphore, {wait, "UserAdminTimeout"}, child_->log);
        for (int turn = 0; turn < turns; ++turn) {
            const auto slot = slots.acquire();
            failure_.note(std::holds_alternative<password::HashSlots::Permit>(slot),
                          "a slot is free");
            ++done;
        }
    });
    CHECK_EQUAL(thread_count * turns, done);
}

} // namespace useradmin::test
