// POST /sign-out
#include "sign_in/cross_site.hpp"
#include "sign_in/endpoints.hpp"
#include "sign_in/replies.hpp"
#include "text/unicode.hpp"

namespace useradmin::sign_in {

Reply sign_out(const Request& request, const Client& client, const Service& service) {
    if (const auto foreign = reject_cross_site_cookies(request.headers, service.trusted_origins))
        return *foreign;
    // The content is irrelevant, but must be read before the next request on the connection.
    const http::Body body = request.body.read();
    if (body.state != http::Body::State::read)
        return body_error(body);
    if (!client.token.empty() && text::is_clean_utf8(client.token)) {
        const auto closed = service.store.delete_session(client.token);
        // Do not report success if the session is still open.
        if (!closed && !closed.is_not_found())
            return store_error(closed.failure());
    }
    Reply reply{200, R"({"success":true})"};
    // A cross-site form is sent without the session cookie, but the browser would still delete the
    // cookie.
    if (!reject_cross_site_sign_in(request.headers, service.trusted_origins))
        add_expired_cookies(reply, service);
    return reply;
}

} // namespace useradmin::sign_in
