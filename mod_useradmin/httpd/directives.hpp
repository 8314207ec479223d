// Tables of directives. An entry defines a directive's parser, storage, default and merging.
#pragma once

#include "apr/guard.hpp"
#include "apr/pool.hpp"
#include "crypto/source.hpp"
#include "httpd/httpd.hpp"
#include "text/number.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace useradmin::httpd {

/// The usual contexts: server config, virtual host and directory, but not .htaccess.
inline constexpr int except_htaccess = RSRC_CONF | ACCESS_CONF;

/// The arguments of a configuration line, as passed to a reader.
struct ConfigLine {
    cmd_parms* command;
    /// The arguments. They are null-terminated and valid for the lifetime of the configuration.
    std::span<const std::string_view> arguments;
    /// The value of a flag.
    bool is_on = false;

    apr_pool_t* pool() const noexcept { return command->pool; }
    /// Copies a string. The copy is valid for the lifetime of the configuration.
    const char* copy(std::string_view text) const { return apr::copy_c_string(pool(), text); }
};

/// Logs a warning about a line. owner: the module whose LogLevel applies.
inline void warn(const ap_directive_t& directive, const module& owner, const std::string& message) {
    // The virtual hosts' logs are not open until httpd has read the configuration.
    ap_log_error(__FILE__, __LINE__, owner.module_index, APLOG_WARNING, APR_SUCCESS, nullptr,
                 "%s (%s:%d)", message.c_str(), directive.filename, directive.line_num);
}

/// Warns if others can read the directive's secret.
inline void warn_of_source(const ConfigLine& line, const module& owner,
                           const crypto::LoadedSecret& source) {
    const ap_directive_t& directive = *line.command->directive;
    const std::string name = line.command->cmd->name;
    if (source.is_inline)
        warn(directive, owner,
             "UA0311: " + name +
                 " contains the secret itself, and mod_info shows it; use file: or env:");
    if (source.is_world_readable)
        warn(directive, owner,
             "UA0312: the file named in " + name + " is world-readable; run: chmod 600 " +
                 source.file);
}

/// Defines a directive. The tag identifies it in DirectiveSettings. The reader parses a ConfigLine
/// into the value and returns nullptr, or the end of an error message ("must be …"). A reader with
/// an adds_to_value member adds to the value that earlier lines of the section set.
template <class Tag, class Type, class Reader>
struct Directive {
    using Name = Tag;
    using Value = Type;

    const char* name;
    /// The number of arguments: FLAG, TAKE1, TAKE12, TAKE3, TAKE123 or TAKE_ARGV.
    cmd_how args_how;
    /// The contexts in which the directive is allowed.
    int context;
    const char* help;
    Value default_value;
    Reader read;
};

template <class Tag, class Type, class Reader>
constexpr Directive<Tag, Type, Reader> directive(const char* name, cmd_how args_how, int context,
                                                 const char* help, Type default_value,
                                                 Reader reader) {
    return {name, args_how, context, help, default_value, reader};
}

struct NumberReader {
    /// A description of the number, such as "a number of seconds".
    std::string_view what;
    long min;
    long max;

    template <class Type>
    const char* operator()(const ConfigLine& line, Type& value) const {
        const std::optional<long> number = text::parse_integer(line.arguments[0], min, max);
        if (!number)
            return line.copy("must be " + std::string(what) + " from " + std::to_string(min) +
                             " to " + std::to_string(max));
        value = Type(*number);
        return nullptr;
    }
};

struct SwitchReader {
    const char* operator()(const ConfigLine& line, bool& value) const noexcept {
        value = line.is_on;
        return nullptr;
    }
};

/// Reads one of two words. The value is true for the second.
struct ChoiceReader {
    std::string_view first;
    std::string_view second;

    const char* operator()(const ConfigLine& line, bool& value) const {
        if (line.arguments[0] != first && line.arguments[0] != second)
            return line.copy("must be '" + std::string(first) + "' or '" + std::string(second) +
                             "'");
        value = line.arguments[0] == second;
        return nullptr;
    }
};

/// Reads a file path, which may be relative to ServerRoot.
struct PathReader {
    const char* operator()(const ConfigLine& line, const char*& path) const {
        path = ap_server_root_relative(line.pool(), line.copy(line.arguments[0]));
        return path != nullptr ? nullptr : "must be the path of a file";
    }
};

