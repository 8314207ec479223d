// The entry point of libFuzzer, which replaces main() in replay.cpp. USERADMIN_FUZZ_TARGET in the
// environment names the target.
#include "targets.hpp"

#include <cstddef>
#include <cstdint>

namespace {

const useradmin::fuzz::Target& chosen_target() {
    const char* const name = std::getenv("USERADMIN_FUZZ_TARGET");
    const auto* const target = name != nullptr ? useradmin::fuzz::find_target(name) : nullptr;
    useradmin::fuzz::require(target != nullptr, "USERADMIN_FUZZ_TARGET names a target");
    return *target;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static const useradmin::fuzz::Target& target = chosen_target();
    target.run({reinterpret_cast<const char*>(bytes), size});
    return 0;
}
