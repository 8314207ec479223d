// Memory and C++ objects in APR pools.
#pragma once

#include <apr_pools.h>
#include <apr_strings.h>

#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

namespace useradmin::apr {

/// A cleanup that runs an object's destructor.
template <class T>
apr_status_t destroy(void* object) noexcept {
    static_cast<T*>(object)->~T();
    return APR_SUCCESS;
}

/// Constructs an object in the pool. The destructor runs when the pool is cleared or destroyed. Do
/// not put C++ objects into a pool in any other way. Propagates exceptions from the constructor.
template <class T, class... Arguments>
T& emplace(apr_pool_t* pool, Arguments&&... arguments) {
    static_assert(alignof(T) <= 8, "APR aligns to 8 bytes");
    T* object = new (apr_palloc(pool, sizeof(T))) T(std::forward<Arguments>(arguments)...);
    if constexpr (!std::is_trivially_destructible_v<T>)
        apr_pool_cleanup_register(pool, object, destroy<T>, apr_pool_cleanup_null);
    return *object;
}

/// Like emplace(), but the destructor runs before the child pools are destroyed.
template <class T, class... Arguments>
void emplace_before_children(apr_pool_t* pool, Arguments&&... arguments) {
    static_assert(alignof(T) <= 8, "APR aligns to 8 bytes");
    T* object = new (apr_palloc(pool, sizeof(T))) T(std::forward<Arguments>(arguments)...);
    apr_pool_pre_cleanup_register(pool, object, destroy<T>);
}

/// Returns the object stored in the pool under the key. Constructs it on the first call.
template <class T>
T& find_or_emplace(apr_pool_t* pool, const char* key) {
    void* found = nullptr;
    apr_pool_userdata_get(&found, key, pool);
    if (found == nullptr) {
        found = &emplace<T>(pool);
        apr_pool_userdata_set(found, key, apr_pool_cleanup_null, pool);
    }
    return *static_cast<T*>(found);
}

/// Returns a view of a C string, or an empty view for NULL. Use it for every string from APR or
/// httpd.
inline std::string_view view_of(const char* text) noexcept {
    return text != nullptr ? std::string_view(text) : std::string_view();
}

/// Copies the string to the pool and null-terminates it.
inline char* copy_c_string(apr_pool_t* pool, std::string_view text) {
    // An empty view may have a null data pointer, for which APR returns NULL.
    return apr_pstrmemdup(pool, text.empty() ? "" : text.data(), text.size());
}

/// Copies the string to the pool. The copy is null-terminated.
inline std::string_view copy_view(apr_pool_t* pool, std::string_view text) {
    return {copy_c_string(pool, text), text.size()};
}

/// Creates a child pool and destroys it at the end of the scope.
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
