// The console: a page built from the files in this folder, for one service.
#pragma once

#include "console/accent.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace useradmin::console {

/// The page's settings. URLs are untrusted. An empty string means none.
struct PageSettings {
    /// The percent-encoded base address of the service.
    std::string_view base;
    /// The percent-encoded base address of sign-in/email, sign-out and get-session.
    std::string_view sign_in = {};
    /// The URL of the application's sign-in page.
    std::string_view sign_in_page = {};
    /// Empty: the built-in title.
    std::string_view title = {};
    /// The data: URL of an image. Empty: the built-in logo.
    std::string_view logo = {};
    std::optional<Colour> accent = {};
    /// The maximum number of users on a page of the list.
    std::int64_t max_limit = 1000;
    /// Whether UserAdminExtras is on.
    bool has_extras = false;
    /// Whether the audit log can be read.
    bool has_history = false;
    /// The kinds of links that are sent by mail, separated by spaces: "password verification".
    std::string_view links = {};
    /// Whether a ban, or a change of role or e-mail address, ends the user's sessions.
    bool ends_sessions = false;
    /// How long the application accepts a session from its own cache.
    std::chrono::seconds application_cache = {};
};

/// The page, and the values for its headers.
struct Page {
    std::string html;
    /// The entity tag without quotes.
    std::string tag;
    /// The Content-Security-Policy: only the page's own style and script, by hash, and requests to
    /// its own origin.
    std::string policy;
};

Page make_page(const PageSettings& settings);

} // namespace useradmin::console
