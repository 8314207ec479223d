// Extra columns of the user table in responses and updates (UserAdminColumns, UserAdminEditable).
#pragma once

#include "api/operations.hpp"
#include "json/reader.hpp"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::api {

/// Returns whether superAdmins may read any extra column.
inline bool has_readable_columns(const OperationSettings& settings) noexcept {
    return settings.has_extras && !(settings.columns.empty() && settings.editable_columns.empty());
}
/// Returns whether superAdmins may read the column if UserAdminExtras is on.
bool may_read_column(const OperationSettings& settings, std::string_view name) noexcept;
/// Returns whether superAdmins may change the column. Columns of kind "any" are read-only.
bool may_change_column(const OperationSettings& settings,
                       const store::ExtraColumn& column) noexcept;

/// Returns a column's name in lower case without underscores, so snake_case and camelCase names
/// compare equal.
std::string normalized_column(std::string_view name);
/// Returns whether the name suggests that the column contains secrets.
bool has_name_of_secret(std::string_view column);
/// Returns whether the column is twoFactorEnabled. Callers must not change it, because it must
/// match the user's second factor.
bool is_second_factor_flag(std::string_view column);

constexpr std::string_view text_of(store::ExtraColumn::Kind kind) noexcept {
    constexpr std::string_view names[] = {"text", "integer", "boolean", "time", "any"};
    return names[static_cast<std::size_t>(kind)];
}

/// Returns the columns in the "columns" query parameter that the caller may read.
std::vector<std::string_view> requested_columns(const Call& call,
                                                const OperationSettings& settings);

/// Parses the changes of extra columns in the "data" member of an update.
class ColumnChanges {
  public:
    /// Parses and checks the member. Ignores it unless UserAdminExtras is on and UserAdminEditable
    /// is set. Adds the names of the columns to the audit event.
    ColumnChanges(const Call& call, const Service& service, const json::Object& body);
    ColumnChanges(const ColumnChanges&) = delete;
    ColumnChanges& operator=(const ColumnChanges&) = delete;

    /// Returns the error response, or std::nullopt if the changes are valid and allowed.
    const std::optional<Response>& rejection() const noexcept { return rejection_; }
    /// Returns the changes. They are valid for the lifetime of this object.
    const store::Changes& values() const noexcept { return values_; }

  private:
    std::optional<model::Value> value_of(std::string_view name, const store::ExtraColumn& column);

    std::optional<json::Object> data_;
    std::optional<Response> rejection_;
    store::Changes values_;
    /// Owns the strings of integer values.
    std::deque<std::string> texts_;
};

} // namespace useradmin::api
