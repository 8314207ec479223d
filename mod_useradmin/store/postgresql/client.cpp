#include "store/postgresql/client.hpp"

#include "apr/pool.hpp"
#include "text/hex.hpp"

#include <libpq-fe.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

namespace useradmin::store {

namespace {

struct FreeOptions {
    void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};
using ConnectionOptions = std::unique_ptr<PQconninfoOption, FreeOptions>;

/// Registers a result to be cleared with the pool.
PGresult* adopt_result(PGresult* result, apr_pool_t* pool) {
    if (result != nullptr)
        apr_pool_cleanup_register(
            pool, result,
            [](void* data) noexcept -> apr_status_t {
                PQclear(static_cast<PGresult*>(data));
                return APR_SUCCESS;
            },
            apr_pool_cleanup_null);
    return result;
}

/// Binary formats that this client decodes.
enum class Form { text, boolean, integer, microseconds, uuid };

/// Returns the format of a built-in type by its fixed OID (pg_type.dat), or std::nullopt if this
/// client cannot decode the type.
std::optional<Form> form_of(Oid type) noexcept {
    constexpr std::pair<Oid, Form> forms[] = {
        {25, Form::text},    {1043, Form::text},         {1042, Form::text},
        {16, Form::boolean}, {21, Form::integer},        {23, Form::integer},
        {20, Form::integer}, {1114, Form::microseconds}, {1184, Form::microseconds},
        {2950, Form::uuid},
    };
    for (const auto& [oid, form] : forms)
        if (oid == type)
            return form;
    return std::nullopt;
}

/// Decodes a big-endian signed integer of up to eight bytes.
std::int64_t integer_of(std::string_view bytes) noexcept {
    std::uint64_t number =
        static_cast<signed char>(bytes.empty() ? 0 : bytes.front()) < 0 ? ~0ULL : 0;
    for (const char byte : bytes)
        number = number << 8 | static_cast<unsigned char>(byte);
    return static_cast<std::int64_t>(number);
}

/// Decodes a timestamp in microseconds since 2000. Returns std::nullopt for infinity, for years
/// before 1 and for years after 9999.
model::NullableTime time_of(std::int64_t microseconds) noexcept {
    constexpr text::Timestamp epoch = std::chrono::sys_days(std::chrono::year(2000) / 1 / 1);
    const text::Timestamp time = epoch + std::chrono::floor<std::chrono::milliseconds>(
                                             std::chrono::microseconds(microseconds));
    return time >= text::first_time && time <= text::last_time ? model::NullableTime(time)
                                                               : model::NullableTime();
}

Cell cell_of(Form form, std::string_view bytes, apr_pool_t* pool) {
    switch (form) {
    case Form::text:
        return bytes;
    case Form::boolean:
        return std::string_view(integer_of(bytes) != 0 ? "t" : "f");
    case Form::integer:
        return apr::copy_view(pool, std::to_string(integer_of(bytes)));
    case Form::microseconds:
        if (const model::NullableTime time = time_of(integer_of(bytes)))
            return *time;
        return Cell();
    case Form::uuid:
        return apr::copy_view(pool, text::uuid(bytes));
    }
    return Cell();
}

Rows rows_of(const PGresult* result, apr_pool_t* pool) {
    const int width = PQnfields(result);
    const int count = PQntuples(result);
    const auto size = static_cast<std::size_t>(width) * static_cast<std::size_t>(count);
    auto* const cells = static_cast<Cell*>(apr_palloc(pool, sizeof(Cell) * size));
    for (int column = 0; column < width; ++column) {
        const Form form = PQfformat(result, column) == 0
                              ? Form::text
                              : form_of(PQftype(result, column)).value_or(Form::text);
        Cell* cell = cells + column;
        for (int row = 0; row < count; ++row, cell += width) {
            const int length = PQgetlength(result, row, column);
            if (length == 0 && PQgetisnull(result, row, column) != 0)
                new (cell) Cell();
            else
                new (cell) Cell(cell_of(
                    form, {PQgetvalue(result, row, column), static_cast<std::size_t>(length)},
                    pool));
        }
    }
    std::int64_t affected = 0;
    const std::string_view tuples = PQcmdTuples(const_cast<PGresult*>(result));
    std::from_chars(tuples.data(), tuples.data() + tuples.size(), affected);
    return {{cells, size}, static_cast<std::size_t>(width), affected};
}

/// Maps an SQLSTATE to an error kind.
ErrorKind error_kind_of(std::string_view state) noexcept {
    static constexpr std::pair<std::string_view, ErrorKind> meanings[] = {
        {"0A000", ErrorKind::stale_schema},           // cached plan must not change result type
        {"42P01", ErrorKind::stale_schema},           // undefined table
        {"42703", ErrorKind::stale_schema},           // undefined column
        {"42804", ErrorKind::stale_schema},           // datatype mismatch
        {"42883", ErrorKind::stale_schema},           // undefined function
        {"3F000", ErrorKind::stale_schema},           // invalid schema name
        {"23505", ErrorKind::unique_violation},       // unique violation
        {"23514", ErrorKind::invalid_value},          // check violation
        {"23502", ErrorKind::invalid_value},          // not-null violation
        {"428C9", ErrorKind::invalid_value},          // generated column
        {"22P05", ErrorKind::unencodable},            // untranslatable character
        {"23503", ErrorKind::foreign_key_violation},  // foreign key violation
        {"23001", ErrorKind::foreign_key_violation},  // restrict violation, from PostgreSQL 18 on
        {"42501", ErrorKind::insufficient_privilege}, // insufficient privilege
        {"40001", ErrorKind::busy},                   // serialization failure
        {"40P01", ErrorKind::busy},                   // deadlock detected
        {"55P03", ErrorKind::busy},                   // lock not available
        {"57014", ErrorKind::canceled},               // query canceled
        {"25006", ErrorKind::read_only},              // read-only transaction
    };
    for (const auto& [code, fault] : meanings)
        if (code == state)
            return fault;
    // Class 22: data exceptions, such as a string that is too long.
    return state.starts_with("22") ? ErrorKind::invalid_value : ErrorKind::rejected;
}

/// Returns whether the backend lacks the prepared statement, for example because a pooler has
/// switched backends.
bool is_unknown(std::string_view state) noexcept {
    return state == "26000";
}

/// Returns whether the prepared statement already exists. The name contains a hash of the text, so
/// it is the same statement.
bool is_prepared_already(std::string_view state) noexcept {
    return state == "42P05";
}

std::string_view state_of(const PGresult* result) noexcept {
    return apr::view_of(PQresultErrorField(result, PG_DIAG_SQLSTATE));
}

bool is_error(const PGresult* result) noexcept {
    return result != nullptr && PQresultStatus(result) == PGRES_FATAL_ERROR;
}

/// The state of a connection's session that its clients share.
struct SessionState {
    /// The PID of the backend that has run the init statements, or 0.
    int backend = 0;
    /// Client::set_lock_timeout(), or 0.
    std::chrono::milliseconds lock_timeout{0};
    /// Whether a client has set `backend`.
    bool is_known = false;
};

class PostgresqlClient final : public Client {
  public:
    PostgresqlClient(PGconn* connection, const Connection& source, const char* label)
        : connection_(connection), label_(label), init_statements_(source.init_statements),
          session_(apr::find_or_emplace<SessionState>(source.pool, "useradmin session")) {
        // The caller has already run the init statements on its new connection.
        if (!std::exchange(session_.is_known, true))
            session_.backend = PQbackendPID(connection_);
    }

