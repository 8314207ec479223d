// The facts that useradminctl check reads from the database: version, indexes, privileges, and row
// counts.
#pragma once

#include "ctl/database.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::ctl {

/// The number of credential accounts by the content of accountId.
struct AccountIds {
    std::int64_t user_id = 0;
    std::int64_t email = 0;
    std::int64_t other = 0;
};

/// The number of credential accounts by password format.
struct PasswordFormats {
    std::int64_t argon2id = 0;
    std::int64_t scrypt = 0;
    std::int64_t bcrypt = 0;
    std::int64_t other = 0;
};

/// Counts of the rows created by this service (DatabaseFacts::own) or by the application
/// (DatabaseFacts::foreign). The optional members are empty if the database role cannot read the
/// columns.
struct RowCounts {
    std::int64_t users = 0;
    /// The number of users whose address contains a capital letter.
    std::int64_t capital_emails = 0;
    std::optional<AccountIds> account_ids;
    std::optional<PasswordFormats> passwords;
};

/// The number of users by the format of createdAt.
struct TimeFormats {
    std::int64_t text = 0;
    std::int64_t seconds = 0;
    std::int64_t milliseconds = 0;
};

struct Index {
    /// The first letter of the table: u, s or a.
    char table = '\0';
    bool is_unique = false;
    /// The column names. An expression with COALESCE is shortened to "coalesce(", and lower() of
    /// the address to "lower(". Other expressions are SQL.
    std::vector<std::string> keys;

    /// Returns whether the index makes the addresses unique in lower case.
    bool makes_lower_emails_unique() const {
        return table == 'u' && is_unique && keys.size() == 1 && keys[0] == "lower(";
    }
};

/// Returns the indexes of the user, session and account tables (Dialect::indexes_query()).
std::vector<Index> indexes_of(Database& database, const store::Schema& schema);

/// A privilege on a table or sequence that the database role lacks.
struct MissingPrivilege {
    char table = '\0';
    std::string privilege;
    /// The required column. Empty if the privilege is for the whole table.
    std::string column;
    std::string account;
    /// The sequence that an INSERT uses. Empty if the privilege is for the table.
    std::string sequence;
};

struct DatabaseFacts {
    store::Schema schema;
    /// The server's version, such as "15.9".
    std::string version;
    /// The encoding of the database, such as "UTF8".
    std::string encoding = "UTF8";
    std::vector<Index> indexes;
    std::vector<MissingPrivilege> missing_privileges;
    /// The missing privileges that sign-in with a second factor requires.
    std::vector<MissingPrivilege> missing_second_factor_privileges;
    /// Why the rows were not read: a superuser risk (Database::superuser_risk) or a missing
    /// privilege. Empty if they were read, or if the schema's problems say why not.
    std::optional<std::string> why_unread;
    /// Counts of the users that this service seems to have created, and of their credential
    /// accounts. Such an account has a UUID and the user's creation time. If times are in seconds,
    /// the user's address is also verified. A user without a credential account has a UUID. In rows
    /// created by better-auth, the times differ. Empty if the rows could not be read.
    std::optional<RowCounts> own;
    /// Counts of the application's rows. Empty if the rows could not be read.
    std::optional<RowCounts> foreign;
    /// Counts of users with UUIDs whose accounts have UUIDs but were created in another second. The
    /// service creates such an account if an imported user gets a password, and an application with
    /// UUIDs may create one, too.
    RowCounts undecided;
    /// Only for SQLite, whose column types do not determine the format.
    std::optional<TimeFormats> time_formats;
    /// The number of addresses that belong to more than one user if case is ignored. Empty if the
    /// addresses were not read.
    std::optional<std::int64_t> ambiguous_emails;
    /// Whether the protected address exists. Empty if the addresses were not read.
    std::optional<bool> has_protected_user;
};

/// Reads the facts. Throws CommandError if a query fails. The settings determine which privileges
/// are checked.
DatabaseFacts collect_database_facts(Database& database, const CommandSettings& settings);

} // namespace useradmin::ctl
