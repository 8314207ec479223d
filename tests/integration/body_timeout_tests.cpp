// UserAdminBodyTimeout and httpd's Timeout when the time of day is changed during a request.
#include "own_httpd.hpp"

#include "support/files.hpp"
#include "support/machine.hpp"
#include "support/raw_connection.hpp"

#include <cstdint>
#include <fstream>

namespace useradmin::test {

class BodyTimeout : public OwnHttpd {
  protected:
    void setup() override {
        OwnHttpd::setup();
        shift_file_ = Suite::current().work().path() / "clock shift";
    }

    /// Starts httpd and sends the head of a request. When httpd waits for the body, shifts the
    /// clock.
    std::unique_ptr<RawConnection> send_head(const std::string& directives,
                                             std::chrono::microseconds shift) {
        write_shift(std::chrono::microseconds(0));
        environment_ = {{"LD_PRELOAD", machine::built("tests/shifted_clock.so").string()},
                        {"TEST_CLOCK_SHIFT", shift_file_.string()}};
        start(directives + location("/api/users", as_sara));
        auto connection = std::make_unique<RawConnection>(httpd_->port());
        CHECK(connection->send("PUT /api/users/ulises-1 HTTP/1.1\r\nHost: localhost\r\n"
                               "Expect: 100-continue\r\nConnection: close\r\nContent-Length: " +
                               std::to_string(body_.size()) + "\r\n\r\n"));
        const std::string interim = connection->receive_until("\r\n\r\n");
        CHECK_TEXT(interim.starts_with("HTTP/1.1 100 "), interim.c_str());
        write_shift(shift);
        return connection;
    }

    const std::string body_ = R"({"name":"Odysseus"})";

  private:
    void write_shift(std::chrono::microseconds shift) {
        const std::int64_t count = shift.count();
        // httpd maps the file, so it must not be truncated.
        if (!std::filesystem::exists(shift_file_))
            write_file(shift_file_, std::string(sizeof count, '\0'));
        std::fstream file(shift_file_, std::ios::in | std::ios::out | std::ios::binary);
        file.write(reinterpret_cast<const char*>(&count), sizeof count);
        CHECK(file.flush().good());
    }

    std::filesystem::path shift_file_;
};

TEST_GROUP_BASE(body_timeout, BodyTimeout){};

TEST(body_timeout, is_not_shortened_if_the_clock_is_set_forward) {
    if (!Suite::current().is_event_without_sanitizers())
        return;
    const auto connection = send_head("UserAdminBodyTimeout 60\n", std::chrono::hours(1));
    for (const char& byte : body_) {
        CHECK_FALSE(connection->has_input(std::chrono::milliseconds(10)));
        CHECK(connection->send(std::string_view(&byte, 1)));
    }
    expect_success(parse_response(connection->receive_all()));
}

TEST(body_timeout, is_not_extended_if_the_clock_is_set_back) {
    if (!Suite::current().is_event_without_sanitizers())
        return;
    for (const char* directives :
         {"UserAdminBodyTimeout 1\n", "UserAdminBodyTimeout 60\nTimeout 1\n"}) {
        const auto connection = send_head(directives, -std::chrono::hours(1));
        const Response response = parse_response(connection->receive_all());
        CHECK_EQUAL_TEXT(408, response.status, directives);
        expect_error(response, 408, "Tiempo de espera agotado");
    }
}

} // namespace useradmin::test
