// The content of a line in the audit log.
#pragma once

#include "model/records.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::audit {

enum class Result {
    done,
    refused, ///< by a rule, such as a missing permission
    failed,  ///< a database or disk error
    unknown, ///< the database did not confirm the COMMIT; the change may have been made
};

/// Returns the result as it appears in the log.
constexpr std::string_view text_of(Result result) noexcept {
    return result == Result::done      ? "done"
           : result == Result::refused ? "refused"
           : result == Result::failed  ? "failed"
                                       : "unknown";
}

/// An operation and its result. The caller keeps the strings of the rows alive until the event has
/// been logged.
struct Event {
    /// A constant such as "create". Empty if the request is not an operation.
    std::string_view operation = {};
    bool is_change = false;
    /// The user's id, or the address from the request if there is no id. Untrusted input.
    std::string target = {};
    /// The caller's user id or, for useradminctl, the operating system account. Empty if unknown.
    std::string caller = {};
    /// Empty if unknown.
    std::string role = {};
    /// The id of the administrator who impersonates the caller. Empty if there is none.
    std::string impersonated_by = {};
    /// The address that a link is sent to. Empty if there is none.
    std::string sent_to = {};
    /// The HTTP status of the response or, for useradminctl, the status that corresponds to the
    /// exit code.
    int status = 200;
    /// Whether a failed change may have been made anyway.
    bool is_outcome_unknown = false;
    /// The reason for a rejection if the status alone is ambiguous, otherwise empty. The caller
    /// keeps the string alive until the event has been logged.
    std::string_view reason = {};
    /// Whether a credential was rejected. If so, `caller` is the owner of the credential, who may
    /// not have sent the request.
    bool is_credential_rejected = false;
    /// The number of rejections that the line combines.
    std::uint64_t count = 1;
    /// The user's row before the change. Empty if there was none or it is unchanged.
    std::optional<model::User> before = {};
    /// The row after the change. Empty if there is none or it is unchanged.
    std::optional<model::User> after = {};
    /// The extra columns of the user table that the change sets.
    std::vector<std::string> columns = {};

    Result result() const noexcept {
        return status < 400         ? Result::done
               : is_outcome_unknown ? Result::unknown
               : status < 500       ? Result::refused
                                    : Result::failed;
    }
};

} // namespace useradmin::audit
