#include "ctl/config/options.hpp"

#include "ctl/command_error.hpp"
#include "text/number.hpp"

#include <algorithm>
#include <iterator>

namespace useradmin::ctl {

namespace {

constexpr Option all_options[] = {
    {"config", "FILE", "read settings from this httpd configuration; default: the installed one"},
    {"driver", "pgsql|sqlite3", "the database driver, as in DBDriver"},
    {"params", "TEXT", "the connection parameters, as in DBDParams"},
    {"tables", "\"USER SESSION ACCOUNT\"", "the table names, as in UserAdminTables"},
    {"audit-log", "FILE", "the audit log: FILE, \"FILE required\" or none"},
    {"json", "", "print one JSON document instead of text"},
    {"help", "", "describe the commands, or one command"},
    {"version", "", "print the version"},
    {"email", "ADDRESS", "the user's address"},
    {"name", "NAME", "the name of the user, or of the key"},
    {"role", "ROLE", "user, admin or superAdmin"},
    {"hash", "argon2id|scrypt", "the hash format, as in UserAdminPasswordHash"},
    {"account-id", "email|user-id", "the accountId, as in UserAdminAccountId"},
    {"email-case", "keep|lower", "how to store addresses, as in UserAdminEmailCase"},
    {"email-change", "keep|unverify", "whether a changed address stays verified"},
    {"protected-email", "ADDRESS", "the protected address, as in UserAdminProtectedEmail"},
    {"search", "TEXT", "words in the name or the address, ignoring case and accents"},
    {"banned", "", "only banned users; all other filters must match as well"},
    {"sort", "createdAt|updatedAt|name|email|lastSeen",
     "the sort key; default: createdAt, newest first"},
    {"page", "N", "the page; default: 1"},
    {"limit", "N", "users per page; default: 20"},
    {"keep-sessions", "", "do not end the user's sessions"},
    {"reason", "TEXT", "the reason for the ban"},
    {"expires", "DATE|30m|12h|7d|2w", "when the ban or the key expires; default: never"},
    {"secret", "file:PATH|env:NAME", "where to read the secret that signs the token"},
    {"for", "30m|12h|7d|2w", "how long the session lasts; default: 7d"},
    {"all", "", "all sessions of the user"},
    {"permissions", "JSON", "the permissions as JSON, such as '{\"files\":[\"read\"]}'"},
    {"remaining", "N", "the number of requests that the key allows; default: unlimited"},
    {"rate", "N", "requests allowed per period (--per); default: unlimited"},
    {"per", "30m|12h|7d|2w", "the period of --rate; default: 1d"},
    {"api-keys", "", "also create the table of API keys"},
    {"scale", "", "add counts and indexes for long lists (PostgreSQL)"},
    {"no-scale", "", "remove what --scale added"},
    {"url", "URL", "test the running server at the service's URL"},
    {"verbose", "", "print details and notes"},
    {"file", "FILE", "the file of UserAdminDrainFile, if several are configured"},
    {"print", "", "print the lines of all files, ordered by time"},
    {"anchor", "HASH[,HASH]", "hashes printed by an earlier verification; each must exist"},
    {"format", "csv|ndjson", "the format; default: from the file extension, otherwise ndjson"},
    {"spreadsheet", "", "escape CSV cells that a spreadsheet would evaluate"},
    {"dry-run", "", "list all invalid lines and import nothing"},
    {"on-conflict", "skip|update|fail", "the action if the user exists; default: fail"},
    {"yes", "", "skip confirmations; allow an import to leave no superAdmin"},
    {"force", "",
     "accept roles, hashes, passwords, files and table names that are otherwise rejected"},
};

} // namespace

std::string Option::usage() const {
    return "--" + std::string(name) + (value.empty() ? "" : " ") + std::string(value);
}

const Option* find_option(std::string_view name) noexcept {
    const auto* const found = std::ranges::find(all_options, name, &Option::name);
    return found != std::end(all_options) ? found : nullptr;
}

std::optional<std::string_view> Options::find(std::string_view name) const {
    const auto found = values.find(name);
    return found != values.end() ? std::optional<std::string_view>(found->second) : std::nullopt;
}

std::string_view Options::require(std::string_view name) const {
    const std::optional<std::string_view> value = find(name);
    if (!value || value->empty())
        throw UsageError("--" + std::string(name) + " requires a value");
    return *value;
}

std::int64_t Options::number(std::string_view name, std::int64_t max,
                             std::int64_t default_value) const {
    const std::optional<std::string_view> value = find(name);
    if (!value)
        return default_value;
    const auto number = text::parse_integer<std::int64_t>(*value, 1, max);
    if (!number)
        throw UsageError("--" + std::string(name) + " must be an integer from 1 to " +
                         std::to_string(max));
    return *number;
}

} // namespace useradmin::ctl
