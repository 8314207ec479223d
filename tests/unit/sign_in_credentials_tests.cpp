#include "fake_sign_in.hpp"

namespace useradmin::test {

using sign_in::Outcome;
using sign_in::PasswordVerdict;

class CredentialVerification : public SignInScene {
  protected:
    void expect_outcome(Outcome expected, std::string_view email, std::string_view password,
                        SourceLocation where = {}) {
        LONGS_EQUAL_LOCATION(static_cast<long>(expected),
                             static_cast<long>(verify(email, password).outcome), nullptr,
                             where.file, static_cast<std::size_t>(where.line));
    }
};

TEST_GROUP_BASE(credentials, CredentialVerification){};

TEST(credentials, correct_password_identifies_the_user) {
    const auto verification = verify("eva@example.org", "right");
    CHECK_TRUE(verification.outcome == Outcome::accepted);
    expect("eva", verification.user.id);
    expect("credential eva@example.org, verify right", calls.text());
}

TEST(credentials, are_looked_up_verbatim_and_then_in_lower_case) {
    expect_outcome(Outcome::accepted, "EVA@example.org", "right");
    expect("credential EVA@example.org, credential eva@example.org, verify right", calls.text());
    model::User kept = eva;
    kept.email = "Kept@example.org";
    store.credentials[kept.email] = {kept, "right"};
    expect_outcome(Outcome::accepted, "Kept@example.org", "right");
    expect("credential Kept@example.org, verify right", calls.text());
    expect_outcome(Outcome::unknown, "kept@example.org", "right");
}

TEST(credentials, in_lower_case_do_not_match_an_address_in_capitals) {
    model::User twin = eva;
    twin.id = "twin";
    twin.email = "Eva@example.org";
    store.credentials[twin.email] = {twin, "other"};
    expect("twin", verify("Eva@example.org", "other").user.id);
    expect("eva", verify("eva@example.org", "right").user.id);
    expect_outcome(Outcome::wrong_password, "Eva@example.org", "right");
}

TEST(credentials, do_not_match_another_spelling_that_the_collation_equates) {
    store.credentials["ｅva@example.org"] = {eva, "right"};
    store.credentials["ÉVA@example.org"] = {eva, "right"};
    store.credentials["éva@example.org"] = {eva, "right"};
    expect_outcome(Outcome::unknown, "ｅva@example.org", "right");
    expect_outcome(Outcome::unknown, "ÉVA@example.org", "right");
    expect("credential ÉVA@example.org, credential éva@example.org, verify nothing", calls.text());
    store.credentials["EVA@example.org"] = {eva, "right"};
    expect_outcome(Outcome::accepted, "EVA@example.org", "right");
}

TEST(credentials, are_verified_after_the_formats_in_use_have_been_sampled) {
    sign_in::CredentialVerifier(store, tables_id, passwords, formats, *limiter, limit, log)
        .verify({"eva@example.org", "right", {}});
    calls.clear();
    sign_in::ObservedFormats unknown;
    sign_in::CredentialVerifier(store, tables_id, passwords, unknown, *limiter, limit, log)
        .verify({"eva@example.org", "right", {}});
    expect("password_formats, credential eva@example.org, verify right", calls.text());
}

TEST(credentials, each_Location_has_its_own_formats_and_failure_counts) {
    for (int time = 0; time < 3; ++time)
        expect_outcome(Outcome::wrong_password, "eva@example.org", "wrong");
    tables_id = "there";
    expect_outcome(Outcome::accepted, "eva@example.org", "right");
    expect("password_formats, credential eva@example.org, verify right", calls.text());
    tables_id = "here";
    expect_outcome(Outcome::limited, "eva@example.org", "right");
}

TEST(credentials, unknown_address_causes_the_same_work) {
    expect_outcome(Outcome::unknown, "nobody@example.org", "right");
    expect("credential nobody@example.org, verify nothing", calls.text());
    store.credentials["eva@example.org"].password_hash = {};
    expect_outcome(Outcome::unknown, "eva@example.org", "right");
    expect("credential eva@example.org, verify nothing", calls.text());
}

TEST(credentials, address_that_is_not_UTF_8_causes_no_query) {
    for (std::string_view email :
         {std::string_view("\xff@example.org"), std::string_view("eva\0@example.org", 16)}) {
        expect_outcome(Outcome::unknown, email, "right");
        expect("verify nothing", calls.text());
    }
}

TEST(credentials, with_a_wrong_password_are_rejected) {
    expect_outcome(Outcome::wrong_password, "eva@example.org", "not it");
    expect("UA0315: sign-in as 'eva@example.org' failed: the password is wrong\n", log.text());
}

TEST(credentials, with_an_unsupported_hash_are_rejected_and_logged) {
    passwords.otherwise = PasswordVerdict::unsupported;
    expect_outcome(Outcome::wrong_password, "eva@example.org", "not it");
    CHECK_TRUE(log.text().starts_with("UA0307:"));
    CHECK_TRUE(log.text().find("eva") != std::string::npos);
    CHECK_TRUE(log.text().find("right") == std::string::npos);
    CHECK_TRUE(log.text().find("not it") == std::string::npos);
}

TEST(credentials, correct_password_replaces_an_outdated_hash) {
    passwords.renewal = "new hash";
    expect_outcome(Outcome::accepted, "eva@example.org", "right");
    expect("credential eva@example.org, verify right, replace_hash eva new hash instead of right",
           calls.text());
}

TEST(credentials, outdated_hash_is_replaced_even_with_a_second_factor) {
    passwords.renewal = "new hash";
    store.credentials["eva@example.org"].has_second_factor = true;
    expect_outcome(Outcome::second_factor, "eva@example.org", "right");
    expect("credential eva@example.org, verify right, replace_hash eva new hash instead of right",
           calls.text());
}

TEST(credentials, succeed_even_if_the_hash_cannot_be_replaced) {
    passwords.renewal = "new hash";
    store.failures["replace_hash"] = store::Failure::failed;
    expect_outcome(Outcome::accepted, "eva@example.org", "right");
}

TEST(credentials, rejected_password_does_not_replace_the_hash) {
    passwords.renewal = "new hash";
    expect_outcome(Outcome::wrong_password, "eva@example.org", "wrong");
    expect("credential eva@example.org, verify right", calls.text());
    store.credentials["eva@example.org"].user.banned = true;
    expect_outcome(Outcome::banned, "eva@example.org", "right");
    expect("credential eva@example.org, verify right", calls.text());
}

TEST(credentials, banned_user_is_rejected_with_the_correct_password) {
    store.credentials["eva@example.org"].user.banned = true;
    expect_outcome(Outcome::banned, "eva@example.org", "right");
    expect_outcome(Outcome::wrong_password, "eva@example.org", "wrong");
}

TEST(credentials, that_could_not_be_verified_are_not_counted_as_failures) {
    limit.attempts = 1;
    store.failures["credential"] = store::Failure::unavailable;
    expect_outcome(Outcome::unavailable, "eva@example.org", "right");
    store.failures["credential"] = store::Failure::failed;
    expect_outcome(Outcome::failed, "eva@example.org", "right");
    store.failures.clear();
    passwords.otherwise = PasswordVerdict::busy;
    expect_outcome(Outcome::busy, "eva@example.org", "wrong");
    expect_outcome(Outcome::accepted, "eva@example.org", "right");
}

TEST(credentials, rejected_attempts_are_counted_as_failures) {
    limit.attempts = 1;
    expect_outcome(Outcome::wrong_password, "eva@example.org", "wrong");
    expect_outcome(Outcome::limited, "eva@example.org", "right");
    expect_outcome(Outcome::unknown, "nobody@example.org", "x");
    expect_outcome(Outcome::limited, "nobody@example.org", "x");
    model::User banned = eva;
    banned.email = "ban@example.org";
    banned.banned = true;
    store.credentials[banned.email] = {banned, "right"};
    expect_outcome(Outcome::banned, "ban@example.org", "right");
    expect_outcome(Outcome::limited, "ban@example.org", "right");
}

TEST(credentials, over_the_limit_cause_no_query_and_no_hash) {
    limit.attempts = 1;
    verify("eva@example.org", "wrong");
    const auto verification = verify("EVA@example.org", "right");
    CHECK_TRUE(verification.outcome == Outcome::limited);
    expect("", calls.text());
    CHECK_TRUE(verification.retry_after > std::chrono::seconds(50));
    CHECK_TRUE(log.text().ends_with("UA0305: too many failed sign-in attempts for one account from "
                                    "192.0.2.1\n"));
}

TEST(credentials, are_not_verified_if_the_limit_is_reached_while_waiting) {
    passwords.meanwhile = [this] {
        password::AttemptLimiter& attempts = *limiter;
        const auto network = text::Network::of("192.0.2.1");
        for (int time = 0; time < 3; ++time)
            attempts.record_failure(attempts.subject(network, limit, tables_id, "eva@example.org"),
                                    limit, password::AttemptLimiter::Clock::now());
    };
    expect_outcome(Outcome::limited, "eva@example.org", "right");
}

TEST(credentials, over_a_limit_log_which_limit_and_network) {
    limit.attempts = 1;
    const auto line = [&](std::string_view address, std::string_view email) {
        log.lines.clear();
        CHECK_TRUE(verifier().verify({email, "wrong", text::Network::of(address)}).outcome ==
                   Outcome::limited);
        return log.text();
    };
    const auto fail = [&](std::string_view address, std::string_view email) {
        verifier().verify({email, "wrong", text::Network::of(address)});
    };
    for (const char* email : {"a@example.org", "b@example.org", "c@example.org"})
        fail("192.0.2.1", email);
    expect("UA0305: too many failed sign-in attempts from 192.0.2.1\n",
           line("192.0.2.1", "d@example.org"));
    for (int number = 0; number < 4; ++number)
        fail("2001:db8::" + std::to_string(number) + "00:0:0:0:1", "e@example.org");
    expect("UA0305: too many failed sign-in attempts for one account from 2001:db8::/48\n",
           line("2001:db8:0:ff00::1", "e@example.org"));
    for (int number = 0; number < 10; ++number)
        fail("198.51.100." + std::to_string(number), "f@example.org");
    expect("UA0305: too many failed sign-in attempts for one account from all clients\n",
           line("203.0.113.1", "f@example.org"));
}

TEST(credentials, correct_password_clears_the_failures_of_the_account) {
    limit.attempts = 2;
    for (int round = 0; round < 3; ++round) {
        expect_outcome(Outcome::wrong_password, "eva@example.org", "wrong");
        expect_outcome(Outcome::accepted, "eva@example.org", "right");
    }
}

TEST(credentials, account_with_a_second_factor_is_rejected) {
    store.credentials["eva@example.org"].has_second_factor = true;
    const auto verification = verify("eva@example.org", "right");
    CHECK_TRUE(verification.outcome == Outcome::second_factor);
    expect("eva", verification.user.id);
    expect("second-factor", sign_in::reason_of(verification.outcome));
    expect("credential eva@example.org, verify right", calls.text());
    expect("", log.text());
    verifier().log_second_factor(verification.user, text::Network::of("192.0.2.1"));
    CHECK_TRUE(log.text().starts_with("UA0316: rejected a password-only sign-in by user eva"));
}

TEST(credentials, with_a_wrong_password_do_not_reveal_a_second_factor) {
    store.credentials["eva@example.org"].has_second_factor = true;
    expect_outcome(Outcome::wrong_password, "eva@example.org", "wrong");
    expect("UA0315: sign-in as 'eva@example.org' failed: the password is wrong\n", log.text());
    store.credentials["eva@example.org"].user.banned = true;
    expect_outcome(Outcome::banned, "eva@example.org", "right");
}

TEST(credentials, with_a_second_factor_do_not_reset_the_failure_count) {
    limit.attempts = 2;
    store.credentials["eva@example.org"].has_second_factor = true;
    for (int round = 0; round < 3; ++round)
        expect_outcome(Outcome::second_factor, "eva@example.org", "right");
    expect_outcome(Outcome::wrong_password, "eva@example.org", "wrong");
    expect_outcome(Outcome::second_factor, "eva@example.org", "right");
    expect_outcome(Outcome::wrong_password, "eva@example.org", "wrong");
    expect_outcome(Outcome::limited, "eva@example.org", "right");
}

TEST(credentials, are_enough_if_the_second_factor_is_ignored) {
    store.credentials["eva@example.org"].has_second_factor = true;
    second_factor = sign_in::SecondFactor::ignored;
    expect_outcome(Outcome::accepted, "eva@example.org", "right");
}

class SharedLimit : public CredentialVerification {
  public:
    void setup() override {
        CredentialVerification::setup();
        limit.is_shared = true;
    }

