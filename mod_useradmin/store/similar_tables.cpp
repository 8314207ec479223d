#include "store/similar_tables.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace useradmin::store {

namespace {

std::string quoted_argument(std::string_view name) {
    return name.find_first_of(" \t\"'") == name.npos ? std::string(name)
                                                     : '"' + std::string(name) + '"';
}

/// Returns the most likely name: the shortest one that contains the usual name or, if there is
/// none, the only name. Returns an empty string if there is no such name.
std::string best_of(const std::vector<std::string>& found, std::string_view usual) {
    std::string best;
    for (const std::string& name : found)
        if (name.find(usual) != name.npos && (best.empty() || name.size() < best.size()))
            best = name;
    return best.empty() && found.size() == 1 ? found.front() : best;
}

} // namespace

std::string directive_arguments(const TableNames& names) {
    return quoted_argument(names.user) + " " + quoted_argument(names.session) + " " +
           quoted_argument(names.account);
}

void find_similar_tables(Client& client, apr_pool_t* pool, const std::string& query,
                         const TableNames& names, Schema& schema) {
    const TableNames usual;
    struct Wanted {
        Table& table;
        std::string_view usual;
        std::string name;
        std::vector<std::string> similar = {};
    };
    std::array<Wanted, 3> all = {Wanted{schema.user, usual.user, std::string(names.user)},
                                 {schema.session, usual.session, std::string(names.session)},
                                 {schema.account, usual.account, std::string(names.account)}};
    // A table with an absence_reason exists but may not be used.
    const auto is_missing = [](const Wanted& wanted) {
        return !wanted.table.exists() && wanted.table.absence_reason.empty();
    };
    if (std::ranges::none_of(all, is_missing))
        return;
    auto rows = client.execute(query.c_str(), pool);
    while (rows && rows->next()) {
        const Table& table = schema.table(rows->take().value_or("u").front());
        for (Wanted& wanted : all)
            if (&wanted.table == &table)
                wanted.similar.emplace_back(rows->take().value_or(""));
    }
    for (Wanted& wanted : all)
        if (is_missing(wanted) && (wanted.name = best_of(wanted.similar, wanted.usual)).empty())
            return;
    const std::string found = directive_arguments({all[0].name, all[1].name, all[2].name});
    // Another process may have created the tables after the schema was read.
    if (found == directive_arguments(names))
        return;
    schema.similar_table_names = found;
    for (Wanted& wanted : all)
        if (is_missing(wanted))
            wanted.table.absence_reason =
                "table " + wanted.table.name +
                " does not exist, but a similar one does: " + quoted_table(wanted.name) +
                "; set UserAdminTables " + schema.similar_table_names;
}

} // namespace useradmin::store
