// Reads and inserts users in bulk, with their password hashes, for useradminctl.
#pragma once

#include "store/dialect.hpp"
#include "store/work.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::store::bulk {

/// A user and its credential account. String views refer to the caller's strings or to the pool of
/// the Work.
struct Row {
    model::User user;
    /// The id of a new account. Ignored if the database generates ids.
    std::string_view account_id = {};
    /// std::nullopt if there is no credential account.
    model::NullableText password_hash = {};
};

/// Reads users in the database's order of ids, from the start or after `after_id`. A user with
/// several credential accounts counts once for each toward `limit`, so the result may be shorter.
/// It is empty only if there are no more users.
Result<std::vector<Row>> read(Work& work, model::NullableText after_id, std::int64_t limit);

/// Returns the users who have the address of one of the rows or, unless the database generates ids,
/// the id of one of the rows. Sets only id, address, role and ban. If `ignores_case`, compares the
/// addresses in lower case, which is slow without an index on the lower-case address.
Result<std::vector<model::User>> find_existing(Work& work, std::span<const Row> rows,
                                               bool ignores_case);

/// Inserts the users and their credential accounts in the caller's transaction. If the database
/// generates the ids, sets them in the rows. On a conflict, Work::error_kind() returns
/// unique_violation.
Result<Done> insert(Work& work, std::span<Row> rows, bool account_id_is_user_id,
                    text::Timestamp now);

} // namespace useradmin::store::bulk
