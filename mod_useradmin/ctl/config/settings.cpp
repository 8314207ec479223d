#include "ctl/config/settings.hpp"

#include "api/service.hpp"
#include "crypto/source.hpp"
#include "ctl/command_error.hpp"
#include "ctl/display.hpp"
#include "store/dialect.hpp"
#include "store/schema.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <system_error>
#include <vector>

namespace useradmin::ctl {

namespace {

/// The words of a setting, and the option or directive that sets it.
struct Setting {
    std::string by;
    std::vector<std::string> words;
    /// The base of a relative path: ServerRoot, or empty for the working directory.
    std::string directory = {};
};

[[noreturn]] void reject_setting(const Setting& setting, std::string_view expected) {
    throw UsageError(setting.by + " must be " + std::string(expected));
}

/// Returns an absolute path, because httpd -f resolves relative paths against ServerRoot.
std::string absolute(std::string_view file) {
    return file.empty() ? std::string() : std::filesystem::absolute(file).string();
}

/// Returns the path of the configuration file to read, or an empty string. If options name the
/// database, the installed httpd's configuration is not read.
std::string configuration_of(const Options& options) {
    if (const auto file = options.find("config"))
        return absolute(*file);
    const char* const file = std::getenv("USERADMINCTL_CONFIG");
    if (file != nullptr && *file != '\0')
        return absolute(file);
    std::error_code ignored;
    std::string installed = default_configuration_file();
    const bool is_read = !options.has("driver") && !options.has("params") &&
                         std::filesystem::exists(installed, ignored);
    return is_read ? installed : std::string();
}

/// Reads a setting from its option or its directive.
class Reader {
  public:
    Reader(const Options& options, const HttpdConfiguration& file)
        : options_(options), file_(file) {}

    /// Returns a setting as words, or std::nullopt if it is not set.
    std::optional<Setting> words(std::string_view option, std::string_view directive) const {
        if (const auto value = options_.find(option))
            return Setting{"--" + std::string(option), words_of(*value)};
        if (auto found = file_.find(directive, option))
            return Setting{std::string(directive), std::move(*found), file_.server_root()};
        return std::nullopt;
    }

    /// Returns a setting as one string: the option's value, including spaces and quotes, or the
    /// directive's first argument. Returns an empty string if it is not set.
    std::string text(std::string_view option, std::string_view directive) const {
        if (const auto value = options_.find(option))
            return std::string(*value);
        const auto found = file_.find(directive, option);
        return found && !found->empty() ? found->front() : std::string();
    }

    /// Returns a required database setting. Throws CommandError if it is missing.
    std::string database(std::string_view option, std::string_view directive) const {
        std::string value = text(option, directive);
        if (value.empty() && !file_.name().empty())
            throw UsageError(std::string(directive) + " is not set in " + file_.name() +
                             " or the files it includes; specify the file that has it, or use --" +
                             std::string(option));
        if (value.empty())
            throw UsageError("specify the database: use --config FILE, or " +
                             find_option("driver")->usage() + " and " +
                             find_option("params")->usage() + "; without them, " +
                             default_configuration_file() + " is read if it exists");
        return value;
    }

    std::string secret() const {
        const auto option = options_.find("secret");
        if (option && !option->starts_with("file:") && !option->starts_with("env:"))
            throw UsageError("--secret must be file:PATH or env:NAME; the secret itself must not "
                             "be on the command line");
        return text("secret", "AuthUserAdminSecret");
    }

