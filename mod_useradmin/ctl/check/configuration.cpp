#include "ctl/check/checks.hpp"

#include "ctl/check/httpd_test.hpp"
#include "ctl/command_error.hpp"
#include "ctl/edit_distance.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

namespace useradmin::ctl {

namespace {

std::string real_path(const std::string& file) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(file, ignored).string();
}

/// Returns httpd's default configuration if it is this file or includes it. Otherwise, returns
/// std::nullopt.
std::optional<HttpdConfiguration> default_configuration_with(const std::string& file) {
    try {
        HttpdConfiguration installed(default_configuration_file());
        if (std::ranges::any_of(installed.lines(),
                                [real = real_path(file)](const ConfigLine& line) {
                                    return real_path(line.file) == real;
                                }))
            return installed;
    } catch (const CommandError&) { // missing or not readable
    }
    return std::nullopt;
}

bool is_on(const ConfigLine& line, std::string_view directive) {
    return is_same_name(argument_of(line, directive), "On");
}

/// Returns whether the line is a directive of mod_useradmin, mod_auth_useradmin or mod_dbd.
bool is_own_directive(const ConfigLine& line) {
    constexpr std::string_view prefixes[] = {"UserAdmin", "AuthUserAdmin", "DBD"};
    return std::ranges::any_of(prefixes, [&](std::string_view prefix) {
        return is_same_name(line.words[0].substr(0, prefix.size()), prefix);
    });
}

constexpr std::string_view handlers[] = {"useradmin-better-auth", "useradmin-console",
                                         "useradmin-health", "useradmin-metrics",
                                         "useradmin-openapi"};

/// Returns the argument of SetHandler if it starts with "useradmin-", or an empty string.
std::string_view handler_of(const ConfigLine& line) {
    constexpr std::string_view prefix = "useradmin-";
    const std::string_view name = argument_of(line, "SetHandler");
    return is_same_name(name.substr(0, prefix.size()), prefix) ? name : std::string_view();
}

std::string location_text(const std::string& path) {
    return "<Location \"" + path + "\">";
}

/// Returns the port after the last colon, or the whole address if it has no colon.
std::string_view port_of(std::string_view address) {
    const std::size_t colon = address.rfind(':');
    return colon == address.npos ? address : address.substr(colon + 1);
}

/// Returns the possible identifiers of a module, such as "useradmin_module" for "mod_useradmin.c".
std::vector<std::string> module_identifiers(std::string name) {
    if (!name.ends_with(".c"))
        return {name};
    name.resize(name.size() - 2);
    name = name.substr(name.starts_with("mod_") ? 4 : 0) + "_module";
    return {name, "mpm_" + name};
}

/// Evaluates IfModule and IfDefine with the output of httpd -t, and IfFile with the file system.
/// Treats undefined conditions, and those of other sections, as true.
class Conditions {
  public:
    Conditions(const HttpdTest& test, const HttpdConfiguration& configuration)
        : test_(test), configuration_(configuration) {}

    /// Returns the outermost section with a false condition around the line, or nullptr.
    const ConfigSection* false_condition(const ConfigLine& line) const {
        const ConfigSection* found = nullptr;
        for (const ConfigSection* section = line.section.get(); section != nullptr;
             section = section->parent.get())
            if (!holds(line, *section))
                found = section;
        return found;
    }

    bool is_loaded(const std::string& name) const {
        return std::ranges::any_of(
            module_identifiers(name),
            [this](const std::string& identifier) { return has(test_.modules, identifier); });
    }

  private:
    /// Returns whether the module is loaded before the section. A module without LoadModule is
    /// compiled in or loaded by an argument of httpd.
    bool is_loaded_before(const ConfigSection& section, const std::string& name) const {
        const std::vector<std::string> identifiers = module_identifiers(name);
        const std::vector<ConfigLine>& lines = configuration_.lines();
        const auto load = std::ranges::find_if(lines, [&](const ConfigLine& line) {
            return has(identifiers, argument_of(line, "LoadModule"));
        });
        return is_loaded(name) &&
               (load == lines.end() ||
                static_cast<std::size_t>(load - lines.begin()) < section.lines_before);
    }

    static bool has(const std::vector<std::string>& names, std::string_view name) {
        return std::ranges::find(names, name) != names.end();
    }

    bool holds(const ConfigLine& line, const ConfigSection& section) const {
        if (section.arguments.empty() || is_undefined(line, section.arguments[0]))
            return true;
        const bool is_negated = section.arguments[0].starts_with('!');
        const std::string name = section.arguments[0].substr(is_negated ? 1 : 0);
        if (is_same_name(section.name, "IfModule"))
            return is_loaded_before(section, name) != is_negated;
        if (is_same_name(section.name, "IfDefine"))
            return has(test_.defines, name) != is_negated ||
                   (is_negated && is_defined_first_in(section, name));
        if (is_same_name(section.name, "IfFile")) {
            std::error_code ignored;
            return std::filesystem::exists(
                       std::filesystem::path(configuration_.server_root()) / name, ignored) !=
                   is_negated;
        }
        return true;
    }

