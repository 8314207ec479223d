#include "store/foreign_keys.hpp"

#include <algorithm>

namespace useradmin::store {

namespace {

/// Returns whether the key refers to the user from a table whose rows are deleted with the user:
/// sessions, accounts and, with UserAdminCleanUp, plugins' tables.
bool is_own(const ForeignKey& key, const Schema& schema, bool cleans_up) {
    const auto is_key_of = [&](const Table& table, const Column* owner) {
        return key.referenced == 'u' && key.table == table.sql && owner != nullptr &&
               key.columns.size() == 1 && key.columns[0].first == owner->sql();
    };
    return is_key_of(schema.session, schema.session.find("userId")) ||
           is_key_of(schema.account, schema.account.find("userId")) ||
           std::ranges::any_of(schema.owned, [&](const OwnedTable& owned) {
               return cleans_up && owned.can_remove_rows() &&
                      is_key_of(owned.table, &owned.owner());
           });
}

} // namespace

std::string ForeignKey::text() const {
    std::string text = table;
    std::string_view separator = " (";
    for (const auto& [own, referenced_column] : columns) {
        text.append(separator).append(own);
        separator = ", ";
    }
    return text += ")";
}

std::optional<std::vector<ForeignKey>>
find_rejecting_keys(Client& client, apr_pool_t* pool, const Dialect& dialect, const Schema& schema,
                    const TableNames& names, bool cleans_up) {
    auto rows = client.execute(dialect.foreign_keys_query(schema, names).c_str(), pool);
    if (!rows)
        return std::nullopt;
    std::vector<ForeignKey> keys;
    while (rows->next()) {
        ForeignKey key;
        key.referenced = rows->take().value_or("u").front();
        const model::NullableText table_schema = rows->take();
        key.table = (table_schema ? quoted_identifier(*table_schema) + "." : "") +
                    quoted_identifier(rows->take().value_or(""));
        key.name = rows->take().value_or("");
        if (keys.empty() || keys.back().table != key.table || keys.back().name != key.name)
            keys.push_back(std::move(key));
        const std::string own = quoted_identifier(rows->take().value_or(""));
        keys.back().columns.emplace_back(own, quoted_identifier(rows->take().value_or("id")));
    }
    std::erase_if(keys, [&](const ForeignKey& key) { return is_own(key, schema, cleans_up); });
    return keys;
}

std::string keys_referring_to(Client& client, apr_pool_t* pool, const Dialect& dialect,
                              const Schema& schema, const TableNames& names, bool cleans_up,
                              std::string_view user_id) {
    std::string found;
    const auto keys = find_rejecting_keys(client, pool, dialect, schema, names, cleans_up);
    if (!keys)
        return found;
    for (const ForeignKey& key : *keys) {
        const Table& referenced = schema.table(key.referenced);
        const Column& owner = referenced.at(key.referenced == 'u' ? "id" : "userId");
        Statement statement(pool);
        statement << "SELECT 1 FROM " << key.table << " r JOIN " << referenced << " u ON ";
        std::string_view separator;
        for (const auto& [own, other] : key.columns) {
            statement << separator << "r." << own << referenced.op("=") << "u." << other;
            separator = " AND ";
        }
        dialect.append_equals(statement << " WHERE ", owner, user_id, "u.");
        const auto rows = client.run(statement << " LIMIT 1", pool);
        if (rows && rows->count() > 0)
            found += (found.empty() ? "" : ", ") + key.text();
    }
    return found;
}

} // namespace useradmin::store
