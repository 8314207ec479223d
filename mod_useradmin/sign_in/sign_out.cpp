// POST /sign-out
#include "sign_in/cross_site.hpp"
#include "sign_in/endpoints.hpp"
#include "sign_in/responses.hpp"
#include "text/unicode.hpp"

namespace useradmin::sign_in {

Response sign_out(const Request& request, const Client& client, const Service& service) {
    // Without a session, a sign-out changes nothing.
    service.event.is_change = false;
    if (const auto foreign = reject_cross_site_cookies(request.headers, service.trusted_origins))
        return *foreign;
    // Read and discard the body: the next request on the connection follows it.
    const http::Body body = request.body.read();
    if (body.error_status != 0)
        return status_error(body.error_status);
    if (!client.token.empty() && text::is_clean_utf8(client.token)) {
        service.event.is_change = true;
        const auto closed = service.store.delete_session(client.token);
        service.event.is_change = !closed.is_not_found();
        // Do not report success if the session is still open.
        if (!closed && !closed.is_not_found())
            return store_error(closed.failure());
    }
    Response response{200, R"({"success":true})"};
    // Browsers send a cross-site form without the session cookie, but would obey Set-Cookie in the
    // response.
    if (!reject_cross_site_sign_in(request.headers, service.trusted_origins))
        service.cookies.expire_session(response);
    return response;
}

} // namespace useradmin::sign_in
