// UserAdminAuditLog: one line for each change and rejection, in one chain to which all processes
// write.
#include "own_httpd.hpp"
#include "traced_users.hpp"

#include "support/load.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"
#include "support/small_disk.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <set>
#include <sys/stat.h>

namespace useradmin::test {

namespace {

constexpr const char* cheap_hash = "UserAdminPasswordHash argon2id m=64 t=1 p=1\n";

/// Returns the value of a member: a string's characters, or the JSON of any other value.
std::string value_of_member(const std::string& line, const std::string& name) {
    const std::string key = "\"" + name + "\":";
    const std::size_t at = line.find(key);
    if (at == std::string::npos)
        return "(absent)";
    const std::size_t start = at + key.size();
    if (line[start] == '"')
        return line.substr(start + 1, line.find('"', start + 1) - start - 1);
    if (line[start] == '{')
        return line.substr(start, line.find('}', start) + 1 - start);
    return line.substr(start, line.find_first_of(",}", start) - start);
}

/// Returns "operation result status caller role target" and the reason, if there is one.
std::string summary_of(const std::string& line) {
    std::string text;
    for (const char* name : {"operation", "result", "status", "caller", "role", "target", "reason"})
        if (const std::string value = value_of_member(line, name); value != "(absent)")
            text += (text.empty() ? "" : " ") + value;
    return text;
}

} // namespace

class AuditScene : public OwnHttpd {
  protected:
    void setup() override {
        OwnHttpd::setup();
        static int number = 0;
        folder_ = Suite::current().work().make("audit-" + std::to_string(++number));
        log_ = folder_ / "audit.log";
    }

    /// Starts the service with sessions and sign-in. Callers send bearer tokens.
    void start_audited(const std::string& required = "", const std::string& more = "",
                       const std::vector<std::string>& modules = {}) {
        start(directive(log_, required) + more + cheap_hash +
                  location("/api/users", "AuthUserAdmin On") + sign_in("/api/auth", ""),
              modules);
    }
    static std::string directive(const std::filesystem::path& log, const std::string& required) {
        return "UserAdminAuditLog \"" + log.string() + "\" " + required + "\n";
    }

    Response call(Caller caller, const std::string& method, const std::string& path,
                  const std::string& body = {}, std::vector<std::string> headers = {}) {
        if (caller != Caller::nobody)
            headers.push_back(bearer(caller));
        if (!body.empty())
            headers.emplace_back("Content-Type: application/json");
        return client_->send({method, path, headers,
                              body.empty() ? std::optional<std::string>() : std::optional(body)});
    }

    std::vector<std::string> lines() const { return lines_of(read_file(log_)); }
    std::string last_line() const {
        const auto all = lines();
        return all.empty() ? "(none)" : all.back();
    }

    static CommandResult verify(std::vector<std::string> files) {
        files.insert(files.begin(), {machine::built("useradminctl").string(), "audit", "verify"});
        return test::run({files, machine::sanitizer_environment()});
    }
    static void check_chain(const std::vector<std::string>& files, SourceLocation where = {}) {
        const CommandResult finished = verify(files);
        if (finished.status != 0)
            fail_test("the chain is broken: " + finished.output + finished.errors, where);
    }

    /// Starts threads that change a user. changes_ counts the successful responses.
    Load start_changes() {
        const auto change = [this](int, int turn) {
            const std::string body = R"({"name":"N)" + std::to_string(turn) + "\"}";
            if (send_alone(httpd_->port(), "PUT", "/api/users/ulises-1", body).status == 200)
                ++changes_;
        };
        return Load(4, change);
    }
    void await_changes(int count) {
        const int before = changes_;
        CHECK(eventually([&] { return changes_ > before + count; }));
    }

    std::filesystem::path folder_;
    std::filesystem::path log_;
    std::atomic<int> changes_{0};
};

TEST_GROUP_BASE(audit, AuditScene){};
TEST_GROUP_BASE(postgresql_audit, AuditScene){};

