#include "ctl/check/checks.hpp"

#include "ctl/display.hpp"
#include "store/schema.hpp"
#include "store/similar_tables.hpp"
#include "store/statements.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <variant>

namespace useradmin::ctl {

namespace {

/// Returns the column's name for a message. Unlike Column::sql(), the result is safe in a shell.
std::string quoted_name(const store::Column& column) {
    return store::quoted_identifier(column.name);
}

class Examiner {
  public:
    Examiner(const DatabaseFacts& found, const CommandSettings& settings,
             const store::DatabaseProduct& product)
        : found_(found), settings_(settings), product_(product) {}

    Findings findings() {
        for (const char* const directive :
             {"UserAdminCleanUp", "UserAdminColumns", "UserAdminEditable"})
            if (settings_.httpd.find_undefined(directive) != nullptr)
                findings_.unchecked.push_back(std::string(directive) +
                                              ": contains an undefined or ambiguous variable");
        check_server();
        for (const store::Problem& problem : schema().problems)
            if (problem.need == store::needs_second_factors)
                note_second_factor_problem(problem.text);
            else if (is_used(problem.need))
                add_problem(problem.text);
        check_privileges();
        check_absent_columns();
        if (schema().user.find("email") != nullptr)
            check_unique_email();
        check_extra_columns();
        if (found_.has_protected_user)
            check_addresses();
        if (found_.time_formats)
            check_time_formats(*found_.time_formats);
        check_rows();
        check_revocations();
        check_attempts();
        check_mail();
        check_plugins();
        check_indexes();
        suggest_tables();
        return std::move(findings_);
    }

  private:
    const store::Schema& schema() const noexcept { return found_.schema; }
    void note(std::string text) { findings_.notes.push_back(std::move(text)); }
    void add_problem(std::string text) { findings_.problems.push_back(std::move(text)); }
    void suggest_directive(std::string text) { findings_.directives.push_back(std::move(text)); }

    bool has(std::string_view directive, std::optional<std::string_view> argument = {}) const {
        return settings_.httpd.has(directive, argument);
    }

    /// Returns whether the configuration uses the feature that has this need.
    bool is_used(store::Need need) const {
        switch (need) {
        case store::needs_second_factor_flag:
            return settings_.requires_second_factors;
        case store::needs_api_keys:
            return has("AuthUserAdminApiKey", "On");
        case store::needs_mail:
        case store::needs_attempt_table:
            return settings_.sends_mail;
        case store::needs_session_creation:
            // Impersonation with better-auth's admin client also creates a session.
            return settings_.has_sign_in ||
                   (has("SetHandler", "useradmin-better-auth") && has("AuthUserAdminSecret"));
        default:
            return true;
        }
    }

    const store::Table& table(char letter) const noexcept { return schema().table(letter); }

    void check_server() {
        if (strverscmp(found_.version.c_str(), product_.min_version) < 0)
            add_problem("the database server is version " + found_.version + "; upgrade it to " +
                        product_.min_version + " or later");
        if (found_.encoding != "UTF8")
            note("the encoding of the database is " + found_.encoding +
                 (found_.encoding == "SQL_ASCII"
                      ? ", so it accepts text that is not UTF-8, and lists with such a user fail"
                      : ", so searching and sorting do not ignore accents, and names with letters "
                        "outside the encoding are rejected") +
                 "; copy the tables to a database with the encoding UTF8");
    }

    /// Adds a note instead of a problem: sign-in then rejects users with a second factor, as with
    /// "AuthUserAdminSecondFactor refuse". Does nothing if sign-in verifies no second factors.
    void note_second_factor_problem(const std::string& text) {
        if (settings_.verifies_second_factors && schema().has_second_factors())
            note("users with a second factor cannot sign in: " + text);
    }

    void check_privileges() {
        for (const MissingPrivilege& missing : found_.missing_privileges)
            add_problem(message_of(missing));
        for (const MissingPrivilege& missing : found_.missing_second_factor_privileges)
            note_second_factor_problem(message_of(missing));
    }

