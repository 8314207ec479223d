#include "ctl/commands/user_lookup.hpp"

#include "api/access.hpp"
#include "api/envelope.hpp"
#include "ctl/display.hpp"
#include "ctl/password_input.hpp"
#include "text/printable.hpp"
#include "text/unicode.hpp"

#include <cstdio>

namespace useradmin::ctl {

namespace {

std::string display_of(const model::Value& value, const model::Field<model::User>& field) {
    if (const auto* time = std::get_if<text::Timestamp>(&value))
        return display(*time);
    return model::text_of(value).value_or(
        std::string(field.null_substitute.empty() ? "-" : field.null_substitute));
}

} // namespace

model::User find_user(Context& context, std::string_view word) {
    if (word.empty())
        throw UsageError("specify the user by address or id");
    store::Store& store = context.store();
    const bool is_address = word.find('@') != word.npos;
    auto user = is_address ? store.find_by_email(word) : store.find(word);
    if (user.is_not_found() && is_address)
        user = store.find_by_email(text::lower(word));
    if (user.is_not_found())
        throw CommandError(Exit::not_found, "there is no user with the " +
                                                std::string(is_address ? "address " : "id ") +
                                                std::string(word) +
                                                "; search with 'useradminctl list --search TEXT'");
    model::User found = value_of(user);
    context.audit().set_target(found.id);
    return found;
}

void print(const Context& context, const model::User& user) {
    if (context.wants_json()) {
        print_json(api::record(user).body);
        return;
    }
    for (const model::Field<model::User>& field : model::user_fields)
        std::printf("%-14s %s\n", field.name.data(),
                    text::printable(display_of(model::value_of(user, field), field)).c_str());
}

void print(const Context& context, const model::User& user, std::string_view line) {
    if (context.wants_json())
        print(context, user);
    else
        print_line(line);
}

void require_columns(Context& context, std::initializer_list<std::string_view> columns) {
    const store::Table& user = context.schema().user;
    for (const std::string_view column : columns)
        if (user.exists() && user.find(column) == nullptr)
            throw CommandError("table " + user.name + " has no column \"" + std::string(column) +
                               "\"; add it with 'useradminctl schema'");
}

crypto::Secret read_and_hash_password(const Context& context) {
    const crypto::Secret password =
        read_password(context.options.has("force") ? LengthPolicy::any : LengthPolicy::standard);
    std::optional<crypto::Secret> hash =
        password::hash(context.settings.hash_format(), password.view());
    if (!hash)
        throw CommandError("cannot hash the password: out of memory");
    return std::move(*hash);
}

void require_known_role(const Context& context, std::string_view role) {
    if (!api::is_role(role) && !context.options.has("force"))
        throw UsageError("the role '" + std::string(role) +
                         "' is not user, admin or superAdmin, and the service treats it as user; "
                         "use --force to accept it");
}

} // namespace useradmin::ctl
