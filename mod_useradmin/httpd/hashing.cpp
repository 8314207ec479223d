#include "httpd/hashing.hpp"

#include "httpd/shared_memory.hpp"

#include <algorithm>
#include <thread>

namespace useradmin::httpd {

void* hashing_slots(apr_pool_t* configuration_pool, server_rec* server, unsigned limit) {
    const unsigned count = limit != 0 ? limit : std::max(1U, std::thread::hardware_concurrency());
    void* slots = shared_memory(
        configuration_pool, "useradmin hashing slots 1", password::Slots::size_of(count),
        [count](void* memory) { return password::Slots::lay_out(memory, count); });
    if (slots == nullptr)
        ap_log_error(nullptr, 0, APLOG_NO_MODULE, APLOG_EMERG, 0, server,
                     "UA0203: no shared memory for the hashing slots");
    return slots;
}

} // namespace useradmin::httpd