    std::string message_of(const MissingPrivilege& missing) const {
        const std::string column =
            missing.column.empty() ? "" : " (" + store::quoted_identifier(missing.column) + ")";
        const std::string right = missing.privilege + column;
        const bool is_of_table = missing.sequence.empty();
        const std::string& of = is_of_table ? table(missing.table).name : missing.sequence;
        std::string problem = "role " + missing.account;
        problem.append(" lacks the privilege ").append(right);
        problem.append(is_of_table ? " on table " : " on sequence ").append(of);
        problem.append("; run: GRANT ").append(right);
        problem.append(is_of_table ? " ON " : " ON SEQUENCE ").append(of);
        return problem.append(" TO ").append(missing.account).append(";");
    }

    void check_absent_columns() {
        constexpr std::pair<std::string_view, std::string_view> meanings[] = {
            {"role",
             "every user has the user role, so nobody can administer users; add the column with "
             "'useradminctl schema'"},
            {"banned", "nobody can be banned; add the column with 'useradminctl schema'"},
            {"banReason", "bans cannot have a reason; add the column with 'useradminctl schema'"},
            {"banExpires", "bans cannot expire; add the column with 'useradminctl schema'"},
            {"emailVerified", "it is false in every response"},
            {"image", "it is null in every response"},
            {"createdAt", "it is null in every response, and lists are sorted by id"},
            {"updatedAt", "it is null in every response"}};
        if (!schema().last_seen_problem.empty())
            add_problem(schema().last_seen_problem);
        if (schema().user.columns.empty())
            return;
        for (const auto& [field, meaning] : meanings)
            if (schema().user.find(field) == nullptr)
                note("table " + schema().user.name + " has no column \"" + std::string(field) +
                     "\": " + std::string(meaning));
    }

    /// Returns whether the table has an index whose first key column is `key`.
    bool has_index(char table, std::string_view key) const {
        return std::ranges::any_of(
            found_.indexes,
            [&](const Index& index) { return index.table == table && index.keys[0] == key; });
    }

    void check_unique_email() {
        const std::string& email = schema().user.find("email")->name;
        const bool is_unique = std::ranges::any_of(found_.indexes, [&](const Index& index) {
            return index.makes_lower_emails_unique() ||
                   (index.table == 'u' && index.is_unique && index.keys.size() == 1 &&
                    index.keys[0] == email);
        });
        if (!is_unique && !can_have_indexes(schema().user))
            note("table " + schema().user.name +
                 " is a view, so it is unknown whether two users can have the same address; the "
                 "underlying table needs a UNIQUE index on the address");
        else if (!is_unique)
            add_problem("column \"" + email + "\" of table " + schema().user.name +
                        " has no UNIQUE index, so two users can have the same address; run: " +
                        index_statement("UNIQUE INDEX", schema().user, "email",
                                        store::quoted_identifier(email)));
        else
            require_index('u', "email", "email", "looking up users by address");
    }

    /// Suggests the value that the application's rows require, and reports a setting with another
    /// value.
    void compare(const std::optional<bool>& setting, bool wanted, const std::string& name,
                 const char* if_false, const char* if_true, const char* consequence) {
        const char* const required = wanted ? if_true : if_false;
        suggest_directive(name + " " + required);
        const bool is_known = setting.has_value() || settings_.has_service;
        if (is_known && setting.value_or(false) != wanted)
            add_problem(name + " is " + (wanted ? if_false : if_true) +
                        ", but the application's rows require " + required + ": " + consequence +
                        "; set " + name + " to " + required);
    }

