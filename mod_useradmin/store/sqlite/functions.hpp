// SQL functions that mod_useradmin adds to SQLite.
#pragma once

#include <sqlite3.h>

namespace useradmin::store {

/// Defines the functions on a connection and enables foreign keys. Throws std::bad_alloc.
void register_functions(sqlite3* database);

} // namespace useradmin::store
