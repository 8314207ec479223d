#include "store/postgresql/client.hpp"

#include "apr/pool.hpp"
#include "text/hex.hpp"

#include <libpq-fe.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>

namespace useradmin::store {

namespace {

/// A result that is cleared with its pool.
PGresult* copy_result(PGresult* result, apr_pool_t* pool) {
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

/// Wipes the values of a result.
void wipe(PGresult* result) noexcept {
    for (int row = 0; row < PQntuples(result); ++row)
        for (int column = 0; column < PQnfields(result); ++column)
            explicit_bzero(PQgetvalue(result, row, column),
                           static_cast<std::size_t>(PQgetlength(result, row, column)));
}

/// A result whose values are secret: they are wiped with its pool.
PGresult* copy_secret_result(PGresult* result, apr_pool_t* pool) {
    copy_result(result, pool);
    // It runs before what was registered earlier.
    if (result != nullptr)
        apr_pool_cleanup_register(
            pool, result,
            [](void* data) noexcept -> apr_status_t {
                wipe(static_cast<PGresult*>(data));
                return APR_SUCCESS;
            },
            apr_pool_cleanup_null);
    return result;
}

/// How many bytes of a Bind message go before its arguments, and how many those are.
std::size_t size_of_binding(std::string_view name, std::span<const char* const> arguments) {
    std::size_t size = 11 + name.size(); // its kind and length, two names' ends, two numbers
    for (const char* const argument : arguments)
        size += 4 + apr::view_of(argument).size();
    return size;
}

/// How many bytes the rows of a result came in.
std::size_t size_of_rows(const PGresult* result) noexcept {
    constexpr std::size_t frame = 64; // more than all else that comes with them
    constexpr std::size_t column_frame = 19;
    std::size_t size = frame;
    for (int column = 0; column < PQnfields(result); ++column)
        size += column_frame + apr::view_of(PQfname(result, column)).size();
    for (int row = 0; row < PQntuples(result); ++row) {
        size += 7;
        for (int column = 0; column < PQnfields(result); ++column)
            size += 4 + static_cast<std::size_t>(PQgetlength(result, row, column));
    }
    return size;
}

/// The binary forms of values that are read here.
enum class Form { text, boolean, integer, microseconds, uuid };

/// The form of a type, by its oid in pg_type.dat, which never changes; nothing for all others.
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

/// A whole number of two, four or eight bytes, the highest first.
std::int64_t integer_of(std::string_view bytes) noexcept {
    std::uint64_t number =
        static_cast<signed char>(bytes.empty() ? 0 : bytes.front()) < 0 ? ~0ULL : 0;
    for (const char byte : bytes)
        number = number << 8 | static_cast<unsigned char>(byte);
    return static_cast<std::int64_t>(number);
}

/// What the text of such a time would be read as: nothing for an infinite one, and before the
/// year 1.
model::NullableTime time_of(std::int64_t microseconds) noexcept {
    constexpr text::Timestamp epoch = std::chrono::sys_days(std::chrono::year(2000) / 1 / 1);
    constexpr text::Timestamp first = std::chrono::sys_days(std::chrono::year(1) / 1 / 1);
    constexpr text::Timestamp last = std::chrono::sys_days(std::chrono::year::max() / 12 / 31);
    const text::Timestamp time = epoch + std::chrono::floor<std::chrono::milliseconds>(
                                             std::chrono::microseconds(microseconds));
    return time >= first && time <= last ? model::NullableTime(time) : model::NullableTime();
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

/// What an SQLSTATE means for the work.
ErrorKind error_kind_of(std::string_view state) noexcept {
    static constexpr std::pair<std::string_view, ErrorKind> meanings[] = {
        {"0A000", ErrorKind::stale_schema},     // a cached plan must not change its result's type
        {"42P01", ErrorKind::stale_schema},     // no such table
        {"42703", ErrorKind::stale_schema},     // no such column
        {"42804", ErrorKind::stale_schema},     // a type that does not fit
        {"42883", ErrorKind::stale_schema},     // no such operator for these types
        {"3F000", ErrorKind::stale_schema},     // no such schema
        {"23505", ErrorKind::unique_violation}, // a value that must be unique
        {"42501", ErrorKind::insufficient_privilege}, // a right is lacking
        {"40001", ErrorKind::busy},      // others wrote the rows since the transaction began
        {"40P01", ErrorKind::busy},      // two waited for each other
        {"55P03", ErrorKind::busy},      // the wait for a lock was too long
        {"25006", ErrorKind::read_only}, // a standby, or so told
    };
    for (const auto& [code, fault] : meanings)
        if (code == state)
            return fault;
    return ErrorKind::rejected;
}

/// Whether the backend does not have what was prepared: it has ended, or someone between prepared
/// it on another one.
bool is_unknown(std::string_view state) noexcept {
    return state == "26000";
}

/// Whether the backend has a statement of the name already. The name tells the text.
bool is_prepared_already(std::string_view state) noexcept {
    return state == "42P05";
}

std::string_view state_of(const PGresult* result) noexcept {
    return apr::view_of(PQresultErrorField(result, PG_DIAG_SQLSTATE));
}

bool is_error(const PGresult* result) noexcept {
    return result != nullptr && PQresultStatus(result) == PGRES_FATAL_ERROR;
}

class PostgresqlClient final : public Client {
  public:
    PostgresqlClient(PGconn* connection, const char* label) noexcept
        : connection_(connection), label_(label) {}

    void set_deadline(Deadline deadline) noexcept override {
        deadline_ = deadline;
        is_late_ = false;
        stop_blocking();
    }

    std::variant<Rows, ErrorKind> run(const Statement& statement, apr_pool_t* pool) override {
        // A broken connection keeps what it was given, and who closes it does not wipe that.
        while (statement.takes_secrets() && !has_no_pending_input())
            if (PQconsumeInput(connection_) == 0)
                return answer(nullptr, pool);
        // A connection that was made anew has another backend, and its statements are gone.
        if (PQbackendPID(connection_) != backend_)
            discard_prepared();
        if (PQbackendPID(connection_) != watchful_)
            enable_client_check();
        // What is prepared may be unknown, and an error within a transaction ends that.
        if (is_pooled() || is_in_transaction())
            return run_unprepared(statement, pool);
        auto known = prepared_.find(statement.sql());
        if (known == prepared_.end()) {
            if (prepared_.size() >= max_prepared_statements)
                return run_unprepared(statement, pool);
            auto made = prepare(statement.sql(), pool);
            if (const auto* error_kind = std::get_if<ErrorKind>(&made))
                return *error_kind;
            known = prepared_.emplace(statement.sql(), std::get<Prepared>(std::move(made))).first;
        }
        const auto arguments = statement.arguments();
        const auto& [name, is_binary] = known->second;
        const PGresult* const result =
            copy_query_result(result_of(PQsendQueryPrepared(
                                  connection_, name.c_str(), static_cast<int>(arguments.size()),
                                  arguments.data(), nullptr, nullptr, is_binary ? 1 : 0)),
                              statement, size_of_binding(name, arguments), pool);
        ++runs_;
        if (!is_unknown(state_of(result)))
            return answer(result, pool);
        // Nothing was done.
        const unsigned runs = std::exchange(runs_, 0);
        vanished_ = runs < few_runs ? vanished_ + 1 : 1;
        prepared_.clear();
        return run_unprepared(statement, pool);
    }

    std::variant<Rows, ErrorKind> execute(const char* sql, apr_pool_t* pool) override {
        return answer(copy_result(result_of(send_query(sql)), pool), pool);
    }

    const std::string& error_message() const noexcept override { return error_; }

    bool has_no_pending_input() const noexcept override {
        pollfd socket = {PQsocket(connection_), POLLIN, 0};
        return poll(&socket, 1, 0) == 0;
    }

    bool ping() override {
        PGresult* result = result_of(send_query(""));
        const bool is_there = PQresultStatus(result) == PGRES_EMPTY_QUERY;
        if (!is_there)
            note_error(message_of(result), state_of(result));
        PQclear(result);
        return is_there;
    }

    bool is_connected() const noexcept override { return PQstatus(connection_) == CONNECTION_OK; }

    bool is_in_transaction() const noexcept override {
        return PQtransactionStatus(connection_) != PQTRANS_IDLE;
    }

    bool reconnect() override {
        vanished_ = 0;
        unnamed_.clear();
        if (deadline_ == no_deadline) {
            PQreset(connection_);
        } else if (PQresetStart(connection_) != 0) {
            auto state = PGRES_POLLING_WRITING;
            while ((state == PGRES_POLLING_READING || state == PGRES_POLLING_WRITING) &&
                   is_ready(state == PGRES_POLLING_READING ? POLLIN : POLLOUT))
                state = PQresetPoll(connection_);
        }
        stop_blocking();
        if (!is_connected())
            note_error(apr::view_of(PQerrorMessage(connection_)), {});
        else if (sent_secrets_ != 0)
            wipe_output_buffer(0);
        return is_connected();
    }

    void discard_prepared() override {
        // What was prepared under an old name stays with the backend until it ends; it is never
        // used again.
        ++age_;
        prepared_.clear();
        unnamed_.clear();
        backend_ = PQbackendPID(connection_);
    }

  private:
    struct Prepared {
        std::string name;
        /// Whether all that it gives is of a type that is read in its binary form here, which both
        /// sides make less of than of a text.
        bool is_binary = false;
    };

    // Prepared statements that vanish twice within so many runs were not lost with a backend.
    static constexpr unsigned few_runs = 1000;

    /// Whether someone between, such as PgBouncer, gives each statement another backend.
    bool is_pooled() const noexcept { return vanished_ > 1; }

    /// Sends what has no arguments; the backend forgets then the statement without a name.
    int send_query(const char* sql) {
        unnamed_.clear();
        return PQsendQuery(connection_, sql);
    }

    /// Has the backend end a statement for whose end nobody waits any more, within a second, where
    /// it can: PostgreSQL 14 and later, on most systems. What an operator set counts.
    void enable_client_check() {
        constexpr int first_that_can = 140000;
        if (deadline_ != no_deadline && PQserverVersion(connection_) >= first_that_can &&
            !is_in_transaction())
            PQclear(result_of(
                send_query("SELECT pg_catalog.set_config('client_connection_check_interval', "
                           "'1s', false) WHERE pg_catalog.current_setting("
                           "'client_connection_check_interval') OPERATOR(pg_catalog.=) '0'")));
        watchful_ = PQbackendPID(connection_);
    }

    std::variant<Prepared, ErrorKind> prepare(const std::string& sql, apr_pool_t* pool) {
        // A name tells its text, since others of that name may be on the backend: PgBouncer gives
        // it to one after the other.
        Prepared prepared = {std::string(label_) + "_" +
                             std::to_string(std::hash<std::string>()(sql)) + "_" +
                             std::to_string(age_)};
        const char* const name = prepared.name.c_str();
        const PGresult* const made =
            copy_result(result_of(PQsendPrepare(connection_, name, sql.c_str(), 0, nullptr)), pool);
        if (const std::string_view state = state_of(made); !is_prepared_already(state)) {
            const auto is_made = answer(made, pool);
            if (const auto* error_kind = std::get_if<ErrorKind>(&is_made))
                return *error_kind;
        }
        const PGresult* const columns =
            copy_result(result_of(PQsendDescribePrepared(connection_, name)), pool);
        // Where it has vanished already, the run says so.
        if (is_unknown(state_of(columns)))
            return prepared;
        const auto is_described = answer(columns, pool);
        if (const auto* error_kind = std::get_if<ErrorKind>(&is_described))
            return *error_kind;
        prepared.is_binary = true;
        for (int column = 0; column < PQnfields(columns); ++column)
            prepared.is_binary = prepared.is_binary && form_of(PQftype(columns, column));
        return prepared;
    }

    /// Within a transaction, the backend stays the same and has the last statement without a name.
    std::variant<Rows, ErrorKind> run_unprepared(const Statement& statement, apr_pool_t* pool) {
        constexpr std::size_t parse_frame = 8;
        const auto arguments = statement.arguments();
        const auto count = static_cast<int>(arguments.size());
        const std::string& sql = statement.sql();
        std::size_t sent = size_of_binding({}, arguments);
        PGresult* result = nullptr;
        if (sql == unnamed_) {
            result = result_of(
                PQsendQueryPrepared(connection_, "", count, arguments.data(), nullptr, nullptr, 0));
        } else {
            sent += parse_frame + sql.size();
            result = result_of(PQsendQueryParams(connection_, sql.c_str(), count, nullptr,
                                                 arguments.data(), nullptr, nullptr, 0));
            unnamed_ = PQtransactionStatus(connection_) == PQTRANS_INTRANS ? sql : "";
        }
        return answer(copy_query_result(result, statement, sent, pool), pool);
    }

    /// The result of a statement, and no more of its secrets than that; so many bytes were sent up
    /// to the end of its arguments.
    PGresult* copy_query_result(PGresult* result, const Statement& statement, std::size_t sent,
                                apr_pool_t* pool) {
        if (statement.returns_secrets())
            copy_secret_result(result, pool);
        else
            copy_result(result, pool);
        if (statement.takes_secrets())
            wipe_output_buffer(sent);
        if (statement.returns_secrets() && PQntuples(result) > 0)
            wipe_input_buffer(size_of_rows(result));
        return result;
    }

    /// libpq keeps what it sent until it sends something else. A statement whose last argument has
    /// no length is written over it, and then refused before anything of it is sent.
    void wipe_output_buffer(std::size_t size) {
        // Over what a broken connection has sent, only when it stands again.
        sent_secrets_ = std::max(sent_secrets_, size);
        if (!is_connected())
            return;
        size = std::exchange(sent_secrets_, 0);
        const std::size_t head = size_of_binding({}, {}) + 2 * sizeof(std::int16_t) + 4;
        const std::string padding(size > head ? size - head : 0, ' ');
        const char* const values[] = {padding.c_str(), ""};
        const int forms[] = {0, 1};
        PQclear(result_of(PQsendQueryPrepared(connection_, "", 2, values, nullptr, forms, 0)));
    }

    /// The same of what it received: another answer takes its place.
    void wipe_input_buffer(std::size_t size) {
        const std::string query = "SELECT pg_catalog.repeat(' ', " + std::to_string(size) + ")";
        PQclear(result_of(send_query(query.c_str())));
    }

    /// Lets libpq hand back what it would else wait for without end. Others' PQexec works on such a
    /// connection as well; one that was made anew is none.
    void stop_blocking() noexcept {
        if (deadline_ != no_deadline)
            PQsetnonblocking(connection_, 1);
    }

    /// Waits until the connection's socket is ready for the events of poll(); false where that is
    /// not so before the deadline, and the connection has been ended.
    bool is_ready(short events) noexcept {
        while (true) {
            int timeout_policy = -1;
            if (deadline_ != no_deadline) {
                const auto left =
                    std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
                timeout_policy = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
            }
            pollfd socket = {PQsocket(connection_), events, 0};
            if (socket.fd < 0)
                return true;
            const int ready = poll(&socket, 1, timeout_policy);
            if (ready > 0 || (ready < 0 && errno != EINTR))
                return true; // what is wrong, libpq finds out
            if (ready == 0) {
                is_late_ = true;
                shutdown(socket.fd, SHUT_RDWR);
                return false;
            }
        }
    }

    /// The last result of what was sent, or the first error, but not later than the deadline;
    /// nullptr where it could not be sent. A server that ends a connection says why, and then libpq
    /// that it was ended.
    PGresult* result_of(int is_sent) {
        if (is_sent == 0)
            return nullptr;
        for (int left = PQflush(connection_); left > 0; left = PQflush(connection_))
            // An error may come before all is sent.
            if (!is_ready(POLLIN | POLLOUT) || PQconsumeInput(connection_) == 0)
                break;
        PGresult* last = nullptr;
        while (true) {
            while (PQisBusy(connection_) != 0) {
                const bool is_there = is_ready(POLLIN);
                // Of a connection that has ended the result says so.
                if (PQconsumeInput(connection_) == 0 || !is_there)
                    break;
            }
            PGresult* const next = PQgetResult(connection_);
            if (next == nullptr)
                return last;
            PQclear(is_error(last) ? next : std::exchange(last, next));
        }
    }

    /// What was said to a result that is none, or to what could not be sent.
    std::string_view message_of(const PGresult* result) const noexcept {
        return apr::view_of(result != nullptr ? PQresultErrorMessage(result)
                                              : PQerrorMessage(connection_));
    }

    /// Notes what the database said, or that it was too late; whether it was.
    bool note_error(std::string_view message, std::string_view state) {
        const bool is_late = std::exchange(is_late_, false);
        // The lines after the first can hold the values of a row.
        error_ = is_late ? "no answer came in time" : message.substr(0, message.find('\n'));
        if (!is_late && !state.empty())
            error_.append(" (SQLSTATE ").append(state).append(")");
        return is_late;
    }

    std::variant<Rows, ErrorKind> answer(const PGresult* result, apr_pool_t* pool) {
        switch (PQresultStatus(result)) {
        case PGRES_TUPLES_OK:
        case PGRES_COMMAND_OK:
            return rows_of(result, pool);
        default:
            break;
        }
        const std::string_view state = state_of(result);
        if (note_error(message_of(result), state))
            return ErrorKind::timed_out;
        if (!is_connected())
            return ErrorKind::connection_lost;
        return error_kind_of(state);
    }

    PGconn* connection_;
    const char* label_;
    int backend_ = 0;
    /// The backend that looks whether its client is there, as far as it could be told so.
    int watchful_ = 0;
    /// How often what was prepared was forgotten.
    unsigned age_ = 0;
    Deadline deadline_ = no_deadline;
    /// Whether the connection was ended since an answer did not come in time.
    bool is_late_ = false;
    /// How many bytes libpq may keep of what was sent with secrets in it.
    std::size_t sent_secrets_ = 0;
    /// How many statements have run since one was unknown to its backend, and how often that was.
    unsigned runs_ = 0;
    unsigned vanished_ = 0;
    std::unordered_map<std::string, Prepared> prepared_;
    /// The statement that the backend has without a name, within a transaction; else empty.
    std::string unnamed_;
    std::string error_;
};

} // namespace

std::unique_ptr<Client> postgresql_client(void* connection, const char* label) {
    return std::make_unique<PostgresqlClient>(static_cast<PGconn*>(connection), label);
}

} // namespace useradmin::store
