#include "httpd/audit_log.hpp"

#include "apr/pool.hpp"
#include "httpd/shared_memory.hpp"
#include "ipc/descriptor.hpp"
#include "text/printable.hpp"
#include "text/unicode.hpp"

#include <unixd.h>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <filesystem>
#include <new>
#include <string>
#include <utility>

namespace useradmin::httpd {

struct NamedLog {
    /// The absolute path of a file, or "|" followed by a program.
    const char* name;
    /// The status of the file with the chain position. Its device and inode show whether two names
    /// refer to the same log.
    struct stat position_file = {};
    /// nullptr until the log is open.
    audit::Log* log = nullptr;

    bool is_program() const noexcept { return name[0] == '|'; }
};

namespace {

/// Returns the logs of a configuration. Both modules share them.
std::deque<NamedLog>& named_logs(apr_pool_t* configuration_pool) {
    return apr::find_or_emplace<std::deque<NamedLog>>(configuration_pool, "useradmin audit logs 2");
}

/// Returns the descriptor of an anonymous file for a program's chain position, or -1 on failure.
/// The file survives restarts, so all lines from one run of httpd form one chain.
int position_file_of_program(apr_pool_t* process_pool, const char* name) {
    // Earlier versions use the same key, so the chain continues if a restart loads a newer module.
    const std::string key = "useradmin audit place 1 " + std::string(name);
    int& file = apr::find_or_emplace<int>(process_pool, key.c_str());
    if (file <= 0)
        file = memfd_create("useradmin audit position", MFD_CLOEXEC);
    return file;
}

/// Returns the pool of the programs. They keep running across reloads, because the children of the
/// previous configuration still write to them.
apr_pool_t*& pool_of_programs(apr_pool_t* process_pool) {
    return apr::find_or_emplace<apr_pool_t*>(process_pool, "useradmin audit programs 1");
}

/// Discards the programs if httpd has ended them, as it does in a restart that is not graceful.
void close_ended_programs(apr_pool_t* process_pool) {
    apr_pool_t*& programs = pool_of_programs(process_pool);
    if (programs != nullptr && !ap_unixd_mpm_get_retained_data()->was_graceful)
        apr_pool_destroy(std::exchange(programs, nullptr));
}

/// If the program cannot be started, httpd logs why.
audit::Descriptors open_program(apr_pool_t* process_pool, const NamedLog& named) {
    apr_pool_t*& programs = pool_of_programs(process_pool);
    if (programs == nullptr)
        apr_pool_create(&programs, process_pool);
    auto*& program = apr::find_or_emplace<piped_log*>(programs, named.name);
    if (program == nullptr)
        program = ap_open_piped_log(programs, apr_pstrdup(programs, named.name + 1));
    audit::Descriptors opened;
    errno = 0;
    if (program == nullptr)
        return opened;
    apr_os_file_get(&opened.log, ap_piped_log_write_fd(program));
    opened.position = position_file_of_program(process_pool, named.name);
    return opened;
}

audit::Descriptors open_file(apr_pool_t* pool, const NamedLog& named) {
    const audit::Descriptors opened = audit::open_log(named.name);
    for (const int descriptor : {opened.log, opened.position})
        apr::emplace<ipc::Descriptor>(pool, descriptor);
    return opened;
}

/// Returns the file that httpd executes for "|program" or "||program", or nullptr for "|$command",
/// which a shell runs.
const char* file_of_program(apr_pool_t* pool, const char* name) {
    name += apr::view_of(name).starts_with("||") ? 2 : 1;
    char** words = nullptr;
    if (*name == '$' || apr_tokenize_to_argv(name, &words, pool) != APR_SUCCESS)
        return nullptr;
    return words[0] != nullptr ? words[0] : "";
}

} // namespace

const char* read_audit_log(const ConfigLine& line, AuditLogSetting& log) {
    log = {};
    const std::string_view word = line.arguments[0];
    const bool is_none = text::equals_ignoring_case(word, "none");
    if (line.arguments.size() > 1 &&
        (is_none || !text::equals_ignoring_case(line.arguments[1], "required")))
        return "must be a file or \"|program\", optionally followed by required (to reject changes "
               "that cannot be logged), or none";
    if (is_none)
        return nullptr;
    const bool is_program = word.starts_with('|');
    const char* const name =
        is_program ? line.copy(word) : ap_server_root_relative(line.pool(), line.copy(word));
    if (word.empty() || word == "|" || name == nullptr)
        return "must be a file or a \"|program\", such as /var/log/useradmin/audit.log";
    std::error_code ignored;
    if (is_program) {
        const char* const program = file_of_program(line.pool(), name);
        if (program != nullptr && !is_executable_file(program))
            return line.copy("the program " + std::string(program) +
                             " is not an executable file; specify its absolute path");
    } else {
        const std::filesystem::path path(name);
        if (!std::filesystem::is_directory(path.parent_path(), ignored))
            return line.copy("the directory " + path.parent_path().string() +
                             " does not exist; create it");
        if (std::filesystem::is_directory(path, ignored))
            return line.copy(std::string(name) + " is a directory; specify a file in it");
    }
    std::deque<NamedLog>& logs = named_logs(line.pool());
    for (const NamedLog& known : logs)
        if (apr::view_of(known.name) == name)
            log.log = &known;
    if (log.log == nullptr)
        log.log = &logs.emplace_back(NamedLog{name});
    log.is_required = line.arguments.size() > 1;
    return nullptr;
}

bool open_audit_logs(apr_pool_t* configuration_pool, server_rec* servers, const module& owner) {
    // At startup, httpd reads the configuration twice. Open the logs only the second time.
    if (ap_state_query(AP_SQ_MAIN_STATE) == AP_SQ_MS_CREATE_PRE_CONFIG)
        return true;
    apr_pool_t* const process_pool = servers->process->pool;
    std::deque<NamedLog>& logs = named_logs(configuration_pool);
    // Only the first of the two modules opens the logs.
    if (std::ranges::none_of(logs, [](const NamedLog& named) { return named.log != nullptr; }))
        close_ended_programs(process_pool);
    for (NamedLog& named : logs) {
        if (named.log != nullptr)
            continue;
        const audit::Descriptors opened = named.is_program() ? open_program(process_pool, named)
                                                             : open_file(configuration_pool, named);
        if (!opened || fstat(opened.position, &named.position_file) != 0) {
            ap_log_error(__FILE__, __LINE__, owner.module_index, APLOG_EMERG,
                         APR_FROM_OS_ERROR(errno), servers,
                         "UA0402: UserAdminAuditLog: cannot open %s", named.name);
            return false;
        }
        // If the log is already open under another name, share the audit::Log, because it contains
        // the lock.
        for (const NamedLog& other : logs)
            if (other.log != nullptr && other.position_file.st_dev == named.position_file.st_dev &&
                other.position_file.st_ino == named.position_file.st_ino)
                named.log = other.log;
        if (named.log != nullptr)
            continue;
        named.log = ::new (map_shared_memory(configuration_pool, sizeof(audit::Log)))
            audit::Log(opened.log, opened.position);
    }
    return true;
}

std::string audit_log_states(apr_pool_t* configuration_pool) {
    std::string lines;
    for (const NamedLog& named : named_logs(configuration_pool)) {
        if (named.log == nullptr)
            continue;
        std::string_view name = named.name;
        if (named.is_program()) // the arguments may be secret
            name = name.substr(0, name.find(' '));
        const int error = named.log->last_error();
        lines += "audit log " + text::printable(name) + ": " +
                 (error == 0        ? "ok"
                  : error == EAGAIN ? "the program is not keeping up"
                                    : std::generic_category().message(error)) +
                 '\n';
    }
    return lines;
}

audit::Trail trail_of(const AuditLogSetting& log) noexcept {
    return {log.log != nullptr ? log.log->log : nullptr, log.is_required};
}

int descriptor_of(const AuditLogSetting& log) noexcept {
    return log.log != nullptr && log.log->log != nullptr && !log.log->is_program()
               ? log.log->log->descriptor()
               : -1;
}

audit::Origin origin_of(const request_rec* request) noexcept {
    return {apr::view_of(request->server->server_hostname), apr::view_of(request->useragent_ip),
            apr::view_of(apr_table_get(request->subprocess_env, "UNIQUE_ID")),
            apr::view_of(apr_table_get(request->headers_in, "traceparent"))};
}

} // namespace useradmin::httpd
