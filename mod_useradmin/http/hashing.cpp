#include "http/hashing.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

namespace useradmin::http {

void* hashing_slots(apr_pool_t* configuration_pool, server_rec* server, unsigned limit) {
    constexpr const char* key = "useradmin hashing slots 1";
    void* slots = nullptr;
    apr_pool_userdata_get(&slots, key, configuration_pool);
    if (slots != nullptr)
        return slots;
    const unsigned count = limit != 0 ? limit : std::max(1U, std::thread::hardware_concurrency());
    const std::size_t size = password::Slots::size_of(count);
    apr_shm_t* memory = nullptr;
    // Without a name: only the children inherit it.
    const apr_status_t status = apr_shm_create(&memory, size, nullptr, configuration_pool);
    if (status == APR_SUCCESS) {
        slots = apr_shm_baseaddr_get(memory);
        std::memset(slots, 0, size);
    }
    if (slots == nullptr || !password::Slots::lay_out(slots, count)) {
        ap_log_error(nullptr, 0, APLOG_NO_MODULE, APLOG_EMERG, status, server,
                     "UA0203: no shared memory for the hashing slots");
        return nullptr;
    }
    apr_pool_userdata_setn(slots, key, apr_pool_cleanup_null, configuration_pool);
    return slots;
}

} // namespace useradmin::http
