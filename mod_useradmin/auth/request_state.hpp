#pragma once

#include "apr/pool.hpp"
#include "auth/log_module.hpp"
#include "httpd/caller_notes.hpp"

#include <optional>

namespace useradmin::auth {

struct CachedOutcome;

/// The module's state for a request, allocated in the request's pool.
struct RequestState {
    /// Set only in the client's original request.
    CachedOutcome* outcome = nullptr;
    /// Set after the other fixups hooks.
    std::optional<httpd::CallerNotes> caller_notes = {};

    /// Returns the request's state, or nullptr if there is none.
    static RequestState* find(const request_rec* request) noexcept {
        return static_cast<RequestState*>(
            ap_get_module_config(request->request_config, &auth_useradmin_module));
    }

    /// Returns the request's state, and creates it if necessary.
    static RequestState& of(request_rec* request) {
        RequestState* found = find(request);
        if (found == nullptr) {
            found = &apr::emplace<RequestState>(request->pool);
            ap_set_module_config(request->request_config, &auth_useradmin_module, found);
        }
        return *found;
    }
};

} // namespace useradmin::auth
