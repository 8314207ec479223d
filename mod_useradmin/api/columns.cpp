#include "api/columns.hpp"

#include "api/texts.hpp"
#include "text/number.hpp"
#include "text/unicode.hpp"
#include "text/url.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace useradmin::api {

namespace {

using json::Object;

bool contains(ColumnNames names, std::string_view name) noexcept {
    return std::ranges::find(names, name) != names.end();
}

/// Returns std::nullopt if the number is not an integer or is out of range for the column.
std::optional<std::int64_t> whole_number(double number, const store::ExtraColumn& column) {
    if (std::trunc(number) != number ||
        std::abs(number) > static_cast<double>(text::max_safe_integer))
        return std::nullopt;
    const auto whole = static_cast<std::int64_t>(number);
    return whole > column.max_value || whole < -column.max_value - 1 ? std::nullopt
                                                                     : std::optional(whole);
}

/// Returns std::nullopt if the text is not an integer that JavaScript would round, or is out of
/// range for the column. Responses have these integers as strings, too.
std::optional<std::int64_t> large_number(std::string_view text, const store::ExtraColumn& column) {
    const auto number = text::parse_integer(text, -column.max_value - 1, column.max_value);
    return number && (*number > text::max_safe_integer || *number < -text::max_safe_integer)
               ? number
               : std::nullopt;
}

} // namespace

bool may_read_column(const OperationSettings& settings, std::string_view name) noexcept {
    return contains(settings.columns, name) || contains(settings.editable_columns, name);
}

bool may_change_column(const OperationSettings& settings,
                       const store::ExtraColumn& column) noexcept {
    return column.kind != store::ExtraColumn::Kind::any &&
           contains(settings.editable_columns, column.name);
}

std::string normalized_column(std::string_view name) {
    std::string letters = text::lower(name);
    std::erase(letters, '_');
    return letters;
}

bool has_name_of_secret(std::string_view column) {
    constexpr std::string_view words[] = {"password", "passwd",     "passphrase", "secret",
                                          "apikey",   "privatekey", "backupcode"};
    constexpr std::string_view ends[] = {"token", "tokens", "hash", "salt", "otp"};
    const std::string name = normalized_column(column);
    return std::ranges::any_of(
               words, [&](std::string_view word) { return name.find(word) != name.npos; }) ||
           std::ranges::any_of(ends, [&](std::string_view end) { return name.ends_with(end); });
}

bool is_second_factor_flag(std::string_view column) {
    return normalized_column(column) == "twofactorenabled";
}

std::vector<std::string_view> requested_columns(const Call& call,
                                                const OperationSettings& settings) {
    std::vector<std::string_view> columns;
    if (!settings.has_extras || !is_super_administrator(*call.caller))
        return columns;
    const std::string names = text::query_parameter(call.request.query, "columns").value_or("");
    const std::string padded = "," + names + ",";
    for (const ColumnNames all : {settings.columns, settings.editable_columns})
        for (const std::string_view name : all)
            if (padded.find("," + std::string(name) + ",") != padded.npos &&
                !contains(columns, name))
                columns.push_back(name);
    return columns;
}

ColumnChanges::ColumnChanges(const Call& call, const Service& service, const json::Object& body) {
    const OperationSettings& settings = service.settings;
    if (!settings.has_extras || settings.editable_columns.empty() ||
        body.kind("data") == Object::Kind::absent)
        return;
    data_ = body.object("data");
    const std::vector<std::string_view> names =
        data_ ? data_->keys() : std::vector<std::string_view>();
    const bool may_change = is_super_administrator(*call.caller) &&
                            std::ranges::all_of(names, [&](std::string_view name) {
                                return contains(settings.editable_columns, name);
                            });
    if (!may_change || !data_) {
        rejection_ = may_change ? error(400, texts.bad_request) : error(403, texts.forbidden);
        return;
    }
    const auto columns = service.store.extra_columns();
    if (!columns) {
        rejection_ = failure_response(columns.failure(), call.operation);
        return;
    }
    for (const std::string_view name : names) {
        const auto column = std::ranges::find(*columns, name, &store::ExtraColumn::name);
        const auto value = column != columns->end() ? value_of(name, *column) : std::nullopt;
        if (!value) {
            rejection_ = error(400, texts.bad_request);
            return;
        }
        values_.push_back({name, *value, store::Change::When::always, true});
        call.event.columns.emplace_back(name);
    }
}

/// Returns the member's value, or std::nullopt if the column cannot store it.
std::optional<model::Value> ColumnChanges::value_of(std::string_view name,
                                                    const store::ExtraColumn& column) {
    using Type = store::ExtraColumn::Kind;
    using Kind = Object::Kind;
    const Kind kind = data_->kind(name);
    if (kind == Kind::null)
        return column.is_nullable && column.kind != Type::any ? std::optional(model::Value())
                                                              : std::nullopt;
    if (kind == Kind::string && column.kind == Type::text)
        return model::Value(data_->text(name));
    if (kind == Kind::boolean && column.kind == Type::boolean)
        return model::Value(data_->boolean(name));
    if (column.kind == Type::integer)
        if (const auto number = kind == Kind::number   ? whole_number(data_->number(name), column)
                                : kind == Kind::string ? large_number(data_->text(name), column)
                                                       : std::nullopt)
            return model::Value(std::string_view(texts_.emplace_back(std::to_string(*number))));
    if (kind == Kind::string && column.kind == Type::time)
        if (const auto time = text::parse_date(data_->text(name)))
            return model::Value(*time);
    return std::nullopt;
}

} // namespace useradmin::api