    void set_deadline(Deadline deadline) noexcept override {
        deadline_ = deadline;
        is_late_ = false;
        set_nonblocking();
    }

    std::optional<Rows> run(const Statement& statement, apr_pool_t* pool) override {
        // The backend of a new connection has no prepared statements.
        if (PQbackendPID(connection_) != backend_) {
            forget_prepared();
            backend_ = PQbackendPID(connection_);
            prepared_count_ = 0;
        }
        if (PQbackendPID(connection_) != checked_backend_)
            enable_client_check();
        // The backend may lack a prepared statement, and the error would abort the transaction.
        if (is_pooled() || is_in_transaction())
            return run_unprepared(statement, pool);
        auto known = prepared_.find(statement.sql());
        if (known == prepared_.end()) {
            if (prepared_count_ >= max_prepared_statements)
                return run_unprepared(statement, pool);
            auto made = prepare(statement.sql(), pool);
            if (!made)
                return std::nullopt;
            known = prepared_.emplace(statement.sql(), *std::move(made)).first;
            ++prepared_count_;
        }
        const auto arguments = statement.arguments();
        const auto& [name, is_binary] = known->second;
        const PGresult* const result =
            adopt_result(result_of(PQsendQueryPrepared(
                             connection_, name.c_str(), static_cast<int>(arguments.size()),
                             arguments.data(), nullptr, nullptr, is_binary ? 1 : 0)),
                         pool);
        ++runs_;
        if (!is_unknown(state_of(result)))
            return answer(result, pool);
        // The backend lacked the prepared statement and has executed nothing, so run the statement
        // again.
        const unsigned runs = std::exchange(runs_, 0);
        unknown_statements_ = runs < close_succession ? unknown_statements_ + 1 : 1;
        prepared_.clear();
        return run_unprepared(statement, pool);
    }

