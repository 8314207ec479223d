#pragma once

#include "support/files.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::test {

/// Creates certificates (NAME.crt) and keys (NAME.key) in a directory.
class Certificates {
  public:
    Certificates(const WorkFolder& work, std::string_view name) : folder_(work.make(name)) {}

    std::string folder() const { return folder_.string(); }
    std::string file(const std::string& name) const { return (folder_ / name).string(); }

    /// Creates a self-signed certificate and its key. Pass signed_by() for another signer.
    void make(const std::string& name, const std::string& subject,
              const std::vector<std::string>& more = {}) const;
    static std::vector<std::string> signed_by(const std::string& name, const Certificates& there) {
        return {"-CA", there.file(name + ".crt"), "-CAkey", there.file(name + ".key")};
    }

    /// Writes the authority's list of revoked certificates (PEM) with this certificate to the file.
    void revoke(const std::string& authority, const std::string& name,
                const std::string& list) const;

  private:
    std::filesystem::path folder_;
};

} // namespace useradmin::test
