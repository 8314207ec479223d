#include "ctl/config/httpd_configuration.hpp"

#include "ctl/command_error.hpp"
#include "text/unicode.hpp"

#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <system_error>

namespace useradmin::ctl {

namespace {

constexpr std::string_view white_space = " \t\r";

/// Removes and returns the first word. The line must not be empty or start with white space.
std::string take_word(std::string_view& line) {
    const char quote = line[0] == '"' || line[0] == '\'' ? line[0] : '\0';
    std::string word;
    std::size_t at = quote != '\0' ? 1 : 0;
    for (; at < line.size(); ++at) {
        if (line[at] == '\\' && at + 1 < line.size() &&
            (line[at + 1] == '\\' || (quote != '\0' && line[at + 1] == quote)))
            ++at;
        else if (quote != '\0' ? line[at] == quote : white_space.find(line[at]) != line.npos)
            break;
        word += line[at];
    }
    line.remove_prefix(std::min(at + 1, line.size()));
    return word;
}

/// Reads a line and its continuation lines. Returns false at the end of the file.
bool read_line(std::istream& stream, std::string& line) {
    line.clear();
    bool was_read = false;
    for (std::string part; std::getline(stream, part);) {
        was_read = true;
        if (part.ends_with('\r'))
            part.pop_back();
        line += part;
        if (!line.ends_with('\\'))
            break;
        line.pop_back();
    }
    return was_read;
}

/// Returns the files that match a pattern, in httpd's order.
std::vector<std::string> matches_of(const std::string& pattern) {
    glob_t found{};
    std::vector<std::string> names;
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
        names.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    globfree(&found);
    return names;
}

/// Reads files with their includes, as httpd does.
class Loader {
  public:
    Loader(std::string& server_root, std::vector<ConfigLine>& lines)
        : server_root_(server_root), lines_(lines) {}

    void read(const std::string& file, bool must_exist = true) {
        std::error_code ignored;
        if (file == "/dev/null" ||
            (!must_exist && !std::filesystem::exists(file, ignored) && !ignored))
            return;
        const std::string real = std::filesystem::weakly_canonical(file, ignored).string();
        if (std::ranges::find(open_, real) != open_.end())
            reject(file + " includes itself");
        // httpd's AP_MAX_INCLUDE_DEPTH.
        constexpr std::size_t max_depth = 128;
        constexpr int max_files = 4096;
        if (open_.size() > max_depth || ++files_ > max_files)
            reject("the Include directives are nested too deeply or include too many files; the "
                   "last one is " +
                   file);
        // Reading a special file may block.
        if (!std::filesystem::is_regular_file(file, ignored))
            reject("cannot read " + file + ": " +
                   (ignored ? ignored.message() : "not a regular file"));
        std::ifstream stream(file);
        if (!stream.is_open())
            reject("cannot read " + file + ": " + std::generic_category().message(errno));
        if ((bytes_ += std::filesystem::file_size(file, ignored)) > max_bytes)
            reject("the configuration is larger than " + std::to_string(max_bytes) + " bytes");
        open_.push_back(real);
        for (std::string line; read_line(stream, line);)
            take(file, with_variables(line));
        open_.pop_back();
    }

  private:
    static constexpr std::uintmax_t max_bytes = 16 << 20;

    [[noreturn]] static void reject(const std::string& why) {
        throw UsageError(why + "; use --config with an httpd configuration file that this "
                               "account may read, together with the files it includes");
    }

    void take(const std::string& file, const std::string& text) {
        std::vector<std::string> words = words_of(text);
        if (words.empty() || words[0].starts_with('#'))
            return;
        if (words[0].starts_with('<'))
            return enter_or_leave_section(text);
        if (words.size() > 1) {
            if (text::equals_ignoring_case(words[0], "ServerRoot"))
                set_server_root(words[1]);
            else if (text::equals_ignoring_case(words[0], "Define"))
                define(words[1], value_of({file, words, section_}));
            else if (text::equals_ignoring_case(words[0], "UnDefine"))
                undefine(words[1]);
            else if (text::equals_ignoring_case(words[0], "Include"))
                include(words[1], file, /* must_exist */ true);
            else if (text::equals_ignoring_case(words[0], "IncludeOptional"))
                include(words[1], file, /* must_exist */ false);
        }
        lines_.push_back({file, std::move(words), section_});
    }

    void enter_or_leave_section(std::string_view text) {
        text = text.substr(text.find('<') + 1);
        if (text.starts_with('/')) {
            if (section_)
                section_ = section_->parent;
            return;
        }
        std::vector<std::string> words = words_of(text.substr(0, text.rfind('>')));
        if (words.empty())
            return;
        std::string name = std::move(words[0]);
        words.erase(words.begin());
        section_ = std::make_shared<ConfigSection>(
            ConfigSection{std::move(name), std::move(words), section_});
    }

