#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::ctl {

/// Splits a line into words and removes httpd's quotes.
std::vector<std::string> words_of(std::string_view line);

/// Returns APACHE_CONFDIR if it is set, as apachectl does, or the compiled-in ServerRoot.
std::string_view default_server_root() noexcept;

/// Returns the path of httpd's default configuration file in default_server_root().
std::string default_configuration_file();

/// A section, such as <Location "/api/users">.
struct ConfigSection {
    /// The name, such as "Location".
    std::string name;
    std::vector<std::string> arguments;
    /// The enclosing section, or nullptr.
    std::shared_ptr<const ConfigSection> parent;
};

/// Returns whether the section is a condition such as <IfModule> that httpd evaluates while it
/// reads the configuration.
bool is_condition(const ConfigSection& section) noexcept;

/// A line of a configuration with its variables expanded.
struct ConfigLine {
    std::string file;
    std::vector<std::string> words;
    /// The enclosing section, or nullptr.
    std::shared_ptr<const ConfigSection> section;
};

/// Returns the first argument of the directive. Empty if it has none, or if the line has another
/// directive.
std::string_view argument_of(const ConfigLine& line, std::string_view directive);

/// Returns the section, or the innermost section around it, that satisfies the predicate. Returns
/// nullptr if there is none.
template <class Predicate>
const ConfigSection* find_section(const ConfigSection* section, const Predicate& predicate) {
    while (section != nullptr && !predicate(*section))
        section = section->parent.get();
    return section;
}

/// Returns the innermost enclosing section with this name, or nullptr.
const ConfigSection* enclosing(const ConfigLine& line, std::string_view name);

/// Returns whether a word of the line contains an undefined or ambiguous variable, or a parameter
/// of the enclosing macro.
bool is_undefined(const ConfigLine& line, std::string_view word);

/// Holds the lines of a file and its includes. Conditions are not evaluated.
class HttpdConfiguration {
  public:
    /// Constructs an empty configuration that has no file.
    HttpdConfiguration() = default;
    /// Reads the file. Throws CommandError if it or an included file cannot be read.
    explicit HttpdConfiguration(std::string_view file);

    /// Returns the directive's arguments, or std::nullopt if the directive is absent. Throws
    /// CommandError if an argument is undefined (is_undefined()), or if the directive occurs with
    /// different arguments. option: the option that the error message suggests.
    std::optional<std::vector<std::string>> find(std::string_view directive,
                                                 std::string_view option) const;
    /// Returns whether the directive occurs, with this argument if one is given.
    bool has(std::string_view directive, std::optional<std::string_view> argument = {}) const;
    /// Returns the first line of the directive with an undefined argument (is_undefined()), or
    /// nullptr.
    const ConfigLine* find_undefined(std::string_view directive) const;
    /// Throws UsageError if an argument of the directive is undefined. remedy: the end of the
    /// message, such as "use --params".
    void require_defined(std::string_view directive, std::string_view remedy) const;
    /// Returns the arguments of all lines with the directive.
    std::vector<std::string> arguments(std::string_view directive) const;
    /// Returns all lines except those that begin or end a section.
    const std::vector<ConfigLine>& lines() const noexcept { return lines_; }
    /// Returns the name of the file. Empty if there is none.
    const std::string& name() const noexcept { return name_; }
    /// Returns ServerRoot, the base of relative paths. Empty if there is no file.
    const std::string& server_root() const noexcept { return server_root_; }

  private:
    std::string name_;
    std::string server_root_;
    std::vector<ConfigLine> lines_;
};

} // namespace useradmin::ctl
