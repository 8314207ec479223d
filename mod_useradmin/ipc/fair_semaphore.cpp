#include "ipc/fair_semaphore.hpp"

#include "ipc/event.hpp"
#include "ipc/process.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <unistd.h>
#include <utility>

namespace useradmin::ipc {

namespace {

using Clock = std::chrono::steady_clock;
static_assert(std::atomic<pid_t>::is_always_lock_free, "a lock would not be shared by processes");

// A displaced waiter keeps its place until it wakes up, so the queue needs spare places.
constexpr std::size_t places_per_waiter = 2;

bool is_same(std::uint64_t left, std::uint64_t right) noexcept {
    return left == right && left != FairSemaphore::Client::nobody;
}

} // namespace

/// A slot for a permit, or a waiter's place in the queue. The semaphore's mutex protects all
/// members except `holder`.
struct FairSemaphore::Reservation {
    static constexpr std::uint64_t free = std::numeric_limits<std::uint64_t>::max();

    /// Locked by the holder.
    Mutex mutex;
    /// The process that holds the reservation, even if it was killed. 0 if there is none.
    std::atomic<pid_t> holder;
    bool is_displaced;
    /// The position in the queue. The waiter with the lowest order is served first.
    std::uint64_t order;
    /// After this time, the waiter is ignored, so a stopped process does not block others.
    Clock::time_point deadline;
    Client client;
    Event wakeup;

