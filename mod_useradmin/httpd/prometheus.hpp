// Metrics in the Prometheus text format.
#pragma once

#include "httpd/deliveries.hpp"
#include "httpd/metrics.hpp"
#include "ipc/fair_semaphore.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::httpd {

/// A snapshot of a virtual host's metrics with its name.
struct VirtualHostMetrics {
    std::string name;
    MetricsSnapshot sums;
    std::optional<DeliverySnapshot> deliveries = {};
};

/// The metrics of the whole server.
struct ServerMetrics {
    const MetricsRegistry& registry;
    /// The virtual hosts with nonzero counts or with deliveries.
    std::vector<VirtualHostMetrics> virtual_hosts = {};
    ipc::FairSemaphore::Counts hash_bounds = {};
    ipc::FairSemaphore::Counts hashes_in_use = {};
};

/// The media type of the text format.
inline constexpr const char* prometheus_type = "text/plain; version=0.0.4; charset=utf-8";

/// Returns the metrics with their help texts.
std::string prometheus_text(const ServerMetrics& metrics);

/// Returns the samples in the text for server-status, as "name: value", without histogram buckets.
std::string status_lines(std::string_view prometheus_text);

} // namespace useradmin::httpd
