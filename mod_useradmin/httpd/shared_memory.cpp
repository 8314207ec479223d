#include "httpd/shared_memory.hpp"

#include <cstring>

namespace useradmin::httpd {

std::variant<void*, apr_status_t> shared_memory(apr_pool_t* pool, const char* key, std::size_t size,
                                                const std::function<bool(void*)>& lay_out) {
    void* memory = nullptr;
    apr_pool_userdata_get(&memory, key, pool);
    if (memory != nullptr)
        return memory;
    apr_shm_t* segment = nullptr;
    // Without a name: only the children inherit it.
    const apr_status_t status = apr_shm_create(&segment, size, nullptr, pool);
    if (status != APR_SUCCESS)
        return status;
    memory = apr_shm_baseaddr_get(segment);
    std::memset(memory, 0, size);
    if (!lay_out(memory))
        return APR_EGENERAL;
    apr_pool_userdata_setn(memory, key, apr_pool_cleanup_null, pool);
    return memory;
}

} // namespace useradmin::httpd
