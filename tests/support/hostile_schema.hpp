#pragma once

#include <string>

namespace useradmin::test {

/// Returns the statements that create the schema "hostile". Its operators, functions, aggregates,
/// casts and types shadow PostgreSQL's own if the schema is in the search path. Each object fails
/// with the message "hostile code ran".
std::string hostile_schema();

} // namespace useradmin::test
