#include "ctl/bulk/import_entry.hpp"

#include "api/access.hpp"
#include "crypto/random.hpp"
#include "ctl/password_input.hpp"
#include "model/roles.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>

namespace useradmin::ctl {

namespace {

/// Sets the user's field to the cell's value. Returns false if the value is invalid for the field.
bool set(model::User& user, const model::Field<model::User>& field, const Cell& cell) {
    const auto put = [&](auto& member) {
        using Member = std::decay_t<decltype(member)>;
        if (!cell.text) {
            member = Member();
            return true;
        }
        const std::string_view text = cell.text->view();
        if constexpr (std::is_same_v<Member, bool>) {
            member = text == "true";
            return text == "true" || text == "false";
        } else if constexpr (std::is_same_v<Member, model::NullableTime>) {
            member = text::parse_date(text);
            return member.has_value();
        } else {
            member = text;
            return true;
        }
    };
    return std::visit([&](auto member) { return put(user.*member); }, field.member);
}

const char* requirement_of(const model::Field<model::User>& field) {
    return std::holds_alternative<bool model::User::*>(field.member)
               ? ": it must be true or false"
               : ": it must be a time such as 2026-11-20T23:30:19.717Z, with a year up to 9999";
}

} // namespace

std::string fill_entry(ImportEntry& entry, const ImportRules& rules) {
    model::User& user = entry.row.user;
    user.role = model::user_role;
    user.email_verified = true;
    user.created_at = rules.now;
    for (const Cell& cell : entry.cells) {
        if (cell.name == hash_member && cell.text)
            entry.row.password_hash = cell.text->view();
        if (cell.name == password_member && cell.text) {
            entry.password = cell.text->view();
            if (entry.password.empty())
                return "has an empty password";
        }
        if (const auto* const field = model::find_user_field(cell.name))
            if (!set(user, *field, cell))
                return "has an invalid " + std::string(field->name) + requirement_of(*field);
    }
    const store::Column* const created = rules.schema.user.find("createdAt");
    if (!user.created_at && created != nullptr && !created->is_nullable)
        user.created_at = rules.now;
    const store::Column* const updated = rules.schema.user.find("updatedAt");
    if (!user.updated_at &&
        (!entry.has("updatedAt") || (updated != nullptr && !updated->is_nullable)))
        user.updated_at = user.created_at;
    if (user.email.empty())
        return "has no email";
    // The service accepts any string as an address, so an export may contain such a string.
    if (user.email.find('@') == user.email.npos && !rules.is_forced)
        return "has an invalid email address; use --force to accept it";
    if (rules.lowers_email)
        user.email = entry.email = text::lower(user.email);
    // An empty name is valid: better-auth stores one for a user without a name.
    if (std::ranges::none_of(entry.cells, [](const Cell& cell) {
            return cell.name == "name" && cell.text.has_value();
        }))
        return "has no name";
    if (const std::string_view role = user.role.value_or(model::user_role);
        !api::is_role(role) && !rules.is_forced)
        return "has the unknown role '" + std::string(role) +
               "' (known: user, admin, superAdmin); use --force to accept it";
    const store::Column& key = rules.schema.user.at("id");
    if (key.is_integer_id())
        user.id = {};
    else if (user.id.empty())
        user.id = entry.id = crypto::random_uuid();
    else if (!key.can_hold_id(user.id))
        return "has an id that a column of type " + key.type + " cannot store";
    entry.row.account_id = entry.account_id = crypto::random_uuid();
    if (!entry.password.empty() && entry.row.password_hash)
        return "has both a password and a passwordHash";
    if (!entry.password.empty()) {
        const std::string problem = password_problem(
            entry.password, rules.is_forced ? LengthPolicy::any : LengthPolicy::standard);
        if (!problem.empty())
            return "has an invalid password: it " + problem;
    }
    if (entry.row.password_hash && !rules.is_forced &&
        !password::format_of(*entry.row.password_hash))
        return "has a passwordHash that is not in a known format (argon2id, better-auth's scrypt, "
               "bcrypt) or whose cost is too high; use --force to accept it";
    return {};
}

} // namespace useradmin::ctl
