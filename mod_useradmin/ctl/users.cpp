#include "ctl/users.hpp"

#include "api/envelope.hpp"
#include "ctl/display.hpp"
#include "text/unicode.hpp"

#include <cstdio>

namespace useradmin::ctl {

namespace {

void print_field(const char* name, std::string_view value) {
    std::printf("%-14s %s\n", name, visible(value).c_str());
}

} // namespace

store::User user_named(Context& context, std::string_view word) {
    store::Store& store = context.store();
    const bool is_address = word.find('@') != word.npos;
    std::optional<store::User> user =
        value_of(is_address ? store.find_by_email(word) : store.find(word));
    if (!user && is_address)
        user = value_of(store.find_by_email(text::lower(word)));
    if (!user)
        throw CommandError(Exit::not_found,
                           "there is no user with the " +
                               std::string(is_address ? "address " : "id ") + std::string(word) +
                               (is_address ? "; 'useradminctl list --search TEXT' looks for one"
                                           : "; an address has an @"));
    return *user;
}

void print(const Context& context, const store::User& user) {
    if (context.wants_json()) {
        print_json(api::record(user).body);
        return;
    }
    print_field("id", user.id);
    print_field("name", user.name);
    print_field("email", user.email);
    print_field("role", user.role.value_or("user"));
    print_field("emailVerified", user.email_verified ? "true" : "false");
    print_field("image", user.image.value_or("-"));
    print_field("createdAt", display(user.created_at));
    print_field("updatedAt", display(user.updated_at));
    print_field("banned", user.banned ? "true" : "false");
    print_field("banReason", user.ban_reason.value_or("-"));
    print_field("banExpires", display(user.ban_expires));
}

void print(const Context& context, const store::User& user, std::string_view line) {
    if (context.wants_json())
        print(context, user);
    else
        say(line);
}

void end_sessions(Context& context, const store::User& user, std::string_view done) {
    const std::string sentence = std::string(done) +
                                 ", but its sessions could not be ended; try 'useradminctl session "
                                 "revoke " +
                                 std::string(user.id) + " --all'";
    value_of(context.store().close_sessions_of(user.id), sentence.c_str());
}

void demand_column(Context& context, std::string_view column) {
    const store::Schema schema = context.database().schema();
    if (!schema.user.columns.empty() && schema.user.find(column) == nullptr)
        throw CommandError(Exit::failure, "table " + schema.user.sql + " has no column \"" +
                                              std::string(column) +
                                              "\"; 'useradminctl schema' adds it");
}

std::string hash_of(const Context& context, std::string_view password) {
    std::optional<std::string> hash = password::hash(context.settings.hash_format(), password);
    if (!hash)
        throw CommandError(Exit::failure, "the password could not be hashed: out of memory");
    return std::move(*hash);
}

void warn_of_unusual_role(std::string_view role) {
    if (role != "user" && role != "admin" && role != "superAdmin")
        complain("the role '" + std::string(role) +
                 "' is none of user, admin and superAdmin; to the service it is as user");
}

} // namespace useradmin::ctl
