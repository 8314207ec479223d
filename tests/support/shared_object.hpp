#pragma once

#include <sys/mman.h>

#include <new>

namespace useradmin::test {

/// Creates an object in memory shared with forked processes. Calls the object's init() if it has
/// one, but never its destructor.
template <class T>
class SharedObject {
  public:
    SharedObject() {
        void* const memory =
            mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            throw std::bad_alloc();
        object_ = new (memory) T();
        if constexpr (requires { object_->init(); })
            if (!object_->init())
                throw std::bad_alloc();
    }
    ~SharedObject() { munmap(object_, sizeof(T)); }
    SharedObject(const SharedObject&) = delete;
    SharedObject& operator=(const SharedObject&) = delete;

    T& operator*() const noexcept { return *object_; }
    T* operator->() const noexcept { return object_; }

  private:
    T* object_;
};

} // namespace useradmin::test
