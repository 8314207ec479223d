#include "auth/request_verifier.hpp"

extern module auth_useradmin_module;

namespace useradmin::auth {

RequestVerifier::RequestVerifier(request_rec* request)
    : RequestVerifier(request, settings_of(request)) {}

RequestVerifier::RequestVerifier(request_rec* request, const AuthSettings& settings)
    : backend_(request, auth_useradmin_module, httpd::backend_settings(settings)),
      passwords_(backend_.settings().hash_format, *server_configuration_of(request->server).formats,
                 work_, backend_.slots()),
      credentials_(backend_.store(), backend_.place(), passwords_,
                   *server_configuration_of(request->server).formats,
                   *backend_.server().shared.attempts, settings.get<SignInLimit>(), backend_.log(),
                   settings.get<IgnoresSecondFactor>() ? sign_in::SecondFactor::ignored
                                                       : sign_in::SecondFactor::refused) {}

} // namespace useradmin::auth
