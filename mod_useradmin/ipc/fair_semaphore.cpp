#include "ipc/fair_semaphore.hpp"

#include "ipc/mutex.hpp"
#include "ipc/process.hpp"
#include "ipc/semaphore.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <span>
#include <unistd.h>
#include <utility>

namespace useradmin::ipc {

namespace {

using Clock = std::chrono::steady_clock;
static_assert(std::atomic<pid_t>::is_always_lock_free, "a lock would not be shared by processes");

/// A slot or a place. The header's mutex guards all but the holder.
struct Turn {
    static constexpr std::uint64_t free = std::numeric_limits<std::uint64_t>::max();

    /// Locked by the holder. A slot or place whose holder died is sound as it is.
    Mutex mutex;
    /// The process that has it; 0: nobody. Also one that was killed.
    std::atomic<pid_t> holder;
    /// Whether another request took the place.
    bool is_displaced;
    /// The lowest is served first.
    std::uint64_t order;
    Queue::Client client;

    bool take(std::uint64_t its_order, const Queue::Client& its_client) noexcept {
        if (mutex.try_lock() == Mutex::Taken::no)
            return false;
        order = its_order;
        client = its_client;
        is_displaced = false;
        holder = getpid();
        return true;
    }
    void give_back() noexcept {
        holder = 0;
        order = free;
        mutex.unlock();
    }
    /// Gives it back if its holder was killed.
    bool is_held() noexcept {
        if (order == free)
            return false;
        if (mutex.try_lock() == Mutex::Taken::no)
            return true;
        give_back();
        return false;
    }
};

struct Slot : Turn {
    bool lay_out() noexcept {
        order = free;
        return mutex.lay_out();
    }
};

/// A place of a request that waits for a slot.
struct Place : Turn {
    /// Wakes the request.
    Signal signal;