    void check_addresses() {
        if (!*found_.has_protected_user)
            note("no user has the protected address " + settings_.protected_email +
                 ", so no user is protected from deletion; set UserAdminProtectedEmail to an "
                 "administrator's address");
        if (const std::int64_t collisions = found_.ambiguous_emails.value_or(0); collisions > 0) {
            const std::string email = quoted_name(schema().user.at("email"));
            note(count_of(collisions, "address belongs", "addresses belong") +
                 " to more than one user if case is ignored; these users must type the address "
                 "exactly as it is stored; see: SELECT lower(" +
                 email + ") FROM " + schema().user.name + " GROUP BY 1 HAVING count(*) > 1;");
        }
    }

    /// Compares the settings with the rows of the application and of this service.
    void check_rows() {
        if (found_.why_unread)
            findings_.unchecked.push_back("the rows were not read: " + *found_.why_unread);
        if (!found_.own || !found_.foreign)
            return;
        check_emails(*found_.own, *found_.foreign);
        if (found_.own->account_ids && found_.foreign->account_ids)
            check_account_ids(*found_.own->account_ids, *found_.foreign->account_ids);
        if (found_.own->passwords && found_.foreign->passwords)
            check_passwords(*found_.own->passwords, *found_.foreign->passwords,
                            found_.undecided.passwords.value_or(PasswordFormats()));
    }

    /// Reports times in several formats, or a column type that does not show which format the
    /// application uses.
    void check_time_formats(const TimeFormats& found) {
        const store::Column& created = schema().user.at("createdAt");
        if ((found.text > 0) + (found.seconds > 0) + (found.milliseconds > 0) > 1)
            add_problem(
                "column \"" + created.name + "\" of table " + schema().user.name +
                " has times in different formats (text: " + std::to_string(found.text) +
                ", seconds: " + std::to_string(found.seconds) +
                ", milliseconds: " + std::to_string(found.milliseconds) +
                "), so lists are sorted and filtered incorrectly; convert the times in this and "
                "other columns to the format that the application writes");
        // In columns of the type "date", better-auth itself stores text.
        if (found_.foreign && found_.foreign->users == 0 && created.type != "date" &&
            created.kind != store::Column::Kind::text)
            note("the application has no users yet, so its format for times in columns of type " +
                 created.type + " is unknown; this server writes " +
                 (!created.has_unix_times() ? "text"
                  : created.time_format == store::Column::TimeFormat::milliseconds
                      ? "milliseconds since 1970"
                      : "seconds since 1970") +
                 ", so let the application create the first user");
    }

    void check_account_ids(const AccountIds& own, const AccountIds& theirs) {
        if (theirs.user_id + theirs.email == 0) {
            note("the application has no accounts that show which UserAdminAccountId it requires; "
                 "better-auth 1.7 and later require user-id");
            return;
        }
        const bool wants_user_id = theirs.user_id >= theirs.email;
        if (theirs.user_id > 0 && theirs.email > 0)
            note("the application's accounts differ in their accountId: " +
                 count_of(theirs.user_id, "has", "have") + " the user's id, " +
                 count_of(theirs.email, "has", "have") + " the email");
        compare(settings_.account_id_is_user_id, wants_user_id, "UserAdminAccountId", "email",
                "user-id", "the application may not find the accounts of users created here");
        const std::int64_t mismatches = own.email + own.other;
        if (wants_user_id && mismatches > 0)
            add_problem(
                "the application requires the user's id as the accountId, but " +
                count_of(mismatches, "account created here has", "accounts created here have") +
                " a different one, so better-auth 1.7 and later reject the password; run: " +
                account_id_repair());
    }

    std::string account_id_repair() const {
        const store::Table& account = schema().account;
        const store::Column& user_id = account.at("userId");
        const std::string id = user_id.kind != store::Column::Kind::text
                                   ? "CAST(" + quoted_name(user_id) + " AS text)"
                                   : quoted_name(user_id);
        const std::string name = quoted_name(*account.find("accountId"));
        return "UPDATE " + account.name + " SET " + name + " = " + id + " WHERE " +
               quoted_name(*account.find("providerId")) + " = 'credential' AND " + name + " <> " +
               id + ";";
    }

