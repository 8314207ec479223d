#include "ctl/command.hpp"

#include "ctl/commands/sql_files.hpp"
#include "ctl/display.hpp"
#include "ctl/interrupt_handler.hpp"
#include "ctl/lock_retry.hpp"
#include "ctl/transaction.hpp"
#include "text/unicode.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace useradmin::ctl {

namespace {

/// The state of the database objects that "useradminctl schema --scale" creates.
struct ScaleState {
    /// Whether the user table has all triggers that update the counts.
    bool has_all_triggers = false;
    bool has_search = false;
    /// Whether an earlier version of useradminctl created the objects.
    bool is_outdated = false;
};

/// Manages the database objects that sql/postgresql/scale defines for the user table.
class ScaleObjects {
  public:
    explicit ScaleObjects(Context& context) : database_(context.database()) {
        const store::Schema& schema = context.schema();
        if (!schema.user.exists())
            throw CommandError("table " + schema.user.name +
                               " does not exist; create it with 'useradminctl schema'");
        words_ = database_.dialect().scale_placeholders(schema);
        if (words_.empty())
            throw UsageError(std::string(database_.dialect().product().name) +
                             " needs no additional counts and indexes for long "
                             "lists; omit --scale and --no-scale");
        for (const auto& [word, meaning] : words_)
            if (meaning.find(body_quote) != meaning.npos)
                throw CommandError("a name must not contain " + std::string(body_quote));
        // A pooler may hand this session, with its settings, role and advisory lock, to another
        // client.
        if (to_integer(database_.rows("SELECT pg_catalog.pg_backend_pid()")[0][0]) !=
            database_.client().backend_id())
            throw CommandError("the connection goes through a pooler such as PgBouncer; use "
                               "--params to connect directly to PostgreSQL");
        // Override the role's settings. With this search_path, functions and operators of other
        // roles cannot shadow built-in ones.
        database_.execute("SET search_path = pg_catalog, pg_temp");
        database_.execute("SET default_transaction_isolation = 'read committed'");
        database_.execute("SET standard_conforming_strings = on");
        database_.execute("SET statement_timeout = 0");
        database_.execute("SET lock_timeout = 0");
        database_.set_if_known("transaction_timeout", "0", Database::Until::disconnect);
    }

    /// Returns which objects exist. Throws CommandError if they belong to another user table.
    ScaleState state() {
        const std::vector<Database::Row> rows = ask(file("state").front());
        if (rows[0][0] == "t")
            throw CommandError(replace_placeholders(
                "schema @scale@ belongs to another user table; rename one of the two tables",
                words_));
        return {rows[0][1] == "t", rows[0][2] == "t", rows[0][3] == "t"};
    }

    /// Creates the missing objects, except triggers and indexes. Afterwards, the session has the
    /// role of the user table's owner.
    void create(const ScaleState& state) {
        Transaction transaction(database_);
        run("prepare");
        run("owner");
        run("counts");
        if (!state.has_search) {
            words_.emplace_back("@folds@", folds());
            run("search");
        }
        run("grants");
        transaction.commit();
        words_.emplace_back(
            "@trgm@", ask("SELECT quote_ident(nspname::text) FROM pg_extension JOIN pg_namespace n "
                          "ON n.oid = extnamespace WHERE extname = 'pg_trgm'")[0][0]
                          .value_or(""));
    }

    /// Runs an SQL file that locks the user table briefly. Retries while another session locks it,
    /// and throws CommandError after 100 attempts.
    void run_locked(const char* name) {
        retry_locked([&] { run_in_transaction(name); });
    }

    /// Takes an advisory lock that excludes other commands on these objects until the connection
    /// ends. Polls, because CREATE INDEX CONCURRENTLY would wait for a statement that waits for the
    /// lock.
    void exclude_other_commands() {
        // Makes the server notice if this process is killed. Otherwise, the session would hold the
        // lock until the current statement ends.
        database_.set_if_known("client_connection_check_interval", "1s",
                               Database::Until::disconnect);
        const Progress progress("Waiting for another command");
        for (int attempts_left = max_lock_attempts; attempts_left > 0; --attempts_left) {
            if (ask("SELECT pg_try_advisory_lock(hashtextextended('useradminctl schema --scale', "
                    "0))")[0][0] == "t")
                return;
            std::this_thread::sleep_for(lock_retry_delay);
        }
        throw CommandError(
            "another 'useradminctl schema --scale' or '--no-scale' is running (see its session in "
            "pg_stat_activity); run the command again when it has ended");
    }