    bool lay_out() noexcept {
        order = free;
        return mutex.lay_out() && signal.lay_out();
    }
    bool is_waiting() noexcept { return is_held() && !is_displaced; }
};

/// What the shared memory starts with; the places follow it, then the slots. There are twice as
/// many places as requests that wait: those that others took are given back a moment later.
struct alignas(Place) Header {
    Queue::Bounds bounds;
    /// A process that is killed with it leaves every slot and place sound.
    Mutex mutex;
    /// Of the next request of a network and account that have none in the queue.
    std::uint64_t next_order;
};
static_assert(alignof(Place) % alignof(Slot) == 0,
              "the slots would not be aligned behind the places");

Header& header_of(void* memory) noexcept {
    return *static_cast<Header*>(memory);
}

std::size_t place_count(const Queue::Bounds& bounds) noexcept {
    return std::size_t{2} * bounds.places;
}

std::span<Place> places_of(Header& header) noexcept {
    return {reinterpret_cast<Place*>(&header + 1), place_count(header.bounds)};
}

std::span<Slot> slots_of(Header& header) noexcept {
    const std::span<Place> places = places_of(header);
    return {reinterpret_cast<Slot*>(places.data() + places.size()), header.bounds.slots};
}

/// Takes the first that is free, without waiting; nullptr where none is.
template <class T>
T* take_free(std::span<T> turns, std::uint64_t order, const Queue::Client& client) noexcept {
    const auto found =
        std::find_if(turns.begin(), turns.end(), [&](T& turn) { return turn.take(order, client); });
    return found != turns.end() ? &*found : nullptr;
}

bool is_same(std::uint64_t left, std::uint64_t right) noexcept {
    return left == right && left != Queue::Client::nobody;
}

/// Whether the account holds fewer slots than one may.
bool may_run(Header& header, std::uint64_t account) noexcept {
    if (account == Queue::Client::nobody)
        return true;
    const std::span<Slot> slots = slots_of(header);
    const auto held = std::count_if(slots.begin(), slots.end(), [account](Slot& slot) {
        return slot.client.account == account && slot.is_held();
    });
    return static_cast<std::size_t>(held) < (slots.size() + 1) / 2;
}

/// Whether a request waits that is to be served earlier.
bool is_anyone_before(Header& header, std::uint64_t order) noexcept {
    const std::span<Place> places = places_of(header);
    return std::any_of(places.begin(), places.end(), [&](Place& place) {
        return place.order < order && place.is_waiting() && may_run(header, place.client.account);
    });
}

/// The order of a request that arrives: behind one of each other network and account for every one
/// that its own have in the queue.
std::uint64_t order_of(Header& header, const Queue::Client& client) noexcept {
    const std::uint64_t round = place_count(header.bounds) + header.bounds.slots;
    std::uint64_t order = header.next_order;
    const auto go_behind = [&](Turn& turn) {
        const bool is_own = is_same(turn.client.network, client.network) ||
                            is_same(turn.client.account, client.account);
        if (is_own && turn.is_held() && !turn.is_displaced)
            order = std::max(order, turn.order + round);
    };
    for (Place& place : places_of(header))
        go_behind(place);
    for (Slot& slot : slots_of(header))
        go_behind(slot);
    return order;
}

/// Takes a free slot if the request is the next to be served; nullptr otherwise.
Slot* take_slot(Header& header, std::uint64_t order, const Queue::Client& client) noexcept {
    if (!may_run(header, client.account) || is_anyone_before(header, order))
        return nullptr;
    Slot* const slot = take_free(slots_of(header), order, client);
    if (slot != nullptr)
        header.next_order = std::max(header.next_order, order + 1);
    return slot;
}

/// Takes a place, that of the last in order if the queue is full; nullptr if the last in order is
/// the request itself.
Place* take_place(Header& header, std::uint64_t order, const Queue::Client& client) noexcept {
    Place* last = nullptr;
    unsigned waiting = 0;
    for (Place& place : places_of(header)) {
        if (!place.is_waiting())
            continue;
        ++waiting;
        if (last == nullptr || place.order > last->order)
            last = &place;
    }
    const bool is_full = waiting >= header.bounds.places;
    if (is_full && last->order <= order)
        return nullptr;
    Place* const place = take_free(places_of(header), order, client);
    if (place == nullptr)
        return nullptr;
    // Only requests that enter count, or others could be aged by requests that are turned away.
    ++header.next_order;
    if (is_full) {
        last->is_displaced = true;
        last->signal.give();
    }
    return place;
}

/// Wakes the request that is the next to be served.
void wake_first(Header& header) noexcept {
    Place* first = nullptr;
    for (Place& place : places_of(header))
        if (place.order < (first != nullptr ? first->order : Turn::free) && place.is_waiting() &&
            may_run(header, place.client.account))
            first = &place;
    if (first != nullptr)
        first->signal.give();
}

void give_back(Header& header, Turn& turn) noexcept {
    const Lock lock(header.mutex);
    turn.give_back();
    wake_first(header);
}

/// Waits in a place until the end of the scope, and lets the next one have his turn then.
class Queued {
  public:
    Queued(Header& header, Place& place) noexcept : header_(header), place_(place) {}
    ~Queued() { give_back(header_, place_); }
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
        sizeof(Header) + place_count(bounds) * sizeof(Place) + bounds.slots * sizeof(Slot);
    return (size + unit - 1) / unit * unit;
}

bool Queue::lay_out(void* memory, const Bounds& bounds) noexcept {
    Header& header = *new (memory) Header{bounds, {}, 0};
    bool ready = bounds.slots != 0 && bounds.places != 0 && header.mutex.lay_out();
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

std::variant<Queue::Held, Queue::NoSlot> Queue::acquire(std::chrono::milliseconds wait,
                                                        const Client& client) noexcept {
    constexpr std::chrono::milliseconds longest_sleep{50}; // who is killed wakes nobody
    constexpr std::chrono::hours longest_wait{24};         // keeps the clock from overflowing
    const auto deadline =
        Clock::now() + std::clamp<std::chrono::milliseconds>(wait, {}, longest_wait);

    Header& header = header_of(memory_);
    std::uint64_t order = 0;
    Place* place = nullptr;
    {
        const Lock lock(header.mutex);
        order = order_of(header, client);
        if (Slot* const slot = take_slot(header, order, client))
            return Held(memory_, slot);
        place = take_place(header, order, client);
    }
    if (place == nullptr)
        return NoSlot::queue_full;
    Queued queued(header, *place);
    while (true) {
        {
            const Lock lock(header.mutex);
            if (place->is_displaced)
                return NoSlot::queue_full;
            if (Slot* const slot = take_slot(header, order, client))
                return Held(memory_, slot);
        }
        const auto now = Clock::now();
        if (now >= deadline)
            return NoSlot::not_in_time;
        queued.wait_until(std::min(deadline, now + longest_sleep));
    }
}

Queue::Held::Held(Held&& other) noexcept
    : memory_(other.memory_), slot_(std::exchange(other.slot_, nullptr)) {}

Queue::Held::~Held() {
    if (slot_ != nullptr)
        give_back(header_of(memory_), *static_cast<Slot*>(slot_));
}

} // namespace useradmin::ipc