TEST(audit, has_a_line_for_each_change_with_both_values) {
    start_audited();
    const auto id =
        text_member(call(Caller::super_admin, "POST", "/api/users", user_json("eva@x.org")), "id");
    CHECK_EQUAL("create done 200 sara-1 superAdmin " + id, summary_of(last_line()));
    CHECK_EQUAL(std::string("(absent)"), value_of_member(last_line(), "old"));
    const std::string created = value_of_member(last_line(), "new");
    CHECK(created.starts_with(R"({"id":")" + id +
                              R"(","name":"Eva","email":"eva@x.org","role":"user",)"
                              R"("emailVerified":true,"image":null,"createdAt":"20)"));
    CHECK(created.ends_with(R"("banned":false,"banReason":null,"banExpires":null})"));
    CHECK_EQUAL(std::string("127.0.0.1"), value_of_member(last_line(), "address"));

    CHECK_EQUAL(200, call(Caller::super_admin, "PUT", "/api/users/" + id,
                          R"({"name":"Eva \"M\"","role":"admin","banned":true})")
                         .status);
    CHECK_EQUAL("update done 200 sara-1 superAdmin " + id, summary_of(last_line()));
    CHECK_EQUAL(std::string(R"({"name":"Eva","role":"user","banned":false})"),
                value_of_member(last_line(), "old"));
    CHECK_EQUAL(std::string(R"({"name":"Eva \"M\"","role":"admin","banned":true})"),
                value_of_member(last_line(), "new"));

    CHECK_EQUAL(200, call(Caller::super_admin, "DELETE", "/api/users/" + id).status);
    CHECK_EQUAL("delete done 200 sara-1 superAdmin " + id, summary_of(last_line()));
    CHECK(value_of_member(last_line(), "old")
              .starts_with(R"({"id":")" + id + R"(","name":"Eva \"M\"","email":"eva@x.org")"));
    CHECK_EQUAL(std::string("(absent)"), value_of_member(last_line(), "new"));
    CHECK_EQUAL(std::size_t(3), lines().size());
    check_chain({log_.string()});
}

TEST(audit, has_a_line_for_each_rejected_change) {
    start_audited();
    const std::tuple<Caller, const char*, const char*, const char*, const char*> rejections[] = {
        {Caller::nobody, "GET", "/api/users", "", "list refused 401 null null null"},
        {Caller::user, "GET", "/api/users/ada-1", "", "get refused 403 ulises-1 user ada-1"},
        {Caller::user, "POST", "/api/users", "{}", "create refused 403 ulises-1 user null"},
        {Caller::admin, "POST", "/api/users",
         R"({"name":"N","email":"n@x.org","password":"s3cr3t","role":"admin"})",
         "create refused 403 ada-1 admin n@x.org"},
        {Caller::admin, "POST", "/api/users",
         R"({"name":"N","email":"ulises@example.org","password":"s3cr3t","role":"user"})",
         "create refused 400 ada-1 admin ulises@example.org"},
        {Caller::admin, "PUT", "/api/users/ulises-1", R"({"role":"admin"})",
         "update refused 403 ada-1 admin ulises-1"},
        {Caller::admin, "PUT", "/api/users/nobody", R"({"name":"N"})",
         "update refused 404 ada-1 admin nobody"},
        {Caller::admin, "DELETE", "/api/users/ulises-1", "",
         "delete refused 403 ada-1 admin ulises-1"},
        {Caller::super_admin, "DELETE", "/api/users/sara-1", "",
         "delete refused 400 sara-1 superAdmin sara-1"},
        {Caller::super_admin, "PUT", "/api/users/ulises-1", "{",
         "update failed 500 sara-1 superAdmin ulises-1"},
    };
    std::size_t count = 0;
    for (const auto& [who, method, path, body, expected] : rejections) {
        CHECK(call(who, method, path, body).status >= 400);
        CHECK_EQUAL(std::string(expected), summary_of(last_line()));
        ++count;
        CHECK_EQUAL(count, lines().size());
    }
    CHECK_EQUAL(200, call(Caller::super_admin, "GET", "/api/users").status);
    CHECK_EQUAL(200, call(Caller::user, "GET", "/api/users/ulises-1").status);
    CHECK_EQUAL(404, call(Caller::admin, "GET", "/api/users/nobody").status);
    CHECK_EQUAL(204, call(Caller::nobody, "OPTIONS", "/api/users").status);
    CHECK_EQUAL(count, lines().size());
    check_chain({log_.string()});
}

