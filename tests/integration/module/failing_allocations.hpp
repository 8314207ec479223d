// What failing_allocations.cpp counts, for the test that reads it.
#pragma once

#include <atomic>

namespace useradmin::test {

/// In the file that TEST_ALLOCATIONS names.
struct AllocationCounts {
    /// How many allocations were asked for while some were to fail.
    std::atomic<long> asked;
    /// How many failed.
    std::atomic<long> failed;
};

} // namespace useradmin::test
