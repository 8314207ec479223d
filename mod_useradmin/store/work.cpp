#include "store/work.hpp"

#include "apr/pool.hpp"

#include <algorithm>
#include <utility>

namespace useradmin::store {

namespace {

const model::Field<model::User>* user_field(std::string_view name) noexcept {
    const auto all = model::fields<model::User>();
    const auto found =
        std::find_if(all.begin(), all.end(),
                     [&](const model::Field<model::User>& field) { return field.name == name; });
    return found != all.end() ? &*found : nullptr;
}

/// Whether the value is what a column that is not there is read as.
bool is_as_absent(const model::Field<model::User>& field, const model::Value& value) {
    if (const auto* text = std::get_if<std::string_view>(&value))
        return *text == field.null_substitute;
    if (const auto* truth = std::get_if<bool>(&value))
        return !*truth;
    return std::holds_alternative<std::monostate>(value);
}

/// Whether the statement may have been executed although it failed.
bool has_no_answer(const std::variant<Rows, Fault>& answer) noexcept {
    const Fault* const fault = std::get_if<Fault>(&answer);
    return fault != nullptr && (*fault == Fault::lost || *fault == Fault::late);
}

} // namespace

Result<Rows> Work::run(const Statement& statement) {
    const bool commits = !client_.is_in_transaction();
    auto answer = client_.run(statement, pool_);
    may_be_committed_ = may_be_committed_ || (commits && has_no_answer(answer));
    return note(std::move(answer));
}

Result<Rows> Work::commit(const char* sql) {
    auto answer = client_.execute(sql, pool_);
    may_be_committed_ = may_be_committed_ || has_no_answer(answer);
    return note(std::move(answer));
}

bool Work::can_hold(std::string_view field, const model::Value& value) {
    if (schema_.user.find(field) != nullptr)
        return true;
    const model::Field<model::User>* known = user_field(field);
    if (known != nullptr &&
        (known->if_absent == model::IfAbsent::ignore || is_as_absent(*known, value)))
        return true;
    error_ = "table " + schema_.user.name + " has no column \"" + std::string(field) +
             "\"; add it with 'useradminctl schema'";
    return false;
}

model::User Work::take_user(Rows& rows) {
    model::User user = rows.take_record<model::User>();
    user.version = rows.take().value_or("");
    return user;
}

model::User Work::take_full_user(Rows& rows) const {
    model::User user = take_user(rows);
    // One object for all of them, although the database may have built several.
    std::string members;
    for (std::size_t index = 0; index < schema_.other_columns.size(); ++index) {
        std::string_view object = rows.take().value_or("{}");
        if (schema_.other_columns.size() == 1) {
            user.extra_columns = object;
            return user;
        }
        object = object.substr(1, object.size() - 2);
        members += members.empty() || object.empty() ? "" : ",";
        members += object;
    }
    user.extra_columns = apr::copy_view(pool_, "{" + members + "}");
    return user;
}

void Work::forgive() noexcept {
    fault_.reset();
    error_.clear();
}

Result<Rows> Work::note(std::variant<Rows, Fault>&& answer) {
    if (Rows* rows = std::get_if<Rows>(&answer))
        return *rows;
    if (!fault_) {
        fault_ = std::get<Fault>(answer);
        error_ = client_.error();
    }
    return Failure::failed;
}

} // namespace useradmin::store