/// Returns whether the path names an executable regular file.
inline bool is_executable_file(const char* path) noexcept {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           (status.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0;
}

template <class Tag, class... Entries>
constexpr std::size_t position_of(const std::tuple<Entries...>&) noexcept {
    constexpr bool matches[] = {std::is_same_v<typename Entries::Name, Tag>...};
    return static_cast<std::size_t>(std::ranges::find(matches, true) - matches);
}

/// The type of the values of a table's directives. Declared only for decltype.
template <class... Entries>
std::tuple<std::optional<typename Entries::Value>...> values_of(const std::tuple<Entries...>&);

/// Holds the values of a table's directives in a Location or server. Unset values are inherited.
/// httpd merges the settings for each request, so all members are trivially destructible.
template <const auto& table>
class DirectiveSettings {
    template <class Tag>
    static constexpr std::size_t position = position_of<Tag>(table);

  public:
    /// Returns the configured value, or std::nullopt if there is none.
    template <class Tag>
    const auto& explicit_value() const noexcept {
        return std::get<position<Tag>>(values_);
    }
    /// Returns the configured value, or the default.
    template <class Tag>
    auto get() const noexcept {
        return explicit_value<Tag>().value_or(std::get<position<Tag>>(table).default_value);
    }

    template <class Tag>
    static constexpr const char* name() noexcept {
        return std::get<position<Tag>>(table).name;
    }

    /// Returns the value of the entry at this position in the table.
    template <std::size_t index>
    auto& value() noexcept {
        return std::get<index>(values_);
    }
    /// Inherits unset values from the enclosing settings.
    void inherit(const DirectiveSettings& outer) noexcept {
        std::apply(
            [&](auto&... own) {
                std::apply(
                    [&](const auto&... outer_values) { ((own = own ? own : outer_values), ...); },
                    outer.values_);
            },
            values_);
    }

  private:
    decltype(values_of(table)) values_;
};

/// A module's create_dir_config function.
template <const auto& table>
void* create_settings(apr_pool_t* pool, char*) noexcept {
    static_assert(std::is_trivially_destructible_v<DirectiveSettings<table>>);
    return &apr::emplace<DirectiveSettings<table>>(pool);
}

/// A module's merge_dir_config function.
template <const auto& table>
void* merge_settings(apr_pool_t* pool, void* outer, void* inner) noexcept {
    auto& merged = apr::emplace<DirectiveSettings<table>>(
        pool, *static_cast<const DirectiveSettings<table>*>(inner));
    merged.inherit(*static_cast<const DirectiveSettings<table>*>(outer));
    return &merged;
}

/// Returns a module's settings in a per-directory configuration, for a request, or for a server
/// outside any <Location>.
template <const auto& table, const module& owner>
struct SettingsOf {
    const DirectiveSettings<table>&
    operator()(const ap_conf_vector_t* configuration) const noexcept {
        return *static_cast<const DirectiveSettings<table>*>(
            ap_get_module_config(configuration, &owner));
    }
    const DirectiveSettings<table>& operator()(const request_rec* request) const noexcept {
        return (*this)(request->per_dir_config);
    }
    const DirectiveSettings<table>& operator()(const server_rec* server) const noexcept {
        return (*this)(server->lookup_defaults);
    }
};

/// The functions that httpd calls for a directive.
template <const auto& table, std::size_t index>
struct Setter {
    static const char* flag(cmd_parms* command, void* settings, int is_on) noexcept {
        return set(command, settings, {}, is_on != 0);
    }
    /// The handler for one, two or three arguments. Omitted ones are nullptr.
    template <class... Arguments>
    static const char* take(cmd_parms* command, void* settings, Arguments... arguments) noexcept {
        const std::array views{apr::view_of(arguments)...};
        const std::size_t count = (std::size_t{arguments != nullptr} + ...);
        return set(command, settings, std::span(views).first(count));
    }
    static const char* take_all(cmd_parms* command, void* settings, int count,
                                char* const arguments[]) noexcept {
        constexpr int max_arguments = 16;
        std::array<std::string_view, max_arguments> views;
        if (count > max_arguments)
            return rejection(command, "has too many arguments");
        for (int word = 0; word < count; ++word)
            views[static_cast<std::size_t>(word)] = apr::view_of(arguments[word]);
        return set(command, settings, std::span(views).first(static_cast<std::size_t>(count)));
    }

  private:
    static const char* rejection(const cmd_parms* command, const char* message) noexcept {
        return apr_pstrcat(command->pool, command->cmd->name, ": ", message, nullptr);
    }

    /// Parses the arguments and sets the value. Returns nullptr or an error message. On an
    /// exception, the message includes its text.
    static const char* set(cmd_parms* command, void* settings,
                           std::span<const std::string_view> arguments,
                           bool is_on = false) noexcept {
        const char* const problem = apr::guarded(
            [&]() -> const char* {
                const auto& entry = std::get<index>(table);
                auto& stored =
                    static_cast<DirectiveSettings<table>*>(settings)->template value<index>();
                auto value = entry.default_value;
                if constexpr (requires { entry.read.adds_to_value; })
                    value = stored.value_or(decltype(value)());
                // g++ 16 requires calls in a constant table to be constant, so copy the reader.
                const auto read = entry.read;
                const char* message = read(ConfigLine{command, arguments, is_on}, value);
                if (message == nullptr)
                    stored = value;
                return message;
            },
            [&](const char* reason) -> const char* { return apr_pstrdup(command->pool, reason); });
        return problem != nullptr ? rejection(command, problem) : nullptr;
    }
};

template <const auto& table, std::size_t index>
constexpr command_rec command() noexcept {
    constexpr auto& entry = std::get<index>(table);
    using Set = Setter<table, index>;
    constexpr bool takes_three = entry.args_how == TAKE3 || entry.args_how == TAKE123;
    constexpr cmd_func function = entry.args_how == FLAG     ? cmd_func{.flag = Set::flag}
                                  : entry.args_how == TAKE1  ? cmd_func{.take1 = Set::take}
                                  : entry.args_how == TAKE12 ? cmd_func{.take2 = Set::take}
                                  : takes_three              ? cmd_func{.take3 = Set::take}
                                                             : cmd_func{.take_argv = Set::take_all};
    static_assert(entry.args_how == FLAG || entry.args_how == TAKE1 || entry.args_how == TAKE12 ||
                  takes_three || entry.args_how == TAKE_ARGV);
    return {entry.name, function, nullptr, entry.context, entry.args_how, entry.help};
}

template <const auto& table, std::size_t... index>
constexpr auto commands_of(std::index_sequence<index...>) noexcept {
    return std::array<command_rec, sizeof...(index) + 1>{
        command<table, index>()..., command_rec{nullptr, {nullptr}, nullptr, 0, RAW_ARGS, nullptr}};
}

/// The module's command table for httpd, with the terminating entry.
template <const auto& table>
inline constexpr auto commands = commands_of<table>(
    std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(table)>>>());

} // namespace useradmin::httpd
