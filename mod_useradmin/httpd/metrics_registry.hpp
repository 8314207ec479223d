// Where the figures of all virtual hosts are kept from one configuration to the next.
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

/// The figures of all virtual hosts by their names, as long as httpd runs: a graceful restart finds
/// them again. It lives in the process' pool, where it needs no destructor: the module that made it
/// is unloaded meanwhile. Names are added before children are forked, each of which inherits what
/// there was by then. What has been out of the configuration for two of them makes room for others.
class MetricsRegistry {
  public:
    /// The book of the process, the same for both modules, which open it in turn; the status says
    /// why there is none. So many children run at once at most.
    static std::variant<MetricsRegistry*, apr_status_t>
    open(apr_pool_t* process_pool, apr_pool_t* configuration_pool, unsigned children);

    /// The figures of a virtual host, the same for the same name.
    std::variant<Metrics, apr_status_t> metrics_of(const char* name);

    /// A child's number, to be asked for as a child starts; negative where there is none left.
    int register_child() noexcept;

    /// Which children are running, by their numbers.
    std::vector<bool> running_children() const;

  private:
    struct Entry;

    MetricsRegistry(apr_pool_t* process_pool, unsigned children) noexcept
        : process_pool_(process_pool), child_count_(children) {}

    /// The entry that was out of use for longest, or never in use; nullptr where all are in use.
    Entry* oldest_unused() const noexcept;
    /// Adds entries without a name, and memory for them.
    apr_status_t add_entries();

    apr_pool_t* process_pool_;
    unsigned child_count_;
    /// The processes that have a number; 0 for none.
    std::atomic<std::int32_t>* children_ = nullptr;
    /// Counts configurations.
    unsigned generation_ = 0;
    Entry* first_ = nullptr;
};

} // namespace useradmin::httpd
