// Tests the store with one database: store --database=postgresql|sqlite [CppUTest's own arguments].
#include "contract.hpp"
#include "support/test_main.hpp"

#include <cstdio>
#include <string_view>
#include <vector>

int main(int count, char** arguments) {
    using namespace useradmin::test;
    constexpr std::string_view option = "--database=";
    std::string_view name;
    std::vector<const char*> rest;
    for (int index = 0; index < count; ++index) {
        const std::string_view argument = arguments[index];
        if (argument.starts_with(option))
            name = argument.substr(option.size());
        else
            rest.push_back(arguments[index]);
    }
    return run_tests(static_cast<int>(rest.size()), rest.data(), [name](const auto& tests) {
        const WorkFolder work;
        TestDatabase database(work, kind_of(name), "database");
        set_database(&database);
        return tests();
    });
}
