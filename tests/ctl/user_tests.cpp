// Commands that create and change users.
#include "scene.hpp"

#include "password/hash.hpp"
#include "support/files.hpp"

namespace useradmin::test {

TEST_GROUP_BASE(create, Scene){};

TEST(create, prints_only_the_new_id) {
    const std::string id = create("ana@x.org");
    CHECK_EQUAL(std::size_t(36), id.size());
    CHECK_EQUAL(id, sql().value(R"(SELECT "id" FROM "user" WHERE "email" = 'ana@x.org')").value());
}

TEST(create, writes_a_credential_account_whose_hash_verifies_the_password) {
    const std::string id = create("ana@x.org");
    CHECK(password::verify(hash_of(id), "s3cr3t word") == password::Verdict::match);
    CHECK_EQUAL(std::string("ana@x.org"),
                sql().value(R"(SELECT "accountId" FROM "account")").value());
}

TEST(create, skips_a_byte_order_mark_before_the_password) {
    const auto id =
        expect_ok(ctl({"create", "--email", "a@x", "--name", "A"}, "\xef\xbb\xbfs3cr3t word\r\n"));
    CHECK(password::verify(hash_of(id), "s3cr3t word") == password::Verdict::match);
}

TEST(create, hashes_with_scrypt_on_request) {
    const auto id = expect_ok(
        ctl({"create", "--email", "a@x", "--name", "A", "--hash", "scrypt"}, "s3cr3t word\n"));
    CHECK_EQUAL(std::size_t(161), hash_of(id).size());
    CHECK(password::verify(hash_of(id), "s3cr3t word") == password::Verdict::match);
}

TEST(create, follows_the_options_for_account_id_and_email_case) {
    const auto id = expect_ok(ctl({"create", "--email", "ANA@X.ORG", "--name", "A", "--account-id",
                                   "user-id", "--email-case", "lower"},
                                  "s3cr3t word\n"));
    CHECK_EQUAL(id, sql().value(R"(SELECT "accountId" FROM "account")").value());
    CHECK_EQUAL(std::string("ana@x.org"), sql().value(R"(SELECT "email" FROM "user")").value());
}

TEST(create, follows_the_configuration_of_the_service) {
    const auto configuration =
        file("service.conf",
             with_database("# the service\n<Location \"/api/users\">\n  UserAdmin On\n"
                           "  useradminaccountid user-id\n  UserAdminEmailCase \\\n lower\n"
                           "  UserAdminPasswordHash scrypt\n</Location>\n"));
    const auto id = expect_ok(ctl_without_database(
        {"--config", configuration, "create", "--email=Ana@x.org", "--name=Ana"}, "s3cr3t word\n"));
    CHECK_EQUAL(std::size_t(161), hash_of(id).size());
    CHECK_EQUAL(id, sql().value(R"(SELECT "accountId" FROM "account")").value());
    CHECK_EQUAL(std::string("ana@x.org"), sql().value(R"(SELECT "email" FROM "user")").value());
}

TEST(create, with_a_registered_address_exits_with_3) {
    create("ana@x.org");
    const CommandResult ended = ctl({"create", "--email", "ana@x.org", "--name", "B", "--json"});
    CHECK_EQUAL(3, ended.status);
    CHECK_EQUAL(std::string("false"), Json(ended.output).at("success"));
    CHECK_EQUAL(1, sql().number(R"(SELECT count(*) FROM "user")"));
}

TEST(create, prints_the_full_row_as_json) {
    const CommandResult ended =
        ctl({"create", "--email", "ana@x.org", "--name", "Ana", "--json"}, "s3cr3t word\r\n");
    const Json json(ended.output);
    CHECK_EQUAL(std::string("true"), json.at("success"));
    CHECK_EQUAL(std::string("ana@x.org"), json.at("data.email"));
    CHECK_EQUAL(std::string("user"), json.at("data.role"));
    CHECK(password::verify(hash_of(json.at("data.id")), "s3cr3t word") == password::Verdict::match);
}

TEST(create, with_a_missing_value_exits_with_2) {
    CHECK_EQUAL(2, ctl({"create", "--email", "a@x", "--name", "A"}).status);
    CHECK_EQUAL(2, ctl({"create", "--email", "a@x", "--name", "A"}, "\n").status);
    CHECK_EQUAL(2, ctl({"create", "--name", "A"}, "s3cr3t word\n").status);
    CHECK_EQUAL(2, ctl({"create", "--email", "a@x"}, "s3cr3t word\n").status);
    CHECK_EQUAL(2, ctl({"create", "--email", "ax", "--name", "A"}, "s3cr3t word\n").status);
    CHECK_EQUAL(2, ctl({"create", "--email", "a@x", "--name", "A"}, "s3cr3t\xff\n").status);
    CHECK_EQUAL(0, sql().number(R"(SELECT count(*) FROM "user")"));
}

TEST(create, with_an_unknown_role_requires_force) {
    const std::vector<std::string> arguments = {"create", "--email", "a@x",  "--name",
                                                "A",      "--role",  "root", "--force"};
    const CommandResult ended = ctl({arguments.begin(), arguments.end() - 1}, "s3cr3t word\n");
    CHECK_EQUAL(2, ended.status);
    CHECK(has(ended.errors, "'root' is not user, admin or superAdmin"));
    CHECK_EQUAL(0, sql().number(R"(SELECT count(*) FROM "user")"));
    expect_ok(ctl(arguments, "s3cr3t word\n"));
    CHECK_EQUAL(std::string("root"), sql().value(R"(SELECT "role" FROM "user")").value());
}

TEST(create, accepts_password_lengths_that_better_auth_accepts) {
    // This character has two UTF-16 code units.
    const std::string face = "\U0001F600";
    std::string faces[] = {"x", "", "", "x"}; // 7, 8, 128 and 129 units
    for (int count : {3, 4, 64, 64})
        for (int each = 0; each < count; ++each)
            faces[count == 3 ? 0 : count == 4 ? 1 : 2] += face;
    faces[2].resize(faces[2].size() / 2);
    faces[3] += faces[2];
    const auto status_of = [](const std::string& email, const std::string& password,
                              std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"create", "--email", email, "--name", "A"});
        return ctl(std::move(more), password + "\n").status;
    };
    CHECK_EQUAL(2, status_of("a@x", faces[0]));
    CHECK_EQUAL(0, status_of("b@x", faces[1]));
    CHECK_EQUAL(0, status_of("c@x", faces[2]));
    CHECK_EQUAL(2, status_of("d@x", faces[3]));
    CHECK_EQUAL(0, status_of("a@x", faces[0], {"--force"}));
    CHECK_EQUAL(0, status_of("d@x", faces[3], {"--force"}));
    CHECK_EQUAL(2, status_of("e@x", std::string(1025, 'x'), {"--force"}));
    CHECK_EQUAL(2, ctl({"passwd", "a@x"}, "short\n").status);
    CHECK(has(ctl({"passwd", "a@x"}, "short\n").errors, "better-auth accepts 8 to 128"));
    CHECK_EQUAL(0, ctl({"passwd", "a@x", "--force"}, "short\n").status);
}