    std::optional<Rows> execute(const char* sql, apr_pool_t* pool) override {
        return answer(adopt_result(result_of(send_query(sql)), pool), pool);
    }

    bool is_standby() const noexcept override {
        return apr::view_of(PQparameterStatus(connection_, "in_hot_standby")) == "on";
    }

    int backend_id() const noexcept override { return PQbackendPID(connection_); }

    bool has_no_pending_input() const noexcept override {
        pollfd socket = {PQsocket(connection_), POLLIN, 0};
        return is_connected() && poll(&socket, 1, 0) == 0;
    }

    bool ping() override {
        PGresult* result = result_of(send_query(""));
        const bool responds = PQresultStatus(result) == PGRES_EMPTY_QUERY;
        if (!responds)
            note_error(message_of(result), state_of(result));
        PQclear(result);
        return responds;
    }

    bool is_connected() const noexcept override { return PQstatus(connection_) == CONNECTION_OK; }

    bool is_in_transaction() const noexcept override {
        return PQtransactionStatus(connection_) != PQTRANS_IDLE;
    }

    bool reconnect() override {
        unknown_statements_ = 0;
        unnamed_.clear();
        if (deadline_ == no_deadline || has_time_for_all_hosts()) {
            PQreset(connection_);
        } else if (PQresetStart(connection_) != 0) {
            auto state = PGRES_POLLING_WRITING;
            while ((state == PGRES_POLLING_READING || state == PGRES_POLLING_WRITING) &&
                   is_ready(state == PGRES_POLLING_READING ? POLLIN : POLLOUT))
                state = PQresetPoll(connection_);
        }
        set_nonblocking();
        if (!is_connected())
            note_error(apr::view_of(PQerrorMessage(connection_)), {});
        session_.backend = 0;
        return is_connected() && init_session();
    }

    bool init_session() override {
        const int backend = PQbackendPID(connection_);
        if (backend == session_.backend || !is_connected())
            return true;
        for (const std::string& statement : init_statements_)
            if (!run_init_statement(statement)) {
                error_message_.insert(0, "DBDInitSQL failed: ");
                return false;
            }
        if (session_.lock_timeout.count() != 0 && !run_init_statement(lock_timeout_statement()))
            return false;
        // A rollback would undo the settings.
        session_.backend = is_in_transaction() ? 0 : backend;
        return true;
    }

    bool set_lock_timeout(std::chrono::milliseconds timeout, apr_pool_t* pool) override {
        session_.lock_timeout = timeout;
        return execute(lock_timeout_statement().c_str(), pool).has_value();
    }

