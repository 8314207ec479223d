#include "store/statements/parts.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace useradmin::store::statements {

namespace {

// The maximum number of accounts of any provider to sample for hash formats.
constexpr std::int64_t password_sample_size = 10000;

std::string read_text(Rows& rows) {
    return std::string(rows.take().value_or(""));
}

/// Appends "UPDATE account SET … WHERE …" for the user's credential account.
void append_account_update(Statement& statement, const Table& table, const model::Account& account,
                           const Changes& changes) {
    const Column& provider = table.at("providerId");
    statement << "UPDATE " << table << " SET ";
    append_values(statement, table, changes);
    append_equals(statement << " WHERE ", table.at("userId"), account.user_id);
    statement << " AND " << provider << provider.op("=") << argument(account.provider_id);
}

Changes new_hash(const model::Account& account) {
    return {{"password", *account.password}, {"updatedAt", *account.updated_at}};
}

/// Sets the hash of the user's credential account, or inserts the account.
Result<Done> write_account(Work& work, const model::Account& account) {
    const Table& table = work.schema().account;
    Statement update = work.statement();
    append_account_update(update, table, account, new_hash(account));
    const Result<std::int64_t> updated = affected(work, update);
    if (!updated)
        return updated.failure();
    if (*updated == 0)
        return work.apply(work.statement().insertion(table, assignments_of(table, account)));
    // better-auth 1.7 looks up the account whose accountId is the user's id. If the user has two
    // credential accounts, one of them already has this accountId.
    if (*updated > 1 || account.account_id != account.user_id)
        return Done();
    Statement change_id = work.statement();
    append_account_update(change_id, table, account, {{"accountId", account.account_id}});
    return work.apply(change_id);
}

} // namespace

Result<Credential> find_credential(Work& work, std::string_view email) {
    const Table& user = work.schema().user;
    const Table& account = work.schema().account;
    Statement statement = work.statement();
    const Column& owner = account.at("userId");
    const Column& provider = account.at("providerId");
    const Column& address = user.at("email");
    statement << "SELECT " << user.select_list_u << ", "
              << account.select_expression("password", "a.") << ", "
              << work.schema().second_factor_expression << ", "
              << work.schema().account_id_expression << " FROM " << user << " u JOIN " << account
              << " a ON a." << owner << owner.op("=") << "u." << user.at("id") << " AND a."
              << provider << provider.op("=") << argument(model::Account().provider_id)
              << " WHERE u." << address << address.op("=") << argument(email);
    return first_row(work, statement, [](Rows& rows) {
        Credential found;
        bool is_first = true;
        do {
            Credential credential;
            credential.user = rows.take_record<model::User>();
            credential.password_hash = rows.take();
            credential.has_second_factor = rows.take_boolean();
            // If there are several accounts, prefer the one that better-auth 1.7 looks up.
            const bool is_current = rows.take() == credential.user.id;
            if (std::exchange(is_first, false) || is_current)
                found = credential;
        } while (rows.next());
        return found;
    });
}

Result<Done> set_password(Work& work, const model::Account& account, SessionPolicy sessions,
                          const UpdateGuard& guard) {
    const std::string_view user_id = account.user_id;
    return change_locked_user(work, user_id, guard, [&](const LockedUser& user) -> Result<Done> {
        const Result<Done> set = write_account(work, account);
        if (set && revokes_links(work) && !remove_password_links(work, user_id))
            return Failure::failed;
        if (!set || sessions == SessionPolicy::keep)
            return set;
        const Result<std::int64_t> ended = end_sessions(work, user_id, user.role);
        return ended ? Result<Done>(Done()) : ended.failure();
    });
}

Result<Done> replace_hash(Work& work, const model::Account& account, std::string_view old_hash) {
    const Table& table = work.schema().account;
    Statement statement = work.statement();
    append_account_update(statement, table, account, new_hash(account));
    const Column& password = table.at("password");
    statement << " AND " << password << password.op("=") << argument(old_hash);
    return change_one(work, statement);
}

Result<std::vector<std::string>> password_formats(Work& work) {
    const Table& account = work.schema().account;
    const Column& password = account.at("password");
    Statement statement = work.statement();
    // The parameters begin after the 15 characters "$argon2id$v=19$" and end at the next dollar
    // sign.
    const Column& provider = account.at("providerId");
    const std::string equals = account.op("=");
    const std::string part = account.function("substr");
    const std::string length = account.function("length");
    statement << "SELECT DISTINCT CASE WHEN " << part << "p, 1, 15)" << equals
              << "'$argon2id$v=19$' THEN " << part << "p, 1, 15" << account.op("+")
              << work.dialect().product().position_function << "(" << part << "p, 16), '$')) WHEN "
              << length << "p)" << equals << "161 THEN 'scrypt' WHEN " << length << "p)" << equals
              << "60 AND " << part << "p, 1, 2)" << equals << "'$2' THEN " << part
              << "p, 1, 7) ELSE 'other' END FROM (SELECT " << password << " AS p, " << provider
              << " AS k FROM " << account << " LIMIT " << argument(password_sample_size)
              << ") s WHERE k" << provider.op("=") << argument(model::Account().provider_id)
              << " AND p IS NOT NULL";
    return all_rows(work, statement, read_text);
}

} // namespace useradmin::store::statements
