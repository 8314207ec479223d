#pragma once

#include "httpd/httpd.hpp"
#include "ipc/fair_semaphore.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace useradmin::httpd {

/// Allocates zeroed shared memory that lives as long as the pool. The kernel allocates each page on
/// the first write. Throws std::system_error.
void* map_shared_memory(apr_pool_t* pool, std::size_t size);

/// Returns the shared memory for a purpose. The first call allocates and initializes it, and must
/// precede the fork of the children. Both modules get the same memory. The memory lives as long as
/// the pool. Use the process pool if it must survive a restart. Throws std::system_error, or
/// std::runtime_error if init returns false.
void* shared_memory(apr_pool_t* pool, const std::string& purpose, std::size_t size,
                    const std::function<bool(void*)>& init);

/// Returns an object in shared memory. Constructs it on the first call.
template <class T>
T* shared_object(apr_pool_t* pool, const std::string& purpose) {
    return static_cast<T*>(shared_memory(
        pool, purpose, sizeof(T), [](void* memory) { return (new (memory) T())->init(); }));
}

/// Returns an object in zeroed shared memory. No constructor is called, so zeroed memory must be a
/// valid T.
template <class T>
T* shared_zeroed_object(apr_pool_t* pool, const std::string& purpose) {
    return static_cast<T*>(shared_memory(
        pool, purpose, sizeof(T), [](void*) { return true; }));
}

/// Returns a semaphore in shared memory. Creates it on the first call.
ipc::FairSemaphore* shared_semaphore(apr_pool_t* pool, const std::string& purpose,
                                     const ipc::FairSemaphore::Counts& capacity);

} // namespace useradmin::httpd
