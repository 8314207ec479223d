// What failing_allocations.cpp counts, for the test that reads it.
#pragma once

#include <atomic>

namespace useradmin::test {

/// Kept in the file that TEST_ALLOCATIONS names.
struct AllocationCounts {
    /// Allocations requested while some were to fail.
    std::atomic<long> asked;
    /// Allocations that failed.
    std::atomic<long> failed;
};

} // namespace useradmin::test
