// Foreign keys of the application that may prevent the deletion of a user.
#pragma once

#include "store/dialect.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace useradmin::store {

/// A foreign key without ON DELETE CASCADE, SET NULL or SET DEFAULT.
struct ForeignKey {
    /// The letter of the referenced table: u, s or a.
    char referenced = 'u';
    /// The referencing table as SQL.
    std::string table;
    /// The name of the constraint. In SQLite, the number of the foreign key in its table.
    std::string name;
    /// Pairs of a referencing and a referenced column, as SQL.
    std::vector<std::pair<std::string, std::string>> columns;

    /// Returns the referencing table and columns, such as "invoice" ("userId").
    std::string text() const;
};

/// Returns the foreign keys that refer to users, sessions or accounts and may therefore prevent the
/// deletion of a user (4.4.1). Omits keys in tables whose rows are deleted with the user: sessions,
/// accounts and, with cleans_up (PluginPolicy), plugins' tables. Returns std::nullopt on failure.
std::optional<std::vector<ForeignKey>> find_rejecting_keys(Client& client, apr_pool_t* pool,
                                                           const Dialect& dialect,
                                                           const Schema& schema,
                                                           const TableNames& names, bool cleans_up);

/// Returns a list of the foreign keys with rows that refer to the user, or to the user's sessions
/// or accounts, each as in ForeignKey::text(). Omits a key if its query fails. Returns an empty
/// string if no key is left.
std::string keys_referring_to(Client& client, apr_pool_t* pool, const Dialect& dialect,
                              const Schema& schema, const TableNames& names, bool cleans_up,
                              std::string_view user_id);

} // namespace useradmin::store