  protected:
    /// Continues on another server that shares only the database.
    void change_server() {
        std::construct_at(&*limiter);
        CHECK_TRUE(limiter->init());
    }
};

TEST_GROUP_BASE(shared_limit, SharedLimit){};

TEST(shared_limit, applies_to_all_servers_together) {
    for (int time = 0; time < 3; ++time) {
        expect_outcome(Outcome::wrong_password, "eva@example.org", "wrong");
        change_server();
    }
    const auto refused = verify("Eva@example.org", "right");
    CHECK_TRUE(refused.outcome == Outcome::limited);
    LONGS_EQUAL(60, refused.retry_after.count());
    CHECK_TRUE(log.text().find("UA0305: too many failed sign-in attempts for one account from "
                               "192.0.2.1") != std::string::npos);
    // This server also rejects further attempts without the shared counts.
    store.attempts.clear();
    expect_outcome(Outcome::limited, "eva@example.org", "right");
}

TEST(shared_limit, is_separate_for_each_window) {
    for (int time = 0; time < 3; ++time)
        expect_outcome(Outcome::wrong_password, "eva@example.org", "wrong");
    limit.window = std::chrono::seconds(3600);
    expect_outcome(Outcome::accepted, "eva@example.org", "right");
}

TEST(shared_limit, is_cleared_for_all_servers_by_a_correct_password) {
    for (int time = 0; time < 4; ++time) {
        expect_outcome(Outcome::wrong_password, "eva@example.org", "wrong");
        expect_outcome(Outcome::wrong_password, "eva@example.org", "wrong");
        change_server();
        expect_outcome(Outcome::accepted, "eva@example.org", "right");
        change_server();
    }
}

TEST(shared_limit, counts_only_failures) {
    passwords.otherwise = PasswordVerdict::busy;
    for (int time = 0; time < 5; ++time) {
        expect_outcome(Outcome::busy, "eva@example.org", "wrong");
        expect_outcome(Outcome::accepted, "eva@example.org", "right");
    }
    for (const auto& [subject, failures] : store.attempts)
        LONGS_EQUAL(0, failures);
}

TEST(shared_limit, is_checked_again_after_waiting_to_hash) {
    passwords.meanwhile = [&] {
        passwords.meanwhile = nullptr;
        for (int time = 0; time < 3; ++time)
            verify("eva@example.org", "wrong");
    };
    expect_outcome(Outcome::limited, "eva@example.org", "right");
}

TEST(shared_limit, counts_attempts_with_an_empty_name) {
    verify("", "wrong");
    CHECK_FALSE(store.attempts.empty());
    for (const auto& [subject, failures] : store.attempts)
        LONGS_EQUAL(1, failures);
}

TEST(shared_limit, is_per_server_without_its_table) {
    store.has_attempts = false;
    for (int time = 0; time < 3; ++time)
        expect_outcome(Outcome::wrong_password, "eva@example.org", "wrong");
    CHECK_TRUE(log.text().find("UA0317: table useradmin_attempt does not exist") !=
               std::string::npos);
    expect_outcome(Outcome::limited, "eva@example.org", "right");
    CHECK_TRUE(store.attempts.empty());
}

TEST(shared_limit, is_per_server_if_the_database_rejects_it) {
    store.failures["attempts"] = store::Failure::failed;
    for (int time = 0; time < 3; ++time)
        expect_outcome(Outcome::wrong_password, "eva@example.org", "wrong");
    expect_outcome(Outcome::limited, "eva@example.org", "right");
}

} // namespace useradmin::test
