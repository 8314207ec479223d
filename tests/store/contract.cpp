#include "contract.hpp"

#include "clock.hpp"

#include "support/fail_test.hpp"
#include "support/text.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

namespace useradmin::test {

namespace {

TestDatabase* current = nullptr;

} // namespace

TestDatabase& database() {
    return *current;
}

void set_database(TestDatabase* database) noexcept {
    current = database;
}

SingleConnection::~SingleConnection() {
    if (connection_.pool)
        apr_pool_destroy(connection_.pool);
}

const store::Connection* SingleConnection::acquire(store::Deadline) {
    if (!connection_.handle) {
        apr_pool_create(&connection_.pool, nullptr);
        apr_dbd_get_driver(connection_.pool, database_.driver().c_str(), &connection_.driver);
        const char* error = nullptr;
        std::string params = database_.params();
        for (const auto& [usual, value] : {std::pair("user=useradmin", "user=" + account_),
                                           std::pair("dbname=postgres", "dbname=" + name_)})
            if (const std::size_t at = params.find(usual); at != std::string::npos)
                params.replace(at, std::string_view(usual).size(), value);
        if (apr_dbd_open_ex(connection_.driver, connection_.pool, params.c_str(),
                            &connection_.handle, &error) != APR_SUCCESS) {
            connection_.handle = nullptr;
            return nullptr;
        }
        // As in mod_dbd, cleanups that are registered later run before the connection is closed.
        apr_pool_cleanup_register(
            connection_.pool, &connection_,
            [](void* data) -> apr_status_t {
                const auto& connection = *static_cast<store::Connection*>(data);
                return apr_dbd_close(connection.driver, connection.handle);
            },
            apr_pool_cleanup_null);
    }
    ++leases_;
    return &connection_;
}

void Contract::setup() {
    database().clear();
    apr_pool_create(&pool_, nullptr);
    connection_ = std::make_unique<SingleConnection>(database());
    store_ = std::make_unique<store::DatabaseStore>(*connection_, log_, pool_, store::TableNames{},
                                                    "contract", timeout_policy);
}

void Contract::teardown() {
    before_sleep({});
    const int leases = connection_->leases();
    store_.reset();
    connection_.reset();
    apr_pool_destroy(pool_);
    undo();
    if (has_poor_role_)
        sql().run("DROP OWNED BY poor; DROP ROLE poor");
    std::string unexpected;
    for (const auto& line : log_.lines)
        if (std::none_of(expected_.begin(), expected_.end(), [&line](const std::string& part) {
                return line.find(part) != std::string::npos;
            }))
            unexpected += line + "\n";
    STRCMP_EQUAL_TEXT("", unexpected.c_str(), "the store logged what the test did not name");
    for (const auto& part : expected_)
        CHECK_TEXT(std::any_of(log_.lines.begin(), log_.lines.end(),
                               [&part](const std::string& line) {
                                   return line.find(part) != std::string::npos;
                               }),
                   ("the store did not log: " + part).c_str());
    CHECK_EQUAL_TEXT(0, leases, "the store still holds its connection");
}

std::string Contract::with_types(std::string statements, const ColumnTypes& types,
                                 bool has_snake_case) {
    for (const auto& [placeholder, type] : types)
        statements = replace_all(statements, placeholder, type);
    statements = replace_all(statements, "$time", is_postgresql() ? "timestamptz" : "date");
    statements = replace_all(statements, "$boolean", is_postgresql() ? "boolean" : "integer");
    std::string all;
    bool is_name = false;
    for (const char character : statements) {
        is_name ^= character == '"';
        all += is_name && has_snake_case ? text::snake_case({&character, 1})
                                         : std::string(1, character);
    }
    return all;
}

void Contract::add_user(std::string_view id, std::string_view email, std::string_view role,
                        std::string_view created_at) {
    sql().run("INSERT INTO \"user\" (\"id\", \"name\", \"email\", \"emailVerified\", \"role\", "
              "\"createdAt\", \"updatedAt\") VALUES (" +
              sql_literal(id) + ", " + sql_literal("Name of " + std::string(id)) + ", " +
              sql_literal(email) + ", TRUE, " + std::string(role) + ", " + sql_literal(created_at) +
              ", " + sql_literal(created_at) + ")");
}

void Contract::add_session(std::string_view token, std::string_view user_id,
                           std::string_view expires_at) {
    sql().insert("session", {{"id", "session-" + std::string(token)},
                             {"token", std::string(token)},
                             {"userId", std::string(user_id)},
                             {"expiresAt", std::string(expires_at)}});
}

void Contract::add_verification(const std::string& identifier, const std::string& value,
                                const std::string& expires_at, const std::string& created_at) {
    sql().insert("verification", {{"id", identifier + created_at},
                                  {"identifier", identifier},
                                  {"value", value},
                                  {"expiresAt", expires_at},
                                  {"createdAt", created_at},
                                  {"updatedAt", created_at}});
}

void Contract::create_restricted_role(const std::string& grants) {
    sql().run("CREATE ROLE poor LOGIN; " + grants);
    has_poor_role_ = true;
}

void Contract::with_stores(int count, const store::TableNames& names,
                           const std::function<void(store::DatabaseStore&)>& operation) {
    std::atomic<int> ready = 0;
    std::vector<std::thread> threads;
    for (int each = 0; each < count; ++each)
        threads.emplace_back([&] {
            SingleConnection connection(database());
            RecordingLogger log;
            apr_pool_t* pool = nullptr;
            apr_pool_create(&pool, nullptr);
            {
                store::DatabaseStore store(connection, log, pool, names, "separate",
                                           timeout_policy);
                static_cast<void>(store.ping());
                ++ready;
                while (ready < count)
                    std::this_thread::yield();
                operation(store);
            }
            apr_pool_destroy(pool);
        });
    for (std::thread& thread : threads)
        thread.join();
}

namespace {

bool execute_on(SingleConnection& pool, const char* statement) {
    const auto* connection = pool.acquire(store::no_deadline);
    int rows = 0;
    const int code = apr_dbd_query(connection->driver, connection->handle, &rows, statement);
    pool.release(*connection);
    return code == 0;
}

} // namespace

bool Contract::execute_on_connection(const char* statement) {
    return execute_on(*connection_, statement);
}

long Contract::prepared_statements(SingleConnection* connection) {
    change("CREATE TABLE useradmin_counted (number bigint); "
           "GRANT INSERT ON useradmin_counted TO public",
           "DROP TABLE useradmin_counted");
    execute_on(connection != nullptr ? *connection : *connection_,
               "INSERT INTO useradmin_counted SELECT count(*) FROM pg_prepared_statements");
    return sql().number("SELECT number FROM useradmin_counted");
}

store::NewUser Contract::new_user(std::string_view id, std::string_view email) {
    store::NewUser user;
    user.id = id;
    user.name = "Nueva Persona";
    user.email = email;
    user.role = "user";
    user.account_id = "account-of-the-new-one";
    user.password_hash = "a hash";
    user.now = at("2026-03-04T05:06:07.089Z");
    return user;
}

std::vector<std::pair<store::UpdateGuard, store::Failure>> Contract::rejecting_guards() {
    using Kind = store::UpdateGuard::Kind;
    static constexpr std::string_view admins[] = {"admin"};
    const auto now = at("2026-05-01T00:00:00.000Z");
    return {
        {{Kind::requires_role, "admin", now}, store::Failure::outranked},
        {{Kind::none, {}, now, std::vector<std::string_view>{"1-2"}},
         store::Failure::version_mismatch},
        {{Kind::none, {}, now, {}, store::Actor{"m", admins, now}}, store::Failure::caller_demoted},
        {{Kind::none, {}, now, {}, store::Actor{"gone", admins, now}},
         store::Failure::caller_rejected},
    };
}

std::string Contract::ids(const store::Page& page) {
    std::string all;
    for (const auto& user : page.users)
        all += (all.empty() ? "" : " ") + std::string(user.id);
    return all;
}

model::Session session_of(std::string_view user_id, std::string_view token, text::Timestamp time) {
    model::Session session;
    session.id = session.token = token;
    session.user_id = user_id;
    session.created_at = session.updated_at = session.expires_at = time;
    return session;
}

std::string extra_json(const model::User& user) {
    std::string object = "{";
    for (const auto& [name, json] : user.extra_columns)
        object.append(object.size() > 1 ? ",\"" : "\"").append(name).append("\":").append(json);
    return object + "}";
}

text::Timestamp at(std::string_view text) {
    const auto time = text::parse_timestamp(text);
    if (!time)
        fail_test("no time: " + std::string(text));
    return *time;
}

} // namespace useradmin::test
