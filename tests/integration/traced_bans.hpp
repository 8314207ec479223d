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
    /// Returns whether the server accepts the user's session, or std::nullopt for an unexpected
    /// reply.
    using LetsIn = std::function<std::optional<bool>(std::size_t server, int user)>;

    explicit TracedBans(LetsIn lets_in) : lets_in_(std::move(lets_in)) {}

    /// Makes all servers cache the user's session.
    void fill_caches(int user) {
        for (std::size_t server = 0; server < server_count; ++server)
            lets_in_(server, user);
    }

    /// Adds a user whose ban a reply has confirmed.
    void add(int user) {
        const std::lock_guard lock(mutex_);
        bans_[user] = Clock::now();
        for (auto& users : pending_)
            users.insert(user);
    }

    /// Sends a request to the server for each user whom it has not refused yet.
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
            // Other requests would fail as well.
            if (!is_let_in)
                break;
            const std::lock_guard lock(mutex_);
            if (*is_let_in)
                accepted_ = std::max(accepted_, asked_at - confirmed_at);
            else
                pending_.at(server).erase(user);
        }
        // Leave the processor to the servers.
        pause_shortly();
    }

    /// Returns the users whose bans are confirmed.
    std::vector<int> confirmed() {
        const std::lock_guard lock(mutex_);
        std::vector<int> users;
        for (const auto& [user, confirmed_at] : bans_)
            users.push_back(user);
        return users;
    }

    /// Returns whether each server has refused each user whose ban is confirmed.
    bool all_hold() {
        const std::lock_guard lock(mutex_);
        return std::all_of(pending_.begin(), pending_.end(),
                           [](const auto& users) { return users.empty(); });
    }

    /// Returns the longest time after a confirmed ban at which a server still accepted the user.
    Clock::duration accepted() {
        const std::lock_guard lock(mutex_);
        return accepted_;
    }

  private:
    LetsIn lets_in_;
    std::mutex mutex_;
    /// When each ban was confirmed.
    std::map<int, Clock::time_point> bans_;
    std::array<std::set<int>, server_count> pending_;
    Clock::duration accepted_{};
};

} // namespace useradmin::test
