// Statements for PostgreSQL 13 and later.
#include "store/dialect.hpp"
#include "apr/pool.hpp"
#include "store/conditions.hpp"
#include "store/postgresql/client.hpp"
#include "store/postgresql/scale.hpp"
#include "store/postgresql/schema.hpp"
#include "store/statements.hpp"
#include "store/update_conditions.hpp"
#include "store/work.hpp"
#include "text/unicode.hpp"

#include <cstdlib>
#include <string>

namespace useradmin::store {

namespace {

/// Appends an SQL expression that folds the text like text::fold(), except ligatures. Letters that
/// the database's lower() does not convert keep their case.
void append_folded(Statement& statement, const std::string& text) {
    // An argument, because the text of a statement is kept for each prepared statement.
    static const std::string marks = '[' + text::combining_marks() + ']';
    // translate() can only replace a character with a single character. lower() keeps final sigmas.
    std::string from = "ς";
    std::string to = "σ";
    std::string after;
    for (const auto& [small, capital, plain] : text::plain_letters) {
        from += capital;
        if (plain.size() == 1) {
            from += small;
            (to += capital.empty() ? "" : plain) += plain;
        } else {
            to += small;
            statement << "pg_catalog.replace(";
            after.append(", '").append(small).append("', '").append(plain).append("')");
        }
    }
    // Compose the text, as text::fold() does.
    statement << "pg_catalog.translate(pg_catalog.lower(normalize(pg_catalog.regexp_replace("
                 "normalize("
              << text << ", NFD), " << argument(marks) << ", '', 'g'), NFC)), '" << from << "', '"
              << to << "')" << after;
}

/// Returns a regular expression that matches every string that contains the word, or whose folded
/// form contains the folded word. Matching is much faster than folding the string. An empty
/// expression matches every string.
std::string necessary_pattern(std::string_view word, std::string_view folded_word) {
    // The ligatures from U+FB00 on fold to several letters, but are not in the ranges below.
    if (word.find("\xef\xac") != word.npos)
        return {};
    // All other characters whose folded form contains an ASCII character are in these ranges.
    constexpr std::string_view foldable = "\\u00c0-\\u037e\\u1e00-\\u1fef\\u212a-\\u226f";
    constexpr std::size_t max_length = 64;
    const auto is_second_of_pair = [&](std::size_t at) {
        return at > 0 &&
               std::ranges::any_of(text::plain_letters, [&](const text::PlainLetter& letter) {
                   return letter.plain == folded_word.substr(at - 1, 2);
               });
    };
    std::string pattern;
    for (std::size_t at = 0; at < std::min(folded_word.size(), max_length); ++at) {
        const char byte = folded_word[at];
        if (static_cast<unsigned char>(byte) >= 0x80) {
            if (!pattern.ends_with(".*"))
                pattern += ".*";
            continue;
        }
        pattern += '[';
        if (byte >= 'a' && byte <= 'z')
            (pattern += byte) += static_cast<char>(byte - 'a' + 'A');
        else
            (pattern += byte >= '0' && byte <= '9' ? "" : "\\") += byte;
        (pattern += foldable) += is_second_of_pair(at) ? "]*" : "]+";
    }
    // Most names are in ASCII and cannot contain a word without it.
    return pattern == ".*" ? "[^\\u0001-\\u007f]" : pattern;
}

// Other modules may use the connection, and a pooler may give it to other clients, so the search
// path is left unchanged. Instead, each statement names the schema of every table, function, type
// and operator. Otherwise, another role's operator with exactly matching types would run with the
// privileges of this account. IN, IS DISTINCT FROM, LIKE, BETWEEN, NULLIF and CASE with an operand
// are not used, because they look up their operator in the search path and have no form with a
// schema.

constexpr const char* equals = " OPERATOR(pg_catalog.=) ";

// The alias of the new row's version within the statement.
constexpr const char* version_name = "useradmin_version";

constexpr DatabaseProduct postgresql_product = {
    .name = "PostgreSQL",
    .driver = "pgsql",
    .debian_package = "libaprutil1-dbd-pgsql",
    .fedora_package = "apr-util-pgsql",
    .directory = "postgresql",
    .min_version = "13",
    .version_query = "SHOW server_version",
    .create_index_option = "CONCURRENTLY ",
    .identifier_quote = '"',
    .is_single_writer = false,
    .has_schemas = true,
    .sorts_nulls_last = true,
    .read_only_hint =
        "if DBDParams names several hosts, target_session_attrs=read-write finds the writable one",
    .begin_snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    // OFFSET 0 keeps outer conditions out of the subquery. The rows that they exclude must also be
    // locked.
    .row_lock = " OFFSET 0 FOR NO KEY UPDATE",
    .shared_row_lock = " FOR SHARE",
    .removal_lock = " FOR UPDATE",
    .current_unix_time = "CAST(pg_catalog.date_part('epoch', pg_catalog.now()) AS bigint)",
    // pg_last_xact_replay_timestamp() is NULL if nothing has been replayed since the server
    // started.
    .last_replay_time =
        "(pg_catalog.date_part('epoch', coalesce(pg_catalog.pg_last_xact_replay_timestamp(),"
        " pg_catalog.pg_postmaster_start_time())) OPERATOR(pg_catalog.*) 1000)::pg_catalog.int8",
    .any_of_skip_locked = {" OPERATOR(pg_catalog.=) ANY (ARRAY(", " FOR UPDATE SKIP LOCKED))"},
    .position_function = "pg_catalog.strpos",
};

/// Returns aliases for the fields of the old row.
std::string names_before() {
    std::string names;
    for (std::size_t index = 0; index < model::fields<model::User>().size(); ++index)
        names += (index == 0 ? "useradmin_before_" : ", useradmin_before_") + std::to_string(index);
    return names;
}

/// Appends the CTE that inserts the account of the user in useradmin_row.
void append_account(Statement& statement, const Schema& schema, const NewUser& user) {
    Assignments row = assignments_of(schema.account, account_row(user));
    for (Assignment& each : row)
        if (each.column->field == "userId")
            each.expression = schema.user.at("id").sql();
        else if (each.column->field == "accountId" && user.account_id_is_user_id)
            each.expression = schema.user.at("id").sql() + "::pg_catalog.text";
    statement << ", useradmin_account AS (INSERT INTO " << schema.account << " (";
    statement.columns(row) << ") SELECT ";
    statement.values(row) << " FROM useradmin_row)";
}

class PostgresqlTransaction final : public Transaction {
  public:
    explicit PostgresqlTransaction(Work& work) noexcept : work_(work) {}
    ~PostgresqlTransaction() override {
        // A failed allocation may leave the transaction open.
        if (work_.client().is_in_transaction())
            roll_back(work_.client());
    }
    PostgresqlTransaction(const PostgresqlTransaction&) = delete;
    PostgresqlTransaction& operator=(const PostgresqlTransaction&) = delete;