  private:
    const Options& options_;
    const HttpdConfiguration& file_;
};

/// Returns the first argument of a directive, or an empty string if the directive is absent or its
/// lines differ.
std::string common_argument(const HttpdConfiguration& file, std::string_view directive) {
    const std::vector<std::string> all = file.arguments(directive);
    const bool is_common =
        std::ranges::all_of(all, [&](const std::string& each) { return each == all[0]; });
    return is_common && !all.empty() ? all[0] : std::string();
}

/// Returns whether the setting is `second` rather than `first`, or std::nullopt if it is not set.
/// Throws CommandError for any other value.
std::optional<bool> choice(const std::optional<Setting>& setting, std::string_view first,
                           std::string_view second) {
    if (!setting)
        return std::nullopt;
    if (setting->words.size() != 1 || (setting->words[0] != first && setting->words[0] != second))
        reject_setting(*setting, "'" + std::string(first) + "' or '" + std::string(second) + "'");
    return setting->words[0] == second;
}

/// Returns the words as views, for the modules' own parsers.
std::vector<std::string_view> views_of(const Setting& setting) {
    return {setting.words.begin(), setting.words.end()};
}

std::optional<password::Format> format(const std::optional<Setting>& setting) {
    if (!setting)
        return std::nullopt;
    const auto parsed = password::parse_format(views_of(*setting));
    if (const auto* const expected = std::get_if<std::string>(&parsed))
        reject_setting(*setting, *expected);
    return std::get<password::Format>(parsed);
}

/// Returns the statements of DBDInitSQL. Throws UsageError if they are undefined or differ between
/// virtual hosts.
std::vector<std::string> init_statements(const HttpdConfiguration& file) {
    std::map<const ConfigSection*, std::vector<std::string>> by_host;
    for (const ConfigLine& line : file.lines())
        if (const std::string_view statement = argument_of(line, "DBDInitSQL"); !statement.empty())
            by_host[enclosing(line, "VirtualHost")].emplace_back(statement);
    const auto differs = [&](const auto& host) { return host.second != by_host.begin()->second; };
    if (file.find_undefined("DBDInitSQL") != nullptr || std::ranges::any_of(by_host, differs))
        throw UsageError(file.name() + ": DBDInitSQL contains an undefined or ambiguous variable "
                                       "or differs between virtual hosts; use --params");
    return by_host.empty() ? std::vector<std::string>() : by_host.begin()->second;
}

void read_tables(const std::optional<Setting>& setting, CommandSettings& settings) {
    if (!setting)
        return;
    const auto parsed = store::parse_table_names(views_of(*setting));
    if (const auto* const expected = std::get_if<std::string>(&parsed))
        reject_setting(*setting, *expected);
    const auto& names = std::get<store::TableNames>(parsed);
    settings.user_table = names.user;
    settings.session_table = names.session;
    settings.account_table = names.account;
}

bool names_secondary_storage(const ConfigLine& line) {
    const std::string_view storage = argument_of(line, "UserAdminSecondaryStorage");
    return !storage.empty() && !text::equals_ignoring_case(storage, "none");
}

/// Returns the path in the setting's first word, resolved against the setting's directory.
std::string path_of(const Setting& setting) {
    return (std::filesystem::path(setting.directory) / setting.words[0]).string();
}

void read_drain_file(const std::optional<Setting>& setting, CommandSettings& settings) {
    if (!setting)
        return;
    if (setting->words.size() != 1 || setting->words[0].empty())
        reject_setting(*setting, "the path of a file");
    settings.drain_file = std::filesystem::path(path_of(*setting)).lexically_normal().string();
    if (settings.drain_file.starts_with("/tmp/") || settings.drain_file.starts_with("/var/tmp/"))
        reject_setting(*setting, "outside /tmp and /var/tmp, because httpd may have its own "
                                 "directories of these names (systemd's PrivateTmp); use a file "
                                 "such as /run/useradmin-drain");
}

void read_audit_log(const std::optional<Setting>& setting, CommandSettings& settings) {
    if (!setting ||
        (setting->words.size() == 1 && text::equals_ignoring_case(setting->words[0], "none")))
        return;
    const bool is_required =
        setting->words.size() == 2 && text::equals_ignoring_case(setting->words[1], "required");
    if (setting->words.empty() || setting->words[0].empty() ||
        (setting->words.size() > 1 && !is_required))
        reject_setting(*setting, "a file, optionally followed by required (to reject changes that "
                                 "cannot be logged), or none");
    settings.audit_log = setting->words[0].starts_with('|') ? setting->words[0] : path_of(*setting);
    settings.is_audit_required = is_required;
}

/// Reads which features the configuration uses.
void read_features(const HttpdConfiguration& file, CommandSettings& settings) {
    settings.last_seen = common_argument(file, "UserAdminLastSeen");
    settings.cleans_up = file.has("UserAdminCleanUp", "On");
    settings.has_service = file.has("UserAdmin", "On");
    settings.has_sign_in = file.has("AuthUserAdminSignIn", "On");
    settings.has_secondary_storage = std::ranges::any_of(file.lines(), names_secondary_storage);
    // As in the service, a secondary storage implies UserAdminEndSessions.
    settings.ends_sessions =
        file.has("UserAdminEndSessions", "On") || settings.has_secondary_storage;
    settings.verifies_passwords = std::ranges::any_of(
        password_verifications, [&](const auto& use) { return file.has(use.first, use.second); });
    // AuthUserAdminSecondFactor defaults to verify.
    const bool verifies =
        !file.has("AuthUserAdminSecondFactor") || file.has("AuthUserAdminSecondFactor", "verify");
    settings.verifies_second_factors =
        settings.has_sign_in && file.has("AuthUserAdminSecret") && verifies;
    settings.requires_second_factors =
        settings.verifies_passwords &&
        (verifies || file.has("AuthUserAdminSecondFactor", "refuse"));
    settings.sends_mail = file.has("UserAdminMailCommand");
}

/// Returns the setting or, if it is empty, the environment variable or the default, as the service
/// does.
std::string protected_email(std::string setting) {
    if (!setting.empty())
        return setting;
    const char* const address = std::getenv(api::protected_email_variable);
    return address != nullptr && *address != '\0' ? address : api::default_protected_email;
}

} // namespace

CommandSettings read_settings(const Options& options,
                              std::span<const std::string_view> command_options, DatabaseUse use,
                              std::string_view command) {
    CommandSettings settings;
    settings.use = use;
    const auto takes = [&](std::string_view option) {
        return std::ranges::find(command_options, option) != command_options.end();
    };
    if (use == DatabaseUse::none && !takes("file"))
        return settings;
    if (const std::string name = configuration_of(options); !name.empty())
        settings.httpd = HttpdConfiguration(name);
    const HttpdConfiguration& file = settings.httpd;
    const Reader reader(options, file);
    if (takes("file"))
        read_drain_file(reader.words("file", "UserAdminDrainFile"), settings);
    if (use == DatabaseUse::none)
        return settings;
    settings.driver = reader.database("driver", "DBDriver");
    const store::Dialect* const dialect = store::find_dialect(settings.driver);
    // PostgreSQL's client library takes missing parameters from variables such as PGSERVICE.
    const bool may_be_empty =
        options.has("params") && dialect != nullptr && dialect->product().has_schemas;
    settings.parameters = may_be_empty ? std::string(*options.find("params"))
                                       : reader.database("params", "DBDParams");
    if (options.has("params") && dialect != nullptr && dialect->has_password(settings.parameters))
        print_error("--params contains a password, which other accounts can see; use --config, "
                    "PGPASSFILE or ~/.pgpass");
    if (!options.has("params"))
        settings.init_statements = init_statements(file);
    read_tables(reader.words("tables", "UserAdminTables"), settings);
    if (takes("hash"))
        settings.hash = format(reader.words("hash", "UserAdminPasswordHash"));
    if (takes("account-id"))
        settings.account_id_is_user_id =
            choice(reader.words("account-id", "UserAdminAccountId"), "email", "user-id");
    if (takes("email-case"))
        settings.lowers_email =
            choice(reader.words("email-case", "UserAdminEmailCase"), "keep", "lower");
    if (takes("email-change"))
        settings.unverifies_email =
            choice(reader.words("email-change", "UserAdminEmailChange"), "keep", "unverify");
    if (takes("secret")) {
        settings.secret_source = reader.secret();
        // A relative path in an option is relative to the working directory.
        settings.secret_directory = options.has("secret") ? "" : file.server_root();
    }
    if (takes("protected-email"))
        settings.protected_email =
            protected_email(reader.text("protected-email", "UserAdminProtectedEmail"));
    if (use == DatabaseUse::write)
        read_audit_log(reader.words("audit-log", "UserAdminAuditLog"), settings);
    if (use == DatabaseUse::write)
        for (const std::string directive : {"UserAdminCleanUp", "UserAdminEndSessions"}) {
            const char* const remedy =
                "use --config with a configuration that sets it to On or Off";
            file.require_defined(directive, remedy);
            if (file.has(directive, "On") && file.has(directive, "Off"))
                throw UsageError(file.name() + ": " + directive +
                                 " has different values in different places; " + remedy);
        }
    read_features(file, settings);
    const bool checks_plugins =
        command == "check" && (file.has("AuthUserAdminApiKey", "On") ||
                               file.has("UserAdminExtras", "On") || settings.verifies_passwords);
    settings.has_plugins = settings.cleans_up || settings.sends_mail || checks_plugins ||
                           command.starts_with("key ") || command.starts_with("second-factor ");
    return settings;
}

crypto::Secret secret_of(const CommandSettings& settings) {
    auto read = crypto::load_secret(settings.secret_source, settings.secret_directory);
    if (const auto* const problem = std::get_if<std::string>(&read))
        throw CommandError("the token cannot be signed: " + *problem +
                           "; use --secret file:PATH or --secret env:NAME, or "
                           "run the command as an account that may read it");
    return std::move(std::get<crypto::LoadedSecret>(read).secret);
}

} // namespace useradmin::ctl
