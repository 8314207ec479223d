#pragma once

#include <string>

namespace useradmin::test {

/// Returns the statements that create the "hostile" schema. If the schema is in the search path,
/// its operators, functions, aggregates, casts and types shadow the built-in ones. Using any of
/// them fails with a message that starts with "hostile code ran".
std::string hostile_schema();

} // namespace useradmin::test
