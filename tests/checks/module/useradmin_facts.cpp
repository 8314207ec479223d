#include "directive_facts.hpp"

#include "service/configuration.hpp"

namespace useradmin::test {

template <>
inline constexpr const char* stand_in<service::ProtectedEmail> = api::default_protected_email;

void print_directives_of_useradmin(const server_rec* server) {
    print_directives<service::directives>(server, useradmin_module);
}

} // namespace useradmin::test
