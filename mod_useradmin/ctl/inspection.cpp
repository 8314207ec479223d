#include "ctl/inspection.hpp"

#include "ctl/display.hpp"
#include "store/rights.hpp"

#include <algorithm>
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

/// What the configuration's modules do in the database; the service alone where it has none of
/// them.
std::vector<store::Right> rights_wanted(const Settings& settings) {
    std::vector<store::Right> all;
    const auto want = [&](std::span<const store::Right> rights) {
        for (const store::Right& right : rights)
            if (std::none_of(all.begin(), all.end(), [&](const store::Right& there) {
                    return there.table == right.table && there.privilege == right.privilege &&
                           (there.field.empty() || there.field == right.field);
                }))
                all.push_back(right);
    };
    const bool has_sessions = settings.looks_sessions_up || settings.signs_in;
    if (has_sessions)
        want(store::session_rights);
    if (settings.is_service || !(has_sessions || settings.verifies_passwords))
        want(store::service_rights);
    if (settings.has_extras)
        want(store::extras_rights);
    if (settings.signs_in)
        want(store::sign_in_rights);
    if (settings.signs_in || settings.verifies_passwords)
        want(store::password_rights);
    return all;
}

std::vector<MissingRight> missing_rights(Database& database, const store::Schema& schema,
                                         std::span<const store::Right> rights) {
    std::vector<MissingRight> missing;
    const std::string query = database.dialect().missing_rights_query(schema, rights);
    if (query.empty())
        return missing;
    for (const Database::Row& row : database.rows(query))
        missing.push_back({text_of(row[0])[0], text_of(row[1]), text_of(row[2]), text_of(row[3])});
    return missing;
}

/// Tells which columns are there and may be read.
class Readable {
  public:
    Readable(Database& database, const store::Schema& schema)
        : schema_(schema), missing_(missing_rights(database, schema, counted)) {}

    bool has(char table, std::initializer_list<std::string_view> fields) const {
        return std::all_of(
            fields.begin(), fields.end(),
            [&](std::string_view field) {
                const store::Column* column = schema_.table(table).find(field);
                return column != nullptr && !is_missing(table, column->name);
            });
    }
    /// The same of a column that need not be there.
    bool has_or_lacks(char table, std::string_view field) const {
        return schema_.table(table).find(field) == nullptr || has(table, {field});
    }

  private:
    static constexpr store::Right counted[] = {
        {'u', "SELECT"},
        {'a', "SELECT", "id"},
        {'a', "SELECT", "accountId"},
        {'a', "SELECT", "providerId"},
        {'a', "SELECT", "userId"},
        {'a', "SELECT", "password"},
        {'a', "SELECT", "createdAt"},
    };

    bool is_missing(char table, const std::string& column) const {
        return std::any_of(
            missing_.begin(), missing_.end(),
            [&](const MissingRight& right) {
                return right.table == table && (right.column.empty() || right.column == column);
            });
    }

    const store::Schema& schema_;
    std::vector<MissingRight> missing_;
};

/// The text of a column, for comparing columns of different types.
std::string text_in(const store::Table& table, const char* alias, std::string_view field) {
    return "CAST(" + std::string(alias) + "." + table.at(field).sql() + " AS text)";
}

/// A condition that an account, and the user that it belongs to, look like this service's own.
std::string is_own(const store::Schema& schema) {
    if (schema.user.find("createdAt") == nullptr || schema.account.find("createdAt") == nullptr)
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
    const store::Column& user_id = schema.account.at("userId");
    const store::Column& id = schema.user.at("id");
    // A cast would keep the database from using its index, and takes hours on a large table.
    const std::string is_of_user =
        user_id.kind == id.kind
            ? "a." + user_id.sql() + " = u." + id.sql()
            : text_in(schema.account, "a", "userId") + " = " + text_in(schema.user, "u", "id");
    return schema.account.sql + " a ON " + is_of_user + " AND a." +
           schema.account.at("providerId").sql() + " = 'credential'";
}

/// The counts of the rows of a query, whose first column tells whose they are.
Counts& counts_of(Inspection& found, const Database::Row& row) {
    return row[0] == "1" ? *found.own : *found.foreign;
}

