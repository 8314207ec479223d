#include "ctl/inspection.hpp"

#include "store/rights.hpp"

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

std::vector<Index> indexes_of(Database& database, const store::Schema& schema) {
    std::vector<Index> indexes;
    std::string last;
    for (const Database::Row& row :
         database.rows(database.dialect().indexes_query(schema, database.tables()))) {
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
    const std::string query =
        database.dialect().missing_rights_query(schema, store::service_rights);
    if (query.empty())
        return missing;
    for (const Database::Row& row : database.rows(query))
        missing.push_back({text_of(row[0])[0], text_of(row[1]), text_of(row[2]), text_of(row[3])});
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
    return "CAST(" + std::string(alias) + "." + table.at(field).sql() + " AS text)";
}

/// A condition that an account, and the user that it belongs to, look like this service's own.
std::string is_own(const store::Schema& schema) {
    if (!has(schema.user, {"createdAt"}) || !has(schema.account, {"createdAt"}))
        return "(1 = 0)";
    std::string condition = "length(" + text_in(schema.account, "a", "id") + ") = 36 AND " +
                            text_in(schema.account, "a", "createdAt") + " = " +
                            text_in(schema.user, "u", "createdAt");
    if (const store::Column* verified = schema.user.find("emailVerified"))
        condition += " AND u." + verified->sql() +
                     (verified->kind == store::Column::Kind::boolean ? "" : " <> 0");
    return "coalesce(" + condition + ", 1 = 0)";
}

std::string credential_accounts(const store::Schema& schema) {
    const store::Column& user_id = *schema.account.find("userId");
    const store::Column& id = *schema.user.find("id");
    // A cast would keep the database from using its index, and takes hours on a large table.
    const std::string is_of_user =
        user_id.kind == id.kind
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
    const auto version = database.rows(database.dialect().product().version_query);
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
