// Runs the integration tests: integration --mpm=event|worker|prefork --database=postgresql|sqlite
// [--without=GROUP,...] [CppUTest's own arguments].
#include "scene.hpp"
#include "support/exchange_log.hpp"
#include "support/test_main.hpp"

#include <CppUTest/TestRegistry.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// Returns the names of all test groups, except the listed ones, each followed by a comma.
std::vector<std::string> groups_without(const std::string& listed) {
    std::vector<std::string> groups;
    for (UtestShell* test = TestRegistry::getCurrentRegistry()->getFirstTest(); test != nullptr;
         test = test->getNext()) {
        const std::string group = test->getGroup().asCharString();
        if (listed.find(group + ",") == listed.npos &&
            std::find(groups.begin(), groups.end(), group) == groups.end())
            groups.push_back(group);
    }
    return groups;
}

} // namespace

int main(int count, char** arguments) {
    using namespace useradmin::test;
    constexpr std::string_view mpm_option = "--mpm=";
    constexpr std::string_view database_option = "--database=";
    std::string mpm = "event";
    std::string database = "sqlite";
    constexpr std::string_view without_option = "--without=";
    std::vector<std::string> groups;
    std::vector<const char*> rest;
    for (int index = 0; index < count; ++index) {
        const std::string_view argument = arguments[index];
        if (argument.starts_with(mpm_option))
            mpm = argument.substr(mpm_option.size());
        else if (argument.starts_with(database_option))
            database = argument.substr(database_option.size());
        else if (argument.starts_with(without_option))
            groups = groups_without(std::string(argument.substr(without_option.size())) + ",");
        else
            rest.push_back(arguments[index]);
    }
    // With several -xsg options, CppUTest would run all groups.
    for (const std::string& group : groups) {
        rest.push_back("-sg");
        rest.push_back(group.c_str());
    }
    return run_tests(static_cast<int>(rest.size()), rest.data(), [&](const auto& tests) {
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