TEST(audit, has_lines_for_sign_in_sign_out_and_rejected_tokens) {
    start_audited("",
                  "LogLevel auth_useradmin:info\nRemoteIPHeader X-Client\n"
                  "RemoteIPInternalProxy 127.0.0.1\n",
                  {"mod_remoteip.so"});
    allow_log("UA03");
    call(Caller::super_admin, "POST", "/api/users", user_json("eva@x.org"));
    const auto id = value_of_member(last_line(), "target");
    const auto in = call(Caller::nobody, "POST", "/api/auth/sign-in/email",
                         sign_in_body("eva@x.org", right_password));
    CHECK_EQUAL(200, in.status);
    CHECK_EQUAL("sign-in done 200 " + id + " user " + id, summary_of(last_line()));
    CHECK_EQUAL(401, call(Caller::nobody, "POST", "/api/auth/sign-in/email",
                          sign_in_body("eva@x.org", "s3cr3t"))
                         .status);
    CHECK_EQUAL(std::string("sign-in refused 401 null null eva@x.org wrong-password"),
                summary_of(last_line()));
    call(Caller::nobody, "POST", "/api/auth/sign-in/email", sign_in_body("nobody@x.org", "s3cr3t"),
         {"X-Client: 192.0.2.1"});
    CHECK_EQUAL(std::string("unknown-address"), value_of_member(last_line(), "reason"));
    CHECK_EQUAL(std::string("192.0.2.1"), value_of_member(last_line(), "address"));
    CHECK_EQUAL(std::string("nobody@x.org"), value_of_member(last_line(), "target"));

    const auto token = text_member(in, "token");
    CHECK_EQUAL(
        200, client_->send({"POST", "/api/auth/sign-out", {"Authorization: Bearer " + token}, "{}"})
                 .status);
    CHECK_EQUAL("sign-out done 200 null null " + id, summary_of(last_line()));
    const std::size_t before = lines().size();
    CHECK_EQUAL(
        401,
        client_
            ->send({"GET", "/api/users", {"Authorization: Bearer " + token, "X-Client: 192.0.2.2"}})
            .status);
    CHECK_EQUAL(before + 1, lines().size());
    CHECK_EQUAL(std::string("use-session refused 401 null null null unknown-token"),
                summary_of(last_line()));
    check_chain({log_.string()});
    const std::string text = read_file(log_);
    for (const std::string& secret :
         {std::string("s3cr3t"), token, token_of(Caller::super_admin), std::string("$argon2id")})
        CHECK_EQUAL(std::string::npos, text.find(secret));
}

TEST(audit, logs_a_token_that_only_a_subrequest_rejects) {
    expect_log("UA0310");
    start_audited("", handler("/admin", "useradmin-console", ""));
    const Response response =
        client_->send({"GET", "/admin?caller", {"Authorization: Bearer nobodys-token"}});
    CHECK_EQUAL(200, response.status);
    CHECK_EQUAL(1u, lines().size());
    CHECK_EQUAL(std::string("use-session refused 401 null null null unknown-token"),
                summary_of(last_line()));
}

