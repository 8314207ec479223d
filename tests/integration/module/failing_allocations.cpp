// A library that the tests preload into httpd. It makes allocations of the modules and their
// libraries fail. Allocations of httpd and APR succeed, because both abort when out of memory.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>

#include "failing_allocations.hpp"

// glibc's own functions are available before any library is loaded.
extern "C" {
void* libc_malloc(std::size_t size) __asm__("__libc_malloc");
void* libc_calloc(std::size_t count, std::size_t size) __asm__("__libc_calloc");
void* libc_realloc(void* memory, std::size_t size) __asm__("__libc_realloc");
}

namespace {

using useradmin::test::AllocationCounts;

/// How many allocations of this thread succeed before one fails. If negative, all succeed.
thread_local long granted = -1;
/// Whether all allocations after the first failure fail, too.
thread_local bool goes_on = false;
/// Whether the thread is inside this library, whose own allocations succeed.
thread_local bool is_inside = false;

/// Returns the counts in a file that all children share and the test reads.
AllocationCounts* counts() {
    static AllocationCounts* const shared = [] {
        const char* const path = std::getenv("TEST_ALLOCATIONS");
        const int file = path != nullptr ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
        if (file < 0 || ftruncate(file, sizeof(AllocationCounts)) != 0)
            std::abort();
        void* const memory =
            mmap(nullptr, sizeof(AllocationCounts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        close(file);
        if (memory == MAP_FAILED)
            std::abort();
        return static_cast<AllocationCounts*>(memory);
    }();
    return shared;
}

/// The parent process creates the mapping, so all children inherit it.
__attribute__((constructor)) void share_counts() {
    counts();
}

/// Returns whether the caller belongs to httpd, APR or other code whose allocations must succeed.
bool must_succeed(const void* caller) {
    Dl_info about{};
    if (dladdr(caller, &about) == 0 || about.dli_fname == nullptr)
        return true;
    for (const char* name : {"libapr", "apache2", "httpd", "ld-linux", "libc.so", "mod_dbd",
                             "mod_test_callers", "failing_allocations"})
        if (std::strstr(about.dli_fname, name) != nullptr &&
            std::strstr(about.dli_fname, "useradmin.so") == nullptr)
            return true;
    return false;
}

/// Returns whether this allocation must fail.
bool must_fail(const void* caller) {
    if (granted < 0 || is_inside)
        return false;
    is_inside = true;
    const bool counted = !must_succeed(caller);
    is_inside = false;
    if (!counted)
        return false;
    ++counts()->asked;
    if (granted > 0) {
        --granted;
        return false;
    }
    if (!goes_on)
        granted = -1;
    ++counts()->failed;
    errno = ENOMEM;
    return true;
}

} // namespace

extern "C" {

__attribute__((visibility("default"))) void test_fail_allocations(long after, int all) {
    granted = after;
    goes_on = all != 0;
}

__attribute__((visibility("default"))) void* malloc(std::size_t size) noexcept {
    return must_fail(__builtin_return_address(0)) ? nullptr : libc_malloc(size);
}

__attribute__((visibility("default"))) void* calloc(std::size_t count, std::size_t size) noexcept {
    return must_fail(__builtin_return_address(0)) ? nullptr : libc_calloc(count, size);
}

__attribute__((visibility("default"))) void* realloc(void* memory, std::size_t size) noexcept {
    return must_fail(__builtin_return_address(0)) ? nullptr : libc_realloc(memory, size);
}

} // extern "C"
