#include "password/slots.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <new>
#include <utility>

namespace useradmin::password {

namespace {

using Clock = std::chrono::steady_clock; // CLOCK_MONOTONIC

/// What the shared memory starts with; the mutexes follow it.
struct alignas(pthread_mutex_t) Header {
    unsigned count;
    std::atomic<unsigned> next; ///< where the next caller starts to look
};
static_assert(std::atomic<unsigned>::is_always_lock_free,
              "a lock would not be shared by processes");

Header* header_of(void* memory) noexcept {
    return static_cast<Header*>(memory);
}

pthread_mutex_t* mutexes_of(void* memory) noexcept {
    return reinterpret_cast<pthread_mutex_t*>(header_of(memory) + 1);
}

/// Whether the mutex is the caller's now, given what taking it returned. One whose holder died
/// guards nothing that could be half done, so it is sound as it is.
bool is_taken(int status, pthread_mutex_t* mutex) noexcept {
    return status == 0 || (status == EOWNERDEAD && pthread_mutex_consistent(mutex) == 0);
}

/// Waits for one mutex until a time.
bool take_until(pthread_mutex_t* mutex, Clock::time_point deadline) noexcept {
    const auto since_boot = deadline.time_since_epoch();
    const auto whole = std::chrono::floor<std::chrono::seconds>(since_boot);
    const timespec until{whole.count(), std::chrono::nanoseconds(since_boot - whole).count()};
    return is_taken(pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &until), mutex);
}

} // namespace

std::size_t Slots::size_of(unsigned count) noexcept {
    return sizeof(Header) + count * sizeof(pthread_mutex_t);
}

bool Slots::lay_out(void* memory, unsigned count) noexcept {
    pthread_mutexattr_t attributes;
    if (count == 0 || pthread_mutexattr_init(&attributes) != 0)
        return false;
    bool ready = pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0 &&
                 pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0;
    new (memory) Header{count, 0};
    for (unsigned i = 0; ready && i < count; ++i)
        ready = pthread_mutex_init(mutexes_of(memory) + i, &attributes) == 0;
    pthread_mutexattr_destroy(&attributes);
    return ready;
}

std::optional<Slots::Held> Slots::acquire(std::chrono::milliseconds timeout) noexcept {
    constexpr std::chrono::milliseconds longest_wait_for_one{50}; // another may come free meanwhile
    constexpr std::chrono::hours longest_timeout{24}; // keeps the clock from overflowing
    const auto deadline =
        Clock::now() + std::clamp<std::chrono::milliseconds>(timeout, {}, longest_timeout);

    Header* const header = header_of(memory_);
    pthread_mutex_t* const mutexes = mutexes_of(memory_);
    while (true) {
        const unsigned start = header->next.fetch_add(1, std::memory_order_relaxed) % header->count;
        for (unsigned i = 0; i < header->count; ++i) {
            pthread_mutex_t* const mutex = mutexes + (start + i) % header->count;
            if (is_taken(pthread_mutex_trylock(mutex), mutex))
                return Held(mutex);
        }
        const auto now = Clock::now();
        if (now >= deadline)
            return std::nullopt;
        if (take_until(mutexes + start, std::min(deadline, now + longest_wait_for_one)))
            return Held(mutexes + start);
    }
}

Slots::Held::Held(Held&& other) noexcept : mutex_(std::exchange(other.mutex_, nullptr)) {}

Slots::Held::~Held() {
    if (mutex_ != nullptr)
        pthread_mutex_unlock(static_cast<pthread_mutex_t*>(mutex_));
}

} // namespace useradmin::password
