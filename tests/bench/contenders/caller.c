/* A minimal authentication module: sets the notes for the service from the request's own headers,
 * which the contenders in other languages also trust. */
#include <httpd.h>
#include <http_config.h>
#include <http_request.h>

static int name_caller(request_rec *r)
{
    const char *id = apr_table_get(r->headers_in, "X-User-Id");
    const char *role = apr_table_get(r->headers_in, "X-User-Role");

    if (id)
        apr_table_setn(r->notes, "session-user-id", id);
    if (role)
        apr_table_setn(r->notes, "session-user-role", role);
    return DECLINED;
}

static void register_hooks(apr_pool_t *pool)
{
    (void)pool;
    ap_hook_fixups(name_caller, NULL, NULL, APR_HOOK_MIDDLE);
}

AP_DECLARE_MODULE(bench_caller) = {STANDARD20_MODULE_STUFF, NULL, NULL, NULL, NULL, NULL, register_hooks,
                                   AP_MODULE_FLAG_NONE};
