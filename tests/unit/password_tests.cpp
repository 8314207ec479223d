#include "crypto/random.hpp"
#include "crypto/secret.hpp"
#include "crypto/source.hpp"
#include "ipc/log_throttle.hpp"
#include "password/argon2id_key.hpp"
#include "password/hash.hpp"
#include "password/hasher.hpp"
#include "password/slots.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/recording_logger.hpp"
#include "support/shared_object.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <functional>
#include <latch>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <CppUTest/TestHarness.h>

using namespace std::chrono_literals;
using namespace std::string_literals;
using namespace useradmin;
using password::Verdict;

namespace {

constexpr password::Argon2id small_argon2id{64, 1,
                                            1}; // cheap parameters for tests of other properties

// Created by better-auth 1.x.
constexpr std::string_view better_auth_password = "password1234";
constexpr std::string_view better_auth_hash =
    "661f87d3cab76b15d1335537b9a8cc9f:"
    "5115301ca8fe99fd0e0847f2ca8daa044dd0368e482e93bb12a1c2b155041635"
    "a6e3167ebf0daa38f29531a6e1599a69f2ac52cc21d9ac8d6b96100eebb8abaf";

std::string hashed(const password::Format& format, std::string_view password) {
    const auto made = password::hash(format, password);
    CHECK_TRUE(made.has_value());
    return std::string(made->view());
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
    const auto at = text.find(what);
    CHECK_TRUE(at != std::string::npos);
    return text.replace(at, what.size(), with);
}

/// Returns the bytes of the object itself. They include the characters of a short std::string.
template <typename T>
std::string_view memory_of(const T& object) {
    return {reinterpret_cast<const char*>(&object), sizeof object};
}

bool is_one_of(char character, std::string_view set) {
    return set.find(character) != std::string_view::npos;
}

using Slot = std::variant<password::HashSlots::Permit, password::HashSlots::AcquireError>;

/// Calls the function in `count` threads and waits for all of them.
template <class Work>
void run_in_threads(unsigned count, const Work& work) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < count; ++i)
        threads.emplace_back(work);
    for (std::thread& thread : threads)
        thread.join();
}

/// Creates slots and their queue in memory shared with forked processes.
class SharedSlots {
  public:
    explicit SharedSlots(unsigned count, unsigned places = 4)
        : size_(ipc::FairSemaphore::size_of({count, places})),
          memory_(mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
        CHECK_TRUE(memory_ != MAP_FAILED);
        semaphore_ = ipc::FairSemaphore::create(memory_, {count, places});
        CHECK_TRUE(semaphore_ != nullptr);
    }
    ~SharedSlots() { munmap(memory_, size_); }

    /// Returns the slots for a request that waits for at most this time.
    password::HashSlots slots(std::chrono::milliseconds wait = 60s,
                              std::uint64_t network = ipc::FairSemaphore::Client::nobody) const {
        return {*semaphore_, {wait, "UserAdminTimeout", &full_, &late_, network}, log_};
    }
    /// Returns the slots for a request from this network.
    password::HashSlots slots_for(std::uint64_t network) const { return slots(60s, network); }
    /// Returns whether a request gets a slot within this time.
    bool can_acquire(std::chrono::milliseconds wait = 0ms) const {
        return is_permit(slots(wait).acquire());
    }
    /// Returns whether a request that would wait this long is rejected because the queue is full.
    bool is_queue_full(std::chrono::milliseconds wait = 0ms) const {
        const auto slot = slots(wait).acquire();
        const auto* const reason = std::get_if<password::HashSlots::AcquireError>(&slot);
        return reason != nullptr && *reason == password::HashSlots::AcquireError::queue_full;
    }
    const std::vector<std::string>& log() const { return log_.lines; }
    unsigned count_waiters() const { return semaphore_->in_use().waiters; }
    /// Returns the number of permits and queue places in use: "2 1".
    std::string in_use() const {
        const auto held = semaphore_->in_use();
        return std::to_string(held.permits) + " " + std::to_string(held.waiters);
    }
    std::string bounds() const {
        const auto all = semaphore_->capacity();
        return std::to_string(all.permits) + " " + std::to_string(all.waiters);
    }
    /// Returns how often the queue was full.
    std::atomic<std::uint64_t>& rejections() const { return full_; }
    /// Returns how often a request timed out.
    std::atomic<std::uint64_t>& timeouts() const { return late_; }

    static bool is_permit(const Slot& slot) {
        return std::holds_alternative<password::HashSlots::Permit>(slot);
    }

  private:
    std::size_t size_;
    void* memory_;
    ipc::FairSemaphore* semaphore_ = nullptr;
    mutable test::RecordingLogger log_;
    mutable std::atomic<std::uint64_t> full_;
    mutable std::atomic<std::uint64_t> late_;
};

/// Starts threads that wait for a slot, and records the order in which they get one.
class WaitingThreads {
  public:
    explicit WaitingThreads(const SharedSlots& shared) noexcept : shared_(shared) {}
    ~WaitingThreads() { join(); }

    /// Starts a request in a thread. Returns when the request is waiting or was rejected.
    void add(char name, std::uint64_t network,
             std::uint64_t account = ipc::FairSemaphore::Client::nobody) {
        const unsigned before = shared_.count_waiters() + rejected().size();
        threads_.emplace_back([this, name, network, account] {
            const auto slot = shared_.slots_for(network).acquire(account);
            const std::lock_guard lock(mutex_);
            (SharedSlots::is_permit(slot) ? served_ : rejected_) += name;
        });
        CHECK_TRUE(
            test::eventually([&] { return shared_.count_waiters() + rejected().size() > before; }));
    }
    /// Waits until this many requests were rejected. Returns their names.
    std::string rejected(std::size_t count) {
        CHECK_TRUE(test::eventually([&] { return rejected().size() >= count; }));
        return rejected();
    }
    /// Waits for all requests. Returns their names in the order in which they got a slot.
    std::string served_order() {
        join();
        return served_;
    }

  private:
    std::string rejected() {
        const std::lock_guard lock(mutex_);
        return rejected_;
    }
    void join() {
        for (std::thread& thread : std::exchange(threads_, {}))
            thread.join();
    }

    const SharedSlots& shared_;
    std::mutex mutex_;
    std::string served_;
    std::string rejected_;
    std::vector<std::thread> threads_;
};

