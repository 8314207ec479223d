// A line of an imported file as a user.
#pragma once

#include "crypto/secret.hpp"
#include "ctl/bulk/user_file.hpp"
#include "store/bulk.hpp"
#include "store/schema.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::ctl {

/// A user in the file. Owns the strings that the row refers to.
struct ImportEntry {
    std::uint64_t line = 0;
    std::vector<Cell> cells;
    std::string id;
    std::string account_id;
    std::string email;
    crypto::Secret new_hash;
    store::bulk::Row row;
    std::string_view password;

    /// The id of the existing user to update or skip. Empty for a new user.
    std::string existing;
    /// Whether the existing user is an unbanned superAdmin after the update.
    bool is_super_admin = false;
    /// Whether the entry conflicts with an existing user. A dry run skips it.
    bool is_conflict = false;

    /// Returns whether the line has the member, even if it is NULL.
    bool has(std::string_view member) const {
        return std::ranges::any_of(
            cells, [&](const Cell& cell) { return cell.name == member; });
    }
};

/// The settings, options and tables that determine which lines are valid.
struct ImportRules {
    const store::Schema& schema;
    bool lowers_email;
    bool is_forced;
    text::Timestamp now;
};

/// Fills in the entry from its line. Returns the problem with the line as the end of a sentence
/// ("has …"), or an empty string if the line is valid.
std::string fill_entry(ImportEntry& entry, const ImportRules& rules);

} // namespace useradmin::ctl
