#include "password/hash_memory.hpp"

#include <sys/mman.h>

namespace useradmin::password {

namespace {

// libargon2's allocator callbacks have no context argument.
thread_local HashMemory::Lease* use_of_thread = nullptr;

void* map(std::size_t size) noexcept {
    void* const mapped =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return nullptr;
    madvise(mapped, size, MADV_HUGEPAGE); // page faults on small pages take a third of the time
    return mapped;
}

} // namespace

HashMemory::~HashMemory() {
    if (cached_.begin != nullptr)
        munmap(cached_.begin, cached_.size);
}

HashMemory::Lease::Lease(HashMemory& memory) noexcept : memory_(memory) {
    use_of_thread = this;
    const std::lock_guard lock(memory_.mutex_);
    ++memory_.waiters_;
}

HashMemory::Lease::~Lease() {
    use_of_thread = nullptr;
    Area unwanted;
    {
        const std::lock_guard lock(memory_.mutex_);
        memory_.end_waiting(*this);
        if (memory_.waiters_ == 0)
            unwanted = std::exchange(memory_.cached_, {});
    }
    if (unwanted.begin != nullptr)
        munmap(unwanted.begin, unwanted.size);
}

void* HashMemory::allocate(std::size_t size) noexcept {
    if (use_of_thread != nullptr) {
        HashMemory& memory = use_of_thread->memory_;
        const std::lock_guard lock(memory.mutex_);
        memory.end_waiting(*use_of_thread);
        if (memory.cached_.size == size)
            return std::exchange(memory.cached_, {}).begin;
    }
    return map(size);
}

void HashMemory::deallocate(void* area, std::size_t size) noexcept {
    if (use_of_thread != nullptr) {
        HashMemory& memory = use_of_thread->memory_;
        const std::lock_guard lock(memory.mutex_);
        if (memory.waiters_ > 0 && memory.cached_.begin == nullptr) {
            memory.cached_ = {area, size};
            return;
        }
    }
    munmap(area, size);
}

} // namespace useradmin::password
