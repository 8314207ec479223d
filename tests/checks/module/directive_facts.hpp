// Prints a module's directives for check-directives. Each line on standard output has
// tab-terminated fields:
//   module NAME DIRECTIVE MIN MAX HELP           the number of arguments (0 if any)
//   bounds DIRECTIVE MIN MAX                     the bounds of a number
//   default DIRECTIVE same|other|none|unknown  the server's value compared with the default
//   switch DIRECTIVE On|Off                      the default of a switch
#pragma once

#include "admin/permissions.hpp"
#include "api/service.hpp"
#include "httpd/backend.hpp"
#include "httpd/directives.hpp"
#include "httpd/httpd.hpp"
#include "password/attempt_limiter.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

namespace useradmin::test {

/// The text form of a default that is not in the table.
template <class Tag>
inline constexpr const char* stand_in = nullptr;

enum class Comparison { same, other, unknown };

constexpr Comparison comparison(bool is_same) noexcept {
    return is_same ? Comparison::same : Comparison::other;
}

template <class Value>
Comparison compare(const Value& one, const Value& other) {
    if constexpr (requires { one == other; })
        return comparison(one == other);
    else
        return Comparison::unknown;
}
inline Comparison compare(const char* one, const char* other) {
    return comparison(one == other ||
                      (one != nullptr && other != nullptr && std::strcmp(one, other) == 0));
}
inline Comparison compare(const httpd::Tables& one, const httpd::Tables& other) {
    return comparison(one.names.user == other.names.user &&
                      one.names.session == other.names.session &&
                      one.names.account == other.names.account);
}
inline Comparison compare(const http::Origins& one, const http::Origins& other) {
    return comparison(std::equal(one.begin(), one.end(), other.begin(), other.end()));
}
inline Comparison compare(const httpd::AuditLogSetting& one, const httpd::AuditLogSetting& other) {
    return comparison(one.log == other.log && one.is_required == other.is_required);
}
inline Comparison compare(const api::Guards& one, const api::Guards& other) {
    return comparison(one.rank == other.rank && one.last_super_admin == other.last_super_admin);
}
inline Comparison compare(const password::AttemptLimit& one, const password::AttemptLimit& other) {
    return comparison(one.attempts == other.attempts && one.window == other.window);
}
inline Comparison compare(const admin::RoleActions* one, const admin::RoleActions* other) {
    return comparison(one->role == other->role && one->actions == other->actions &&
                      one->next == other->next);
}

constexpr const char* text_of(Comparison result) noexcept {
    return result == Comparison::same ? "same" : result == Comparison::other ? "other" : "unknown";
}

template <const auto& table, std::size_t index>
void print_directive(const httpd::DirectiveSettings<table>& settings) {
    // Copy the members one by one. A constexpr copy of the whole entry would need the module's
    // parsing functions at link time.
    using Entry = std::tuple_element_t<index, std::remove_cvref_t<decltype(table)>>;
    using Tag = typename Entry::Name;
    constexpr const char* name = std::get<index>(table).name;
    constexpr cmd_how args_how = std::get<index>(table).args_how;
    constexpr auto fallback = std::get<index>(table).default_value;

    if constexpr (requires { Entry::read.max; }) {
        constexpr long most = std::get<index>(table).read.max;
        long least = 1;
        if constexpr (requires { Entry::read.min; }) {
            constexpr long value = std::get<index>(table).read.min;
            least = value;
        }
        std::printf("bounds\t%s\t%ld\t%ld\n", name, least, most);
    }
    if constexpr (args_how == FLAG) {
        bool is_on = false;
        if constexpr (requires { fallback.is_on; })
            is_on = fallback.is_on;
        else
            is_on = fallback;
        std::printf("switch\t%s\t%s\n", name, is_on ? "On" : "Off");
    } else {
        auto wanted = fallback;
        if constexpr (std::is_same_v<decltype(wanted), const char*>)
            wanted = fallback != nullptr ? fallback : stand_in<Tag>;
        const auto& value = settings.template explicit_value<Tag>();
        std::printf("default\t%s\t%s\n", name, value ? text_of(compare(*value, wanted)) : "none");
    }
}

template <const auto& table, std::size_t... index>
void print_each(const httpd::DirectiveSettings<table>& settings, std::index_sequence<index...>) {
    (print_directive<table, index>(settings), ...);
}

/// Prints all directives of a module from its record.
template <const auto& table>
void print_directives(const server_rec* server, const module& record) {
    for (const command_rec* command = record.cmds; command->name != nullptr; ++command) {
        const int least = command->args_how == TAKE3 ? 3 : command->args_how == TAKE_ARGV ? 0 : 1;
        const int most = command->args_how == TAKE12 ? 2 : command->args_how == TAKE123 ? 3 : least;
        std::printf("module\t%s\t%s\t%d\t%d\t%s\n", record.name, command->name, least, most,
                    command->errmsg);
    }
    print_each<table>(
        *static_cast<const httpd::DirectiveSettings<table>*>(
            ap_get_module_config(server->lookup_defaults, &record)),
        std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(table)>>>());
}

void print_directives_of_useradmin(const server_rec* server);

} // namespace useradmin::test