    bool commit() override { return static_cast<bool>(work_.commit("COMMIT")); }

  private:
    Work& work_;
};

// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): one constant, never deleted
class Postgresql final : public Dialect {
  public:
    const DatabaseProduct& product() const noexcept override { return postgresql_product; }

    void set_connect_timeout(std::chrono::seconds timeout) const override {
        // By default, libpq waits indefinitely.
        setenv("PGCONNECT_TIMEOUT", std::to_string(timeout.count()).c_str(), 0);
    }

    std::unique_ptr<Client> create_client(const Connection& connection,
                                          const char* label) const override {
        return postgresql_client(connection, label);
    }

    bool read_schema(Client& client, apr_pool_t* pool, const TableNames& names,
                     Schema& schema) const override {
        return read_postgresql_schema(client, pool, names, schema);
    }

    void append_contains(Statement& statement, const Column& column,
                         std::string_view word) const override {
        const std::string pattern = like_pattern(word);
        const std::string folded_word = text::fold(word);
        const std::string folded = like_pattern(folded_word);
        // ILIKE and regular expressions reject nondeterministic collations.
        const std::string text =
            column.sql() + "::pg_catalog.text" +
            (column.has_loose_collation ? " COLLATE pg_catalog.\"default\"" : "");
        const auto matches = [&](const std::string& pattern_or_folded) {
            statement << text << " OPERATOR(pg_catalog.~~*) " << Argument{pattern_or_folded};
        };
        if (text::has_only_combining_marks(word) || !column.is_unicode)
            return matches(pattern);
        statement << text << " OPERATOR(pg_catalog.~) "
                  << Argument{necessary_pattern(word, folded_word)} << " AND (";
        // With the C collation, lower() converts only ASCII letters. Without this comparison, some
        // capital letters would not even match in the same case.
        matches(pattern);
        // Most search words are already folded and do not need a second comparison.
        if (folded != pattern) {
            statement << " OR ";
            matches(folded);
        }
        append_folded(statement << " OR ", text);
        statement << " OPERATOR(pg_catalog.~~) " << Argument{folded} << ")";
    }

