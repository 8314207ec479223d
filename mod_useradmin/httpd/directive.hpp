// What the directives of both modules are read with.
#pragma once

#include "apr/guard.hpp"
#include "apr/pool.hpp"
#include "httpd/httpd.hpp"

#include <charconv>
#include <optional>

namespace useradmin::httpd {

/// The whole number that the text is, within the bounds; nothing where it is not.
inline std::optional<long> number_within(const char* text, long least, long most) {
    const std::string_view view = apr::view_of(text);
    long number = 0;
    const auto [stop, error] = std::from_chars(view.data(), view.data() + view.size(), number);
    if (error != std::errc() || stop != view.data() + view.size() || number < least ||
        number > most)
        return std::nullopt;
    return number;
}

/// Runs a directive's setter; what it throws becomes the sentence that refuses the configuration.
template <class Setter>
const char* set_directive(const cmd_parms* command, Setter&& setter) noexcept {
    return apr::guarded(
        std::forward<Setter>(setter),
        [command](const char* reason) {
            return static_cast<const char*>(
                apr_pstrcat(command->pool, command->cmd->name, ": ", reason, nullptr));
        });
}

/// The sentence that refuses a value: "UserAdminMaxLimit: must be …".
inline const char* refusal(const cmd_parms* command, const char* sentence) {
    return apr_pstrcat(command->pool, command->cmd->name, ": ", sentence, nullptr);
}

/// Sets how long a request waits.
inline const char* set_seconds(const cmd_parms* command, std::optional<int>& seconds,
                               const char* text) {
    const std::optional<long> number = number_within(text, 1, 300);
    if (!number)
        return refusal(command, "must be a number of seconds from 1 to 300");
    seconds = static_cast<int>(*number);
    return nullptr;
}

/// Where most directives may stand: server, virtual host, Location and Directory.
inline constexpr int anywhere = RSRC_CONF | ACCESS_CONF;

} // namespace useradmin::httpd
