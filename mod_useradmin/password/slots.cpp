#include "password/slots.hpp"

#include "shared/mutex.hpp"
#include "shared/tally.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <span>
#include <string>
#include <utility>

namespace useradmin::password {

namespace {

using Clock = std::chrono::steady_clock;
// A slot or place whose holder died guards nothing that could be half done: it is sound as it is.
using Taken = shared::Mutex::Taken;

/// What the shared memory starts with; the mutexes of the slots follow it, then those of the
/// places.
struct alignas(shared::Mutex) Header {
    Slots::Bounds bounds;
    std::atomic<unsigned> next; ///< where the next caller starts to look
    shared::Tally full;         ///< times that the queue was full
    shared::Tally late;         ///< times that no slot came free in time
};
static_assert(std::atomic<unsigned>::is_always_lock_free,
              "a lock would not be shared by processes");

using Mutexes = std::span<shared::Mutex>;

Header& header_of(void* memory) noexcept {
    return *static_cast<Header*>(memory);
}

Mutexes slots_of(Header& header) noexcept {
    return {reinterpret_cast<shared::Mutex*>(&header + 1), header.bounds.slots};
}

Mutexes places_of(Header& header) noexcept {
    return {slots_of(header).data() + header.bounds.slots, header.bounds.places};
}

std::size_t next_start(Header& header, Mutexes mutexes) noexcept {
    return header.next.fetch_add(1, std::memory_order_relaxed) % mutexes.size();
}

/// Takes the first that is free, without waiting; nullptr where none is.
shared::Mutex* take_free(Mutexes mutexes, std::size_t start) noexcept {
    for (std::size_t i = 0; i < mutexes.size(); ++i) {
        shared::Mutex& mutex = mutexes[(start + i) % mutexes.size()];
        if (mutex.try_lock() != Taken::no)
            return &mutex;
    }
    return nullptr;
}

} // namespace

std::size_t Slots::size_of(const Bounds& bounds) noexcept {
    return sizeof(Header) +
           (std::size_t{bounds.slots} + std::size_t{bounds.places}) * sizeof(shared::Mutex);
}

bool Slots::lay_out(void* memory, const Bounds& bounds) noexcept {
    Header& header = *new (memory) Header{bounds, 0, {}, {}};
    bool ready = bounds.slots != 0 && bounds.places != 0;
    for (const Mutexes mutexes : {slots_of(header), places_of(header)})
        for (shared::Mutex& mutex : mutexes)
            ready = ready && mutex.lay_out();
    return ready;
}

std::variant<Slots::Held, Slots::NoSlot> Slots::acquire() {
    constexpr std::chrono::milliseconds longest_wait_for_one{50}; // another may come free meanwhile
    constexpr std::chrono::hours longest_wait{24}; // keeps the clock from overflowing
    const auto deadline =
        Clock::now() + std::clamp<std::chrono::milliseconds>(terms_.wait, {}, longest_wait);

    Header& header = header_of(memory_);
    const Mutexes slots = slots_of(header);
    if (shared::Mutex* const slot = take_free(slots, next_start(header, slots)))
        return Held(slot);

    const Mutexes places = places_of(header);
    shared::Mutex* const place = take_free(places, next_start(header, places));
    if (place == nullptr) {
        log(header.full.count(Clock::now()),
            "UA0215: the queue for hashing slots was full; raise UserAdminHashLimit or "
            "UserAdminHashQueue, or find who sends so many passwords");
        return NoSlot::queue_full;
    }
    const Held queued(place);
    while (true) {
        const std::size_t start = next_start(header, slots);
        if (shared::Mutex* const slot = take_free(slots, start))
            return Held(slot);
        const auto now = Clock::now();
        if (now >= deadline)
            break;
        if (slots[start].lock_until(std::min(deadline, now + longest_wait_for_one)) != Taken::no)
            return Held(&slots[start]);
    }
    log(header.late.count(Clock::now()),
        "UA0306: no hashing slot came free within " + std::to_string(terms_.wait.count() / 1000) +
            " s; raise UserAdminHashLimit or " + terms_.wait_directive);
    return NoSlot::not_in_time;
}

void Slots::log(std::uint64_t times, std::string_view line) const {
    if (times == 0)
        return;
    std::string text(line);
    if (times > 1)
        text += " (" + std::to_string(times) + " times since this was last said)";
    log_->write(text::Level::warning, text);
}

Slots::Held::Held(Held&& other) noexcept : mutex_(std::exchange(other.mutex_, nullptr)) {}

Slots::Held::~Held() {
    if (mutex_ != nullptr)
        static_cast<shared::Mutex*>(mutex_)->unlock();
}

} // namespace useradmin::password
