#include "auth/request_verifier.hpp"

namespace useradmin::auth {

RequestVerifier::RequestVerifier(request_rec* request)
    : backend_(request, auth_useradmin_module,
               httpd::backend_settings(settings_of(request),
                                       settings_of(request).get<SecondFactorMode>() !=
                                           sign_in::SecondFactor::ignored)),
      passwords_(backend_.settings().hash_format, *server_configuration_of(request->server).formats,
                 backend_.slots()),
      credentials_(backend_.store(), backend_.tables_id(), passwords_,
                   *server_configuration_of(request->server).formats,
                   *backend_.server().shared.attempts, settings_of(request).get<SignInLimit>(),
                   backend_.log(), settings_of(request).get<SecondFactorMode>()) {}

} // namespace useradmin::auth