TEST(audit, distinguishes_unsigned_tokens_from_wrong_signatures) {
    expect_log("UA0310");
    const std::string token = token_of(Caller::admin);
    for (const auto& [credential, reason] :
         {std::pair(token, "unsigned-token"),
          {signed_token(token, "another secret"), "invalid-signature"}}) {
        // One httpd would combine both rejections in one line.
        start_audited("", "AuthUserAdminSecret \"file:" + Suite::current().secret_file().string() +
                              "\"\n");
        client_->send({"GET", "/api/users", {"Authorization: Bearer " + credential}});
        CHECK_EQUAL(std::string(reason), value_of_member(last_line(), "reason"));
    }
}

TEST(audit, has_no_line_for_a_token_that_an_ErrorDocument_rejects) {
    expect_log("UA0310");
    start_audited("", "<Location \"/page\">\n  AuthUserAdmin On\n"
                      "</Location>\nErrorDocument 404 /page\n");
    client_->send({"GET", "/none", {"Authorization: Bearer nobodys-token"}});
    CHECK_EQUAL(0u, lines().size());
}

TEST(audit, names_the_request_as_other_logs_do) {
    start_audited("", "ServerName a.test\n", {"mod_unique_id.so"});
    client_->send({"PUT",
                   "/api/users/ulises-1",
                   {bearer(Caller::admin),
                    "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
                   R"({"name":"U"})"});
    CHECK_EQUAL(std::string("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
                value_of_member(last_line(), "trace"));
    CHECK(value_of_member(last_line(), "request").size() >= 24);
    CHECK_EQUAL(std::string("a.test"), value_of_member(last_line(), "server"));
}

TEST(audit, sets_notes_for_the_access_log) {
    const auto access = folder_ / "access.log";
    start("LogFormat \"%{useradmin-action}n|%{useradmin-target}n|%{useradmin-caller}n|"
          "%{useradmin-result}n\" who\nCustomLog \"" +
          access.string() + "\" who\n" + cheap_hash + location("/api/users", "AuthUserAdmin On") +
          sign_in("/api/auth", ""));
    call(Caller::super_admin, "GET", "/api/users");
    call(Caller::user, "PUT", "/api/users/ada-1", "{}");
    const auto id =
        text_member(call(Caller::admin, "POST", "/api/users", user_json("n@x.org")), "id");
    call(Caller::nobody, "POST", "/api/auth/sign-in/email", sign_in_body("n@x.org", "wrong"));
    call(Caller::nobody, "GET", "/elsewhere");
    std::vector<std::string> expected = {"list|-|sara-1|done", "update|ada-1|ulises-1|refused",
                                         "create|" + id + "|ada-1|done",
                                         "sign-in|n@x.org|-|refused", "-|-|-|-"};
    // httpd logs a request while it sends the response, so the lines may be in another order.
    CHECK(eventually([&] { return lines_of(read_file(access)).size() == expected.size(); }));
    std::vector<std::string> written = lines_of(read_file(access));
    std::sort(written.begin(), written.end());
    std::sort(expected.begin(), expected.end());
    for (std::size_t at = 0; at < written.size(); ++at)
        CHECK_EQUAL(expected[at], written[at]);
}

TEST(audit, is_one_chain_across_children_hosts_and_useradminctl) {
    // The second virtual host uses another path to the same file.
    std::filesystem::create_symlink(folder_, folder_ / "also");
    start(directive(log_, "") + as_sara + cheap_hash + location("/api/users", "") +
          virtual_host("localhost", "") +
          virtual_host("b.test", directive(folder_ / "also" / "audit.log", "")));
    constexpr int threads = 6;
    std::atomic<int> answered{0};
    {
        const Load load(threads, [&](int thread, int turn) {
            const RawConnection connection(httpd_->port());
            const std::string body = R"({"name":"N)" + std::to_string(turn) + "\"}";
            connection.send("PUT /api/users/ulises-1 HTTP/1.1\r\nHost: " +
                            std::string(thread % 2 == 0 ? "b.test" : "localhost") +
                            "\r\nConnection: close\r\nContent-Length: " +
                            std::to_string(body.size()) + "\r\n\r\n" + body);
            if (connection.receive_response().starts_with("HTTP/1.1 200"))
                ++answered;
        });
        const auto& database = Suite::current().database();
        for (const char* role : {"admin", "user", "admin", "user"}) {
            const Command command{{machine::built("useradminctl").string(), "--driver",
                                   database.driver(), "--params", database.params(), "--audit-log",
                                   log_.string(), "role", "ulises-1", role},
                                  machine::sanitizer_environment()};
            // SQLite has only one writer at a time, so some changes time out.
            CHECK(eventually([&] { return test::run(command).status == 0; }));
        }
        CHECK(eventually([&] { return answered > 200; }));
    }
    check_chain({log_.string()});
    const auto all = lines();
    CHECK(all.size() >= static_cast<std::size_t>(answered) + 4);
    std::set<std::string> servers;
    for (const std::string& one : all)
        servers.insert(value_of_member(one, "server"));
    CHECK_EQUAL(std::size_t(3), servers.size());
}

TEST(audit, continues_in_a_new_file_after_rotation_under_load) {
    start(directive(log_, "") + as_sara + cheap_hash + location("/api/users", ""));
    std::vector<std::string> files = {log_.string()};
    {
        const Load load = start_changes();
        for (int rotation = 1; rotation <= 3; ++rotation) {
            await_changes(20);
            files.push_back(log_.string() + "." + std::to_string(rotation));
            std::filesystem::rename(log_, files.back());
            httpd_->restart_gracefully();
        }
        await_changes(20);
    }
    check_chain(files);
    std::size_t count = 0;
    for (const std::string& file : files) {
        CHECK(!lines_of(read_file(file)).empty());
        count += lines_of(read_file(file)).size();
    }
    CHECK_EQUAL(static_cast<std::size_t>(changes_), count);
    // The chain continues after a restart of httpd.
    stop();
    start(directive(log_, "") + as_sara + location("/api/users", ""));
    call(Caller::nobody, "DELETE", "/api/users/nobody");
    check_chain(files);
    // Verification reports a missing old file.
    files.erase(files.begin() + 2);
    CHECK(verify(files).output.find("missing") != std::string::npos);
}

TEST(audit, survives_killed_children) {
    for (const char* part : {"exit signal Killed", "UA0", "dbd", "AH00"})
        allow_log(part);
    start(directive(log_, "required") + as_sara + cheap_hash + location("/api/users", ""));
    {
        const Load load = start_changes();
        for (int kills = 0; kills < machine::times(4, 300); ++kills) {
            await_changes(3);
            for (const pid_t child : children_of(httpd_->main_process()))
                kill(child, SIGKILL);
        }
        await_changes(3);
    }
    check_chain({log_.string()});
    CHECK(lines().size() >= static_cast<std::size_t>(changes_));
}

TEST(audit, rejects_a_change_if_a_required_line_cannot_be_written) {
    const SmallDisk disk(folder_);
    if (!disk)
        return;
    start_audited("required");
    call(Caller::super_admin, "POST", "/api/users", user_json("eva@x.org"));
    const auto eva = value_of_member(last_line(), "target");
    CHECK_EQUAL(200,
                call(Caller::admin, "PUT", "/api/users/ulises-1", R"({"name":"Before"})").status);
    // On a full disk, only part of a line fits into the last page.
    expect_log("UA0401: cannot write the audit log: No space left on device; changes are "
               "rejected until it can be written");
    disk.fill();
    int rejected = 0;
    for (int turn = 0; turn < 40 && rejected == 0; ++turn)
        rejected =
            call(Caller::admin, "PUT", "/api/users/ulises-1", R"({"name":"Room"})").status == 503;
    CHECK_EQUAL(1, rejected);
    const std::size_t before = lines().size();
    CHECK_EQUAL(503,
                call(Caller::admin, "PUT", "/api/users/ulises-1", R"({"name":"After"})").status);
    CHECK_EQUAL(503, call(Caller::admin, "POST", "/api/users", user_json("n@x.org")).status);
    CHECK_EQUAL(503, call(Caller::super_admin, "DELETE", "/api/users/ada-1").status);
    CHECK_EQUAL(503, call(Caller::nobody, "POST", "/api/auth/sign-in/email",
                          sign_in_body("eva@x.org", right_password))
                         .status);
    // Requests that change nothing still succeed.
    CHECK_EQUAL(403, call(Caller::user, "DELETE", "/api/users/ada-1").status);
    CHECK_EQUAL(200, call(Caller::admin, "GET", "/api/users").status);
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM \"user\" WHERE \"name\" = 'After' OR "
                                "\"email\" = 'n@x.org'"));
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"user\" WHERE \"id\" = 'ada-1'"));
    CHECK_EQUAL(
        0, sql().number("SELECT count(*) FROM \"session\" WHERE \"userId\" = " + sql_literal(eva)));
    CHECK_EQUAL(before, lines().size());
    disk.free();
    CHECK_EQUAL(200,
                call(Caller::admin, "PUT", "/api/users/ulises-1", R"({"name":"After"})").status);
    CHECK_EQUAL(200, call(Caller::super_admin, "DELETE", "/api/users/" + eva).status);
    CHECK(value_of_member(last_line(), "old").find("eva@x.org") != std::string::npos);
    check_chain({log_.string()});
}

