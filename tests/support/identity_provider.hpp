// An OpenID Connect provider on loopback.
#pragma once

#include "support/httpd.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace useradmin::test {

/// An httpd with a provider's documents: its metadata, its keys and, at its token endpoint, the
/// last ID token set by the test.
class IdentityProvider {
  public:
    explicit IdentityProvider(const WorkFolder& work);
    ~IdentityProvider();
    IdentityProvider(const IdentityProvider&) = delete;
    IdentityProvider& operator=(const IdentityProvider&) = delete;

    /// Returns the address of the provider, which is the issuer of its tokens.
    std::string issuer() const;

    /// Sets an ID token for the client with additional claims (members of a JSON object), signed
    /// (RS256) with the published key or another one.
    enum class Key { shown, another };
    void issue_tokens(std::string_view client, std::string_view claims, Key key = Key::shown);

  private:
    struct Keys;

    std::filesystem::path folder_;
    std::unique_ptr<Keys> keys_;
    std::unique_ptr<Httpd> httpd_;
};

} // namespace useradmin::test
