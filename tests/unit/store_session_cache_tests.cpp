#include "fake_sign_in.hpp"
#include "sign_in/identity.hpp"
#include "store/session_cache.hpp"
#include "support/shared_object.hpp"

#include <CppUTest/TestHarness.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string>

namespace useradmin::test {

using store::SessionCache;
using namespace std::chrono_literals;

namespace {

store::SessionWithUser session_of(std::string_view user_id, model::NullableText role = "admin") {
    store::SessionWithUser session;
    session.session.expires_at = now + 1h;
    session.user.id = user_id;
    session.user.role = role;
    return session;
}

} // namespace

TEST_GROUP(session_cache) {
    SessionCache::Clock::time_point time = SessionCache::Clock::now();
    SharedObject<SessionCache> cache;

    void cache_session(std::string_view token, const store::SessionWithUser& session,
                       std::string_view tables_id = "here") {
        cache->put(tables_id, signed_token(token), token, session, cache->generation(), time);
    }

    /// Returns the token as a client sends it.
    static std::string signed_token(std::string_view token) {
        return std::string(token) + ".signature";
    }

    /// Returns the user of a cached session, such as "eva as admin", or "none".
    std::string cached_user(std::string_view token, std::string_view tables_id = "here",
                            std::chrono::seconds age = 60s) {
        const auto known = cache->find(tables_id, signed_token(token), age, time);
        if (!known)
            return "none";
        const auto session = known->session_with_user();
        return std::string(session.user.id) + " as " + std::string(session.user.role.value_or("-"));
    }
};

TEST(session_cache, keeps_a_session_for_the_configured_time) {
    cache_session("token", session_of("eva"));
    CHECK_EQUAL(std::string("eva as admin"), cached_user("token"));
    time += 60s - 1ns;
    CHECK_EQUAL(std::string("eva as admin"), cached_user("token"));
    CHECK_EQUAL(std::string("none"), cached_user("token", "here", 59s));
    time += 1ns;
    CHECK_EQUAL(std::string("none"), cached_user("token"));
}

TEST(session_cache, stores_everything_that_determines_the_validity_of_a_session) {
    auto session = session_of("eva", {});
    session.user.banned = true;
    session.user.ban_expires = now - 1ms;
    cache_session("token", session);
    const auto known = cache->find("here", signed_token("token"), 60s, time);
    CHECK_TRUE(known.has_value());
    const auto found = known->session_with_user();
    CHECK_TRUE(found.session.expires_at == now + 1h);
    CHECK_TRUE(found.user.banned && found.user.ban_expires == now - 1ms);
    CHECK_TRUE(!found.user.role);
    session = session_of("eva", "");
    session.session.expires_at = {};
    cache_session("token", session);
    CHECK_EQUAL(std::string("eva as "), cached_user("token"));
    CHECK_TRUE(!cache->find("here", signed_token("token"), 60s, time)
                    ->session_with_user()
                    .session.expires_at);
}

TEST(session_cache, does_not_store_impersonated_sessions) {
    auto session = session_of("eva");
    session.session.impersonated_by = "sara-1";
    cache_session("token", session);
    CHECK_EQUAL(std::string("none"), cached_user("token"));
    session.session.impersonated_by = "";
    cache_session("token", session);
    CHECK_EQUAL(std::string("eva as admin"), cached_user("token"));
}

TEST(session_cache, compares_tokens_exactly_within_one_scope) {
    cache_session("token", session_of("eva"), "here");
    cache_session("token", session_of("ivo"), "there");
    CHECK_EQUAL(std::string("eva as admin"), cached_user("token", "here"));
    CHECK_EQUAL(std::string("ivo as admin"), cached_user("token", "there"));
    CHECK_EQUAL(std::string("none"), cached_user("token", "elsewhere"));
    CHECK_EQUAL(std::string("none"), cached_user("Token"));
    CHECK_EQUAL(std::string("none"), cached_user("etoken", "her"));
    CHECK_EQUAL(std::string("none"), cached_user(""));
}

TEST(session_cache, compares_the_signature_of_a_token) {
    cache_session("token", session_of("eva"));
    for (const char* credential : {"token", "token.", "token.signaturf", "token.signature2"})
        CHECK_TRUE(!cache->find("here", credential, 60s, time));
    CHECK_TRUE(cache->find("here", "token.signature", 60s, time).has_value());
}

TEST(session_cache, contains_no_token_and_no_plain_digest_of_one) {
    const std::string token = "s3cr3t-token-of-eva";
    cache_session(token, session_of("eva"));
    const std::string_view bytes(reinterpret_cast<const char*>(&*cache), sizeof(SessionCache));
    CHECK_TRUE(bytes.find(token) == bytes.npos);
    CHECK_TRUE(bytes.find("eva") != bytes.npos);
}

TEST(session_cache, removes_all_sessions_of_a_user_in_all_scopes) {
    cache_session("one", session_of("eva"), "here");
    cache_session("two", session_of("eva"), "there");
    cache_session("three", session_of("eva2"));
    cache->invalidate_user("eva");
    CHECK_EQUAL(std::string("none"), cached_user("one"));
    CHECK_EQUAL(std::string("none"), cached_user("two", "there"));
    CHECK_EQUAL(std::string("eva2 as admin"), cached_user("three"));
}

TEST(session_cache, removes_a_session_in_all_scopes) {
    cache_session("token", session_of("eva"), "here");
    cache_session("token", session_of("ivo"), "there");
    cache_session("other", session_of("eva"));
    cache->invalidate_session("token");
    CHECK_EQUAL(std::string("none"), cached_user("token", "here"));
    CHECK_EQUAL(std::string("none"), cached_user("token", "there"));
    CHECK_EQUAL(std::string("eva as admin"), cached_user("other"));
    cache->invalidate_all();
    CHECK_EQUAL(std::string("none"), cached_user("other"));
}

TEST(session_cache, does_not_store_a_session_removed_during_the_lookup) {
    const auto before = cache->generation();
    cache->invalidate_user("eva");
    cache->put("here", "token.signature", "token", session_of("eva"), before, time);
    CHECK_EQUAL(std::string("none"), cached_user("token"));
    const auto after = cache->generation();
    cache->put("here", "token.signature", "token", session_of("eva"), after, time);
    CHECK_EQUAL(std::string("eva as admin"), cached_user("token"));
    cache->invalidate_session("another");
    cache->put("here", "two.signature", "two", session_of("eva"), after, time);
    CHECK_EQUAL(std::string("none"), cached_user("two"));
}

TEST(session_cache, does_not_store_ids_and_roles_that_are_too_long) {
    const std::string longest(SessionCache::max_text_length, 'x');
    cache_session("fits", session_of(longest, longest));
    cache_session("id", session_of(longest + "x"));
    cache_session("role", session_of("eva", longest + "x"));
    CHECK_EQUAL(longest + " as " + longest, cached_user("fits"));
    CHECK_EQUAL(std::string("none"), cached_user("id"));
    CHECK_EQUAL(std::string("none"), cached_user("role"));
}

TEST(session_cache, replaces_the_oldest_entry_when_full) {
    cache_session("old", session_of("eva"));
    for (int number = 0; number < 100000; ++number) {
        time += 1us;
        cache_session(std::to_string(number), session_of("ivo"));
    }
    CHECK_EQUAL(std::string("none"), cached_user("old"));
    CHECK_EQUAL(std::string("ivo as admin"), cached_user("99999"));
    int left = 0;
    for (int number = 0; number < 100000; ++number)
        left += cached_user(std::to_string(number)) != "none" ? 1 : 0;
    CHECK_TRUE(left > 8000 && left <= 8192);
}

TEST(session_cache, has_one_entry_for_a_session) {
    for (int number = 0; number < 10; ++number) {
        cache_session("token", session_of(number % 2 == 0 ? "eva" : "ivo"));
        CHECK_EQUAL(std::string(number % 2 == 0 ? "eva" : "ivo") + " as admin",
                    cached_user("token"));
    }
}

TEST(session_cache, is_shared_by_processes) {
    const pid_t child = fork();
    if (child == 0) {
        cache_session("token", session_of("eva"));
        cache_session("other", session_of("ivo"));
        cache->invalidate_user("ivo");
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    CHECK_EQUAL(std::string("eva as admin"), cached_user("token"));
    CHECK_EQUAL(std::string("none"), cached_user("other"));
}

TEST(session_cache, survives_a_process_killed_during_a_change) {
    for (int round = 0; round < 50; ++round) {
        const pid_t child = fork();
        if (child == 0)
            for (int number = 0;; ++number) {
                cache_session("token",
                              session_of(number % 2 == 0 ? "eva" : "an-id-that-is-longer"));
                cache->invalidate_user("nobody");
            }
        usleep(1000);
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        const std::string whose = cached_user("token");
        CHECK_TRUE(whose == "eva as admin" || whose == "an-id-that-is-longer as admin" ||
                   whose == "none");
    }
    cache_session("token", session_of("ivo"));
    CHECK_EQUAL(std::string("ivo as admin"), cached_user("token"));
}

TEST_GROUP(revocations) {
    SessionCache::Clock::time_point time = SessionCache::Clock::now();
    SharedObject<SessionCache> cache;
    Calls calls;
    FakeStore store{calls};

    /// Returns the users of the cached sessions ("eva ivo"), or "not used" if they must not be
    /// used.
    std::string cached_users() {
        if (!cache->catch_up(store, "here", time))
            return "not used";
        std::string users;
        for (const char* const id : {"eva", "ivo"})
            if (cache->find("here", id, 3600s, time))
                users += (users.empty() ? "" : " ") + std::string(id);
        return users;
    }
    void cache_both() {
        for (const char* const id : {"eva", "ivo"})
            cache->put("here", id, id, session_of(id), cache->generation(), time);
    }
    void setup() override {
        CHECK_EQUAL(std::string(), cached_users());
        cache_both();
    }
    std::string positions() const {
        std::string text;
        for (const std::int64_t position : store.positions)
            text += std::to_string(position) + " ";
        return text;
    }
};

TEST(revocations, by_other_servers_end_cached_sessions_within_a_second) {
    store.revocations = {7, {{"eva", {}}}, false};
    time += 1s - 1ns;
    CHECK_EQUAL(std::string("eva ivo"), cached_users());
    time += 1ns;
    CHECK_EQUAL(std::string("ivo"), cached_users());
    CHECK_EQUAL(std::string("0 0 "), positions());
}

TEST(revocations, are_read_from_the_position_of_the_last_read) {
    for (const std::int64_t position : {7, 7, 9}) {
        store.revocations.position = position;
        time += 1s;
        CHECK_EQUAL(std::string("eva ivo"), cached_users());
        CHECK_EQUAL(std::string("eva ivo"), cached_users());
    }
    time += 1s;
    cached_users();
    CHECK_EQUAL(std::string("0 0 7 7 9 "), positions());
}

TEST(revocations, over_the_limit_end_all_cached_sessions) {
    store.revocations = {7, {{"eva", {}}}, true};
    time += 1s;
    CHECK_EQUAL(std::string(), cached_users());
}

TEST(revocations, replacing_the_database_ends_all_cached_sessions) {
    store.revocations = {7, {}, false};
    time += 1s;
    CHECK_EQUAL(std::string("eva ivo"), cached_users());
    store.revocations = {6, {}, false};
    time += 1s;
    CHECK_EQUAL(std::string(), cached_users());
}

TEST(revocations, another_database_ends_all_cached_sessions) {
    store.revocations = {7, {}, false, true, "one"};
    time += 1s;
    CHECK_EQUAL(std::string("eva ivo"), cached_users());
    store.revocations = {8, {}, false, true, "another"};
    time += 1s;
    CHECK_EQUAL(std::string(), cached_users());
    cache_both();
    time += 1s;
    CHECK_EQUAL(std::string("eva ivo"), cached_users());
}

TEST(revocations, that_cannot_be_read_disable_cached_sessions) {
    store.failures["revocations_since"] = store::Failure::unavailable;
    time += 1s;
    CHECK_EQUAL(std::string("not used"), cached_users());
    // Other requests use the cache until the next attempt, a second later.
    CHECK_EQUAL(std::string("eva ivo"), cached_users());
    time += 1s - 1ns;
    CHECK_EQUAL(std::string("eva ivo"), cached_users());
    CHECK_EQUAL(std::string("0 0 "), positions());
    time += 1ns;
    CHECK_EQUAL(std::string("not used"), cached_users());
    CHECK_EQUAL(std::string("not used"), cached_users());
    CHECK_EQUAL(std::string("0 0 0 "), positions());
    store.failures.clear();
    store.revocations = {7, {{"eva", {}}}, false};
    time += 1s;
    CHECK_EQUAL(std::string("ivo"), cached_users());
}

TEST(revocations, need_no_table_to_keep_cached_sessions_during_an_outage) {
    store.revocations.has_table = false;
    time += 1s;
    CHECK_EQUAL(std::string("eva ivo"), cached_users());
    store.failures["revocations_since"] = store::Failure::unavailable;
    for (int second = 0; second < 5; ++second) {
        time += 1s;
        CHECK_EQUAL(std::string("eva ivo"), cached_users());
        CHECK_EQUAL(std::string("eva ivo"), cached_users());
    }
    // The table exists now, but is not readable.
    store.failures["revocations_since"] = store::Failure::failed;
    time += 1s;
    CHECK_EQUAL(std::string("not used"), cached_users());
    CHECK_EQUAL(std::string("not used"), cached_users());
}

TEST(revocations, revocations_read_again_remove_sessions_once) {
    store.revocations = {7, {{"ivo", {}}, {"eva", {}}, {"ivo", {}}}, false};
    const auto before = cache->generation();
    time += 1s;
    CHECK_EQUAL(std::string(), cached_users());
    CHECK_EQUAL(before + 1, cache->generation());
}

TEST(revocations, are_read_once_for_each_of_many_tables) {
    const auto catch_up = [&] {
        for (int tables_id = 0; tables_id < 100; ++tables_id)
            CHECK_TRUE(cache->catch_up(store, std::to_string(tables_id), time));
    };
    store.revocations.position = 7;
    catch_up();
    store.positions.clear();
    time += 1s;
    catch_up();
    CHECK_EQUAL(100, std::count(store.positions.begin(), store.positions.end(), 7));
}

TEST(revocations, are_read_for_each_database_and_its_tables) {
    CHECK_TRUE(cache->catch_up(store, "there", time));
    CHECK_EQUAL(std::string("0 0 "), positions());
}

TEST(revocations, are_read_by_another_process_if_the_first_one_dies) {
    time += 1s;
    const pid_t child = fork();
    if (child == 0) {
        store.meanwhile = [] { _exit(0); };
        cached_users();
        _exit(1);
    }
    waitpid(child, nullptr, 0);
    store.revocations = {7, {{"eva", {}}}, false};
    CHECK_EQUAL(std::string("eva ivo"), cached_users());
    time += 1s;
    CHECK_EQUAL(std::string("ivo"), cached_users());
}

TEST_GROUP(cached_sessions) {
    SharedObject<SessionCache> cache;
    Calls calls;
    FakeStore store{calls};

    /// Returns the token's user and role, or the reason for the rejection. Appends ", asked" if the
    /// database was queried: "eva admin, asked".
    std::string user_of(std::string_view token, text::Timestamp at) {
        calls.clear();
        const std::string credential = std::string(token) + ".signature";
        sign_in::CachedSessions kept{*cache, "here", 60s, credential};
        const auto recalled = sign_in::find_cached(store, kept, at);
        const auto identity = recalled ? *recalled : sign_in::identify(store, token, at, &kept);
        const std::string who =
            identity.status == sign_in::CredentialStatus::valid
                ? std::string(identity.user_id) + " " + std::string(identity.role)
            : identity.status == sign_in::CredentialStatus::expired ? "expired"
            : identity.status == sign_in::CredentialStatus::banned  ? "banned"
            : identity.status == sign_in::CredentialStatus::unknown ? "unknown"
                                                                    : "another";
        return who + (calls.text().empty() ? "" : ", asked");
    }
};

TEST(cached_sessions, are_not_looked_up_again) {
    store.sessions["token"] = session_of("eva");
    expect("eva admin, asked", user_of("token", now));
    expect("eva admin", user_of("token", now));
    expect("unknown, asked", user_of("tokens", now));
    store.failures["caller"] = store::Failure::unavailable;
    expect("eva admin", user_of("token", now));
}

TEST(cached_sessions, are_not_used_past_their_expiry) {
    store.sessions["token"] = session_of("eva");
    expect("eva admin, asked", user_of("token", now));
    expect("eva admin", user_of("token", now + 1h - 1ms));
    expect("expired, asked", user_of("token", now + 1h));
}

TEST(cached_sessions, that_were_extended_stay_valid) {
    store.sessions["token"] = session_of("eva");
    expect("eva admin, asked", user_of("token", now));
    store.sessions["token"].session.expires_at = now + 2h;
    expect("eva admin, asked", user_of("token", now + 1h));
    expect("eva admin", user_of("token", now + 2h - 1ms));
}

TEST(cached_sessions, sessions_of_a_banned_user_are_ignored) {
    auto session = session_of("eva");
    session.user.banned = true;
    session.user.ban_expires = now;
    store.sessions["token"] = session;
    expect("eva admin, asked", user_of("token", now));
    expect("eva admin", user_of("token", now));
    // The clock has been set back.
    expect("banned, asked", user_of("token", now - 1ms));
}

TEST(cached_sessions, do_not_include_rejected_ones) {
    for (int time = 0; time < 2; ++time)
        expect("unknown, asked", user_of("token", now));
    store.sessions["token"] = session_of("eva");
    store.sessions["token"].user.banned = true;
    for (int time = 0; time < 2; ++time)
        expect("banned, asked", user_of("token", now));
    store.sessions["token"].user.banned = false;
    expect("eva admin, asked", user_of("token", now));
}

TEST(cached_sessions, are_not_stored_if_removed_during_the_lookup) {
    store.sessions["token"] = session_of("eva");
    store.meanwhile = [this] { cache->invalidate_user("eva"); };
    for (int time = 0; time < 2; ++time)
        expect("eva admin, asked", user_of("token", now));
    store.meanwhile = nullptr;
    expect("eva admin, asked", user_of("token", now));
    expect("eva admin", user_of("token", now));
}

} // namespace useradmin::test
