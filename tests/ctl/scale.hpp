// The ground of the tests of schema --scale, which PostgreSQL alone has.
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

/// A connection whose statements may fail: what an application, or a role without rights, has.
class Session {
  public:
    /// With further words of a connection string, which overrule: "user=reader dbname=other".
    explicit Session(const std::string& params, const std::string& more = "");

    /// Runs statements; the SQLSTATE of the failure, or "".
    std::string run(const std::string& statements);
    /// The first cell of a query; a failure's SQLSTATE, or "(null)".
    std::string value(const std::string& query);
    long number(const std::string& query);
    int backend() const noexcept { return PQbackendPID(connection_.get()); }
    bool is_lost() const noexcept { return PQstatus(connection_.get()) != CONNECTION_OK; }
    void reconnect() { PQreset(connection_.get()); }
    /// What the last failure said.
    std::string error() const { return PQerrorMessage(connection_.get()); }

  private:
    struct Closer {
        void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
    };
    std::unique_ptr<PGconn, Closer> connection_;
};

/// The store as the service has it, on a connection of its own, which has just read the catalogue.
class OpenStore : public store::ConnectionSource, public text::Logger {
  public:
    explicit OpenStore(const std::string& params, const std::string& more = "",
                       const store::TableNames& names = {}, store::Totals* totals = nullptr);
    ~OpenStore() override;
    OpenStore(const OpenStore&) = delete;
    OpenStore& operator=(const OpenStore&) = delete;

    /// The ids of a list, and its total behind them: "a b c of 20".
    std::string list(const store::Filter& filter, const store::Window& window,
                     SourceLocation where = {});
    /// The same of all pages, each after the position where the one before ended.
    std::string walk(const store::Filter& filter, store::Window window, SourceLocation where = {});
    /// The position of the first user of a page.
    store::Position position(const store::Window& window);
    /// The statement that was prepared last.
    std::string last_statement();
    /// The same of the first twenty that a search finds.
    std::string search(std::string_view text, SourceLocation where = {});
    /// Whether it uses the counts and the index of searches.
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

/// Every test begins without the objects of schema --scale. With SQLite, none of it is there to be
/// tested.
class ScaleScene : public Scene {
  public:
    void setup() override {
        Scene::setup();
        params_ = database().params();
    }
    void teardown() override;

  protected:
    /// Runs schema --scale for "user"; what the command says.
    static std::string scale(SourceLocation where = {}) {
        return done(ctl({"schema", "--scale"}), where);
    }
    static std::string check(SourceLocation where = {}) {
        return done(ctl({"check", "--counts"}), where);
    }
    /// Fails unless the counts are those of the users.
    static void is_exact(SourceLocation where = {});
    /// An INSERT of users with the ids "first" to "last", made an hour apart.
    static std::string users(int first, int last, const std::string& role = "'user'");
    /// What a test added to the schema, to be undone at its end.
    void undo(const std::string& statements) { undo_ = statements + ";" + undo_; }

    std::string params_;

  private:
    std::string undo_;
};

} // namespace useradmin::test
