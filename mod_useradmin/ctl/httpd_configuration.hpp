// Reads the directives of an httpd configuration file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::ctl {

/// The words of a line, without httpd's quotes around them.
std::vector<std::string> words_of(std::string_view line);

/// The lines of one file. Neither Include, nor sections and their conditions are followed.
class HttpdConfiguration {
  public:
    /// Reads the file; a CommandError where that fails.
    explicit HttpdConfiguration(std::string_view file);

    /// The arguments of the directive; nothing where the file does not have it. A CommandError that
    /// names the option to use instead where they hold a ${VARIABLE}, or where the file has the
    /// directive twice with different arguments.
    std::optional<std::vector<std::string>> find(std::string_view directive,
                                                 std::string_view option) const;
    /// Whether the file has the directive with this argument.
    bool says(std::string_view directive, std::string_view argument) const;
    const std::string& name() const noexcept { return name_; }

  private:
    std::string name_;
    std::vector<std::vector<std::string>> lines_;
};

} // namespace useradmin::ctl
