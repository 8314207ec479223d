// A test module. It identifies the caller like a third-party auth module, and creates internal
// redirects and subrequests, in which the service must still know the caller.
#define AP_HAVE_DESIGNATED_INITIALIZER
#include <httpd.h>

#include <http_config.h>
#include <http_protocol.h>
#include <http_request.h>

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace {

/// Sets the notes of an initial request from "X-Test-Caller: id role". Either value may be missing.
int set_caller(request_rec* request) {
    const char* caller = apr_table_get(request->headers_in, "X-Test-Caller");
    if (!caller || request->prev || request->main)
        return DECLINED;
    const char* id = ap_getword_white(request->pool, &caller);
    apr_table_set(request->notes, "session-user-id", id);
    if (*caller)
        apr_table_set(request->notes, "session-user-role", caller);
    return OK;
}

/// Rejects a request with "X-Test-Retry-After: seconds" with 503, like a module that limits load.
int reject(request_rec* request) {
    const char* const seconds = apr_table_get(request->headers_in, "X-Test-Retry-After");
    if (seconds == nullptr || request->prev != nullptr)
        return DECLINED;
    apr_table_set(request->err_headers_out, "Retry-After", seconds);
    return HTTP_SERVICE_UNAVAILABLE;
}

/// Redirects to the path in X-Test-Target, runs a subrequest for it, or only looks it up.
int redirect(request_rec* request) {
    if (!request->handler)
        return DECLINED;
    const char* target = apr_table_get(request->headers_in, "X-Test-Target");
    if (std::strcmp(request->handler, "test-redirect") == 0) {
        ap_internal_redirect(target, request);
        return OK;
    }
    if (std::strcmp(request->handler, "test-subrequest") == 0) {
        request_rec* inner =
            ap_sub_req_method_uri(request->method, target, request, request->output_filters);
        const int status = ap_run_sub_req(inner);
        request->status = inner->status;
        ap_set_content_type(request, inner->content_type);
        ap_destroy_sub_req(inner);
        return status;
    }
    if (std::strcmp(request->handler, "test-lookup") == 0) {
        ap_destroy_sub_req(ap_sub_req_method_uri("GET", target, request, nullptr));
        ap_set_content_type(request, "text/plain");
        return ap_rputs("looked up\n", request) < 0 ? HTTP_INTERNAL_SERVER_ERROR : OK;
    }
    return DECLINED;
}

/// "X-Fail-Allocations: n" lets n allocations succeed and makes the next one fail. "n all" makes
/// all later ones fail, too. Without failing_allocations, the header has no effect.
void fail_allocations(const request_rec* request) {
    using Fail = void (*)(long after, int all);
    static const auto fail = reinterpret_cast<Fail>(dlsym(RTLD_DEFAULT, "test_fail_allocations"));
    const char* after =
        request != nullptr ? apr_table_get(request->headers_in, "X-Fail-Allocations") : nullptr;
    if (fail != nullptr)
        fail(after != nullptr ? std::strtol(after, nullptr, 10) : -1,
             after != nullptr && std::strstr(after, "all") != nullptr);
}

int start_failures(request_rec* request) {
    fail_allocations(request);
    return DECLINED;
}

int stop_failures(request_rec*) {
    fail_allocations(nullptr);
    return DECLINED;
}

void register_hooks(apr_pool_t*) {
    ap_hook_post_read_request(start_failures, nullptr, nullptr, APR_HOOK_FIRST);
    ap_hook_log_transaction(stop_failures, nullptr, nullptr, APR_HOOK_FIRST);
    ap_hook_check_access(reject, nullptr, nullptr, APR_HOOK_FIRST, AP_AUTH_INTERNAL_PER_CONF);
    ap_hook_fixups(set_caller, nullptr, nullptr, APR_HOOK_FIRST);
    ap_hook_handler(redirect, nullptr, nullptr, APR_HOOK_MIDDLE);
}

} // namespace

// The only exported symbol, by which httpd finds the module.
extern "C" {
extern module test_callers_module __attribute__((visibility("default")));
// Use module_struct: clang 23 parses a line that begins with "module" as a module declaration.
module_struct test_callers_module = {
    STANDARD20_MODULE_STUFF, nullptr, nullptr, nullptr, nullptr, nullptr, register_hooks,
    AP_MODULE_FLAG_NONE};
}