    void check_emails(const RowCounts& own, const RowCounts& theirs) {
        if (theirs.users == 0) {
            note("the application has no users yet, so the UserAdminEmailCase that it requires is "
                 "unknown; better-auth requires lower");
            return;
        }
        const bool wants_lower = theirs.capital_emails == 0;
        compare(settings_.lowers_email, wants_lower, "UserAdminEmailCase", "keep", "lower",
                wants_lower
                    ? "the application may not find users whose addresses have capital letters"
                    : "its own addresses have capital letters");
        if (!wants_lower || own.capital_emails == 0)
            return;
        const std::string email = quoted_name(schema().user.at("email"));
        add_problem(
            count_of(own.capital_emails, "user created here has", "users created here have") +
            " capital letters in the address, but the application's own users have none; "
            "better-auth does not find such an address; " +
            (found_.ambiguous_emails.value_or(0) == 0
                 ? "run: UPDATE " + schema().user.name + " SET " + email + " = lower(" + email +
                       ") WHERE " + email + " <> lower(" + email + ");"
                 : "change each address to lower case by hand, because " +
                       count_of(*found_.ambiguous_emails, "address belongs", "addresses belong") +
                       " to more than one user if case is ignored"));
    }

    void check_passwords(const PasswordFormats& own, const PasswordFormats& theirs,
                         const PasswordFormats& undecided) {
        if (const std::int64_t other = theirs.other + own.other + undecided.other; other > 0)
            add_problem(
                count_of(other, "password hash is", "password hashes are") +
                " in an unknown format (known: argon2id, better-auth's scrypt, bcrypt): this "
                "server cannot verify such a hash, and the application may be unable to verify "
                "hashes written here; configure it to verify argon2id or scrypt, then set new "
                "passwords with 'useradminctl passwd'");
        if (const std::int64_t bcrypt = theirs.bcrypt + own.bcrypt + undecided.bcrypt; bcrypt > 0)
            note(
                count_of(bcrypt, "password hash is", "password hashes are") +
                " bcrypt: this server verifies bcrypt, and when a user signs in here, replaces the "
                "hash with one in the format of UserAdminPasswordHash");
        if (theirs.scrypt > 0 && theirs.argon2id > 0) {
            note("the application has both argon2id and scrypt hashes: either value of "
                 "UserAdminPasswordHash works");
            return;
        }
        if (theirs.scrypt + theirs.argon2id == 0)
            return;
        const bool wants_scrypt = theirs.scrypt > 0;
        suggest_directive(std::string("UserAdminPasswordHash ") +
                          (wants_scrypt ? "scrypt" : "argon2id"));
        if (wants_scrypt && own.argon2id > 0)
            note(count_of(own.argon2id, "account created here has", "accounts created here have") +
                 " an argon2id hash; if better-auth is not configured to verify argon2id, set new "
                 "passwords with 'useradminctl passwd --hash scrypt'");
        const bool has_scrypt = std::holds_alternative<password::Scrypt>(settings_.hash_format());
        if ((settings_.hash || settings_.has_service) && has_scrypt != wants_scrypt)
            note(std::string("UserAdminPasswordHash is ") + (has_scrypt ? "scrypt" : "argon2id") +
                 ", but the application's own hashes are " +
                 (wants_scrypt ? "scrypt" : "argon2id") +
                 ": the application must be able to verify both");
    }

    void check_extra_columns() {
        if (!schema().user.exists())
            return;
        for (const char* const directive : {"UserAdminColumns", "UserAdminEditable"})
            if (settings_.httpd.find_undefined(directive) == nullptr)
                for (const std::string& name : settings_.httpd.arguments(directive))
                    check_extra_column(directive, name);
        if (!has("UserAdminExtras", "On") && (has("UserAdminColumns") || has("UserAdminEditable")))
            note("UserAdminColumns and UserAdminEditable have no effect without UserAdminExtras "
                 "On");
    }