TEST_GROUP_BASE(list, Scene){};
TEST_GROUP_BASE(sqlite_list, Scene){};

TEST(list, shows_the_users_in_columns_with_their_number) {
    create("ana@x.org", "Ana María");
    create("bo@x.org", "Bo", "admin");
    const std::string text = expect_ok(ctl({"list"}));
    CHECK(text.starts_with("ID "));
    CHECK(has(text, "  Ana María  ana@x.org  user   no      20"));
    CHECK(has(text, "  Bo         bo@x.org   admin  no      20"));
    CHECK(text.ends_with("2 users, page 1 of 1"));
}

TEST(list, filters_by_text_and_role_and_shows_pages) {
    for (const char* name : {"a", "b", "c"})
        create(std::string(name) + "@x.org", name, *name == 'c' ? "admin" : "user");
    CHECK_EQUAL(std::string("b@x.org"),
                Json(ctl({"list", "--search", "B@X", "--json"}).output).at("data.0.email"));
    CHECK_EQUAL(std::string("1"),
                Json(ctl({"list", "--role", "admin", "--json"}).output).at("pagination.total"));
    const Json page(ctl({"list", "--page", "2", "--limit", "2", "--json"}).output);
    CHECK_EQUAL(1, page.size("data"));
    CHECK_EQUAL(std::string("2"), page.at("pagination.totalPages"));
    CHECK(has(expect_ok(ctl({"list", "--search", "nobody"})), "0 users, page 1 of 0"));
}