    void roll_back() noexcept {
        PQclear(result_of(send_query("ROLLBACK")));
        if (is_in_transaction())
            shutdown(PQsocket(connection_), SHUT_RDWR);
    }

    void discard_prepared() override {
        std::string sql;
        for (const auto& [text, prepared] : prepared_)
            sql += "DEALLOCATE " + prepared.name + ";";
        const std::size_t count = prepared_.size();
        forget_prepared();
        if (sql.empty() || is_in_transaction())
            return;
        PGresult* const result = result_of(send_query(sql.c_str()));
        // If this fails, the statements still count until the backend exits.
        if (PQresultStatus(result) == PGRES_COMMAND_OK)
            prepared_count_ -= std::min(count, prepared_count_);
        PQclear(result);
    }

  private:
    struct Prepared {
        std::string name;
        /// Whether this client can decode the binary format of all result types. Binary results are
        /// cheaper than text.
        bool is_binary = false;
    };

    // If the backend lacks a prepared statement twice within this many executions, assume a pooler.
    static constexpr unsigned close_succession = 1000;

    void forget_prepared() {
        // The backend may keep the old statements, so new ones get different names.
        ++generation_;
        prepared_.clear();
        unnamed_.clear();
    }

    /// Returns whether a pooler such as PgBouncer seems to switch backends.
    bool is_pooled() const noexcept { return unknown_statements_ > 1; }

    /// Sends a simple query, which discards the backend's unnamed statement.
    int send_query(const char* sql) noexcept {
        unnamed_.clear();
        return PQsendQuery(connection_, sql);
    }

    /// Makes the backend check once a second, while it runs a statement, whether the client is
    /// still connected. Requires a deadline and PostgreSQL 14 or later. Has no effect if the
    /// server's operating system does not support the check. Keeps a value that the administrator
    /// has set.
    void enable_client_check() {
        constexpr int min_version = 140000;
        if (is_in_transaction())
            return; // its rollback would undo the setting
        if (deadline_ != no_deadline && PQserverVersion(connection_) >= min_version)
            PQclear(result_of(
                send_query("SELECT pg_catalog.set_config('client_connection_check_interval', "
                           "'1s', false) WHERE pg_catalog.current_setting("
                           "'client_connection_check_interval') OPERATOR(pg_catalog.=) '0'")));
        checked_backend_ = PQbackendPID(connection_);
    }

    /// Returns the statement that sets the lock timeout. Behind a pooler such as PgBouncer, the
    /// statement has no effect, because the pooler may hand this session, with the setting, to
    /// another client.
    std::string lock_timeout_statement() const {
        return "SELECT pg_catalog.set_config('lock_timeout', '" +
               std::to_string(session_.lock_timeout.count()) +
               "', false) WHERE pg_catalog.pg_backend_pid() OPERATOR(pg_catalog.=) " +
               std::to_string(backend_id());
    }

    /// Runs a statement on a new session. On failure, closes the connection, because queries would
    /// use the wrong settings.
    bool run_init_statement(const std::string& statement) {
        PGresult* const result = result_of(send_query(statement.c_str()));
        const bool is_done = result != nullptr && !is_error(result);
        if (!is_done) {
            note_error(message_of(result), state_of(result));
            shutdown(PQsocket(connection_), SHUT_RDWR);
            PQconsumeInput(connection_); // notices that the connection is closed
        }
        PQclear(result);
        return is_done;
    }

