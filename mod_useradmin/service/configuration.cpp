#include "service/configuration.hpp"

#include "httpd/base.hpp"
#include "httpd/directive.hpp"
#include "httpd/inherit.hpp"
#include "httpd/password_hash.hpp"

#include <cstdlib>

APLOG_USE_MODULE(useradmin);

namespace useradmin::service {

namespace {

Configuration& of(void* configuration) {
    return *static_cast<Configuration*>(configuration);
}

const char* set_enabled(cmd_parms* command, void* configuration, int flag) noexcept {
    return httpd::set_directive(
        command,
        [&]() -> const char* {
            const char* problem = nullptr;
            const char* base = httpd::location_of(command, "/api/users", problem);
            if (base == nullptr)
                return httpd::refusal(command, problem);
            of(configuration).enabled = flag != 0;
            of(configuration).base = base;
            if (flag != 0)
                *static_cast<const char**>(
                    apr_array_push(configuration_of(command->server).bases)) = base;
            return nullptr;
        });
}

const char* parse_expression(cmd_parms* command, const char* text,
                             const ap_expr_info_t*& expression) {
    const char* error = nullptr;
    expression = ap_expr_parse_cmd(
        command, text, AP_EXPR_FLAG_STRING_RESULT | AP_EXPR_FLAG_DONT_VARY, &error, nullptr);
    if (error == nullptr)
        return nullptr;
    return httpd::refusal(command,
                          apr_pstrcat(command->pool, "'", text, "' is no expression (", error,
                                      "); right is for example %{note:session-user-id}", nullptr));
}

const char* set_session(cmd_parms* command, void* configuration, const char* id,
                        const char* role) noexcept {
    return httpd::set_directive(
        command,
        [&]() -> const char* {
            of(configuration).session_role = nullptr;
            if (const char* problem = parse_expression(command, id, of(configuration).session_id))
                return problem;
            return role != nullptr ? parse_expression(command, role, of(configuration).session_role)
                                   : nullptr;
        });
}

const char* set_protected_email(cmd_parms* command, void* configuration,
                                const char* address) noexcept {
    return httpd::set_directive(
        command,
        [&]() -> const char* {
            if (apr::view_of(address).find('@') == std::string_view::npos)
                return httpd::refusal(command,
                                      "must be an e-mail address, such as admin@example.com");
            of(configuration).protected_email = address;
            return nullptr;
        });
}

const char* set_service_hash(cmd_parms* command, void* configuration, int count,
                             char* const words[]) noexcept {
    return httpd::set_directive(
        command,
        [&] {
            return httpd::set_password_hash(command, of(configuration).password_hash, count, words);
        });
}

const char* set_hash_limit(cmd_parms* command, void*, const char* text) noexcept {
    return httpd::set_directive(
        command,
        [&]() -> const char* {
            if (const char* problem = ap_check_cmd_context(command, GLOBAL_ONLY))
                return problem;
            const std::optional<long> number = httpd::number_within(text, 1, 1024);
            if (!number)
                return httpd::refusal(command, "must be a whole number from 1 to 1024");
            configuration_of(command->server).hash_limit = static_cast<unsigned>(*number);
            return nullptr;
        });
}

const char* set_max_limit(cmd_parms* command, void* configuration, const char* text) noexcept {
    return httpd::set_directive(
        command,
        [&]() -> const char* {
            const std::optional<long> number = httpd::number_within(text, 1, 100000);
            if (!number)
                return httpd::refusal(command, "must be a whole number from 1 to 100000");
            of(configuration).max_limit = static_cast<int>(*number);
            return nullptr;
        });
}

const char* set_max_body(cmd_parms* command, void* configuration, const char* text) noexcept {
    return httpd::set_directive(
        command,
        [&]() -> const char* {
            const std::optional<long> number = httpd::number_within(text, 1024, 16777216);
            if (!number)
                return httpd::refusal(command, "must be a number of bytes from 1024 to 16777216");
            of(configuration).max_body = *number;
            return nullptr;
        });
}

const char* set_timeout(cmd_parms* command, void* configuration, const char* text) noexcept {
    return httpd::set_directive(
        command, [&] { return httpd::set_seconds(command, of(configuration).timeout, text); });
}

const char* set_service_tables(cmd_parms* command, void* configuration, const char* user,
                               const char* session, const char* account) noexcept {
    return httpd::set_directive(
        command,
        [&] {
            return httpd::set_tables(command, of(configuration).tables, "useradmin", user, session,
                                     account);
        });
}

/// Sets a choice between two words.
const char* set_choice(const cmd_parms* command, std::optional<bool>& choice, std::string_view word,
                       std::string_view is_false, std::string_view is_true) {
    if (word != is_false && word != is_true)
        return httpd::refusal(command, apr_pstrcat(command->pool, "must be '", is_false.data(),
                                                   "' or '", is_true.data(), "'", nullptr));
    choice = word == is_true;
    return nullptr;
}

const char* set_account_id(cmd_parms* command, void* configuration, const char* word) noexcept {
    return httpd::set_directive(
        command,
        [&] {
            return set_choice(command, of(configuration).account_id_is_user_id, word, "email",
                              "user-id");
        });
}

const char* set_email_case(cmd_parms* command, void* configuration, const char* word) noexcept {
    return httpd::set_directive(
        command,
        [&] { return set_choice(command, of(configuration).lowers_email, word, "keep", "lower"); });
}

} // namespace

const command_rec directives[] = {
    AP_INIT_FLAG("UserAdmin", set_enabled, nullptr, httpd::anywhere,
                 "On: this Location is the base address of the user administration"),
    AP_INIT_TAKE12("UserAdminSession", set_session, nullptr, httpd::anywhere,
                   "expressions for the id and the role of the caller"),
    AP_INIT_TAKE1("UserAdminProtectedEmail", set_protected_email, nullptr, httpd::anywhere,
                  "the address of the administrator that is never deleted"),
    AP_INIT_TAKE_ARGV("UserAdminPasswordHash", set_service_hash, nullptr, httpd::anywhere,
                      "argon2id [m=KiB] [t=N] [p=N], or scrypt"),
    AP_INIT_TAKE1("UserAdminHashLimit", set_hash_limit, nullptr, RSRC_CONF,
                  "how many passwords the whole server hashes at once"),
    AP_INIT_TAKE1("UserAdminMaxLimit", set_max_limit, nullptr, httpd::anywhere,
                  "the largest page of a list"),
    AP_INIT_TAKE1("UserAdminMaxBody", set_max_body, nullptr, httpd::anywhere,
                  "the largest request body, in bytes"),
    AP_INIT_TAKE1("UserAdminTimeout", set_timeout, nullptr, httpd::anywhere,
                  "how many seconds a request waits for a database connection or to hash"),
    AP_INIT_TAKE3("UserAdminTables", set_service_tables, nullptr, httpd::anywhere,
                  "the names of the user, session and account tables"),
    AP_INIT_TAKE1("UserAdminAccountId", set_account_id, nullptr, httpd::anywhere,
                  "what a credential account's accountId is: email or user-id"),
    AP_INIT_TAKE1("UserAdminEmailCase", set_email_case, nullptr, httpd::anywhere,
                  "keep, or lower to store addresses in lower case"),
    {nullptr, {nullptr}, nullptr, 0, RAW_ARGS, nullptr}};

void* create_configuration(apr_pool_t* pool, char*) noexcept {
    return &apr::emplace<Configuration>(pool);
}

void* merge_configuration(apr_pool_t* pool, void* base, void* addition) noexcept {
    Configuration& merged = apr::emplace<Configuration>(pool, of(addition));
    const Configuration& inherited = of(base);
    httpd::inherit(merged.enabled, inherited.enabled);
    httpd::inherit(merged.base, inherited.base);
    // The two expressions are one setting.
    if (merged.session_id == nullptr) {
        merged.session_id = inherited.session_id;
        merged.session_role = inherited.session_role;
    }
    httpd::inherit(merged.protected_email, inherited.protected_email);
    httpd::inherit(merged.password_hash, inherited.password_hash);
    httpd::inherit(merged.max_limit, inherited.max_limit);
    httpd::inherit(merged.max_body, inherited.max_body);
    httpd::inherit(merged.timeout, inherited.timeout);
    httpd::inherit(merged.tables, inherited.tables);
    httpd::inherit(merged.account_id_is_user_id, inherited.account_id_is_user_id);
    httpd::inherit(merged.lowers_email, inherited.lowers_email);
    return &merged;
}

void* create_server_configuration(apr_pool_t* pool, server_rec*) noexcept {
    ServerConfiguration& configuration = apr::emplace<ServerConfiguration>(pool);
    configuration.bases = apr_array_make(pool, 1, sizeof(const char*));
    const std::string_view address = apr::view_of(std::getenv("ADMIN_EMAIL"));
    if (!address.empty())
        configuration.admin_email = apr::terminated(pool, address);
    return &configuration;
}

void* merge_server_configuration(apr_pool_t* pool, void* base, void* addition) noexcept {
    const auto& inherited = *static_cast<ServerConfiguration*>(base);
    auto& merged =
        apr::emplace<ServerConfiguration>(pool, *static_cast<ServerConfiguration*>(addition));
    merged.hash_limit = inherited.hash_limit;
    merged.bases = apr_array_append(pool, inherited.bases, merged.bases);
    return &merged;
}

const Configuration& configuration_of(const request_rec* request) noexcept {
    return *static_cast<const Configuration*>(
        ap_get_module_config(request->per_dir_config, &useradmin_module));
}

ServerConfiguration& configuration_of(const server_rec* server) noexcept {
    return *static_cast<ServerConfiguration*>(
        ap_get_module_config(server->module_config, &useradmin_module));
}

} // namespace useradmin::service
