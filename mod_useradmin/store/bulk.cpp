#include "store/bulk.hpp"

#include "store/conditions.hpp"
#include "store/statements.hpp"

#include <map>
#include <utility>

namespace useradmin::store::bulk {

namespace {

/// Returns "INSERT INTO table (a, b) VALUES ($1, $2), ($3, $4)".
template <class Record>
Statement insertion(const Work& work, const Table& table, std::span<const Record> records) {
    Statement statement = work.statement();
    statement << "INSERT INTO " << table;
    for (const Record& record : records) {
        const Assignments row = assignments_of(table, record, true);
        if (&record == records.data())
            (statement << " (").columns(row) << ") VALUES ";
        else
            statement << ", ";
        (statement << "(").values(row) << ")";
    }
    return statement;
}

} // namespace

Result<std::vector<Row>> read(Work& work, model::NullableText after_id, std::int64_t limit) {
    const Table& user = work.schema().user;
    const Table& account = work.schema().account;
    const Column& key = user.at("id");
    Statement statement = work.statement();
    const Column& owner = account.at("userId");
    const Column& provider = account.at("providerId");
    statement << "SELECT " << user.select_list_u << ", "
              << account.select_expression("password", "a.") << ", "
              << work.schema().account_id_expression << " FROM " << user << " u LEFT JOIN "
              << account << " a ON a." << owner << owner.op("=") << "u." << key << " AND a."
              << provider << provider.op("=") << argument(model::Account().provider_id);
    if (after_id)
        statement << " WHERE u." << key << key.op(">") << argument(*after_id);
    statement << " ORDER BY u." << key << ", a." << account.at("id") << " LIMIT "
              << argument(limit + 1);
    Result<Rows> rows = work.run(statement);
    if (!rows)
        return rows.failure();
    std::vector<Row> all;
    all.reserve(rows->count());
    while (rows->next()) {
        Row row;
        row.user = rows->take_record<model::User>();
        row.password_hash = rows->take();
        const bool is_current = rows->take() == row.user.id;
        // Keep one credential account per user, preferably the one that better-auth 1.7 uses.
        if (all.empty() || all.back().user.id != row.user.id)
            all.push_back(row);
        else if (is_current)
            all.back() = row;
    }
    // The last user's accounts may continue on the next page.
    if (static_cast<std::int64_t>(rows->count()) > limit && all.size() > 1)
        all.pop_back();
    return all;
}

Result<std::vector<model::User>> find_existing(Work& work, std::span<const Row> rows,
                                               bool ignores_case) {
    const Table& user = work.schema().user;
    const Column& key = user.at("id");
    Statement statement = work.statement();
    const char* before = "SELECT ";
    for (const std::string_view name : {"id", "email", "role", "banned", "banExpires"})
        statement << std::exchange(before, ", ") << user.select_expression(name);
    std::vector<std::string_view> emails;
    std::vector<std::string_view> ids;
    for (const Row& row : rows) {
        emails.push_back(row.user.email);
        ids.push_back(row.user.id);
    }
    statement << " FROM " << user << " WHERE ";
    append_one_of(statement, user, user.at("email"), emails, ignores_case);
    if (!key.is_integer_id())
        append_one_of(statement << " OR ", user, key, ids);
    return statements::all_rows(work, statement, [](Rows& found) {
        model::User user;
        user.id = found.take().value_or("");
        user.email = found.take().value_or("");
        user.role = found.take();
        user.banned = found.take_boolean();
        user.ban_expires = found.take_time();
        return user;
    });
}

Result<Done> insert(Work& work, std::span<Row> rows, bool account_id_is_user_id,
                    text::Timestamp now) {
    const Schema& schema = work.schema();
    const Column& key = schema.user.at("id");
    std::vector<model::User> users;
    users.reserve(rows.size());
    for (const Row& row : rows) {
        for (const model::Field<model::User>& field : model::user_fields)
            if (!work.can_hold(field.name, model::value_of(row.user, field)))
                return Failure::failed;
        users.push_back(row.user);
    }
    Statement statement = insertion<model::User>(work, schema.user, users);
    if (key.is_integer_id())
        statement << " RETURNING " << key << ", " << schema.user.select_expression("email");
    Result<Rows> made = work.run(statement);
    if (!made)
        return made.failure();
    if (key.is_integer_id()) {
        std::map<std::string_view, std::string_view> ids;
        while (made->next()) {
            const std::string_view id = made->take().value_or("");
            ids[made->take().value_or("")] = id;
        }
        for (Row& row : rows) {
            const auto found = ids.find(row.user.email);
            if (found == ids.end())
                return work.fail("the database stored an address other than " +
                                 std::string(row.user.email) + "; a trigger may have changed it");
            row.user.id = found->second;
        }
    }
    std::vector<model::Account> accounts;
    accounts.reserve(rows.size());
    for (const Row& row : rows)
        if (row.password_hash)
            accounts.push_back(credential_account(row.user, row.account_id, row.password_hash,
                                                  account_id_is_user_id,
                                                  row.user.created_at.value_or(now)));
    if (accounts.empty())
        return Done();
    return work.apply(insertion<model::Account>(work, schema.account, accounts));
}

} // namespace useradmin::store::bulk
