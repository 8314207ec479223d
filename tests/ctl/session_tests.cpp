#include "scene.hpp"

#include "crypto/signature.hpp"
#include "support/process.hpp"
#include "text/timestamp.hpp"

#include <filesystem>

namespace useradmin::test {

TEST_GROUP_BASE(session, Scene){};

TEST(session, open_prints_the_token_of_a_session_of_seven_days) {
    const std::string id = create("ana@x.org");
    const std::string token = expect_ok(ctl({"session", "open", "ana@x.org"}));
    CHECK_EQUAL(std::size_t(32), token.size());
    CHECK_EQUAL(
        id, sql()
                .value(R"(SELECT "userId" FROM "session" WHERE "token" = )" + sql_literal(token))
                .value());
}

TEST(session, open_prints_json) {
    const std::string id = create("ana@x.org");
    const Json json(ctl({"session", "open", id, "--json"}).output);
    CHECK_EQUAL(id, json.at("data.userId"));
    CHECK_EQUAL(std::size_t(32), json.at("data.token").size());
    CHECK_EQUAL(std::size_t(24), json.at("data.expiresAt").size());
}

TEST(session, open_signs_the_token_if_there_is_a_secret) {
    const std::string id = create("ana@x.org");
    const auto expect_signed_token = [&](const std::string& token) {
        CHECK(crypto::verify_signature(token, "the s3cr3t").has_value());
        CHECK_EQUAL(1, sql().number(R"(SELECT count(*) FROM "session" WHERE "token" = )" +
                                    sql_literal(token.substr(0, 32))));
    };
    expect_signed_token(expect_ok(
        ctl({"session", "open", id, "--secret", "file:" + file("secret", "the s3cr3t\n")})));
    expect_signed_token(expect_ok(ctl({"session", "open", id, "--secret", "env:APP_SECRET"}, "",
                                      {{"APP_SECRET", "the s3cr3t"}})));
    // The first of several secrets signs the token.
    for (const std::string said : {"\"the s3cr3t\"", "env:APP_SECRET env:FORMER_SECRET"}) {
        const auto configuration =
            file("auth.conf", with_database("AuthUserAdminSecret " + said + "\n"));
        expect_signed_token(expect_ok(ctl_without_database(
            {"--config", configuration, "session", "open", id}, "",
            {{"APP_SECRET", "the s3cr3t"}, {"FORMER_SECRET", "s3cr3t of old"}})));
    }
}

TEST(session, open_warns_that_a_token_is_not_signed) {
    const std::string id = create("ana@x.org");
    CHECK(has(ctl({"session", "open", id}).errors, "the token is not signed"));
    CHECK_EQUAL(std::string(""), ctl({"session", "open", id, "--secret", "env:APP_SECRET"}, "",
                                     {{"APP_SECRET", "the s3cr3t"}})
                                     .errors);
    const auto errors_with = [&](const std::string& more) {
        return ctl_with(more, {"session", "open", id}).errors;
    };
    CHECK(has(errors_with(""), "the token is not signed"));
    // Without a secret, a configuration that looks up sessions requires no signature.
    CHECK_EQUAL(std::string(""), errors_with("AuthUserAdmin On\n"));
}

TEST(session, open_distinguishes_an_unreadable_and_a_missing_secret) {
    const std::string id = create("ana@x.org");
    const auto errors_of = [&](const std::string& secret) {
        return ctl({"session", "open", id, "--secret", "file:" + secret}).errors;
    };
    CHECK(has(errors_of("/nonexistent/secret"),
              "cannot read /nonexistent/secret: No such file or directory"));
    const std::string secret = file("secret", "the s3cr3t\n");
    std::filesystem::permissions(secret, std::filesystem::perms::none);
    const CommandResult ended = run_as_other_account(
        words({"session", "open", id, "--secret", "file:" + secret}), environment());
    std::filesystem::remove(secret);
    CHECK_EQUAL(1, ended.status);
    CHECK(has(ended.errors, secret + ": Permission denied"));
    CHECK_EQUAL(0, sessions_of(id));
}

TEST(session, open_accepts_a_lifetime) {
    const std::string id = create("ana@x.org");
    const auto lifetime_with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"session", "open", id, "--json"});
        const Json json(ctl(std::move(more)).output);
        return text::parse_timestamp(json.at("data.expiresAt")).value() - text::now();
    };
    const auto is_about = [](auto length, auto wanted) {
        return length <= wanted && length > wanted - std::chrono::minutes(1);
    };
    CHECK(is_about(lifetime_with({}), std::chrono::days(7)));
    CHECK(is_about(lifetime_with({"--for", "1h"}), std::chrono::hours(1)));
    CHECK(is_about(lifetime_with({"--for", "2w"}), std::chrono::days(14)));
    CHECK_EQUAL(2, ctl({"session", "open", id, "--for", "1"}).status);
    CHECK_EQUAL(3, sessions_of(id));
}

TEST(session, open_rejects_an_inline_or_missing_secret) {
    const std::string id = create("ana@x.org");
    CHECK_EQUAL(2, ctl({"session", "open", id, "--secret", "plain"}).status);
    CHECK_EQUAL(1, ctl({"session", "open", id, "--secret", "file:/nonexistent"}).status);
    CHECK_EQUAL(1, ctl({"session", "open", id, "--secret", "env:NO_SUCH_VARIABLE"}).status);
    CHECK_EQUAL(0, sessions_of(id));
}

