// Memory shared by all child processes.
#pragma once

#include "httpd/httpd.hpp"
#include "ipc/fair_semaphore.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace useradmin::httpd {

/// Allocates zeroed shared memory for the life of the pool. The kernel allocates pages when they
/// are first written. Throws std::system_error.
void* map_shared_memory(apr_pool_t* pool, std::size_t size);

/// Returns the shared memory for a purpose. Both modules get the same memory. The first call
/// allocates and initializes it, before children are forked. It lives as long as the pool: the
/// configuration pool, or the process pool if it must survive a reload. Throws std::system_error
/// or, if the initialization returns false, std::runtime_error.
void* shared_memory(apr_pool_t* pool, const std::string& purpose, std::size_t size,
                    const std::function<bool(void*)>& init);

/// Returns an object in shared memory.
template <class T>
T* shared_object(apr_pool_t* pool, const std::string& purpose) {
    return static_cast<T*>(shared_memory(
        pool, purpose, sizeof(T), [](void* memory) { return (new (memory) T())->init(); }));
}

/// Returns an array in shared memory. All-zero elements must be valid.
template <class T>
T* shared_array(apr_pool_t* pool, const std::string& purpose, std::size_t size) {
    return static_cast<T*>(shared_memory(
        pool, purpose, size * sizeof(T), [](void*) { return true; }));
}

/// Returns a semaphore in shared memory.
ipc::FairSemaphore* shared_semaphore(apr_pool_t* pool, const std::string& purpose,
                                     const ipc::FairSemaphore::Counts& capacity);

} // namespace useradmin::httpd
