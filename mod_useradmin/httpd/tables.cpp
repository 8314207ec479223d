#include "httpd/tables.hpp"

#include "httpd/directive.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <cstdint>

namespace useradmin::httpd {

namespace {

// The longest identifier of PostgreSQL.
constexpr std::size_t longest_identifier = 63;

bool is_identifier(std::string_view name) {
    return !name.empty() && name.size() <= longest_identifier && text::is_clean_utf8(name) &&
           name.find('%') == name.npos;
}

/// A table, or a schema and a table with a dot between them.
bool is_table_name(std::string_view name) {
    const std::size_t dot = name.find('.');
    if (dot == name.npos)
        return is_identifier(name);
    return is_identifier(name.substr(0, dot)) && is_identifier(name.substr(dot + 1));
}

/// A name that PostgreSQL takes for a prepared statement, the same for the same tables (FNV-1a).
const char* label_of(apr_pool_t* pool, const char* prefix, const store::TableNames& names) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (std::string_view name : {names.user, names.session, names.account}) {
        for (char character : name)
            hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3;
        hash = (hash ^ 0xff) * 0x100000001b3;
    }
    return apr_psprintf(pool, "%s_%" APR_UINT64_T_HEX_FMT, prefix, hash);
}

} // namespace

const char* set_tables(const cmd_parms* command, const Tables*& tables, const char* prefix,
                       const char* user, const char* session, const char* account) {
    for (const char* name : {user, session, account})
        if (!is_table_name(apr::view_of(name)))
            return refusal(command,
                           "must be the names of the user, session and account tables, each a "
                           "table or schema.table: user session account");
    const store::TableNames names = {user, session, account};
    tables =
        &apr::emplace<Tables>(command->pool, Tables{names, label_of(command->pool, prefix, names)});
    return nullptr;
}

Tables tables_or_default(const Tables* tables, const char* prefix) noexcept {
    return tables != nullptr ? *tables : Tables{{}, prefix};
}

} // namespace useradmin::httpd