TEST(list, shows_only_banned_users_on_request) {
    for (const char* name : {"a", "b", "c"})
        create(std::string(name) + "@x.org", name);
    for (const char* banned : {"a@x.org", "c@x.org"})
        expect_ok(ctl({"ban", banned}));
    const Json all(ctl({"list", "--banned", "--json"}).output);
    CHECK_EQUAL(2, all.size("data"));
    CHECK_EQUAL(std::string("c@x.org"), all.at("data.0.email"));
    const Json one(ctl({"list", "--banned", "--search", "a@x", "--json"}).output);
    CHECK_EQUAL(1, one.size("data"));
    CHECK_EQUAL(std::string("a@x.org"), one.at("data.0.email"));
    CHECK(has(expect_ok(ctl({"list", "--banned", "--search", "b@x"})), "0 users"));
}

TEST(list, sorts_by_the_given_key) {
    create("b@x.org", "Ana");
    create("a@x.org", "Cy");
    create("c@x.org", "Bo");
    expect_ok(ctl({"role", "b@x.org", "admin"}));
    const auto order_for_key = [&](const char* key) {
        const Json json(ctl({"list", "--sort", key, "--json"}).output);
        return json.at("data.0.email").substr(0, 1) + json.at("data.1.email").substr(0, 1) +
               json.at("data.2.email").substr(0, 1);
    };
    CHECK_EQUAL(std::string("abc"), order_for_key("email"));
    CHECK_EQUAL(std::string("bca"), order_for_key("name"));
    CHECK_EQUAL(std::string("cab"), order_for_key("createdAt"));
    CHECK_EQUAL(std::string("bca"), order_for_key("updatedAt"));
    CHECK(
        has(ctl({"list", "--sort", "id"}).errors, "createdAt, updatedAt, name, email or lastSeen"));
}

TEST(list, shows_the_last_activity_if_sorted_by_it) {
    for (const auto& [name, seen] :
         {std::pair("a", "2026-03-01"), {"b", "2026-02-01"}, {"c", ""}}) {
        const std::string id = create(std::string(name) + "@x.org", name);
        if (*seen != '\0')
            sql().insert("session", {{"id", name},
                                     {"token", name},
                                     {"userId", id},
                                     {"expiresAt", "2026-11-20T23:30:19.717Z"},
                                     {"updatedAt", std::string(seen) + "T00:00:00.000Z"}});
    }
    const Json json(ctl({"list", "--sort", "lastSeen", "--json"}).output);
    CHECK_EQUAL(std::string("a@x.org"), json.at("data.0.email"));
    CHECK_EQUAL(std::string("2026-03-01T00:00:00.000Z"), json.at("data.0.lastSeenAt"));
    CHECK_EQUAL(std::string("b@x.org"), json.at("data.1.email"));
    CHECK_EQUAL(std::string("c@x.org"), json.at("data.2.email"));
    const std::string text = expect_ok(ctl({"list", "--sort", "lastSeen"}));
    CHECK(has(text, "LAST SEEN"));
    CHECK(has(text, "2026-03-01T00:00:00.000Z"));
    CHECK(!has(expect_ok(ctl({"list"})), "LAST SEEN"));
}

TEST(list, rejects_a_page_or_limit_that_is_not_an_integer) {
    for (const char* wrong : {"0", "-1", "x", "1x", "", "99999999999999999999"}) {
        CHECK_EQUAL(2, ctl({"list", "--page", wrong}).status);
        CHECK_EQUAL(2, ctl({"list", "--limit", wrong}).status);
    }
}

TEST(list, escapes_hostile_and_shortens_long_names) {
    create("evil@x.org", "\x1b]0;a\x07\x1b[31mred\x7f \u009b31m \u202eb", "user");
    create("long@x.org", std::string(20000, 'W') + "\U0001F600", "user");
    const std::string text = expect_ok(ctl({"list"}));
    CHECK(has(text, "\\x1b]0;a\\x07\\x1b[31mred\\x7f \\u009b31m \\u202eb"));
    CHECK(has(text, "WWW…  long@x.org"));
    CHECK(text.size() < 1000);
    const Json json(ctl({"list", "--json"}).output);
    CHECK_EQUAL(std::size_t(20004), json.at("data.0.name").size());
    CHECK_EQUAL(std::string("\x1b]0;a\x07\x1b[31mred\x7f \u009b31m \u202eb"),
                json.at("data.1.name"));
    CHECK(has(expect_ok(ctl({"show", "evil@x.org"})), "\\u202eb"));
}

