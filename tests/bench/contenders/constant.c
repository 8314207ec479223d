/* An upper bound for httpd: a handler that writes a constant record. */
#include <httpd.h>
#include <http_config.h>
#include <http_protocol.h>
#include <http_request.h>

#include <string.h>

static const char record[] =
    "{\"success\":true,\"data\":{\"id\":\"961099f8-0edf-5a70-db89-858c9e4210d5\","
    "\"name\":\"Łucja \\\"Lu\\\" Müller-Nuñez\",\"email\":\"u961099f80edf@correo.example\",\"role\":\"user\",\"emailVerified\":true,"
    "\"image\":\"https://images.example/777.png\",\"createdAt\":\"2024-03-14T15:09:26.535Z\","
    "\"updatedAt\":\"2025-06-28T03:18:53.071Z\",\"banned\":false,\"banReason\":null,\"banExpires\":null}}";

static int handle(request_rec *r)
{
    if (!r->handler || strcmp(r->handler, "bench-constant") != 0)
        return DECLINED;
    ap_set_content_type(r, "application/json");
    ap_set_content_length(r, sizeof record - 1);
    ap_rwrite(record, sizeof record - 1, r);
    return OK;
}

/* As in the service, do not look for a file. */
static int claim(request_rec *r)
{
    r->filename = "constant:";
    return OK;
}

static int keep_from_storage(request_rec *r)
{
    (void)r;
    return OK;
}

static void register_hooks(apr_pool_t *pool)
{
    (void)pool;
    ap_hook_translate_name(claim, NULL, NULL, APR_HOOK_FIRST);
    ap_hook_map_to_storage(keep_from_storage, NULL, NULL, APR_HOOK_FIRST);
    ap_hook_handler(handle, NULL, NULL, APR_HOOK_FIRST);
}

AP_DECLARE_MODULE(bench_constant) = {STANDARD20_MODULE_STUFF, NULL, NULL, NULL, NULL, NULL, register_hooks,
                                     AP_MODULE_FLAG_NONE};