    /// Returns whether the first Define of the variable is in the section. The variables from httpd
    /// are those at the end of the configuration.
    bool is_defined_first_in(const ConfigSection& section, const std::string& name) const {
        const auto first =
            std::ranges::find_if(configuration_.lines(), [&](const ConfigLine& line) {
                return argument_of(line, "Define") == name;
            });
        const ConfigSection* around =
            first != configuration_.lines().end() ? first->section.get() : nullptr;
        while (around != nullptr && around != &section)
            around = around->parent.get();
        return around != nullptr;
    }

    const HttpdTest& test_;
    const HttpdConfiguration& configuration_;
};

/// A Location with UserAdmin On.
struct Service {
    std::string path;
    const ConfigSection* host;
    std::string file;
    /// Whether the Location is in a macro. Any virtual host may use the macro.
    bool is_in_macro;
};

/// Returns whether a <Location> without wildcards matches a path. As in httpd, one that ends with a
/// slash does not match the path without it.
bool is_in_location(std::string_view path, std::string_view location) {
    return path.starts_with(location) &&
           (location.ends_with('/') || path == location || path[location.size()] == '/');
}

/// How a line relates to a service. Later enumerators take precedence.
enum class Scope { elsewhere, server, host, location, host_location, unknown };

Scope scope_of_section(const ConfigSection& section, const Service& service) {
    constexpr std::string_view undecided[] = {
        "LocationMatch", "If",         "ElseIf",     "Else",        "Limit",
        "LimitExcept",   "RequireAll", "RequireAny", "RequireNone", "Macro"};
    const auto is_one_of = [&](const auto& names) {
        return std::ranges::any_of(
            names, [&](std::string_view name) { return is_same_name(section.name, name); });
    };
    if (is_condition(section))
        return Scope::server;
    if (is_same_name(section.name, "VirtualHost"))
        // A Location of the main server also applies to each virtual host.
        return &section == service.host                         ? Scope::host
               : service.is_in_macro || service.host == nullptr ? Scope::unknown
                                                                : Scope::elsewhere;
    if (is_one_of(undecided))
        return Scope::unknown;
    if (!is_same_name(section.name, "Location") || section.arguments.empty())
        return Scope::elsewhere;
    if (section.arguments.size() > 1 ||
        section.arguments[0].find_first_of("~*?[") != std::string::npos)
        return Scope::unknown;
    return is_in_location(service.path, section.arguments[0]) ? Scope::location : Scope::elsewhere;
}

Scope scope_of(const ConfigLine& line, const Service& service) {
    Scope scope = Scope::server;
    for (const ConfigSection* section = line.section.get(); section != nullptr;
         section = section->parent.get()) {
        const Scope own = scope_of_section(*section, service);
        if (own == Scope::elsewhere)
            return own;
        scope = std::max(scope, own);
    }
    // httpd applies the main server's Locations first.
    const bool is_in_host = enclosing(line, "VirtualHost") != nullptr;
    return scope == Scope::location && is_in_host ? Scope::host_location : scope;
}

/// Checks a configuration that httpd accepted.
class ConfigurationExaminer {
  public:
    ConfigurationExaminer(const HttpdConfiguration& configuration, const HttpdTest& test,
                          Findings& findings)
        : configuration_(configuration), conditions_(test, configuration), findings_(findings) {}

    std::vector<ConfigLine> examine() {
        for (const ConfigLine& line : configuration_.lines())
            if (const ConfigSection* condition = conditions_.false_condition(line);
                condition == nullptr)
                lines_.push_back(line);
            else if (is_own_directive(line))
                report_hidden(line, *condition);
        std::vector<Service> services;
        for (const ConfigLine& line : lines_)
            if (is_on(line, "UserAdmin"))
                if (const ConfigSection* location = enclosing(line, "Location");
                    location != nullptr && !location->arguments.empty())
                    services.push_back({location->arguments[0], enclosing(line, "VirtualHost"),
                                        line.file, enclosing(line, "Macro") != nullptr});
        for (const Service& service : services)
            check_service(service);
        check_paths(services);
        for (const ConfigLine& line : lines_) {
            check_handler(line);
            check_slash(line);
        }
        if (!is_used_)
            check_use();
        return std::move(lines_);
    }

  private:
    void problem(std::string text) { findings_.problems.push_back(std::move(text)); }

