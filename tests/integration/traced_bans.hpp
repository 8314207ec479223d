#pragma once

#include "support/database.hpp"
#include "support/process.hpp"

#include <CppUTest/TestHarness.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace useradmin::test {

/// Tracks which of three servers have rejected each banned user. Users are identified by number.
class TracedBans {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t server_count = 3;
    /// Requests a page that does not exist and requires the user role, with this Authorization
    /// header. Returns the status of the response.
    using Ask = std::function<int(std::size_t server, const std::string& bearer)>;

    explicit TracedBans(Ask ask) : ask_(std::move(ask)) {}

    /// Returns an Authorization header with the token of Scene::add_users_with_sessions().
    static std::string bearer_of(int user) {
        return "Authorization: Bearer t" + std::to_string(user);
    }

    /// Makes all servers cache the user's session.
    void fill_caches(int user) {
        for (std::size_t server = 0; server < server_count; ++server)
            accepts(server, user);
    }

    /// Adds a user whose ban a response has confirmed.
    void add(int user) {
        const std::lock_guard lock(mutex_);
        bans_[user] = Clock::now();
        for (auto& users : pending_)
            users.insert(user);
    }

    /// Sends a request to the server for each user whom it has not rejected yet.
    void poll_bans(std::size_t server) {
        std::map<int, Clock::time_point> asked;
        {
            const std::lock_guard lock(mutex_);
            for (const int user : pending_.at(server))
                asked[user] = bans_[user];
        }
        for (const auto& [user, confirmed_at] : asked) {
            const auto asked_at = Clock::now();
            const auto is_let_in = accepts(server, user);
            // Other requests would fail as well.
            if (!is_let_in)
                break;
            const std::lock_guard lock(mutex_);
            if (*is_let_in)
                longest_acceptance_ = std::max(longest_acceptance_, asked_at - confirmed_at);
            else
                pending_.at(server).erase(user);
        }
        // Leave the processor to the servers.
        pause_briefly();
    }

    /// Returns the users whose bans are confirmed.
    std::vector<int> confirmed() {
        const std::lock_guard lock(mutex_);
        std::vector<int> users;
        for (const auto& [user, confirmed_at] : bans_)
            users.push_back(user);
        return users;
    }

    /// Checks that each confirmed ban is in the database. Returns all banned users.
    std::vector<int> check_database(Database& database) {
        std::set<int> banned;
        for (const auto& row : database.rows(R"(SELECT "id" FROM "user" WHERE "banned" = TRUE)"))
            banned.insert(static_cast<int>(parse_number(row.at(0).value_or("").substr(1))));
        for (const int user : confirmed())
            CHECK_TEXT(banned.count(user) == 1, std::to_string(user).c_str());
        return {banned.begin(), banned.end()};
    }

    /// Returns whether each server has rejected each user whose ban is confirmed.
    bool all_enforced() {
        const std::lock_guard lock(mutex_);
        return std::all_of(pending_.begin(), pending_.end(),
                           [](const auto& users) { return users.empty(); });
    }

    /// Returns the longest time after a confirmed ban at which a server still accepted the user.
    Clock::duration longest_acceptance() {
        const std::lock_guard lock(mutex_);
        return longest_acceptance_;
    }

  private:
    /// Returns whether the server accepts the user's session, or std::nullopt for an unexpected
    /// response.
    std::optional<bool> accepts(std::size_t server, int user) const {
        const int status = ask_(server, bearer_of(user));
        return status == 404 || status == 401 ? std::optional(status == 404) : std::nullopt;
    }

    Ask ask_;
    std::mutex mutex_;
    /// When each ban was confirmed.
    std::map<int, Clock::time_point> bans_;
    std::array<std::set<int>, server_count> pending_;
    Clock::duration longest_acceptance_{};
};

} // namespace useradmin::test
