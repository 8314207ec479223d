#include "ipc/fair_semaphore.hpp"

#include "ipc/mutex.hpp"
#include "ipc/process.hpp"
#include "ipc/semaphore.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <span>
#include <unistd.h>
#include <utility>

namespace useradmin::ipc {

namespace {

using Clock = std::chrono::steady_clock;
static_assert(std::atomic<pid_t>::is_always_lock_free, "a lock would not be shared by processes");

/// A slot or a place. The header's mutex guards all but the holder.
struct Reservation {
    static constexpr std::uint64_t free = std::numeric_limits<std::uint64_t>::max();

    /// Locked by the holder. A slot or place whose holder died is sound as it is.
    Mutex mutex;
    /// The process that has it; 0: nobody. Also one that was killed.
    std::atomic<pid_t> holder;
    /// Whether another request took the place.
    bool is_displaced;
    /// The lowest is served first.
    std::uint64_t order;
    FairSemaphore::Client client;

    bool try_acquire(std::uint64_t its_order, const FairSemaphore::Client& its_client) noexcept {
        if (!mutex.try_lock())
            return false;
        order = its_order;
        client = its_client;
        is_displaced = false;
        holder = getpid();
        return true;
    }
    void release() noexcept {
        holder = 0;
        order = free;
        mutex.unlock();
    }
    /// Gives it back if its holder was killed.
    bool is_held() noexcept {
        if (order == free)
            return false;
        if (!mutex.try_lock())
            return true;
        release();
        return false;
    }
};

struct Slot : Reservation {
    bool init() noexcept {
        order = free;
        return mutex.init();
    }
};

/// A place of a request that waits for a slot.
struct Waiter : Reservation {
    /// Wakes the request.
    Semaphore wakeup;

    bool init() noexcept {
        order = free;
        return mutex.init() && wakeup.init();
    }
    bool is_waiting() noexcept { return is_held() && !is_displaced; }
};

/// What the shared memory starts with; the places follow it, then the slots. There are twice as
/// many places as requests that wait: those that others took are given back a moment later.
struct alignas(Waiter) Header {
    FairSemaphore::Counts capacity;
    /// A process that is killed with it leaves every slot and place sound.
    Mutex mutex;
    /// Of the next request of a network and account that have none in the queue.
    std::uint64_t next_order;
};
static_assert(alignof(Waiter) % alignof(Slot) == 0,
              "the slots would not be aligned behind the places");

Header& header_of(void* memory) noexcept {
    return *static_cast<Header*>(memory);
}

std::size_t place_count(const FairSemaphore::Counts& bounds) noexcept {
    return std::size_t{2} * bounds.waiters;
}

std::span<Waiter> waiters_of(Header& header) noexcept {
    return {reinterpret_cast<Waiter*>(&header + 1), place_count(header.capacity)};
}

std::span<Slot> slots_of(Header& header) noexcept {
    const std::span<Waiter> places = waiters_of(header);
    return {reinterpret_cast<Slot*>(places.data() + places.size()), header.capacity.permits};
}

/// Takes the first that is free, without waiting; nullptr where none is.
template <class T>
T* acquire_free(std::span<T> all, std::uint64_t order,
                const FairSemaphore::Client& client) noexcept {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](T& turn) { return turn.try_acquire(order, client); });
    return found != all.end() ? &*found : nullptr;
}

bool is_same(std::uint64_t left, std::uint64_t right) noexcept {
    return left == right && left != FairSemaphore::Client::nobody;
}

/// Whether the account holds fewer slots than one may.
bool may_run(Header& header, std::uint64_t account) noexcept {
    if (account == FairSemaphore::Client::nobody)
        return true;
    const std::span<Slot> slots = slots_of(header);
    const auto held = std::count_if(slots.begin(), slots.end(), [account](Slot& slot) {
        return slot.client.account == account && slot.is_held();
    });
    return static_cast<std::size_t>(held) < (slots.size() + 1) / 2;
}

/// Whether a request waits that is to be served earlier.
bool has_earlier_waiter(Header& header, std::uint64_t order) noexcept {
    const std::span<Waiter> waiters = waiters_of(header);
    return std::any_of(waiters.begin(), waiters.end(), [&](Waiter& place) {
        return place.order < order && place.is_waiting() && may_run(header, place.client.account);
    });
}

/// The order of a request that arrives: behind one of each other network and account for every one
/// that its own have in the queue.
std::uint64_t order_of(Header& header, const FairSemaphore::Client& client) noexcept {
    const std::uint64_t round = place_count(header.capacity) + header.capacity.permits;
    std::uint64_t order = header.next_order;
    const auto go_behind = [&](Reservation& turn) {
        const bool is_own = is_same(turn.client.network, client.network) ||
                            is_same(turn.client.account, client.account);
        if (is_own && turn.is_held() && !turn.is_displaced)
            order = std::max(order, turn.order + round);
    };
    for (Waiter& place : waiters_of(header))
        go_behind(place);
    for (Slot& slot : slots_of(header))
        go_behind(slot);
    return order;
}

/// Takes a free slot if the request is the next to be served; nullptr otherwise.
Slot* take_slot(Header& header, std::uint64_t order, const FairSemaphore::Client& client) noexcept {
    if (!may_run(header, client.account) || has_earlier_waiter(header, order))
        return nullptr;
    Slot* const slot = acquire_free(slots_of(header), order, client);
    if (slot != nullptr)
        header.next_order = std::max(header.next_order, order + 1);
    return slot;
}

