// Foreign keys of the application that reject the deletion of a user.
#pragma once

#include "store/dialect.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace useradmin::store {

/// A foreign key without ON DELETE CASCADE, SET NULL or SET DEFAULT.
struct ForeignKey {
    /// The letter of the table that it refers to: u, s or a.
    char referenced = 'u';
    /// The referring table as SQL.
    std::string table;
    /// The name of the constraint. In SQLite, the number of the foreign key in its table.
    std::string name;
    /// The columns as SQL: its own, and those that they refer to.
    std::vector<std::pair<std::string, std::string>> columns;

    /// Returns its table and columns: "invoice" ("userId").
    std::string text() const;
};

/// Returns the foreign keys that refer to a user, session or account, and reject the deletion of a
/// user as long as they do (4.4.1). Omits those of the user's own sessions and accounts, which are
/// deleted with it, and with cleans_up (PluginPolicy) those of plugins' rows.
std::variant<std::vector<ForeignKey>, ErrorKind>
find_rejecting_keys(Client& client, apr_pool_t* pool, const Dialect& dialect, const Schema& schema,
                    const TableNames& names, bool cleans_up);

/// Returns those that refer to the user, its sessions or its accounts: "invoice" ("userId"), …
/// Empty if there is none or the database does not answer.
std::string keys_referring_to(Client& client, apr_pool_t* pool, const Dialect& dialect,
                              const Schema& schema, const TableNames& names, bool cleans_up,
                              std::string_view user_id);

} // namespace useradmin::store
