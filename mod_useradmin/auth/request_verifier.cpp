#include "auth/request_verifier.hpp"

extern module auth_useradmin_module;

namespace useradmin::auth {

namespace {

httpd::BackendSettings with_plugins(const AuthSettings& settings, bool has_plugins) {
    httpd::BackendSettings backend = httpd::backend_settings(settings);
    backend.has_plugins = has_plugins;
    return backend;
}

} // namespace

RequestVerifier::RequestVerifier(request_rec* request, bool has_plugins)
    : RequestVerifier(request, settings_of(request),
                      with_plugins(settings_of(request), has_plugins)) {}

RequestVerifier::RequestVerifier(request_rec* request, const AuthSettings& settings,
                                 const httpd::BackendSettings& backend)
    : backend_(request, auth_useradmin_module, backend),
      passwords_(backend_.settings().hash_format, *server_configuration_of(request->server).formats,
                 work_, backend_.slots()),
      credentials_(backend_.store(), backend_.place(), passwords_,
                   *server_configuration_of(request->server).formats,
                   *backend_.server().shared.attempts, settings.get<SignInLimit>(), backend_.log(),
                   settings.get<SecondFactorMode>()) {}

} // namespace useradmin::auth
