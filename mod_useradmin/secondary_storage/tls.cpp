#include "secondary_storage/tls.hpp"

#ifdef USERADMIN_HIREDIS_SSL

#include <hiredis/hiredis.h>
#include <hiredis/hiredis_ssl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>

#include <memory>

namespace useradmin::secondary_storage {

namespace {

using Settings = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using Session = std::unique_ptr<SSL, decltype(&SSL_free)>;

std::string last_error() {
    const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
    return reason != nullptr ? std::string("TLS: ") + reason
                             : "the TLS handshake timed out or failed";
}

/// Requires a certificate for the host. Returns false on failure.
bool expect_host(SSL* session, const char* host) {
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host) == 1)
        return true; // an IP address is not sent as the server name (RFC 6066, section 3)
    SSL_set_hostflags(session, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return SSL_set1_host(session, host) == 1 && SSL_set_tlsext_host_name(session, host) == 1;
}

bool finish_handshake(SSL* session, const std::function<bool(short events)>& wait) {
    while (true) {
        const int result = SSL_do_handshake(session);
        if (result == 1)
            return true;
        const int error = SSL_get_error(session, result);
        if ((error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) ||
            !wait(error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT))
            return false;
    }
}

} // namespace

std::string start_tls(redisContext& context, const char* host,
                      const std::function<bool(short events)>& wait) {
    ERR_clear_error();
    const Settings settings(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
    if (settings == nullptr || SSL_CTX_set_min_proto_version(settings.get(), TLS1_2_VERSION) != 1 ||
        SSL_CTX_set_default_verify_paths(settings.get()) != 1)
        return last_error();
    SSL_CTX_set_verify(settings.get(), SSL_VERIFY_PEER, nullptr);
    Session session(SSL_new(settings.get()), SSL_free);
    if (session == nullptr || !expect_host(session.get(), host))
        return last_error();
    SSL* const handshake = session.get();
    if (redisInitiateSSL(&context, handshake) == REDIS_OK) {
        static_cast<void>(session.release()); // the context frees it
        if (finish_handshake(handshake, wait))
            return {};
    }
    const long result = SSL_get_verify_result(handshake);
    return result != X509_V_OK ? std::string("its certificate was rejected: ") +
                                     X509_verify_cert_error_string(result)
                               : last_error();
}

} // namespace useradmin::secondary_storage

#endif
