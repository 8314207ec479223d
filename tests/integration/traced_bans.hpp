// Users whose bans were confirmed, and the servers that have not refused them yet.
#pragma once

#include "support/process.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

namespace useradmin::test {

/// Tracks which of three servers have refused each banned user. Users are identified by number.
class TracedBans {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t server_count = 3;
    /// Returns whether the server lets the user in; nothing if it replies otherwise.
    using LetsIn = std::function<std::optional<bool>(std::size_t server, int user)>;

    explicit TracedBans(LetsIn lets_in) : lets_in_(std::move(lets_in)) {}

    /// Has all servers cache the user's session.
    void fill_caches(int user) {
        for (std::size_t server = 0; server < server_count; ++server)
            lets_in_(server, user);
    }

    /// Adds a user whose ban a reply has just confirmed.
    void add(int user) {
        const std::lock_guard lock(mutex_);
        bans_[user] = Clock::now();
        for (auto& users : pending_)
            users.insert(user);
    }

    /// Asks a server as each user whom it has not refused yet.
    void watch(std::size_t server) {
        std::map<int, Clock::time_point> asked;
        {
            const std::lock_guard lock(mutex_);
            for (const int user : pending_.at(server))
                asked[user] = bans_[user];
        }
        for (const auto& [user, confirmed_at] : asked) {
            const auto asked_at = Clock::now();
            const auto is_let_in = lets_in_(server, user);
            // Other requests would fail, too.
            if (!is_let_in)
                break;
            const std::lock_guard lock(mutex_);
            if (*is_let_in)
                accepted_ = std::max(accepted_, asked_at - confirmed_at);
            else
                pending_.at(server).erase(user);
        }
        // Yields the processor to the servers.
        pause_shortly();
    }

    /// Returns the users whose bans were confirmed so far.
    std::vector<int> confirmed() {
        const std::lock_guard lock(mutex_);
        std::vector<int> users;
        for (const auto& [user, confirmed_at] : bans_)
            users.push_back(user);
        return users;
    }

    /// Returns whether each server has refused each of them.
    bool all_hold() {
        const std::lock_guard lock(mutex_);
        return std::all_of(pending_.begin(), pending_.end(),
                           [](const auto& users) { return users.empty(); });
    }

    /// Returns how long after a ban a server still let the user in.
    Clock::duration accepted() {
        const std::lock_guard lock(mutex_);
        return accepted_;
    }

  private:
    LetsIn lets_in_;
    std::mutex mutex_;
    /// When a reply confirmed each ban.
    std::map<int, Clock::time_point> bans_;
    std::array<std::set<int>, server_count> pending_;
    Clock::duration accepted_{};
};

} // namespace useradmin::test
