// The fixture for tests of the store: one database, and a store with a connection to it.
#pragma once

#include "model/records.hpp"
#include "store/database_store.hpp"
#include "support/fail_test.hpp"
#include "support/process.hpp"
#include "support/recording_logger.hpp"
#include "support/test_database.hpp"

#include <CppUTest/TestHarness.h>
#include <chrono>
#include <functional>
#include <future>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace useradmin::test {

/// Provides one connection for a store. Opens it at first use and counts open leases.
class SingleConnection final : public store::ConnectionSource {
  public:
    /// The default account owns the tables. `name` is the name of the database in PostgreSQL.
    explicit SingleConnection(TestDatabase& database, std::string account = "useradmin",
                              store::SharedSchemas* schemas = nullptr,
                              std::string name = "postgres")
        : database_(database), account_(std::move(account)), name_(std::move(name)) {
        connection_.schemas = schemas;
    }
    ~SingleConnection() override;
    SingleConnection(const SingleConnection&) = delete;
    SingleConnection& operator=(const SingleConnection&) = delete;

    const store::Connection* acquire(store::Deadline deadline) override;
    void release(const store::Connection&) noexcept override { --leases_; }

    int leases() const noexcept { return leases_; }

  private:
    TestDatabase& database_;
    std::string account_;
    std::string name_;
    store::Connection connection_;
    int leases_ = 0;
};

/// The total time for all calls of a store, long enough for a busy machine.
inline constexpr store::TimeoutPolicy timeout_policy = {std::chrono::seconds(600)};

/// Returns the database of this run.
TestDatabase& database();
inline bool is_postgresql() {
    return database().kind() == Kind::postgresql;
}
void set_database(TestDatabase* database) noexcept;

/// Accepts all changes.
class IgnoringListener : public store::ChangeListener {
  public:
    explicit IgnoringListener(bool runs_before_commit) noexcept
        : runs_before_commit_(runs_before_commit) {}
    bool runs_before_commit() const noexcept override { return runs_before_commit_; }
    bool on_change(std::string_view, const model::User*, const model::User*) override {
        return true;
    }

  private:
    bool runs_before_commit_;
};

/// Rejects each change before its commit.
class RejectingListener final : public store::ChangeListener {
  public:
    bool runs_before_commit() const noexcept override { return true; }
    bool on_change(std::string_view, const model::User*, const model::User*) override {
        return false;
    }
};

/// A list for range-based for loops. An element may be nullptr.
using Listeners = std::initializer_list<store::ChangeListener*>;

/// Placeholders and the types that replace them.
using ColumnTypes = std::vector<std::pair<std::string_view, std::string_view>>;

/// A type of ids, with the id of a user and of a row in another table.
struct IdVariant {
    std::string_view type;
    std::string_view user;
    std::string_view row;
};
inline constexpr IdVariant id_variants[] = {
    {"text", "user-1", "row-1"},
    {"uuid", "7c9e6679-7425-40de-944b-e07fc1f90ae7", "0b0c7a52-2e0b-4f0a-9c6e-6d2f3c1f8a10"},
    {"integer", "7", "8"},
};

/// Starts each test with empty tables and a new connection. The test fails if the store keeps the
/// connection or logs an unexpected line.
class Contract : public Utest {
  public:
    void setup() override;
    void teardown() override;

  protected:
    store::Store& store() { return *store_; }
    Database& sql() { return database().sql(); }
    void set_change_listener(store::ChangeListener* listener) {
        store_->set_change_listener(listener);
    }

    /// Returns the statements with each placeholder replaced by its type. By default, $time and
    /// $boolean are better-auth's types in this database. With has_snake_case, names in quotes are
    /// in snake_case.
    static std::string with_types(std::string statements, const ColumnTypes& types = {},
                                  bool has_snake_case = false);

    void add_plugin_tables() { database().add_plugin_tables(); }

    /// Adds a row to "user".
    void add_user(std::string_view id, std::string_view email, std::string_view role = "'user'",
                  std::string_view created_at = "2026-01-01T00:00:00.000Z");
    void add_session(std::string_view token, std::string_view user_id,
                     std::string_view expires_at = "2030-01-01T00:00:00.000Z");
    void add_account(const std::string& id, const std::string& account_id,
                     const std::string& user_id, const std::string& password = "a hash",
                     const std::string& provider = "credential",
                     const std::string& created_at = "2026-01-01T00:00:00.000Z") {
        sql().insert("account", {{"id", id},
                                 {"accountId", account_id},
                                 {"providerId", provider},
                                 {"userId", user_id},
                                 {"password", password},
                                 {"createdAt", created_at},
                                 {"updatedAt", created_at}});
    }
    /// Adds a row to "verification".
    void add_verification(const std::string& identifier, const std::string& value,
                          const std::string& expires_at = "2030-01-01T00:00:00.000Z",
                          const std::string& created_at = "2026-01-01T00:00:00.000Z");