    void index() {
        const Progress progress("Creating indexes");
        run_result_of("unusable");
        run("indexes");
        run_result_of("seen_index");
    }

    void remove_order_indexes() { run_result_of("order_indexes"); }

    /// Corrects the counts. Returns how many were wrong.
    std::int64_t correct() {
        const Progress progress("Comparing counts");
        const std::vector<std::string> statements = file("correct");
        Transaction transaction(database_);
        for (std::size_t index = 0; index + 1 < statements.size(); ++index)
            database_.execute(statements[index]);
        const std::int64_t wrong = to_integer(database_.rows(statements.back())[0][0]);
        // Merge the counts here, because transactions with an isolation level above READ COMMITTED
        // never merge them. The transaction's lock excludes TRUNCATE.
        constexpr std::int64_t batch = 1000;
        const std::int64_t rows =
            to_integer(ask("SELECT pg_catalog.count(*) FROM @scale@.counts")[0][0]);
        for (std::int64_t merged = 0; merged <= rows; merged += batch)
            database_.execute(replace_placeholders("SELECT @scale@.merge_counts()", words_));
        transaction.commit();
        return wrong;
    }

    std::int64_t users() {
        return to_integer(ask("SELECT sum(number)::bigint FROM @scale@.counts")[0][0]);
    }

    /// Runs the statements of a file in one transaction.
    void run_in_transaction(const char* name) {
        Transaction transaction(database_);
        run(name);
        transaction.commit();
    }

    void run(const char* name) {
        for (const std::string& statement : file(name))
            database_.execute(statement);
    }

  private:
    /// Runs the statements that a file's query returns.
    void run_result_of(const char* name) {
        for (const Database::Row& row : ask(file(name).front()))
            database_.execute(row[0].value_or(""));
    }

    std::vector<Database::Row> ask(const std::string& query) {
        return database_.rows(replace_placeholders(query, words_));
    }

    /// Returns the statements of a file in scale/.
    std::vector<std::string> file(const std::string& name) const {
        std::vector<std::string> statements;
        for (const std::string_view text : sql_files_with_prefix(database_, "scale/" + name))
            for (const std::string& statement : statements_of(text))
                statements.push_back(replace_placeholders(statement, words_));
        return statements;
    }

    /// Returns the code points that text::fold() changes, with their replacements, as an SQL
    /// literal of a JSON object.
    static std::string folds() {
        std::string document;
        json::Writer writer(document);
        writer.begin_object();
        text::for_each_fold([&](std::string_view point, std::string_view folded) {
            writer.key(point).string(folded);
        });
        writer.end_object();
        return store::literal(document);
    }

    Database& database_;
    Replacements words_;
};

void print(const Context& context, std::int64_t users, std::int64_t corrected,
           const std::string& message) {
    if (!context.wants_json()) {
        print_line(message);
        return;
    }
    print_data([&](json::Writer& writer) {
        writer.key("users").integer(users).key("countsCorrected").integer(corrected);
    });
}

} // namespace

Exit create_scale(Context& context) {
    const InterruptHandler interrupt_handler(context.wants_json(), [](bool) {
        return "what was created is kept; run the command again to create the rest";
    });
    ScaleObjects objects(context);
    objects.exclude_other_commands();
    ScaleState state = objects.state();
    if (state.is_outdated) {
        objects.run("owner");
        objects.run_locked("removal");
        context.database().execute("RESET ROLE");
        state = {};
    }
    objects.create(state);
    if (!state.has_all_triggers)
        objects.run_locked("triggers");
    objects.index();
    const std::int64_t corrected = objects.correct();
    objects.run_in_transaction("readers");
    const std::int64_t users = objects.users();
    print(context, users, corrected,
          count_of(users, "user was", "users were") +
              " counted and indexed; the service will use the counts and indexes within ten "
              "seconds.");
    return Exit::success;
}

Exit remove_scale(Context& context) {
    const InterruptHandler interrupt_handler(
        context.wants_json(), [](bool) { return "run the command again to remove the rest"; });
    ScaleObjects objects(context);
    objects.exclude_other_commands();
    static_cast<void>(objects.state());
    objects.run("owner");
    objects.run_locked("removal");
    objects.remove_order_indexes();
    print(context, 0, 0,
          "The counts and their indexes were removed; two indexes on the user table were kept.");
    return Exit::success;
}

} // namespace useradmin::ctl