    /// Reports a directive that httpd ignores because of a false condition. Reports each condition
    /// once.
    void report_hidden(const ConfigLine& line, const ConfigSection& condition) {
        const std::string& name = condition.arguments[0];
        const std::string text = line.file + ": httpd ignores " + line.words[0] +
                                 " and the lines around it because <" + condition.name + " " +
                                 name + "> is false";
        if (!reported_.insert(condition.name + name).second)
            return;
        if (!is_same_name(condition.name, "IfModule") || name.starts_with('!')) {
            findings_.notes.push_back(text);
            return;
        }
        std::string stem = name;
        for (const std::string_view end : {"_module", ".c"})
            if (stem.ends_with(end))
                stem.resize(stem.size() - end.size());
        if (stem.starts_with("mod_"))
            stem.erase(0, 4);
        problem(text + (conditions_.is_loaded(name)
                            ? ": the module is loaded later; move its LoadModule before <IfModule>"
                            : ": the module is not loaded; run 'a2enmod " + stem +
                                  "' (Debian, Ubuntu), or load it with LoadModule"));
        is_used_ = true; // do not also report that the service is off
    }

    /// Reports that no service is enabled, unless the configuration uses the modules for something
    /// else and has no Location at the service's usual path.
    void check_use() {
        const auto has_usual_path = [](const ConfigLine& line) {
            const ConfigSection* const location = enclosing(line, "Location");
            return location != nullptr && !location->arguments.empty() &&
                   (location->arguments[0] == usual_path ||
                    location->arguments[0] == std::string(usual_path) + "/");
        };
        const auto uses_module = [](const ConfigLine& line) {
            const std::string& name = line.words[0];
            return is_on(line, "AuthUserAdmin") || is_on(line, "AuthUserAdminSignIn") ||
                   ((is_same_name(name, "AuthBasicProvider") ||
                     is_same_name(name, "AuthFormProvider")) &&
                    std::ranges::find(line.words, "useradmin") != line.words.end());
        };
        if (std::ranges::none_of(lines_, uses_module) ||
            std::ranges::any_of(lines_, has_usual_path))
            problem(configuration_.name() + ": the service is not enabled; add UserAdmin On to " +
                    location_text(std::string(usual_path)));
    }

    void check_handler(const ConfigLine& line) {
        const std::string name(handler_of(line));
        if (name.empty() || is_undefined(line, name) ||
            std::ranges::find(handlers, name) != std::end(handlers))
            return;
        std::string names;
        for (const std::string_view each : handlers)
            names.append(names.empty() ? "" : ", ").append(each);
        problem(line.file + ": SetHandler names the unknown handler " + name +
                ", so its requests get 404; the handlers are " + names);
    }

    void check_slash(const ConfigLine& line) {
        const ConfigSection* const location = enclosing(line, "Location");
        if (location == nullptr || location->arguments.size() != 1 ||
            location->arguments[0].find_first_of("/~*?[") == 0 ||
            location->arguments[0].find("://") != std::string::npos ||
            is_undefined(line, location->arguments[0]) ||
            (!is_own_directive(line) && handler_of(line).empty()) ||
            !locations_without_slash_.insert(location).second)
            return;
        problem(line.file + ": " + location_text(location->arguments[0]) +
                " matches no request because paths start with a slash; use " +
                location_text("/" + location->arguments[0]));
    }

    void check_service(const Service& service) {
        is_used_ = true;
        check_caller(service);
        check_access(service);
        check_port(service);
        check_database(service);
    }

    /// Reports a service whose path looks like a misspelling of the usual path, unless another
    /// service has the usual path.
    void check_paths(const std::vector<Service>& services) {
        if (std::ranges::find(services, usual_path, &Service::path) != services.end())
            return;
        for (const Service& service : services)
            if (edit_distance(service.path, usual_path) == 1)
                problem(service.file + ": the service is at " + service.path +
                        ", so requests to the usual URL get 404; use " +
                        location_text(std::string(usual_path)));
    }

    /// Returns the line of the directive that applies to the service, or nullptr. Ignores lines in
    /// sections that may or may not apply.
    const ConfigLine* effective(std::string_view directive, const Service& service) const {
        const ConfigLine* found = nullptr;
        Scope scope = Scope::server;
        for (const ConfigLine& line : lines_)
            if (is_same_name(line.words[0], directive))
                if (const Scope own = scope_of(line, service);
                    own >= scope && own != Scope::unknown) {
                    found = &line;
                    scope = own;
                }
        return found;
    }

    /// Returns whether the directive is in a section that may apply to the service, with this
    /// argument unless that is empty.
    bool may_have(std::string_view directive, const Service& service,
                  std::string_view argument = {}) const {
        return std::ranges::any_of(
            lines_,
            [&](const ConfigLine& line) {
                return is_same_name(line.words[0], directive) &&
                       scope_of(line, service) == Scope::unknown &&
                       (argument.empty() || is_same_name(argument_of(line, directive), argument));
            });
    }

