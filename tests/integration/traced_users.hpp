#pragma once

#include "scene.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <set>

namespace useradmin::test {

/// Creates, changes and deletes users, and tracks which states of the database the responses allow.
/// Several threads may call write() simultaneously.
class TracedUsers {
  public:
    /// Sends a request and waits for the response. Returns status 0 if there is no response.
    using Send = std::function<Response(const std::string& method, const std::string& path,
                                        const std::string& body)>;

    static void allow_lines_of_outages() {
        for (const char* line : {"UA0", "dbd", "AH00629", "AH00632", "AH00633"})
            allow_log(line);
        // libpq prints messages that arrive during a connection attempt. They can be turned off
        // only afterwards.
        for (const char* line : {"terminating connection due to", "because of crash",
                                 "The postmaster has commanded", "In a moment"})
            allow_log(line);
    }

    /// Makes PostgreSQL confirm only writes that survive a crash. Applies to new connections.
    static void enable_synchronous_commit(Database& sql) {
        for (const char* statement :
             {"ALTER ROLE CURRENT_USER SET synchronous_commit = on", "CHECKPOINT"})
            sql.run(statement);
    }

    /// Creates a user, changes it twice, deletes it if `turn` is even, and records the results. The
    /// service must be at /api/users.
    void write(int thread, int turn, const Send& send) {
        const std::string email =
            "n" + std::to_string(thread) + "-" + std::to_string(turn) + "@example.org";
        Trace trace;
        const auto is_success = [&](const Response& response) {
            ++(response.status == 200 ? done_ : response.status == 0 ? lost_ : rejected_);
            return response.status == 200;
        };
        const auto made =
            send("POST", "/api/users",
                 R"({"name":"first","password":"s3cr3t","role":"user","email":")" + email + "\"}");
        trace.may_exist = true;
        trace.names = {"first"};
        if (is_success(made)) {
            trace.may_be_absent = false;
            const std::string path = "/api/users/" + text_member(made, "id");
            std::set<std::string> doubtful;
            for (const char* name : {"second", "third"}) {
                const auto changed = send("PUT", path, R"({"name":")" + std::string(name) + "\"}");
                // A request without a response may still be in progress.
                if (is_success(changed))
                    trace.names = doubtful;
                else
                    doubtful.insert(name);
                trace.names.insert(name);
            }
            if (turn % 2 == 0) {
                trace.may_be_absent = true;
                if (is_success(send("DELETE", path, "")))
                    trace.may_exist = false;
            }
        }
        const std::lock_guard lock(mutex_);
        traces_[email] = trace;
    }

    /// Checks that the database matches the responses, and that no write was done partially.
    void check(Database& sql) {
        for (const char* table : {"account", "session"})
            CHECK_EQUAL(0, sql.number("SELECT count(*) FROM \"" + std::string(table) +
                                      R"(" WHERE "userId" NOT IN (SELECT "id" FROM "user"))"));
        std::map<std::string, std::string> names;
        for (
            const auto& row : sql.rows(
                R"(SELECT u."email", u."name", (SELECT count(*) FROM "account" a WHERE a."userId" = u."id") FROM "user" u WHERE u."email" LIKE 'n%')")) {
            CHECK_EQUAL(std::string("1"), row.at(2).value_or(""));
            names[row.at(0).value_or("")] = row.at(1).value_or("");
        }
        for (const auto& [email, trace] : traces_) {
            const auto found = names.find(email);
            const bool is_there = found != names.end();
            CHECK_TEXT(is_there ? trace.may_exist : trace.may_be_absent, email.c_str());
            CHECK_TEXT(!is_there || trace.names.count(found->second) == 1,
                       (email + " " + (is_there ? found->second : "")).c_str());
        }
    }

    int done() const noexcept { return done_; }
    int rejected() const noexcept { return rejected_; }
    /// Returns how many requests got no response.
    int lost() const noexcept { return lost_; }

  private:
    /// The possible states of one user in the database.
    struct Trace {
        bool may_exist = false;
        bool may_be_absent = true;
        std::set<std::string> names = {};
    };

    std::atomic<int> done_{0};
    std::atomic<int> rejected_{0};
    std::atomic<int> lost_{0};
    std::mutex mutex_;
    std::map<std::string, Trace> traces_;
};

} // namespace useradmin::test
