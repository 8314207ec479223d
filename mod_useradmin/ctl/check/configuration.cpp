#include "ctl/check/checks.hpp"

#include "ctl/check/httpd_test.hpp"
#include "ctl/command_error.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
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

/// Returns whether an argument of <IfModule> is one of the module's two names.
bool names_module(std::string_view argument, const std::string& module) {
    return argument == module + "_module" || argument == "mod_" + module + ".c";
}

/// Returns whether the line is inside an <IfModule> that requires the module.
bool requires_module(const ConfigLine& line, const std::string& module) {
    return find_section(
               line.section.get(),
               [&](const ConfigSection& section) {
                   return text::equals_ignoring_case(section.name, "IfModule") &&
                          !section.arguments.empty() && names_module(section.arguments[0], module);
               }) != nullptr;
}

/// Reports directives that httpd ignores because they are inside <IfModule> and the module is not
/// loaded. Elsewhere, httpd rejects them, or another condition skips them intentionally.
void check_modules(const HttpdConfiguration& configuration, const HttpdTest& test,
                   Findings& findings) {
    // The list omits other directives that start with UserAdmin, because both modules define some
    // of them.
    constexpr std::pair<std::string_view, std::string_view> modules[] = {
        {"UserAdmin", "useradmin"},
        {"AuthUserAdmin", "auth_useradmin"},
        {"AuthUserAdminSignIn", "auth_useradmin"},
        {"DBDriver", "dbd"},
    };
    for (const auto& [directive, module] : modules) {
        const std::string name(module);
        if (std::ranges::find(test.modules, name + "_module") == test.modules.end() &&
            std::ranges::any_of(configuration.lines(),
                                [&, &wanted = directive](const ConfigLine& line) {
                                    return text::equals_ignoring_case(line.words[0], wanted) &&
                                           requires_module(line, name);
                                }))
            findings.problems.push_back(configuration.name() + ": httpd ignores " +
                                        std::string(directive) + " because mod_" + name +
                                        " is not loaded; load mod_" + name + " with LoadModule");
    }
}

/// Reports each <IfModule> that names no module because the name is misspelled.
void check_conditions(const HttpdConfiguration& configuration, Findings& findings) {
    std::set<const ConfigSection*> reported;
    for (const ConfigLine& line : configuration.lines())
        for (const ConfigSection* section = line.section.get(); section != nullptr;
             section = section->parent.get()) {
            if (!text::equals_ignoring_case(section->name, "IfModule") ||
                section->arguments.empty())
                continue;
            std::string_view name = section->arguments[0];
            name.remove_prefix(name.starts_with('!') ? 1 : 0);
            if (text::lower(name).find("useradmin") != std::string::npos &&
                !names_module(name, "useradmin") && !names_module(name, "auth_useradmin") &&
                reported.insert(section).second)
                findings.problems.push_back(
                    line.file + ": <IfModule " + section->arguments[0] +
                    "> names no module; use useradmin_module or auth_useradmin_module");
        }
}

/// Returns whether AuthUserAdmin is on in a Location whose path ends with /users, as the service's
/// usually does.
bool is_on_without_service(const ConfigLine& line) {
    const ConfigSection* const location = enclosing(line, "Location");
    return text::equals_ignoring_case(argument_of(line, "AuthUserAdmin"), "On") &&
           location != nullptr && !location->arguments.empty() &&
           location->arguments.back().ends_with("/users");
}

/// Reports that no service is enabled, unless the configuration uses mod_auth_useradmin alone.
void check_service(const HttpdConfiguration& configuration, Findings& findings) {
    const auto may_have = [&](const std::pair<std::string_view, std::string_view>& use) {
        return configuration.has(use.first, use.second) ||
               configuration.find_undefined(use.first) != nullptr;
    };
    const bool may_have_other_use =
        may_have({"AuthUserAdmin", "On"}) || std::ranges::any_of(password_verifications, may_have);
    if (!may_have({"UserAdmin", "On"}) &&
        (!may_have_other_use || std::ranges::any_of(configuration.lines(), is_on_without_service)))
        findings.problems.push_back(
            configuration.name() +
            ": the service is not enabled; add UserAdmin On to <Location \"/api/users\">");
}

} // namespace

std::optional<Account> check_configuration(const CommandSettings& settings, apr_pool_t* pool,
                                           Findings& findings) {
    const HttpdConfiguration& given = settings.httpd;
    if (given.name().empty())
        return std::nullopt;
    const std::optional<HttpdConfiguration> installed = default_configuration_with(given.name());
    const HttpdConfiguration& whole = installed ? *installed : given;
    if (!installed && !given.has("LoadModule")) {
        findings.unchecked.push_back(
            "httpd: " + given.name() + " is only part of a configuration, and " +
            default_configuration_file() +
            " does not include it; use --config with a complete configuration");
        return std::nullopt;
    }
    const HttpdTest test = test_with_httpd(whole.name(), pool);
    if (!test.failure.empty())
        findings.unchecked.push_back("httpd: " + test.failure);
    else if (test.needs_other_account)
        findings.unchecked.emplace_back("testing the configuration (httpd -t) requires the account "
                                        "that starts httpd, usually root");
    else if (!test.error.empty())
        findings.problems.push_back("httpd rejects " + whole.name() + ": " + test.error);
    else {
        // UA0311 warns of a secret in the configuration itself, which is safe without mod_info.
        for (const std::string& warning : test.warnings)
            (warning.starts_with("UA0311") ? findings.notes : findings.problems).push_back(warning);
        check_modules(whole, test, findings);
        check_conditions(whole, findings);
        check_service(whole, findings);
    }
    return test.child_account;
}

} // namespace useradmin::ctl
