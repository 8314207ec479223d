// The metrics of all virtual hosts, kept across configurations.
#pragma once

#include "httpd/metrics.hpp"

#include "httpd/httpd.hpp"
#include <apr_errno.h>
#include <apr_pools.h>

#include <atomic>
#include <cstdint>
#include <variant>
#include <vector>

namespace useradmin::httpd {

/// The metrics of all virtual hosts by name. They survive a graceful restart. The object is in the
/// process pool and needs no destructor, because the module that created it is unloaded meanwhile.
/// Names are added before children are forked. The entry of a name that two configurations lacked
/// is reused.
class MetricsRegistry {
  public:
    /// Opens the registry of the process, shared by both modules. On failure, returns the status.
    /// children: the maximum number of running children.
    static std::variant<MetricsRegistry*, apr_status_t>
    open(apr_pool_t* process_pool, apr_pool_t* configuration_pool, unsigned children);

    /// Returns the metrics of a virtual host; the same for the same name.
    std::variant<Metrics, apr_status_t> metrics_of(const char* name);

    /// Returns the number of a child, to be called when it starts; negative if none is free.
    int register_child() noexcept;

    /// Returns which children are running, by number.
    std::vector<bool> running_children() const;

  private:
    struct Entry;

    MetricsRegistry(apr_pool_t* process_pool, unsigned children) noexcept
        : process_pool_(process_pool), child_count_(children) {}

    /// Returns an unused entry, or the one unused for longest; nullptr if all are in use.
    Entry* oldest_unused() const noexcept;
    /// Adds unused entries with their memory.
    apr_status_t add_entries();

    apr_pool_t* process_pool_;
    unsigned child_count_;
    /// The process of each number; 0 if free.
    std::atomic<std::int32_t>* children_ = nullptr;
    /// The number of configurations so far.
    unsigned generation_ = 0;
    Entry* first_ = nullptr;
};

} // namespace useradmin::httpd
