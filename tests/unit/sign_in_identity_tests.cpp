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
store::SessionWithUser valid_session() {
    store::SessionWithUser found;
    found.session.expires_at = now + 1h;
    found.user.id = "me";
    found.user.role = "admin";
    return found;
}

} // namespace

TEST_GROUP(sessions) {
    /// Returns the token's user, such as "me as admin", or why there is none.
    std::string user_of(std::string_view token) {
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

    std::string user_of(const store::SessionWithUser& found) {
        store.sessions["token"] = found;
        return user_of("token");
    }

    Calls calls;
    FakeStore store{calls};
};

TEST(sessions, a_token_identifies_the_user_of_its_session) {
    expect("me as admin", user_of(valid_session()));
    expect("caller token", calls.text());
}

TEST(sessions, a_user_without_a_role_has_an_empty_one) {
    auto found = valid_session();
    found.user.role = {};
    expect("me as ", user_of(found));
}

TEST(sessions, an_unknown_token_identifies_no_user) {
    store.sessions["token"] = valid_session();
    expect("unknown", user_of("another"));
    expect("unknown", user_of("Token"));
    expect("caller Token", calls.text());
}

TEST(sessions, an_empty_token_is_rejected_without_a_query) {
    store.sessions[""] = valid_session();
    expect("malformed", user_of(""));
    expect("", calls.text());
}

TEST(sessions, a_non_utf8_token_is_rejected_without_a_query) {
    for (const auto token : {"\xff"sv, "token\xc3"sv, "\xed\xa0\x80"sv, "token\0"sv, "\0"sv}) {
        store.sessions[token] = valid_session();
        expect("malformed", user_of(token));
        expect("", calls.text());
    }
}

TEST(sessions, last_until_they_expire_or_their_user_is_banned) {
    const struct {
        const char* name;
        std::optional<text::Timestamp> expires_at;
        bool is_banned;
        std::optional<text::Timestamp> ban_expires;
        const char* user;
    } cases[] = {
        {"a session that expired a day ago", now - 24h, false, {}, "expired"},
        {"a session that has just expired", now - 1ms, false, {}, "expired"},
        {"a session that expires now", now, false, {}, "expired"},
        {"a session that expires later", now + 1ms, false, {}, "me as admin"},
        {"a session without an expiry", {}, false, {}, "expired"},
        {"a permanent ban", now + 1h, true, {}, "banned"},
        {"a ban for another day", now + 1h, true, now + 24h, "banned"},
        {"a ban that ends later", now + 1h, true, now + 1ms, "banned"},
        {"a ban that ends now", now + 1h, true, now, "me as admin"},
        {"a ban that has ended", now + 1h, true, now - 1ms, "me as admin"},
        {"the end of a ban without a ban", now + 1h, false, now + 24h, "me as admin"},
        {"a ban that has ended and an expired session", now - 1ms, true, now - 1h, "expired"},
    };
    for (const auto& each : cases) {
        auto found = valid_session();
        found.session.expires_at = each.expires_at;
        found.user.banned = each.is_banned;
        found.user.ban_expires = each.ban_expires;
        expect(each.user, user_of(found), each.name);
    }
}

TEST(sessions, report_database_failures) {
    store.failures["caller"] = store::Failure::unavailable;
    expect("unavailable", user_of("token"));
    store.failures["caller"] = store::Failure::failed;
    expect("failed", user_of("token"));
}

TEST(sessions, name_the_impersonator) {
    store.add("sara-1", "sara@example.org", "superAdmin");
    store.sessions["token"] = valid_session();
    expect("", sign_in::identify(store, "token", now).impersonated_by);
    store.sessions["token"].session.impersonated_by = "sara-1";
    expect("sara-1", sign_in::identify(store, "token", now).impersonated_by);
}

TEST(sessions, sessions_of_a_banned_or_deleted_impersonator_are_rejected) {
    auto found = valid_session();
    found.session.impersonated_by = "sara-1";
    model::User& sara = store.add("sara-1", "sara@example.org", "superAdmin");
    expect("me as admin", user_of(found));
    expect("caller token, find sara-1", calls.text());
    sara.banned = true;
    expect("banned", user_of(found));
    sara.ban_expires = now;
    expect("me as admin", user_of(found));
    store.users.clear();
    expect("unknown", user_of(found));
    store.failures["find"] = store::Failure::unavailable;
    expect("unavailable", user_of(found));
}

TEST(sessions, sessions_of_an_impersonator_without_privileges_are_rejected) {
    auto found = valid_session();
    found.session.impersonated_by = "sara-1";
    model::User& sara = store.add("sara-1", "sara@example.org", "support");
    expect("me as admin", user_of(found));
    sara.role = "user";
    expect("unknown", user_of(found));
    sara.role.reset();
    expect("unknown", user_of(found));
}

TEST(sessions, impersonator_of_a_super_admin_must_be_a_super_admin) {
    auto found = valid_session();
    found.session.impersonated_by = "sara-1";
    model::User& sara = store.add("sara-1", "sara@example.org", "admin");
    expect("me as admin", user_of(found));
    found.user.role = "user,superAdmin";
    expect("unknown", user_of(found));
    sara.role = "admin,superAdmin";
    expect("me as user,superAdmin", user_of(found));
}

} // namespace useradmin::test
