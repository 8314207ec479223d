// Runs the integration tests: integration --mpm=event|worker|prefork --database=postgresql|sqlite
// [--without=GROUP,...] [CppUTest arguments].
#include "scene.hpp"
#include "support/exchange_log.hpp"
#include "support/test_main.hpp"

#include <string>
#include <string_view>
#include <vector>

int main(int count, char** arguments) {
    using namespace useradmin::test;
    std::vector<const char*> rest(arguments, arguments + count);
    const std::string mpm = take_option(rest, "--mpm=", "event");
    const std::string database = take_option(rest, "--database=", "sqlite");
    const std::string without = "," + take_option(rest, "--without=") + ",";
    // With several -xsg options, CppUTest would run all groups.
    exclude_groups([&](std::string_view group) {
        return without.find("," + std::string(group) + ",") != without.npos;
    });
    return run_tests(static_cast<int>(rest.size()), rest.data(), [&](const auto& tests) {
        exclude_groups_of_other_database(database);
        const WorkFolder folder;
        ExchangeLog& exchanges = ExchangeLog::instance();
        exchanges.begin(folder.path());
        const int status = [&] {
            const Suite suite(mpm, kind_of(database));
            return tests();
        }();
        return exchanges.matches_document() || status != 0 ? status : 1;
    });
}
