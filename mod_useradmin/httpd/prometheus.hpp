// Figures in the Prometheus text format.
#pragma once

#include "httpd/metrics.hpp"
#include "ipc/fair_semaphore.hpp"

#include <string>
#include <vector>

namespace useradmin::httpd {

/// What an operator is told of the whole server.
struct ServerMetrics {
    /// Those of which anything was counted.
    std::vector<VirtualHostMetrics> virtual_hosts;
    ipc::FairSemaphore::Counts hash_bounds;
    ipc::FairSemaphore::Counts hashes_in_use;

    /// Of all virtual hosts.
    MetricsSnapshot total() const;
};

/// The media type of what follows.
inline constexpr const char* prometheus_type = "text/plain; version=0.0.4; charset=utf-8";

/// The figures, with what each of them means.
std::string prometheus_text(const ServerMetrics& metrics);

} // namespace useradmin::httpd