    /// Returns whether the current line applies unconditionally: it is outside conditional sections
    /// and macros.
    bool is_certain() const {
        return find_section(
                   section_.get(),
                   [](const ConfigSection& section) {
                       return is_condition(section) ||
                              text::equals_ignoring_case(section.name, "Macro");
                   }) == nullptr;
    }

    /// Conditions are not evaluated, so a different value in a condition is ambiguous.
    void set_server_root(const std::string& directory) {
        is_root_ambiguous_ = !is_certain() && (is_root_ambiguous_ || directory != server_root_);
        server_root_ = directory;
    }

    /// Returns the value that a Define sets. Returns std::nullopt if there is none, or if it is
    /// undefined (is_undefined()).
    static std::optional<std::string> value_of(const ConfigLine& define) {
        if (define.words.size() < 3 || is_undefined(define, define.words[2]))
            return std::nullopt;
        return define.words[2];
    }

    /// Conditions are not evaluated, so a variable with different definitions is ambiguous.
    void define(const std::string& name, const std::optional<std::string>& value) {
        if (is_certain())
            certain_variables_.insert(name);
        else if (is_unless_defined())
            return;
        const auto [at, is_new] = variables_.emplace(name, value);
        if (!is_new && at->second != value)
            at->second.reset();
    }

    void undefine(const std::string& name) {
        certain_variables_.erase(name);
        if (is_certain() || is_if_defined(name))
            variables_.erase(name);
        else if (const auto found = variables_.find(name); found != variables_.end())
            found->second.reset();
    }

    /// Returns whether <IfDefine NAME> is the only section around the current line.
    bool is_if_defined(const std::string& name) const {
        return section_ != nullptr && section_->parent == nullptr &&
               text::equals_ignoring_case(section_->name, "IfDefine") &&
               section_->arguments.size() == 1 && section_->arguments[0] == name;
    }

    /// Returns whether httpd ignores the current line, because it is in <IfDefine !NAME> and the
    /// variable is defined.
    bool is_unless_defined() const {
        return find_section(
                   section_.get(),
                   [this](const ConfigSection& section) {
                       return text::equals_ignoring_case(section.name, "IfDefine") &&
                              !section.arguments.empty() && section.arguments[0].starts_with('!') &&
                              certain_variables_.contains(section.arguments[0].substr(1));
                   }) != nullptr;
    }

    std::string with_variables(std::string_view line) const {
        std::string text;
        for (;;) {
            const std::size_t start = line.find("${");
            const std::size_t end = line.find('}', std::min(start, line.size()));
            if (end == line.npos)
                return text.append(line);
            const std::string name(line.substr(start + 2, end - start - 2));
            const auto found = variables_.find(name);
            text.append(line.substr(0, start));
            text += found != variables_.end() && found->second ? *found->second : "${" + name + "}";
            line.remove_prefix(end + 1);
        }
    }

    void include(const std::string& named, const std::string& by, bool must_exist) {
        must_exist = must_exist && is_certain();
        const std::string path = named.starts_with('/') ? named : server_root_ + "/" + named;
        if (path.find("${") != path.npos)
            reject(by + " includes " + named +
                   ", which contains an undefined or ambiguous variable");
        if (is_root_ambiguous_ && !named.starts_with('/'))
            reject(by + " includes " + named +
                   ", a relative path, but ServerRoot is set inside a condition such as "
                   "<IfModule>");
        const std::vector<std::string> found = matches_of(path);
        if (found.empty() && must_exist)
            reject(by + " includes " + path + ", which does not exist");
        for (const std::string& name : found)
            read_all(name, must_exist);
    }

    /// Reads a file, or all files below a directory, in httpd's order.
    void read_all(const std::string& name, bool must_exist) {
        std::error_code ignored;
        if (!std::filesystem::is_directory(name, ignored))
            return read(name, must_exist);
        std::vector<std::filesystem::path> files;
        using std::filesystem::directory_options;
        const auto options =
            directory_options::follow_directory_symlink | directory_options::skip_permission_denied;
        std::error_code problem;
        std::filesystem::recursive_directory_iterator entry(name, options, problem);
        for (; !problem && entry != end(entry); entry.increment(problem))
            if (!entry->is_directory(ignored))
                files.push_back(entry->path());
        if (problem)
            reject("cannot read " + name + ": " + problem.message());
        std::ranges::sort(files);
        for (const std::filesystem::path& file : files)
            read(file.string(), must_exist);
    }

