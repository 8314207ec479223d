// useradminctl import and export.
#include "scene.hpp"

#include "password/hash.hpp"
#include "support/files.hpp"
#include "support/machine.hpp"
#include "support/memory.hpp"
#include "support/process.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace useradmin::test {

namespace {

// A well-formed hash that no known password matches.
constexpr std::string_view argon2id_hash = "$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$"
                                           "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA";

/// Returns an NDJSON line for a user with this address and these extra members.
std::string user_line(const std::string& email, const std::string& more = "") {
    return R"({"email":")" + email + R"(","name":"Ana")" + more + "}\n";
}

/// Returns lines for user0@x.org, user1@x.org and so on, each with these extra members.
std::string user_lines(int count, const std::string& more = "") {
    std::string text;
    for (int number = 0; number < count; ++number)
        text += user_line("user" + std::to_string(number) + "@x.org", more);
    return text;
}

std::string hash_member(std::string_view hash) {
    return R"(,"passwordHash":")" + std::string(hash) + "\"";
}

/// Returns users with every field set and with values that are difficult for a file format.
std::string unusual_users() {
    return user_line("null@x.org", R"(,"role":null,"emailVerified":false)") +
           user_line("quotes@x.org",
                     R"(,"image":"a\"b,c\r\nd","banned":true,"banReason":" \"","banExpires":)"
                     R"("2031-01-02T03:04:05.678Z")") +
           user_line("empty@x.org", R"(,"image":"","role":"admin")") +
           user_line("josé@x.org", hash_member(argon2id_hash) +
                                       R"(,"id":"id-1","createdAt":"1999-12-31T23:59:59.999Z")");
}

} // namespace

class Bulk : public Scene {
  protected:
    /// Writes the text to a new file. Returns its path.
    static std::string new_file(const std::string& text, const char* end = ".ndjson") {
        static int number = 0;
        return file("users-" + std::to_string(++number) + end, text);
    }
    static long count_users() { return sql().number(R"(SELECT count(*) FROM "user")"); }
    static long count_accounts() { return sql().number(R"(SELECT count(*) FROM "account")"); }
    /// Exports the users to a file. Returns its content.
    static std::string export_users(const std::string& end) {
        const std::string name = path("out" + end);
        expect_ok(ctl({"export", name, "--force"}));
        return read_file(name);
    }
    static std::string column_of(const std::string& email, const std::string& column) {
        return sql()
            .value("SELECT \"" + column + R"(" FROM "user" WHERE "email" = )" + sql_literal(email))
            .value_or("(null)");
    }
    /// Creates the user table "people". `email` is the type of the address; `more` starts with a
    /// comma.
    static void create_people(const std::string& email, const std::string& more = "") {
        change(R"(CREATE TABLE "people" ("id" text PRIMARY KEY, "name" text, "email" )" + email +
                   R"(, "emailVerified" boolean, "createdAt" timestamptz, )"
                   R"("updatedAt" timestamptz)" +
                   more + ")",
               R"(DROP TABLE "people")");
    }
    /// Imports the lines into the "people" table.
    static CommandResult import_people(const std::string& text,
                                       const std::vector<std::string>& options = {}) {
        std::vector<std::string> arguments = {"--tables", "people session account", "import",
                                              new_file(text)};
        arguments.insert(arguments.end(), options.begin(), options.end());
        return ctl(std::move(arguments));
    }
    /// Returns the number of files in the test's directory whose names start with the text.
    static std::ptrdiff_t count_files(const std::string& start) {
        return std::ranges::count_if(
            std::filesystem::directory_iterator(std::filesystem::path(path("")).parent_path()),
            [&](const auto& entry) { return entry.path().filename().string().starts_with(start); });
    }
};

TEST_GROUP_BASE(bulk, Bulk){};
TEST_GROUP_BASE(postgresql_bulk, Bulk){};

TEST(bulk, import_creates_users_with_their_hashes_unchanged) {
    CHECK_EQUAL(
        std::string("2 users created, 0 changed, 0 skipped"),
        expect_ok(ctl({"import", new_file(user_line("ana@x.org", hash_member(argon2id_hash)) +
                                          user_line("bo@x.org", R"(,"role":"admin")"))})));
    CHECK_EQUAL(std::string(argon2id_hash), hash_of(column_of("ana@x.org", "id")));
    CHECK_EQUAL(std::string("user"), column_of("ana@x.org", "role"));
    CHECK_EQUAL(std::string("admin"), column_of("bo@x.org", "role"));
    CHECK_EQUAL(1, count_accounts());
}

TEST(bulk, import_hashes_passwords_in_the_configured_format) {
    expect_ok(ctl({"import",
                   new_file(user_line("ana@x.org", R"(,"password":"s3cr3t word")") +
                            user_line("bo@x.org", R"(,"password":"s3cr3t other")")),
                   "--hash", "argon2id m=8 t=1"}));
    const std::string hash = hash_of(column_of("ana@x.org", "id"));
    CHECK(hash.starts_with("$argon2id$v=19$m=8,t=1,"));
    CHECK(password::verify(hash, "s3cr3t word") == password::Verdict::match);
    CHECK(password::verify(hash_of(column_of("bo@x.org", "id")), "s3cr3t other") ==
          password::Verdict::match);
}

TEST(bulk, import_rejects_an_empty_password_but_not_a_missing_one) {
    const std::pair<const char*, const char*> files[] = {
        {".ndjson", "{\"email\":\"ana@x.org\",\"name\":\"Ana\",\"password\":null}\n"
                    "{\"email\":\"bo@x.org\",\"name\":\"Bo\",\"password\":\"\"}\n"},
        {".csv", "password,email,name\n,ana@x.org,Ana\n\"\",bo@x.org,Bo\n"}};
    for (const auto& [end, text] : files) {
        const CommandResult ended = ctl({"import", "--dry-run", "--force", new_file(text, end)});
        CHECK_EQUAL(1, ended.status);
        CHECK_TEXT(has(ended.errors, "has an empty password"), ended.errors.c_str());
        CHECK_TEXT(has(ended.errors, "1 line is invalid"), ended.errors.c_str());
    }
}

TEST(bulk, import_follows_the_settings_of_the_service) {
    expect_ok(ctl({"import", new_file(user_line("ANA@X.ORG", hash_member(argon2id_hash))),
                   "--account-id", "user-id", "--email-case", "lower"}));
    CHECK_EQUAL(column_of("ana@x.org", "id"),
                sql().value(R"(SELECT "accountId" FROM "account")").value());
}

