// Users by the hundred, with the hashes of their passwords: what useradminctl carries in and out.
#pragma once

#include "store/dialect.hpp"
#include "store/work.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::store::bulk {

/// A row of the user table, and what its credential account has to itself. The views are the
/// caller's, or live as long as the work's pool.
struct Row {
    model::User user;
    /// For a new account whose table has texts as ids.
    std::string_view account_id = {};
    /// Nothing where there is no credential account.
    model::NullableText password_hash = {};
};

/// At most so many users behind the one with that id, or from the first one on, in the order that
/// the database has for ids.
Result<std::vector<Row>> read(Work& work, model::NullableText after_id, std::int64_t limit);

/// The users that have the id or the address of one of the rows: id, address, role and ban.
Result<std::vector<model::User>> find_existing(Work& work, std::span<const Row> rows);

/// Makes the users and their credential accounts, in a transaction that the caller has begun. Where
/// the database makes the ids, the rows have them afterwards. The work's fault tells a conflict.
Result<Done> insert(Work& work, std::span<Row> rows, bool account_id_is_user_id,
                    text::Timestamp now);

} // namespace useradmin::store::bulk
