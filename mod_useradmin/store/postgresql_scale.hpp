// What makes long lists quick on PostgreSQL: the copy that sql/postgresql/scale lays beside the
// user table, with its counts.
#pragma once

#include "store/client.hpp"
#include "store/lists.hpp"
#include "store/schema.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace useradmin::store {

/// Reads into the schema how large the user table is and whether there is a copy, which counts once
/// it is complete, watched by its triggers, and readable. The expression gives the table's oid.
std::optional<Fault> read_scale(Client& client, apr_pool_t* pool, const std::string& user_oid,
                                Schema& schema);

/// What stands for the words at signs in the files of sql/postgresql/scale. The user table must be
/// there.
std::vector<std::pair<std::string, std::string>> scale_words(const Schema& schema,
                                                             const Dialect& dialect);

/// Lists by the copy.
const Lists& scaled_lists() noexcept;

} // namespace useradmin::store
