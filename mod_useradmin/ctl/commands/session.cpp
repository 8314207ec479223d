#include "crypto/random.hpp"
#include "crypto/signature.hpp"
#include "ctl/command.hpp"
#include "ctl/commands/user_lookup.hpp"
#include "ctl/display.hpp"
#include "ctl/duration.hpp"
#include "ctl/password_input.hpp"
#include "sign_in/cookies.hpp"
#include "sign_in/identity.hpp"
#include "json/record.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace useradmin::ctl {

namespace {

/// Returns the first characters of a token: enough to recognize it, too few to use it. Returns only
/// an ellipsis for a short token.
std::string hint_of(std::string_view token) {
    constexpr std::size_t shown = 4;
    return std::string(token.substr(0, token.size() > 4 * shown ? shown : 0)) + "…";
}

/// Writes a session with a hint in place of its token.
void write_session(json::Writer& writer, const model::Session& session) {
    writer.begin_object();
    for (const model::Field<model::Session>& field : model::session_fields)
        if (field.name != "token")
            json::write_field(writer, session, field);
    writer.key("tokenHint").string(hint_of(session.token));
    writer.end_object();
}

void print_opened(const Context& context, const model::Session& session, const std::string& token) {
    if (!context.wants_json()) {
        std::puts(token.c_str());
        return;
    }
    print_data([&](json::Writer& writer) {
        writer.key("id").string(session.id);
        writer.key("userId").string(session.user_id);
        writer.key("expiresAt").time_or_null(session.expires_at);
        writer.key("token").string(token);
    });
}

void print_revoked(const Context& context, std::int64_t count) {
    if (context.wants_json())
        print_data([&](json::Writer& writer) { writer.key("revoked").integer(count); });
    else
        print_line(count_of(count, "session was ended", "sessions were ended"));
}

/// Returns the duration given with --for, or the default lifetime of a session. Throws UsageError
/// if it is not a duration.
std::chrono::seconds length_of(const Options& options) {
    const auto option = options.find("for");
    if (!option)
        return sign_in::session_lifetime;
    const auto length = parse_duration(*option);
    if (!length)
        throw UsageError("--for must be a duration such as 30m, 12h, 7d or 2w");
    return *length;
}

/// Warns that httpd rejects unsigned tokens if it has a secret. Does nothing if the configuration
/// shows that it has none.
void warn_of_unsigned(const CommandSettings& settings) {
    // If AuthUserAdminSecret were set, the token would have been signed.
    if (settings.httpd.has("AuthUserAdmin", "On"))
        return;
    print_error("the token is not signed, so httpd rejects it if AuthUserAdminSecret is set; to "
                "sign it, use --secret file:PATH or --secret env:NAME");
}

/// Ends the session with the token. Returns false if there is none.
bool close(Context& context, std::string_view token) {
    const auto closed = context.store().delete_session(token);
    if (closed.is_not_found())
        return false;
    value_of(closed);
    return true;
}

/// Ends the session with the token, which may be signed. Returns false if there is none.
bool revoke(Context& context, std::string_view token) {
    return close(context, token) || close(context, token.substr(0, token.find('.')));
}

/// Ends one of the user's sessions. word: the session's id or its token, which may be signed.
/// Returns false if the user has no such session.
bool revoke(Context& context, const model::User& user, std::string_view word) {
    const auto sessions = value_of(context.store().list_sessions(user.id));
    const auto found = std::ranges::find_if(sessions, [&](const auto& session) {
        return session.id == word || session.token == word ||
               session.token == word.substr(0, word.find('.'));
    });
    return found != sessions.end() && close(context, found->token);
}

} // namespace

Exit open_session(Context& context) {
    const std::chrono::seconds length = length_of(context.options);
    const bool is_signed = !context.settings.secret_source.empty();
    const crypto::Secret secret = is_signed ? secret_of(context.settings) : crypto::Secret();
    const model::User user = find_user(context, context.options.arguments[0]);
    const std::string id = crypto::random_uuid();
    const std::string token = crypto::random_token();
    model::Session session;
    session.id = id;
    session.token = token;
    session.user_id = user.id;
    const text::Timestamp now = text::now();
    session.created_at = session.updated_at = now;
    session.expires_at = now + length;
    session.user_agent = "useradminctl";
    store::SessionTerms terms;
    terms.verified = &user;
    terms.now = now;
    terms.allows_banned = sign_in::is_banned(user, now);
    const auto opened = context.store().create_session(session, terms);
    if (!opened && opened.failure() == store::Failure::version_mismatch)
        throw CommandError(
            "the user was changed in the meantime; no session was opened; run the command again");
    session.id = value_of(opened);
    if (!is_signed)
        warn_of_unsigned(context.settings);
    if (terms.allows_banned)
        print_error(display(user) + " is banned: the session is rejected until the ban is lifted "
                                    "with 'useradminctl unban'");
    print_opened(context, session, is_signed ? crypto::sign(token, secret.view()) : token);
    return Exit::success;
}

Exit list_sessions(Context& context) {
    const model::User user = find_user(context, context.options.arguments[0]);
    const auto sessions = value_of(context.store().list_sessions(user.id));
    if (context.wants_json()) {
        print_list([&](json::Writer& writer) {
            for (const model::Session& session : sessions)
                write_session(writer, session);
        });
        return Exit::success;
    }
    const text::Timestamp now = text::now();
    TextTable listing = {{"ID"},
                         {"TOKEN"},
                         {"CREATED"},
                         {"EXPIRES"},
                         {"ADDRESS", Width::truncated},
                         {"AGENT", Width::truncated}};
    for (const model::Session& session : sessions) {
        const bool has_expired = !session.expires_at || *session.expires_at <= now;
        listing.add({std::string(session.id), hint_of(session.token), display(session.created_at),
                     display(session.expires_at) + (has_expired ? " (expired)" : ""),
                     std::string(session.ip_address.value_or("-")),
                     std::string(session.user_agent.value_or("-"))});
    }
    listing.print();
    print_line(count_of(sessions.size(), "session", "sessions"));
    return Exit::success;
}

Exit revoke_sessions(Context& context) {
    const auto& arguments = context.options.arguments;
    const bool is_one_of_user = arguments.size() == 2;
    const bool is_all = context.options.has("all");
    const bool is_address = arguments[0].find('@') != arguments[0].npos;
    // Other accounts can see the command line, and a token is sufficient to use the session.
    const crypto::Secret typed =
        arguments.back() == "-" && !is_all ? read_secret("Token: ") : crypto::Secret();
    const std::string_view session = arguments.back() == "-" ? typed.view() : arguments.back();
    if (arguments[0].empty() || session.empty() || (is_all && is_one_of_user) ||
        (is_address && !is_all && !is_one_of_user))
        throw UsageError(
            "usage: useradminctl session revoke USER SESSION | USER --all | - | TOKEN");
    if (!is_all && !is_one_of_user) {
        if (!revoke(context, session))
            throw CommandError(Exit::not_found, "there is no session with that token; to end a "
                                                "session by its id, put the user before the id");
        print_revoked(context, 1);
        return Exit::success;
    }
    const model::User user = find_user(context, arguments[0]);
    std::int64_t count = 1;
    if (is_all) {
        count = value_of(context.store().delete_sessions_of_user(user.id));
    } else if (!revoke(context, user, session)) {
        throw CommandError(Exit::not_found,
                           "the user has no such session; see 'useradminctl session list'");
    }
    print_revoked(context, count);
    return Exit::success;
}

} // namespace useradmin::ctl
