// Records the exchanges between clients and servers, and each server's OpenAPI document. After the
// tests, compares them (tests/integration/exchanges).
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

/// One instance per test executable. Records nothing before begin().
class ExchangeLog {
  public:
    static ExchangeLog& instance();

    /// Starts recording exchanges to a file in the folder.
    void begin(const std::filesystem::path& folder);
    bool is_on() const noexcept { return file_ != nullptr; }

    /// Returns the directives that make a server provide its documents.
    std::string directives() const;
    /// Records that a server was started with the configuration.
    void begin_server(std::uint16_t port, const std::string& configuration);
    /// Records a request and its reply.
    void note(std::uint16_t port, const Request& request, const Reply& reply);
    /// Records raw bytes, which may be an invalid request, and the reply.
    void note(std::uint16_t port, std::string_view bytes, const Reply& reply);
    /// Declares that the running test sends successful requests that are not in the document.
    void exclude_from_document();
    /// Call before a server stops: fetches the documents for the addresses used. If the server does
    /// not reply, records that there is none.
    void end_server(std::uint16_t port) noexcept;

    /// Closes the file and returns whether all exchanges match the documents. Prints those that do
    /// not.
    bool matches_document();

  private:
    struct Server {
        int number = 0;
        /// Its Locations with "UserAdmin On", and those with OpenAPI pages.
        std::vector<std::string> bases = {};
        std::vector<std::string> pages = {};
        /// The hosts and base addresses that were requested.
        std::set<std::pair<std::string, std::string>> asked = {};
    };

    void write(const std::string& line);
    void note(std::uint16_t port, const Request& request, const Reply& reply, bool is_right);
    void ask(const Server& server, std::uint16_t port);
    static void read(const std::string& configuration, Server& server);

    /// Tests may use several threads.
    std::mutex mutex_;
    std::unique_ptr<std::ofstream> file_;
    std::filesystem::path path_;
    std::map<std::uint16_t, Server> servers_;
    std::set<std::string> beside_;
    std::set<std::size_t> seen_;
    int servers_begun_ = 0;
    bool is_asking_ = false;
};

/// Declares that some successful requests of the running test are not in the OpenAPI document.
void exclude_from_document();

} // namespace useradmin::test
