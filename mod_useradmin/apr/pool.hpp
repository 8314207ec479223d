// APR's pools as owners and as memory.
#pragma once

#include <apr_pools.h>
#include <apr_strings.h>

#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

namespace useradmin::apr {

/// Makes an object in the pool; its destructor runs when the pool is cleared or destroyed.
/// The one way for a C++ object to enter a pool. Throws what the constructor throws.
template <class T, class... Arguments>
T& emplace(apr_pool_t* pool, Arguments&&... arguments) {
    static_assert(alignof(T) <= 8, "APR aligns to 8 bytes");
    T* object = new (apr_palloc(pool, sizeof(T))) T(std::forward<Arguments>(arguments)...);
    if constexpr (!std::is_trivially_destructible_v<T>) {
        apr_pool_cleanup_register(
            pool, object,
            [](void* data) noexcept -> apr_status_t {
                static_cast<T*>(data)->~T();
                return APR_SUCCESS;
            },
            apr_pool_cleanup_null);
    }
    return *object;
}

/// The text behind a pointer that may be NULL: then an empty view. Nothing else makes a view of a
/// pointer that APR or httpd hands out.
inline std::string_view view_of(const char* text) noexcept {
    return text != nullptr ? std::string_view(text) : std::string_view();
}

/// A copy of the text in the pool, with the terminator that C functions want.
inline char* copy_c_string(apr_pool_t* pool, std::string_view text) {
    // An empty view may have no bytes at all, and APR would make that NULL.
    return apr_pstrmemdup(pool, text.empty() ? "" : text.data(), text.size());
}

/// A copy of the text in the pool, as a view.
inline std::string_view copy_view(apr_pool_t* pool, std::string_view text) {
    return {copy_c_string(pool, text), text.size()};
}

/// A pool below another one that ends with the scope.
class ScopedPool {
  public:
    explicit ScopedPool(apr_pool_t* parent) noexcept { apr_pool_create(&pool_, parent); }
    ~ScopedPool() { apr_pool_destroy(pool_); }
    ScopedPool(const ScopedPool&) = delete;
    ScopedPool& operator=(const ScopedPool&) = delete;

    apr_pool_t* get() const noexcept { return pool_; }

  private:
    apr_pool_t* pool_ = nullptr;
};

} // namespace useradmin::apr
