// useradminctl session: opens a session.
#include "ctl/command.hpp"
#include "password/random.hpp"

#include <chrono>
#include <cstdio>

namespace useradmin::ctl {

namespace {

// better-auth's default length of a session.
constexpr std::chrono::days session_length(7);

} // namespace

Exit open_session(const Options& options, Database& database) {
    if (options.words[1] != "open")
        throw CommandError(Exit::usage, "say 'session open EMAIL'");
    const auto user = value_of(database.store().find_by_email(options.words[2]));
    if (!user)
        throw CommandError(Exit::not_found, "there is no user with that address");
    const std::string id = password::random_uuid();
    const std::string token = password::random_token();
    store::NewSession session;
    session.id = id;
    session.token = token;
    session.user_id = user->id;
    session.now = text::now();
    session.expires_at = session.now + session_length;
    value_of(database.store().open_session(session));
    std::puts(token.c_str());
    return Exit::success;
}

} // namespace useradmin::ctl
