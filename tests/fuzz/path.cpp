// The path below the base address, which contains a user's id.
#include "scene.hpp"

#include "support/text.hpp"
#include "text/url.hpp"

namespace useradmin::fuzz {

namespace {

void check_request(std::string_view method, std::string_view path, api::Role role) {
    Scene scene(role);
    const http::Response response = scene.send(method, path, "", "{}");
    if (response.status == 204) {
        require(method == "OPTIONS" && response.body.empty(), "OPTIONS has no body");
        return;
    }
    const json::Object envelope = require_envelope(response, {200, 400, 403, 404, 405});
    const std::string_view segment = path.substr(path.starts_with('/') ? 1 : 0);
    const std::string id = text::decode_path_segment(segment);
    if (method == "GET" && (id == "me" || (id == "another" && role != api::Role::user)))
        require(response.status == (segment.find('/') == segment.npos ? 200 : 404),
                "an existing user is found");
    if (response.status != 200 || id.empty())
        return;
    require(id == "me" || id == "another", "an unknown user is not found");
    require(id == "me" ? role != api::Role::super_admin || method != "DELETE"
                       : role != api::Role::user,
            "only administrators read other users");
    if (method == "DELETE")
        require(role == api::Role::super_admin, "only a superAdmin deletes");
}

/// Checks the responses to requests for a user's sessions, password and ban.
void check_extras_request(std::string_view method, std::string_view path, api::Role role) {
    Scene scene(role);
    scene.settings.has_extras = true;
    const http::Response response = scene.send(method, path, "", R"({"password":"s3cr3t word"})");
    if (response.status == 204)
        return;
    require_envelope(response, {200, 400, 403, 404, 405});
    if (response.status == 200 && path.find('/', 1) != path.npos)
        require(role == api::Role::super_admin, "only a superAdmin uses resources below a user");
}

} // namespace

void fuzz_path(std::string_view path) {
    const std::string decoded = text::decode_path_segment(path);
    require(path.find('%') == path.npos ? decoded == path : decoded.size() <= path.size(),
            "the id is the decoded path segment");
    require(text::decode_path_segment(test::percent_encoded(decoded)) == decoded,
            "decoding an encoded id returns it");
    for (const api::Role role : {api::Role::user, api::Role::admin, api::Role::super_admin})
        for (const std::string_view method : {"GET", "PUT", "DELETE", "OPTIONS", "PATCH"}) {
            check_request(method, path, role);
            check_extras_request(method, path, role);
        }
}

} // namespace useradmin::fuzz