TEST(sqlite_list, searches_a_utf_16_sqlite_file) {
    const std::string wide = path("wide.db");
    Database database("sqlite3", wide);
    database.run("PRAGMA encoding = 'UTF-16'; CREATE TABLE wide (text)");
    const auto ctl_on_utf_16 = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"--driver", "sqlite3", "--params", wide});
        return expect_ok(ctl_without_database(std::move(arguments)));
    };
    ctl_on_utf_16({"schema"});
    for (const char* id : {"a", "b"})
        database.insert(
            "user",
            {{"id", id}, {"name", std::string("Ána ") + id}, {"email", std::string(id) + "@x"}});
    CHECK(has(ctl_on_utf_16({"list", "--search", "ANA B"}), "1 user, page 1 of 1"));
}

TEST_GROUP_BASE(show, Scene){};

TEST(show, finds_a_user_by_address_or_id) {
    const std::string id = create("ana@x.org", "Ana");
    for (const std::string& word : {id, std::string("ana@x.org")}) {
        const std::string text = expect_ok(ctl({"show", word}));
        CHECK(has(text, "id             " + id));
        CHECK(has(text, "email          ana@x.org"));
        CHECK(has(text, "banExpires     -"));
    }
}

TEST(show, prints_the_user_as_the_interface_shows_it) {
    const std::string id = create("ana@x.org", "Ana \"A\"", "superAdmin");
    const Json json(ctl({"show", id, "--json"}).output);
    CHECK_EQUAL(11, json.size("data"));
    CHECK_EQUAL(std::string("Ana \"A\""), json.at("data.name"));
    CHECK_EQUAL(std::string("superAdmin"), json.at("data.role"));
    CHECK_EQUAL(std::string("(null)"), json.at("data.banExpires"));
}

TEST(show, unknown_user_exits_with_4) {
    const CommandResult by_address = ctl({"show", "nobody@x.org"});
    CHECK_EQUAL(4, by_address.status);
    CHECK(has(by_address.errors, "list --search"));
    CHECK_EQUAL(4, ctl({"show", "no-such-id"}).status);
    CHECK_EQUAL(4, ctl({"show", "--", "--id-with-hyphens"}).status);
    for (const char* command : {"passwd", "ban", "unban"})
        CHECK_EQUAL(4, ctl({command, "nobody@x.org"}, "s3cr3t word\n").status);
    CHECK_EQUAL(4, ctl({"role", "nobody@x.org", "admin"}).status);
    CHECK_EQUAL(4, ctl({"delete", "nobody@x.org", "--yes"}).status);
    CHECK_EQUAL(4, ctl({"session", "open", "nobody@x.org"}).status);
    CHECK_EQUAL(4, ctl({"session", "list", "nobody@x.org"}).status);
}

TEST_GROUP_BASE(passwd, Scene){};

TEST(passwd, sets_a_new_password_and_ends_the_sessions) {
    const std::string id = create("ana@x.org");
    expect_ok(ctl({"session", "open", id}));
    const std::string text = expect_ok(ctl({"passwd", "ana@x.org"}, "another s3cr3t\n"));
    CHECK(has(text, "the password of Ana <ana@x.org> was set; the user's sessions were ended"));
    CHECK(password::verify(hash_of(id), "another s3cr3t") == password::Verdict::match);
    CHECK_EQUAL(0, sessions_of(id));
}

TEST(passwd, keeps_the_sessions_on_request) {
    const std::string id = create("ana@x.org");
    expect_ok(ctl({"session", "open", id}));
    const CommandResult ended =
        ctl({"passwd", id, "--keep-sessions", "--hash", "scrypt", "--json"}, "another s3cr3t\n");
    CHECK_EQUAL(id, Json(ended.output).at("data.id"));
    CHECK_EQUAL(std::size_t(161), hash_of(id).size());
    CHECK_EQUAL(1, sessions_of(id));
}

