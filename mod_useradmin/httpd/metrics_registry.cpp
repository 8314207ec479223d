#include "httpd/metrics_registry.hpp"

#include "apr/pool.hpp"
#include "httpd/shared_memory.hpp"
#include "ipc/process.hpp"

#include <cstring>
#include <new>
#include <type_traits>
#include <unistd.h>

namespace useradmin::httpd {

/// The entry of a virtual host, or an unused one without a name.
struct MetricsRegistry::Entry {
    const char* name;
    /// The last configuration with this virtual host.
    unsigned generation;
    void* parts;
    Metrics::Gauge* glances;
    Entry* next;
};

std::variant<MetricsRegistry*, apr_status_t>
MetricsRegistry::open(apr_pool_t* process_pool, apr_pool_t* configuration_pool, unsigned children) {
    static_assert(std::is_trivially_destructible_v<MetricsRegistry>);
    // The number is the version of the memory layout.
    constexpr const char* key = "useradmin figures 1";
    void* found = nullptr;
    apr_pool_userdata_get(&found, key, process_pool);
    if (found == nullptr) {
        auto* const registry = new (apr_palloc(process_pool, sizeof(MetricsRegistry)))
            MetricsRegistry(process_pool, children);
        const auto zeros = map_shared_memory(process_pool, children * sizeof(*registry->children_));
        if (const auto* const status = std::get_if<apr_status_t>(&zeros))
            return *status;
        registry->children_ = static_cast<std::atomic<std::int32_t>*>(std::get<void*>(zeros));
        // apr_pool_userdata_set copies the key; the module with the literal is unloaded meanwhile.
        apr_pool_userdata_set(registry, key, apr_pool_cleanup_null, process_pool);
        found = registry;
    }
    auto& registry = *static_cast<MetricsRegistry*>(found);
    void* seen = nullptr;
    apr_pool_userdata_get(&seen, key, configuration_pool);
    if (seen == nullptr) {
        ++registry.generation_;
        apr_pool_userdata_setn(&registry, key, apr_pool_cleanup_null, configuration_pool);
    }
    return &registry;
}

apr_status_t MetricsRegistry::add_entries() {
    constexpr std::size_t count = 16;
    const std::size_t glance_count = 1 + std::size_t{child_count_};
    const auto all_parts = map_shared_memory(process_pool_, count * Metrics::parts_size());
    if (const auto* const status = std::get_if<apr_status_t>(&all_parts))
        return *status;
    const auto all_glances =
        map_shared_memory(process_pool_, count * glance_count * sizeof(Metrics::Gauge));
    if (const auto* const status = std::get_if<apr_status_t>(&all_glances))
        return *status;
    auto* parts = static_cast<char*>(std::get<void*>(all_parts));
    auto* glances = static_cast<Metrics::Gauge*>(std::get<void*>(all_glances));
    for (std::size_t index = 0; index < count; ++index) {
        first_ = new (apr_palloc(process_pool_, sizeof(Entry)))
            Entry{nullptr, 0, parts, glances, first_};
        parts += Metrics::parts_size();
        glances += glance_count;
    }
    return APR_SUCCESS;
}

MetricsRegistry::Entry* MetricsRegistry::oldest_unused() const noexcept {
    Entry* oldest = nullptr;
    for (Entry* entry = first_; entry != nullptr; entry = entry->next)
        // Children of the previous configuration may still count.
        if ((entry->name == nullptr || entry->generation + 1 < generation_) &&
            (oldest == nullptr || entry->generation < oldest->generation))
            oldest = entry;
    return oldest;
}

std::variant<Metrics, apr_status_t> MetricsRegistry::metrics_of(const char* name) {
    Entry* entry = first_;
    while (entry != nullptr && (entry->name == nullptr || std::strcmp(entry->name, name) != 0))
        entry = entry->next;
    if (entry == nullptr) {
        entry = oldest_unused();
        if (entry == nullptr) {
            if (const apr_status_t status = add_entries(); status != APR_SUCCESS)
                return status;
            entry = first_;
        }
        if (entry->name != nullptr) {
            std::memset(entry->parts, 0, Metrics::parts_size());
            entry->glances->store(0);
        }
        entry->name = apr::copy_c_string(process_pool_, apr::view_of(name));
    }
    entry->generation = generation_;
    return Metrics(entry->parts, entry->glances, -1);
}

int MetricsRegistry::register_child() noexcept {
    for (unsigned number = 0; number < child_count_; ++number) {
        std::int32_t before = children_[number];
        if (ipc::is_running(before) && before != getpid())
            continue;
        if (!children_[number].compare_exchange_strong(before, getpid()))
            continue;
        // A killed child did not free its number.
        for (Entry* entry = first_; entry != nullptr; entry = entry->next)
            if (entry->name != nullptr)
                entry->glances[1 + number].store(0);
        return static_cast<int>(number);
    }
    return -1;
}

std::vector<bool> MetricsRegistry::running_children() const {
    std::vector<bool> running(child_count_);
    for (unsigned number = 0; number < child_count_; ++number)
        running[number] = ipc::is_running(children_[number]);
    return running;
}

} // namespace useradmin::httpd
