// Rows of the verification table that the second step of sign-in uses.
#pragma once

#include "sign_in/service.hpp"

#include <chrono>
#include <string_view>

namespace useradmin::sign_in {

/// Returns a row. change_second_factor() sets its id.
model::VerificationValue verification_row(std::string_view identifier, std::string_view value,
                                          text::Timestamp now, std::chrono::seconds lifetime);

/// Sets the ids of the rows that the change adds, and makes the change.
store::Result<store::Done> change_second_factor(const Service& service,
                                                store::SecondFactorChange change);

} // namespace useradmin::sign_in
