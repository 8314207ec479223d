#pragma once

#include "httpd/deliveries.hpp"
#include "httpd/metrics.hpp"
#include "ipc/fair_semaphore.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::httpd {

struct VirtualHostMetrics {
    std::string name;
    MetricsSnapshot sums;
    std::optional<DeliverySnapshot> deliveries = {};
};

struct ServerMetrics {
    const MetricsRegistry& registry;
    /// The virtual hosts with counts or deliveries.
    std::vector<VirtualHostMetrics> virtual_hosts = {};
    ipc::FairSemaphore::Counts hash_capacity = {};
    ipc::FairSemaphore::Counts hashes_in_use = {};
};

inline constexpr const char* prometheus_type = "text/plain; version=0.0.4; charset=utf-8";

/// Returns the metrics in the Prometheus text format.
std::string prometheus_text(const ServerMetrics& metrics);

/// Converts prometheus_text() to lines of "name: value" for mod_status. Omits histogram buckets.
std::string status_lines(std::string_view prometheus_text);

} // namespace useradmin::httpd
