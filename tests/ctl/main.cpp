// Tests useradminctl with one database: ctl --database=postgresql|sqlite [CppUTest arguments].
#include "scene.hpp"
#include "support/test_main.hpp"

int main(int count, char** arguments) {
    using namespace useradmin::test;
    return run_tests_on_database(
        count, arguments,
        [](TestDatabase& database, const WorkFolder& work) { set_scene(&database, &work); });
}
