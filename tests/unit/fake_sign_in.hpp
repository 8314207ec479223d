#pragma once

#include "fake_store.hpp"
#include "sign_in/service.hpp"
#include "support/recording_logger.hpp"
#include "support/shared_object.hpp"

#include <memory>
#include <vector>

namespace useradmin::test {

inline constexpr text::Timestamp now{std::chrono::milliseconds(1'795'000'000'000)};

class FakePasswords final : public sign_in::PasswordVerifier {
  public:
    explicit FakePasswords(Calls& calls) noexcept : calls_(calls) {}

    /// What verify() returns if the password is wrong.
    sign_in::PasswordVerdict otherwise = sign_in::PasswordVerdict::mismatch;
    /// Called while verify() would wait for a slot.
    std::function<void()> meanwhile;

    sign_in::PasswordVerdict verify(std::uint64_t, const std::optional<std::string_view>& stored,
                                    std::string_view password,
                                    const std::function<bool()>& is_wanted) override {
        calls_.note("verify " + std::string(stored.value_or("nothing")));
        if (meanwhile)
            meanwhile();
        if (!is_wanted())
            return sign_in::PasswordVerdict::canceled;
        return stored == password ? sign_in::PasswordVerdict::match : otherwise;
    }

    /// What rehash() returns, or std::nullopt to keep the stored hash.
    std::optional<std::string> renewal;

    std::optional<crypto::Secret> rehash(std::string_view, std::string_view) override {
        return renewal ? std::optional(crypto::Secret(std::string(*renewal))) : std::nullopt;
    }

  private:
    Calls& calls_;
};

/// Provides sign-in with fake dependencies. Eva's password is "right".
class SignInScene : public Utest {
  public:
    void setup() override {
        // Otherwise, the first sign-in would read the hash formats from the store.
        formats.refresh(store, tables_id, sign_in::ObservedFormats::Clock::now());
        eva.id = "eva";
        eva.email = "eva@example.org";
        eva.role = "admin";
        store.credentials[eva.email] = {eva, "right"};
    }

  protected:
    sign_in::SignInResult verify(std::string_view email, std::string_view password) {
        calls.clear();
        return verifier().verify({email, password, text::Network::of("192.0.2.1")});
    }

    sign_in::CredentialVerifier verifier() {
        return {store, tables_id, passwords, formats, *limiter, limit, log, second_factor};
    }

    SharedObject<password::AttemptLimiter> limiter;
    Calls calls;
    FakeStore store{calls};
    std::string_view tables_id = "here";
    FakePasswords passwords{calls};
    sign_in::ObservedFormats formats;
    RecordingLogger log;
    FakeBody body{calls};
    FakeHeaders headers;
    model::User eva;
    password::AttemptLimit limit{3, std::chrono::seconds(60)};
    sign_in::SecondFactor second_factor = sign_in::SecondFactor::refused;
};

} // namespace useradmin::test
