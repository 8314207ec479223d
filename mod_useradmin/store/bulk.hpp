// Reading and inserting users in bulk, with their password hashes, for useradminctl.
#pragma once

#include "store/dialect.hpp"
#include "store/work.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::store::bulk {

/// A user with the columns of the credential account. The views refer to the caller's strings or to
/// the work's pool.
struct Row {
    model::User user;
    /// The id of a new account if the table has text ids.
    std::string_view account_id = {};
    /// Nothing if there is no credential account.
    model::NullableText password_hash = {};
};

/// Reads the next users after an id, or the first ones, in the database's order of ids.
Result<std::vector<Row>> read(Work& work, model::NullableText after_id, std::int64_t limit);

/// Returns the id, address, role and ban of users with the id or address of one of the rows.
Result<std::vector<model::User>> find_existing(Work& work, std::span<const Row> rows);

/// Inserts the users and their credential accounts in the caller's transaction. If the database
/// generates the ids, sets them in the rows. Work::error_kind() reports a conflict.
Result<Done> insert(Work& work, std::span<Row> rows, bool account_id_is_user_id,
                    text::Timestamp now);

} // namespace useradmin::store::bulk
