#include "ctl/check/checks.hpp"

#include "crypto/signature.hpp"
#include "crypto/source.hpp"
#include "ctl/check/httpd_test.hpp"
#include "text/url.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace useradmin::ctl {

namespace {

struct Secrets {
    std::vector<crypto::LoadedSecret> loaded;
    /// Why a secret could not be read. Empty if all secrets could be read.
    std::string failure;
    /// Whether the unreadable secret is in the environment. httpd's environment may differ.
    bool is_in_environment = false;

    std::vector<std::string_view> views() const {
        std::vector<std::string_view> all;
        for (const crypto::LoadedSecret& each : loaded)
            all.push_back(each.secret.view());
        return all;
    }
};

Secrets secrets_of(const CheckedConfiguration& configuration) {
    Secrets secrets;
    for (const ConfigLine& line : configuration.lines)
        if (is_same_name(line.words[0], "AuthUserAdminSecret"))
            for (std::size_t word = 1; word < line.words.size(); ++word) {
                if (is_undefined(line, line.words[word])) {
                    secrets.failure = "contains an undefined or ambiguous variable";
                    secrets.is_in_environment = true;
                    continue;
                }
                auto read = crypto::load_secret(line.words[word], configuration.server_root);
                auto* const failure = std::get_if<std::string>(&read);
                if (failure == nullptr) {
                    secrets.loaded.push_back(std::move(std::get<crypto::LoadedSecret>(read)));
                    continue;
                }
                secrets.failure = std::move(*failure);
                secrets.is_in_environment = line.words[word].starts_with("env:");
            }
    return secrets;
}

/// Reports a problem if the secrets do not verify the cookie's signature, or if the cookie's
/// session is not in the database. Throws CommandError if the cookie cannot be read.
void check_cookie(std::string_view source, Context& context, crypto::SigningSecrets secrets,
                  Findings& findings) {
    if (!source.starts_with("file:") && !source.starts_with("env:"))
        throw UsageError("--cookie must be file:PATH or env:NAME; the cookie itself must not be on "
                         "the command line");
    const auto read = crypto::load_secret(source, "");
    if (const auto* const failure = std::get_if<std::string>(&read))
        throw UsageError("--cookie: " + *failure);
    const std::string cookie =
        text::decode_path_segment(std::get<crypto::LoadedSecret>(read).secret.view());
    const auto token = crypto::verify_signature(cookie, secrets);
    if (!token) {
        findings.problems.emplace_back(
            "the cookie from --cookie is not signed with AuthUserAdminSecret, so requests with the "
            "application's cookies get 401; use the application's secret (BETTER_AUTH_SECRET)");
        return;
    }
    const auto session = context.store().find_caller(*token);
    if (session.is_not_found())
        findings.problems.emplace_back("the cookie from --cookie has a valid signature, but its "
                                       "session is not in the database: it has ended, or the "
                                       "application uses another database");
    else
        static_cast<void>(value_of(session));
}

} // namespace

void check_secrets(const CheckedConfiguration& configuration, Context& context,
                   Findings& findings) {
    const Secrets secrets = secrets_of(configuration);
    const std::vector<std::string_view> views = secrets.views();
    const auto cookie = context.options.find("cookie");
    if (cookie && views.empty() && secrets.failure.empty())
        throw UsageError(
            "--cookie requires a configuration with AuthUserAdminSecret; use --config");
    if (cookie && secrets.failure.empty())
        check_cookie(*cookie, context, views, findings);
    if (!secrets.failure.empty()) {
        if (configuration.needs_other_account && is_permission_error(secrets.failure))
            return; // reported with httpd's own test
        if (configuration.is_accepted || secrets.is_in_environment ||
            is_permission_error(secrets.failure))
            findings.unchecked.push_back("AuthUserAdminSecret: " + secrets.failure);
        else if (findings.problems.empty())
            findings.problems.push_back("AuthUserAdminSecret: " + secrets.failure);
        return;
    }
    if (!views.empty() && !cookie)
        findings.unchecked.emplace_back(
            "AuthUserAdminSecret: not compared with the application's; use --cookie to test it "
            "with a session cookie");
}

} // namespace useradmin::ctl