/// Forks a child process that holds `count` slots until it is told to release them.
class HoldingProcess {
  public:
    HoldingProcess(password::HashSlots slots, unsigned count) {
        CHECK_EQUAL(0, pipe(ready_.data()));
        CHECK_EQUAL(0, pipe(go_.data()));
        process_ = fork();
        if (process_ == 0)
            hold(slots, count);
        close(std::exchange(ready_[1], -1)); // otherwise, read() would not see the process's death
        char byte = 0;
        CHECK_EQUAL(1, read(ready_[0], &byte, 1));
    }
    HoldingProcess(const HoldingProcess&) = delete;
    HoldingProcess& operator=(const HoldingProcess&) = delete;
    ~HoldingProcess() {
        kill();
        for (const int end : {ready_[0], go_[0], go_[1]})
            close(end);
    }

    /// Tells the process to release its slots. Does not wait until it has.
    void request_release() { CHECK_EQUAL(1, write(go_[1], "g", 1)); }

    /// Kills the process while it holds its slots.
    void kill() {
        if (process_ > 0) {
            ::kill(process_, SIGKILL);
            waitpid(process_, nullptr, 0);
            process_ = 0;
        }
    }

  private:
    [[noreturn]] void hold(password::HashSlots slots, unsigned count) {
        close(go_[1]); // otherwise, read() would not see the other end's death
        char byte = 0;
        {
            std::vector<Slot> held;
            while (held.size() < count) {
                held.push_back(slots.acquire());
                if (!SharedSlots::is_permit(held.back()))
                    _exit(1);
            }
            if (write(ready_[1], "y", 1) != 1 || read(go_[0], &byte, 1) != 1)
                _exit(1);
        }
        // Stay alive, so that the slots count as released, not as recovered from a dead process.
        _exit(read(go_[0], &byte, 1) == 1 ? 1 : 0);
    }

    std::array<int, 2> ready_{};
    std::array<int, 2> go_{};
    pid_t process_ = 0;
};

/// Forks a child process with `count` threads that wait for a slot. If the queue is full, they try
/// again.
class WaitingProcess {
  public:
    WaitingProcess(const password::HashSlots& slots, unsigned count) : process_(fork()) {
        if (process_ == 0)
            wait(slots, count);
    }
    WaitingProcess(const WaitingProcess&) = delete;
    WaitingProcess& operator=(const WaitingProcess&) = delete;
    ~WaitingProcess() { kill(); }

    /// Kills the process while it waits.
    void kill() {
        if (process_ > 0)
            ::kill(process_, SIGKILL);
        end();
    }
    /// Stops the process with SIGSTOP until resume().
    void stop() const {
        CHECK_EQUAL(0, ::kill(process_, SIGSTOP));
        CHECK_EQUAL(process_, waitpid(process_, nullptr, WUNTRACED));
    }
    void resume() const { CHECK_EQUAL(0, ::kill(process_, SIGCONT)); }
    /// Waits until all threads have had a slot.
    void end() {
        if (process_ > 0)
            waitpid(std::exchange(process_, 0), nullptr, 0);
    }

  private:
    [[noreturn]] static void wait(const password::HashSlots& slots, unsigned count) {
        run_in_threads(count, [&slots] {
            auto own = slots;
            while (!SharedSlots::is_permit(own.acquire())) {
            }
        });
        _exit(0);
    }

    pid_t process_;
};

} // namespace

TEST_GROUP(secret){};

TEST(secret, contains_the_given_string) {
    crypto::Secret secret("hunter2"s);
    CHECK_TRUE(secret.view() == "hunter2");
    crypto::Secret moved(std::move(secret));
    CHECK_TRUE(moved.view() == "hunter2");
    crypto::Secret assigned("another"s);
    assigned = std::move(moved);
    CHECK_TRUE(assigned.view() == "hunter2");
    CHECK_TRUE(crypto::Secret().view().empty());
}

TEST(secret, moving_from_a_short_string_leaves_nothing_behind) {
    std::string text = "hunter2";
    const auto memory = memory_of(text);
    CHECK_TRUE(memory.find("unter2") != std::string_view::npos);
    const crypto::Secret secret(std::move(text));
    CHECK_TRUE(memory.find("unter2") == std::string_view::npos);
}

TEST(secret, moving_a_short_secret_leaves_nothing_behind) {
    crypto::Secret source("hunter2"s);
    const auto memory = memory_of(source);
    CHECK_TRUE(memory.find("unter2") != std::string_view::npos);
    crypto::Secret target(std::move(source));
    CHECK_TRUE(memory.find("unter2") == std::string_view::npos);

    const auto memory_of_target = memory_of(target);
    CHECK_TRUE(memory_of_target.find("unter2") != std::string_view::npos);
    crypto::Secret assigned;
    assigned = std::move(target);
    CHECK_TRUE(memory_of_target.find("unter2") == std::string_view::npos);
}

TEST(secret, is_wiped_by_its_destructor) {
    alignas(crypto::Secret) std::array<char, sizeof(crypto::Secret)> memory{};
    auto* const secret =
        std::construct_at(reinterpret_cast<crypto::Secret*>(memory.data()), "hunter2"s);
    CHECK_TRUE(memory_of(memory).find("unter2") != std::string_view::npos);
    std::destroy_at(secret);
    CHECK_TRUE(memory_of(memory).find("unter2") == std::string_view::npos);
}

TEST(secret, a_string_is_wiped_beyond_its_end) {
    std::string text = "a secret that is longer than what a short text holds";
    const auto length = text.size();
    text.resize(1);
    crypto::wipe(text);
    CHECK_TRUE(text.empty());
    const char* const bytes = text.data();
    CHECK_TRUE(std::all_of(bytes, bytes + length, [](char byte) { return byte == 0; }));
}

TEST(secret, is_equal_to_another_if_every_byte_is_equal) {
    CHECK_TRUE(crypto::constant_time_equal("", ""));
    CHECK_TRUE(crypto::constant_time_equal("abc", "abc"));
    CHECK_FALSE(crypto::constant_time_equal("abc", "abd"));
    CHECK_FALSE(crypto::constant_time_equal("abc", "xbc"));
    CHECK_FALSE(crypto::constant_time_equal("abc", "ab"));
    CHECK_FALSE(crypto::constant_time_equal("ab", "abc"));
    CHECK_FALSE(crypto::constant_time_equal("", "a"));
}

TEST_GROUP(random_values){};

TEST(random_values, a_uuid_has_version_4_and_canonical_form) {
    for (int i = 0; i < 200; ++i) {
        const auto uuid = crypto::random_uuid();
        UNSIGNED_LONGS_EQUAL(36, uuid.size());
        for (std::size_t at = 0; at < uuid.size(); ++at) {
            const bool hyphen = at == 8 || at == 13 || at == 18 || at == 23;
            CHECK_TRUE(is_one_of(uuid[at], hyphen ? "-" : "0123456789abcdef"));
        }
        CHECK_EQUAL('4', uuid[14]);
        CHECK_TRUE(is_one_of(uuid[19], "89ab"));
    }
}