TEST(bulk, import_unverifies_a_new_address_if_configured) {
    const std::string configuration =
        file("unverify.conf", "UserAdminEmailChange unverify\nUserAdminEmailCase lower\n");
    const std::string id = create("ana@x.org");
    const auto import = [&](const std::string& email, const std::string& members,
                            const std::vector<std::string>& options) {
        sql().run(R"(UPDATE "user" SET "emailVerified" = TRUE)");
        std::vector<std::string> arguments = {
            "import", new_file(user_line(email, R"(,"id":")" + id + '"' + members)),
            "--on-conflict", "update"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        expect_ok(ctl(arguments));
        return sql().number(R"(SELECT count(*) FROM "user" WHERE "emailVerified")") == 1;
    };
    CHECK(import("bo@x.org", "", {}));
    CHECK(import("cy@x.org", "", {"--email-change", "keep"}));
    CHECK(import("cy@x.org", "", {"--email-change", "unverify"}));
    CHECK_FALSE(import("di@x.org", "", {"--email-change", "unverify"}));
    CHECK(import("ed@x.org", R"(,"emailVerified":true)", {"--email-change", "unverify"}));
    CHECK(import("ED@x.org", "", {"--config", configuration}));
    CHECK_FALSE(import("fa@x.org", "", {"--config", configuration}));
}

TEST(bulk, export_import_and_export_produce_the_same_bytes) {
    for (const std::string end : {".ndjson", ".csv"}) {
        database().clear();
        expect_ok(ctl({"import", new_file(unusual_users())}));
        const std::string first = export_users(end);
        database().clear();
        expect_ok(ctl({"import", new_file(first, end.c_str())}));
        CHECK_EQUAL(first, export_users(end));
        CHECK_EQUAL(4, count_users());
        CHECK_EQUAL(1, count_accounts());
    }
}

TEST(bulk, imports_an_exported_user_without_a_name) {
    for (const std::string end : {".ndjson", ".csv"}) {
        database().clear();
        create("ana@x.org");
        sql().run("UPDATE \"user\" SET \"name\" = ''");
        const std::string first = export_users(end);
        database().clear();
        expect_ok(ctl({"import", new_file(first, end.c_str())}));
        CHECK_EQUAL(first, export_users(end));
    }
    for (const char* name : {R"({"email":"bo@x.org"})"
                             "\n",
                             R"({"email":"bo@x.org","name":null})"
                             "\n"})
        CHECK(has(ctl({"import", new_file(name)}).errors, "line 1 has no name"));
    CHECK(has(ctl({"import", new_file("email,name\nbo@x.org,\n", ".csv")}).errors,
              "line 2 has no name"));
}

TEST(bulk, imports_an_exported_address_without_an_at_sign_with_force) {
    create("ana@x.org");
    sql().run("UPDATE \"user\" SET \"email\" = 'ana'");
    const std::string first = export_users(".ndjson");
    database().clear();
    const std::string name = new_file(first);
    CHECK(has(ctl({"import", name}).errors,
              "line 1 has an invalid email address; use --force to accept it"));
    expect_ok(ctl({"import", name, "--force"}));
    CHECK_EQUAL(first, export_users(".ndjson"));
    CHECK(has(ctl({"import", new_file(user_line("")), "--force"}).errors, "line 1 has no email"));
}

TEST(bulk, import_keeps_an_updatedAt_that_is_NULL) {
    create_people("text UNIQUE");
    expect_ok(
        import_people(user_line("ana@x.org", R"(,"updatedAt":null)") + user_line("bo@x.org")));
    CHECK_EQUAL(1, sql().number(R"(SELECT count(*) FROM "people" WHERE "email" = 'ana@x.org' )"
                                R"(AND "updatedAt" IS NULL)"));
    CHECK_EQUAL(1, sql().number(R"(SELECT count(*) FROM "people" WHERE "email" = 'bo@x.org' )"
                                R"(AND "updatedAt" = "createdAt")"));
}

TEST(bulk, import_does_not_make_users_look_like_the_applications) {
    create("ANA@x.org");
    const std::string users = new_file(export_users(".ndjson"));
    database().clear();
    expect_ok(ctl({"import", users}));
    CHECK(has(expect_ok(ctl({"check", "--verbose"})), "the application has no users yet"));
}

TEST(bulk, import_sets_an_empty_createdAt_to_the_current_time) {
    const std::string name =
        new_file("email,name,createdAt\nana@x.org,Ana,\nbo@x.org,Bo,2020-01-01\n", ".csv");
    expect_ok(ctl({"import", "--dry-run", name}));
    expect_ok(ctl({"import", name}));
    CHECK(column_of("ana@x.org", "createdAt") > column_of("bo@x.org", "createdAt"));
    CHECK_EQUAL(column_of("ana@x.org", "createdAt"), column_of("ana@x.org", "updatedAt"));
}

TEST(bulk, export_contains_the_data_of_each_user) {
    expect_ok(ctl({"import", new_file(unusual_users())}));
    const std::string text = export_users(".ndjson");
    CHECK(has(text, R"("email":"null@x.org","role":null,"emailVerified":false,"image":null,)"));
    CHECK(has(text, R"("image":"a\"b,c\r\nd")"));
    CHECK(has(text, R"("banned":true,"banReason":" \"","banExpires":"2031-01-02T03:04:05.678Z")"));
    CHECK(has(text, R"({"id":"id-1","name":"Ana","email":"josé@x.org")"));
    CHECK(has(text, R"("createdAt":"1999-12-31T23:59:59.999Z")"));
    CHECK(has(text, std::string(R"("passwordHash":")") + std::string(argon2id_hash)));
}

TEST(bulk, export_prefers_the_account_with_the_users_id) {
    expect_ok(ctl({"import", new_file(unusual_users())}));
    sql().insert("account", {{"id", "zzz"},
                             {"accountId", "id-1"},
                             {"providerId", "credential"},
                             {"userId", "id-1"},
                             {"password", "a reset"}});
    CHECK(has(export_users(".ndjson"), R"("passwordHash":"a reset")"));
}

TEST(bulk, export_reads_more_than_one_batch) {
    expect_ok(ctl({"import", new_file(user_lines(4500))}));
    const std::string all = export_users(".ndjson");
    CHECK_EQUAL(4500, std::count(all.begin(), all.end(), '\n'));
    for (const int number : {0, 1999, 2000, 4499})
        CHECK(has(all, "\"user" + std::to_string(number) + "@x.org\""));
}

TEST(bulk, export_writes_a_private_file_atomically) {
    expect_ok(ctl({"import", new_file(unusual_users())}));
    const std::string name = path("whole.csv");
    expect_ok(ctl({"export", name}));
    struct stat status = {};
    CHECK_EQUAL(0, stat(name.c_str(), &status));
    CHECK_EQUAL(0600U, status.st_mode & 07777U);
    CHECK_EQUAL(1, count_files("whole.csv"));
    CHECK_EQUAL(1, ctl({"export", path("no-folder/whole.csv")}).status);
}

TEST(bulk, export_counts_the_users) {
    expect_ok(ctl({"import", new_file(unusual_users())}));
    CHECK_EQUAL(std::string("4 users exported"), expect_ok(ctl({"export", path("counted.csv")})));
    const Json json(ctl({"export", path("counted.ndjson"), "--json"}).output);
    CHECK_EQUAL(std::string("true"), json.at("success"));
    CHECK_EQUAL(std::string("4"), json.at("data.exported"));
    const CommandResult ended = test::run({words({"export", "-", "--json"}), environment()});
    CHECK_EQUAL(std::string("4 users exported\n"), ended.errors);
    CHECK_EQUAL(4, std::count(ended.output.begin(), ended.output.end(), '\n'));
    CHECK_FALSE(has(ended.output, "exported"));
}

TEST(bulk, export_replaces_a_file_only_with_force) {
    expect_ok(ctl({"import", new_file(user_line("ana@x.org"))}));
    const std::string name = file("kept.csv", "older");
    const CommandResult ended = ctl({"export", name});
    CHECK_EQUAL(1, ended.status);
    CHECK(has(ended.errors, name + " already exists; use --force to replace it"));
    CHECK_EQUAL(std::string("older"), read_file(name));
    expect_ok(ctl({"export", name, "--force"}));
    CHECK(has(read_file(name), "ana@x.org"));
}

TEST(bulk, export_rejects_an_unknown_extension) {
    expect_ok(ctl({"import", new_file(user_line("ana@x.org"))}));
    for (const char* name : {"users.json", "users.xlsx", "users.csv.gz"}) {
        const CommandResult ended = ctl({"export", path(name)});
        CHECK_EQUAL_TEXT(2, ended.status, name);
        CHECK_TEXT(has(ended.errors, "known: .csv, .ndjson, .jsonl); add --format"), name);
        CHECK_FALSE(std::filesystem::exists(path(name)));
        expect_ok(ctl({"export", path(name), "--format", "csv"}));
    }
    for (const char* name : {"users", "users.jsonl"})
        expect_ok(ctl({"export", path(name)}));
}

TEST(postgresql_bulk, interrupted_export_writes_nothing_and_reports_it) {
    // Not for SQLite, where no reader waits for a writer.
    const std::string name = path("interrupted.csv");
    const std::string out = path("interrupted.out");
    sql().run("BEGIN; LOCK TABLE \"user\" IN ACCESS EXCLUSIVE MODE");
    Process exporting({words({"export", name}), environment()}, out);
    const bool waited = eventually(
        [] { return sql().number("SELECT count(*) FROM pg_locks WHERE NOT granted") > 0; });
    exporting.signal(SIGINT);
    const bool has_ended = exporting.exits_within(std::chrono::seconds(60));
    sql().run("COMMIT");
    CHECK(waited);
    CHECK(has_ended);
    const std::string said = read_file(out);
    CHECK_TEXT(has(said, "useradminctl: interrupted; nothing was written; run the command again"),
               said.c_str());
    CHECK_EQUAL(0, count_files("interrupted.csv"));
}

TEST(bulk, interrupt_ends_an_export_whose_reader_has_stalled) {
    expect_ok(ctl({"import", new_file(user_lines(500))}));
    for (const bool is_json : {false, true}) {
        const std::string pipe = path(is_json ? "stalled.json" : "stalled.pipe");
        const std::string out = pipe + ".out";
        CHECK_EQUAL(0, mkfifo(pipe.c_str(), 0600));
        const int end = open(pipe.c_str(), O_RDWR | O_CLOEXEC);
        const int size = fcntl(end, F_SETPIPE_SZ, 4096);
        std::vector<std::string> command = {"/bin/sh", "-c", "exec \"$@\" > \"$0\"", pipe};
        for (const std::string& word : words({"export"}))
            command.push_back(word);
        if (is_json)
            command.emplace_back("--json");
        Process exporting({command, environment()}, out);
        int waiting = 0;
        CHECK(eventually([&] { return ioctl(end, FIONREAD, &waiting) == 0 && waiting == size; }));
        exporting.signal(SIGTERM);
        CHECK(exporting.exits_within(std::chrono::seconds(30)));
        close(end);
        const std::string said = read_file(out);
        CHECK_TEXT(has(said, "interrupted; the output is incomplete; run the command again"),
                   said.c_str());
    }
}

TEST(postgresql_bulk, export_and_dry_run_ignore_the_timeouts_of_httpd) {
    create("ana@x.org");
    const std::vector<std::string> commands[] = {
        {"export", path("slow.ndjson"), "--force"},
        {"import", new_file(user_line("bo@x.org")), "--dry-run"}};
    for (const std::vector<std::string>& command : commands) {
        test::Database holder(database().driver(), database().params());
        holder.run(std::string("BEGIN; LOCK TABLE \"user\" IN ") +
                   (command[0] == "export" ? "ACCESS EXCLUSIVE" : "EXCLUSIVE") + " MODE");
        expect_no_statement_timeout(holder, "", command);
    }
}

TEST(bulk, export_rejects_what_is_not_a_regular_file) {
    expect_ok(ctl({"import", new_file(user_line("ana@x.org"))}));
    const std::string name = file("behind.csv", "older");
    const std::string link = path("link.csv");
    const std::string pipe = path("pipe.csv");
    std::filesystem::create_symlink(name, link);
    CHECK_EQUAL(0, mkfifo(pipe.c_str(), 0600));
    for (const std::string& target : {link, pipe, std::string("/dev/stdout")}) {
        const CommandResult ended = ctl({"export", target, "--force", "--format", "csv"});
        CHECK_EQUAL_TEXT(1, ended.status, target.c_str());
        CHECK_TEXT(has(ended.errors, target + " is not a regular file; use - and redirect"),
                   ended.errors.c_str());
    }
    CHECK_EQUAL(std::string("older"), read_file(name));
    CHECK(std::filesystem::is_symlink(link));
    CHECK(std::filesystem::is_fifo(pipe));
}

TEST(postgresql_bulk, export_to_a_full_disk_leaves_no_file) {
    // Not for SQLite, which writes files itself.
    expect_ok(ctl({"import", new_file(user_line("ana@x.org"))}));
    std::vector<std::string> command = {"/bin/sh", "-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"",
                                        "sh"};
    const auto exporting = words({"export", path("full.csv")});
    command.insert(command.end(), exporting.begin(), exporting.end());
    const CommandResult ended = test::run({command, environment()});
    CHECK_EQUAL(1, ended.status);
    CHECK_TEXT(has(ended.errors, "cannot write " + path("full.csv") + ": "), ended.errors.c_str());
    CHECK_EQUAL(0, count_files("full.csv"));
}

TEST(bulk, csv_export_warns_of_cells_that_a_spreadsheet_would_evaluate) {
    sql().insert("user", {{"id", "id-1"},
                          {"name", R"(=HYPERLINK("http://x",1))"},
                          {"email", "+ana@x.org"},
                          {"banReason", "-1"}});
    const std::string name = path("formulas.csv");
    const CommandResult plain = ctl({"export", name});
    CHECK_EQUAL(0, plain.status);
    CHECK_TEXT(has(plain.errors, "3 cells contain formulas"), plain.errors.c_str());
    CHECK(has(read_file(name), R"csv(id-1,"=HYPERLINK(""http://x"",1)",+ana@x.org,)csv"));
    const CommandResult escaped = ctl({"export", name, "--spreadsheet", "--force"});
    CHECK_EQUAL(0, escaped.status);
    CHECK_EQUAL(std::string(), escaped.errors);
    const std::string text = read_file(name);
    CHECK_TEXT(has(text, R"csv(id-1,"'=HYPERLINK(""http://x"",1)",'+ana@x.org,)csv"), text.c_str());
    CHECK_TEXT(has(text, ",'-1,"), text.c_str());
    CHECK_EQUAL(std::string("1 user exported\n"), ctl({"export"}).errors);
    const CommandResult ndjson = ctl({"export", "--spreadsheet"});
    CHECK_EQUAL(2, ndjson.status);
    CHECK(has(ndjson.errors, "--spreadsheet requires CSV; add --format csv"));
}

TEST(bulk, csv_export_escapes_every_start_of_a_formula) {
    const std::string name = path("signs.csv");
    expect_ok(ctl({"import", new_file(user_line("ana@x.org"))}));
    for (const char* first : {"=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"}) {
        sql().run("UPDATE \"user\" SET \"name\" = " + sql_literal(first + std::string("1")));
        CHECK_TEXT(has(ctl({"export", name, "--force"}).errors, "1 cell contains formulas"), first);
        expect_ok(ctl({"export", name, "--spreadsheet", "--force"}));
        CHECK_TEXT(has(read_file(name), "'" + std::string(first) + "1"), first);
    }
}

TEST(bulk, csv_export_escapes_formulas_after_semicolons_and_line_breaks) {
    const std::string name = path("separators.csv");
    expect_ok(ctl({"import", new_file(user_line("ana@x.org"))}));
    sql().run("UPDATE \"user\" SET \"name\" = 'a;=1;b\n\"-2;3-4'");
    expect_ok(ctl({"export", name, "--spreadsheet"}));
    const std::string text = read_file(name);
    CHECK_TEXT(has(text, "\"a;'=1;b\n\"\"'-2;3-4\""), text.c_str());
}

TEST(bulk, exports_and_imports_a_picture_of_two_megabytes) {
    const std::string picture = "data:image/png;base64," + std::string(2 << 20, 'A');
    sql().insert("user",
                 {{"id", "id-1"}, {"name", "Ana"}, {"email", "ana@x.org"}, {"image", picture}});
    for (const std::string end : {".ndjson", ".csv"}) {
        const std::string first = export_users(end);
        database().clear();
        expect_ok(ctl({"import", new_file(first, end.c_str())}));
        CHECK_EQUAL(picture, column_of("ana@x.org", "image"));
    }
}

TEST(bulk, import_accepts_a_byte_order_mark) {
    expect_ok(ctl({"import", new_file("\xef\xbb\xbf" + user_line("ana@x.org"))}));
    expect_ok(ctl({"import", new_file("\xef\xbb\xbf\"name\",email\nBo,bo@x.org\n", ".csv")}));
    CHECK_EQUAL(2, count_users());
    CHECK(has(
        ctl({"import", "-"}, user_line("cy@x.org") + "\xef\xbb\xbf" + user_line("di@x.org")).errors,
        "line 2 is not a JSON object"));
}

TEST(bulk, import_reads_standard_input) {
    expect_ok(ctl({"import", "-"}, user_line("ana@x.org")));
    expect_ok(ctl({"import", "-", "--format", "csv"}, "name,email\r\nBo,bo@x.org\r\n"));
    CHECK_EQUAL(2, count_users());
}

TEST(bulk, import_leaves_no_password_in_memory_after_hashing) {
    if (!machine::sanitizer_environment().empty())
        return; // sanitizers keep freed memory
    const std::string password = "unheard-of in any other memory";
    const std::string marker = "somebody who is not yet made";
    const std::string more = R"(,"password":")" + password + "\"";
    const std::string cell = ",\"" + password + "\"\n";
    // The last line is longer than one read(), so the command creates the other users while it
    // waits for the rest of that line.
    const std::string filling(100000, 'x');
    const std::string lines = user_line("ana@x.org", more) + user_lines(499) +
                              user_line("bo@x.org", R"(,"image":")" + marker + filling + "\"");
    std::string cells = "email,name,password\nana@x.org,Ana" + cell;
    for (int number = 0; number < 499; ++number)
        cells += "user" + std::to_string(number) + "@x.org,Ana,\n";
    cells += "bo@x.org," + marker + filling + ",\n";
    for (const auto& [name, text] :
         {std::pair("passwords.ndjson", lines), std::pair("passwords.csv", cells)}) {
        database().clear();
        const std::string pipe = path(name);
        CHECK_EQUAL(0, mkfifo(pipe.c_str(), 0600));
        const int end = open(pipe.c_str(), O_RDWR | O_CLOEXEC);
        CHECK(fcntl(end, F_SETPIPE_SZ, 1 << 20) >= static_cast<int>(text.size()));
        const std::size_t first = text.size() - filling.size() / 10;
        Process import({words({"import", pipe}), environment()}, path("import.out"));
        CHECK_EQUAL(static_cast<ssize_t>(first), write(end, text.data(), first));
        CHECK(eventually([&] { return !import.running() || count_users() == 500; }));
        CHECK(eventually([&] {
            return !find_occurrences(import.id(), {{"the marker", marker}}).empty();
        }));
        std::string left;
        eventually([&] {
            left.clear();
            for (const Occurrence& each :
                 find_occurrences(import.id(), {{"the password", password}}))
                left += each.region + ": " + each.part + "\n    " + each.around + "\n";
            return left.empty();
        });
        CHECK_EQUAL(std::string(), left);
        CHECK_EQUAL(static_cast<ssize_t>(text.size() - first),
                    write(end, text.data() + first, text.size() - first));
        close(end);
        CHECK(import.exits_within(std::chrono::seconds(60)));
        CHECK_EQUAL(501, count_users());
    }
}

TEST(bulk, dry_run_reports_every_invalid_line) {
    create("taken@x.org");
    const std::string wrong =
        user_line("taken@x.org") + "{}\nno JSON\n" + user_line("bo") +
        user_line("cy@x.org", R"(,"nam":"x")") + user_line("di@x.org", R"(,"role":"boss")") +
        user_line("ed@x.org", R"(,"banned":"perhaps")") +
        user_line("fa@x.org", R"(,"createdAt":"yesterday")") +
        user_line("go@x.org", R"(,"password":"short")") +
        user_line("hu@x.org", R"(,"passwordHash":"$argon2id$")") + user_line("twice@x.org") +
        user_line("twice@x.org") + user_line("right@x.org") +
        user_line("so@x.org", R"(,"createdAt":"12345-01-01")") +
        user_line("ty@x.org", R"(,"createdAt":"20260131")") +
        user_line("wu@x.org", R"(,"role":true)") + user_line("yo@x.org", R"(,"banned":1)");
    const CommandResult ended = ctl({"import", "--dry-run", new_file(wrong)});
    CHECK_EQUAL(1, ended.status);
    for (const char* message :
         {"line 1 has the address of an existing user", "line 2 has no email",
          "line 3 is not a JSON object", "line 4 has an invalid email address",
          "line 5 has the unknown field \"nam\"", "line 6 has the unknown role 'boss'",
          "line 7 has an invalid banned: it must be true or false",
          "line 8 has an invalid createdAt: it must be a time",
          "line 9 has an invalid password: it has 5 characters",
          "line 10 has a passwordHash that is not",
          "line 12 has the address of an existing user, twice@x.org",
          "line 14 has an invalid createdAt", "line 15 has an invalid createdAt",
          "line 16 has a \"role\" that is not a string or null",
          "line 17 has a \"banned\" that is not a boolean or null", "15 lines are invalid"})
        CHECK_TEXT(has(ended.errors, message), (message + ended.errors).c_str());
    CHECK_FALSE(has(ended.errors, "line 11 "));
    CHECK_FALSE(has(ended.errors, "line 13 "));
    CHECK_EQUAL(1, count_users());
}

TEST(bulk, dry_run_reports_problems_in_line_order) {
    create("taken@x.org");
    std::string text;
    for (int number = 0; number < 300; ++number)
        text += user_line("user" + std::to_string(number) + "@x.org") + user_line("taken@x.org") +
                "{}\n";
    const std::string name = new_file(text);
    const CommandResult ended = ctl({"import", "--dry-run", name});
    CHECK_EQUAL(1, ended.status);
    const std::vector<std::string> said = lines_of(ended.errors);
    for (std::size_t each = 0; each < 600; ++each)
        CHECK_TEXT(said.at(each).starts_with("useradminctl: line " +
                                             std::to_string(each / 2 * 3 + each % 2 + 2) + " has "),
                   said[each].c_str());
    CHECK(has(ended.errors, "600 lines are invalid; nothing was imported"));
}

TEST(bulk, dry_run_reports_problems_as_json) {
    create("taken@x.org");
    const std::string name = new_file(user_line("taken@x.org") + "{}\n" + user_line("ana@x.org"));
    const CommandResult ended = ctl({"import", "--dry-run", "--json", name});
    CHECK_EQUAL(1, ended.status);
    const Json json(ended.output);
    CHECK_EQUAL(std::string("false"), json.at("success"));
    CHECK_EQUAL(std::string("2 lines are invalid; nothing was imported"), json.at("error"));
    CHECK_EQUAL(2, json.size("data.problems"));
    CHECK_EQUAL(std::string("1"), json.at("data.problems.0.line"));
    CHECK(json.at("data.problems.0.message").starts_with("has the address of an existing user"));
    CHECK_EQUAL(std::string("2"), json.at("data.problems.1.line"));
    CHECK_EQUAL(std::string("has no email"), json.at("data.problems.1.message"));
    const Json right(
        ctl({"import", "--dry-run", "--json", new_file(user_line("bo@x.org"))}).output);
    CHECK_EQUAL(std::string("true"), right.at("success"));
    CHECK_EQUAL(0, right.size("data.problems"));
    CHECK_EQUAL(std::string("(absent)"), right.at("error"));
}

TEST(bulk, csv_import_rejects_unknown_columns_and_bad_quotes) {
    CHECK(has(ctl({"import", "-", "--format", "csv"}, "email,nam\n").errors,
              "has the unknown field \"nam\""));
    CHECK(has(ctl({"import", "-", "--format", "csv"}, "email,name,email\n").errors, "twice"));
    CHECK(has(ctl({"import", "-", "--format", "csv"}, "email,name\na@x,b,c\n").errors,
              "line 2 must have 2 cells"));
    CHECK(has(ctl({"import", "-", "--format", "csv"}, "email,name\na@x,b\"c\n\"d\n").errors,
              "line 2 is quoted incorrectly"));
    CHECK_EQUAL(0, count_users());
}

TEST(bulk, import_exits_with_3_if_a_user_already_exists) {
    create("bo@x.org");
    const CommandResult ended =
        ctl({"import", new_file(user_line("ana@x.org") + user_line("bo@x.org"))});
    CHECK_EQUAL(3, ended.status);
    CHECK(has(ended.errors, "line 2 has the address of an existing user, bo@x.org"));
    CHECK_EQUAL(1, count_users());
}

TEST(bulk, import_skips_existing_users_if_asked_to) {
    const std::string id = create("bo@x.org", "Bo");
    CHECK_EQUAL(std::string("1 user created, 0 changed, 2 skipped (already existed)"),
                expect_ok(ctl({"import",
                               new_file(user_line("ana@x.org") + user_line("bo@x.org") +
                                        user_line("ana@x.org")),
                               "--on-conflict", "skip"})));
    CHECK_EQUAL(std::string("Bo"), column_of("bo@x.org", "name"));
    CHECK_EQUAL(id, column_of("bo@x.org", "id"));
}

TEST(bulk, import_finds_existing_users_without_a_unique_index) {
    create_people("text", R"(, "image" text, "role" text)");
    const auto import = [&](const char* on_conflict) {
        return import_people(user_line("ana@x.org") + user_line("bo@x.org"),
                             {"--on-conflict", on_conflict});
    };
    CHECK_EQUAL(std::string("2 users created, 0 changed, 0 skipped"), expect_ok(import("fail")));
    const CommandResult second = import("fail");
    CHECK_EQUAL(3, second.status);
    CHECK_TEXT(has(second.errors, "line 1 has the address of an existing user, ana@x.org"),
               second.errors.c_str());
    CHECK_EQUAL(std::string("0 users created, 0 changed, 2 skipped (already existed)"),
                expect_ok(import("skip")));
    CHECK_EQUAL(std::string("0 users created, 2 changed, 0 skipped"), expect_ok(import("update")));
}

TEST(bulk, import_finds_an_address_that_is_unique_in_lower_case) {
    create_people("varchar(99)", R"(, "image" text, "role" text)");
    sql().run(R"(CREATE UNIQUE INDEX "people_email" ON "people" (lower("email")))");
    expect_ok(import_people(user_line("ana@x.org")));
    const std::string text = user_line("cy@x.org") + user_line("ANA@x.org");
    for (const auto& [options, status] :
         {std::pair(std::vector<std::string>{"--dry-run"}, 1), {{}, 3}}) {
        const CommandResult ended = import_people(text, options);
        CHECK_EQUAL(status, ended.status);
        CHECK_TEXT(has(ended.errors, "line 2 has the address of an existing user, ANA@x.org"),
                   ended.errors.c_str());
    }
    CHECK_EQUAL(std::string("1 user created, 0 changed, 1 skipped (already existed)"),
                expect_ok(import_people(text, {"--on-conflict", "skip"})));
    CHECK_EQUAL(
        std::string("0 users created, 3 changed, 0 skipped"),
        expect_ok(import_people(text + user_line("Cy@x.org"), {"--on-conflict", "update"})));
}

TEST(bulk, import_allows_an_address_unique_only_with_another_column) {
    create_people("varchar(99)", R"(, "tenant" text)");
    sql().run(R"(CREATE UNIQUE INDEX "people_email" ON "people" ((lower("email") || "tenant")))");
    expect_ok(import_people(user_line("ana@x.org")));
    expect_ok(import_people(user_line("ANA@x.org")));
}

TEST(bulk, import_does_not_hash_the_passwords_of_skipped_lines) {
    if (!machine::sanitizer_environment().empty())
        return; // sanitizers reserve more address space than the limit
    create("ana@x.org");
    const auto import = [&](const std::string& email) {
        std::vector<std::string> program = {"/bin/sh", "-c", "ulimit -v 262144 && exec \"$@\"",
                                            "sh"};
        for (const std::string& word :
             words({"import", new_file(user_line(email, R"(,"password":"s3cr3t word")")),
                    "--on-conflict", "skip", "--hash", "argon2id m=262144 t=1 p=1"}))
            program.push_back(word);
        return test::run({program, environment()});
    };
    // A hash needs more memory than the limit.
    CHECK(has(import("bo@x.org").errors, "cannot hash a password: out of memory"));
    CHECK_EQUAL(std::string("0 users created, 0 changed, 1 skipped (already existed)"),
                expect_ok(import("ana@x.org")));
}

TEST(bulk, import_updates_existing_users_if_asked_to) {
    const std::string id = create("bo@x.org", "Bo", "admin");
    const auto verified = column_of("bo@x.org", "emailVerified");
    const Json json(expect_ok(ctl({"import",
                                   new_file(user_line("ana@x.org") +
                                            user_line("bo@x.org", hash_member(argon2id_hash))),
                                   "--on-conflict", "update", "--json"})) +
                    "\n");
    CHECK_EQUAL(std::string("Ana"), column_of("bo@x.org", "name"));
    CHECK_EQUAL(std::string("admin"), column_of("bo@x.org", "role"));
    CHECK_EQUAL(verified, column_of("bo@x.org", "emailVerified"));
    CHECK_EQUAL(id, column_of("bo@x.org", "id"));
    CHECK_EQUAL(std::string(argon2id_hash), hash_of(id));
    CHECK_EQUAL(2, count_users());
    CHECK_EQUAL(1, count_accounts());
}

TEST(bulk, import_ends_the_sessions_of_a_banned_user) {
    create("ana@x.org");
    create("bo@x.org");
    for (const char* email : {"ana@x.org", "bo@x.org"})
        expect_ok(ctl({"session", "open", email}));
    expect_ok(ctl({"import",
                   new_file(user_line("ana@x.org", R"(,"banned":true)") +
                            user_line("bo@x.org", R"(,"banned":false,"role":"user")")),
                   "--on-conflict", "update"}));
    CHECK_EQUAL(column_of("bo@x.org", "id"),
                sql().value(R"(SELECT max("userId") FROM "session")").value_or("(none)"));
    CHECK_EQUAL(1, sql().number(R"(SELECT count(*) FROM "session")"));
}

TEST(bulk, import_ends_sessions_after_a_new_role_if_configured) {
    const std::string ana = create("ana@x.org");
    const std::string bo = create("bo@x.org");
    const auto import_with = [&](const std::string& directives, const std::string& role) {
        sql().run("DELETE FROM \"session\"");
        for (const std::string& id : {ana, bo})
            expect_ok(ctl({"session", "open", id}));
        expect_ok(
            ctl_with(directives, {"import",
                                  new_file(user_line("ana@x.org", R"(,"role":")" + role + '"') +
                                           user_line("bo@x.org", R"(,"role":"user")")),
                                  "--on-conflict", "update"}));
        CHECK_EQUAL(1, sessions_of(bo));
        return sessions_of(ana);
    };
    CHECK_EQUAL(1, import_with("", "admin"));
    CHECK_EQUAL(0, import_with("UserAdminEndSessions On\n", "user"));
}

TEST(bulk, import_ends_sessions_after_a_new_password) {
    create("ana@x.org");
    create("bo@x.org");
    create("cy@x.org");
    expect_ok(ctl({"import",
                   new_file(user_line("ana@x.org", hash_member(argon2id_hash)) +
                            user_line("bo@x.org", hash_member(argon2id_hash))),
                   "--on-conflict", "update"}));
    for (const char* email : {"ana@x.org", "bo@x.org", "cy@x.org"})
        expect_ok(ctl({"session", "open", email}));
    sql().run(R"(UPDATE "account" SET "updatedAt" = '2026-01-01T00:00:00.000Z')");
    std::string other(argon2id_hash);
    other.back() = 'E';
    expect_ok(
        ctl({"import",
             new_file(user_line("ana@x.org", hash_member(argon2id_hash)) +
                      user_line("bo@x.org", hash_member(other)) +
                      user_line("cy@x.org", R"(,"password":"s3cr3t word","id":"not looked at")")),
             "--on-conflict", "update", "--hash", "argon2id m=8 t=1 p=1"}));
    CHECK_EQUAL(1, sql().number(R"(SELECT count(*) FROM "session")"));
    CHECK_EQUAL(column_of("ana@x.org", "id"),
                sql().value(R"(SELECT "userId" FROM "session")").value_or("(none)"));
    CHECK_EQUAL(other, hash_of(column_of("bo@x.org", "id")));
    // Ana has the same hash as before, so her account is not written.
    CHECK_EQUAL(1, sql().number(R"(SELECT count(*) FROM "account" WHERE "updatedAt" = )"
                                R"('2026-01-01T00:00:00.000Z')"));
}

TEST(bulk, import_records_revocations) {
    for (const char* email : {"ana@x.org", "bo@x.org", "cy@x.org", "di@x.org"})
        create(email, "Ana", "admin");
    expect_ok(ctl({"import",
                   new_file(user_line("ana@x.org", R"(,"banned":true)") +
                            user_line("bo@x.org", R"(,"role":"user")") +
                            user_line("cy@x.org", hash_member(argon2id_hash)) +
                            user_line("di@x.org", R"(,"role":"admin")")),
                   "--on-conflict", "update"}));
    CHECK_EQUAL(std::string("ana@x.org, bo@x.org, cy@x.org"),
                sql().column("SELECT u.\"email\" FROM useradmin_revocation r JOIN \"user\" u ON "
                             "u.\"id\" = r.user_id WHERE r.session_id IS NULL ORDER BY 1"));
}

TEST(bulk, import_keeps_the_last_super_admin) {
    const std::string root = create("root@x.org", "Root", "superAdmin");
    create("banned@x.org", "Ban", "superAdmin");
    expect_ok(ctl({"ban", "banned@x.org"}));
    constexpr const char* message = "line 2 would leave no superAdmin who is not banned";
    for (const char* loss : {R"(,"role":"user")", R"(,"role":null)", R"(,"banned":true)",
                             R"(,"banned":true,"banExpires":"2999-01-01T00:00:00Z")"})
        for (const bool is_dry : {true, false}) {
            std::vector<std::string> words = {"import",
                                              new_file(user_line("ana@x.org") +
                                                       user_line("root@x.org", loss) +
                                                       user_line("bo@x.org")),
                                              "--on-conflict", "update"};
            if (is_dry)
                words.push_back("--dry-run");
            const CommandResult ended = ctl(words);
            CHECK_EQUAL_TEXT(1, ended.status, loss);
            CHECK_TEXT(has(ended.errors, message), (loss + ended.errors).c_str());
            CHECK_EQUAL(2, count_users());
            CHECK_EQUAL(std::string("superAdmin"), column_of("root@x.org", "role"));
        }
    // Lines that keep the last superAdmin are accepted, and so is a demotion after a line that
    // creates another superAdmin.
    for (const char* harmless :
         {R"(,"role":"superAdmin")", R"(,"banned":false)",
          R"(,"role":"superAdmin","banned":true,"banExpires":"2020-01-01T00:00:00Z")"})
        expect_ok(ctl(
            {"import", new_file(user_line("root@x.org", harmless)), "--on-conflict", "update"}));
    const std::string two = new_file(user_line("new@x.org", R"(,"role":"superAdmin")") +
                                     user_line("root@x.org", R"(,"role":"user")"));
    CHECK(has(expect_ok(ctl({"import", two, "--on-conflict", "update", "--dry-run"})),
              "all lines are"));
    expect_ok(ctl({"import", two, "--on-conflict", "update"}));
    CHECK_EQUAL(std::string("user"), column_of("root@x.org", "role"));
    // These lines demote both superAdmins. Only the second demotion is rejected.
    expect_ok(ctl({"role", root, "superAdmin"}));
    const std::string both =
        new_file(user_line("new@x.org", R"(,"role":"admin")") +
                 user_line("root@x.org", R"(,"role":"admin")") + user_line("b@x"));
    for (const char* dry : {"--dry-run", "--json"}) {
        const CommandResult ended = ctl({"import", both, "--on-conflict", "update", dry});
        CHECK_EQUAL(1, ended.status);
        CHECK_TEXT(has(ended.errors, message), ended.errors.c_str());
        CHECK_FALSE(has(ended.errors, "line 1 "));
    }
    CHECK_EQUAL(std::string("superAdmin"), column_of("new@x.org", "role"));
    expect_ok(ctl({"import", both, "--on-conflict", "update", "--yes", "--dry-run"}));
    expect_ok(ctl({"import", both, "--on-conflict", "update", "--yes"}));
    CHECK_EQUAL(std::string("admin"), column_of("root@x.org", "role"));
}

TEST(bulk, import_rejects_a_user_deleted_in_the_meantime) {
    create("ana@x.org");
    create("bo@x.org");
    constexpr const char* deletion = "DELETE FROM \"user\" WHERE \"email\" = 'bo@x.org'";
    change(is_postgresql()
               ? "CREATE FUNCTION delete_bo() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN " +
                     std::string(deletion) +
                     "; RETURN NULL; END$$; CREATE TRIGGER delete_bo AFTER UPDATE ON \"user\" "
                     "FOR EACH ROW EXECUTE FUNCTION delete_bo()"
               : "CREATE TRIGGER delete_bo AFTER UPDATE ON \"user\" BEGIN " +
                     std::string(deletion) + "; END",
           is_postgresql() ? "DROP TRIGGER delete_bo ON \"user\"; DROP FUNCTION delete_bo()"
                           : "DROP TRIGGER delete_bo");
    std::vector<std::string> arguments = {"import",
                                          new_file(user_line("ana@x.org") + user_line("bo@x.org")),
                                          "--on-conflict", "update"};
    const CommandResult ended = ctl(arguments);
    arguments.emplace_back("--dry-run");
    const CommandResult dry = ctl(arguments);
    for (const CommandResult* each : {&ended, &dry}) {
        CHECK_EQUAL(1, each->status);
        CHECK_TEXT(has(each->errors, "line 2 refers to a user who was deleted in the meantime"),
                   each->errors.c_str());
        CHECK(has(each->errors, "nothing was imported"));
    }
    CHECK_EQUAL(2, count_users());
}

TEST(bulk, import_keeps_the_last_super_admin_whose_earlier_ban_has_ended) {
    create("root@x.org", "Root", "superAdmin");
    expect_ok(ctl({"ban", "root@x.org", "--expires", "7d", "--yes"}));
    sql().run(R"(UPDATE "user" SET "banExpires" = '2020-01-01T00:00:00.000Z')");
    const CommandResult ended =
        ctl({"import", new_file(user_line("root@x.org", R"(,"banned":true)")), "--on-conflict",
             "update"});
    CHECK_EQUAL(1, ended.status);
    CHECK_TEXT(has(ended.errors, "line 1 would leave no superAdmin who is not banned"),
               ended.errors.c_str());
    CHECK(has(column_of("root@x.org", "banExpires"), "2020"));
}

TEST(bulk, import_can_reassign_the_former_address_of_a_user) {
    const std::string id = create("old@x.org");
    const std::vector<std::string> arguments = {
        "import",
        new_file(user_line("new@x.org", R"(,"id":")" + id + '"') +
                 user_line("old@x.org", R"(,"role":"admin")")),
        "--on-conflict", "update"};
    std::vector<std::string> dry = arguments;
    dry.emplace_back("--dry-run");
    CHECK(has(expect_ok(ctl(dry)), "would create 1 user, change 1 and skip 0"));
    CHECK_EQUAL(std::string("1 user created, 1 changed, 0 skipped"), expect_ok(ctl(arguments)));
    CHECK_EQUAL(id, column_of("new@x.org", "id"));
    CHECK_EQUAL(std::string("user"), column_of("new@x.org", "role"));
    CHECK_EQUAL(std::string("admin"), column_of("old@x.org", "role"));
}

TEST(bulk, import_finds_an_address_that_differs_only_in_case) {
    if (is_postgresql())
        change("CREATE COLLATION without_case (provider = icu, locale = 'und-u-ks-level2', "
               "deterministic = false)",
               "DROP COLLATION without_case");
    create_people("text COLLATE " + std::string(is_postgresql() ? "without_case" : "NOCASE") +
                      " UNIQUE",
                  R"(, "image" text, "role" text, "banned" boolean, "banReason" text, )"
                  R"("banExpires" timestamptz)");
    const CommandResult ended =
        import_people(user_line("ana@x.org") + user_line("ANA@x.org", R"(,"role":"admin")") +
                          user_line("bo@x.org"),
                      {"--on-conflict", "update"});
    CHECK_EQUAL(std::string("2 users created, 1 changed, 0 skipped"), expect_ok(ended));
}

TEST(bulk, import_can_be_resumed_with_skip_after_a_kill) {
    constexpr int count = 6000;
    const std::string name = new_file(user_lines(count, hash_member(argon2id_hash)));
    Process import({words({"import", name}), environment()}, path("killed.out"));
    CHECK(eventually([&] { return count_users() > 0; }));
    import.signal(SIGKILL);
    CHECK(import.exits_within(std::chrono::seconds(60)));
    const long made = count_users();
    // The database may commit before it notices the kill.
    const Json said(ctl({"import", name, "--on-conflict", "skip", "--json"}).output);
    CHECK(std::stol(said.at("data.skipped")) >= made);
    CHECK_EQUAL(count, std::stol(said.at("data.made")) + std::stol(said.at("data.skipped")));
    CHECK_EQUAL(count, count_users());
    CHECK_EQUAL(count, count_accounts());
}

TEST(bulk, interrupted_import_reports_progress_and_how_to_resume) {
    for (const bool is_json : {false, true}) {
        database().clear();
        const std::string pipe = path(is_json ? "interrupted.json" : "interrupted.ndjson");
        const std::string out = pipe + ".out";
        CHECK_EQUAL(0, mkfifo(pipe.c_str(), 0600));
        const int end = open(pipe.c_str(), O_RDWR | O_CLOEXEC);
        // Longer than one read(): the command creates the users, then waits for the rest.
        const std::string text = user_lines(700, R"(,"image":")" + std::string(200, 'x') + "\"");
        CHECK(fcntl(end, F_SETPIPE_SZ, 1 << 20) >= static_cast<int>(text.size()));
        std::vector<std::string> arguments = {"import", pipe};
        if (is_json)
            arguments.emplace_back("--json");
        Process import({words(arguments), environment()}, out);
        CHECK_EQUAL(static_cast<ssize_t>(text.size()), write(end, text.data(), text.size()));
        CHECK(eventually([] { return count_users() == 500; }));
        import.signal(SIGINT);
        CHECK(import.exits_within(std::chrono::seconds(60)));
        close(end);
        const std::string said = read_file(out);
        const std::string message = "interrupted; all lines up to line 500 were imported; run the "
                                    "command again with --on-conflict skip";
        CHECK_TEXT(has(said, "useradminctl: " + message + "\n"), said.c_str());
        CHECK_EQUAL_TEXT(is_json, has(said, R"({"success":false,"error":")" + message + "\"}"),
                         said.c_str());
        CHECK_EQUAL(500, count_users());
    }
}

TEST(bulk, stopped_import_says_how_to_resume) {
    const std::string text = user_lines(1001);
    const std::string name = new_file(text + user_line("bo"));
    const CommandResult ended = ctl({"import", name});
    CHECK_EQUAL(1, ended.status);
    CHECK_TEXT(
        has(ended.errors,
            "line 1002 has an invalid email address; use --force to accept it; all lines "
            "up to line 1000 were imported; fix the problem, then run the command again with "
            "--on-conflict skip"),
        ended.errors.c_str());
    CHECK_EQUAL(1000, count_users());
    CHECK_FALSE(std::filesystem::exists(name + ".import"));
    file(std::filesystem::path(name).filename().string(), text + user_line("bo@x.org"));
    CHECK_EQUAL(std::string("2 users created, 0 changed, 1000 skipped (already existed)"),
                expect_ok(ctl({"import", name, "--on-conflict", "skip"})));
}

TEST(bulk, dry_run_counts_like_an_import) {
    create("ana@x.org", "Ana", "admin");
    const std::string before = hash_of(column_of("ana@x.org", "id"));
    const std::string name =
        new_file(user_lines(700, R"(,"password":"s3cr3t word")") +
                 user_line("ana@x.org", R"(,"role":"user","password":"s3cr3t other")"));
    CHECK_EQUAL(std::string("all lines are valid; an import would create 700 users, change 1 and "
                            "skip 0"),
                expect_ok(ctl({"import", name, "--on-conflict", "update", "--dry-run"})));
    CHECK_EQUAL(1, count_users());
    CHECK_EQUAL(std::string("admin"), column_of("ana@x.org", "role"));
    CHECK_EQUAL(before, hash_of(column_of("ana@x.org", "id")));
    const Json json(ctl({"import", name, "--on-conflict", "skip", "--dry-run", "--json"}).output);
    CHECK_EQUAL(std::string("700"), json.at("data.made"));
    CHECK_EQUAL(std::string("1"), json.at("data.skipped"));
    CHECK_EQUAL(1, count_users());
}

TEST(bulk, import_names_the_line_that_the_database_rejects) {
    for (const char* const email : {"ana@x.org", "bo@x.org", "cy@x.org"})
        create(email);
    change(is_postgresql()
               ? "ALTER TABLE \"user\" ADD CONSTRAINT no_image CHECK (\"image\" IS NULL)"
               : "CREATE TRIGGER no_image BEFORE UPDATE ON \"user\" WHEN NEW.\"image\" IS NOT "
                 "NULL BEGIN SELECT RAISE(ABORT, 'no_image'); END",
           is_postgresql() ? "ALTER TABLE \"user\" DROP CONSTRAINT no_image"
                           : "DROP TRIGGER no_image");
    const std::string name = new_file(
        user_line("ana@x.org") + user_line("bo@x.org", R"(,"image":"x")") + user_line("cy@x.org"));
    for (const char* const option : {"--force", "--dry-run"}) {
        const CommandResult ended = ctl({"import", name, "--on-conflict", "update", option});
        CHECK_EQUAL(1, ended.status);
        CHECK_TEXT(has(ended.errors, "the database rejected line 2: "), ended.errors.c_str());
    }
}

TEST(bulk, dry_run_finds_rows_that_the_database_rejects) {
    sql().run(
        is_postgresql()
            ? "ALTER TABLE \"user\" ADD CONSTRAINT no_bo CHECK (\"email\" <> 'bo@x.org')"
            : "CREATE TRIGGER no_bo BEFORE INSERT ON \"user\" WHEN NEW.\"email\" = 'bo@x.org' "
              "BEGIN SELECT RAISE(ABORT, 'no_bo'); END");
    const std::string name = new_file(user_line("ana@x.org") + user_line("bo@x.org"));
    const std::string log = path("bulk-refused.log");
    const CommandResult ended = ctl({"import", name, "--dry-run"});
    CHECK_EQUAL(1, ctl({"import", name, "--audit-log", log + " required"}).status);
    sql().run(is_postgresql() ? "ALTER TABLE \"user\" DROP CONSTRAINT no_bo"
                              : "DROP TRIGGER no_bo");
    CHECK_EQUAL(1, ended.status);
    CHECK_TEXT(has(ended.errors, "lines 1 to 2: ") && has(ended.errors, "no_bo"),
               ended.errors.c_str());
    CHECK(has(ended.errors, "; nothing was imported"));
    CHECK_EQUAL(0, count_users());
    // The audit log has a line for the command, but none for a user.
    const std::string log_lines = read_file(log);
    CHECK_EQUAL(1, std::count(log_lines.begin(), log_lines.end(), '\n'));
    CHECK(has(log_lines, R"("result":"failed")"));
}

TEST(postgresql_bulk, import_corrects_audit_lines_after_a_rollback) {
    const std::string log = path("bulk-taken-back.log");
    sql().run(
        "CREATE FUNCTION useradmin_refuses() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE "
        "EXCEPTION ''no''; END'; CREATE CONSTRAINT TRIGGER useradmin_late AFTER INSERT ON "
        "\"user\" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "
        "useradmin_refuses()");
    const CommandResult ended =
        ctl({"import", new_file(user_line("ana@x.org") + user_line("bo@x.org")), "--audit-log",
             log + " required"});
    sql().run("DROP TRIGGER useradmin_late ON \"user\"; DROP FUNCTION useradmin_refuses()");
    CHECK_EQUAL(1, ended.status);
    const std::vector<std::string> all = lines_of_file(log);
    CHECK_EQUAL(std::size_t(5), all.size());
    for (const int number : {0, 1}) {
        const Json said(all[static_cast<std::size_t>(number)]);
        const Json corrected(all[static_cast<std::size_t>(number) + 2]);
        CHECK_EQUAL(std::string("done"), said.at("result"));
        CHECK_EQUAL(std::string("failed"), corrected.at("result"));
        CHECK_EQUAL(said.at("number"), corrected.at("corrects"));
        CHECK_EQUAL(said.at("target"), corrected.at("target"));
    }
    CHECK_EQUAL(std::string("(absent)"), Json(all[4]).at("corrects"));
}

TEST(postgresql_bulk, import_reports_an_unknown_outcome_if_commit_gets_no_answer) {
    sql().run("CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM "
              "pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'; CREATE CONSTRAINT "
              "TRIGGER end_session AFTER INSERT ON \"user\" DEFERRABLE INITIALLY DEFERRED FOR "
              "EACH ROW EXECUTE FUNCTION end_session()");
    const CommandResult ended =
        ctl({"import", new_file(user_line("ana@x.org") + user_line("bo@x.org"))});
    sql().run("DROP TRIGGER end_session ON \"user\"; DROP FUNCTION end_session()");
    CHECK_EQUAL(1, ended.status);
    CHECK_TEXT(
        has(ended.errors, "; it is unknown whether lines 1 to 2 were imported; run the command ") &&
            has(ended.errors, "again with --on-conflict skip"),
        ended.errors.c_str());
    CHECK_FALSE(has(ended.errors, "nothing was imported"));
}

TEST(postgresql_bulk, import_interrupted_during_the_commit_claims_no_outcome) {
    const std::string log = path("bulk-unanswered.log");
    // A wait for a lock would time out.
    sql().run("CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN WHILE "
              "EXISTS (SELECT FROM pg_locks WHERE locktype = ''advisory'' AND objid = 815) LOOP "
              "PERFORM pg_sleep(0.1); END LOOP; RETURN NULL; END'; CREATE CONSTRAINT TRIGGER "
              "wait_for_test AFTER INSERT ON \"user\" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW "
              "EXECUTE FUNCTION wait_for_test(); SELECT pg_advisory_lock(815)");
    const std::string out = path("commit.out");
    Process import(
        {words({"import", new_file(user_line("ana@x.org")), "--audit-log", log + " required"}),
         environment()},
        out);
    CHECK(eventually([] {
        return sql().number("SELECT count(*) FROM pg_stat_activity WHERE query = 'COMMIT' AND "
                            "wait_event = 'PgSleep'") == 1;
    }));
    import.signal(SIGTERM);
    CHECK(import.exits_within(std::chrono::seconds(60)));
    sql().run("SELECT pg_advisory_unlock(815); DROP TRIGGER wait_for_test ON \"user\"; "
              "DROP FUNCTION wait_for_test()");
    const std::string said = read_file(out);
    CHECK_TEXT(has(said, "interrupted; it is unknown whether line 1 was imported; run the command "
                         "again with --on-conflict skip"),
               said.c_str());
    const std::vector<std::string> all = lines_of_file(log);
    CHECK_EQUAL(std::size_t(3), all.size());
    CHECK_EQUAL(std::string("done"), Json(all[0]).at("result"));
    CHECK_EQUAL(std::string("unknown"), Json(all[1]).at("result"));
    CHECK_EQUAL(Json(all[0]).at("number"), Json(all[1]).at("corrects"));
    // The line of the command
    CHECK_EQUAL(std::string("unknown"), Json(all[2]).at("result"));
}

TEST(bulk, import_writes_an_audit_line_for_each_user) {
    const std::string log = path("bulk-audit.log");
    expect_ok(
        ctl({"import",
             new_file(user_line("ana@x.org") + user_line("bo@x.org", hash_member(argon2id_hash))),
             "--audit-log", log + " required"}));
    const std::string log_lines = read_file(log);
    CHECK(has(log_lines, R"("operation":"import","result":"done")"));
    CHECK(has(log_lines, "\"target\":\"" + column_of("ana@x.org", "id") + "\""));
    CHECK(has(log_lines, R"("email":"bo@x.org")"));
    CHECK_FALSE(has(log_lines, "argon2id"));
    CHECK_EQUAL(0, ctl_without_database({"audit", "verify", log}).status);
}

} // namespace useradmin::test