TEST(audit, keeps_400_for_a_registered_address_if_required) {
    start_audited("required");
    const std::string eva = user_json("eva@x.org");
    expect_success(call(Caller::super_admin, "POST", "/api/users", eva));
    expect_error(call(Caller::super_admin, "POST", "/api/users", eva), 400,
                 "El email ya está registrado");
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"user\" WHERE \"email\" = 'eva@x.org'"));
    check_chain({log_.string()});
}

TEST(audit, allows_a_change_if_an_optional_line_cannot_be_written) {
    const SmallDisk disk(folder_);
    if (!disk)
        return;
    start_audited();
    call(Caller::nobody, "DELETE", "/api/users/a");
    expect_log("UA0401: cannot write the audit log: No space left on device");
    disk.fill();
    // On a full disk, only the free space in the last page is left.
    for (int turn = 0; turn < 40; ++turn)
        CHECK_EQUAL(200,
                    call(Caller::admin, "PUT", "/api/users/ulises-1", R"({"name":"U"})").status);
    CHECK(lines().size() < 41);
}

TEST(postgresql_audit, corrects_the_line_of_a_rolled_back_change) {
    start_audited("required");
    allow_log("UA010");
    sql().run(
        "CREATE FUNCTION useradmin_refuses() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE "
        "EXCEPTION ''no''; END'; CREATE CONSTRAINT TRIGGER useradmin_late AFTER UPDATE ON "
        "\"user\" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "
        "useradmin_refuses()");
    const int status =
        call(Caller::admin, "PUT", "/api/users/ulises-1", R"({"name":"After"})").status;
    sql().run("DROP TRIGGER useradmin_late ON \"user\"; DROP FUNCTION useradmin_refuses()");
    CHECK_EQUAL(500, status);
    const auto all = lines();
    CHECK_EQUAL(std::size_t(2), all.size());
    CHECK_EQUAL(std::string("update done 200 ada-1 admin ulises-1"), summary_of(all[0]));
    CHECK_EQUAL(std::string("update failed 500 ada-1 admin ulises-1"), summary_of(all[1]));
    CHECK_EQUAL(std::string("1"), value_of_member(all[1], "corrects"));
    CHECK_EQUAL(std::string("(absent)"), value_of_member(all[1], "new"));
}

