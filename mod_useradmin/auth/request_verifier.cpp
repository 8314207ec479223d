#include "auth/request_verifier.hpp"

#include "apr/pool.hpp"

#include <netinet/in.h>

extern module auth_useradmin_module;

namespace useradmin::auth {

RequestVerifier::RequestVerifier(request_rec* request)
    : RequestVerifier(request, settings_of(request)) {}

RequestVerifier::RequestVerifier(request_rec* request, const Settings& settings)
    : backend_(request, auth_useradmin_module, httpd::backend_settings(settings)),
      passwords_(backend_.settings().hash_format, *backend_.server().formats, work_,
                 backend_.slots()),
      credentials_(backend_.store(), backend_.place(), passwords_, *backend_.server().formats,
                   backend_.server().attempts, settings.get<SignInLimit>(), backend_.log()) {}

std::string_view counted_address(const request_rec* request) noexcept {
    constexpr std::size_t network_size = 8;
    constexpr std::size_t mapped_prefix_size = 12;
    const apr_sockaddr_t* address = request->useragent_addr;
    if (address == nullptr || address->ipaddr_ptr == nullptr)
        return apr::view_of(request->useragent_ip);
    const std::string_view bytes(static_cast<const char*>(address->ipaddr_ptr),
                                 static_cast<std::size_t>(address->ipaddr_len));
    if (address->family != APR_INET6)
        return bytes;
    return IN6_IS_ADDR_V4MAPPED(static_cast<const in6_addr*>(address->ipaddr_ptr))
               ? bytes.substr(mapped_prefix_size)
               : bytes.substr(0, network_size);
}

} // namespace useradmin::auth
