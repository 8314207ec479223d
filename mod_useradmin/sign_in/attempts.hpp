// Counts failed attempts to sign in, all processes together.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

namespace useradmin::sign_in {

/// How many failed attempts are allowed within how much time.
struct Limit {
    unsigned attempts = 10;
    std::chrono::seconds window{60};

    unsigned for_account() const noexcept { return attempts; }
    /// Behind one address may be many people, so that it may fail three times as often.
    unsigned for_address() const noexcept { return 3 * attempts; }
};

/// Counts in shared memory of a fixed size, for each address of a client and for each account. When
/// there is no room, the oldest count of a few goes. Where a count lies depends on random bytes, so
/// that nobody can aim at one. A process that is killed wedges nobody (the mutex is robust).
class Attempts {
  public:
    using Clock = std::chrono::steady_clock;

    /// How many bytes of shared memory the counts need.
    static std::size_t size_of() noexcept;

    /// Lays the counts out in shared memory of size_of() bytes, aligned for any type. The memory
    /// belongs to the caller and outlives the object. Called once, before the processes
    /// fork; false where the system refuses.
    static bool lay_out(void* memory) noexcept;

    /// The counts in memory that lay_out prepared.
    explicit Attempts(void* memory) noexcept : memory_(memory) {}

    using Key = std::array<unsigned char, 16>;
    /// What one attempt counts for.
    struct Subject {
        Key address;
        Key account;
    };
    /// The place tells the account's database and its tables from others: whoever may sign in to an
    /// account of the same name elsewhere clears no count here.
    Subject subject(std::string_view address, std::string_view place,
                    std::string_view account) const noexcept;

    enum class Of { address, account };
    /// Whose attempts are used up, and when there will be others.
    struct Refusal {
        Of of;
        std::chrono::seconds retry_after;
    };

    /// What keeps the subject from another attempt; nothing where it may try.
    std::optional<Refusal> refusal(const Subject& subject, const Limit& limit,
                                   Clock::time_point now) const noexcept;
    /// Counts an attempt that failed.
    void count(const Subject& subject, const Limit& limit, Clock::time_point now) noexcept;
    /// Forgets the failures of the account, since its owner is there.
    void forgive(const Subject& subject) noexcept;

  private:
    void* memory_;
};

} // namespace useradmin::sign_in