    std::optional<Prepared> prepare(const std::string& sql, apr_pool_t* pool) {
        // Behind PgBouncer, clients share a backend, so different statements must have different
        // names. Hash the label and the text, because PostgreSQL truncates names to 63 bytes.
        Prepared prepared = {"useradmin_" + std::to_string(std::hash<std::string>()(label_ + sql)) +
                             "_" + std::to_string(generation_)};
        const char* const name = prepared.name.c_str();
        const PGresult* const made = adopt_result(
            result_of(PQsendPrepare(connection_, name, sql.c_str(), 0, nullptr)), pool);
        if (!is_prepared_already(state_of(made)) && !answer(made, pool))
            return std::nullopt;
        const PGresult* const columns =
            adopt_result(result_of(PQsendDescribePrepared(connection_, name)), pool);
        // If the backend no longer has the statement, run() handles the error.
        if (is_unknown(state_of(columns)))
            return prepared;
        if (!answer(columns, pool))
            return std::nullopt;
        prepared.is_binary = true;
        for (int column = 0; column < PQnfields(columns); ++column)
            prepared.is_binary = prepared.is_binary && form_of(PQftype(columns, column));
        return prepared;
    }

    /// Runs a statement as the unnamed statement. Within a transaction, the backend stays the same,
    /// so a repeated statement is not parsed again.
    std::optional<Rows> run_unprepared(const Statement& statement, apr_pool_t* pool) {
        const auto arguments = statement.arguments();
        const auto count = static_cast<int>(arguments.size());
        const std::string& sql = statement.sql();
        PGresult* result = nullptr;
        if (sql == unnamed_) {
            result = result_of(
                PQsendQueryPrepared(connection_, "", count, arguments.data(), nullptr, nullptr, 0));
        } else {
            result = result_of(PQsendQueryParams(connection_, sql.c_str(), count, nullptr,
                                                 arguments.data(), nullptr, nullptr, 0));
            unnamed_ = PQtransactionStatus(connection_) == PQTRANS_INTRANS ? sql : "";
        }
        return answer(adopt_result(result, pool), pool);
    }

    /// If there is a deadline, makes the connection non-blocking. Other modules can still call
    /// PQexec() on the connection.
    void set_nonblocking() noexcept {
        if (deadline_ != no_deadline)
            PQsetnonblocking(connection_, 1);
    }

    /// Returns whether there are several hosts, and trying all of them ends at most one second
    /// after the deadline, because each attempt ends after connect_timeout. A name with several
    /// addresses is treated as one host. PQresetPoll() ignores connect_timeout and would wait for
    /// the first host.
    bool has_time_for_all_hosts() const {
        const ConnectionOptions options(PQconninfo(connection_));
        std::ptrdiff_t hosts = 1;
        int seconds = 0;
        for (const PQconninfoOption* each = options.get();
             each != nullptr && each->keyword != nullptr; ++each) {
            const std::string_view keyword = each->keyword;
            const std::string_view value = apr::view_of(each->val);
            if (keyword == "host" || keyword == "hostaddr")
                hosts = std::max(hosts, std::ranges::count(value, ',') + 1);
            else if (keyword == "connect_timeout")
                std::from_chars(value.data(), value.data() + value.size(), seconds);
        }
        return hosts > 1 && seconds > 0 &&
               Clock::now() + hosts * std::chrono::seconds(std::max(seconds, 2)) <=
                   deadline_ + std::chrono::seconds(1);
    }

    /// Waits until the socket is ready for the poll() events. At the deadline, shuts down the
    /// connection and returns false. If the connection is broken, returns true, because libpq
    /// reports the error.
    bool is_ready(short events) noexcept {
        while (true) {
            int timeout = -1; // milliseconds
            if (deadline_ != no_deadline) {
                const auto left =
                    std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
                timeout = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
            }
            pollfd socket = {PQsocket(connection_), events, 0};
            if (socket.fd < 0)
                return true;
            const int ready = poll(&socket, 1, timeout);
            if (ready > 0 || (ready < 0 && errno != EINTR))
                return true;
            if (ready == 0) {
                is_late_ = true;
                shutdown(socket.fd, SHUT_RDWR);
                return false;
            }
        }
    }

