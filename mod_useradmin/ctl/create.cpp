// useradminctl create: makes a user of any role, with its credential account.
#include "ctl/command.hpp"
#include "ctl/password_input.hpp"
#include "password/hash.hpp"
#include "password/random.hpp"
#include "text/unicode.hpp"

#include <cstdio>

namespace useradmin::ctl {

namespace {

password::Format format_of(const Options& options) {
    const std::string_view name = options.find("hash").value_or("argon2id");
    if (name == "argon2id")
        return password::Argon2id();
    if (name == "scrypt")
        return password::Scrypt();
    throw CommandError(Exit::usage, "--hash must be argon2id or scrypt");
}

[[noreturn]] void refuse_taken_address() {
    throw CommandError(Exit::already_there, "there is a user with that address already");
}

} // namespace

Exit create(const Options& options, Database& database) {
    const std::string_view email = options.demand("email");
    const std::string_view name = options.demand("name");
    const std::string_view role = options.find("role").value_or("user");
    const password::Format format = format_of(options);
    for (std::string_view text : {email, name, role})
        if (!text::is_clean_utf8(text))
            throw CommandError(Exit::usage, "the arguments must be UTF-8");
    if (value_of(database.store().find_by_email(email)))
        refuse_taken_address();

    const std::optional<std::string> hash = password::hash(format, read_password().view());
    if (!hash)
        throw CommandError(Exit::failure, "the password could not be hashed: out of memory");
    const std::string id = password::random_uuid();
    const std::string account_id = password::random_uuid();
    store::NewUser user;
    user.id = id;
    user.name = name;
    user.email = email;
    user.role = role;
    user.account_id = account_id;
    user.account_name = email;
    user.password_hash = *hash;
    user.now = text::now();
    if (!value_of(database.store().create(user)))
        refuse_taken_address();
    std::puts(id.c_str());
    return Exit::success;
}

} // namespace useradmin::ctl
