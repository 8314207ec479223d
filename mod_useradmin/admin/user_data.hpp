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
/// Returns whether it has one of those of a ban.
bool has_ban(const json::Object& data) noexcept;

/// The columns to set. Valid as long as the object and the JSON.
class UserData {
  public:
    /// Reads all members except for some.
    UserData(const json::Object& data, std::initializer_list<std::string_view> omitted);
    UserData(const UserData&) = delete;
    UserData& operator=(const UserData&) = delete;

    const store::Changes& values() const noexcept { return values_; }

  private:
    model::Value value_of(const json::Object& data, std::string_view name);

    store::Changes values_;
    /// Texts that the JSON does not have.
    std::deque<std::string> texts_;
};

} // namespace useradmin::admin
