#pragma once

#include "httpd/notes.hpp"

#include <array>

namespace useradmin::httpd {

/// The notes about the caller after the fixups hooks. Later values are not trusted. With
/// mod_headers' `Header note`, the author of an .htaccess file can set notes while the response is
/// sent, and then include a protected path with mod_include.
struct CallerNotes {
    std::array<const char*, 4> values = {};

    static CallerNotes of(const request_rec* request) noexcept {
        const auto note = [&](const char* name) { return apr_table_get(request->notes, name); };
        return {{note(id_note), note(role_note), note(table_note), note(impersonator_note)}};
    }

    /// Returns whether no note was replaced. Compares pointers.
    bool operator==(const CallerNotes& other) const noexcept = default;
};

} // namespace useradmin::httpd
