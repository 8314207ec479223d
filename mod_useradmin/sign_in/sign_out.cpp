// POST /sign-out
#include "sign_in/cross_site.hpp"
#include "sign_in/endpoints.hpp"
#include "sign_in/replies.hpp"
#include "text/unicode.hpp"

namespace useradmin::sign_in {

Reply sign_out(const Request& request, const Client& client, const Service& service) {
    if (const auto foreign = reject_cross_site_cookies(request.headers, service.trusted_origins))
        return *foreign;
    // What the body says is of no matter here, but a connection goes on after it.
    const http::Body body = request.body.read();
    if (body.state != http::Body::State::read)
        return body_error(body);
    if (!client.token.empty() && text::is_clean_utf8(client.token)) {
        const auto closed = service.store.delete_session(client.token);
        // Nobody is told that a session has ended that has not.
        if (!closed && !closed.is_not_found())
            return store_error(closed.failure());
    }
    Reply reply{200, R"({"success":true})"};
    // A form of another site comes without the session's cookie, and yet the browser would let the
    // reply take it away.
    if (!reject_cross_site_sign_in(request.headers, service.trusted_origins))
        add_expired_cookies(reply, service);
    return reply;
}

} // namespace useradmin::sign_in
