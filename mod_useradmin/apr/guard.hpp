// The guard around every callback that C calls.
#pragma once

#include <exception>
#include <utility>

namespace useradmin::apr {

/// Runs the body of a callback. Whatever it throws stops here: on_failure is told what it was (a
/// text that lives for the call) and its result is the callback's.
template <class Body, class OnFailure>
auto guarded(Body&& body, OnFailure&& on_failure) noexcept -> decltype(body()) {
    try {
        return std::forward<Body>(body)();
    } catch (const std::exception& error) {
        return std::forward<OnFailure>(on_failure)(error.what());
    } catch (...) {
        return std::forward<OnFailure>(on_failure)("an exception of no known type");
    }
}

} // namespace useradmin::apr
