// A reference model of lists. It is in a header, because the library of the tests does not know the
// store.
#pragma once

#include "store/store.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace useradmin::test {

/// The expected values of a user.
struct ExpectedUser {
    std::string id;
    std::string name;
    std::string email;
    std::string role; ///< empty if NULL
    long created = 0; ///< hours since the beginning of 2026
    bool banned = false;
    bool verified = true;
    long seen = -1; ///< hours, too, or negative if unknown
    // Computed once, because the tests compare them a million times.
    std::string folded_name = text::fold(name);
    std::string folded_email = text::fold(email);
    std::string name_key = text::sort_key(name);
    std::string email_key = text::sort_key(email);
};

inline text::Timestamp at_hour(long hour) {
    return text::Timestamp(std::chrono::sys_days(std::chrono::year(2026) / 1 / 1)) +
           std::chrono::hours(hour);
}

/// Returns whether the user is in lists with this filter.
inline bool matches(const store::Filter& filter, const ExpectedUser& user) {
    const auto has_word = [&](std::string_view word) {
        // A word that consists only of combining marks is searched for without folding.
        const bool is_literal = text::has_only_combining_marks(word);
        const std::string searched = is_literal ? std::string(word) : text::fold(word);
        const auto contains = [&](const std::string& text, const std::string& folded) {
            return (is_literal ? text : folded).find(searched) != std::string::npos;
        };
        return contains(user.name, user.folded_name) || contains(user.email, user.folded_email);
    };
    std::vector<bool> all;
    if (filter.role)
        all.push_back((user.role.empty() ? "user" : user.role) == *filter.role);
    if (filter.search) {
        const auto words = text::search_words(*filter.search);
        all.push_back(std::all_of(words.begin(), words.end(), has_word));
    }
    if (filter.banned)
        all.push_back(user.banned == *filter.banned);
    if (filter.email_verified)
        all.push_back(user.verified == *filter.email_verified);
    if (filter.created_from)
        all.push_back(at_hour(user.created) >= *filter.created_from);
    if (filter.seen_from)
        all.push_back(user.seen >= 0 && at_hour(user.seen) >= *filter.seen_from);
    if (filter.seen_before)
        all.push_back(user.seen < 0 || at_hour(user.seen) < *filter.seen_before);
    return all.empty() || std::count(all.begin(), all.end(), true) >=
                              (filter.matches_all ? static_cast<long>(all.size()) : 1);
}

class ExpectedUsers : public std::vector<ExpectedUser> {
  public:
    /// Sorts the users in the order of a list. All have the same updatedAt.
    void sort(const store::Order& order) {
        const auto less = [&](const ExpectedUser& left, const ExpectedUser& right) {
            switch (order.by) {
            case store::SortKey::created_at:
                return left.created != right.created ? left.created < right.created
                                                     : left.id > right.id;
            case store::SortKey::name:
                return std::tie(left.name_key, left.id) < std::tie(right.name_key, right.id);
            case store::SortKey::email:
                return std::tie(left.email_key, left.id) < std::tie(right.email_key, right.id);
            case store::SortKey::updated_at:
                return left.id > right.id;
            case store::SortKey::last_seen:
                return left.seen != right.seen ? left.seen < right.seen : left.id > right.id;
            }
            return false;
        };
        std::sort(begin(), end(), less);
        if (order.is_descending)
            std::reverse(begin(), end());
    }

    /// Returns the ids of the expected page, and the total: "a b of 7".
    std::string page(const store::Filter& filter, const store::Window& window) const {
        std::string ids;
        std::int64_t total = 0;
        for (const ExpectedUser& user : *this) {
            if (!matches(filter, user))
                continue;
            if (total >= window.offset && total < window.offset + window.limit)
                ids += user.id + " ";
            ++total;
        }
        return ids + "of " + std::to_string(total);
    }
};

} // namespace useradmin::test
