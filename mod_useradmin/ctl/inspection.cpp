#include "ctl/inspection.hpp"

#include <charconv>
#include <initializer_list>

namespace useradmin::ctl {

namespace {

std::int64_t number(const std::optional<std::string>& text) {
    std::int64_t value = 0;
    if (text)
        std::from_chars(text->data(), text->data() + text->size(), value);
    return value;
}

std::string text_of(const std::optional<std::string>& text) {
    return text.value_or("");
}

/// The three tables with their letters, as the rows of a FROM.
std::string postgresql_tables(const store::Schema& schema) {
    return "(VALUES ('u', to_regclass(" + store::literal(schema.user.sql) +
           ")), ('s', to_regclass(" + store::literal(schema.session.sql) +
           ")), ('a', to_regclass(" + store::literal(schema.account.sql) +
           "))) AS t (letter, relation)";
}

/// Letter, index, whether it is unique, key.
std::string postgresql_indexes(const store::Schema& schema) {
    return "SELECT t.letter, i.indexrelid, i.indisunique, "
           "pg_get_indexdef(i.indexrelid, k, true) FROM " +
           postgresql_tables(schema) +
           " JOIN pg_index i ON i.indrelid = t.relation AND i.indpred IS NULL AND i.indisvalid "
           "CROSS JOIN generate_series(1, i.indnkeyatts::int) AS k ORDER BY 1, 2, k";
}

std::string sqlite_indexes(const store::TableNames& names) {
    const auto table = [](const char* letter, std::string_view name) {
        return "SELECT '" + std::string(letter) + "' AS letter, " +
               store::literal(name.substr(name.find('.') + 1)) + " AS name";
    };
    // The catalogue does not tell an expression of an index; its statement does.
    return "SELECT t.letter, l.name, l.\"unique\", coalesce(x.name, iif(m.sql LIKE '%coalesce(%', "
           "'coalesce(', iif(m.sql LIKE '%lower(%', 'lower(', '('))) FROM (" +
           table("u", names.user) + " UNION ALL " + table("s", names.session) + " UNION ALL " +
           table("a", names.account) +
           ") t JOIN pragma_index_list(t.name) l JOIN pragma_index_xinfo(l.name) x LEFT JOIN "
           "sqlite_master m ON m.name = l.name WHERE l.partial = 0 AND x.key = 1 ORDER BY 1, 2, "
           "x.seqno";
}

std::vector<Index> indexes_of(Database& database, const store::Schema& schema) {
    std::vector<Index> indexes;
    std::string last;
    for (const Database::Row& row :
         database.rows(database.is_postgresql() ? postgresql_indexes(schema)
                                                : sqlite_indexes(database.tables()))) {
        const std::string name = text_of(row[0]) + text_of(row[1]);
        if (name != last)
            indexes.push_back({name[0], row[2] == "t" || row[2] == "1", {}});
        last = name;
        std::string key = text_of(row[3]);
        if (key.starts_with('"'))
            key = key.substr(1, key.size() - 2);
        for (std::string_view function : {"lower(", "COALESCE("})
            if (key.starts_with(function))
                key = function == "lower(" ? "lower(" : "coalesce(";
        indexes.back().keys.push_back(std::move(key));
    }
    return indexes;
}

std::vector<MissingRight> missing_rights(Database& database, const store::Schema& schema) {
    std::vector<MissingRight> missing;
    if (!database.is_postgresql())
        return missing;
    for (const Database::Row& row :
         database.rows("SELECT t.letter, p.right_name, quote_ident(current_user) FROM " +
                       postgresql_tables(schema) +
                       " CROSS JOIN (VALUES ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE')) AS p "
                       "(right_name) WHERE NOT has_table_privilege(t.relation, p.right_name)"))
        missing.push_back({text_of(row[0])[0], text_of(row[1]), text_of(row[2])});
    return missing;
}

bool has(const store::Table& table, std::initializer_list<std::string_view> fields) {
    for (std::string_view field : fields)
        if (table.find(field) == nullptr)
            return false;
    return true;
}

/// The text of a column, for comparing columns of different types.
std::string text_in(const store::Table& table, const char* alias, std::string_view field) {
    return "CAST(" + std::string(alias) + "." + table.find(field)->sql() + " AS text)";
}

/// A condition that an account, and the user that it belongs to, look like this service's own.
std::string is_own(const store::Schema& schema) {
    if (!has(schema.user, {"createdAt"}) || !has(schema.account, {"createdAt"}))
        return "(1 = 0)";
    std::string condition = "length(" + text_in(schema.account, "a", "id") + ") = 36 AND " +
                            text_in(schema.account, "a", "createdAt") + " = " +
                            text_in(schema.user, "u", "createdAt");
    if (const store::Column* verified = schema.user.find("emailVerified"))
        condition += " AND u." + verified->sql() + (verified->is_boolean() ? "" : " <> 0");
    return "coalesce(" + condition + ", 1 = 0)";
}

std::string credential_accounts(const store::Schema& schema) {
    const store::Column& user_id = *schema.account.find("userId");
    const store::Column& id = *schema.user.find("id");
    // A cast would keep the database from using its index, and takes hours on a large table.
    const std::string is_of_user =
        user_id.is_uuid() == id.is_uuid()
            ? "a." + user_id.sql() + " = u." + id.sql()
            : text_in(schema.account, "a", "userId") + " = " + text_in(schema.user, "u", "id");
    return schema.account.sql + " a ON " + is_of_user + " AND a." +
           schema.account.find("providerId")->sql() + " = 'credential'";
}

/// One row for the foreign rows and one for the own: whether own, then counts.
void count_users(Database& database, const store::Schema& schema, bool has_accounts,
                 Inspection& found) {
    const std::string email = "u." + schema.user.find("email")->sql();
    const std::string own = has_accounts ? is_own(schema) : "(1 = 0)";
    const std::string joined =
        has_accounts ? " LEFT JOIN " + credential_accounts(schema) : std::string();
    const std::string query = "SELECT CASE WHEN own THEN 1 ELSE 0 END, count(*), sum(CASE WHEN "
                              "lower(email) <> email THEN 1 ELSE 0 END) FROM (SELECT " +
                              email + " AS email, " + own + " AS own FROM " + schema.user.sql +
                              " u" + joined + ") r GROUP BY own";
    for (const Database::Row& row : database.rows(query)) {
        Counts& counts = row[0] == "1" ? found.own : found.foreign;
        counts.users = number(row[1]);
        counts.capital_emails = number(row[2]);
    }
    found.ambiguous_emails =
        number(database.rows("SELECT count(*) FROM (SELECT 1 FROM " + schema.user.sql +
                             " u GROUP BY lower(" + email + ") HAVING count(*) > 1) r")[0][0]);
}

void count_accounts(Database& database, const store::Schema& schema, Inspection& found) {
    const auto count = [](const char* condition) {
        return std::string(", sum(CASE WHEN ") + condition + " THEN 1 ELSE 0 END)";
    };
    const std::string password = "a." + schema.account.find("password")->sql();
    const std::string query =
        "SELECT CASE WHEN own THEN 1 ELSE 0 END, count(*)" + count("name = id") +
        count("name <> id AND lower(name) = lower(email)") +
        count("substr(password, 1, 10) = '$argon2id$'") +
        count("length(password) = 161 AND substr(password, 33, 1) = ':'") +
        count("password IS NULL") + " FROM (SELECT " + is_own(schema) + " AS own, " +
        text_in(schema.account, "a", "accountId") + " AS name, " + text_in(schema.user, "u", "id") +
        " AS id, u." + schema.user.find("email")->sql() + " AS email, " + password +
        " AS password FROM " + schema.user.sql + " u JOIN " + credential_accounts(schema) +
        ") r GROUP BY own";
    for (const Database::Row& row : database.rows(query)) {
        Counts& counts = row[0] == "1" ? found.own : found.foreign;
        const std::int64_t total = number(row[1]);
        AccountIds& ids = counts.account_ids;
        ids = {number(row[2]), number(row[3]), 0};
        ids.other = total - ids.user_id - ids.email;
        PasswordFormats& formats = counts.passwords;
        formats = {number(row[4]), number(row[5]), 0, number(row[6])};
        formats.other = total - formats.argon2id - formats.scrypt - formats.none;
    }
}

} // namespace

Inspection inspect(Database& database) {
    Inspection found;
    found.schema = database.schema();
    const store::Schema& schema = found.schema;
    const auto version =
        database.rows(database.is_postgresql() ? "SHOW server_version" : "SELECT sqlite_version()");
    found.version = version.empty() ? "" : text_of(version[0][0]);
    found.indexes = indexes_of(database, schema);
    found.missing_rights = missing_rights(database, schema);
    for (const MissingRight& missing : found.missing_rights)
        if (missing.right == "SELECT")
            return found;
    const bool has_users = has(schema.user, {"id", "email"});
    const bool has_accounts =
        has_users && has(schema.account, {"id", "accountId", "providerId", "userId", "password"});
    if (has_users)
        count_users(database, schema, has_accounts, found);
    if (has_accounts)
        count_accounts(database, schema, found);
    return found;
}

} // namespace useradmin::ctl
