// Tests the store with one database: store --database=postgresql|sqlite [CppUTest arguments].
#include "contract.hpp"
#include "support/test_main.hpp"

int main(int count, char** arguments) {
    using namespace useradmin::test;
    return run_tests_on_database(count, arguments, [](TestDatabase& database, const WorkFolder&) {
        set_database(&database);
    });
}
