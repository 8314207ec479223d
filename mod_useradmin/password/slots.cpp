#include "password/slots.hpp"

#include "shared/mutex.hpp"
#include "shared/process.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <span>
#include <string>
#include <unistd.h>
#include <utility>

namespace useradmin::password {

namespace {

using Clock = std::chrono::steady_clock;
// A slot or place whose holder died guards nothing that could be half done: it is sound as it is.
using Taken = shared::Mutex::Taken;

/// A slot or a place.
struct Turn {
    shared::Mutex mutex;
    /// The process that has it; 0: nobody. Also one that was killed.
    std::atomic<pid_t> holder;

    Taken take() noexcept { return taken(mutex.try_lock()); }
    Taken take_until(Clock::time_point deadline) noexcept {
        return taken(mutex.lock_until(deadline));
    }
    void give_back() noexcept {
        holder = 0;
        mutex.unlock();
    }

  private:
    Taken taken(Taken taken) noexcept {
        if (taken != Taken::no)
            holder = getpid();
        return taken;
    }
};
static_assert(std::atomic<pid_t>::is_always_lock_free, "a lock would not be shared by processes");

/// What the shared memory starts with; the slots follow it, then the places.
struct alignas(Turn) Header {
    Slots::Bounds bounds;
    std::atomic<unsigned> next; ///< where the next caller starts to look
};
static_assert(std::atomic<unsigned>::is_always_lock_free,
              "a lock would not be shared by processes");

using Turns = std::span<Turn>;

Header& header_of(void* memory) noexcept {
    return *static_cast<Header*>(memory);
}

Turns slots_of(Header& header) noexcept {
    return {reinterpret_cast<Turn*>(&header + 1), header.bounds.slots};
}

Turns places_of(Header& header) noexcept {
    return {slots_of(header).data() + header.bounds.slots, header.bounds.places};
}

std::size_t next_start(Header& header, Turns turns) noexcept {
    return header.next.fetch_add(1, std::memory_order_relaxed) % turns.size();
}

/// Takes the first that is free, without waiting; nullptr where none is.
Turn* take_free(Turns turns, std::size_t start) noexcept {
    for (std::size_t i = 0; i < turns.size(); ++i) {
        Turn& turn = turns[(start + i) % turns.size()];
        if (turn.take() != Taken::no)
            return &turn;
    }
    return nullptr;
}

} // namespace

std::size_t Slots::size_of(const Bounds& bounds) noexcept {
    return sizeof(Header) + (std::size_t{bounds.slots} + std::size_t{bounds.places}) * sizeof(Turn);
}

bool Slots::lay_out(void* memory, const Bounds& bounds) noexcept {
    Header& header = *new (memory) Header{bounds, 0};
    bool ready = bounds.slots != 0 && bounds.places != 0;
    for (const Turns turns : {slots_of(header), places_of(header)})
        for (Turn& turn : turns)
            ready = ready && turn.mutex.lay_out();
    return ready;
}

Slots::Bounds Slots::bounds(const void* memory) noexcept {
    return static_cast<const Header*>(memory)->bounds;
}

Slots::Bounds Slots::in_use(const void* memory) noexcept {
    Header& header = header_of(const_cast<void*>(memory));
    const auto held = [](Turns turns) {
        return static_cast<unsigned>(
            std::count_if(turns.begin(), turns.end(),
                          [](const Turn& turn) { return shared::is_running(turn.holder); }));
    };
    return {held(slots_of(header)), held(places_of(header))};
}

std::variant<Slots::Held, Slots::NoSlot> Slots::acquire() {
    constexpr std::chrono::milliseconds longest_wait_for_one{50}; // another may come free meanwhile
    constexpr std::chrono::hours longest_wait{24}; // keeps the clock from overflowing
    const auto deadline =
        Clock::now() + std::clamp<std::chrono::milliseconds>(terms_.wait, {}, longest_wait);

    std::unique_ptr<HashMemory::Use> use;
    if (terms_.memory != nullptr)
        use = std::make_unique<HashMemory::Use>(*terms_.memory);
    Header& header = header_of(memory_);
    const Turns slots = slots_of(header);
    if (Turn* const slot = take_free(slots, next_start(header, slots)))
        return Held(slot, std::move(use));

    const Turns places = places_of(header);
    Turn* const place = take_free(places, next_start(header, places));
    if (place == nullptr) {
        if (terms_.full != nullptr)
            terms_.full->add();
        log_->write_for_many(
            text::Level::warning,
            "UA0215: the queue for hashing slots was full; raise UserAdminHashLimit or "
            "UserAdminHashQueue, or find who sends so many passwords");
        return NoSlot::queue_full;
    }
    const Held queued(place);
    while (true) {
        const std::size_t start = next_start(header, slots);
        if (Turn* const slot = take_free(slots, start))
            return Held(slot, std::move(use));
        const auto now = Clock::now();
        if (now >= deadline)
            break;
        if (slots[start].take_until(std::min(deadline, now + longest_wait_for_one)) != Taken::no)
            return Held(&slots[start], std::move(use));
    }
    if (terms_.late != nullptr)
        terms_.late->add();
    log_->write_for_many(text::Level::warning, "UA0306: no hashing slot came free within " +
                                                   std::to_string(terms_.wait.count() / 1000) +
                                                   " s; raise UserAdminHashLimit or " +
                                                   terms_.wait_directive);
    return NoSlot::not_in_time;
}

Slots::Held::Held(Held&& other) noexcept
    : turn_(std::exchange(other.turn_, nullptr)), use_(std::move(other.use_)) {}

Slots::Held::~Held() {
    if (turn_ != nullptr)
        static_cast<Turn*>(turn_)->give_back();
}

} // namespace useradmin::password
