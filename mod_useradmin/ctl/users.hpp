// The user that a command is about.
#pragma once

#include "ctl/context.hpp"

#include <string_view>

namespace useradmin::ctl {

/// The user with that address, where the word has an at sign, or else with that id; a CommandError
/// where there is none. An address that is not there to the letter is looked for in lower case too.
store::User user_named(Context& context, std::string_view word);

/// Writes the user as the interface shows it.
void print(const Context& context, const store::User& user);
/// Writes the user as JSON, or the line in its stead.
void print(const Context& context, const store::User& user, std::string_view line);

/// Changes the user; a CommandError where it was deleted meanwhile.
store::User change(Context& context, const store::User& user, const store::Changes& changes);

/// Ends all sessions of the user, after what is told in the sentence was done to it.
void end_sessions(Context& context, const store::User& user, std::string_view done);

/// A CommandError where the user table lacks the column.
void demand_column(Context& context, std::string_view column);

/// A hash of the password in the configured format.
std::string hash_of(const Context& context, std::string_view password);

/// Says on stderr that a role is none of the three.
void warn_of_unusual_role(std::string_view role);

} // namespace useradmin::ctl
