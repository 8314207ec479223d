#include "api/new_user.hpp"
#include "ctl/command.hpp"
#include "ctl/commands/user_lookup.hpp"
#include "model/roles.hpp"
#include "text/unicode.hpp"

namespace useradmin::ctl {

namespace {

[[noreturn]] void reject_taken_email(const std::string& email) {
    throw CommandError(Exit::already_exists, "a user with the address " + email +
                                                 " already exists; see 'useradminctl show'");
}

} // namespace

Exit create(Context& context) {
    const CommandSettings& settings = context.settings;
    std::string email(context.options.require("email"));
    if (email.find('@') == email.npos)
        throw UsageError("--email must be an address, such as ana@example.com");
    if (settings.lowers_email.value_or(false))
        email = text::lower(email);
    const std::string_view name = context.options.require("name");
    const std::string_view role =
        context.options.has("role") ? context.options.require("role") : "user";
    require_known_role(context, role);
    if (role != model::user_role)
        require_columns(context, {"role"});
    const auto taken = context.store().find_by_email(email);
    if (taken)
        reject_taken_email(email);
    if (!taken.is_not_found())
        value_of(taken);

    const crypto::Secret hash = read_and_hash_password(context);
    const auto created = context.store().create(api::new_user(
        name, email, role, hash.view(), settings.account_id_is_user_id.value_or(false)));
    if (!created && created.failure() == store::Failure::email_taken)
        reject_taken_email(email);
    const model::User user = value_of(created);
    print(context, user, user.id);
    return Exit::success;
}

} // namespace useradmin::ctl
