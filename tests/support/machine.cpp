#include "support/machine.hpp"

#include "support/fail_test.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace useradmin::test::machine {

namespace {

std::filesystem::path require_file(const std::filesystem::path& path, const std::string& remedy) {
    if (!std::filesystem::exists(path))
        fail_test(path.string() + " is missing: " + remedy);
    return path;
}

} // namespace

std::filesystem::path httpd() {
    return require_file(USERADMIN_HTTPD,
                        "install apache2 (Debian, Ubuntu) or httpd (Fedora, RHEL)");
}

std::filesystem::path httpd_module(std::string_view file) {
    return require_file(std::filesystem::path(USERADMIN_HTTPD_MODULES) / file,
                        "install the package of httpd that holds it");
}

std::filesystem::path built(std::string_view file) {
    return require_file(std::filesystem::path(USERADMIN_BUILD) / file, "build the project first");
}

std::filesystem::path source(std::string_view file) {
    return require_file(std::filesystem::path(USERADMIN_SOURCE) / file,
                        "the checkout is incomplete");
}

std::filesystem::path postgresql(std::string_view program) {
    // Debian has a directory for each major version. Other systems have the programs in the
    // directories below.
    std::filesystem::path newest;
    int newest_version = 0;
    std::error_code none;
    for (const auto& folder : std::filesystem::directory_iterator("/usr/lib/postgresql", none)) {
        const std::string name = folder.path().filename();
        int version = 0;
        std::from_chars(name.data(), name.data() + name.size(), version);
        const auto candidate = folder.path() / "bin" / program;
        if (version > newest_version && std::filesystem::exists(candidate)) {
            newest = candidate;
            newest_version = version;
        }
    }
    if (!newest.empty())
        return newest;
    for (const char* folder : {"/usr/bin", "/usr/local/bin", "/usr/pgsql/bin"})
        if (const auto candidate = std::filesystem::path(folder) / program;
            std::filesystem::exists(candidate))
            return candidate;
    fail_test(std::string(program) + " is missing: install postgresql (Debian, Ubuntu) or "
                                     "postgresql-server (Fedora, RHEL)");
}

std::filesystem::path program(std::string_view name) {
    for (const char* folder : {"/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"})
        if (const auto candidate = std::filesystem::path(folder) / name;
            std::filesystem::exists(candidate))
            return candidate;
    fail_test(std::string(name) + " is missing: install the package of that name");
}

bool is_long() {
    return std::getenv("USERADMIN_TEST_LONG") != nullptr;
}

std::vector<std::pair<std::string, std::string>> sanitizer_environment() {
    if (std::string_view(USERADMIN_SANITIZER_RUNTIME).empty())
        return {};
    // httpd does not free all its memory before it exits.
    return {{"LD_PRELOAD", USERADMIN_SANITIZER_RUNTIME},
            {"ASAN_OPTIONS", "detect_leaks=0:handle_abort=1"},
            {"UBSAN_OPTIONS", "halt_on_error=1:print_stacktrace=1"}};
}

} // namespace useradmin::test::machine
