#include "store/statements/parts.hpp"

#include <string>

namespace useradmin::store::statements {

Result<Done> check_writable(Work& work) {
    const Table& user = work.schema().user;
    const std::string lock = work.dialect().product().row_lock;
    Statement statement = work.statement();
    // Use a statement that a read-only database rejects but that runs no triggers.
    if (lock.empty())
        statement << "UPDATE " << user << " SET " << user.at("id") << " = " << user.at("id")
                  << " WHERE FALSE";
    else
        statement << "SELECT 1 FROM " << user << " WHERE FALSE" << lock;
    return work.apply(statement);
}

Result<model::NullableTime> last_replay_time(Work& work) {
    Statement statement = work.statement();
    statement << "SELECT " << work.dialect().product().last_replay_time;
    return first_row(work, statement, [](Rows& rows) { return rows.take_time(); });
}

Result<bool> has_protected_user(Work& work, const ProtectedEmail& protected_email) {
    const Table& user = work.schema().user;
    const Column& email = user.at("email");
    Statement statement = work.statement();
    statement << "SELECT EXISTS (SELECT 1 FROM " << user << " WHERE ";
    const std::string lower = user.function("lower");
    if (protected_email.ignores_case)
        statement << lower << email << ")" << user.op("=") << lower
                  << argument(protected_email.email) << "))";
    else
        statement << email << email.op("=") << argument(protected_email.email) << ")";
    return first_row(work, statement, [](Rows& rows) { return rows.take_boolean(); });
}

} // namespace useradmin::store::statements
