// Records HTTP exchanges and each server's OpenAPI document, and compares them after the tests
// (tests/integration/exchanges).
#pragma once

#include "support/http_client.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace useradmin::test {

/// Records nothing before begin(). There is one instance per test executable.
class ExchangeLog {
  public:
    static ExchangeLog& instance();

    /// Starts recording to the file "exchanges" in a directory.
    void begin(const std::filesystem::path& folder);
    bool is_on() const noexcept { return file_ != nullptr; }

    /// Returns the directives that make a server provide its OpenAPI documents, or an empty string
    /// if nothing is recorded.
    std::string directives() const;
    /// Records that a server was started with this configuration.
    void begin_server(std::uint16_t port, const std::string& configuration);
    void note(std::uint16_t port, const Request& request, const Response& response);
    /// Records a request that was sent as raw bytes, which need not be valid HTTP, and its
    /// response.
    void note(std::uint16_t port, std::string_view bytes, const Response& response);
    /// Declares that the running test sends successful requests that are not in the OpenAPI
    /// document.
    void exclude_from_document();
    /// Fetches the OpenAPI document of each base address that was requested. Call it before the
    /// server stops. Unless the server responds with 200, records that there is no document.
    void end_server(std::uint16_t port) noexcept;

    /// Closes the file. Returns whether all exchanges match the documents, and prints those that do
    /// not.
    bool matches_document();

  private:
    struct Server {
        int number = 0;
        /// Locations with "UserAdmin On".
        std::vector<std::string> bases = {};
        /// Locations with "UserAdmin Off" or a useradmin-* handler. Their exchanges are not
        /// recorded.
        std::vector<std::string> pages = {};
        /// The hosts and base addresses that were requested.
        std::set<std::pair<std::string, std::string>> asked = {};
    };

    void write(const std::string& line);
    void note(std::uint16_t port, const Request& request, const Response& response, bool is_valid);
    void ask(const Server& server, std::uint16_t port);
    static void read(const std::string& configuration, Server& server);

    /// Some tests send requests from several threads.
    std::mutex mutex_;
    std::unique_ptr<std::ofstream> file_;
    std::filesystem::path path_;
    std::map<std::uint16_t, Server> servers_;
    std::set<std::string> excluded_;
    std::set<std::size_t> seen_;
    int servers_begun_ = 0;
    bool is_asking_ = false;
};

/// Declares that some successful requests of the running test are not in the OpenAPI document.
void exclude_from_document();

} // namespace useradmin::test