TEST(passwd, creates_a_missing_credential_account) {
    const std::string id = create("ana@x.org");
    sql().run(R"(DELETE FROM "account")");
    expect_ok(ctl({"passwd", id, "--account-id", "user-id"}, "another s3cr3t\n"));
    CHECK_EQUAL(id, sql().value(R"(SELECT "accountId" FROM "account")").value());
    CHECK(password::verify(hash_of(id), "another s3cr3t") == password::Verdict::match);
}

TEST(passwd, without_a_password_changes_nothing) {
    const std::string id = create("ana@x.org");
    const std::string before = hash_of(id);
    CHECK_EQUAL(2, ctl({"passwd", id}).status);
    CHECK_EQUAL(2, ctl({"passwd", id}, std::string(1025, 'x') + "\n").status);
    CHECK_EQUAL(before, hash_of(id));
}

TEST_GROUP_BASE(role, Scene){};

TEST(role, gives_a_user_a_new_role) {
    const std::string id = create("ana@x.org");
    const std::string text = expect_ok(ctl({"role", "ana@x.org", "superAdmin"}));
    CHECK_EQUAL(std::string("the role of Ana <ana@x.org> is now superAdmin"), text);
    CHECK_EQUAL(std::string("admin"),
                Json(ctl({"role", id, "admin", "--yes", "--json"}).output).at("data.role"));
}

TEST(role, that_the_user_already_has_is_reported_and_changes_nothing) {
    const std::string id = create("ana@x.org", "Ana", "superAdmin");
    const std::string before = ctl({"show", id}).output;
    CHECK_EQUAL(
        std::string("the role of Ana <ana@x.org> is already superAdmin; nothing was changed"),
        expect_ok(ctl({"role", id, "superAdmin"})));
    CHECK_EQUAL(before, ctl({"show", id}).output);
}

TEST(role, ends_sessions_if_configured) {
    const std::string id = create("ana@x.org");
    const auto sessions_after = [&](const std::string& lines, const char* role) {
        sql().run("DELETE FROM \"session\"");
        expect_ok(ctl({"session", "open", id}));
        const std::string said = expect_ok(ctl_with(lines, {"role", id, role}));
        const long sessions = sessions_of(id);
        CHECK_EQUAL(sessions == 0, has(said, "; the user's sessions were ended"));
        return sessions;
    };
    CHECK_EQUAL(1, sessions_after("UserAdminEndSessions Off\n", "admin"));
    CHECK_EQUAL(0, sessions_after("UserAdminEndSessions On\n", "user"));
    CHECK_EQUAL(1, sessions_after("UserAdminSecondaryStorage none\n", "admin"));
    CHECK_EQUAL(0, sessions_after("UserAdminSecondaryStorage redis://127.0.0.1/ x:\n", "user"));
    CHECK_EQUAL(0, sessions_after("UserAdminSecondaryStorage none\n"
                                  "UserAdminSecondaryStorage redis://127.0.0.1/ x:\n",
                                  "admin"));
    const CommandResult undefined =
        ctl_with("UserAdminEndSessions ${END}\n", {"role", id, "admin"});
    CHECK_EQUAL(2, undefined.status);
    CHECK_TEXT(has(undefined.errors, "UserAdminEndSessions"), undefined.errors.c_str());
}

TEST(role, that_is_unknown_requires_force) {
    const std::string id = create("ana@x.org");
    const CommandResult ended = ctl({"role", id, "Admin"});
    CHECK_EQUAL(2, ended.status);
    CHECK(has(ended.errors, "not user, admin or superAdmin"));
    CHECK(has(ended.errors, "use --force"));
    CHECK_EQUAL(std::string("user"), Json(ctl({"show", id, "--json"}).output).at("data.role"));
    CHECK_EQUAL(0, ctl({"role", id, "Admin", "--force"}).status);
    CHECK_EQUAL(std::string(""), ctl({"role", id, "user"}).errors);
    CHECK_EQUAL(2, ctl({"role", id, ""}).status);
}

TEST_GROUP_BASE(last_super_admin, Scene){};
TEST_GROUP_BASE(postgresql_last_super_admin, Scene){};

