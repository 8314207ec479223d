#include "store/work.hpp"

#include "apr/pool.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace useradmin::store {

namespace {

/// Returns whether the value equals the default for a missing column.
bool equals_absent_value(const model::Field<model::User>& field, const model::Value& value) {
    if (const auto* text = std::get_if<std::string_view>(&value))
        return *text == field.null_substitute;
    if (const auto* boolean = std::get_if<bool>(&value))
        return !*boolean;
    return std::holds_alternative<std::monostate>(value);
}

/// Returns whether the statement is a query: lists may begin with the CTE useradmin_match.
bool is_query(const Statement& statement) noexcept {
    return statement.sql().starts_with("SELECT") ||
           statement.sql().starts_with("WITH useradmin_match");
}

} // namespace

Result<Rows> Work::run(const Statement& statement) {
    const bool commits = !client_.is_in_transaction() && !is_query(statement);
    const std::optional<Rows> rows = client_.run(statement, pool_);
    if (!rows && client_.error_kind() == ErrorKind::unencodable && is_query(statement))
        return Rows();
    return record(rows, commits);
}

Result<Done> Work::apply(const Statement& statement) {
    const Result<Rows> rows = run(statement);
    return rows ? Result<Done>(Done()) : rows.failure();
}

Result<Rows> Work::commit(const char* sql) {
    return record(client_.execute(sql, pool_), true);
}

bool Work::can_encode(const Column& column, std::string_view text) {
    const auto is_ascii = [](unsigned char byte) { return byte < 0x80; };
    if (column.is_unicode || std::ranges::all_of(text, is_ascii))
        return true;
    Statement echo = statement();
    echo << "SELECT " << argument(text) << "::pg_catalog.text";
    const Result<Rows> rows = run(echo);
    return !rows || rows->count() > 0; // after another error, the next statement fails, too
}

bool Work::can_hold(std::string_view field, const model::Value& value) {
    if (schema_.user.find(field) != nullptr)
        return true;
    const model::Field<model::User>* known = model::find_user_field(field);
    if (known != nullptr &&
        (known->if_absent == model::IfAbsent::ignore || equals_absent_value(*known, value)))
        return true;
    error_message_ = "table " + schema_.user.name + " has no column \"" + std::string(field) +
                     "\"; add it with 'useradminctl schema'";
    return false;
}

Failure Work::fail(std::string message) {
    error_message_ = std::move(message);
    return Failure::failed;
}

Failure Work::fail_without_change() {
    return fail("no row was written; a trigger may have suppressed the write");
}

model::User Work::read_user(Rows& rows) {
    model::User user = rows.take_record<model::User>();
    user.version = rows.take().value_or("");
    return user;
}

model::User Work::read_full_user(Rows& rows) {
    model::User user = read_user(rows);
    user.extra_columns = read_extra_columns(rows);
    return user;
}

std::span<const model::ExtraValue> Work::read_extra_columns(Rows& rows) {
    if (schema_.extra_columns.empty())
        return {};
    if (extra_names_.empty())
        for (const Column* const column : schema_.extra_user_columns())
            extra_names_.push_back(apr::copy_view(pool_, column->name));
    const std::size_t count = extra_names_.size();
    auto* const values =
        static_cast<model::ExtraValue*>(apr_palloc(pool_, count * sizeof(model::ExtraValue)));
    for (std::size_t index = 0; index < count; ++index)
        new (values + index) model::ExtraValue{extra_names_[index], rows.take().value_or("null")};
    return {values, count};
}

void Work::clear_error() noexcept {
    error_kind_.reset();
    error_message_.clear();
}

Result<Rows> Work::record(const std::optional<Rows>& rows, bool commits) {
    has_committed_ = has_committed_ || (rows && commits);
    if (rows)
        return *rows;
    const ErrorKind error_kind = client_.error_kind();
    if ((commits || has_committed_) &&
        (error_kind == ErrorKind::connection_lost || error_kind == ErrorKind::timed_out))
        may_be_committed_ = true;
    if (!error_kind_) {
        error_kind_ = error_kind;
        error_message_ = client_.error_message();
    }
    return Failure::failed;
}

} // namespace useradmin::store
