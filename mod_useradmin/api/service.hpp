// Routes and handles API requests. Independent of httpd and SQL.
#pragma once

#include "api/access.hpp"
#include "audit/event.hpp"
#include "http/language.hpp"
#include "http/message.hpp"
#include "http/origin.hpp"
#include "mail/mailer.hpp"
#include "password/hasher.hpp"
#include "store/store.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace useradmin::api {

/// The environment variable with the protected address (specification, section 4.4.1, check 5).
inline constexpr const char* protected_email_variable = "ADMIN_EMAIL";
/// Used if the variable is unset or empty.
inline constexpr const char* default_protected_email = "admin@example.com";

/// The rules of UserAdminGuard. They are stricter than the specification.
struct Guards {
    /// Admins may change only users with the "user" role (4.4).
    bool rank = false;
    /// At least one superAdmin who is not banned must remain.
    bool last_super_admin = false;
};

/// Names of extra columns of the user table. They are valid for the lifetime of the configuration.
using ColumnNames = std::span<const std::string_view>;

struct OperationSettings {
    /// The user who cannot be deleted (specification, section 4.4.1, check 5).
    store::ProtectedEmail protected_email;
    /// The maximum page size of a list.
    std::int64_t max_limit = 1000;
    /// Whether accountId of a credential account is the user's id, as in better-auth 1.7. Otherwise
    /// it is the email address (2.2).
    bool account_id_is_user_id = false;
    /// Whether addresses are stored in lower case. better-auth looks them up in lower case.
    bool lowers_email = false;
    /// Whether changing the address sets emailVerified to false.
    bool unverifies_email = false;
    Guards guards = {};
    /// Whether a ban or a change of role or email address ends the user's sessions.
    bool ends_sessions = false;
    /// Whether UserAdminExtras is on. It adds operations and fields that the specification does not
    /// define.
    bool has_extras = false;
    /// The settings of mailed links, or std::nullopt if they are disabled.
    std::optional<mail::Settings> mail = {};
    /// The extra columns that superAdmins may read (UserAdminColumns).
    ColumnNames columns = {};
    /// The extra columns that superAdmins may also change (UserAdminEditable).
    ColumnNames editable_columns = {};
    /// Trusted origins, in addition to the server's own.
    http::Origins trusted_origins = {};
    /// The language of messages. If std::nullopt, Accept-Language determines it.
    std::optional<http::Language> language = http::Language::spanish;
};

struct Service {
    store::Store& store;
    password::Hasher& hasher;
    const OperationSettings& settings;
    /// The audit log's file descriptor, open for reading. Negative if there is none.
    int audit_log = -1;
    /// Mails links. nullptr if the settings do not enable any.
    mail::Mailer* mailer = nullptr;
    /// Logs the audit event and begins a new one. May be empty.
    std::function<void()> next_event = {};
};

/// Handles a request below the base address (specification, section 4). caller is std::nullopt if
/// there is no session. Fills in the event before any change and sets its status at the end.
http::Response handle_request(const http::Request& request, const std::optional<Caller>& caller,
                              const Service& service, audit::Event& event);

/// Returns the names of all operations, as used in metrics and in the audit log.
std::vector<std::string_view> operation_names();

/// Returns the name of the operation for a method and a path below the base address, or an empty
/// string if there is none.
std::string_view operation_name(std::string_view method, std::string_view path, bool has_extras);

/// Returns whether the settings enable links of this kind.
bool offers_link(mail::Kind kind, const OperationSettings& settings) noexcept;

/// Returns the body and headers for an error raised by httpd or another module. The message depends
/// on the operation that method and path identify.
http::Response error_response(int status, std::string_view method, std::string_view path,
                              const http::Headers& headers, const OperationSettings& settings);

} // namespace useradmin::api
