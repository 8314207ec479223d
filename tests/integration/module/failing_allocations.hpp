#pragma once

#include <atomic>

namespace useradmin::test {

/// The content of the file that TEST_ALLOCATIONS names.
struct AllocationCounts {
    /// Allocations requested while some had to fail.
    std::atomic<long> asked;
    std::atomic<long> failed;
};

} // namespace useradmin::test
