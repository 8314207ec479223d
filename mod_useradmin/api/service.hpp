// The service: turns a request into a reply. Independent of httpd and SQL.
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

namespace useradmin::api {

/// UserAdminGuard: rules beyond the specification.
struct Guards {
    /// Admins change only users with the role user (4.4).
    bool rank = false;
    /// At least one superAdmin who is not banned remains.
    bool last_super_admin = false;
};

/// Names of further columns of the user table. They live as long as the configuration.
using ColumnNames = std::span<const std::string_view>;

/// The settings of the operations, from the configuration.
struct OperationSettings {
    /// ADMIN_EMAIL (4.4.1, check 5).
    std::string_view protected_email;
    /// The maximum page size of a list.
    std::int64_t max_limit = 1000;
    /// Whether the accountId of a credential account is the user's id, as better-auth 1.7 expects;
    /// otherwise the e-mail (2.2).
    bool account_id_is_user_id = false;
    /// Whether addresses are stored in lower case, as better-auth looks them up.
    bool lowers_email = false;
    /// Whether a change of the address sets emailVerified to false.
    bool unverifies_email = false;
    Guards guards = {};
    /// Whether a ban, or a change of role or address, ends the user's sessions.
    bool ends_sessions = false;
    /// Whether UserAdminExtras is on, which adds resources below a user, such as its sessions.
    bool has_extras = false;
    /// The settings of links by mail; nothing if they are off.
    std::optional<mail::Settings> mail = {};
    /// The further columns that superAdmins may read (UserAdminColumns).
    ColumnNames columns = {};
    /// The further columns that superAdmins may also change (UserAdminEditable).
    ColumnNames editable_columns = {};
    /// Trusted origins in addition to the server's own.
    http::Origins trusted_origins = {};
    /// The language of texts; nothing: the request's preferred one.
    std::optional<http::Language> language = http::Language::spanish;
};

/// The dependencies of the operations.
struct Service {
    store::Store& store;
    password::Hasher& hasher;
    const OperationSettings& settings;
    /// The audit log's file, open for reading; negative: none.
    int audit_log = -1;
    /// Sends links by mail if the settings enable them.
    mail::Mailer* mailer = nullptr;
    /// Logs the audit event and begins the next one.
    std::function<void()> next_event = {};
};

/// Handles a request below the base address (specification, section 4). caller is empty if there is
/// no session. Fills in the event before any change, and sets its status at the end.
http::Reply handle_request(const http::Request& request, const std::optional<Caller>& caller,
                           const Service& service, audit::Event& event);

/// Returns the names of the operations for metrics and the audit log.
std::span<const std::string_view> operation_names() noexcept;

/// Returns the name of the operation for a method and a path below the base address, or an empty
/// string.
std::string_view operation_name(std::string_view method, std::string_view path,
                                bool has_extras) noexcept;

/// Returns whether the settings enable links of the kind.
bool offers_link(mail::Kind kind, const OperationSettings& settings) noexcept;

/// Returns whether a request below the base address may use the tables of the application's
/// plugins, apart from those for links by mail.
bool uses_plugin_tables(std::string_view method, std::string_view path, bool has_extras) noexcept;

/// Returns the envelope for an error of httpd or another module. Method and path identify the
/// operation.
http::Reply error_reply(int status, std::string_view method, std::string_view path,
                        const http::Headers& headers, const OperationSettings& settings);

} // namespace useradmin::api
