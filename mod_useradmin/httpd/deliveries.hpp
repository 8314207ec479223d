// The state of delivering revocations to secondary storage.
#pragma once

#include "ipc/mutex.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

struct server_rec;

namespace useradmin::httpd {

/// The result of the last delivery that did not fail because of the database. `unusable_table`: the
/// table of revocations does not exist or cannot be read. The enumerators are in order of
/// increasing severity, because snapshot_of() compares them.
enum class DeliveryResult { unknown, delivered, unusable_table, unreachable };

/// The state of a delivery. Lives in shared memory that survives restarts of httpd.
struct DeliveryState {
    /// A monotonic clock, which all processes share.
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] bool init() noexcept { return delivering.init(); }

    std::atomic<DeliveryResult> last_result;
    /// All revocations up to this Unix time have been delivered. Initially, the time when httpd
    /// first read the configuration.
    std::atomic<std::int64_t> delivered_until;
    /// When a page of revocations was last delivered, or httpd last read the configuration.
    std::atomic<Clock::time_point> progressed_at = {};
    /// Held by the delivering thread until that thread exits.
    ipc::Mutex delivering = {};
};

/// The delivery of a virtual host's revocations. Virtual hosts with the same database, tables and
/// storage share one state.
struct HostDelivery {
    /// The virtual host. Compared by address, because names need not be unique.
    const server_rec* host;
    /// Identifies the storage.
    std::string_view storage_id;
    const DeliveryState* state;
};

/// The combined state of deliveries: the worst value of each member.
struct DeliverySnapshot {
    DeliveryResult last_result;
    std::int64_t delivered_until;
    DeliveryState::Clock::time_point progressed_at = {};

    /// Returns whether a delivery has failed because of the storage or the table, or has made no
    /// progress for ten seconds. If so, the application keeps accepting sessions that are revoked
    /// now.
    bool has_failed(DeliveryState::Clock::time_point now) const noexcept {
        constexpr std::chrono::seconds max_delay(10); // a delivery starts every second
        return last_result >= DeliveryResult::unusable_table || now - progressed_at > max_delay;
    }
};

/// Returns the combined snapshot of the deliveries that is_included(delivery) selects. Returns
/// std::nullopt if there are none.
template <class Predicate>
std::optional<DeliverySnapshot> snapshot_of(const std::vector<HostDelivery>& deliveries,
                                            const Predicate& is_included) {
    std::optional<DeliverySnapshot> worst;
    for (const HostDelivery& delivery : deliveries) {
        if (!is_included(delivery))
            continue;
        const DeliverySnapshot own = {delivery.state->last_result, delivery.state->delivered_until,
                                      delivery.state->progressed_at};
        worst = !worst ? own
                       : DeliverySnapshot{std::max(worst->last_result, own.last_result),
                                          std::min(worst->delivered_until, own.delivered_until),
                                          std::min(worst->progressed_at, own.progressed_at)};
    }
    return worst;
}

} // namespace useradmin::httpd