TEST(audit, has_the_status_that_httpd_sent) {
    start_audited("", "LimitRequestBody 512\n");
    const std::string body = R"({"name":")" + std::string(600, 'x') + "\"}";
    CHECK_EQUAL(413, call(Caller::super_admin, "PUT", "/api/users/ulises-1", body).status);
    CHECK_EQUAL(std::string("update refused 413 sara-1 superAdmin ulises-1"),
                summary_of(last_line()));
}

TEST(postgresql_audit, reports_an_unanswered_commit_as_unknown) {
    expect_log("UA0107");
    // The test's own connection does not wait for the missing standby.
    TestDatabase waiting(Suite::current().work(), Kind::postgresql, "no-standby",
                         {"synchronous_standby_names=nobody", "synchronous_commit=local"});
    waiting.sql().insert("user",
                         {{"id", "ada"}, {"name", "Ada"}, {"email", "ada@x"}, {"role", "user"}});
    for (const std::string required : {"", "required"}) {
        stop();
        start("DBDParams \"" + waiting.params() +
              " options='-c synchronous_commit=on'\"\nUserAdminTimeout 4\n" +
              directive(log_, required) + as_sara + location("/api/users", ""));
        const std::string name = "Ada" + required;
        CHECK_EQUAL(
            503,
            call(Caller::nobody, "PUT", "/api/users/ada", R"({"name":")" + name + "\"}").status);
        CHECK_EQUAL(std::string("update unknown 503 sara-1 superAdmin ada"),
                    summary_of(last_line()));
        CHECK_EQUAL(std::string(required.empty() ? "(absent)" : "2"),
                    value_of_member(last_line(), "corrects"));
        CHECK(eventually([&] {
            waiting.sql().rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                               "wait_event = 'SyncRep'");
            return waiting.sql().value("SELECT \"name\" FROM \"user\"") == name;
        }));
    }
    const CommandResult finished = verify({log_.string()});
    CHECK_EQUAL(0, finished.status);
    for (const char* part : {"unknown: ", ", line 1, number 1\n", ", line 3, number 3\n",
                             "The outcome of 2 changes is unknown"})
        CHECK_TEXT(finished.output.find(part) != std::string::npos, finished.output.c_str());
}

