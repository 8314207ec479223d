// The state of delivering revocations to secondary storage.
#pragma once

#include "ipc/mutex.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace useradmin::httpd {

/// The result of the last attempt to deliver revocations. The enumerators are in order of
/// increasing severity, because snapshot_of() compares them.
enum class DeliveryResult { unknown, delivered, no_table, unreachable };

/// The state of a delivery. Lives in shared memory that survives restarts of httpd.
struct DeliveryState {
    [[nodiscard]] bool init() noexcept { return delivering.init(); }

    std::atomic<DeliveryResult> storage;
    /// The Unix time up to which revocations have been delivered. Initially, the time when httpd
    /// first read the configuration.
    std::atomic<std::int64_t> delivered_until;
    /// The thread that delivers holds this mutex until it ends.
    ipc::Mutex delivering = {};
};

/// The delivery of a virtual host's revocations. Virtual hosts with the same database, tables and
/// storage share one state.
struct HostDelivery {
    /// The virtual host's name, as in Backend::name.
    std::string_view host;
    const DeliveryState* state;
};

/// The combined state of a virtual host's deliveries: the worst value of each member.
struct DeliverySnapshot {
    DeliveryResult storage;
    std::int64_t delivered_until;
};

/// Returns a virtual host's snapshot, or std::nullopt if it has no deliveries.
inline std::optional<DeliverySnapshot> snapshot_of(const std::vector<HostDelivery>& deliveries,
                                                   std::string_view host) {
    std::optional<DeliverySnapshot> worst;
    for (const HostDelivery& delivery : deliveries) {
        if (delivery.host != host)
            continue;
        const DeliverySnapshot own = {delivery.state->storage, delivery.state->delivered_until};
        worst = !worst ? own
                       : DeliverySnapshot{std::max(worst->storage, own.storage),
                                          std::min(worst->delivered_until, own.delivered_until)};
    }
    return worst;
}

} // namespace useradmin::httpd
