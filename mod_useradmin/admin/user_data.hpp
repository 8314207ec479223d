// The "data" member of create-user and update-user, which sets known and extra columns of the user
// table.
#pragma once

#include "store/store.hpp"
#include "json/reader.hpp"

#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>

namespace useradmin::admin {

/// Returns whether the object has one of the members.
bool has_any(const json::Object& data, std::initializer_list<std::string_view> members) noexcept;
bool has_ban(const json::Object& data) noexcept;

/// Checks the value of a boolean or time field. Returns the name of the expected type if the value
/// has another type or is an invalid time, otherwise an empty string.
std::string_view expected_type(const json::Object& data, std::string_view name);

/// Converts the members to column changes. The values are valid for the lifetime of this object and
/// of the JSON.
class UserData {
  public:
    /// Reads all members except those in omitted, those whose names suggest secrets, and
    /// twoFactorEnabled. The members must have the correct types.
    UserData(const json::Object& data, std::initializer_list<std::string_view> omitted);
    UserData(const UserData&) = delete;
    UserData& operator=(const UserData&) = delete;

    const store::Changes& values() const noexcept { return values_; }

  private:
    model::Value value_of(const json::Object& data, std::string_view name);

    store::Changes values_;
    /// Owns the text of booleans, numbers, arrays and objects. values_ refers to it.
    std::deque<std::string> texts_;
};

} // namespace useradmin::admin