TEST(random_values, a_token_has_32_uniformly_distributed_letters_and_digits) {
    constexpr int tokens = 20'000;
    std::map<char, int> counts;
    for (int i = 0; i < tokens; ++i) {
        const auto token = crypto::random_token();
        UNSIGNED_LONGS_EQUAL(32, token.size());
        for (const char character : token)
            ++counts[character];
    }
    UNSIGNED_LONGS_EQUAL(62, counts.size());
    for (const auto& [character, count] : counts) {
        CHECK_TRUE(
            is_one_of(character, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"));
        // A byte modulo 62 would make 8 characters 21% more likely. 10% is ten standard
        // deviations.
        CHECK_TRUE(count > tokens * 32 / 62 * 9 / 10);
        CHECK_TRUE(count < tokens * 32 / 62 * 11 / 10);
    }
}

TEST_GROUP(secret_source) {
    const test::WorkFolder folder;
    const std::string path = folder.path() / "secret";

    std::variant<crypto::LoadedSecret, std::string> read(std::string_view source) const {
        return crypto::load_secret(source, folder.path().string());
    }
    /// Returns the secret from the source, or "(none)".
    std::string secret_at(std::string_view source) const {
        const auto result = read(source);
        const auto* found = std::get_if<crypto::LoadedSecret>(&result);
        return found != nullptr ? std::string(found->secret.view()) : "(none)";
    }
    /// Returns whether reading fails with an error that contains these words.
    bool is_rejected(std::string_view source, std::string_view words) const {
        const auto result = read(source);
        const auto* message = std::get_if<std::string>(&result);
        return message != nullptr && message->find(words) != std::string::npos;
    }
};

TEST(secret_source, skips_a_byte_order_mark_in_a_file) {
    test::write_file(path, "\xef\xbb\xbfthe secret\r\n");
    CHECK_EQUAL("the secret"s, secret_at("file:" + path));
    test::write_file(path, "\xef\xbb\xbf\n");
    CHECK_TRUE(is_rejected("file:" + path, "is empty"));
}

TEST(secret_source, is_inline_text_a_file_or_an_environment_variable) {
    test::write_file(path, "the secret\nanother line\n");
    CHECK_EQUAL("a text"s, secret_at("a text"));
    CHECK_EQUAL("the secret"s, secret_at("file:" + path));
    setenv("USERADMIN_TEST_SECRET", "of the environment", 1);
    CHECK_EQUAL("of the environment"s, secret_at("env:USERADMIN_TEST_SECRET"));
}

TEST(secret_source, the_error_names_the_path_and_the_reason) {
    CHECK_TRUE(is_rejected("file:" + path, path + ": No such file or directory"));
    CHECK_TRUE(is_rejected("file:absent", folder.path().string() + "/absent: No such file"));
    CHECK_TRUE(is_rejected("file:.", "Is a directory"));
    test::write_file(path, "\nnot on the first line");
    CHECK_TRUE(is_rejected("file:secret", path + " is empty"));
    test::write_file(path, "\xff\xfe");
    CHECK_TRUE(is_rejected("file:secret", path + " is not UTF-8"));
    test::write_file(path, std::string(4097, 'x'));
    CHECK_TRUE(is_rejected("file:secret", "at most 4096 bytes"));
    CHECK_TRUE(is_rejected("env:NO_SUCH_VARIABLE",
                           "the environment variable NO_SUCH_VARIABLE is not set"));
    CHECK_TRUE(is_rejected("", "file:path"));
}

TEST(secret_source, rejects_text_that_is_the_path_of_a_file) {
    test::write_file(path, "the secret");
    CHECK_TRUE(is_rejected(path, "file:"));
    CHECK_TRUE(is_rejected("secret", "file:"));
    CHECK_EQUAL("."s, secret_at(".")); // not a regular file
}

TEST(secret_source, reports_warnings) {
    test::write_file(path, "sixteen letters!");
    for (const auto mode : {0600, 0640, 0644}) {
        chmod(path.c_str(), static_cast<mode_t>(mode));
        const auto result = read("file:secret");
        const auto& found = std::get<crypto::LoadedSecret>(result);
        CHECK_EQUAL(mode == 0644, found.is_world_readable);
        CHECK_EQUAL(path, found.file);
        CHECK_FALSE(found.is_inline);
        CHECK_FALSE(found.is_short());
    }
    const auto result = read("fifteen letters");
    const auto& found = std::get<crypto::LoadedSecret>(result);
    CHECK_TRUE(found.is_inline);
    CHECK_TRUE(found.is_short());
    CHECK_FALSE(found.is_world_readable);
}

TEST_GROUP(format_words){};

TEST(format_words, are_read_with_defaults_for_missing_parameters) {
    using Words = std::vector<std::string_view>;
    const auto argon2id = [](const Words& words) {
        return std::get<password::Argon2id>(
            std::get<password::Format>(password::parse_format(words)));
    };
    CHECK_TRUE(std::holds_alternative<password::Scrypt>(
        std::get<password::Format>(password::parse_format(Words{"scrypt"}))));
    CHECK_EQUAL(19456U, argon2id({"argon2id"}).memory_kib);
    CHECK_EQUAL(10U, argon2id({"argon2id", "t=10"}).passes);
    const auto all = argon2id({"argon2id", "p=16", "m=262144", "t=1"});
    CHECK_EQUAL(262144U, all.memory_kib);
    CHECK_EQUAL(1U, all.passes);
    CHECK_EQUAL(16U, all.lanes);
}

TEST(format_words, invalid_words_are_rejected_with_a_hint) {
    const std::vector<std::string_view> others[] = {
        {},
        {""},
        {"md5"},
        {"argon2i"},
        {"ARGON2ID"},
        {"scrypt", "N=2"},
        {"scrypt", "argon2id"},
        {"argon2id", ""},
        {"argon2id", "x=1"},
        {"argon2id", "m"},
        {"argon2id", "m="},
        {"argon2id", "m=7"},
        {"argon2id", "m=262145"},
        {"argon2id", "m=999999999999"},
        {"argon2id", "m=19456k"},
        {"argon2id", "t=0"},
        {"argon2id", "t=-1"},
        {"argon2id", "t=1.5"},
        {"argon2id", "t=11"},
        {"argon2id", "p=0"},
        {"argon2id", "p=17"},
        {"argon2id", "m=8", "p=2"},
    };
    for (const auto& words : others) {
        const auto refused = password::parse_format(words);
        const auto* const right = std::get_if<std::string>(&refused);
        CHECK_TRUE(right != nullptr);
        CHECK_EQUAL("'scrypt', or 'argon2id' with any of m=KiB (8 to 262144), t=N (1 to 10), p=N "
                    "(1 to 16), where m is at least 8 times p"s,
                    *right);
    }
}

TEST_GROUP(argon2id){};

TEST(argon2id, a_new_hash_is_a_phc_string_with_its_parameters) {
    const auto made = hashed(password::Argon2id{256, 3, 2}, "hunter2");
    const auto prefix = "$argon2id$v=19$m=256,t=3,p=2$"s;
    STRNCMP_EQUAL(prefix.c_str(), made.c_str(), prefix.size());
    // 16 bytes of salt and 32 of hash, in base64 without padding.
    UNSIGNED_LONGS_EQUAL(prefix.size() + 22 + 1 + 43, made.size());
    CHECK_EQUAL('$', made[prefix.size() + 22]);
    UNSIGNED_LONGS_EQUAL(made.size(), std::strlen(made.c_str()));
}

TEST(argon2id, the_correct_password_matches_and_others_do_not) {
    const auto made = hashed(small_argon2id, "contraseña");
    CHECK_TRUE(password::verify(made, "contraseña") == Verdict::match);
    CHECK_TRUE(password::verify(made, "contrasena") == Verdict::mismatch);
    CHECK_TRUE(password::verify(made, "contraseñ") == Verdict::mismatch);
    CHECK_TRUE(password::verify(made, "contraseña ") == Verdict::mismatch);
    CHECK_TRUE(password::verify(made, "") == Verdict::mismatch);
}

TEST(argon2id, a_hash_of_the_reference_implementation_is_verified) {
    // From test.c of libargon2: password "password", salt "somesalt".
    CHECK_TRUE(password::verify("$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ"
                                "$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
                                "password") == Verdict::match);
    CHECK_TRUE(password::verify("$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ"
                                "$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc",
                                "password") == Verdict::match);
}

TEST(argon2id, libsodium_derives_the_key_of_libargon2) {
    const std::string_view salt = "sixteen bytes...";
    for (const auto& work : {password::Argon2id{8, 1, 1}, password::Argon2id{19456, 2, 1},
                             password::Argon2id{64, 10, 1}})
        for (const std::size_t size : {16, 32, 64})
            for (const std::string_view password : {"", "contraseña"}) {
                const auto expected = password::derive_with_libargon2(work, salt, size, password);
                CHECK_TRUE(expected.has_value());
                const auto key = password::derive_with_libsodium(work, salt, size, password);
                CHECK_TRUE(key && key->view() == expected->view());
                const auto chosen = password::derive_argon2id_key(work, salt, size, password);
                CHECK_TRUE(chosen && chosen->view() == expected->view());
            }
}

TEST(argon2id, a_changed_hash_does_not_match) {
    const auto made = hashed(small_argon2id, "hunter2");
    const auto salt = made.find('$', made.find("p=")) + 1;
    const auto hash = made.rfind('$') + 1;
    for (const auto at : {salt, hash, hash + 10, made.size() - 3}) {
        auto changed = made;
        changed[at] = changed[at] == 'A' ? 'B' : 'A';
        CHECK_TRUE(password::verify(changed, "hunter2") == Verdict::mismatch);
    }
    CHECK_TRUE(password::verify(replaced(made, "t=1", "t=2"), "hunter2") == Verdict::mismatch);
}

TEST(argon2id, a_hash_that_is_too_expensive_is_rejected) {
    const auto made = hashed(small_argon2id, "hunter2");
    for (const auto memory :
         {"262145", "4194304", "4294967295", "4294967296", "99999999999999999999"}) {
        CHECK_TRUE(password::verify(replaced(made, "m=64", "m="s + memory), "hunter2") ==
                   Verdict::unsupported);
    }
    for (const auto passes : {"0", "11", "4294967295", "4294967297"}) {
        CHECK_TRUE(password::verify(replaced(made, "t=1", "t="s + passes), "hunter2") ==
                   Verdict::unsupported);
    }
    for (const auto lanes : {"0", "17", "16777215"}) {
        CHECK_TRUE(
            password::verify(replaced(replaced(made, "m=64", "m=65536"), "p=1", "p="s + lanes),
                             "hunter2") == Verdict::unsupported);
    }
}

TEST(argon2id, a_hash_at_the_bounds_is_computed) {
    const auto made = hashed(small_argon2id, "hunter2");
    CHECK_TRUE(password::verify(replaced(made, "t=1", "t=10"), "hunter2") == Verdict::mismatch);
    CHECK_TRUE(password::verify(replaced(replaced(made, "m=64", "m=128"), "p=1", "p=16"),
                                "hunter2") == Verdict::mismatch);
    CHECK_TRUE(password::verify(replaced(made, "m=64", "m=262144"), "hunter2") ==
               Verdict::mismatch);
}

TEST(argon2id, rejects_anything_but_an_exact_phc_string) {
    const auto made = hashed(small_argon2id, "hunter2");
    const auto salt = made.substr(made.find('$', made.find("p=")) + 1, 22);
    const std::string others[] = {
        "",
        "$",
        "$argon2id$",
        made.substr(1),
        " " + made,
        made + " ",
        made + "$",
        made + "=",
        made + std::string(1, '\0'),
        made.substr(0, made.rfind('$')),
        made.substr(0, made.rfind('$') + 1),
        replaced(made, "argon2id", "argon2i"),
        replaced(made, "argon2id", "argon2d"),
        replaced(made, "argon2id", "ARGON2ID"),
        replaced(made, "v=19", "v=18"),
        replaced(made, "v=19$", ""),
        replaced(made, "m=64", "m=+64"),
        replaced(made, "m=64", "m=-64"),
        replaced(made, "m=64", "m= 64"),
        replaced(made, "m=64", "m=064"),
        replaced(made, "m=64", "m="),
        replaced(made, "m=64", "m=4"), // less than 8 per lane
        replaced(made, "m=64,t=1", "t=1,m=64"),
        replaced(made, ",p=1", ""),
        replaced(made, ",p=1", ",p=1,keyid=x"),
        replaced(made, salt, ""),
        replaced(made, salt, "c2FsdA"),
        replaced(made, salt, std::string(88, 'A')),
        replaced(made, salt, "_" + salt.substr(1)),
        made.substr(0, made.rfind('$') + 1) + std::string(88, 'A'),
        made.substr(0, made.rfind('$') + 1) + std::string(8, 'A'),
        "hunter2",
    };
    for (const auto& other : others)
        CHECK_TRUE(password::verify(other, "hunter2") == Verdict::unsupported);
}

TEST(argon2id, hashes_any_bytes_up_to_1_kib) {
    for (const auto& password : {""s, "a\0b"s, std::string(1024, 'x')}) {
        const auto made = hashed(small_argon2id, password);
        CHECK_TRUE(password::verify(made, password) == Verdict::match);
        CHECK_TRUE(password::verify(made, password + "x") == Verdict::mismatch);
    }
}

TEST(argon2id, a_longer_password_is_not_hashed_and_matches_nothing) {
    const std::string password(1025, 'x');
    for (const auto& format :
         {password::Format(small_argon2id), password::Format(password::Scrypt{})})
        CHECK_FALSE(password::hash(format, password).has_value());
    CHECK_TRUE(password::verify(better_auth_hash, password) == Verdict::mismatch);
}

TEST(argon2id, reads_the_cost_of_a_supported_hash) {
    const auto work = password::format_of(hashed(password::Argon2id{256, 3, 2}, "hunter2"));
    const auto& argon2id = std::get<password::Argon2id>(work.value());
    CHECK_EQUAL(256U, argon2id.memory_kib);
    CHECK_EQUAL(3U, argon2id.passes);
    CHECK_EQUAL(2U, argon2id.lanes);
    CHECK_TRUE(
        std::holds_alternative<password::Scrypt>(password::format_of(better_auth_hash).value()));
    CHECK_FALSE(password::format_of("").has_value());
    CHECK_FALSE(password::format_of("$2b$10$N9qo8uLOickgx2ZMRZoMye").has_value());
    CHECK_FALSE(
        password::format_of(replaced(hashed(small_argon2id, "x"), "t=1", "t=11")).has_value());
}

TEST_GROUP(bcrypt){};

TEST(bcrypt, hashes_by_other_implementations_are_verified) {
    // From the tests of jBCrypt and crypt_blowfish.
    for (const auto& [stored, password] :
         {std::pair{"$2a$06$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe", "a"},
          std::pair{"$2b$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i", "abc"},
          std::pair{"$2y$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e",
                    "\xff\xff\xa3"}}) {
        CHECK_TRUE(password::verify(stored, password) == Verdict::match);
        CHECK_TRUE(password::verify(stored, std::string(password) + "b") == Verdict::mismatch);
    }
}

TEST(bcrypt, new_hashes_are_verified_and_their_cost_is_read) {
    const auto made = hashed(password::Bcrypt{5}, "hunter2");
    CHECK_TRUE(made.starts_with("$2b$05$"));
    CHECK_TRUE(password::verify(made, "hunter2") == Verdict::match);
    CHECK_TRUE(password::verify(made, "hunter3") == Verdict::mismatch);
    CHECK_TRUE(password::verify(made, "hunter2\0x"s) == Verdict::mismatch);
    CHECK_TRUE(password::format_of(made) == password::Format(password::Bcrypt{5}));
}

TEST(bcrypt, ignores_the_end_of_a_password_of_any_length) {
    const std::string first(72, 'x');
    const auto made = hashed(password::Bcrypt{4}, first + std::string(500, 'y'));
    CHECK_TRUE(password::verify(made, first + std::string(900, 'z')) == Verdict::match);
    CHECK_TRUE(password::verify(made, first.substr(1)) == Verdict::mismatch);
}

TEST(bcrypt, rejects_malformed_and_expensive_hashes) {
    const auto made = hashed(password::Bcrypt{4}, "hunter2");
    for (const std::string& stored :
         {made + "x", made.substr(0, 59), replaced(made, "$2b$", "$2x$"),
          replaced(made, "$04$", "$03$"), replaced(made, "$04$", "$15$"),
          replaced(made, "$04$", "$4a$"), made.substr(0, 59) + "!"}) {
        CHECK_TRUE(password::verify(stored, "hunter2") == Verdict::unsupported);
        CHECK_FALSE(password::format_of(stored).has_value());
    }
}

TEST_GROUP(scrypt){};

TEST(scrypt, a_hash_created_by_better_auth_is_verified) {
    CHECK_TRUE(password::verify(better_auth_hash, better_auth_password) == Verdict::match);
    CHECK_TRUE(password::verify(better_auth_hash, "password1235") == Verdict::mismatch);
    CHECK_TRUE(password::verify(better_auth_hash, "") == Verdict::mismatch);
}

TEST(scrypt, a_new_hash_has_better_auths_format) {
    const auto made = hashed(password::Scrypt{}, "hunter2");
    UNSIGNED_LONGS_EQUAL(32 + 1 + 128, made.size());
    for (std::size_t at = 0; at < made.size(); ++at)
        CHECK_TRUE(is_one_of(made[at], at == 32 ? ":" : "0123456789abcdef"));
    CHECK_TRUE(password::verify(made, "hunter2") == Verdict::match);
    CHECK_TRUE(password::verify(made, "hunter3") == Verdict::mismatch);
    CHECK_TRUE(hashed(password::Scrypt{}, "hunter2").substr(0, 32) != made.substr(0, 32));
}

TEST(scrypt, the_password_is_normalized_to_nfkc) {
    const auto made = hashed(password::Scrypt{}, "contrase\u00f1a");
    CHECK_TRUE(password::verify(made, "contrasen\u0303a") == Verdict::match);
    CHECK_TRUE(password::verify(made, "contrasena") == Verdict::mismatch);
    CHECK_TRUE(password::verify(better_auth_hash, "ｐassword1234") == Verdict::match);
}

TEST(scrypt, accepts_an_upper_case_key_but_not_a_changed_salt) {
    std::string upper(better_auth_hash);
    for (auto at = upper.begin() + 33; at != upper.end(); ++at)
        *at = static_cast<char>(*at >= 'a' ? *at - 'a' + 'A' : *at);
    CHECK_TRUE(password::verify(upper, better_auth_password) == Verdict::match);
    CHECK_TRUE(password::verify(replaced(upper, "661f87d3cab7", "661F87D3CAB7"),
                                better_auth_password) == Verdict::mismatch);
}

TEST(scrypt, a_changed_hash_does_not_match) {
    for (const std::size_t at : {0, 31, 33, 100, 160}) {
        std::string changed(better_auth_hash);
        changed[at] = changed[at] == '0' ? '1' : '0';
        CHECK_TRUE(password::verify(changed, better_auth_password) == Verdict::mismatch);
    }
}

TEST(scrypt, any_other_format_is_rejected) {
    const std::string stored(better_auth_hash);
    const std::string others[] = {
        stored + "0",
        stored.substr(0, 160),
        stored.substr(1),
        " " + stored,
        stored + "\n",
        stored.substr(0, 32),
        replaced(stored, ":", "$"),
        replaced(stored, ":", ""),
        replaced(stored, "66", "6g"),
        replaced(stored, "66", "0x"),
        replaced(stored, "66", "+6"),
        replaced(stored, ":51", ":5g"),
        replaced(stored, ":51", ":-1"),
        replaced(stored, ":51", ": 1"),
        std::string(161, ':'),
    };
    for (const auto& other : others)
        CHECK_TRUE(password::verify(other, better_auth_password) == Verdict::unsupported);
}

TEST(argon2id, leaves_no_memory_allocated_in_idle_threads) {
    constexpr int count = 32;
    constexpr password::Argon2id argon2id{19456, 1, 2}; // computed by libargon2
    std::latch hashed_all(count + 1);
    std::latch measured(1);
    std::mutex mutex; // one thread at a time, so that all could use the same memory
    const auto work = [&] {
        {
            const std::lock_guard lock(mutex);
            static_cast<void>(password::hash(argon2id, "hunter2"));
        }
        hashed_all.count_down();
        measured.wait(); // a thread that exits may free its memory
    };
    const long before = test::resident_kib();
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i)
        threads.emplace_back(work);
    hashed_all.arrive_and_wait();
    const long after = test::resident_kib();
    measured.count_down();
    for (auto& thread : threads)
        thread.join();
    CHECK_COMPARE(after - before, <, static_cast<long>(argon2id.memory_kib));
}

TEST_GROUP(slots){};

TEST(slots, time_out_if_all_are_in_use) {
    for (const unsigned limit : {1U, 2U, 7U}) {
        const SharedSlots shared(limit);
        std::vector<Slot> held;
        for (unsigned i = 0; i < limit; ++i) {
            held.push_back(shared.slots(0ms).acquire());
            CHECK_TRUE(SharedSlots::is_permit(held.back()));
        }
        CHECK_FALSE(shared.can_acquire());
        CHECK_FALSE(shared.can_acquire(2ms));
        held.pop_back();
        CHECK_TRUE(shared.can_acquire());
    }
}

TEST(slots, are_released_by_the_permits_destructor) {
    const SharedSlots shared(1);
    for (int i = 0; i < 10; ++i) {
        std::optional<password::HashSlots::Permit> held;
        {
            auto slot = shared.slots(0ms).acquire();
            CHECK_TRUE(SharedSlots::is_permit(slot));
            held.emplace(std::get<password::HashSlots::Permit>(std::move(slot)));
        } // the moved-from permit releases nothing
        CHECK_FALSE(shared.can_acquire());
        held.reset();
    }
}

TEST(slots, wait_for_the_whole_timeout) {
    const SharedSlots shared(2);
    const HoldingProcess other(shared.slots(), 2);
    const auto start = std::chrono::steady_clock::now();
    CHECK_FALSE(shared.can_acquire(120ms)); // longer than one round of waiting
    const auto waited = std::chrono::steady_clock::now() - start;
    CHECK_TRUE(waited >= 120ms);
}

TEST(slots, are_granted_in_order_of_arrival) {
    const SharedSlots shared(1, 8);
    auto held = std::optional(shared.slots().acquire());
    WaitingThreads waiting(shared);
    for (const char name : std::string("abcdefgh"))
        waiting.add(name, ipc::FairSemaphore::Client::nobody);
    held.reset();
    STRCMP_EQUAL("abcdefgh", waiting.served_order().c_str());
}

TEST(slots, are_shared_fairly_among_networks) {
    const SharedSlots shared(1, 8);
    auto held = std::optional(shared.slots_for(1).acquire());
    WaitingThreads waiting(shared);
    for (const char name : std::string("abcd"))
        waiting.add(name, 1);
    waiting.add('x', 2);
    waiting.add('y', 2);
    waiting.add('z', 3);
    held.reset();
    STRCMP_EQUAL("xzaybcd", waiting.served_order().c_str());
}

TEST(slots, are_shared_fairly_among_accounts) {
    const SharedSlots shared(1, 8);
    auto held = std::optional(shared.slots_for(0).acquire());
    WaitingThreads waiting(shared);
    for (const char name : std::string("abcd"))
        waiting.add(name, static_cast<std::uint64_t>(name), 1);
    waiting.add('x', 1, 2);
    waiting.add('y', 2, 3);
    held.reset();
    STRCMP_EQUAL("axybcd", waiting.served_order().c_str());
}

TEST(slots, ignore_the_earlier_usage_of_a_network) {
    const SharedSlots shared(1, 8);
    for (int time = 0; time < 100; ++time) {
        auto held = std::optional(shared.slots_for(1).acquire());
        WaitingThreads waiting(shared);
        waiting.add('a', 1);
        held.reset();
    }
    auto held = std::optional(shared.slots_for(3).acquire());
    WaitingThreads waiting(shared);
    for (const char name : std::string("abc"))
        waiting.add(name, 1);
    for (const char name : std::string("xyz"))
        waiting.add(name, 2);
    held.reset();
    STRCMP_EQUAL("axbycz", waiting.served_order().c_str());
}

TEST(slots, displace_the_newest_waiter_of_the_busiest_network) {
    const SharedSlots shared(1, 4);
    auto held = std::optional(shared.slots_for(1).acquire());
    WaitingThreads waiting(shared);
    for (const char name : std::string("abcd"))
        waiting.add(name, 1);
    waiting.add('e', 1);
    STRCMP_EQUAL("e", waiting.rejected(1).c_str());
    waiting.add('x', 2);
    STRCMP_EQUAL("ed", waiting.rejected(2).c_str());
    CHECK_TRUE(test::eventually([&] { return shared.in_use() == "1 4"; }));
    waiting.add('y', 3);
    STRCMP_EQUAL("edc", waiting.rejected(3).c_str());
    CHECK_TRUE(test::eventually([&] { return shared.in_use() == "1 4"; }));
    waiting.add('f', 1);
    STRCMP_EQUAL("edcf", waiting.rejected(4).c_str());
    held.reset();
    STRCMP_EQUAL("xyab", waiting.served_order().c_str());
}

TEST(slots, do_not_favor_a_network_that_is_rejected_often) {
    const SharedSlots shared(1, 2);
    auto held = std::optional(shared.slots_for(1).acquire());
    WaitingThreads waiting(shared);
    waiting.add('a', 1);
    waiting.add('b', 1);
    for (int time = 0; time < 1000; ++time)
        CHECK_FALSE(SharedSlots::is_permit(shared.slots_for(1).acquire()));
    waiting.add('x', 2);
    STRCMP_EQUAL("b", waiting.rejected(1).c_str());
    held.reset();
    STRCMP_EQUAL("xa", waiting.served_order().c_str());
}

TEST(slots, give_one_account_at_most_half) {
    for (const unsigned count : {1U, 2U, 3U, 8U}) {
        const SharedSlots shared(count);
        std::vector<Slot> held;
        while (held.size() < (count + 1) / 2)
            held.push_back(shared.slots(0ms).acquire(7));
        CHECK_TRUE(std::all_of(held.begin(), held.end(), SharedSlots::is_permit));
        CHECK_FALSE(SharedSlots::is_permit(shared.slots(1ms).acquire(7)));
        if (count > 1)
            CHECK_TRUE(SharedSlots::is_permit(shared.slots(0ms).acquire(8)));
        held.pop_back();
        CHECK_TRUE(SharedSlots::is_permit(shared.slots(0ms).acquire(7)));
    }
}

TEST(slots, remain_for_others_while_one_account_is_at_its_limit) {
    const SharedSlots shared(2);
    auto held = std::optional(shared.slots().acquire(7));
    WaitingThreads waiting(shared);
    waiting.add('a', 1, 7);
    STRCMP_EQUAL("1 1", shared.in_use().c_str());
    CHECK_TRUE(SharedSlots::is_permit(shared.slots(0ms).acquire(8)));
    CHECK_TRUE(shared.can_acquire());
    held.reset();
    STRCMP_EQUAL("a", waiting.served_order().c_str());
}

TEST(slots, are_not_granted_to_later_arrivals) {
    const SharedSlots shared(1);
    auto held = std::optional(shared.slots().acquire());
    WaitingProcess waiting(shared.slots(), 1);
    CHECK_TRUE(test::eventually([&] { return shared.in_use() == "1 1"; }));
    waiting.stop();
    held.reset();
    CHECK_FALSE(shared.can_acquire(120ms)); // longer than one round of waiting
    waiting.resume();
    waiting.end();
    CHECK_TRUE(shared.can_acquire());
}

TEST(slots, are_reserved_for_a_stopped_waiter_only_until_its_timeout) {
    const SharedSlots shared(1);
    auto held = std::optional(shared.slots().acquire());
    WaitingProcess waiting(shared.slots(500ms), 1);
    CHECK_TRUE(test::eventually([&] { return shared.in_use() == "1 1"; }));
    waiting.stop();
    held.reset();
    CHECK_TRUE(shared.can_acquire(60s));
}

TEST(slots, are_not_reserved_for_a_killed_waiter) {
    const SharedSlots shared(1);
    auto held = std::optional(shared.slots().acquire());
    WaitingProcess waiting(shared.slots(), 1);
    CHECK_TRUE(test::eventually([&] { return shared.in_use() == "1 1"; }));
    waiting.kill();
    held.reset();
    CHECK_TRUE(shared.can_acquire());
}

TEST(slots, slots_of_a_killed_process_are_released) {
    const SharedSlots shared(2);
    HoldingProcess other(shared.slots(), 2);
    CHECK_FALSE(shared.can_acquire(1ms));
    other.kill();
    for (int i = 0; i < 3; ++i) { // the semaphore stays consistent
        const auto first = shared.slots(0ms).acquire();
        const auto second = shared.slots(0ms).acquire();
        CHECK_TRUE(SharedSlots::is_permit(first));
        CHECK_TRUE(SharedSlots::is_permit(second));
        CHECK_FALSE(shared.can_acquire());
    }
}

TEST(slots, account_slots_are_released_when_the_holder_is_killed) {
    const SharedSlots shared(4);
    pid_t holder = fork();
    if (holder == 0) {
        const auto first = shared.slots().acquire(7);
        const auto second = shared.slots().acquire(7);
        pause();
        _exit(0);
    }
    CHECK_TRUE(test::eventually([&] { return shared.in_use() == "2 0"; }));
    CHECK_FALSE(SharedSlots::is_permit(shared.slots(1ms).acquire(7)));
    ::kill(holder, SIGKILL);
    waitpid(holder, nullptr, 0);
    CHECK_TRUE(SharedSlots::is_permit(shared.slots(0ms).acquire(7)));
}

TEST(slots, reject_immediately_when_the_queue_is_full) {
    const SharedSlots shared(1, 3);
    HoldingProcess holding(shared.slots(), 1);
    WaitingProcess waiting(shared.slots(), 3);
    CHECK_TRUE(test::eventually([&] { return shared.is_queue_full(); }));
    for (int i = 0; i < 10; ++i)
        CHECK_TRUE(shared.is_queue_full(24h));
    // When waiting requests get their slots, their places in the queue become free.
    holding.request_release();
    waiting.end();
    CHECK_TRUE(shared.can_acquire());
    const HoldingProcess again(shared.slots(), 1);
    CHECK_FALSE(shared.is_queue_full());
}

TEST(slots, release_the_queue_place_after_a_timeout) {
    const SharedSlots shared(1, 1);
    const HoldingProcess holding(shared.slots(), 1);
    for (int i = 0; i < 3; ++i)
        CHECK_FALSE(shared.is_queue_full(1ms));
}

TEST(slots, release_the_queue_place_of_a_killed_process) {
    constexpr unsigned places = 3;
    const SharedSlots shared(1, places);
    const HoldingProcess holding(shared.slots(), 1);
    for (int round = 0; round < 3; ++round) { // the semaphore stays consistent
        WaitingProcess waiting(shared.slots(), places);
        CHECK_TRUE(test::eventually([&] { return shared.is_queue_full(); }));
        waiting.kill();
        std::atomic<int> rejected = 0;
        run_in_threads(places, [&] { rejected += shared.is_queue_full(200ms) ? 1 : 0; });
        LONGS_EQUAL(0, rejected);
    }
}

TEST(slots, count_only_permits_of_live_processes) {
    const SharedSlots shared(3, 5);
    STRCMP_EQUAL("3 5", shared.bounds().c_str());
    STRCMP_EQUAL("0 0", shared.in_use().c_str());
    HoldingProcess holding(shared.slots(), 2);
    STRCMP_EQUAL("2 0", shared.in_use().c_str());
    {
        const auto third = shared.slots().acquire();
        WaitingProcess waiting(shared.slots(), 4);
        CHECK_TRUE(test::eventually([&] { return shared.in_use() == "3 4"; }));
        waiting.kill();
        STRCMP_EQUAL("3 0", shared.in_use().c_str());
    }
    STRCMP_EQUAL("2 0", shared.in_use().c_str());
    holding.kill();
    STRCMP_EQUAL("0 0", shared.in_use().c_str());
}

TEST(slots, count_each_timeout_and_each_rejection) {
    const SharedSlots shared(1, 1);
    const HoldingProcess holding(shared.slots(), 1);
    for (int i = 0; i < 3; ++i)
        CHECK_FALSE(shared.can_acquire());
    LONGS_EQUAL(3, shared.timeouts().load());
    LONGS_EQUAL(0, shared.rejections().load());
    const WaitingProcess waiting(shared.slots(), 1);
    CHECK_TRUE(test::eventually([&] { return shared.in_use() == "1 1"; }));
    for (int i = 0; i < 5; ++i)
        CHECK_FALSE(shared.can_acquire());
    LONGS_EQUAL(3, shared.timeouts().load());
    LONGS_EQUAL(5, shared.rejections().load());
}

TEST(slots, log_a_timeout_with_the_directive_to_raise) {
    const SharedSlots shared(1, 1);
    const HoldingProcess holding(shared.slots(), 1);
    CHECK_FALSE(shared.can_acquire());
    LONGS_EQUAL(1, shared.log().size());
    STRCMP_EQUAL("UA0306: no hashing slot was available within 0 s; raise UserAdminHashLimit or "
                 "UserAdminTimeout",
                 shared.log()[0].c_str());
    const WaitingProcess waiting(shared.slots(), 1);
    CHECK_TRUE(test::eventually([&] { return shared.is_queue_full(); }));
    STRCMP_EQUAL("UA0215: the queue for hashing slots is full; raise UserAdminHashLimit or "
                 "UserAdminHashQueue, or find the client that sends so many passwords",
                 shared.log().back().c_str());
}

TEST(slots, cannot_be_initialized_with_a_count_of_zero) {
    alignas(std::max_align_t) std::array<unsigned char, 256> memory{};
    POINTERS_EQUAL(nullptr, ipc::FairSemaphore::create(memory.data(), {0, 1}));
    POINTERS_EQUAL(nullptr, ipc::FairSemaphore::create(memory.data(), {1, 0}));
}

TEST_GROUP(log_throttle) {
    test::SharedObject<ipc::LogThrottle> throttle;
    const ipc::LogThrottle::Clock::time_point start = ipc::LogThrottle::Clock::now();

    std::uint64_t count(std::string_view tag, std::chrono::seconds later = 0s,
                        std::string_view network = {}) {
        return throttle->count(tag, network, start + later);
    }
    std::uint64_t count_once(std::string_view tag, std::string_view host,
                             std::chrono::seconds later = 0s) {
        return throttle->count(tag, host, start + later, 1);
    }
};

TEST(log_throttle, logs_one_line_a_minute_with_a_count) {
    LONGS_EQUAL(1, count("UA0105"));
    for (const auto later : {0s, 1s, 59s})
        LONGS_EQUAL(0, count("UA0105", later));
    LONGS_EQUAL(4, count("UA0105", 60s));
    LONGS_EQUAL(0, count("UA0105", 119s));
    LONGS_EQUAL(2, count("UA0105", 3600s));
}

TEST(log_throttle, lets_one_of_several_threads_log) {
    std::atomic<int> written = 0;
    run_in_threads(8, [&] { written += count("UA0105") != 0 ? 1 : 0; });
    LONGS_EQUAL(1, written);
}

TEST(log_throttle, counts_each_tag_separately) {
    LONGS_EQUAL(1, count("UA0105"));
    LONGS_EQUAL(1, count("UA0107"));
    LONGS_EQUAL(0, count("UA0105"));
}

TEST(log_throttle, allows_twenty_lines_a_minute_for_each_client) {
    const auto lines = [&](std::string_view network, auto later) {
        std::uint64_t lines = 0;
        for (int time = 0; time < 100; ++time)
            lines += count("UA0305", later, network) != 0 ? 1 : 0;
        return lines;
    };
    CHECK_EQUAL(20U, lines("192.0.2.1", 0s));
    CHECK_EQUAL(0U, lines("192.0.2.1", 59s));
    CHECK_EQUAL(20U, lines("192.0.2.2", 59s));
    CHECK_EQUAL(20U, lines("192.0.2.1", 60s));
    // After a minute, the next line has the number of dropped lines.
    CHECK_EQUAL(81U, count("UA0305", 120s, "192.0.2.1"));
}

TEST(log_throttle, counts_each_subject_separately) {
    LONGS_EQUAL(1, count_once("UA0310: it is unknown", "one.test"));
    LONGS_EQUAL(1, count_once("UA0310: it is unknown", "two.test"));
    LONGS_EQUAL(1, count_once("UA0310: it is banned", "one.test"));
    LONGS_EQUAL(0, count_once("UA0310: it is unknown", "one.test", 59s));
    LONGS_EQUAL(2, count_once("UA0310: it is unknown", "one.test", 60s));
}

TEST(log_throttle, bounds_the_lines_of_any_number_of_subjects) {
    std::uint64_t lines = 0;
    for (int round = 0; round < 3; ++round)
        for (int host = 0; host < 30000; ++host)
            lines += count_once("UA0310", std::to_string(host)) != 0 ? 1 : 0;
    CHECK_TRUE(lines > 1500 && lines < 2100);
}

TEST(log_throttle, bounds_the_lines_of_any_number_of_clients) {
    std::uint64_t lines = 0;
    for (int client = 0; client < 100000; ++client)
        lines += count("UA0305", 0s, std::to_string(client)) != 0 ? 1 : 0;
    CHECK_TRUE(lines > 1500 && lines < 2100);
}

TEST(log_throttle, clients_cannot_choose_the_bucket_of_a_line) {
    // With an unkeyed hash, these subjects would share one bucket.
    std::vector<std::string> subjects;
    for (int client = 0; subjects.size() < 100; ++client)
        if (std::string subject = std::to_string(client);
            ((std::hash<std::string_view>()(subject) ^ std::hash<std::string_view>()("UA0305")) &
             1023) == 0)
            subjects.push_back(std::move(subject));
    int lines = 0;
    for (const std::string& subject : subjects)
        lines += count("UA0305", 0s, subject) != 0 ? 1 : 0;
    CHECK_EQUAL(100, lines);
}

TEST_GROUP(bounded_hasher){};

TEST(bounded_hasher, hashes_and_releases_its_slot) {
    const SharedSlots shared(1);
    password::BoundedHasher hasher(small_argon2id, shared.slots(0ms));
    for (int i = 0; i < 3; ++i) {
        const auto made = hasher.hash("hunter2");
        CHECK_TRUE(std::holds_alternative<crypto::Secret>(made));
        CHECK_TRUE(password::verify(std::get<crypto::Secret>(made).view(), "hunter2") ==
                   Verdict::match);
    }
}

TEST(bounded_hasher, is_busy_if_no_slot_becomes_free_in_time) {
    const SharedSlots shared(1);
    const HoldingProcess other(shared.slots(), 1);
    password::BoundedHasher hasher(small_argon2id, shared.slots(1ms));
    CHECK_TRUE(std::get<password::HashFailure>(hasher.hash("hunter2")) ==
               password::HashFailure::busy);
}

TEST(bounded_hasher, reports_that_the_library_failed_and_releases_its_slot) {
    const SharedSlots shared(1);
    password::BoundedHasher hasher(password::Argon2id{1, 1, 1}, shared.slots(0ms));
    CHECK_TRUE(std::get<password::HashFailure>(hasher.hash("hunter2")) ==
               password::HashFailure::failed);
    CHECK_TRUE(shared.can_acquire());
}
