// Metrics in the Prometheus text format.
#pragma once

#include "httpd/metrics.hpp"
#include "ipc/fair_semaphore.hpp"

#include <string>
#include <vector>

namespace useradmin::httpd {

/// The metrics of the whole server.
struct ServerMetrics {
    /// The virtual hosts with any count.
    std::vector<VirtualHostMetrics> virtual_hosts;
    ipc::FairSemaphore::Counts hash_bounds;
    ipc::FairSemaphore::Counts hashes_in_use;

    /// Shared by all virtual hosts.
    MetricsSnapshot total() const;
};

/// The media type of the text format.
inline constexpr const char* prometheus_type = "text/plain; version=0.0.4; charset=utf-8";

/// Returns the metrics with their help texts.
std::string prometheus_text(const ServerMetrics& metrics);

} // namespace useradmin::httpd
