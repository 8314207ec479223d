#include "scene.hpp"

#include "support/files.hpp"
#include "support/log_watch.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <regex>

namespace useradmin::test {

namespace {

TestDatabase* current = nullptr;
const WorkFolder* folder = nullptr;

bool contains_hash(const std::string& text) {
    static const std::regex scrypt("[0-9a-f]{32}:[0-9a-f]{128}");
    return contains_secret(text) || std::regex_search(text, scrypt);
}

} // namespace

void set_scene(TestDatabase* database, const WorkFolder* work) noexcept {
    current = database;
    folder = work;
}

TestDatabase& Scene::database() {
    return *current;
}

const WorkFolder& Scene::work() {
    return *folder;
}

std::string Scene::path(std::string_view name) {
    return (folder->path() / name).string();
}

std::string Scene::file(std::string_view name, std::string_view text) {
    write_file(path(name), text);
    return path(name);
}

std::vector<std::string> Scene::lines_of_file(const std::string& path) {
    std::vector<std::string> lines = lines_of(read_file(path));
    for (std::string& line : lines)
        line += '\n';
    return lines;
}

std::vector<std::string> Scene::words(std::vector<std::string> arguments) {
    std::vector<std::string> all = {machine::built("useradminctl").string(), "--driver",
                                    database().driver(), "--params", database().params()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
}

Environment Scene::environment() {
    return machine::sanitizer_environment();
}

CommandResult Scene::ctl(std::vector<std::string> arguments, std::string_view input,
                         const Environment& more, SourceLocation where) {
    arguments.insert(arguments.begin(),
                     {"--driver", database().driver(), "--params", database().params()});
    return ctl_without_database(std::move(arguments), input, more, where);
}

std::string Scene::with_database(const std::string& lines) {
    return "DBDriver " + database().driver() + "\nDBDParams \"" + database().params() + "\"\n" +
           lines;
}

CommandResult Scene::ctl_with(const std::string& lines, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--config", file("database.conf", with_database(lines))});
    return ctl_without_database(std::move(arguments));
}

void Scene::expect_no_statement_timeout(Database& holder, const std::string& lines,
                                        const std::vector<std::string>& command) {
    const std::string configuration =
        file("timeout.conf", "DBDriver pgsql\nDBDParams \"" + database().params() +
                                 " options='-c statement_timeout=1s'\"\n" + lines);
    std::vector<std::string> all = {machine::built("useradminctl").string(), "--config",
                                    configuration};
    all.insert(all.end(), command.begin(), command.end());
    const std::string out = path("timeout.out");
    Process process({all, environment()}, out);
    CHECK(eventually([&] {
        return sql().number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = "
                            "'Lock' AND clock_timestamp() - query_start > '1200 ms'") > 0 ||
               !process.running();
    }));
    CHECK_TEXT(process.running(), read_file(out).c_str());
    holder.run("COMMIT");
    CHECK(process.exits_within(std::chrono::seconds(60)));
    CHECK_TEXT(!has(read_file(out), "SQLSTATE"), read_file(out).c_str());
}

CommandResult Scene::ctl_without_database(std::vector<std::string> arguments,
                                          std::string_view input, const Environment& more,
                                          SourceLocation where) {
    arguments.insert(arguments.begin(), machine::built("useradminctl").string());
    Environment all = environment();
    all.insert(all.end(), more.begin(), more.end());
    CommandResult ended = test::run({arguments, all}, input);
    for (const std::string* text : {&ended.output, &ended.errors}) {
        if (contains_hash(*text))
            fail_test("the output contains a password or a hash:\n" + *text, where);
        if (has_control_characters(*text))
            fail_test("the output contains terminal control characters:\n" + *text, where);
    }
    return ended;
}

CommandResult Scene::run_as_other_account(std::vector<std::string> program,
                                          const Environment& environment) {
    std::vector<std::string> words = {"/bin/sh", "-c", "exec \"$@\"", "sh"};
    if (running_as_root()) { // root bypasses file modes
        words = {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"};
        // Another account may not be able to read the build directory.
        const std::filesystem::path copy = work().path() / "useradminctl";
        std::filesystem::copy_file(program.front(), copy,
                                   std::filesystem::copy_options::overwrite_existing);
        program.front() = copy.string();
    }
    words.insert(words.end(), program.begin(), program.end());
    return test::run({words, environment});
}

std::string Scene::expect_ok(const CommandResult& ended, SourceLocation where) {
    if (ended.status != 0)
        fail_test("status " + std::to_string(ended.status) + ": " + ended.errors, where);
    std::string text = ended.output;
    if (text.ends_with('\n'))
        text.pop_back();
    return text;
}

std::string Scene::create(const std::string& email, const std::string& name,
                          const std::string& role) {
    return expect_ok(ctl(
        {"create", "--email", email, "--name", name, "--role", role, "--hash", "argon2id m=8 t=1"},
        "s3cr3t word\n"));
}

std::string Scene::hash_of(const std::string& user_id) {
    return sql()
        .value(
            R"(SELECT "password" FROM "account" WHERE "providerId" = 'credential' AND "userId" = )" +
            sql_literal(user_id))
        .value_or("(none)");
}

long Scene::sessions_of(const std::string& user_id) {
    return sql().number(R"(SELECT count(*) FROM "session" WHERE "userId" = )" +
                        sql_literal(user_id));
}

Json::Json(const std::string& line, SourceLocation where) {
    if (line.find('\n') != line.size() - 1)
        fail_test("not one line: " + line, where);
    const char* end = nullptr;
    tree_.reset(cJSON_ParseWithOpts(line.c_str(), &end, false));
    if (!tree_ || std::string_view(end) != "\n")
        fail_test("not one JSON document: " + line, where);
}

const cJSON* Json::find(std::string_view path) const {
    const cJSON* node = tree_.get();
    while (node != nullptr && !path.empty()) {
        const std::string key(path.substr(0, path.find('.')));
        path.remove_prefix(std::min(key.size() + 1, path.size()));
        int index = -1;
        std::from_chars(key.data(), key.data() + key.size(), index);
        node = cJSON_IsArray(node) ? cJSON_GetArrayItem(node, index)
                                   : cJSON_GetObjectItemCaseSensitive(node, key.c_str());
    }
    return node;
}

std::string Json::at(std::string_view path) const {
    const cJSON* node = find(path);
    if (node == nullptr)
        return "(absent)";
    if (cJSON_IsString(node))
        return node->valuestring;
    if (cJSON_IsNumber(node))
        return std::to_string(static_cast<long long>(node->valuedouble));
    return cJSON_IsTrue(node) ? "true" : cJSON_IsFalse(node) ? "false" : "(null)";
}

int Json::size(std::string_view path) const {
    return cJSON_GetArraySize(find(path));
}

bool has_control_characters(const std::string& text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if ((byte < 0x20 && byte != '\n') || byte == 0x7f)
            return true;
        if (byte == 0xc2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xa0)
            return true;
    }
    constexpr std::string_view reordering[] = {"\u200e", "\u200f", "\u202a", "\u202b", "\u202c",
                                               "\u202d", "\u202e", "\u2066", "\u2067", "\u2068",
                                               "\u2069", "\u2028", "\u2029"};
    return std::any_of(std::begin(reordering), std::end(reordering),
                       [&](std::string_view character) { return has(text, character); });
}

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

} // namespace useradmin::test