TEST(audit, is_one_chain_for_a_program_across_restarts) {
    start("UserAdminAuditLog \"|/bin/sh -c 'cat >> " + log_.string() + "'\"\n" + as_sara +
          cheap_hash + location("/api/users", ""));
    {
        const Load load = start_changes();
        await_changes(50);
        httpd_->restart_gracefully();
        await_changes(50);
    }
    CHECK(eventually([&] { return lines().size() == static_cast<std::size_t>(changes_); }));
    check_chain({log_.string()});
}

TEST(audit, program_logs_a_request_that_a_reload_interrupts) {
    // Without exec, SIGTERM would end only the shell.
    start("UserAdminAuditLog \"|/bin/sh -c 'exec cat >> " + log_.string() + "'\" required\n" +
          as_sara + location("/api/users", ""));
    const std::string body = R"({"name":"Late"})";
    {
        const RawConnection connection(httpd_->port());
        CHECK(connection.send("PUT /api/users/ulises-1 HTTP/1.1\r\nHost: localhost\r\n"
                              "Expect: 100-continue\r\nConnection: close\r\nContent-Length: " +
                              std::to_string(body.size()) + "\r\n\r\n"));
        connection.receive_until("\r\n\r\n");
        httpd_->restart_gracefully();
        CHECK(connection.send(body));
        CHECK_EQUAL(200, parse_response(connection.receive_all()).status);
    }
    CHECK(eventually([&] { return lines().size() == 1; }));
    // httpd ends the program if it restarts other than gracefully.
    httpd_->await_restart([&] { kill(httpd_->main_process(), SIGHUP); });
    CHECK_EQUAL(200, send_alone(httpd_->port(), "PUT", "/api/users/ulises-1", body).status);
    CHECK(eventually([&] { return lines().size() == 2; }));
    check_chain({log_.string()});
}