    bool init() noexcept {
        order = free;
        return mutex.init();
    }
    bool try_acquire(std::uint64_t its_order, const Client& its_client,
                     Clock::time_point its_deadline) noexcept {
        if (!mutex.try_lock())
            return false;
        order = its_order;
        deadline = its_deadline;
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
    /// Returns whether a live thread holds the reservation. If the holder was killed, releases it.
    bool is_held() noexcept {
        if (order == free)
            return false;
        if (!mutex.try_lock())
            return true;
        release();
        return false;
    }
    bool is_waiting() noexcept { return is_held() && !is_displaced && Clock::now() < deadline; }

    /// Acquires the first free reservation. Returns nullptr if there is none.
    static Reservation* acquire_free(std::span<Reservation> all, std::uint64_t order,
                                     const Client& client, Clock::time_point deadline) noexcept {
        const auto found = std::ranges::find_if(
            all, [&](Reservation& each) { return each.try_acquire(order, client, deadline); });
        return found != all.end() ? &*found : nullptr;
    }
};

std::span<FairSemaphore::Reservation> FairSemaphore::reservations() noexcept {
    return {reinterpret_cast<Reservation*>(this + 1),
            places_per_waiter * capacity_.waiters + capacity_.permits};
}

std::span<FairSemaphore::Reservation> FairSemaphore::waiters() noexcept {
    return reservations().first(places_per_waiter * capacity_.waiters);
}

std::span<FairSemaphore::Reservation> FairSemaphore::slots() noexcept {
    return reservations().last(capacity_.permits);
}

bool FairSemaphore::may_run(std::uint64_t account) noexcept {
    if (account == Client::nobody)
        return true;
    const auto all = slots();
    const auto held = std::ranges::count_if(all, [account](Reservation& slot) {
        return slot.client.account == account && slot.is_held();
    });
    return static_cast<std::size_t>(held) < (all.size() + 1) / 2;
}

bool FairSemaphore::has_earlier_waiter(std::uint64_t order) noexcept {
    const auto all = waiters();
    return std::ranges::any_of(all, [&](Reservation& waiter) {
        return waiter.order < order && waiter.is_waiting() && may_run(waiter.client.account);
    });
}

/// Returns the order of a new request. If its network or account already has requests, the new
/// request is placed a full round (the number of reservations) behind the last of them.
std::uint64_t FairSemaphore::order_of(const Client& client) noexcept {
    std::uint64_t order = next_order_;
    for (Reservation& each : reservations()) {
        const bool is_own = is_same(each.client.network, client.network) ||
                            is_same(each.client.account, client.account);
        if (is_own && each.is_waiting())
            order = std::max(order, each.order + reservations().size());
    }
    return order;
}

/// Takes a free slot if no waiter precedes the request and the account may hold another permit.
/// Otherwise, returns nullptr.
FairSemaphore::Reservation* FairSemaphore::take_slot(std::uint64_t order,
                                                     const Client& client) noexcept {
    if (!may_run(client.account) || has_earlier_waiter(order))
        return nullptr;
    Reservation* const slot =
        Reservation::acquire_free(slots(), order, client, Clock::time_point::max());
    if (slot != nullptr)
        next_order_ = std::max(next_order_, order + 1);
    return slot;
}

/// Adds a waiter to the queue. If the queue is full, displaces the waiter that is last in order.
/// Returns nullptr if the queue is full and the new waiter would be last, or if no reservation is
/// free.
FairSemaphore::Reservation* FairSemaphore::enqueue(std::uint64_t order, const Client& client,
                                                   Clock::time_point deadline) noexcept {
    Reservation* last = nullptr;
    unsigned waiting = 0;
    for (Reservation& waiter : waiters()) {
        if (!waiter.is_waiting())
            continue;
        ++waiting;
        if (last == nullptr || waiter.order > last->order)
            last = &waiter;
    }
    const bool is_full = waiting >= capacity_.waiters;
    if (is_full && last->order <= order)
        return nullptr;
    Reservation* const place = Reservation::acquire_free(waiters(), order, client, deadline);
    if (place == nullptr)
        return nullptr;
    // A rejected request must not advance the order. Otherwise, requests already in the queue would
    // gain an advantage.
    ++next_order_;
    if (is_full) {
        last->is_displaced = true;
        last->wakeup.notify_all();
    }
    return place;
}

/// Releases the reservation and wakes the next waiter.
void FairSemaphore::release(Reservation& reservation) noexcept {
    const std::lock_guard lock(mutex_);
    reservation.release();
    Reservation* oldest = nullptr;
    for (Reservation& waiter : waiters())
        if (waiter.order < (oldest != nullptr ? oldest->order : Reservation::free) &&
            waiter.is_waiting() && may_run(waiter.client.account))
            oldest = &waiter;
    if (oldest != nullptr)
        oldest->wakeup.notify_all();
}

std::size_t FairSemaphore::size_of(const Counts& capacity) noexcept {
    static_assert(sizeof(FairSemaphore) % alignof(Reservation) == 0 &&
                      sizeof(Reservation) % alignof(FairSemaphore) == 0,
                  "the reservations would be misaligned");
    return sizeof(FairSemaphore) +
           (places_per_waiter * capacity.waiters + capacity.permits) * sizeof(Reservation);
}

FairSemaphore* FairSemaphore::create(void* memory, const Counts& capacity) noexcept {
    auto* const semaphore = new (memory) FairSemaphore(capacity);
    const auto all = semaphore->reservations();
    const bool is_ready = capacity.permits != 0 && capacity.waiters != 0 &&
                          semaphore->mutex_.init() &&
                          std::ranges::all_of(all, [](Reservation& each) { return each.init(); });
    return is_ready ? semaphore : nullptr;
}

FairSemaphore::Counts FairSemaphore::in_use() noexcept {
    const auto count_held = [](std::span<Reservation> all) {
        return static_cast<unsigned>(
            std::ranges::count_if(all, [](const auto& each) { return is_running(each.holder); }));
    };
    return {count_held(slots()), count_held(waiters())};
}

std::variant<FairSemaphore::Permit, FairSemaphore::AcquireError>
FairSemaphore::acquire(std::chrono::milliseconds timeout, const Client& client) noexcept {
    constexpr std::chrono::milliseconds max_sleep{50}; // in case a process is killed
    constexpr std::chrono::hours max_wait{24};         // avoids clock overflow
    const auto deadline =
        Clock::now() + std::clamp<std::chrono::milliseconds>(timeout, {}, max_wait);

    std::uint64_t order = 0;
    Reservation* place = nullptr;
    {
        const std::lock_guard lock(mutex_);
        order = order_of(client);
        if (Reservation* const slot = take_slot(order, client))
            return Permit(*this, slot);
        place = enqueue(order, client, deadline);
    }
    if (place == nullptr)
        return AcquireError::queue_full;
    const Permit waiting(*this, place); // releases the place, and wakes the next waiter
    while (true) {
        Event::Generation observed = 0;
        {
            const std::lock_guard lock(mutex_);
            observed = place->wakeup.generation();
            if (place->is_displaced)
                return AcquireError::queue_full;
            if (Reservation* const slot = take_slot(order, client))
                return Permit(*this, slot);
        }
        const auto now = Clock::now();
        if (now >= deadline)
            return AcquireError::timed_out;
        place->wakeup.wait_until(observed, std::min(deadline, now + max_sleep));
    }
}

FairSemaphore::Permit::Permit(Permit&& other) noexcept
    : semaphore_(other.semaphore_), slot_(std::exchange(other.slot_, nullptr)) {}

FairSemaphore::Permit::~Permit() {
    if (slot_ != nullptr)
        semaphore_.release(*slot_);
}

} // namespace useradmin::ipc
