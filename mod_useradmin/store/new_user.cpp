#include "store/store.hpp"

namespace useradmin::store {

model::User user_row(const NewUser& user) {
    model::User row;
    row.id = user.id;
    row.name = user.name;
    row.email = user.email;
    row.role = user.role;
    row.email_verified = true;
    row.created_at = row.updated_at = user.now;
    for (const Change& change : user.data)
        if (const auto* const field = model::find_user_field(change.field))
            model::set_value(row, *field, change.value);
    return row;
}

model::Account credential_account(const model::User& user, std::string_view id,
                                  model::NullableText password_hash, bool account_id_is_user_id,
                                  text::Timestamp now) {
    model::Account row;
    row.id = id;
    row.account_id = account_id_is_user_id ? user.id : user.email;
    row.user_id = user.id;
    row.password = password_hash;
    row.created_at = row.updated_at = now;
    return row;
}

model::Account account_row(const NewUser& user) {
    return credential_account(user_row(user), user.account_id, user.password_hash,
                              user.account_id_is_user_id, user.now);
}

} // namespace useradmin::store