TEST(last_super_admin, is_protected_unless_yes_is_given) {
    const std::string id = create("ana@x.org", "Ana", "superAdmin");
    create("bo@x.org", "Bo", "admin");
    for (const auto& arguments : std::vector<std::vector<std::string>>{
             {"ban", id}, {"role", id, "admin"}, {"role", id, "user"}, {"delete", id}}) {
        const CommandResult ended = ctl(arguments);
        CHECK_EQUAL(2, ended.status);
        CHECK(has(ended.errors, "use --yes"));
        CHECK(has(ended.errors,
                  arguments[0] == "delete" ? "role superAdmin?" : "is the last superAdmin."));
    }
    const Json json(ctl({"show", id, "--json"}).output);
    CHECK_EQUAL(std::string("superAdmin"), json.at("data.role"));
    CHECK_EQUAL(std::string("false"), json.at("data.banned"));
    expect_ok(ctl({"role", id, "superAdmin"}));
    expect_ok(ctl({"ban", id, "--yes"}));
    expect_ok(ctl({"unban", id}));
    expect_ok(ctl({"role", id, "admin", "--yes"}));
}

TEST(last_super_admin, is_the_last_one_who_is_not_banned) {
    const std::string ana = create("ana@x.org", "Ana", "superAdmin");
    const std::string bo = create("bo@x.org", "Bo", "superAdmin");
    expect_ok(ctl({"ban", bo}));
    CHECK_EQUAL(2, ctl({"ban", ana}).status);
    expect_ok(ctl({"ban", bo})); // bo is banned already
    expect_ok(ctl({"role", bo, "user"}));
    expect_ok(ctl({"role", bo, "superAdmin"}));
    expect_ok(ctl({"unban", bo}));
    expect_ok(ctl({"ban", ana}));
}

TEST(postgresql_last_super_admin, is_protected_while_the_other_one_is_changed) {
    const std::string ana = create("ana@x.org", "Ana", "superAdmin");
    create("bo@x.org", "Bo", "superAdmin");
    const std::string out = path("last-super-admin.out");
    for (const auto& arguments :
         std::vector<std::vector<std::string>>{{"ban", ana}, {"role", ana, "user"}}) {
        test::Database other(database().driver(), database().params());
        other.run(R"(BEGIN; UPDATE "user" SET "banned" = true WHERE "email" = 'bo@x.org')");
        Process process({words(arguments), environment()}, out);
        CHECK(eventually([&] {
            return sql().number("SELECT count(*) FROM pg_locks WHERE NOT granted") > 0 ||
                   !process.running();
        }));
        other.run("COMMIT");
        CHECK(process.exits_within(std::chrono::seconds(60)));
        CHECK_TEXT(has(read_file(out), "Ana <ana@x.org> is the last superAdmin."),
                   read_file(out).c_str());
        sql().run(R"(UPDATE "user" SET "banned" = false)");
    }
    CHECK_EQUAL(std::string("superAdmin"),
                Json(ctl({"show", ana, "--json"}).output).at("data.role"));
}

TEST_GROUP_BASE(ban, Scene){};

TEST(ban, bans_permanently_and_ends_the_sessions) {
    const std::string id = create("ana@x.org");
    expect_ok(ctl({"session", "open", id}));
    CHECK(has(expect_ok(ctl({"ban", "ana@x.org"})),
              "is banned permanently; the user's sessions were ended"));
    const Json json(ctl({"show", id, "--json"}).output);
    CHECK_EQUAL(std::string("true"), json.at("data.banned"));
    CHECK_EQUAL(std::string("(null)"), json.at("data.banReason"));
    CHECK_EQUAL(std::string("(null)"), json.at("data.banExpires"));
    CHECK_EQUAL(0, sessions_of(id));
}

TEST(ban, accepts_a_reason_and_a_date_or_duration) {
    const std::string id = create("ana@x.org");
    const Json json(
        ctl({"ban", id, "--reason", "spam", "--expires", "2999-01-31", "--json"}).output);
    CHECK_EQUAL(std::string("spam"), json.at("data.banReason"));
    CHECK_EQUAL(std::string("2999-01-31T00:00:00.000Z"), json.at("data.banExpires"));
    for (const char* length : {"30m", "12h", "7d", "2w"})
        CHECK_EQUAL(0, ctl({"ban", id, "--expires", length}).status);
}