    void append_like(Statement& statement, const Column& column,
                     const std::string& pattern) const override {
        statement << as_text(column) << " OPERATOR(pg_catalog.~~) " << Argument{pattern};
    }

    void append_equals(Statement& statement, const Column& column, std::string_view text,
                       std::string_view alias = {}) const override {
        statement << alias << column << column.op("=") << argument(text);
        if (column.has_loose_equality)
            statement << " AND " << alias << as_text(column) << equals << argument(text)
                      << "::pg_catalog.text";
    }

    std::string sort_key(const Column& column) const override {
        const std::string text = column.sql() + "::pg_catalog.text COLLATE pg_catalog.\"C\"";
        if (!column.is_unicode)
            return "pg_catalog.lower(" + text + ")";
        return "pg_catalog.lower(pg_catalog.regexp_replace(normalize(" + text +
               ", NFKD), E'[\\u0300-\\u036f]', '', 'g'))";
    }

    std::string exact_text(const std::string& sql, const Column& column) const override {
        if (column.kind != Column::Kind::timestamp)
            return sql + "::pg_catalog.text";
        // ISO 8601 with microseconds, independently of DateStyle.
        return "(pg_catalog.to_jsonb(" + sql +
               (column.type.ends_with("with time zone") ? " AT TIME ZONE 'UTC'" : "") +
               ") OPERATOR(pg_catalog.#>>) '{}')";
    }

    std::string as_text(const Column& column) const override {
        return column.sql() + "::pg_catalog.text" +
               (column.has_loose_collation ? " COLLATE pg_catalog.\"C\"" : "");
    }

    const ListQueries& lists(const Schema& schema) const noexcept override {
        return schema.scale.empty() ? plain_lists() : scaled_lists();
    }

    std::unique_ptr<Transaction> begin_transaction(Work& work) const override {
        auto transaction = std::make_unique<PostgresqlTransaction>(work);
        // Override the default isolation level. A later statement must see rows that were committed
        // while an earlier one waited for a lock.
        return work.execute("BEGIN ISOLATION LEVEL READ COMMITTED") ? std::move(transaction)
                                                                    : nullptr;
    }

    Result<model::User> create(Work& work, const NewUser& user,
                               const std::optional<Actor>& actor) const override {
        const Schema& schema = work.schema();
        const Assignments row = assignments_of(schema.user, user);
        Statement statement = work.statement();
        // CTE names have a prefix, because a CTE hides a table of the same name.
        statement << "WITH useradmin_row AS (INSERT INTO " << schema.user.sql
                  << " AS useradmin_row (";
        statement.columns(row) << ") SELECT ";
        statement.values(row);
        if (actor)
            append_actor(statement << " WHERE ", schema.user, actor);
        statement << " RETURNING *, " << schema.user.version << " AS " << version_name << ")";
        if (user.has_account)
            append_account(statement, schema, user);
        statement << " SELECT " << schema.full_user(version_name) << " FROM useradmin_row";
        return statements::first_row(work, statement,
                                     [&](Rows& rows) { return work.read_full_user(rows); });
    }

    Result<model::User> update_with_before(Work& work, std::string_view id, const Changes& changes,
                                           const UpdateGuard& guard) const override {
        const Table& user = work.schema().user;
        const Column& key = user.at("id");
        Statement statement = work.statement();
        // Lock the row first, so the old row is the version that the update replaces.
        statement << "WITH useradmin_before (useradmin_key, " << names_before() << ") AS (SELECT "
                  << key << ", " << user.select_list << " FROM " << user
                  << " AS useradmin_row WHERE ";
        append_equals(statement, key, id);
        append_guard(statement, user, guard);
        statement << " FOR NO KEY UPDATE) UPDATE " << user << " AS useradmin_row SET ";
        statements::append_changes(statement, user, changes);
        statement << " FROM useradmin_before WHERE useradmin_row." << key << key.op("=")
                  << "useradmin_key RETURNING " << work.schema().full_user() << ", "
                  << names_before();
        return statements::first_row(work, statement, [&](Rows& rows) {
            const model::User after = work.read_full_user(rows);
            work.row_change() = {after.id, rows.take_record<model::User>(), after};
            return after;
        });
    }

