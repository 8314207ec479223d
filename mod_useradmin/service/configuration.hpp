// mod_useradmin's configuration: its directives, their defaults, their merge.
#pragma once

#include "httpd/database.hpp"
#include "httpd/httpd.hpp"
#include "httpd/tables.hpp"
#include "password/hash.hpp"

#include <chrono>
#include <optional>
#include <type_traits>

namespace useradmin::service {

/// What the directives of a Location or of a server say; what they leave unsaid is inherited.
/// httpd merges it anew for each request: nothing here has a destructor.
struct Configuration {
    std::optional<bool> enabled;
    /// The Location of `UserAdmin On`, without a slash at its end.
    const char* base = nullptr;
    const ap_expr_info_t* session_id = nullptr;
    const ap_expr_info_t* session_role = nullptr;
    const char* protected_email = nullptr;
    std::optional<password::Format> password_hash;
    std::optional<int> max_limit;
    std::optional<long> max_body;
    std::optional<int> timeout;
    const httpd::Tables* tables = nullptr;
    std::optional<bool> account_id_is_user_id;
    std::optional<bool> lowers_email;

    // The defaults are applied where a value is read.
    bool is_enabled() const noexcept { return enabled.value_or(false) && base != nullptr; }
    password::Format hash_format() const noexcept {
        return password_hash.value_or(password::Format(password::Argon2id()));
    }
    int largest_page() const noexcept { return max_limit.value_or(1000); }
    long largest_body() const noexcept { return max_body.value_or(65536); }
    std::chrono::milliseconds wait() const noexcept {
        return std::chrono::seconds(timeout.value_or(5));
    }
};
static_assert(std::is_trivially_destructible_v<Configuration>);

/// What belongs to a server as a whole.
struct ServerConfiguration {
    /// Of UserAdminHashLimit; 0: the number of processors.
    unsigned hash_limit = 0;
    /// The base addresses of this server (const char*), for errors that arise before the Location
    /// is known.
    apr_array_header_t* bases = nullptr;
    /// ADMIN_EMAIL in httpd's environment; nullptr where it is absent or empty.
    const char* admin_email = nullptr;

    // Filled in when the server has started: by post_config, and by each child for itself.
    void* slots = nullptr;
    httpd::Gate* gate = nullptr;
    httpd::DatabaseModule database = {nullptr, nullptr};
};
static_assert(std::is_trivially_destructible_v<ServerConfiguration>);

extern const command_rec directives[];

void* create_configuration(apr_pool_t* pool, char* location) noexcept;
void* merge_configuration(apr_pool_t* pool, void* base, void* addition) noexcept;
void* create_server_configuration(apr_pool_t* pool, server_rec* server) noexcept;
void* merge_server_configuration(apr_pool_t* pool, void* base, void* addition) noexcept;

const Configuration& configuration_of(const request_rec* request) noexcept;
ServerConfiguration& configuration_of(const server_rec* server) noexcept;

} // namespace useradmin::service