TEST(ban, rejects_an_expiry_that_is_past_or_not_a_time) {
    const std::string id = create("ana@x.org");
    for (const char* wrong :
         {"2001-01-01", "7", "7y", "0d", "-1d", "soon", "", "d", "99999999999999999w"})
        CHECK_EQUAL(2, ctl({"ban", id, "--expires", wrong}).status);
    CHECK_EQUAL(std::string("false"), Json(ctl({"show", id, "--json"}).output).at("data.banned"));
}

TEST(ban, is_lifted_by_unban_with_its_reason_and_expiry) {
    const std::string id = create("ana@x.org");
    expect_ok(ctl({"ban", id, "--reason", "spam", "--expires", "7d"}));
    const Json json(ctl({"unban", "ana@x.org", "--json"}).output);
    CHECK_EQUAL(std::string("false"), json.at("data.banned"));
    CHECK_EQUAL(std::string("(null)"), json.at("data.banReason"));
    CHECK_EQUAL(std::string("(null)"), json.at("data.banExpires"));
    expect_ok(ctl({"ban", id}));
    CHECK_EQUAL(std::string("Ana <ana@x.org> is no longer banned"), expect_ok(ctl({"unban", id})));
}

TEST(ban, cannot_be_lifted_if_the_user_is_not_banned) {
    const std::string id = create("ana@x.org");
    const std::string before = ctl({"show", id}).output;
    CHECK_EQUAL(std::string("Ana <ana@x.org> is not banned; nothing was changed"),
                expect_ok(ctl({"unban", id})));
    CHECK_EQUAL(std::string("false"), Json(ctl({"unban", id, "--json"}).output).at("data.banned"));
    CHECK_EQUAL(before, ctl({"show", id}).output);
}

TEST_GROUP_BASE(delete_, Scene){};

TEST(delete_, removes_the_user_with_its_sessions_and_accounts) {
    const std::string id = create("ana@x.org");
    expect_ok(ctl({"session", "open", id}));
    CHECK_EQUAL(std::string("Ana <ana@x.org> was deleted, with its sessions and accounts"),
                expect_ok(ctl({"delete", "ana@x.org", "--yes"})));
    for (const char* table : {"user", "session", "account"})
        CHECK_EQUAL(0, sql().number("SELECT count(*) FROM \"" + std::string(table) + "\""));
}

TEST(delete_, without_a_terminal_requires_yes) {
    const std::string id = create("ana@x.org");
    const CommandResult ended = ctl({"delete", id}, "y\n");
    CHECK_EQUAL(2, ended.status);
    CHECK(has(ended.errors, "--yes"));
    CHECK_EQUAL(1, sql().number(R"(SELECT count(*) FROM "user")"));
}

TEST(delete_, rejection_by_a_foreign_key_prints_the_remedy) {
    create("ana@x.org");
    change(R"(CREATE TABLE "invoice" ("buyer" text REFERENCES "user" ("id"));
              INSERT INTO "invoice" SELECT "id" FROM "user")",
           R"(DROP TABLE "invoice")");
    const CommandResult ended = ctl({"delete", "ana@x.org", "--yes", "--json"});
    CHECK_EQUAL(1, ended.status);
    const Json json(ended.output);
    CHECK_EQUAL(std::string("false"), json.at("success"));
    CHECK_TEXT(has(json.at("error"), "the foreign key"), ended.output.c_str());
    CHECK(has(ended.errors, "useradminctl: " + json.at("error") + "\n"));
    CHECK(!is_postgresql() || has(ended.errors, "\"invoice\""));
    CHECK(has(ended.errors, "delete the rows that refer to it, or declare the foreign key"));
    CHECK_EQUAL(1, sql().number(R"(SELECT count(*) FROM "user")"));
}

TEST(delete_, prints_a_message_as_json) {
    const std::string id = create("ana@x.org");
    const Json json(ctl({"delete", id, "--yes", "--json"}).output);
    CHECK_EQUAL(std::string("true"), json.at("success"));
    CHECK(has(json.at("message"), "ana@x.org"));
}

} // namespace useradmin::test
