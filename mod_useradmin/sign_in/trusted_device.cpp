#include "sign_in/trusted_device.hpp"

#include "crypto/random.hpp"
#include "crypto/secret.hpp"
#include "crypto/signature.hpp"
#include "sign_in/verification_rows.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace useradmin::sign_in {

namespace {

// better-auth's default.
constexpr std::chrono::days trust_lifetime(30);

/// The content of the trust_device cookie: "token!identifier".
struct Trust {
    std::string_view token;
    std::string_view identifier;
};

Trust trust_of(const Client& client) noexcept {
    const std::string_view value = client.trusted_device;
    const std::size_t end = std::min(value.find('!'), value.size());
    return {value.substr(0, end), value.substr(std::min(end + 1, value.size()))};
}

std::string trust_token(std::string_view user_id, std::string_view identifier,
                        std::string_view secret) {
    return crypto::sign_base64url(std::string(user_id).append("!").append(identifier), secret);
}

} // namespace

TrustedDevice::TrustedDevice(std::string_view user_id, const Service& service)
    : service_(service), user_id_(user_id), identifier_("trust-device-" + crypto::random_token()) {}

model::VerificationValue TrustedDevice::row() const {
    return verification_row(identifier_, user_id_, service_.now, trust_lifetime);
}

void TrustedDevice::add_cookie(http::Response& response) const {
    const std::string token =
        trust_token(user_id_, identifier_, service_.second_factor_secrets.front());
    service_.cookies.set(response, "trust_device", token + "!" + identifier_, trust_lifetime);
}

bool is_trusted_device(std::string_view user_id, const Client& client, const Service& service) {
    const Trust trust = trust_of(client);
    if (trust.identifier.empty() || !text::is_clean_utf8(trust.identifier))
        return false;
    const auto& secrets = service.second_factor_secrets;
    const bool is_ours = std::ranges::any_of(secrets, [&](std::string_view secret) {
        return crypto::constant_time_equal(trust.token,
                                           trust_token(user_id, trust.identifier, secret));
    });
    if (!is_ours)
        return false;
    const auto trusted = service.store.find_verification(trust.identifier, service.now);
    return trusted && *trusted == user_id;
}

void renew_trust(http::Response& response, std::string_view user_id, const Client& client,
                 const Service& service) {
    const TrustedDevice device(user_id, service);
    store::SecondFactorChange change{user_id, service.now};
    change.deleted = {trust_of(client).identifier};
    change.added = {device.row()};
    if (change_second_factor(service, std::move(change)))
        device.add_cookie(response);
}

} // namespace useradmin::sign_in
