#include "shared/queue.hpp"

#include "shared/mutex.hpp"
#include "shared/process.hpp"
#include "shared/signal.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <new>
#include <span>
#include <unistd.h>
#include <utility>

namespace useradmin::shared {

namespace {

using Clock = std::chrono::steady_clock;
// A slot or place whose holder died guards nothing that could be half done: it is sound as it is.
using Taken = Mutex::Taken;
static_assert(std::atomic<pid_t>::is_always_lock_free &&
                  std::atomic<std::uint64_t>::is_always_lock_free,
              "a lock would not be shared by processes");

struct Slot {
    Mutex mutex;
    /// The process that has it; 0: nobody. Also one that was killed.
    std::atomic<pid_t> holder;

    bool lay_out() noexcept { return mutex.lay_out(); }
    bool take() noexcept {
        if (mutex.try_lock() == Taken::no)
            return false;
        holder = getpid();
        return true;
    }
    void give_back() noexcept {
        holder = 0;
        mutex.unlock();
    }
};

/// A place of who waits for a slot.
struct Place {
    static constexpr std::uint64_t nobody = std::numeric_limits<std::uint64_t>::max();

    Mutex mutex;
    /// As a slot's.
    std::atomic<pid_t> holder;
    /// When it came: whoever came earlier has a lower one.
    std::atomic<std::uint64_t> number;
    /// That it may be his turn.
    Signal signal;

    bool lay_out() noexcept {
        number = nobody;
        return mutex.lay_out() && signal.lay_out();
    }
    bool take(std::uint64_t its_number) noexcept {
        if (mutex.try_lock() == Taken::no)
            return false;
        number = its_number;
        holder = getpid();
        return true;
    }
    void give_back() noexcept {
        holder = 0;
        number = nobody;
        mutex.unlock();
    }
};

/// What the shared memory starts with; the places follow it, then the slots.
struct alignas(Place) Header {
    Queue::Bounds bounds;
    std::atomic<std::uint64_t> next_number; ///< of who comes next
};
static_assert(alignof(Place) % alignof(Slot) == 0,
              "the slots would not be aligned behind the places");

Header& header_of(void* memory) noexcept {
    return *static_cast<Header*>(memory);
}

std::span<Place> places_of(Header& header) noexcept {
    return {reinterpret_cast<Place*>(&header + 1), header.bounds.places};
}

std::span<Slot> slots_of(Header& header) noexcept {
    return {reinterpret_cast<Slot*>(places_of(header).data() + header.bounds.places),
            header.bounds.slots};
}

/// Takes the first that is free, without waiting; nullptr where none is. Each looks through them
/// from another one on, so that they do not all look at the same.
template <class Turn, class... Terms>
Turn* take_free(std::span<Turn> turns, std::uint64_t number, Terms... terms) noexcept {
    for (std::size_t i = 0; i < turns.size(); ++i) {
        Turn& turn = turns[(number + i) % turns.size()];
        if (turn.take(terms...))
            return &turn;
    }
    return nullptr;
}

/// Whether somebody waits who came earlier. A place whose holder was killed is given back for him.
bool is_anyone_before(std::span<Place> places, std::uint64_t number) noexcept {
    for (Place& place : places) {
        if (place.number >= number)
            continue;
        if (!place.take(Place::nobody))
            return true;
        place.give_back();
    }
    return false;
}

/// Tells whoever has waited longest to look whether a slot is free.
void wake_first(Header& header) noexcept {
    Place* first = nullptr;
    std::uint64_t lowest = Place::nobody;
    for (Place& place : places_of(header))
        if (const std::uint64_t number = place.number; number < lowest) {
            lowest = number;
            first = &place;
        }
    if (first != nullptr)
        first->signal.give();
}

/// Waits in a place until the end of the scope, and lets the next one have his turn then.
class Queued {
  public:
    Queued(Header& header, Place& place) noexcept : header_(header), place_(place) {}
    ~Queued() {
        place_.give_back();
        wake_first(header_);
    }
    Queued(const Queued&) = delete;
    Queued& operator=(const Queued&) = delete;

    void wait_until(Clock::time_point deadline) noexcept { place_.signal.wait_until(deadline); }

  private:
    Header& header_;
    Place& place_;
};

} // namespace

std::size_t Queue::size_of(const Bounds& bounds) noexcept {
    constexpr std::size_t unit = alignof(Header);
    const std::size_t size =
        sizeof(Header) + bounds.places * sizeof(Place) + bounds.slots * sizeof(Slot);
    return (size + unit - 1) / unit * unit;
}

bool Queue::lay_out(void* memory, const Bounds& bounds) noexcept {
    Header& header = *new (memory) Header{bounds, 0};
    bool ready = bounds.slots != 0 && bounds.places != 0;
    for (Place& place : places_of(header))
        ready = ready && place.lay_out();
    for (Slot& slot : slots_of(header))
        ready = ready && slot.lay_out();
    return ready;
}

Queue::Bounds Queue::bounds(const void* memory) noexcept {
    return static_cast<const Header*>(memory)->bounds;
}

Queue::Bounds Queue::in_use(const void* memory) noexcept {
    Header& header = header_of(const_cast<void*>(memory));
    const auto held = [](auto turns) {
        return static_cast<unsigned>(std::count_if(
            turns.begin(), turns.end(), [](const auto& turn) { return is_running(turn.holder); }));
    };
    return {held(slots_of(header)), held(places_of(header))};
}

std::variant<Queue::Held, Queue::NoSlot> Queue::acquire(std::chrono::milliseconds wait) noexcept {
    constexpr std::chrono::milliseconds longest_sleep{50}; // who is killed wakes nobody
    constexpr std::chrono::hours longest_wait{24};         // keeps the clock from overflowing
    const auto deadline =
        Clock::now() + std::clamp<std::chrono::milliseconds>(wait, {}, longest_wait);

    Header& header = header_of(memory_);
    const std::uint64_t number = header.next_number.fetch_add(1, std::memory_order_relaxed);
    const auto take = [&]() noexcept {
        return is_anyone_before(places_of(header), number) ? nullptr
                                                           : take_free(slots_of(header), number);
    };
    if (Slot* const slot = take())
        return Held(memory_, slot);

    Place* const place = take_free(places_of(header), number, number);
    if (place == nullptr)
        return NoSlot::queue_full;
    Queued queued(header, *place);
    while (true) {
        if (Slot* const slot = take())
            return Held(memory_, slot);
        const auto now = Clock::now();
        if (now >= deadline)
            return NoSlot::not_in_time;
        queued.wait_until(std::min(deadline, now + longest_sleep));
    }
}

Queue::Held::Held(Held&& other) noexcept
    : memory_(other.memory_), slot_(std::exchange(other.slot_, nullptr)) {}

Queue::Held::~Held() {
    if (slot_ == nullptr)
        return;
    static_cast<Slot*>(slot_)->give_back();
    wake_first(header_of(memory_));
}

} // namespace useradmin::shared
