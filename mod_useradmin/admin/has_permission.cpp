// POST admin/has-permission
#include "admin/endpoints.hpp"
#include "json/writer.hpp"

namespace useradmin::admin {

namespace {

/// Returns the actions in the request. Returns std::nullopt if an action does not exist, if there
/// are no resources, or if a resource has no actions.
std::optional<Actions> actions_in(const json::Object& permissions) {
    Actions actions = 0;
    const auto resources = permissions.keys();
    for (const std::string_view resource : resources) {
        const auto names = permissions.texts(resource);
        if (!names || names->empty())
            return std::nullopt;
        for (const std::string_view name : *names) {
            const auto action = find_action(resource, name);
            if (!action)
                return std::nullopt;
            actions |= bit_of(*action);
        }
    }
    return resources.empty() ? std::nullopt : std::optional(actions);
}

} // namespace

Response has_permission(Call& call) {
    const auto permissions = call.parameters.object()->object("permissions");
    const auto actions = permissions ? actions_in(*permissions) : std::nullopt;
    Response response;
    json::Writer(response.body)
        .begin_object()
        .key("error")
        .null()
        .key("success")
        .boolean(actions && may(call.service.roles, call.caller.roles, *actions))
        .end_object();
    return response;
}

} // namespace useradmin::admin
