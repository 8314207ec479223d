#include "ctl/check/httpd_test.hpp"

#include "apr/pool.hpp"
#include "text/number.hpp"
#include "text/split.hpp"

#include <ap_config_layout.h>
#include <apr_file_io.h>
#include <apr_thread_proc.h>
#include <httpd.h>

#include <array>
#include <sstream>
#include <string_view>
#include <unistd.h>

namespace useradmin::ctl {

namespace {

constexpr int not_found = 127;

// Finds httpd and its environment the way Debian's and Fedora's apachectl do.
constexpr const char* script =
    "OPTIONS=\n"
    "for file in \"${APACHE_ENVVARS:-${APACHE_CONFDIR:-" HTTPD_ROOT
    "}/envvars}\" " DEFAULT_EXP_SBINDIR "/envvars /etc/sysconfig/httpd; do\n"
    "  if [ -r \"$file\" ]; then . \"$file\"; break; fi\n"
    "done\n"
    // Like apachectl, creates the directory that DefaultRuntimeDir requires.
    "[ -z \"$APACHE_RUN_DIR\" ] || [ -d \"$APACHE_RUN_DIR\" ] || APACHE_RUN_DIR=/\n"
    "for program in \"$APACHE_HTTPD\" " DEFAULT_EXP_SBINDIR "/apache2 " DEFAULT_EXP_SBINDIR
    "/httpd; do\n"
    "  [ ! -x \"$program\" ] || exec \"$program\" ${APACHE_CONFDIR:+-d \"$APACHE_CONFDIR\"} "
    "$APACHE_ARGUMENTS "
    "$OPTIONS -t -D DUMP_MODULES "
    "-D DUMP_RUN_CFG -f \"$1\" 2>&1\n"
    "done\n"
    "exit 127";

/// Runs the script and appends what it prints to `output`. Returns the exit status, or -1 if the
/// script did not exit normally.
int run_script(const std::string& file, apr_pool_t* pool, std::string& output) {
    const std::array<const char*, 6> arguments = {"sh",    "-c",         script,
                                                  "check", file.c_str(), nullptr};
    apr_procattr_t* attributes = nullptr;
    apr_proc_t process{};
    if (apr_procattr_create(&attributes, pool) != APR_SUCCESS ||
        apr_procattr_io_set(attributes, APR_NO_FILE, APR_FULL_BLOCK, APR_NO_PIPE) != APR_SUCCESS ||
        apr_procattr_cmdtype_set(attributes, APR_PROGRAM_ENV) != APR_SUCCESS ||
        apr_proc_create(&process, "/bin/sh", arguments.data(), nullptr, attributes, pool) !=
            APR_SUCCESS)
        return -1;
    std::array<char, 4096> part{};
    for (;;) {
        std::size_t size = part.size();
        if (apr_file_read(process.out, part.data(), &size) != APR_SUCCESS)
            break;
        output.append(part.data(), size);
    }
    int status = 0;
    apr_exit_why_e reason{};
    apr_proc_wait(&process, &status, &reason, APR_WAIT);
    return APR_PROC_CHECK_EXIT(reason) ? status : -1;
}

/// Removes a prefix such as "[time] [module:level] [pid 1] " from a log line.
std::string_view message_of(std::string_view line) {
    while (line.starts_with('[') && line.find("] ") != line.npos)
        line.remove_prefix(line.find("] ") + 2);
    return line;
}

/// Parses a User or Group line, such as `User: name="www-data" id=33`. Returns the id as both user
/// and group, or std::nullopt if the line has none.
std::optional<Account> account_in(std::string_view line) {
    text::take_until(line, '"');
    std::string_view name = text::take_until(line, '"');
    text::take_until(line, '=');
    const auto id = text::parse_integer<unsigned>(text::take_until(line, ' '));
    if (!id)
        return std::nullopt;
    // With "User #33", httpd prints "#33" as the name.
    if (name.starts_with('#'))
        name.remove_prefix(1);
    return Account{std::string(name), *id, *id};
}

void take_line(std::string_view line, HttpdTest& test) {
    if (line.starts_with("User: "))
        test.child_account = account_in(line);
    else if (line.starts_with("Group: ")) {
        if (const auto group = account_in(line); group && test.child_account)
            test.child_account->group = group->group;
    } else if (line.starts_with(' ')) {
        line.remove_prefix(1);
        test.modules.emplace_back(text::take_until(line, ' '));
    } else if (const std::string_view message = message_of(line); message.starts_with("UA"))
        test.warnings.emplace_back(message);
}

/// Returns whether the error may be due to a file that only another account, such as root, may
/// read.
bool is_permission_error(std::string_view error) noexcept {
    // The second string is mod_ssl's message for a file that it may not read.
    return geteuid() != 0 && (error.find("Permission denied") != error.npos ||
                              error.find("does not exist or is empty") != error.npos);
}

} // namespace

HttpdTest test_with_httpd(const std::string& file, apr_pool_t* pool) {
    const apr::ScopedPool own(pool);
    HttpdTest test;
    std::string output;
    const int status = run_script(file, own.get(), output);
    if (status == not_found)
        test.failure = "cannot find apache2 or httpd in " DEFAULT_EXP_SBINDIR
                       "; set the environment variable APACHE_HTTPD to its path";
    else if (status < 0)
        test.failure = "httpd -t terminated abnormally";
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        // AH00558: the server's name could not be determined. This is not an error.
        if (line.empty() || line.find("AH00558") != line.npos)
            continue;
        if (status == 0)
            take_line(line, test);
        else
            test.error.append(test.error.empty() ? "" : " ").append(message_of(line));
    }
    if (status > 0 && test.error.empty())
        test.error = "httpd -t exited with status " + std::to_string(status);
    if (is_permission_error(test.error)) {
        test.error.clear();
        test.needs_other_account = true;
    }
    return test;
}

} // namespace useradmin::ctl
