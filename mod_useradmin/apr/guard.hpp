// An exception guard for callbacks that C code calls.
#pragma once

#include <exception>
#include <utility>

namespace useradmin::apr {

/// Runs the body of a callback. If the body throws, returns on_failure(message). The message is
/// valid only during that call.
template <class Body, class OnFailure>
auto guarded(Body&& body, OnFailure&& on_failure) noexcept -> decltype(body()) {
    try {
        return std::forward<Body>(body)();
    } catch (const std::exception& error) {
        return std::forward<OnFailure>(on_failure)(error.what());
    } catch (...) {
        return std::forward<OnFailure>(on_failure)("unknown exception");
    }
}

} // namespace useradmin::apr