/// One row for the foreign rows and one for the own: whether own, then counts.
void count_users(Database& database, const store::Schema& schema, Inspection& found) {
    const Progress progress("Counting the users");
    const std::string query = "SELECT CASE WHEN own THEN 1 ELSE 0 END, count(*), sum(CASE WHEN "
                              "lower(email) <> email THEN 1 ELSE 0 END) FROM (SELECT u." +
                              schema.user.at("email").sql() + " AS email, " + is_own(schema) +
                              " AS own FROM " + schema.user.sql + " u LEFT JOIN " +
                              credential_accounts(schema) + ") r GROUP BY own";
    for (const Database::Row& row : database.rows(query)) {
        Counts& counts = counts_of(found, row);
        counts.users = number(row[1]);
        counts.capital_emails = number(row[2]);
    }
}

void count_accounts(Database& database, const store::Schema& schema, const Readable& readable,
                    Inspection& found) {
    const Progress progress("Counting the accounts");
    const bool has_names = readable.has('a', {"accountId"});
    const bool has_passwords = readable.has('a', {"password"});
    const auto count = [](const char* condition) {
        return std::string(", sum(CASE WHEN ") + condition + " THEN 1 ELSE 0 END)";
    };
    const auto text_or_null = [&](bool is_readable, std::string_view field) {
        return is_readable ? text_in(schema.account, "a", field) : "CAST(NULL AS text)";
    };
    const std::string query =
        "SELECT CASE WHEN own THEN 1 ELSE 0 END, count(*)" + count("name = id") +
        count("name <> id AND lower(name) = lower(email)") +
        count("substr(password, 1, 10) = '$argon2id$'") +
        count("length(password) = 161 AND substr(password, 33, 1) = ':'") +
        count("length(password) = 60 AND substr(password, 1, 4) IN ('$2a$', '$2b$', '$2y$')") +
        count("password IS NULL") + " FROM (SELECT " + is_own(schema) + " AS own, " +
        text_or_null(has_names, "accountId") + " AS name, " + text_in(schema.user, "u", "id") +
        " AS id, u." + schema.user.at("email").sql() + " AS email, " +
        text_or_null(has_passwords, "password") + " AS password FROM " + schema.user.sql +
        " u JOIN " + credential_accounts(schema) + ") r GROUP BY own";
    for (Counts* counts : {&*found.own, &*found.foreign}) {
        if (has_names)
            counts->account_ids.emplace();
        if (has_passwords)
            counts->passwords.emplace();
    }
    for (const Database::Row& row : database.rows(query)) {
        Counts& counts = counts_of(found, row);
        const std::int64_t total = number(row[1]);
        if (auto& ids = counts.account_ids) {
            *ids = {number(row[2]), number(row[3]), 0};
            ids->other = total - ids->user_id - ids->email;
        }
        if (auto& formats = counts.passwords) {
            *formats = {number(row[4]), number(row[5]), number(row[6]), 0, number(row[7])};
            formats->other =
                total - formats->argon2id - formats->scrypt - formats->bcrypt - formats->none;
        }
    }
}

void survey_addresses(Database& database, const store::Schema& schema,
                      const store::ProtectedAddress& spared, Inspection& found) {
    const Progress progress("Comparing the addresses");
    const std::string email = schema.user.at("email").sql();
    found.ambiguous_emails =
        number(database.rows("SELECT count(*) FROM (SELECT 1 FROM " + schema.user.sql +
                             " GROUP BY lower(" + email + ") HAVING count(*) > 1) r")[0][0]);
    if (auto survey = database.store().survey(spared))
        found.addresses = *survey;
}

} // namespace

Inspection inspect(Database& database, const Settings& settings) {
    Inspection found;
    found.schema = database.schema();
    const store::Schema& schema = found.schema;
    const auto version = database.rows(database.dialect().product().version_query);
    found.version = version.empty() ? "" : text_of(version[0][0]);
    found.indexes = indexes_of(database, schema);
    found.missing_rights = missing_rights(database, schema, rights_wanted(settings));
    const Readable readable(database, schema);
    if (!readable.has('u', {"id", "email"}))
        return found;
    survey_addresses(database, schema, settings.protected_address(), found);
    if (!readable.has('a', {"id", "providerId", "userId"}) ||
        !readable.has_or_lacks('a', "createdAt"))
        return found;
    found.own.emplace();
    found.foreign.emplace();
    count_users(database, schema, found);
    count_accounts(database, schema, readable, found);
    return found;
}

} // namespace useradmin::ctl
