// What was done to whom, or was not, and why: what an audit log has of a request or a command.
#pragma once

#include "model/records.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace useradmin::audit {

/// How an operation ended.
enum class Result {
    done,
    refused, ///< by a rule: the caller may not, or what it asks for cannot be
    failed,  ///< the database, the disk or the like was in the way
    unknown, ///< the database did not answer the COMMIT: the change may have been made
};

/// What an operation is called by its result.
constexpr std::string_view text_of(Result result) noexcept {
    return result == Result::done      ? "done"
           : result == Result::refused ? "refused"
           : result == Result::failed  ? "failed"
                                       : "unknown";
}

/// An operation, and what came of it. Whoever carries it out fills it in as far as it knows. The
/// rows' texts live as long as the request.
struct Event {
    /// "create", a constant; empty where nothing was asked for that has a name.
    std::string_view operation = {};
    /// Whether it would change something.
    bool is_change = false;
    /// Whom it is about: the user's id or, where there is none, the address that was given. It may
    /// hold anything.
    std::string target = {};
    /// The id and the role of who asked; empty where nobody knows.
    std::string caller = {};
    std::string role = {};
    /// The id of the administrator who acts as the caller; empty if nobody does.
    std::string impersonated_by = {};
    /// As HTTP has it.
    int status = 200;
    /// Whether a change that did not succeed may have been made all the same.
    bool is_outcome_unknown = false;
    /// Why it was refused, where the status does not tell; a constant.
    std::string_view reason = {};
    /// How many refusals of one network it stands for.
    std::uint64_t count = 1;
    /// The user's row before and after it, where it was changed.
    std::optional<model::User> before = {};
    std::optional<model::User> after = {};

    Result result() const noexcept {
        return status < 400         ? Result::done
               : is_outcome_unknown ? Result::unknown
               : status < 500       ? Result::refused
                                    : Result::failed;
    }
};

} // namespace useradmin::audit
