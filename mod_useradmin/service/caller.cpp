#include "service/caller.hpp"

#include "apr/pool.hpp"

namespace useradmin::service {

namespace {

std::string_view evaluate(request_rec* request, const ap_expr_info_t* expression,
                          httpd::RequestLog& log) {
    const char* error = nullptr;
    const char* value = ap_expr_str_exec(request, expression, &error);
    if (error == nullptr)
        return apr::view_of(value);
    log.write(text::Level::error,
              "UA0204: an expression of UserAdminSession failed: " + std::string(error));
    return {};
}

std::string_view id_of(request_rec* request, const Configuration& configuration,
                       httpd::RequestLog& log) {
    return configuration.session_id != nullptr
               ? evaluate(request, configuration.session_id, log)
               : apr::view_of(apr_table_get(request->notes, httpd::id_note));
}

std::string_view role_of(request_rec* request, const Configuration& configuration,
                         httpd::RequestLog& log) {
    if (configuration.session_id == nullptr)
        return apr::view_of(apr_table_get(request->notes, httpd::role_note));
    return configuration.session_role != nullptr
               ? evaluate(request, configuration.session_role, log)
               : std::string_view();
}

} // namespace

std::optional<api::Caller> caller_of(request_rec* request, const Configuration& configuration,
                                     httpd::RequestLog& log) {
    for (request_rec* source = request; source != nullptr;
         source = source->prev != nullptr ? source->prev : source->main) {
        const std::string_view id = id_of(source, configuration, log);
        if (!id.empty())
            return api::Caller{id, api::role_of(role_of(source, configuration, log))};
    }
    return std::nullopt;
}

} // namespace useradmin::service