TEST(audit, a_program_that_was_removed_is_reported_at_a_reload) {
    allow_log("AH00"); // Configuration Failed
    expect_log(" is not an executable file; specify its absolute path");
    const auto program = folder_ / "program";
    write_file(program, "#!/bin/sh\nexec cat >> " + log_.string() + "\n");
    std::filesystem::permissions(program, std::filesystem::perms(0755));
    start("UserAdminAuditLog \"|" + program.string() + "\"\n" + as_sara +
          location("/api/users", ""));
    // The shell has read the program once a line is written.
    call(Caller::nobody, "PUT", "/api/users/ulises-1", R"({"name":"Ulises"})");
    CHECK(eventually([&] { return lines().size() == 1; }));
    std::filesystem::remove(program);
    kill(httpd_->main_process(), SIGHUP);
    CHECK(eventually([&] {
        return read_file(httpd_->error_log()).find("not an executable file") != std::string::npos;
    }));
}

TEST(audit, history_of_a_user_is_readable_by_a_super_admin) {
    start_audited("", "UserAdminExtras On\n");
    const auto id =
        text_member(call(Caller::super_admin, "POST", "/api/users", user_json("eva@x.org")), "id");
    const std::string path = "/api/users/" + id;
    call(Caller::super_admin, "PUT", "/api/users/ulises-1", R"({"name":"U"})");
    CHECK_EQUAL(200,
                call(Caller::super_admin, "PUT", path + "/ban", R"({"reason":"spam"})").status);
    CHECK_EQUAL(403, call(Caller::admin, "DELETE", path).status);
    CHECK_EQUAL(403, call(Caller::admin, "GET", path + "/events").status);
    CHECK_EQUAL(200, call(Caller::super_admin, "DELETE", path).status);
    // The lines of the log without the chain's members.
    std::string wanted;
    for (const std::string& one : lines())
        if (value_of_member(one, "target") == id)
            wanted =
                one.substr(0, one.find(",\"host\":")) + "}" + (wanted.empty() ? "" : ",") + wanted;
    CHECK_EQUAL(R"({"success":true,"data":[)" + wanted + R"(],"earlier":null})",
                call(Caller::super_admin, "GET", path + "/events").body);
    // After a restart, the history comes from the new file.
    std::filesystem::rename(log_, log_.string() + ".1");
    httpd_->restart_gracefully();
    const auto has_no_events = [&] {
        return call(Caller::super_admin, "GET", path + "/events").body ==
               R"({"success":true,"data":[],"earlier":null})";
    };
    CHECK(eventually(has_no_events));
}

TEST(audit, piped_log_has_no_history) {
    start("UserAdminExtras On\n" + as_sara +
          location("/api/users", "UserAdminAuditLog \"|/bin/cat\"") + location("/none", ""));
    for (const char* path : {"/api/users/ulises-1/events", "/none/ulises-1/events"})
        CHECK_EQUAL(std::string(R"({"success":false,"error":"No hay un registro de auditoría que )"
                                R"(leer"})"),
                    call(Caller::nobody, "GET", path).body);
}

TEST(audit, is_readable_by_owner_and_group_only) {
    start_audited();
    call(Caller::nobody, "DELETE", "/api/users/a");
    for (const std::string& name : {log_.string(), log_.string() + ".chain"}) {
        struct stat found = {};
        CHECK_EQUAL(0, stat(name.c_str(), &found));
        CHECK_EQUAL(0640u, found.st_mode & 0777u);
    }
}

TEST(audit, has_no_lines_for_a_Location_with_none) {
    start(directive(log_, "") + as_sara + location("/api/users", "UserAdminAuditLog none") +
          location("/told/users", ""));
    client_->send({"DELETE", "/api/users/a"});
    CHECK_EQUAL(std::size_t(0), lines().size());
    client_->send({"DELETE", "/told/users/a"});
    CHECK_EQUAL(std::size_t(1), lines().size());
}

} // namespace useradmin::test
