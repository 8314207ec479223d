#include "ctl/check/database_facts.hpp"

#include "ctl/display.hpp"
#include "ctl/transaction.hpp"
#include "store/privileges.hpp"
#include "text/timestamp.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <initializer_list>

namespace useradmin::ctl {

namespace {

/// Returns whether an index expression, or the statement that creates an SQLite index, is lower()
/// of the column.
bool is_lower_of(std::string_view sql, std::string_view column) {
    const auto bare = [](std::string_view text) {
        std::string found = text::lower(text);
        std::erase_if(found, [](char each) {
            return std::string_view("\"`[]() ").find(each) != std::string_view::npos;
        });
        return found;
    };
    std::string text = bare(sql);
    // PostgreSQL casts a varchar column to text.
    if (text.ends_with("::text"))
        text.resize(text.size() - 6);
    return sql.find('(') != sql.npos && text.ends_with("lower" + bare(column)) &&
           text.find("||") == text.npos;
}

/// Returns the privileges that the configured modules need, or those that the service needs if no
/// module is configured.
std::vector<store::Privilege> required_privileges(const CommandSettings& settings,
                                                  const store::Schema& schema) {
    std::vector<store::Privilege> all;
    const auto want = [&](std::span<const store::Privilege> privileges) {
        // A privilege on the whole table includes those on its columns.
        const auto includes = [](const store::Privilege& one, const store::Privilege& other) {
            return one.table == other.table && one.name == other.name &&
                   (one.field.empty() || one.field == other.field);
        };
        for (const store::Privilege& privilege : privileges) {
            if (std::ranges::any_of(
                    all, [&](const store::Privilege& has) { return includes(has, privilege); }))
                continue;
            std::erase_if(all,
                          [&](const store::Privilege& has) { return includes(privilege, has); });
            all.push_back(privilege);
        }
    };
    const HttpdConfiguration& httpd = settings.httpd;
    const bool has_sessions = settings.has_sign_in || httpd.has("AuthUserAdmin", "On");
    if (has_sessions)
        want(store::session_privileges);
    if (settings.has_service || !(has_sessions || settings.verifies_passwords))
        want(store::service_privileges);
    if (httpd.has("UserAdminExtras", "On")) {
        want(store::extras_privileges);
        want(store::factor_removal_privileges(schema));
        want(store::sign_in_method_privileges(schema));
    }
    if (settings.has_sign_in)
        want(store::sign_in_privileges);
    if (settings.verifies_passwords) {
        want(store::password_privileges);
        want(store::account_id_privileges);
    }
    want(store::revocation_privileges);
    if (httpd.has("AuthUserAdminSignInLimit", "shared") || settings.sends_mail)
        want(store::attempt_privileges);
    if (settings.sends_mail)
        want(store::mail_privileges(schema));
    if (httpd.has("AuthUserAdminApiKey", "On"))
        want(store::key_use_privileges(schema));
    if (settings.cleans_up)
        want(store::clean_up_privileges(schema));
    return all;
}

std::vector<MissingPrivilege> missing_privileges(Database& database, const store::Schema& schema,
                                                 std::span<const store::Privilege> privileges) {
    std::vector<MissingPrivilege> missing;
    const std::string query = database.dialect().missing_privileges_query(schema, privileges);
    if (query.empty())
        return missing;
    for (const Database::Row& row : database.rows(query))
        missing.push_back({row[0].value_or("")[0], row[1].value_or(""), row[2].value_or(""),
                           row[3].value_or(""), row[4].value_or("")});
    return missing;
}

using Fields = std::initializer_list<std::string_view>;

bool has_columns(const store::Table& table, Fields fields) {
    return std::ranges::all_of(
        fields, [&](std::string_view field) { return table.find(field) != nullptr; });
}

/// Returns whether the columns exist and the database role may read them.
bool can_read(const store::Table& table, Fields fields) {
    return has_columns(table, fields) &&
           std::ranges::all_of(
               fields, [&](std::string_view field) { return table.at(field).is_readable; });
}

std::string cannot_read(const store::Table& table) {
    return "the database role cannot read table " + table.name +
           "; run the command as the tables' owner";
}

/// Returns the name of the text type, qualified with the system schema if the database has one.
std::string text_type(const store::Table& table) {
    return table.builtin_schema.empty() ? "text" : std::string(table.builtin_schema) + ".text";
}

/// Returns an SQL expression for a column, cast to text so that columns of different types can be
/// compared.
std::string column_text(const store::Table& table, const char* alias, std::string_view field) {
    return "CAST(" + std::string(alias) + "." + table.at(field).sql() + " AS " + text_type(table) +
           ")";
}

/// Returns an SQL expression for the creation time as text without fractions of a second.
std::string creation_second(const store::Table& table, const char* alias) {
    const bool is_in_milliseconds =
        table.at("createdAt").time_format == store::Column::TimeFormat::milliseconds;
    return table.function("substr") + column_text(table, alias, "createdAt") + ", 1, " +
           (is_in_milliseconds ? "10)" : "19)");
}

/// Returns an SQL condition that is true if this service seems to have created the user together
/// with the credential account or, if there is none, the user alone. It is NULL if both rows have
/// UUIDs but were created in different seconds, as after an import without a password.
std::string is_own(const store::Schema& schema) {
    if (schema.user.find("createdAt") == nullptr || schema.account.find("createdAt") == nullptr)
        return "FALSE";
    const std::string equals = schema.user.op("=");
    const auto has_uuid = [&](const store::Table& table, const char* alias) {
        return schema.user.function("length") + column_text(table, alias, "id") + ")" + equals +
               "36";
    };
    // If times are in seconds, a user and an account created by the application often have the same
    // time. However, the application's new users are unverified.
    std::string is_verified;
    if (const store::Column* const verified = schema.user.find("emailVerified");
        verified != nullptr &&
        schema.user.at("createdAt").time_format == store::Column::TimeFormat::seconds)
        is_verified =
            " AND u." + verified->sql() +
            (verified->kind == store::Column::Kind::boolean ? "" : verified->op("<>") + "0");
    return "CASE WHEN a." + schema.account.at("id").sql() + " IS NULL THEN " +
           has_uuid(schema.user, "u") + " WHEN " + has_uuid(schema.user, "u") + " AND " +
           has_uuid(schema.account, "a") + " AND " + creation_second(schema.account, "a") +
           schema.user.op("<>") + creation_second(schema.user, "u") + " THEN NULL ELSE coalesce(" +
           has_uuid(schema.account, "a") + " AND " + column_text(schema.account, "a", "createdAt") +
           equals + column_text(schema.user, "u", "createdAt") + is_verified + ", FALSE) END";
}

std::string credential_accounts(const store::Schema& schema) {
    const store::Column& user_id = schema.account.at("userId");
    const store::Column& id = schema.user.at("id");
    // With a cast, the query could not use an index and would take hours on a large table.
    const std::string is_of_user =
        user_id.kind == id.kind ? "a." + user_id.sql() + user_id.op("=") + "u." + id.sql()
                                : column_text(schema.account, "a", "userId") + schema.user.op("=") +
                                      column_text(schema.user, "u", "id");
    const store::Column& provider = schema.account.at("providerId");
    return schema.account.sql + " a ON " + is_of_user + " AND a." + provider.sql() +
           provider.op("=") + "'credential'";
}

void count_time_formats(Database& database, const store::Table& user, DatabaseFacts& found) {
    const store::Column* const created = user.find("createdAt");
    if (created == nullptr || !user.builtin_schema.empty())
        return;
    const std::string name = created->sql();
    const std::string number = ", count(*) FILTER (WHERE typeof(" + name + ") = 'integer' AND " +
                               name + " <> 0 AND abs(" + name + ") ";
    const std::string limit = std::to_string(text::first_milliseconds) + ")";
    const Database::Row row =
        database.rows("SELECT count(*) FILTER (WHERE typeof(" + name + ") = 'text')" + number +
                      "< " + limit + number + ">= " + limit + " FROM " + user.sql)[0];
    found.time_formats = {to_integer(row[0]), to_integer(row[1]), to_integer(row[2])};
}

/// Counts users and their credential accounts in three groups: those that the service created,
/// those that the application created, and undecided ones. The query returns one row for each
/// group: a flag (1, 0 or NULL), then the counts.
void count_rows(Database& database, const store::Schema& schema, DatabaseFacts& found) {
    const Progress progress("Counting users");
    const bool has_names = can_read(schema.account, {"accountId"});
    const bool has_passwords = can_read(schema.account, {"password"});
    const store::Table& user = schema.user;
    const std::string equals = user.op("=");
    const std::string lower = user.function("lower");
    const std::string part = user.function("substr") + "password, ";
    const std::string length = user.function("length") + "password)" + equals;
    const auto count = [&](const std::string& condition) {
        return ", " + user.function("sum") + "CASE WHEN " + condition + " THEN 1 ELSE 0 END)";
    };
    const auto text_or_null = [&](bool is_readable, std::string_view field) {
        return is_readable ? column_text(schema.account, "a", field)
                           : "CAST(NULL AS " + text_type(user) + ")";
    };
    const std::string query =
        "SELECT CASE WHEN own THEN 1 WHEN NOT own THEN 0 END, " + user.function("count") + "*)" +
        count(lower + "email)" + user.op("<>") + "email") + count("has_account") +
        count("name" + equals + "id") +
        count("name" + user.op("<>") + "id AND " + lower + "name)" + equals + lower + "email)") +
        count(part + "1, 10)" + equals + "'$argon2id$'") +
        count(length + "161 AND " + part + "33, 1)" + equals + "':'") +
        count(length + "60 AND (" + part + "1, 4)" + equals + "'$2a$' OR " + part + "1, 4)" +
              equals + "'$2b$' OR " + part + "1, 4)" + equals + "'$2y$')") +
        count("has_account AND password IS NULL") + " FROM (SELECT " + is_own(schema) +
        " AS own, a." + schema.account.at("id").sql() + " IS NOT NULL AS has_account, " +
        text_or_null(has_names, "accountId") + " AS name, " + column_text(schema.user, "u", "id") +
        " AS id, u." + schema.user.at("email").sql() + " AS email, " +
        text_or_null(has_passwords, "password") + " AS password FROM " + schema.user.sql +
        " u LEFT JOIN " + credential_accounts(schema) + ") r GROUP BY own";
    for (RowCounts* counts : {&*found.own, &*found.foreign, &found.undecided}) {
        if (has_names)
            counts->account_ids.emplace();
        if (has_passwords)
            counts->passwords.emplace();
    }
    for (const Database::Row& row : database.rows(query)) {
        RowCounts& counts = !row[0] ? found.undecided : row[0] == "1" ? *found.own : *found.foreign;
        counts.users = to_integer(row[1]);
        counts.capital_emails = to_integer(row[2]);
        const std::int64_t accounts = to_integer(row[3]);
        if (auto& ids = counts.account_ids) {
            *ids = {to_integer(row[4]), to_integer(row[5]), 0};
            ids->other = accounts - ids->user_id - ids->email;
        }
        if (auto& formats = counts.passwords) {
            *formats = {to_integer(row[6]), to_integer(row[7]), to_integer(row[8]), 0};
            formats->other = accounts - formats->argon2id - formats->scrypt - formats->bcrypt -
                             to_integer(row[9]);
        }
    }
}

void count_addresses(Database& database, const store::Schema& schema,
                     const store::ProtectedEmail& protected_email, DatabaseFacts& found) {
    const Progress progress("Comparing addresses");
    const store::Table& user = schema.user;
    const std::string count = user.function("count") + "*)";
    found.ambiguous_emails =
        to_integer(database.rows("SELECT " + count + " FROM (SELECT 1 FROM " + user.sql +
                                 " GROUP BY " + user.function("lower") + user.at("email").sql() +
                                 ") HAVING " + count + user.op(">") + "1) r")[0][0]);
    if (const auto found_user = database.store().has_protected_user(protected_email))
        found.has_protected_user = *found_user;
}

/// Calls count(), which reads whole tables, without timeouts (Database::disable_timeouts()).
template <class Count>
void count_without_timeouts(Database& database, const Count& count) {
    // On SQLite, a transaction would lock the file.
    if (!database.dialect().product().has_schemas)
        return count();
    Transaction transaction(database);
    database.disable_timeouts();
    count();
    transaction.commit();
}

} // namespace

std::vector<Index> indexes_of(Database& database, const store::Schema& schema) {
    const store::Column* const email = schema.user.find("email");
    std::vector<Index> indexes;
    std::string last;
    for (const Database::Row& row :
         database.rows(database.dialect().indexes_query(schema, database.tables()))) {
        const std::string name = row[0].value_or("") + row[1].value_or("");
        if (name != last)
            indexes.push_back({name[0], row[2] == "t" || row[2] == "1", {}});
        last = name;
        std::string key = row[3].value_or("");
        if (key.starts_with('"'))
            key = key.substr(1, key.size() - 2);
        if (key.starts_with("COALESCE("))
            key = "coalesce(";
        else if (email != nullptr && is_lower_of(key, email->name))
            key = "lower(";
        indexes.back().keys.push_back(std::move(key));
    }
    return indexes;
}

DatabaseFacts collect_database_facts(Database& database, const CommandSettings& settings) {
    DatabaseFacts found;
    found.schema = database.schema();
    const store::Schema& schema = found.schema;
    const auto version = database.rows(database.dialect().product().version_query);
    found.version = version.empty() ? "" : version[0][0].value_or("");
    if (database.dialect().product().has_schemas)
        found.encoding = database.rows("SHOW server_encoding")[0][0].value_or("");
    found.indexes = indexes_of(database, schema);
    found.missing_privileges =
        missing_privileges(database, schema, required_privileges(settings, schema));
    if (settings.verifies_second_factors && schema.has_second_factors())
        found.missing_second_factor_privileges =
            missing_privileges(database, schema, store::second_factor_privileges(schema));
    found.why_unread = database.superuser_risk(schema);
    // In the last two cases, every statement on the user table fails.
    if (found.why_unread || (schema.public_lacks_schema_usage && schema.scale.empty()) ||
        !has_columns(schema.user, {"id", "email"}))
        return found;
    // Both modules require this privilege.
    const bool can_read_users =
        std::ranges::none_of(found.missing_privileges, [](const MissingPrivilege& missing) {
            return missing.table == 'u' && missing.privilege == "SELECT";
        });
    if (!can_read_users) {
        found.why_unread = cannot_read(schema.user);
        return found;
    }
    count_without_timeouts(
        database, [&] { count_addresses(database, schema, settings.protected_address(), found); });
    count_time_formats(database, schema.user, found);
    const store::Table& account = schema.account;
    if (!has_columns(account, {"id", "providerId", "userId"}))
        return found;
    if (!can_read(account, {"id", "providerId", "userId"}) ||
        (has_columns(account, {"createdAt"}) && !can_read(account, {"createdAt"}))) {
        found.why_unread = cannot_read(account);
        return found;
    }
    found.own.emplace();
    found.foreign.emplace();
    count_without_timeouts(database, [&] { count_rows(database, schema, found); });
    return found;
}

} // namespace useradmin::ctl