    Result<Done> record_revocation(Work& work, const Revocation& revocation) const override {
        Statement statement = work.statement();
        append_cleanup(statement << "WITH ", work.schema().revocation);
        statement << " INSERT INTO " << work.schema().revocation << " (user_id, session_id) SELECT "
                  << argument(revocation.user_id) << ", "
                  << optional_argument(revocation.session_id);
        return work.apply(statement);
    }

    // The position is one past the last transaction ID in the table, or the oldest running
    // transaction ID if that is lower. Later IDs without rows do not advance the position, because
    // they may be reused after a crash or the promotion of a standby. IDs that this server has not
    // assigned yet, as in a restored dump, do not advance it either.
    //
    // A promoted standby may also reuse IDs if it has not received their rows. Therefore, the
    // identifier of the database includes the timeline. Until the first checkpoint after the
    // promotion, only min_recovery_end_timeline has the new one.
    void append_revocations(Statement& statement, const Table& table,
                            std::int64_t position) const override {
        statement
            << "SELECT least(pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())"
               "::pg_catalog.text::pg_catalog.int8, coalesce((SELECT m.transaction_id"
               "::pg_catalog.text::pg_catalog.int8 OPERATOR(pg_catalog.+) 1 FROM "
            << table
            << " m WHERE m.transaction_id OPERATOR(pg_catalog.<) "
               "pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()) ORDER BY "
               "m.transaction_id DESC LIMIT 1), 1)), (SELECT "
               "pg_catalog.concat(s.system_identifier, '-', GREATEST(c.timeline_id, "
               "e.min_recovery_end_timeline), '-', "
            << argument(table.sql)
            << "::pg_catalog.regclass::pg_catalog.oid) FROM pg_catalog.pg_control_system() AS s, "
               "pg_catalog.pg_control_checkpoint() AS c, pg_catalog.pg_control_recovery() AS e), "
               "r.user_id, r.session_id, (pg_catalog.date_part('epoch', "
               "r.created_at) OPERATOR(pg_catalog.*) 1000)::pg_catalog.int8, r.id "
               "FROM (VALUES (1)) AS one LEFT JOIN "
            << table << " r ON r.transaction_id OPERATOR(pg_catalog.>=) " << argument(position)
            << "::pg_catalog.xid8";
        if (position > 0)
            statement << " AND r.transaction_id OPERATOR(pg_catalog.<) "
                         "pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())";
    }

    std::vector<std::pair<std::string, std::string>>
    scale_placeholders(const Schema& schema) const override {
        return store::scale_placeholders(schema);
    }

    bool has_password(const std::string& parameters) const override {
        return has_postgresql_password(parameters);
    }

    std::string indexes_query(const Schema& schema, const TableNames&) const override {
        return postgresql_indexes_query(schema);
    }

    std::string missing_privileges_query(const Schema& schema,
                                         std::span<const Privilege> privileges) const override {
        return postgresql_missing_privileges_query(schema, privileges);
    }

    std::string untrusted_roles_query(const Schema& schema) const override {
        return postgresql_untrusted_roles_query(schema);
    }

  private:
    /// Appends a CTE that removes up to ten revocations that are older than 30 days. Skips those
    /// that another transaction is removing.
    static void append_cleanup(Statement& statement, const Table& table) {
        statement << "useradmin_old AS (DELETE FROM " << table << " WHERE id" << equals
                  << "ANY (ARRAY(SELECT id FROM " << table
                  << " WHERE created_at OPERATOR(pg_catalog.<) (pg_catalog.now() "
                     "OPERATOR(pg_catalog.-) '30 days'::pg_catalog.interval) ORDER BY created_at "
                     "LIMIT 10 FOR UPDATE SKIP LOCKED)))";
    }
};

} // namespace

const Dialect& postgresql() noexcept {
    static constexpr Postgresql dialect;
    return dialect;
}

} // namespace useradmin::store
