#include "password/slots.hpp"

#include "shared/mutex.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

namespace useradmin::password {

namespace {

using Clock = std::chrono::steady_clock;
// A slot whose holder died guards nothing that could be half done: it is sound as it is.
using Taken = shared::Mutex::Taken;

/// What the shared memory starts with; the mutexes follow it.
struct alignas(shared::Mutex) Header {
    unsigned count;
    std::atomic<unsigned> next; ///< where the next caller starts to look
};
static_assert(std::atomic<unsigned>::is_always_lock_free,
              "a lock would not be shared by processes");

Header* header_of(void* memory) noexcept {
    return static_cast<Header*>(memory);
}

shared::Mutex* mutexes_of(void* memory) noexcept {
    return reinterpret_cast<shared::Mutex*>(header_of(memory) + 1);
}

} // namespace

std::size_t Slots::size_of(unsigned count) noexcept {
    return sizeof(Header) + count * sizeof(shared::Mutex);
}

bool Slots::lay_out(void* memory, unsigned count) noexcept {
    new (memory) Header{count, 0};
    bool ready = count != 0;
    for (unsigned i = 0; ready && i < count; ++i)
        ready = mutexes_of(memory)[i].lay_out();
    return ready;
}

std::optional<Slots::Held> Slots::acquire(std::chrono::milliseconds timeout) noexcept {
    constexpr std::chrono::milliseconds longest_wait_for_one{50}; // another may come free meanwhile
    constexpr std::chrono::hours longest_timeout{24}; // keeps the clock from overflowing
    const auto deadline =
        Clock::now() + std::clamp<std::chrono::milliseconds>(timeout, {}, longest_timeout);

    Header* const header = header_of(memory_);
    shared::Mutex* const mutexes = mutexes_of(memory_);
    while (true) {
        const unsigned start = header->next.fetch_add(1, std::memory_order_relaxed) % header->count;
        for (unsigned i = 0; i < header->count; ++i) {
            shared::Mutex* const mutex = mutexes + (start + i) % header->count;
            if (mutex->try_lock() != Taken::no)
                return Held(mutex);
        }
        const auto now = Clock::now();
        if (now >= deadline)
            return std::nullopt;
        if (mutexes[start].lock_until(std::min(deadline, now + longest_wait_for_one)) != Taken::no)
            return Held(mutexes + start);
    }
}

Slots::Held::Held(Held&& other) noexcept : mutex_(std::exchange(other.mutex_, nullptr)) {}

Slots::Held::~Held() {
    if (mutex_ != nullptr)
        static_cast<shared::Mutex*>(mutex_)->unlock();
}

} // namespace useradmin::password
