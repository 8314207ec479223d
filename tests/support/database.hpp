// SQL for arranging what a test needs, and for looking at what it left.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::test {

/// A connection to a database of either kind. A statement that fails fails the test.
class Database {
  public:
    using Row = std::vector<std::optional<std::string>>;

    /// Opens it with the driver and the parameters that DBDriver and DBDParams take.
    Database(std::string_view driver, std::string_view params);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    /// Whether such a connection can be opened now.
    static bool reachable(std::string_view driver, std::string_view params);

    /// Runs one or more statements that return no rows.
    void run(const std::string& statements);

    /// Runs a query; NULL is nothing.
    std::vector<Row> rows(const std::string& query);

    /// The first column of the query's one row; NULL and no row are nothing.
    std::optional<std::string> value(const std::string& query);

    /// A count, say.
    long number(const std::string& query);

  private:
    struct Connection;
    std::unique_ptr<Connection> connection_;
};

/// The text as an SQL literal.
std::string sql_literal(std::string_view text);

} // namespace useradmin::test
