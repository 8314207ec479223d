// Keeps what clients and servers said to each other, with what each server says of itself: whether
// the two agree is looked at once the tests have run (tests/integration/exchanges).
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

/// There is one for a test executable. Nothing is kept before begin().
class ExchangeLog {
  public:
    static ExchangeLog& instance();

    /// From now on exchanges go to a file in the folder.
    void begin(const std::filesystem::path& folder);
    bool is_on() const noexcept { return file_ != nullptr; }

    /// What a server's configuration has to hold, so that it says of itself what it is.
    std::string directives() const;
    /// A server began, with this configuration.
    void begin_server(std::uint16_t port, const std::string& configuration);
    /// The server answered.
    void note(std::uint16_t port, const Request& request, const Reply& reply);
    /// The server answered what was sent as these bytes, which may be no right request.
    void note(std::uint16_t port, std::string_view bytes, const Reply& reply);
    /// The test that runs sends what the document does not describe, and is answered all the same.
    void exclude_from_document();
    /// The server is about to end: asks it for the documents of what it was asked about. One that
    /// does not answer has none, and is taken for one like all others.
    void end_server(std::uint16_t port) noexcept;

    /// Ends the file, and says whether all that was said is as the documents have it; what is not
    /// is printed.
    bool matches_document();

  private:
    struct Server {
        int number = 0;
        /// Its Locations with "UserAdmin On", and those with pages about it.
        std::vector<std::string> bases = {};
        std::vector<std::string> pages = {};
        /// Which hosts and base addresses were asked for.
        std::set<std::pair<std::string, std::string>> asked = {};
    };

    void write(const std::string& line);
    void note(std::uint16_t port, const Request& request, const Reply& reply, bool is_right);
    void ask(const Server& server, std::uint16_t port);
    static void read(const std::string& configuration, Server& server);

    /// Tests have threads of their own.
    std::mutex mutex_;
    std::unique_ptr<std::ofstream> file_;
    std::filesystem::path path_;
    std::map<std::uint16_t, Server> servers_;
    std::set<std::string> beside_;
    std::set<std::size_t> seen_;
    int servers_begun_ = 0;
    bool is_asking_ = false;
};

/// In a test: some of its requests are answered although the OpenAPI document does not have them.
void exclude_from_document();

} // namespace useradmin::test
