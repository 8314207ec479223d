// The fixture of the tests of schema --scale, which exists only for PostgreSQL.
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

/// A connection whose statements may fail, as of an application or a role without privileges.
class Session {
  public:
    /// Connects. `more` overrides the parameters: "user=reader dbname=other".
    explicit Session(const std::string& params, const std::string& more = "");

    /// Runs statements. Returns the SQLSTATE of the failure, or "".
    std::string run(const std::string& statements);
    /// Returns the first value of a query, "(null)", or the SQLSTATE of the failure.
    std::string value(const std::string& query);
    long number(const std::string& query);
    int backend() const noexcept { return PQbackendPID(connection_.get()); }
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

/// The service's store on a separate connection. The constructor reads the catalogue.
class OpenStore : public store::ConnectionSource, public text::Logger {
  public:
    explicit OpenStore(const std::string& params, const std::string& more = "",
                       const store::TableNames& names = {}, store::Totals* totals = nullptr);
    ~OpenStore() override;
    OpenStore(const OpenStore&) = delete;
    OpenStore& operator=(const OpenStore&) = delete;

    /// Returns the ids of a list, followed by its total: "a b c of 20".
    std::string list(const store::Filter& filter, const store::Window& window,
                     SourceLocation where = {});
    /// Returns the ids of all pages, and the total. Each page starts after the previous one's end.
    std::string walk(const store::Filter& filter, store::Window window, SourceLocation where = {});
    /// Returns the position of the first user of a page.
    store::Position position(const store::Window& window);
    /// Returns the last prepared statement.
    std::string last_statement();
    /// Returns the first twenty ids that a search finds, and the total.
    std::string search(std::string_view text, SourceLocation where = {});
    /// Returns whether it uses the counts and the search index.
    bool is_scaled();

    const store::Connection* acquire(store::Deadline) override { return &connection_; }
    void release(const store::Connection&) noexcept override {}
    void write(text::Level, std::string_view message) noexcept override {
        complaints_ += std::string(message) + "\n";
    }

  private:
    apr_pool_t* pool_ = nullptr;
    store::Connection connection_;
    store::TableNames names_;
    std::string complaints_;
    std::unique_ptr<store::DatabaseStore> store_;
};

/// Every test begins without the objects of schema --scale. On SQLite, there is nothing to
/// test.
class ScaleScene : public Scene {
  public:
    void setup() override {
        Scene::setup();
        params_ = database().params();
    }
    void teardown() override;

  protected:
    /// Runs schema --scale for "user". Returns its output.
    static std::string scale(SourceLocation where = {}) {
        return done(ctl({"schema", "--scale"}), where);
    }
    static std::string check(SourceLocation where = {}) {
        return done(ctl({"check", "--counts"}), where);
    }
    /// Fails unless the counts match the users.
    static void is_exact(SourceLocation where = {});
    /// Returns an INSERT of users with the ids `first` to `last`, created an hour apart.
    static std::string users(int first, int last, const std::string& role = "'user'");
    /// Registers statements that undo a test's schema change at its end.
    void undo(const std::string& statements) { undo_ = statements + ";" + undo_; }

    std::string params_;

  private:
    std::string undo_;
};

} // namespace useradmin::test