    void check_caller(const Service& service) {
        const ConfigLine* const enabled = effective("AuthUserAdmin", service);
        if ((enabled != nullptr && is_on(*enabled, "AuthUserAdmin")) ||
            effective("UserAdminSession", service) != nullptr ||
            may_have("AuthUserAdmin", service, "On") || may_have("UserAdminSession", service))
            return;
        problem(service.file + ": nothing authenticates the callers of " +
                location_text(service.path) +
                ", so every request gets 401; add AuthUserAdmin On there, or UserAdminSession if "
                "another module authenticates the callers");
    }

    void check_access(const Service& service) {
        const ConfigLine* const last = effective("Require", service);
        if (last == nullptr || last->words.size() != 3 || !is_same_name(last->words[1], "all") ||
            !is_same_name(last->words[2], "denied") || may_have("Require", service))
            return;
        // Another Require in the same section may admit callers.
        const auto requires_in_section = std::ranges::count_if(lines_, [&](const ConfigLine& line) {
            return is_same_name(line.words[0], "Require") && line.section == last->section;
        });
        if (requires_in_section == 1)
            problem(last->file + ": Require all denied applies to " + location_text(service.path) +
                    ", so every request gets 403; add Require all granted there; the service "
                    "checks its callers itself");
    }

    void check_port(const Service& service) {
        if (service.host == nullptr)
            return;
        std::string ports;
        std::string lines;
        for (const std::string& address : service.host->arguments) {
            const std::string_view port = port_of(address);
            if (port.find_first_not_of("0123456789") != port.npos || port.size() == address.size())
                return; // any port
            if (std::ranges::any_of(lines_, [&](const ConfigLine& line) {
                    const std::string_view listen = argument_of(line, "Listen");
                    return port_of(listen) == port || is_undefined(line, listen);
                }))
                return;
            ports.append(ports.empty() ? "" : " or ").append(port);
            lines.append(lines.empty() ? "" : " and ").append("Listen ").append(port);
        }
        if (!ports.empty())
            problem(service.file + ": httpd does not listen on port " + ports +
                    ", which the <VirtualHost> of " + location_text(service.path) + " uses; add " +
                    lines);
    }

    void check_database(const Service& service) {
        for (const char* const directive : {"DBDriver", "DBDParams"})
            if (effective(directive, service) == nullptr && !may_have(directive, service))
                return problem(service.file + ": no " + directive + " applies to " +
                               location_text(service.path) +
                               ", so every request gets 503; add it to the <VirtualHost> of "
                               "this Location, or outside any <VirtualHost>");
    }

    static constexpr std::string_view usual_path = "/api/users";

    const HttpdConfiguration& configuration_;
    Conditions conditions_;
    Findings& findings_;
    std::vector<ConfigLine> lines_;
    std::set<std::string> reported_;
    std::set<const ConfigSection*> locations_without_slash_;
    bool is_used_ = false;
};

} // namespace

CheckedConfiguration check_configuration(const CommandSettings& settings, apr_pool_t* pool,
                                         Findings& findings) {
    const HttpdConfiguration& given = settings.httpd;
    if (given.name().empty())
        return {};
    const std::optional<HttpdConfiguration> installed = default_configuration_with(given.name());
    const HttpdConfiguration& whole = installed ? *installed : given;
    CheckedConfiguration checked;
    checked.lines = whole.lines();
    checked.server_root = whole.server_root();
    if (!installed && !given.has("LoadModule")) {
        findings.unchecked.push_back(
            "httpd: " + given.name() + " is only part of a configuration, and " +
            default_configuration_file() +
            " does not include it; use --config with a complete configuration");
        return checked;
    }
    const HttpdTest test = test_with_httpd(whole.name(), pool);
    if (!test.failure.empty()) {
        findings.unchecked.push_back("httpd: " + test.failure);
        return checked;
    }
    if (test.needs_other_account) {
        findings.unchecked.emplace_back(
            "testing the configuration (httpd -t) and reading the secret require the account that "
            "starts httpd, usually root");
        checked.needs_other_account = true;
        return checked;
    }
    if (!test.error.empty()) {
        findings.problems.push_back("httpd rejects " + whole.name() + ": " + test.error);
        return checked;
    }
    findings.notes.insert(findings.notes.end(), test.warnings.begin(), test.warnings.end());
    checked.is_accepted = true;
    checked.child_account = test.child_account;
    checked.lines = ConfigurationExaminer(whole, test, findings).examine();
    return checked;
}

} // namespace useradmin::ctl
