// The fixture for tests of schema --scale, which needs PostgreSQL.
#pragma once

#include "scene.hpp"
#include "store/database_store.hpp"

#include <libpq-fe.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::test {

/// Runs statements on a connection. Unlike with Database, a statement may fail, for example for
/// lack of privileges.
class Session {
  public:
    /// Connects. `more` overrides parameters: "user=reader dbname=other".
    explicit Session(const std::string& params, const std::string& more = "");

    /// Runs statements. Returns the SQLSTATE if one fails, otherwise an empty string.
    std::string run(const std::string& statements);
    /// Returns the first value of a query, "(null)" for NULL, or the SQLSTATE if the query fails.
    std::string value(const std::string& query);
    long number(const std::string& query);
    bool is_lost() const noexcept { return PQstatus(connection_.get()) != CONNECTION_OK; }
    void reconnect() { PQreset(connection_.get()); }
    /// Returns the message of the last failure.
    std::string error() const { return PQerrorMessage(connection_.get()); }

  private:
    struct Closer {
        void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
    };
    std::unique_ptr<PGconn, Closer> connection_;
};

/// Opens the service's store on a separate connection. The constructor reads the system catalog,
/// as a running service has done.
class OpenStore : public store::ConnectionSource, public text::Logger {
  public:
    explicit OpenStore(const std::string& params, const std::string& more = "",
                       const store::TableNames& names = {}, store::Totals* totals = nullptr);
    ~OpenStore() override;

    /// Returns the ids of a list, followed by its total: "a b c of 20".
    std::string list(const store::Filter& filter, const store::Window& window,
                     SourceLocation where = {});
    /// Returns the ids of all pages and the total. Each page starts at the end of the previous one.
    std::string walk(const store::Filter& filter, store::Window window, SourceLocation where = {});
    /// Returns the position of the first user of a page.
    store::Position position(const store::Window& window);
    /// Returns the last prepared statement.
    std::string last_statement();
    /// Returns the first twenty ids that a search finds, followed by the total.
    std::string search(std::string_view text, SourceLocation where = {});
    /// Returns whether the store uses the counts and the search index.
    bool is_scaled();

    const store::Connection* acquire(store::Deadline) override { return &connection_; }
    void release(const store::Connection&) noexcept override {}
    void write(text::Level, std::string_view message) noexcept override {
        messages_ += std::string(message) + "\n";
    }

  private:
    apr_pool_t* pool_ = nullptr;
    store::Connection connection_;
    store::TableNames names_;
    std::string messages_;
    std::unique_ptr<store::DatabaseStore> store_;
};

/// Each test starts without the objects of schema --scale.
class ScaleScene : public Scene {
  public:
    void setup() override {
        Scene::setup();
        params_ = database().params();
    }
    void teardown() override;

  protected:
    /// Runs schema --scale for the "user" table. Returns its output.
    static std::string scale(SourceLocation where = {}) {
        return expect_ok(ctl({"schema", "--scale"}), where);
    }
    /// Runs schema --scale again. Returns the number of corrected counts.
    static std::string correct_counts() {
        return Json(ctl({"schema", "--scale", "--json"}).output).at("data.countsCorrected");
    }
    /// Fails the test unless the counts match the users.
    static void check_counts(SourceLocation where = {});
    /// Returns an INSERT for users with the ids `first` to `last`, created one hour apart.
    static std::string users(int first, int last, const std::string& role = "'user'");
    /// Registers statements that revert a schema change at the end of the test.
    void undo(const std::string& statements) { undo_ = statements + ";" + undo_; }

    std::string params_;

  private:
    std::string undo_;
};

} // namespace useradmin::test
