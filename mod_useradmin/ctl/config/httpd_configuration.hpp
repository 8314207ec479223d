// Reads the directives of an httpd configuration.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::ctl {

/// The words of a line, without httpd's quotes around them.
std::vector<std::string> words_of(std::string_view line);

/// The folder that httpd takes relative paths from where its configuration has no ServerRoot: the
/// one that it was compiled with.
std::string_view default_server_root() noexcept;

/// A line of a configuration, with its variables put in.
struct ConfigLine {
    /// The file that it stands in.
    std::string file;
    std::vector<std::string> words;
};

/// The lines of a file, and of those that it includes. Sections and their conditions are not told
/// apart.
class HttpdConfiguration {
  public:
    /// Reads the file; a CommandError where that fails, or where one that it includes cannot be
    /// read.
    explicit HttpdConfiguration(std::string_view file);

    /// The arguments of the directive; nothing where it is nowhere. A CommandError that names the
    /// option to use instead where they hold a variable of which no Define gives the one value, or
    /// where the directive is there twice with different arguments.
    std::optional<std::vector<std::string>> find(std::string_view directive,
                                                 std::string_view option) const;
    /// Whether the directive is there with this argument.
    bool has(std::string_view directive, std::string_view argument) const;
    /// The file that was named.
    const std::string& name() const noexcept { return name_; }
    /// What relative paths start from.
    const std::string& server_root() const noexcept { return server_root_; }

  private:
    std::string name_;
    std::string server_root_;
    std::vector<ConfigLine> lines_;
};

} // namespace useradmin::ctl