    /// Returns a new user with all fields set.
    static store::NewUser new_user(std::string_view id, std::string_view email);

    /// Returns the ids of a page, in the same order: "a b c".
    static std::string ids(const store::Page& page);

    /// Returns guards that reject every change of a user who is not an admin, and the resulting
    /// failures. The user "m" must exist and must not be an admin. No user may have the id "gone".
    static std::vector<std::pair<store::UpdateGuard, store::Failure>> rejecting_guards();

    /// Creates the "poor" role with these grants until the test ends. Only for PostgreSQL.
    void create_restricted_role(const std::string& grants);
    /// Runs a call with a store on a new connection. Returns its result.
    template <class Call>
    auto with_store(const Call& call, const std::string& account = "useradmin",
                    const store::TableNames& names = {}) {
        SingleConnection connection(database(), account);
        store::DatabaseStore store(connection, log_, pool_, names, "separate", timeout_policy);
        return call(store);
    }

    /// Calls the operation in several threads simultaneously, each with a store on a new
    /// connection.
    static void with_stores(int count, const store::TableNames& names,
                            const std::function<void(store::DatabaseStore&)>& operation);

    /// Runs a statement in a transaction, then the call. Commits the transaction when the call
    /// waits for a lock. Returns the call's result. The call must not use sql(). Only for
    /// PostgreSQL, because SQLite has one writer at a time.
    template <class Call>
    auto while_another_writer(const std::string& statement, const Call& call) {
        sql().run("BEGIN; " + statement);
        auto waited = std::async(std::launch::async, [] {
            const bool waits = eventually([] {
                return database().sql().number("SELECT count(*) FROM pg_locks WHERE NOT granted") >
                       0;
            });
            database().sql().run("COMMIT");
            return waits;
        });
        auto result = call();
        CHECK(waited.get());
        return result;
    }

    /// Changes the schema until undo() is called or the test ends.
    void change(const std::string& statements, const std::string& reverse) {
        database().change(statements, reverse);
    }
    void undo() { database().undo(); }

    /// Runs SQL on the store's connection. Returns whether it succeeded.
    bool execute_on_connection(const char* statement);

    /// Returns the number of prepared statements on a connection, by default the store's. Only for
    /// PostgreSQL, once per test.
    long prepared_statements(SingleConnection* connection = nullptr);

    void expect_error(std::string_view part) { expected_.emplace_back(part); }

    std::unique_ptr<SingleConnection> connection_;
    RecordingLogger log_;
    apr_pool_t* pool_ = nullptr;

  private:
    std::unique_ptr<store::DatabaseStore> store_;
    std::vector<std::string> expected_;
    bool has_poor_role_ = false;
};

/// Returns the value. Fails the test if there is none.
template <class T>
T expect_ok(store::Result<T> result, SourceLocation where = {}) {
    if (!result)
        fail_test("the store failed", where);
    return *result;
}

/// Returns whether the call failed because the database rejected a statement.
template <class T>
bool is_failure(const store::Result<T>& result) {
    return !result && result.failure() == store::Failure::failed;
}

/// Returns whether the call failed because the row does not exist.
template <class T>
bool is_not_found(const store::Result<T>& result) {
    return result.is_not_found();
}

/// Returns whether the call failed because the user does not have the session.
template <class T>
bool is_no_session(const store::Result<T>& result) {
    return !result && result.failure() == store::Failure::no_session;
}

/// Returns whether the call failed because no connection was available.
template <class T>
bool is_unavailable(const store::Result<T>& result) {
    return !result && result.failure() == store::Failure::unavailable;
}

/// Returns the fields of a record that are not NULL: "id=u, name=Eva, banned=true".
template <class Record>
std::string describe(const Record& record) {
    std::string text;
    for (const auto& field : model::fields<Record>())
        if (const auto value = model::text_of(model::value_of(record, field)))
            text += (text.empty() ? "" : ", ") + std::string(field.name) + "=" + *value;
    return text;
}

/// Returns the user's extra columns as a JSON object.
std::string extra_json(const model::User& user);

/// Parses a time: "2026-11-20T23:30:19.717Z".
text::Timestamp at(std::string_view text);

/// Returns a session of the user. Its id equals the token, and `time` is its creation, update and
/// expiry time.
model::Session session_of(std::string_view user_id, std::string_view token,
                          text::Timestamp time = at("2030-01-01T00:00:00.000Z"));

} // namespace useradmin::test
