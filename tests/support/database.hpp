#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace useradmin::test {

/// Runs SQL on a connection to PostgreSQL or SQLite. If a statement fails, the test fails.
class Database {
  public:
    using Row = std::vector<std::optional<std::string>>;

    /// Opens a connection with a driver and parameters, as in DBDriver and DBDParams. Fails the
    /// test if it cannot connect.
    Database(std::string_view driver, std::string_view params);
    ~Database();

    /// Returns whether a connection with these parameters can be opened now.
    static bool reachable(std::string_view driver, std::string_view params);

    /// Runs one or more statements that return no rows.
    void run(const std::string& statements);

    /// Inserts a row into a table of better-auth. By default, an address is verified, and the times
    /// of creation and update are 1 January 2026. emailVerified is TRUE or FALSE.
    void insert(const std::string& table, std::vector<std::pair<std::string, std::string>> fields);

    /// Runs a query and returns its rows. NULL is std::nullopt.
    std::vector<Row> rows(const std::string& query);

    /// Returns the first column of the first row, or std::nullopt if the value is NULL or there is
    /// no row.
    std::optional<std::string> value(const std::string& query);

    /// Returns the first column of all rows: "a, b".
    std::string column(const std::string& query);

    /// Returns the result of a query for a single number, such as a count. Fails the test if there
    /// is none.
    long number(const std::string& query);

  private:
    struct Connection;
    std::unique_ptr<Connection> connection_;
};

/// Returns the string as an SQL literal.
std::string sql_literal(std::string_view text);

} // namespace useradmin::test
