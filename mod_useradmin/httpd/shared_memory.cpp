#include "httpd/shared_memory.hpp"

#include <stdexcept>
#include <system_error>

namespace useradmin::httpd {

void* map_shared_memory(apr_pool_t* pool, std::size_t size) {
    apr_shm_t* segment = nullptr;
    // The memory is anonymous, so only child processes inherit it.
    if (const apr_status_t status = apr_shm_create(&segment, size, nullptr, pool);
        status != APR_SUCCESS)
        throw std::system_error(status, std::generic_category(), "cannot allocate shared memory");
    return apr_shm_baseaddr_get(segment);
}

void* shared_memory(apr_pool_t* pool, const std::string& purpose, std::size_t size,
                    const std::function<bool(void*)>& init) {
    // The number is the version of the memory layout. Memory of another size is from another
    // version.
    const std::string key = "useradmin " + purpose + " 8 " + std::to_string(size);
    void* memory = nullptr;
    apr_pool_userdata_get(&memory, key.c_str(), pool);
    if (memory != nullptr)
        return memory;
    memory = map_shared_memory(pool, size);
    if (!init(memory))
        throw std::runtime_error("cannot initialize shared memory for the " + purpose);
    // apr_pool_userdata_set copies the key.
    apr_pool_userdata_set(memory, key.c_str(), apr_pool_cleanup_null, pool);
    return memory;
}

ipc::FairSemaphore* shared_semaphore(apr_pool_t* pool, const std::string& purpose,
                                     const ipc::FairSemaphore::Counts& capacity) {
    return static_cast<ipc::FairSemaphore*>(shared_memory(
        pool, purpose, ipc::FairSemaphore::size_of(capacity),
        [&](void* memory) { return ipc::FairSemaphore::create(memory, capacity) != nullptr; }));
}

} // namespace useradmin::httpd
