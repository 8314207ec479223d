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
    constexpr std::string_view mpm_option = "--mpm=";
    constexpr std::string_view database_option = "--database=";
    std::string mpm = "event";
    std::string database = "sqlite";
    constexpr std::string_view without_option = "--without=";
    std::string without;
    std::vector<const char*> rest;
    for (int index = 0; index < count; ++index) {
        const std::string_view argument = arguments[index];
        if (argument.starts_with(mpm_option))
            mpm = argument.substr(mpm_option.size());
        else if (argument.starts_with(database_option))
            database = argument.substr(database_option.size());
        else if (argument.starts_with(without_option))
            without = "," + std::string(argument.substr(without_option.size())) + ",";
        else
            rest.push_back(arguments[index]);
    }
    // With several -xsg options, CppUTest would run all groups.
    leave_out_groups([&](std::string_view group) {
        return without.find("," + std::string(group) + ",") != without.npos;
    });
    return run_tests(static_cast<int>(rest.size()), rest.data(), [&](const auto& tests) {
        leave_out_groups_of_other_database(database);
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
