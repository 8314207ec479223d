#include "httpd/shared_memory.hpp"

namespace useradmin::httpd {

std::variant<void*, apr_status_t> map_shared_memory(apr_pool_t* pool, std::size_t size) noexcept {
    apr_shm_t* segment = nullptr;
    // Anonymous: only the children inherit it.
    const apr_status_t status = apr_shm_create(&segment, size, nullptr, pool);
    if (status != APR_SUCCESS)
        return status;
    return apr_shm_baseaddr_get(segment);
}

std::variant<void*, apr_status_t> shared_memory_for_key(apr_pool_t* pool, const char* key,
                                                        std::size_t size,
                                                        const std::function<bool(void*)>& init) {
    void* memory = nullptr;
    apr_pool_userdata_get(&memory, key, pool);
    if (memory != nullptr)
        return memory;
    const auto zeros = map_shared_memory(pool, size);
    if (std::holds_alternative<apr_status_t>(zeros))
        return zeros;
    memory = std::get<void*>(zeros);
    if (!init(memory))
        return APR_EGENERAL;
    // apr_pool_userdata_set copies the key; the module is unloaded when httpd reads its
    // configuration again.
    apr_pool_userdata_set(memory, key, apr_pool_cleanup_null, pool);
    return memory;
}

} // namespace useradmin::httpd