    /// Waits for all results until the deadline. Returns the first error, or else the last result,
    /// or nullptr if the query could not be sent. If the server closes the connection, the first
    /// error is the server's message, not libpq's. The caller must clear the result.
    PGresult* result_of(int is_sent) noexcept {
        if (is_sent == 0)
            return nullptr;
        for (int left = PQflush(connection_); left > 0; left = PQflush(connection_))
            // An error may arrive before everything is sent.
            if (!is_ready(POLLIN | POLLOUT) || PQconsumeInput(connection_) == 0)
                break;
        PGresult* last = nullptr;
        while (true) {
            while (PQisBusy(connection_) != 0) {
                const bool has_input = is_ready(POLLIN);
                // If the connection is closed, the next result contains the error.
                if (PQconsumeInput(connection_) == 0 || !has_input)
                    break;
            }
            PGresult* const next = PQgetResult(connection_);
            if (next == nullptr)
                return last;
            PQclear(is_error(last) ? next : std::exchange(last, next));
        }
    }

    /// Returns the error message of the result, or of the connection if there is no result.
    std::string_view message_of(const PGresult* result) const noexcept {
        return apr::view_of(result != nullptr ? PQresultErrorMessage(result)
                                              : PQerrorMessage(connection_));
    }

    /// Records the database's message, or a timeout. Returns whether it was a timeout.
    bool note_error(std::string_view message, std::string_view state) {
        const bool is_late = std::exchange(is_late_, false);
        // Lines after the first may contain row values.
        error_message_ = is_late ? "timed out" : message.substr(0, message.find('\n'));
        if (!is_late && !state.empty())
            error_message_.append(" (SQLSTATE ").append(state).append(")");
        return is_late;
    }

    std::optional<Rows> answer(const PGresult* result, apr_pool_t* pool) {
        switch (PQresultStatus(result)) {
        case PGRES_TUPLES_OK:
        case PGRES_COMMAND_OK:
            return rows_of(result, pool);
        default:
            break;
        }
        const std::string_view state = state_of(result);
        error_kind_ = note_error(message_of(result), state) ? ErrorKind::timed_out
                      : !is_connected()                     ? ErrorKind::connection_lost
                                                            : error_kind_of(state);
        if (!is_connected())
            session_.backend = 0; // the next backend may have the same PID
        return std::nullopt;
    }

    PGconn* connection_;
    const char* label_;
    std::span<const std::string> init_statements_;
    SessionState& session_;
    /// The PID of the backend that has this client's prepared statements.
    int backend_ = 0;
    /// The PID of the backend that enable_client_check() has configured.
    int checked_backend_ = 0;
    /// Part of the names of prepared statements. Incremented when they are discarded.
    unsigned generation_ = 0;
    Deadline deadline_ = no_deadline;
    /// Whether the connection was closed after a timeout.
    bool is_late_ = false;
    /// The number of prepared statements executed since the backend last lacked one.
    unsigned runs_ = 0;
    /// The number of times in close succession that the backend lacked a prepared statement.
    unsigned unknown_statements_ = 0;
    std::unordered_map<std::string, Prepared> prepared_;
    /// The number of statements that the backend has prepared, including forgotten ones.
    std::size_t prepared_count_ = 0;
    /// Within a transaction, the text of the backend's unnamed statement. Otherwise, empty.
    std::string unnamed_;
};

} // namespace

std::unique_ptr<Client> postgresql_client(const Connection& connection, const char* label) {
    return std::make_unique<PostgresqlClient>(
        static_cast<PGconn*>(apr_dbd_native_handle(connection.driver, connection.handle)),
        connection, label);
}

bool has_postgresql_password(const std::string& parameters) {
    const ConnectionOptions options(PQconninfoParse(parameters.c_str(), nullptr));
    bool has_password = false;
    for (const PQconninfoOption* each = options.get(); each != nullptr && each->keyword != nullptr;
         ++each)
        has_password =
            has_password || (std::string_view(each->keyword) == "password" && each->val != nullptr);
    return has_password;
}

void roll_back(Client& client) noexcept {
    static_cast<PostgresqlClient&>(client).roll_back();
}

} // namespace useradmin::store