    void check_extra_column(const std::string& directive, const std::string& name) {
        const auto columns = schema().extra_user_columns();
        const auto found = std::ranges::find(columns, name, &store::Column::name);
        if (found == columns.end()) {
            std::string others;
            for (const store::Column* column : columns)
                others += (others.empty() ? "" : ", ") + column->name;
            add_problem(directive + " names " + name + ", which is not an extra column of table " +
                        schema().user.name + "; it has " + (others.empty() ? "none" : others));
        } else if (directive == "UserAdminEditable" &&
                   store::statements::extra_kind_of(**found) == store::ExtraColumn::Kind::any) {
            note("column " + name + " has the type " +
                 ((*found)->type.empty() ? "none" : (*found)->type) +
                 ", so the console shows it but cannot change it (UserAdminEditable)");
        }
    }

    void check_revocations() {
        const store::Table& table = schema().revocation;
        if (table.exists() || !table.absence_reason.empty())
            return; // reported with the schema's problems
        if (settings_.has_secondary_storage)
            add_problem("table " + table.name +
                        " does not exist, so revoked sessions are not deleted from "
                        "UserAdminSecondaryStorage; run: useradminctl schema");
        else if (has("AuthUserAdminCache"))
            note("table " + table.name +
                 " does not exist, so cached sessions (AuthUserAdminCache) outlive a ban by "
                 "another server or "
                 "useradminctl; run: useradminctl schema");
    }

    void check_attempts() {
        const store::Table& table = schema().attempt;
        if (settings_.verifies_second_factors && schema().has_second_factors() && !table.exists())
            note("codes of an authenticator can be used more than once: " +
                 (table.absence_reason.empty()
                      ? "table " + table.name + " does not exist; run: useradminctl schema"
                      : table.absence_reason));
        if (has("AuthUserAdminSignInLimit", "shared") && !table.exists())
            add_problem(table.absence_reason.empty()
                            ? "table " + table.name +
                                  " does not exist, so AuthUserAdminSignInLimit counts failures "
                                  "separately on each server; run: useradminctl schema"
                            : table.absence_reason);
    }

    void check_mail() {
        if (settings_.sends_mail && settings_.has_secondary_storage)
            note("better-auth does not find the links of UserAdminMailCommand if it keeps its "
                 "verification values in its secondaryStorage; set verification: { "
                 "storeInDatabase: true } in the application");
    }

    void check_plugins() {
        if (!settings_.cleans_up)
            return;
        if (schema().plugin_table("apiKey") != nullptr && !schema().has_disabled_key_table())
            note("lifting a ban does not re-enable the API keys that the ban disabled "
                 "(UserAdminCleanUp): " +
                 (schema().disabled_key.absence_reason.empty()
                      ? "table " + std::string(store::disabled_keys_table) +
                            " does not exist; run: useradminctl schema"
                      : schema().disabled_key.absence_reason));
        for (const std::string& name : schema().unknown_plugin_tables)
            note("table " + name +
                 " has the name of a better-auth plugin's table but different columns, so its "
                 "rows are not deleted with the user (UserAdminCleanUp)");
    }

    void check_indexes() {
        require_index('s', "token", "token", "looking up sessions by token");
        require_index('s', "userId", "userId", "looking up a user's sessions");
        // Most sessions have no value in this column, so omit them from the index.
        require_index('s', "impersonatedBy", "impersonatedBy",
                      "ending the sessions in which a user impersonates others", " IS NOT NULL");
        require_index('a', "userId", "userId", "looking up a user's accounts");
        require_index('u', "createdAt", "newest", "sorting lists by creation time");
        const store::Column* role = schema().user.find("role");
        if (role != nullptr && schema().user.find("createdAt") != nullptr &&
            !has_index('u', "coalesce("))
            advise_index(schema().user, "role_newest", "lists filtered by role",
                         "COALESCE(" + quoted_name(*role) + ", 'user'), " + newest_first());
        const store::Column* updated = schema().user.find("updatedAt");
        if (schema().public_lacks_schema_usage)
            add_problem(
                "PUBLIC lacks the USAGE privilege on schema " + schema().scale_name +
                ", as after a restore without privileges, so only its owner can use table " +
                schema().user.name + "; run: useradminctl schema --scale");
        else if (schema().has_outdated_scale)
            note(
                "the counts and indexes of 'schema --scale' are incomplete, lack a newer column of "
                "the user table, or are from an earlier version, so the service does not use them; "
                "run: useradminctl schema --scale");
        // The indexes for sorting lists are created together, so checking one is enough.
        if (!schema().scale.empty() && updated != nullptr && !has_index('u', updated->name))
            note("the indexes for sorting lists are missing; "
                 "run: useradminctl schema --scale");
        check_seen_index();
    }

