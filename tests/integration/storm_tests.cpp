// Sends thousands of concurrent requests that hash a password. Other requests must still succeed,
// and memory use must stay bounded.
#include "own_httpd.hpp"

#include "support/load.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>

namespace useradmin::test {

namespace {

/// Reads one record repeatedly and measures how long each read takes.
class Reader {
  public:
    Reader(std::uint16_t port, std::string path) : client_(port), path_(std::move(path)) {}

    void read() {
        const auto begin = std::chrono::steady_clock::now();
        expect_success(client_.send({"GET", path_}));
        times_.push_back(std::chrono::steady_clock::now() - begin);
    }

    /// Returns the 99th percentile of the times in milliseconds.
    double p99() {
        std::sort(times_.begin(), times_.end());
        return std::chrono::duration<double, std::milli>(times_.at(times_.size() * 99 / 100))
            .count();
    }

  private:
    HttpClient client_;
    std::string path_;
    std::vector<std::chrono::steady_clock::duration> times_;
};

} // namespace

class Storm : public OwnHttpd {
  protected:
    void setup() override {
        OwnHttpd::setup();
        if (!Suite::current().is_event_without_sanitizers())
            return;
        raise_file_limit();
        // SQLite has only one writer at a time, so some changes time out.
        for (const char* line :
             {"UA0215", "UA010", "UA0306", "MaxRequestWorkers", "scoreboard is full"})
            allow_log(line);
        make_database();
        if (own_->kind() == Kind::sqlite)
            own_->sql().run("PRAGMA journal_mode = WAL"); // as useradminctl schema does
        // Use the default hash format, which is expensive.
        start("ServerLimit 4\nStartServers 4\nThreadsPerChild 32\nMaxRequestWorkers 128\n"
              "DBDMax 8\nAuthUserAdminSignInLimit 1000000\n" +
              location("/api/users", as_sara) + test::sign_in("/auth", ""));
    }
    static std::string user_body(const std::string& name) {
        return R"({"name":"N","password":"s3cr3t","role":"user","email":")" + name +
               R"(@example.org"})";
    }

    /// Sends many requests simultaneously, each over its own connection, while another client reads
    /// a record. Each request must succeed or be rejected with Retry-After. Returns how many
    /// succeeded.
    int send_storm(const std::string& path, const std::function<std::string(int)>& body,
                   const std::string& read) {
        Reader idle(httpd_->port(), read);
        for (int time = 0; time < 500; ++time)
            idle.read();
        Reader reader(httpd_->port(), read);
        const int count = machine::times(100, 2000);
        int done = 0;
        int rejected = 0;
        {
            const Load reads(1, [&](int, int) { reader.read(); });
            std::deque<RawConnection> connections;
            for (int number = 0; number < count; ++number) {
                const std::string text = body(number);
                connections.emplace_back(httpd_->port())
                    .send("POST " + path +
                          " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                          "Content-Type: application/json\r\nContent-Length: " +
                          std::to_string(text.size()) + "\r\n\r\n" + text);
            }
            for (const RawConnection& connection : connections) {
                const Response response =
                    parse_response(connection.receive_all(std::chrono::minutes(5)));
                const bool is_rejected = response.status == 503 && response.header("Retry-After");
                CHECK_TEXT(response.status == 200 || is_rejected, response.text().c_str());
                ++(is_rejected ? rejected : done);
            }
        }
        if (machine::is_long())
            std::printf("\n%d at once: %d done, %d rejected; p99 of reads %.1f ms, idle %.1f ms\n",
                        count, done, rejected, reader.p99(), idle.p99());
        return done;
    }
};

TEST_GROUP_BASE(storm, Storm){};

TEST(storm, hash_requests_do_not_stop_reads_or_exhaust_memory) {
    if (!Suite::current().is_event_without_sanitizers())
        return;
    const auto first = send("POST", "/api/users", user_body("first"));
    expect_success(first);
    const std::string path = "/api/users/" + text_member(first, "id");
    const int created = send_storm(
        "/api/users", [](int number) { return user_body("n" + std::to_string(number)); }, path);
    CHECK_EQUAL(1 + created, own_->sql().number("SELECT count(*) FROM \"user\""));
    const int signed_in = send_storm(
        "/auth/sign-in/email",
        [](int) { return std::string(R"({"email":"first@example.org","password":"s3cr3t"})"); },
        path);
    CHECK_EQUAL(signed_in, own_->sql().number("SELECT count(*) FROM \"session\""));
    CHECK(created > 0 && signed_in > 0);
    const long most = children_kib(httpd_->main_process(), "VmHWM") / 1024;
    if (machine::is_long())
        std::printf("%ld MiB at most in all children\n", most);
    CHECK_TEXT(most < 260, (std::to_string(most) + " MiB").c_str());
}

} // namespace useradmin::test
