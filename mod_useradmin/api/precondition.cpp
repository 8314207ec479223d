#include "api/precondition.hpp"

#include "http/entity_tags.hpp"
#include "text/split.hpp"
#include "text/unicode.hpp"

#include <algorithm>

namespace useradmin::api {

namespace {

/// Removes the suffix that mod_deflate and mod_brotli append to entity tags.
std::string_view version_of(std::string_view tag) noexcept {
    for (const std::string_view mark : http::compression_suffixes)
        if (tag.ends_with(mark))
            return tag.substr(0, tag.size() - mark.size());
    return tag;
}

} // namespace

store::Versions if_match_versions(model::NullableText if_match) {
    if (!if_match || text::trim(*if_match) == "*")
        return std::nullopt;
    std::string_view list = *if_match;
    std::vector<std::string_view> versions;
    // Versions contain no commas. A tag with invalid UTF-8 or U+0000 matches no row.
    while (!list.empty()) {
        const std::string_view tag = text::trim(text::take_until(list, ','));
        if (tag.size() >= 2 && tag.front() == '"' && tag.back() == '"' && text::is_clean_utf8(tag))
            versions.push_back(version_of(tag.substr(1, tag.size() - 2)));
    }
    return versions;
}

store::Versions if_match_versions(const http::Headers& headers) {
    // "*" requires that the target does not exist, but only existing users can be changed.
    if (headers.find("If-None-Match") == "*")
        return std::vector<std::string_view>();
    return if_match_versions(headers.has("If-Match") ? model::NullableText(headers.find("If-Match"))
                                                     : std::nullopt);
}

bool matches_version(const model::User& user, const store::Versions& versions) {
    return !versions || std::ranges::find(*versions, user.version) != versions->end();
}

} // namespace useradmin::api
