// The content of an audit line.
#pragma once

#include "model/records.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::audit {

/// The result of an operation.
enum class Result {
    done,
    refused, ///< by a rule, such as a missing right
    failed,  ///< an error of the database, the disk or the like
    unknown, ///< the database did not answer the COMMIT: the change may have been made
};

/// Returns the name of a result.
constexpr std::string_view text_of(Result result) noexcept {
    return result == Result::done      ? "done"
           : result == Result::refused ? "refused"
           : result == Result::failed  ? "failed"
                                       : "unknown";
}

/// An operation and its result. Each part of the code fills in what it knows. The rows are valid
/// for the lifetime of the request.
struct Event {
    /// A constant such as "create"; empty if the request is not an operation.
    std::string_view operation = {};
    /// Whether the operation is a change.
    bool is_change = false;
    /// The user's id or, if there is none, the given address. Untrusted input.
    std::string target = {};
    /// The caller's id and role; empty if unknown.
    std::string caller = {};
    std::string role = {};
    /// The id of the administrator who impersonates the caller; empty if there is none.
    std::string impersonated_by = {};
    /// The address to which a link is sent; empty if there is none.
    std::string sent_to = {};
    /// The HTTP status.
    int status = 200;
    /// Whether a failed change may have been made anyway.
    bool is_outcome_unknown = false;
    /// The reason for a refusal, if the status is ambiguous. A constant.
    std::string_view reason = {};
    /// The number of refusals that the line combines.
    std::uint64_t count = 1;
    /// The user's row before and after a change.
    std::optional<model::User> before = {};
    std::optional<model::User> after = {};
    /// The further columns of the user table that the change sets.
    std::vector<std::string> columns = {};

    Result result() const noexcept {
        return status < 400         ? Result::done
               : is_outcome_unknown ? Result::unknown
               : status < 500       ? Result::refused
                                    : Result::failed;
    }
};

} // namespace useradmin::audit
