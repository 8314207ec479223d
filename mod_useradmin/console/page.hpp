// The console: one page, made of the files beside this one, for one service.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace useradmin::console {

/// What the page is told of its service. The addresses may hold anything; empty is none.
struct PageSettings {
    /// The base address of the service, percent-encoded.
    std::string_view base;
    /// That of sign-in/email, sign-out and get-session, percent-encoded.
    std::string_view sign_in = {};
    /// Where the application signs its users in, which is linked to.
    std::string_view sign_in_page = {};
    /// The largest page of a list.
    std::int64_t max_limit = 1000;
    /// Whether UserAdminExtras is on.
    bool has_extras = false;
};

/// The page, and what is said with it.
struct Page {
    std::string html;
    /// Another one for every other page, without quotes.
    std::string tag;
    /// The Content-Security-Policy: the page's own style and script, by their hashes, requests to
    /// its own origin, and nothing else.
    std::string policy;
};

Page make_page(const PageSettings& settings);

} // namespace useradmin::console
