// Finds the application's tables if their names differ from the configured ones.
#pragma once

#include "store/client.hpp"
#include "store/schema.hpp"

#include <string>
#include <string_view>

namespace useradmin::store {

/// The start of a query for similar tables: a CTE "typical". Each row has a letter (u, s or a) and
/// three column names, in lower case without underscores. A table with these columns is similar.
inline constexpr const char* with_typical_columns =
    "WITH typical (letter, first, second, third) AS (VALUES ('u', 'email', 'emailverified', "
    "'name'), "
    "('s', 'token', 'expiresat', 'userid'), ('a', 'providerid', 'accountid', 'userid')) ";

/// If tables are missing and all of them have similar tables, sets Schema::similar_table_names and
/// Table::absence_reason. Each row of the query has a table's letter and the name of a similar
/// table, as in UserAdminTables. The query runs only if a table is missing.
void find_similar_tables(Client& client, apr_pool_t* pool, const std::string& query,
                         const TableNames& names, Schema& schema);

/// Returns the arguments of UserAdminTables, quoted where necessary.
std::string directive_arguments(const TableNames& names);

} // namespace useradmin::store
