// The query string of a list.
#include "scene.hpp"

#include "support/text.hpp"
#include "text/url.hpp"

namespace useradmin::fuzz {

namespace {

void check_parameter(std::string_view query, std::string_view name) {
    const auto value = text::query_parameter(query, name);
    const std::string pair =
        std::string(name) + "=" + test::percent_encoded(value.value_or("another value"));
    if (!value) {
        require(text::query_parameter(std::string(query) + "&" + pair, name) == "another value",
                "a parameter after others is found");
        return;
    }
    require(value->size() <= query.size(), "a value is at most as long as the query");
    require(text::query_parameter(pair, name) == value, "encoding and decoding a value returns it");
    require(text::query_parameter(std::string(query) + "&" + std::string(name) + "=x", name) ==
                value,
            "the first of several equal parameters is used");
}

/// Returns the number after this text, which the envelope must contain.
std::int64_t number_after(std::string_view response, std::string_view text) {
    const std::size_t at = response.rfind(text);
    require(at != response.npos, "a list response has pagination");
    return std::strtoll(response.data() + at + text.size(), nullptr, 10);
}

void check_list(std::string_view query, api::Role role) {
    Scene scene(role);
    const http::Response response = scene.send("GET", "", query);
    require_envelope(response, {200, 500});
    if (response.status == 500) {
        require(scene.calls.text().empty(), "a rejected query never reaches the database");
        return;
    }
    const auto page = number_after(response.body, "\"page\":");
    const auto limit = number_after(response.body, "\"limit\":");
    require(page >= 1 && limit >= 1 && limit <= scene.settings.max_limit,
            "page and limit are within bounds");
    // With a cursor, the store reads one more row to find out whether there is another page.
    const auto is_requested = [&](std::int64_t number) {
        return scene.calls.text().find(" " + std::to_string(number) + " from " +
                                       std::to_string((page - 1) * limit)) != std::string::npos;
    };
    require(is_requested(limit) || is_requested(limit + 1),
            "the page read from the database is the page in the response");
    if (role == api::Role::admin)
        require(scene.calls.text().starts_with("list role=user "),
                "an admin lists only users with the user role");
}

} // namespace

void fuzz_query(std::string_view query) {
    for (const std::string_view name : {"page", "cursor", "limit", "search", "role"})
        check_parameter(query, name);
    for (const api::Role role : {api::Role::admin, api::Role::super_admin})
        check_list(query, role);
}

} // namespace useradmin::fuzz
