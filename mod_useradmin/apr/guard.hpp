// The guard around every callback that C calls.
#pragma once

#include <exception>
#include <utility>

namespace useradmin::apr {

/// Runs the body of a callback. If it throws, returns what on_failure returns. on_failure gets the
/// exception's message, valid during the call.
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
