#include "fake_sign_in.hpp"
#include "sign_in/password_verifier.hpp"

#include <CppUTest/TestHarness.h>
#include <algorithm>
#include <set>
#include <vector>

namespace useradmin::test {

using sign_in::BoundedPasswordVerifier;
using sign_in::PasswordVerdict;
using namespace std::chrono_literals;

namespace {

std::string name_of(const password::Format& format) {
    const auto* const argon2id = std::get_if<password::Argon2id>(&format);
    return argon2id == nullptr ? "scrypt"
                               : "m=" + std::to_string(argon2id->memory_kib) +
                                     " t=" + std::to_string(argon2id->passes) +
                                     " p=" + std::to_string(argon2id->lanes);
}

/// Records hash operations instead of computing them. No password matches.
class RecordingVerifier final : public BoundedPasswordVerifier {
  public:
    using BoundedPasswordVerifier::BoundedPasswordVerifier;

    std::multiset<std::string> done;

    password::Verdict verify_hash(std::string_view stored, std::string_view) override {
        done.insert(name_of(*password::format_of(stored)));
        return password::Verdict::mismatch;
    }
    void hash_and_discard(const password::Format& format, std::string_view) override {
        done.insert(name_of(format));
    }
};

std::string argon2id_hash(const std::string& work) {
    return "$argon2id$v=19$" + work + "$" + std::string(22, 'A') + "$" + std::string(43, 'A');
}

} // namespace

TEST_GROUP(password_verifier) {
    const password::Format format = password::Argon2id{64, 3, 1};
    std::vector<std::max_align_t> memory;
    ipc::FairSemaphore* semaphore = nullptr;
    sign_in::ObservedFormats formats;
    RecordingLogger log;
    bool is_wanted = true;
    static constexpr std::uint64_t account = 1;

    void setup() override {
        memory.assign(ipc::FairSemaphore::size_of({1, 1}) / sizeof(std::max_align_t) + 1, {});
        semaphore = ipc::FairSemaphore::create(memory.data(), {1, 1});
        CHECK_TRUE(semaphore != nullptr);
    }

    password::HashSlots slots() {
        return {*semaphore, {50ms, "AuthUserAdminTimeout"}, log};
    }

    PasswordVerdict verify(const std::optional<std::string_view>& stored,
                           std::string_view password) {
        BoundedPasswordVerifier verifier(format, formats, slots());
        return verify(stored, password, verifier);
    }
    PasswordVerdict verify(const std::optional<std::string_view>& stored, std::string_view password,
                           sign_in::PasswordVerifier& verifier) {
        return verifier.verify(
            account, stored, password, [this] { return is_wanted; });
    }
};

TEST(password_verifier, replaces_only_bcrypt_hashes) {
    BoundedPasswordVerifier verifier(format, formats, slots());
    const auto renewed =
        verifier.rehash(password::hash(password::Bcrypt{4}, "right")->view(), "right");
    CHECK_TRUE(renewed.has_value());
    CHECK_TRUE(password::format_of(renewed->view()) == format);
    CHECK_TRUE(password::verify(renewed->view(), "right") == password::Verdict::match);
    for (const password::Format& other :
         {password::Format(password::Argon2id{64, 1, 1}), password::Format(password::Scrypt())})
        CHECK_FALSE(verifier.rehash(password::hash(other, "right")->view(), "right").has_value());
    CHECK_FALSE(verifier.rehash("", "").has_value());
}

TEST(password_verifier, keeps_a_bcrypt_hash_of_a_truncated_password) {
    BoundedPasswordVerifier verifier(format, formats, slots());
    const auto is_renewed = [&](const std::string& password) {
        return verifier.rehash(password::hash(password::Bcrypt{4}, password)->view(), password)
            .has_value();
    };
    CHECK_TRUE(is_renewed(std::string(71, 'p')));
    CHECK_FALSE(is_renewed(std::string(72, 'p')));
    CHECK_FALSE(is_renewed(std::string(73, 'p')));
}

TEST(password_verifier, distinguishes_match_mismatch_and_unsupported) {
    const std::string stored(password::hash(format, "right")->view());
    CHECK_TRUE(verify(stored, "right") == PasswordVerdict::match);
    CHECK_TRUE(verify(stored, "wrong") == PasswordVerdict::mismatch);
    CHECK_TRUE(verify(std::nullopt, "right") == PasswordVerdict::mismatch);
    CHECK_TRUE(verify("", "") == PasswordVerdict::unsupported);
    CHECK_TRUE(verify("right", "right") == PasswordVerdict::unsupported);
}

TEST(password_verifier, does_the_same_work_for_every_failed_attempt) {
    Calls calls;
    FakeStore store(calls);
    store.formats = {"other", "scrypt", "$argon2id$v=19$m=19456,t=2,p=1$"};
    formats.refresh(store, "here", sign_in::ObservedFormats::Clock::now());
    const std::string cheap = argon2id_hash("m=64,t=3,p=1");
    const std::string costly = argon2id_hash("m=19456,t=2,p=1");
    const std::string scrypt = std::string(32, 'a') + ":" + std::string(128, 'b');
    const std::string too_costly = argon2id_hash("m=4194304,t=2,p=1");
    for (const std::optional<std::string_view> stored :
         {std::optional<std::string_view>(), std::optional<std::string_view>(cheap),
          std::optional<std::string_view>(costly), std::optional<std::string_view>(scrypt),
          std::optional<std::string_view>(too_costly), std::optional<std::string_view>("")}) {
        RecordingVerifier recorded(format, formats, slots());
        verify(stored, "wrong", recorded);
        CHECK_TRUE_TEXT((recorded.done ==
                         std::multiset<std::string>{"m=64 t=3 p=1", "m=19456 t=2 p=1", "scrypt"}),
                        std::string(stored.value_or("nothing")).c_str());
    }
}

TEST(password_verifier, remembers_the_cost_of_hashes_it_has_seen) {
    RecordingVerifier recorded(format, formats, slots());
    verify(argon2id_hash("m=128,t=1,p=1"), "wrong", recorded);
    CHECK_TRUE((recorded.done == std::multiset<std::string>{"m=64 t=3 p=1", "m=128 t=1 p=1"}));
    recorded.done.clear();
    verify(std::nullopt, "wrong", recorded);
    CHECK_TRUE((recorded.done == std::multiset<std::string>{"m=64 t=3 p=1", "m=128 t=1 p=1"}));
}

TEST(password_verifier, hashes_nothing_more_if_the_password_matches) {
    struct Matching final : BoundedPasswordVerifier {
        using BoundedPasswordVerifier::BoundedPasswordVerifier;
        password::Verdict verify_hash(std::string_view, std::string_view) override {
            return password::Verdict::match;
        }
        void hash_and_discard(const password::Format&, std::string_view) override { FAIL("spent"); }
    } matching(format, formats, slots());
    CHECK_TRUE(verify(argon2id_hash("m=128,t=1,p=1"), "x", matching) == PasswordVerdict::match);
}

TEST(password_verifier, verifies_nothing_without_a_slot) {
    const auto held = slots().acquire();
    CHECK_TRUE(verify(password::hash(format, "right")->view(), "right") == PasswordVerdict::busy);
    CHECK_TRUE(verify(std::nullopt, "right") == PasswordVerdict::busy);
}

TEST(password_verifier, stops_if_the_result_is_no_longer_needed) {
    is_wanted = false;
    CHECK_TRUE(verify(password::hash(format, "right")->view(), "right") ==
               PasswordVerdict::canceled);
}

TEST_GROUP(formats_in_use) {
    using Clock = sign_in::ObservedFormats::Clock;
    Calls calls;
    FakeStore store{calls};
    sign_in::ObservedFormats formats;
    const Clock::time_point now = Clock::now();
};

TEST(formats_in_use, are_sampled_at_first_and_every_five_minutes) {
    store.formats = {"scrypt"};
    formats.refresh(store, "here", now);
    formats.refresh(store, "here", now + 4min);
    expect("password_formats", calls.text());
    store.formats = {"$argon2id$v=19$m=64,t=3,p=1$"};
    formats.refresh(store, "here", now + 5min);
    expect("password_formats, password_formats", calls.text());
    LONGS_EQUAL(2, formats.all().size());
}

TEST(formats_in_use, are_sampled_in_each_database_and_its_tables) {
    formats.refresh(store, "here", now);
    store.formats = {"scrypt"};
    formats.refresh(store, "there", now);
    LONGS_EQUAL(1, formats.all().size());
    formats.refresh(store, "here", now + 4min);
    formats.refresh(store, "there", now + 4min);
    expect("password_formats, password_formats", calls.text());
}

TEST(formats_in_use, are_sampled_again_ten_seconds_after_a_database_failure) {
    store.failures["password_formats"] = store::Failure::unavailable;
    formats.refresh(store, "here", now);
    formats.refresh(store, "here", now + 9s);
    expect("password_formats", calls.text());
    formats.refresh(store, "here", now + 10s);
    expect("password_formats, password_formats", calls.text());
}

TEST(formats_in_use, are_distinct_and_limited_to_the_eight_most_expensive) {
    for (std::uint32_t passes = 10; passes >= 1; --passes)
        for (int time = 0; time < 2; ++time)
            formats.add(password::Argon2id{1024, passes, 1});
    formats.add(password::Scrypt());
    formats.add(password::Scrypt());
    std::multiset<std::string> names;
    for (const password::Format& format : formats.all())
        names.insert(name_of(format));
    CHECK_TRUE(
        (names == std::multiset<std::string>{"m=1024 t=10 p=1", "m=1024 t=9 p=1", "m=1024 t=8 p=1",
                                             "m=1024 t=7 p=1", "m=1024 t=6 p=1", "m=1024 t=5 p=1",
                                             "m=1024 t=4 p=1", "scrypt"}));
}

} // namespace useradmin::test
