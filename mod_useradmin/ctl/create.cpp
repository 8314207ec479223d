// useradminctl create: makes a user of any role, with its credential account.
#include "ctl/command.hpp"
#include "ctl/password_input.hpp"
#include "ctl/users.hpp"
#include "secret/random.hpp"
#include "text/unicode.hpp"

namespace useradmin::ctl {

namespace {

[[noreturn]] void refuse_taken_address(const std::string& email) {
    throw CommandError(Exit::already_there, "there is a user with the address " + email +
                                                " already; 'useradminctl show' shows it");
}

} // namespace

Exit create(Context& context) {
    const Settings& settings = context.settings;
    std::string email(context.options.demand("email"));
    if (email.find('@') == email.npos)
        throw CommandError(Exit::usage, "--email must be an address, such as ana@example.com");
    if (settings.lowers_email.value_or(false))
        email = text::lower(email);
    const std::string_view name = context.options.demand("name");
    const std::string_view role =
        context.options.has("role") ? context.options.demand("role") : "user";
    if (role != "user")
        demand_column(context, "role");
    warn_of_unusual_role(role);
    if (value_of(context.store().find_by_email(email)))
        refuse_taken_address(email);

    const std::string hash = hash_of(context, read_password().view());
    const std::string id = secret::random_uuid();
    const std::string account_id = secret::random_uuid();
    store::NewUser user;
    user.id = id;
    user.name = name;
    user.email = email;
    user.role = role;
    user.account_id = account_id;
    user.account_name = settings.account_id_is_user_id.value_or(false) ? id : email;
    user.password_hash = hash;
    user.now = text::now();
    const auto created = value_of(context.store().create(user));
    if (!created)
        refuse_taken_address(email);
    print(context, *created, created->id);
    return Exit::success;
}

} // namespace useradmin::ctl
