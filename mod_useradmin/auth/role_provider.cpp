#include "auth/hooks.hpp"

#include "apr/pool.hpp"
#include "auth/auth_type.hpp"
#include "auth/request_state.hpp"
#include "httpd/first_request.hpp"
#include "httpd/notes.hpp"
#include "model/roles.hpp"

#include <mod_auth.h>

namespace useradmin::auth {

namespace {

/// When httpd reads the configuration, rejects a Require line without a role.
const char* parse(cmd_parms*, const char* line, const void** parsed) noexcept {
    *parsed = line;
    return apr::view_of(line).find_first_not_of(" \t") != std::string_view::npos
               ? nullptr
               : "Require user-role requires one or more roles, such as Require user-role "
                 "superAdmin admin";
}

authz_status check_role(request_rec* request, const char* line, const void*) noexcept {
    for (request_rec* source = request; source != nullptr; source = httpd::parent_of(source)) {
        const RequestState* const state = RequestState::find(source);
        if (state != nullptr && state->caller_notes &&
            *state->caller_notes != httpd::CallerNotes::of(source))
            break;
        // The session's role does not apply if another AuthType has set r->user.
        if (apr::view_of(apr_table_get(source->notes, httpd::id_note)).empty() ||
            !has_session_user(request, source)) {
            if (apr_table_get(source->notes, httpd::rejected_note) != nullptr)
                break;
            continue;
        }
        const std::string_view roles = apr::view_of(apr_table_get(source->notes, httpd::role_note));
        for (const char* allowed = ap_getword_conf(request->pool, &line); *allowed != '\0';
             allowed = ap_getword_conf(request->pool, &line))
            if (model::has_role(roles, allowed))
                return AUTHZ_GRANTED;
        return AUTHZ_DENIED;
    }
    return AUTHZ_DENIED_NO_USER;
}

int keep_caller_notes(request_rec* request) noexcept {
    RequestState::of(request).caller_notes = httpd::CallerNotes::of(request);
    return DECLINED;
}

constexpr authz_provider role_provider = {check_role, parse};

} // namespace

void register_role_provider(apr_pool_t* pool) noexcept {
    ap_register_auth_provider(pool, AUTHZ_PROVIDER_GROUP, "user-role", AUTHZ_PROVIDER_VERSION,
                              &role_provider, AP_AUTH_INTERNAL_PER_CONF);
    ap_hook_fixups(keep_caller_notes, nullptr, nullptr, APR_HOOK_REALLY_LAST);
}

} // namespace useradmin::auth
