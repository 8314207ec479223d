#include "ctl/check/checks.hpp"

#include "ctl/display.hpp"
#include "ctl/password_input.hpp"
#include "ctl/transaction.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace useradmin::ctl {

namespace {

/// The rows of deleted users in a table, with the FROM clause that selects them.
struct Orphans {
    std::string table;
    std::string from;
    std::int64_t number;
};

/// Returns an SQL condition that the owner column of the alias o refers to no row of the table.
std::string refers_to_no_row(const store::Table& table, const store::OwnedTable& o) {
    return "NOT EXISTS (SELECT 1 FROM " + table.sql + " t WHERE " + column_text(table, "t", "id") +
           table.op("=") + column_text(o.table, "o", o.plugin->owner) + ")";
}

std::vector<Orphans> find_orphans(Database& database, const store::Schema& schema) {
    const Progress progress("Searching for rows of deleted users");
    const auto is_organization = [](const store::OwnedTable& owned) {
        return owned.plugin->reference == store::Reference::organization;
    };
    const auto organization = std::ranges::find_if(schema.owned, is_organization);
    std::vector<Orphans> all;
    for (const store::OwnedTable& owned : schema.owned) {
        // An address without a user may belong to a person who is signing up.
        if (!owned.can_remove_rows() || owned.plugin->reference == store::Reference::email)
            continue;
        std::string from = " FROM " + owned.table.sql + " AS o WHERE o." + owned.owner().sql() +
                           " IS NOT NULL AND " + refers_to_no_row(schema.user, owned);
        if (owned.plugin->reference == store::Reference::user_or_organization) {
            const bool is_readable =
                organization != schema.owned.end() && organization->owner().is_readable;
            if (is_readable)
                from += " AND " + refers_to_no_row(organization->table, owned);
            else if (organization != schema.owned.end() ||
                     // better-auth's organization plugin adds this column.
                     schema.session.find_column("activeOrganizationId") != nullptr) {
                print_error("table " + owned.table.name +
                            " was skipped: its rows may belong to organizations, whose table was "
                            "not found or is not readable");
                continue;
            }
        }
        const std::string count = "SELECT " + schema.user.function("count") + "*)";
        const std::int64_t number = number_of(database.rows(count + from)[0][0]);
        all.push_back({owned.table.name, std::move(from), number});
    }
    return all;
}

void print_orphans(const Context& context, const std::vector<Orphans>& all, bool is_deleted) {
    const bool has_rows =
        std::ranges::any_of(all, [](const Orphans& each) { return each.number > 0; });
    if (context.wants_json()) {
        print_data(
            [&](json::Writer& writer) {
                writer.key("deleted").boolean(is_deleted).key("tables").begin_array();
                for (const Orphans& orphans : all) {
                    writer.begin_object().key("name").string(orphans.table);
                    writer.key("orphans").integer(orphans.number).end_object();
                }
                writer.end_array();
            },
            has_rows && !is_deleted ? "there are rows of deleted users" : "");
        return;
    }
    for (const Orphans& orphans : all)
        if (orphans.number > 0)
            print_line("table " + orphans.table + ": " + count_of(orphans.number, "row", "rows") +
                       " of deleted users" + (is_deleted ? ", deleted" : ""));
    if (!has_rows)
        print_line("No rows of deleted users found.");
}

} // namespace

Exit check_orphans(Context& context) {
    Database& database = context.database_with_rows();
    const store::Schema schema = database.schema();
    if (const store::Problem* problem = schema.find_problem(store::needs_user))
        throw CommandError(problem->text);
    std::vector<Orphans> all;
    count_without_timeouts(database, [&] { all = find_orphans(database, schema); });
    std::int64_t total = 0;
    for (const Orphans& orphans : all)
        total += orphans.number;
    const bool deletes = total > 0 && context.options.has("delete");
    if (deletes) {
        if (!context.options.has("yes") &&
            !confirm("Delete " + count_of(total, "row", "rows") + " of deleted users?"))
            throw CommandError("nothing was deleted");
        Transaction transaction(database);
        remove_timeouts(database);
        for (Orphans& orphans : all)
            orphans.number = static_cast<std::int64_t>(
                database.rows("DELETE" + orphans.from + " RETURNING 1").size());
        transaction.commit();
    }
    print_orphans(context, all, deletes);
    return total == 0 || deletes ? Exit::success : Exit::failure;
}

} // namespace useradmin::ctl
