// UserAdminTables: the directive that both modules take.
#pragma once

#include "httpd/httpd.hpp"
#include "store/schema.hpp"

namespace useradmin::httpd {

/// The application's tables, as a directive named them. Lives in the configuration's pool.
struct Tables {
    store::TableNames names;
    /// Tells this set of tables from others on one connection; see store::DatabaseStore.
    const char* label;
};

/// Reads the three names of the directive; the sentence that refuses them, or nullptr. The prefix
/// tells the modules apart.
const char* set_tables(const cmd_parms* command, const Tables*& tables, const char* prefix,
                       const char* user, const char* session, const char* account);

/// The tables of a setting that may be unsaid.
Tables tables_or_default(const Tables* tables, const char* prefix) noexcept;

} // namespace useradmin::httpd
