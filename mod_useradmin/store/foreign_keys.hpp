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
    /// Pairs of a referring and a referenced column, as SQL.
    std::vector<std::pair<std::string, std::string>> columns;

    /// Returns the referring table and its columns: "invoice" ("userId").
    std::string text() const;
};

/// Returns the foreign keys that refer to users, sessions or accounts, and so may reject the
/// deletion of a user (4.4.1). Omits the keys of rows that are deleted with the user: its sessions,
/// its accounts and, with cleans_up (PluginPolicy), its rows in plugins' tables.
std::variant<std::vector<ForeignKey>, ErrorKind>
find_rejecting_keys(Client& client, apr_pool_t* pool, const Dialect& dialect, const Schema& schema,
                    const TableNames& names, bool cleans_up);

/// Returns the keys whose rows refer to the user, its sessions or its accounts: "invoice"
/// ("userId"), … Empty if there are none or the query fails.
std::string keys_referring_to(Client& client, apr_pool_t* pool, const Dialect& dialect,
                              const Schema& schema, const TableNames& names, bool cleans_up,
                              std::string_view user_id);

} // namespace useradmin::store
