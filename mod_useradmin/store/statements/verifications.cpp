#include "store/lists.hpp"
#include "store/statements/parts.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace useradmin::store::statements {

bool remove_verifications(Work& work, std::string_view user_id,
                          std::span<const std::string_view> prefixes) {
    const OwnedTable* const verifications = work.schema().verifications();
    if (verifications == nullptr)
        return true;
    const Table& table = verifications->table;
    Statement statement = work.statement();
    append_delete(statement, table, "value", user_id);
    statement << " AND (FALSE";
    for (const std::string_view prefix : prefixes)
        statement << " OR " << table.function("substr") << verifications->owner() << ", 1, "
                  << std::to_string(prefix.size()) << ")" << table.op("=") << literal(prefix);
    statement << ")";
    return static_cast<bool>(work.run(statement));
}

bool remove_password_links(Work& work, std::string_view user_id) {
    return remove_verifications(work, user_id, std::span(&model::password_link_prefix, 1));
}

bool revokes_links(const Work& work) {
    const OwnedTable* const verifications = work.schema().verifications();
    return work.plugin_policy().revokes_links && verifications != nullptr &&
           verifications->can_delete_rows() && verifications->table.at("value").is_readable;
}

Result<std::string_view> find_verification(Work& work, std::string_view identifier,
                                           text::Timestamp now) {
    const Table& table = work.schema().verifications()->table;
    Statement statement = work.statement();
    statement << "SELECT " << table.select_list << " FROM " << table;
    append_equals(statement << " WHERE ", table.at("identifier"), identifier);
    statement << " ORDER BY " << newest_first_order(table);
    const auto rows = all_rows(work, statement, read_record<model::VerificationValue>);
    if (!rows)
        return rows.failure();
    const auto found = std::ranges::find_if(
        *rows, [now](const auto& row) { return row.expires_at && *row.expires_at > now; });
    return found != rows->end() ? Result<std::string_view>(found->value) : Failure::not_found;
}

Result<Done> add_verification(Work& work, const model::VerificationValue& row) {
    const Table& table = work.schema().verifications()->table;
    Statement statement = work.statement();
    return work.apply(statement.insertion(table, assignments_of(table, row)));
}

Result<Done> issue_verification(Work& work, std::string_view user_id,
                                const std::optional<model::VerificationValue>& row,
                                const UpdateGuard& guard) {
    return change_locked_user(
        work, user_id, guard,
        [&](const LockedUser&) -> Result<Done> {
            if (!row)
                return Done();
            if (!remove_password_links(work, user_id))
                return Failure::failed;
            return add_verification(work, *row);
        });
}

Result<Done> remove_verification(Work& work, std::string_view identifier) {
    const Table& table = work.schema().verifications()->table;
    Statement statement = work.statement();
    return work.apply(append_delete(statement, table, "identifier", identifier));
}

} // namespace useradmin::store::statements
