// The service: a request in, a reply out. Nothing here knows of httpd or of SQL.
#pragma once

#include "api/access.hpp"
#include "audit/event.hpp"
#include "http/message.hpp"
#include "http/origin.hpp"
#include "password/hasher.hpp"
#include "store/store.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace useradmin::api {

/// What the specification lets pass, and UserAdminGuard does not.
struct Guards {
    /// Admins change users of the role user alone (4.4).
    bool rank = false;
    /// One superAdmin who is not banned stays.
    bool last_super_admin = false;
};

/// What the configuration decides.
struct OperationSettings {
    /// ADMIN_EMAIL (4.4.1, check 5).
    std::string_view protected_email;
    /// The largest page of a list.
    std::int64_t max_limit = 1000;
    /// Whether the accountId of a credential account is the user's id; the specification has the
    /// e-mail (2.2), and better-auth from 1.7 on the id.
    bool account_id_is_user_id = false;
    /// Whether addresses are stored in lower case, as better-auth looks them up.
    bool lowers_email = false;
    Guards guards = {};
    /// Whether an update that bans, or gives another role or address, ends the user's sessions.
    bool ends_sessions = false;
    /// Whether there are sessions, passwords and bans below a user (UserAdminExtras).
    bool has_extras = false;
    /// Whose pages may send requests, beside the server's own.
    http::Origins trusted_origins = {};
};

/// What the operations work with.
struct Service {
    store::Store& store;
    password::Hasher& hasher;
    const OperationSettings& settings;
};

/// Answers a request under the base address (specification, section 4). Without a caller it has no
/// session. The event is filled in before anything is changed, its status at the end.
http::Reply handle_request(const http::Request& request, const std::optional<Caller>& caller,
                           const Service& service, audit::Event& event);

/// What the operations are called where they are counted or told of.
std::span<const std::string_view> operation_names() noexcept;

/// Which of them a request is for, by its method and its path below the base address; empty where
/// it is for none.
std::string_view operation_name(std::string_view method, std::string_view path,
                                bool has_extras) noexcept;

/// The envelope for an error that arose outside of the operations: httpd's own, or another
/// module's. The method and the path below the base address tell which operation it was.
http::Reply error_reply(int status, std::string_view method, std::string_view path,
                        bool has_extras = false);

} // namespace useradmin::api
