#pragma once

#include "support/httpd.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace useradmin::test {

/// Runs an OpenID Connect provider: an httpd that serves metadata, keys and the last ID token from
/// issue_tokens().
class IdentityProvider {
  public:
    explicit IdentityProvider(const WorkFolder& work);
    ~IdentityProvider();

    /// Returns the provider's URL, which is also the issuer of its tokens.
    std::string issuer() const;

    /// The RSA key that signs a token: the published key or an unknown one.
    enum class Key { published, another };
    /// Creates the ID token that the token endpoint returns. client: its audience. claims:
    /// additional members of its JSON object.
    void issue_tokens(std::string_view client, std::string_view claims, Key key = Key::published);

  private:
    struct Keys;

    std::filesystem::path folder_;
    std::unique_ptr<Keys> keys_;
    std::unique_ptr<Httpd> httpd_;
};

} // namespace useradmin::test
