#include "ctl/settings.hpp"

#include "ctl/command_error.hpp"
#include "ctl/httpd_configuration.hpp"
#include "secret/source.hpp"

#include <algorithm>
#include <vector>

namespace useradmin::ctl {

namespace {

/// What was said, and by which option or directive.
struct Said {
    std::string by;
    std::vector<std::string> words;
};

[[noreturn]] void refuse(const Said& said, std::string_view right) {
    throw CommandError(Exit::usage, said.by + " must be " + std::string(right));
}

/// Reads a setting from its option, or else from its directive.
class Reader {
  public:
    explicit Reader(const Options& options) : options_(options) {
        if (const auto file = options.find("config"))
            file_.emplace(*file);
    }

    /// A setting that may be several words.
    std::optional<Said> words(std::string_view option, std::string_view directive) const {
        if (const auto value = options_.find(option))
            return Said{"--" + std::string(option), words_of(*value)};
        if (file_)
            if (auto found = file_->find(directive, option))
                return Said{std::string(directive), std::move(*found)};
        return std::nullopt;
    }

    /// A setting that is one text, blanks and quotes included; empty where it is not said.
    std::string text(std::string_view option, std::string_view directive) const {
        if (const auto value = options_.find(option))
            return std::string(*value);
        if (file_)
            if (const auto found = file_->find(directive, option); found && !found->empty())
                return found->front();
        return {};
    }

    /// A setting that names the database; a CommandError where it is not said.
    std::string database(std::string_view option, std::string_view directive) const {
        std::string value = text(option, directive);
        if (value.empty() && file_)
            throw CommandError(Exit::usage,
                               "there is no " + std::string(directive) + " in " + file_->name() +
                                   "; name the file that has it, or say --" + std::string(option));
        if (value.empty())
            throw CommandError(Exit::usage, "name the database: say --config FILE, or --driver "
                                            "pgsql|sqlite3 and --params TEXT");
        return value;
    }

    std::string secret() const {
        const auto option = options_.find("secret");
        if (option && !option->starts_with("file:") && !option->starts_with("env:"))
            throw CommandError(Exit::usage, "--secret must be file:PATH or env:NAME; the secret "
                                            "itself does not belong on a command line");
        return text("secret", "AuthUserAdminSecret");
    }

    /// The folder that the source's path is relative to: the ServerRoot of the file that names it;
    /// empty for the current one.
    std::string secret_folder(std::string_view source) const {
        const bool is_relative = source.starts_with("file:") && !source.starts_with("file:/");
        if (!is_relative || !file_ || options_.has("secret"))
            return {};
        const auto root = file_->find("ServerRoot", "secret");
        return root && !root->empty() ? root->front() : std::string();
    }

    bool turns_service_on() const { return file_ && file_->says("UserAdmin", "On"); }

  private:
    const Options& options_;
    std::optional<HttpdConfiguration> file_;
};

/// A choice between two words; true for the second.
std::optional<bool> choice(const std::optional<Said>& said, std::string_view first,
                           std::string_view second) {
    if (!said)
        return std::nullopt;
    if (said->words.size() != 1 || (said->words[0] != first && said->words[0] != second))
        refuse(*said, "'" + std::string(first) + "' or '" + std::string(second) + "'");
    return said->words[0] == second;
}

std::optional<password::Format> format(const std::optional<Said>& said) {
    if (!said)
        return std::nullopt;
    const auto parsed = password::parse_format(
        std::vector<std::string_view>(said->words.begin(), said->words.end()));
    if (const auto* const right = std::get_if<std::string>(&parsed))
        refuse(*said, *right);
    return std::get<password::Format>(parsed);
}

void read_tables(const std::optional<Said>& said, Settings& settings) {
    if (!said)
        return;
    bool is_right = said->words.size() == 3;
    for (const std::string& name : said->words)
        is_right = is_right && !name.empty() && name.front() != '.' && name.back() != '.';
    if (!is_right)
        refuse(*said, "the names of three tables, each a table or schema.table: \"user session "
                      "account\"");
    settings.user_table = said->words[0];
    settings.session_table = said->words[1];
    settings.account_table = said->words[2];
}

} // namespace

Settings settings_of(const Options& options, std::span<const std::string_view> command_options) {
    const Reader reader(options);
    const auto takes = [&](std::string_view option) {
        return std::find(command_options.begin(), command_options.end(), option) !=
               command_options.end();
    };
    Settings settings;
    settings.driver = reader.database("driver", "DBDriver");
    settings.parameters = reader.database("params", "DBDParams");
    read_tables(reader.words("tables", "UserAdminTables"), settings);
    if (takes("hash"))
        settings.hash = format(reader.words("hash", "UserAdminPasswordHash"));
    if (takes("account-id"))
        settings.account_id_is_user_id =
            choice(reader.words("account-id", "UserAdminAccountId"), "email", "user-id");
    if (takes("email-case"))
        settings.lowers_email =
            choice(reader.words("email-case", "UserAdminEmailCase"), "keep", "lower");
    if (takes("secret")) {
        settings.secret_source = reader.secret();
        settings.secret_folder = reader.secret_folder(settings.secret_source);
    }
    settings.is_service = reader.turns_service_on();
    return settings;
}

secret::Secret secret_of(const Settings& settings) {
    auto read = secret::read_source(settings.secret_source, settings.secret_folder);
    if (const auto* const problem = std::get_if<std::string>(&read))
        throw CommandError(Exit::failure, "there is no secret to sign the token with: " + *problem +
                                              "; say --secret file:PATH or --secret env:NAME");
    return std::move(std::get<secret::SourcedSecret>(read).secret);
}

} // namespace useradmin::ctl
