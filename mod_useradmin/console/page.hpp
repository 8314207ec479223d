// Builds the console's page from the files in this directory.
#pragma once

#include "console/accent.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace useradmin::console {

/// The page's settings. An empty string means that the setting is unset. make_page() escapes the
/// URLs and the title.
struct PageSettings {
    /// The percent-encoded base address of the service.
    std::string_view base;
    /// The percent-encoded base address of the sign-in endpoints.
    std::string_view sign_in = {};
    /// The URL of the application's sign-in page.
    std::string_view sign_in_page = {};
    /// If empty, the built-in title is used.
    std::string_view title = {};
    /// The data: URL of an image. If empty, the built-in logo is used.
    std::string_view logo = {};
    std::optional<Color> accent = {};
    /// The maximum number of users on a page of the list.
    std::int64_t max_limit = 1000;
    /// Whether UserAdminExtras is on.
    bool has_extras = false;
    /// Whether the audit log can be read.
    bool has_history = false;
    /// The kinds of links that are sent by mail, separated by spaces, such as "password
    /// verification".
    std::string_view links = {};
    /// Whether a ban, or a change of role or email address, ends the user's sessions.
    bool ends_sessions = false;
    /// How long the application accepts a session from its own cache.
    std::chrono::seconds application_cache = {};
};

/// The page and the values of its headers.
struct Page {
    std::string html;
    /// The entity tag without quotes.
    std::string tag;
    /// The Content-Security-Policy. Allows only the page's own style and script (by hash), data:
    /// images and requests to the page's origin.
    std::string policy;
};

Page make_page(const PageSettings& settings);

} // namespace useradmin::console
