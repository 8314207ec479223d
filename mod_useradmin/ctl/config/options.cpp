#include "ctl/config/options.hpp"

#include "ctl/command_error.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace useradmin::ctl {

namespace {

constexpr Option all_options[] = {
    {"config", "FILE",
     "reads what the options do not say from this httpd configuration file; default: the "
     "environment variable USERADMINCTL_CONFIG"},
    {"driver", "pgsql|sqlite3", "the database's driver, as in DBDriver"},
    {"params", "TEXT", "the connection's parameters, as in DBDParams"},
    {"tables", "\"USER SESSION ACCOUNT\"", "the tables' names, as UserAdminTables has them"},
    {"audit-log", "FILE",
     "the audit log, as in UserAdminAuditLog: a file, \"FILE "
     "required\", or none"},
    {"json", "", "prints one JSON document instead of text"},
    {"help", "", "shows this; after a command, that command alone"},
    {"version", "", "prints the version"},
    {"email", "ADDRESS", "the user's address"},
    {"name", "NAME", "the name of the user, or of the key"},
    {"role", "ROLE", "user, admin or superAdmin"},
    {"hash", "argon2id|scrypt", "how passwords are hashed, as in UserAdminPasswordHash"},
    {"account-id", "email|user-id",
     "what an account has as its accountId, as in UserAdminAccountId"},
    {"email-case", "keep|lower", "how addresses are stored, as in UserAdminEmailCase"},
    {"email-change", "keep|unverify",
     "whether a changed address stays verified, as in UserAdminEmailChange"},
    {"protected-email", "ADDRESS",
     "the address that cannot be deleted, as in UserAdminProtectedEmail"},
    {"search", "TEXT", "text in the name or the address, ignoring case"},
    {"page", "N", "the page; default: 1"},
    {"limit", "N", "users on a page; default: 20"},
    {"keep-sessions", "", "does not end the user's sessions"},
    {"reason", "TEXT", "the reason of the ban"},
    {"expires", "DATE|30m|12h|7d|2w", "when the ban or the key ends; default: never"},
    {"secret", "file:PATH|env:NAME", "where the secret is that signs the token"},
    {"for", "30m|12h|7d|2w", "how long the session lasts; default: 7d"},
    {"all", "", "all sessions of the user"},
    {"permissions", "JSON", "what the key is for, as in the plugin: '{\"files\":[\"read\"]}'"},
    {"remaining", "N", "how many requests the key is good for; default: any number"},
    {"rate", "N",
     "how many requests the key is good for in the time of --per; default: any number"},
    {"per", "30m|12h|7d|2w", "the time of --rate; default: 1d"},
    {"api-keys", "", "creates the table of API keys, if no application has created it"},
    {"scale", "",
     "adds the counts and indexes that make long lists quick, while the table is in use "
     "(PostgreSQL)"},
    {"no-scale", "", "removes them"},
    {"counts", "", "compares the counts of --scale with the users, and corrects them"},
    {"orphans", "", "counts the rows of deleted users in the tables of better-auth's plugins"},
    {"delete", "", "deletes these rows; asks before"},
    {"url", "http://HOST[:PORT]/PATH",
     "asks the running server at the base address of the service whether it replies as it should"},
    {"cookie", "file:PATH|env:NAME",
     "verifies the value of a session cookie of the application with the configured secret"},
    {"verbose", "", "prints what was found, and advice that is no problem"},
    {"anchor", "HASH", "a hash printed by an earlier verification; its line must exist"},
    {"format", "csv|ndjson", "the file format; default: by the extension, otherwise ndjson"},
    {"spreadsheet", "",
     "escapes the cells of CSV that a spreadsheet would run as formulas, with an apostrophe in "
     "front"},
    {"dry-run", "",
     "imports in a transaction that is rolled back, and lists the numbers of invalid lines"},
    {"on-conflict", "skip|update|fail", "the action if the user exists; default: fail"},
    {"yes", "", "skips confirmations and allows an import to leave no superAdmin"},
    {"force", "",
     "takes what is unusual: another role, a password of another length, a second set of tables"},
};

} // namespace

std::string Option::form() const {
    return "--" + std::string(name) + (value.empty() ? "" : " ") + std::string(value);
}

const Option* find_option(std::string_view name) noexcept {
    const auto* const found =
        std::find_if(std::begin(all_options), std::end(all_options),
                     [&](const Option& option) { return option.name == name; });
    return found != std::end(all_options) ? found : nullptr;
}

std::optional<std::string_view> Options::find(std::string_view name) const {
    const auto found = values.find(name);
    return found != values.end() ? std::optional<std::string_view>(found->second) : std::nullopt;
}

std::string_view Options::require(std::string_view name) const {
    const std::optional<std::string_view> value = find(name);
    if (!value || value->empty())
        throw CommandError(Exit::usage, "--" + std::string(name) + " needs a value");
    return *value;
}

std::int64_t Options::number(std::string_view name, std::int64_t most,
                             std::int64_t default_value) const {
    const std::optional<std::string_view> value = find(name);
    if (!value)
        return default_value;
    std::int64_t number = 0;
    const char* const end = value->data() + value->size();
    const auto [stop, error] = std::from_chars(value->data(), end, number);
    if (error != std::errc() || stop != end || number < 1 || number > most)
        throw CommandError(Exit::usage, "--" + std::string(name) +
                                            " must be a whole number from 1 to " +
                                            std::to_string(most));
    return number;
}

} // namespace useradmin::ctl
