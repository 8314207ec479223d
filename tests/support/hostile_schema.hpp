// A schema whose objects shadow PostgreSQL's own if the schema is in the search path.
#pragma once

#include <string>

namespace useradmin::test {

/// Returns the statements that create the schema "hostile", with operators, functions, aggregates,
/// casts and types for the column types. Each object fails with the message "hostile code ran".
std::string hostile_schema();

} // namespace useradmin::test
