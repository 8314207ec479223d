/* An upper bound for the service: a minimal handler on apr_dbd that responds with one user. It runs
 * one prepared SELECT and writes its eleven columns without checks or escapes. */
#include <httpd.h>
#include <http_config.h>
#include <http_protocol.h>
#include <http_request.h>

#include <apr_dbd.h>
#include <mod_dbd.h>

#include <string.h>

#define PREFIX "/api/users/"

static APR_OPTIONAL_FN_TYPE(ap_dbd_acquire) * acquire;

static int handle(request_rec *r)
{
    ap_dbd_t *dbd;
    apr_dbd_prepared_t *statement;
    apr_dbd_results_t *result = NULL;
    apr_dbd_row_t *row = NULL;
    int column;

    if (!r->handler || strcmp(r->handler, "bench-floor") != 0)
        return DECLINED;
    dbd = acquire(r);
    if (!dbd)
        return HTTP_INTERNAL_SERVER_ERROR;
    statement = apr_hash_get(dbd->prepared, "floor", APR_HASH_KEY_STRING);
    if (!statement
        || apr_dbd_pvselect(dbd->driver, r->pool, dbd->handle, &result, statement, 1,
                            r->uri + strlen(PREFIX), NULL) != 0
        || apr_dbd_get_row(dbd->driver, r->pool, result, &row, 1) != 0)
        return HTTP_INTERNAL_SERVER_ERROR;

    ap_set_content_type(r, "application/json");
    for (column = 0; column < 11; ++column) {
        const char *value = apr_dbd_get_entry(dbd->driver, row, column);

        ap_rputs(column == 0 ? "[\"" : ",\"", r);
        if (value)
            ap_rputs(value, r);
        ap_rputs("\"", r);
    }
    ap_rputs("]", r);
    return OK;
}

/* As in the service, do not look for a file. */
static int claim(request_rec *r)
{
    if (strncmp(r->uri, PREFIX, strlen(PREFIX)) != 0)
        return DECLINED;
    r->filename = "floor:";
    return OK;
}

static int keep_from_storage(request_rec *r)
{
    return r->filename && strcmp(r->filename, "floor:") == 0 ? OK : DECLINED;
}

static int start(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp, server_rec *s)
{
    (void)pconf, (void)plog, (void)ptemp, (void)s;
    acquire = APR_RETRIEVE_OPTIONAL_FN(ap_dbd_acquire);
    return acquire ? OK : HTTP_INTERNAL_SERVER_ERROR;
}

static void register_hooks(apr_pool_t *pool)
{
    (void)pool;
    ap_hook_post_config(start, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_translate_name(claim, NULL, NULL, APR_HOOK_FIRST);
    ap_hook_map_to_storage(keep_from_storage, NULL, NULL, APR_HOOK_FIRST);
    ap_hook_handler(handle, NULL, NULL, APR_HOOK_FIRST);
}

AP_DECLARE_MODULE(bench_floor) = {STANDARD20_MODULE_STUFF, NULL, NULL, NULL, NULL, NULL, register_hooks,
                                  AP_MODULE_FLAG_NONE};