TEST(session, open_warns_if_the_user_is_banned) {
    const std::string id = create("ana@x.org");
    expect_ok(ctl({"ban", id}));
    const CommandResult ended = ctl({"session", "open", id});
    CHECK_EQUAL(0, ended.status);
    CHECK(has(ended.errors, "is banned"));
}

TEST(session, list_shows_every_session_but_no_complete_token) {
    const std::string id = create("ana@x.org");
    const std::string first = expect_ok(ctl({"session", "open", id}));
    const std::string second = expect_ok(ctl({"session", "open", id}));
    const std::string text = expect_ok(ctl({"session", "list", "ana@x.org"}));
    CHECK(has(text, first.substr(0, 4) + "…"));
    CHECK(text.ends_with("2 sessions"));
    const std::string json = ctl({"session", "list", id, "--json"}).output;
    CHECK_EQUAL(2, Json(json).size("data"));
    CHECK_EQUAL(std::string("useradminctl"), Json(json).at("data.0.userAgent"));
    for (const std::string& token : {first, second}) {
        CHECK_FALSE(has(text, token));
        CHECK_FALSE(has(json, token));
    }
    CHECK_EQUAL(std::string("0 sessions"),
                expect_ok(ctl({"session", "list", create("bo@x.org", "Bo")})));
}

TEST(session, list_escapes_hostile_user_agents) {
    const std::string id = create("ana@x.org");
    expect_ok(ctl({"session", "open", id}));
    sql().run("UPDATE \"session\" SET \"userAgent\" = " +
              sql_literal("\x1b[2J" + std::string(5000, 'x')));
    const std::string text = expect_ok(ctl({"session", "list", id}));
    CHECK(has(text, "\\x1b[2J"));
    CHECK(text.size() < 1000);
}

TEST(session, revoke_ends_a_session_by_its_id_or_token) {
    const std::string id = create("ana@x.org");
    const std::string first = expect_ok(ctl({"session", "open", id}));
    const std::string second = expect_ok(ctl({"session", "open", id}));
    const std::string third = expect_ok(ctl({"session", "open", id}));
    expect_ok(ctl({"session", "open", id}));
    const std::string session =
        sql().value(R"(SELECT "id" FROM "session" WHERE "token" = )" + sql_literal(first)).value();
    CHECK_EQUAL(std::string("1 session was ended"),
                expect_ok(ctl({"session", "revoke", id, session})));
    expect_ok(ctl({"session", "revoke", "ana@x.org", second}));
    const Json json(ctl({"session", "revoke", third + ".c2lnbmF0dXJl", "--json"}).output);
    CHECK_EQUAL(std::string("1"), json.at("data.revoked"));
    CHECK_EQUAL(1, sessions_of(id));
}

TEST(session, revoke_reads_a_token_from_standard_input) {
    const std::string id = create("ana@x.org");
    const std::string first = expect_ok(ctl({"session", "open", id}));
    const std::string second = expect_ok(ctl({"session", "open", id}));
    CHECK_EQUAL(std::string("1 session was ended"),
                expect_ok(ctl({"session", "revoke", "-"}, first + "\n")));
    CHECK_EQUAL(4, ctl({"session", "revoke", "-"}, first + "\n").status);
    CHECK_EQUAL(std::string("1 session was ended"),
                expect_ok(ctl({"session", "revoke", "ana@x.org", "-"}, second + "\n")));
    CHECK_EQUAL(0, sessions_of(id));
    CHECK_EQUAL(2, ctl({"session", "revoke", "-"}).status);
}

TEST(session, revoke_ends_all_sessions_of_a_user) {
    const std::string id = create("ana@x.org");
    const std::string other = create("bo@x.org", "Bo");
    for (const std::string& user : {id, id, other})
        expect_ok(ctl({"session", "open", user}));
    CHECK_EQUAL(std::string("2 sessions were ended"),
                expect_ok(ctl({"session", "revoke", "ana@x.org", "--all"})));
    CHECK_EQUAL(0, sessions_of(id));
    CHECK_EQUAL(1, sessions_of(other));
}

TEST(session, revoke_of_a_missing_session_exits_with_4) {
    const std::string id = create("ana@x.org");
    const std::string other = create("bo@x.org", "Bo");
    const std::string token = expect_ok(ctl({"session", "open", other}));
    CHECK_EQUAL(4, ctl({"session", "revoke", id, token}).status);
    CHECK_EQUAL(4, ctl({"session", "revoke", "no-such-token"}).status);
    CHECK_EQUAL(1, sessions_of(other));
}

TEST(session, revoke_requires_one_of_its_three_forms) {
    const std::string id = create("ana@x.org");
    CHECK_EQUAL(2, ctl({"session", "revoke", "ana@x.org"}).status);
    CHECK_EQUAL(2, ctl({"session", "revoke", "ana@x.org", "x", "--all"}).status);
    CHECK_EQUAL(2, ctl({"session", "revoke", "ana@x.org", ""}).status);
    CHECK_EQUAL(2, ctl({"session", "revoke"}).status);
    CHECK_EQUAL(2, ctl({"session"}).status);
    CHECK_EQUAL(2, ctl({"session", "close", id}).status);
}

} // namespace useradmin::test