    std::string& server_root_;
    bool is_root_ambiguous_ = false;
    std::vector<ConfigLine>& lines_;
    std::shared_ptr<const ConfigSection> section_;
    /// The variables set by Define. std::nullopt if the value is missing or ambiguous.
    std::map<std::string, std::optional<std::string>> variables_;
    /// The variables that are defined regardless of conditions.
    std::set<std::string> certain_variables_;
    /// The files being read, each included by the previous one.
    std::vector<std::string> open_;
    int files_ = 0;
    std::uintmax_t bytes_ = 0;
};

} // namespace

std::vector<std::string> words_of(std::string_view line) {
    std::vector<std::string> words;
    for (;;) {
        line.remove_prefix(std::min(line.find_first_not_of(white_space), line.size()));
        if (line.empty())
            return words;
        words.push_back(take_word(line));
    }
}

bool is_condition(const ConfigSection& section) noexcept {
    constexpr std::string_view names[] = {"IfModule",  "IfDefine",    "IfFile",
                                          "IfVersion", "IfDirective", "IfSection"};
    return std::ranges::any_of(names, [&](std::string_view name) {
        return text::equals_ignoring_case(section.name, name);
    });
}

std::string_view argument_of(const ConfigLine& line, std::string_view directive) {
    const bool has_argument =
        text::equals_ignoring_case(line.words[0], directive) && line.words.size() > 1;
    return has_argument ? std::string_view(line.words[1]) : std::string_view();
}

const ConfigSection* enclosing(const ConfigLine& line, std::string_view name) {
    return find_section(
        line.section.get(),
        [&](const ConfigSection& section) {
            return text::equals_ignoring_case(section.name, name);
        });
}

bool is_undefined(const ConfigLine& line, std::string_view word) {
    const auto has = [&](std::string_view part) { return word.find(part) != word.npos; };
    const ConfigSection* const macro = enclosing(line, "Macro");
    // The first argument is the macro's name.
    return has("${") || (macro != nullptr && !macro->arguments.empty() &&
                         std::any_of(macro->arguments.begin() + 1, macro->arguments.end(), has));
}

HttpdConfiguration::HttpdConfiguration(std::string_view file)
    : name_(file), server_root_(default_server_root()) {
    Loader(server_root_, lines_).read(name_);
}

std::optional<std::vector<std::string>> HttpdConfiguration::find(std::string_view directive,
                                                                 std::string_view option) const {
    const std::string remedy = "use --" + std::string(option);
    require_defined(directive, remedy);
    const ConfigLine* found = nullptr;
    for (const ConfigLine& line : lines_) {
        if (!text::equals_ignoring_case(line.words[0], directive))
            continue;
        if (found != nullptr && !std::equal(found->words.begin() + 1, found->words.end(),
                                            line.words.begin() + 1, line.words.end()))
            throw UsageError(line.file + ": " + std::string(directive) +
                             (found->file == line.file ? " has different values in different places"
                                                       : " differs from that in " + found->file) +
                             "; " + remedy);
        found = &line;
    }
    if (found == nullptr)
        return std::nullopt;
    return std::vector<std::string>(found->words.begin() + 1, found->words.end());
}

bool HttpdConfiguration::has(std::string_view directive,
                             std::optional<std::string_view> argument) const {
    return std::ranges::any_of(
        lines_,
        [&](const ConfigLine& line) {
            return text::equals_ignoring_case(line.words[0], directive) &&
                   (!argument || std::any_of(
                                     line.words.begin() + 1, line.words.end(),
                                     [&](const std::string& word) {
                                         return text::equals_ignoring_case(word, *argument);
                                     }));
        });
}

const ConfigLine* HttpdConfiguration::find_undefined(std::string_view directive) const {
    const auto found = std::ranges::find_if(lines_, [&](const ConfigLine& line) {
        return text::equals_ignoring_case(line.words[0], directive) &&
               std::ranges::any_of(
                   line.words, [&](const std::string& word) { return is_undefined(line, word); });
    });
    return found != lines_.end() ? &*found : nullptr;
}

void HttpdConfiguration::require_defined(std::string_view directive,
                                         std::string_view remedy) const {
    if (const ConfigLine* const line = find_undefined(directive))
        throw UsageError(line->file + ": " + std::string(directive) +
                         " contains an undefined or ambiguous variable or a macro parameter; " +
                         std::string(remedy));
}

std::vector<std::string> HttpdConfiguration::arguments(std::string_view directive) const {
    std::vector<std::string> all;
    for (const ConfigLine& line : lines_)
        if (text::equals_ignoring_case(line.words[0], directive))
            all.insert(all.end(), line.words.begin() + 1, line.words.end());
    return all;
}

} // namespace useradmin::ctl
