// A schema of objects that take the place of PostgreSQL's own, wherever a name is looked up in a
// search path that has the schema.
#pragma once

#include <string>

namespace useradmin::test {

/// The statements that create the schema "hostile", with operators, functions, aggregates, casts
/// and types for what columns hold. Each fails with the message "hostile code ran".
std::string hostile_schema();

} // namespace useradmin::test
