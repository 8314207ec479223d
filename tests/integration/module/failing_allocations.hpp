#pragma once

#include <atomic>

namespace useradmin::test {

/// The content of the file that TEST_ALLOCATIONS names.
struct AllocationCounts {
    /// The number of allocations requested while failures were enabled.
    std::atomic<long> asked;
    std::atomic<long> failed;
};

} // namespace useradmin::test