/// Takes a place, that of the last in order if the queue is full; nullptr if the last in order is
/// the request itself.
Waiter* take_place(Header& header, std::uint64_t order,
                   const FairSemaphore::Client& client) noexcept {
    Waiter* last = nullptr;
    unsigned waiting = 0;
    for (Waiter& place : waiters_of(header)) {
        if (!place.is_waiting())
            continue;
        ++waiting;
        if (last == nullptr || place.order > last->order)
            last = &place;
    }
    const bool is_full = waiting >= header.capacity.waiters;
    if (is_full && last->order <= order)
        return nullptr;
    Waiter* const place = acquire_free(waiters_of(header), order, client);
    if (place == nullptr)
        return nullptr;
    // Only requests that enter count, or others could be aged by requests that are turned away.
    ++header.next_order;
    if (is_full) {
        last->is_displaced = true;
        last->wakeup.post();
    }
    return place;
}

/// Wakes the request that is the next to be served.
void notify_oldest(Header& header) noexcept {
    Waiter* oldest = nullptr;
    for (Waiter& waiter : waiters_of(header))
        if (waiter.order < (oldest != nullptr ? oldest->order : Reservation::free) &&
            waiter.is_waiting() && may_run(header, waiter.client.account))
            oldest = &waiter;
    if (oldest != nullptr)
        oldest->wakeup.post();
}

void release(Header& header, Reservation& reservation) noexcept {
    const std::lock_guard lock(header.mutex);
    reservation.release();
    notify_oldest(header);
}

/// Occupies a waiting place until the end of the scope, then lets the next waiter check for a
/// permit.
class ScopedWaiter {
  public:
    ScopedWaiter(Header& header, Waiter& waiter) noexcept : header_(header), waiter_(waiter) {}
    ~ScopedWaiter() { release(header_, waiter_); }
    ScopedWaiter(const ScopedWaiter&) = delete;
    ScopedWaiter& operator=(const ScopedWaiter&) = delete;

    void wait_until(Clock::time_point deadline) noexcept { waiter_.wakeup.wait_until(deadline); }

  private:
    Header& header_;
    Waiter& waiter_;
};

} // namespace

std::size_t FairSemaphore::size_of(const Counts& capacity) noexcept {
    constexpr std::size_t unit = alignof(Header);
    const std::size_t size =
        sizeof(Header) + place_count(capacity) * sizeof(Waiter) + capacity.permits * sizeof(Slot);
    return (size + unit - 1) / unit * unit;
}

bool FairSemaphore::init(void* memory, const Counts& capacity) noexcept {
    Header& header = *new (memory) Header{capacity, {}, 0};
    bool ready = capacity.permits != 0 && capacity.waiters != 0 && header.mutex.init();
    for (Waiter& waiter : waiters_of(header))
        ready = ready && waiter.init();
    for (Slot& slot : slots_of(header))
        ready = ready && slot.init();
    return ready;
}

FairSemaphore::Counts FairSemaphore::capacity(const void* memory) noexcept {
    return static_cast<const Header*>(memory)->capacity;
}

FairSemaphore::Counts FairSemaphore::in_use(const void* memory) noexcept {
    Header& header = header_of(const_cast<void*>(memory));
    const auto count_owned = [](auto all) {
        return static_cast<unsigned>(std::count_if(
            all.begin(), all.end(), [](const auto& entry) { return is_running(entry.holder); }));
    };
    return {count_owned(slots_of(header)), count_owned(waiters_of(header))};
}

std::variant<FairSemaphore::Permit, FairSemaphore::AcquireError>
FairSemaphore::acquire(std::chrono::milliseconds wait, const Client& client) noexcept {
    constexpr std::chrono::milliseconds longest_sleep{50}; // who is killed wakes nobody
    constexpr std::chrono::hours longest_wait{24};         // keeps the clock from overflowing
    const auto deadline =
        Clock::now() + std::clamp<std::chrono::milliseconds>(wait, {}, longest_wait);

    Header& header = header_of(memory_);
    std::uint64_t order = 0;
    Waiter* waiter = nullptr;
    {
        const std::lock_guard lock(header.mutex);
        order = order_of(header, client);
        if (Slot* const slot = take_slot(header, order, client))
            return Permit(memory_, slot);
        waiter = take_place(header, order, client);
    }
    if (waiter == nullptr)
        return AcquireError::queue_full;
    ScopedWaiter waiting(header, *waiter);
    while (true) {
        {
            const std::lock_guard lock(header.mutex);
            if (waiter->is_displaced)
                return AcquireError::queue_full;
            if (Slot* const slot = take_slot(header, order, client))
                return Permit(memory_, slot);
        }
        const auto now = Clock::now();
        if (now >= deadline)
            return AcquireError::timed_out;
        waiting.wait_until(std::min(deadline, now + longest_sleep));
    }
}

FairSemaphore::Permit::Permit(Permit&& other) noexcept
    : memory_(other.memory_), slot_(std::exchange(other.slot_, nullptr)) {}

FairSemaphore::Permit::~Permit() {
    if (slot_ != nullptr)
        release(header_of(memory_), *static_cast<Slot*>(slot_));
}

} // namespace useradmin::ipc
