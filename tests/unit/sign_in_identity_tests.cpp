// Sessions and users of tokens (specification, section 5).
#include "fake_sign_in.hpp"
#include "sign_in/identity.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace useradmin::test {

namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

/// Returns an unexpired session of a user who is not banned.
store::SessionWithUser good_session() {
    store::SessionWithUser found;
    found.session.expires_at = now + 1h;
    found.user.id = "me";
    found.user.role = "admin";
    return found;
}

} // namespace

TEST_GROUP(sessions) {
    /// Returns the token's user, such as "me as admin", or why there is none.
    std::string who_has(std::string_view token) {
        calls.clear();
        const auto identity = sign_in::identify(store, token, now);
        switch (identity.status) {
        case sign_in::CredentialStatus::valid:
            return std::string(identity.user_id) + " as " + std::string(identity.role);
        case sign_in::CredentialStatus::malformed:
            return "malformed";
        case sign_in::CredentialStatus::unknown:
            return "unknown";
        case sign_in::CredentialStatus::expired:
            return "expired";
        case sign_in::CredentialStatus::banned:
            return "banned";
        case sign_in::CredentialStatus::unavailable:
            return "unavailable";
        case sign_in::CredentialStatus::failed:
            return "failed";
        default:
            return "";
        }
    }

    std::string who_has(const store::SessionWithUser& found) {
        store.sessions["token"] = found;
        return who_has("token");
    }

    std::string who_has_when_expiring(std::optional<text::Timestamp> time) {
        auto found = good_session();
        found.session.expires_at = time;
        return who_has(found);
    }

    std::string who_has_when_banned_until(std::optional<text::Timestamp> time) {
        auto found = good_session();
        found.user.banned = true;
        found.user.ban_expires = time;
        return who_has(found);
    }

    Calls calls;
    FakeStore store{calls};
};

TEST(sessions, a_token_identifies_the_user_of_its_session) {
    expect("me as admin", who_has(good_session()));
    expect("caller token", calls.text());
}

TEST(sessions, a_user_without_a_role_has_an_empty_one) {
    auto found = good_session();
    found.user.role = {};
    expect("me as ", who_has(found));
}

TEST(sessions, an_unknown_token_identifies_no_user) {
    store.sessions["token"] = good_session();
    expect("unknown", who_has("another"));
    expect("unknown", who_has("Token"));
    expect("caller Token", calls.text());
}

TEST(sessions, an_empty_token_is_refused_without_a_query) {
    store.sessions[""] = good_session();
    expect("malformed", who_has(""));
    expect("", calls.text());
}

TEST(sessions, a_token_that_is_not_utf8_is_refused_without_a_query) {
    for (const auto token : {"\xff"sv, "token\xc3"sv, "\xed\xa0\x80"sv, "token\0"sv, "\0"sv}) {
        store.sessions[token] = good_session();
        expect("malformed", who_has(token));
        expect("", calls.text());
    }
}

TEST(sessions, an_expired_session_is_none) {
    expect("expired", who_has_when_expiring(now - 1ms));
    expect("expired", who_has_when_expiring(now - 24h));
}

TEST(sessions, a_session_that_expires_exactly_now_is_none) {
    expect("expired", who_has_when_expiring(now));
    expect("me as admin", who_has_when_expiring(now + 1ms));
}

TEST(sessions, a_session_without_an_expiry_is_none) {
    expect("expired", who_has_when_expiring({}));
}

TEST(sessions, a_permanently_banned_user_has_no_session) {
    expect("banned", who_has_when_banned_until({}));
}

TEST(sessions, a_user_has_no_session_until_the_ban_ends) {
    expect("banned", who_has_when_banned_until(now + 1ms));
    expect("banned", who_has_when_banned_until(now + 24h));
}

TEST(sessions, a_user_has_a_session_after_the_ban) {
    expect("me as admin", who_has_when_banned_until(now - 1ms));
    expect("me as admin", who_has_when_banned_until(now));
}

TEST(sessions, a_ban_expiry_without_a_ban_is_ignored) {
    auto found = good_session();
    found.user.ban_expires = now + 24h;
    expect("me as admin", who_has(found));
}

TEST(sessions, a_ban_that_is_over_revives_no_expired_session) {
    auto found = good_session();
    found.session.expires_at = now - 1ms;
    found.user.banned = true;
    found.user.ban_expires = now - 1h;
    expect("expired", who_has(found));
}

TEST(sessions, what_the_database_could_not_do_is_passed_on) {
    store.failures["caller"] = store::Failure::unavailable;
    expect("unavailable", who_has("token"));
    store.failures["caller"] = store::Failure::failed;
    expect("failed", who_has("token"));
}

TEST(sessions, name_the_impersonator) {
    store.sessions["token"] = good_session();
    expect("", sign_in::identify(store, "token", now).impersonated_by);
    store.sessions["token"].session.impersonated_by = "sara-1";
    expect("sara-1", sign_in::identify(store, "token", now).impersonated_by);
}

} // namespace useradmin::test