    void check_seen_index() {
        const std::optional<store::LastSeen>& seen = schema().user.last_seen;
        const char letter = seen && seen->is_from_sessions ? 's' : 'u';
        if (has("UserAdminExtras", "On") && !schema().scale.empty() && seen &&
            !has_index(letter, seen->column.name))
            advise_index(table(letter), "useradmin_seen", "lists sorted by last activity",
                         quoted_name(seen->column) + " DESC NULLS LAST, " +
                             quoted_name(*table(letter).find(letter == 's' ? "userId" : "id")));
    }

    std::string newest_first() const {
        return quoted_name(*schema().user.find("createdAt")) + " DESC, \"id\"";
    }

    /// Adds a note if no index begins with the column. condition: limits the suggested index to
    /// some rows, such as " IS NOT NULL". Empty for all rows.
    void require_index(char letter, std::string_view field, std::string_view name,
                       std::string_view purpose, const std::string& condition = {}) {
        const store::Column* column = table(letter).find(field);
        if (column != nullptr && !has_index(letter, column->name))
            advise_index(table(letter), name, purpose,
                         name == "newest" ? newest_first() : quoted_name(*column),
                         condition.empty() ? "" : " WHERE " + quoted_name(*column) + condition);
    }

    /// Returns whether the relation is a table, a partitioned table or a materialized view.
    static bool can_have_indexes(const store::Table& table) {
        return std::string_view("rpm").find(table.relation_kind) != std::string_view::npos;
    }

    void advise_index(const store::Table& table, std::string_view name, std::string_view purpose,
                      const std::string& keys, const std::string& where = {}) {
        if (can_have_indexes(table))
            note("an index is missing for " + std::string(purpose) +
                 "; run: " + index_statement("INDEX", table, name, keys, where));
    }

    /// Returns a CREATE INDEX statement that does not block writes, if the database supports one
    /// for the table.
    std::string index_statement(std::string_view kind, const store::Table& table,
                                std::string_view name, const std::string& keys,
                                const std::string& where = {}) const {
        // CREATE INDEX takes a name without a schema: the index is in the schema of its table.
        const std::size_t dot = table.name.find("\".\"");
        std::string own = dot == table.name.npos ? table.name : table.name.substr(dot + 2);
        own.insert(own.size() - 1, "_" + std::string(name) + "_idx");
        return "CREATE " + std::string(kind) + " " +
               (table.relation_kind == 'p' ? "" : product_.create_index_option) + own + " ON " +
               table.name + " (" + keys + ")" + where + ";";
    }

    void suggest_tables() {
        const std::string configured = store::directive_arguments(settings_.tables());
        if (!schema().similar_table_names.empty())
            suggest_directive("UserAdminTables " + schema().similar_table_names);
        else if (configured != store::directive_arguments({}) && schema().user.exists())
            suggest_directive("UserAdminTables " + configured);
    }

    const DatabaseFacts& found_;
    const CommandSettings& settings_;
    const store::DatabaseProduct& product_;
    Findings findings_;
};

} // namespace

Findings findings_of(const DatabaseFacts& found, const CommandSettings& settings,
                     const store::DatabaseProduct& product) {
    return Examiner(found, settings, product).findings();
}

} // namespace useradmin::ctl
