// Reads the directives of an httpd configuration.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::ctl {

/// Splits a line into words and removes httpd's quotes.
std::vector<std::string> words_of(std::string_view line);

/// Returns the compiled-in ServerRoot.
std::string_view default_server_root() noexcept;

/// A line of a configuration with its variables expanded.
struct ConfigLine {
    /// The file.
    std::string file;
    std::vector<std::string> words;
};

/// The lines of a file and its includes. Sections and conditions are ignored.
class HttpdConfiguration {
  public:
    /// Reads the file. Throws CommandError if it or an included file cannot be read.
    explicit HttpdConfiguration(std::string_view file);

    /// Returns the directive's arguments, or nothing if it is absent. Throws CommandError, naming
    /// the option to use instead, if a variable is ambiguous or the directive occurs with different
    /// arguments.
    std::optional<std::vector<std::string>> find(std::string_view directive,
                                                 std::string_view option) const;
    /// Returns whether the directive occurs with this argument, or at all.
    bool has(std::string_view directive, std::optional<std::string_view> argument = {}) const;
    /// Returns the name of the file.
    const std::string& name() const noexcept { return name_; }
    /// Returns the base of relative paths.
    const std::string& server_root() const noexcept { return server_root_; }

  private:
    std::string name_;
    std::string server_root_;
    std::vector<ConfigLine> lines_;
};

} // namespace useradmin::ctl
