// The member "data" of create-user and update-user: columns of the user table, including further
// ones.
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
/// Returns whether the object has banned, banReason or banExpires.
bool has_ban(const json::Object& data) noexcept;

/// The columns to set. The values refer to this object and to the JSON.
class UserData {
  public:
    /// Reads all members except for the omitted ones.
    UserData(const json::Object& data, std::initializer_list<std::string_view> omitted);
    UserData(const UserData&) = delete;
    UserData& operator=(const UserData&) = delete;

    const store::Changes& values() const noexcept { return values_; }

  private:
    model::Value value_of(const json::Object& data, std::string_view name);

    store::Changes values_;
    /// The strings of numbers, arrays and objects.
    std::deque<std::string> texts_;
};

} // namespace useradmin::admin
