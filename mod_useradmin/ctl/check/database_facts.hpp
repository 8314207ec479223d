// What check asks of the database: its version, its indexes, its rights, and counts of its rows.
#pragma once

#include "ctl/database.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace useradmin::ctl {

/// How many credential accounts have what as their accountId.
struct AccountIds {
    std::int64_t user_id = 0;
    std::int64_t email = 0;
    std::int64_t other = 0;

    std::int64_t total() const noexcept { return user_id + email + other; }
};

/// How many credential accounts have their password in which format.
struct PasswordFormats {
    std::int64_t argon2id = 0;
    std::int64_t scrypt = 0;
    std::int64_t bcrypt = 0;
    std::int64_t other = 0;
    std::int64_t none = 0;
};

/// Rows of the application's own, or of this service's. What may not be read is nothing.
struct RowCounts {
    std::int64_t users = 0;
    /// Users whose address has a capital letter.
    std::int64_t capital_emails = 0;
    std::optional<AccountIds> account_ids;
    std::optional<PasswordFormats> passwords;
};

struct Index {
    /// The first letter of its table: u, s or a.
    char table = '\0';
    bool is_unique = false;
    /// The columns, or the beginnings of expressions in lower case: "lower(", "coalesce(".
    std::vector<std::string> keys;
};

/// A right on a table that the database's account does not have.
struct MissingPrivilege {
    char table = '\0';
    std::string privilege;
    /// The column that it is wanted for; empty for the whole table.
    std::string column;
    std::string account;
};

struct DatabaseFacts {
    store::Schema schema;
    /// "15.9".
    std::string version;
    std::vector<Index> indexes;
    std::vector<MissingPrivilege> missing_privileges;
    /// Why the rows were not read, if the role is a superuser (Database::superuser_risk).
    std::optional<std::string> superuser_risk;
    /// Rows that look like this service's own are those with UUIDs, verified addresses, and the
    /// same creation time in user and account: better-auth takes the time twice. Nothing where
    /// these may not be read, or are not there.
    std::optional<RowCounts> own;
    std::optional<RowCounts> foreign;
    /// How many addresses stand there more than once but for capital letters, and whether the
    /// protected one stands there; nothing where they may not be read.
    std::optional<std::int64_t> ambiguous_emails;
    std::optional<store::Survey> addresses;
};

/// Looks at everything; a CommandError where the database does not answer. The settings are those
/// of the service whose rights are looked at.
DatabaseFacts collect_database_facts(Database& database, const CommandSettings& settings);

} // namespace useradmin::ctl
