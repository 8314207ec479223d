#pragma once

#include "targets.hpp"

#include "text/unicode.hpp"
#include "unit/fake_store.hpp"
#include "json/reader.hpp"

#include <algorithm>
#include <string>

namespace useradmin::fuzz {

/// Requires that a response has the envelope (specification, section 2.4) and one of these
/// statuses.
inline json::Object require_envelope(const http::Response& response,
                                     std::initializer_list<int> statuses) {
    require(std::find(statuses.begin(), statuses.end(), response.status) != statuses.end(),
            "a response has one of the statuses of its operation");
    auto envelope = json::Object::parse(response.body);
    require(envelope.has_value(), "a response is a JSON object");
    require(envelope->kind("success") == json::Object::Kind::boolean &&
                envelope->boolean("success") == (response.status == 200),
            "the member success matches the status");
    require(response.status == 200 || !envelope->text("error").empty(),
            "a failure has an error text");
    return std::move(*envelope);
}

/// Sends requests to the service and checks the responses. The tables contain the caller, "me", and
/// the user "another".
class Scene {
  public:
    explicit Scene(api::Role role) : caller_{"me", api::text_of(role)} {
        store.add("me", "me@example.org");
        store.add("another", "another@example.org");
    }

    http::Response send(std::string_view method, std::string_view path, std::string_view query,
                        std::string_view text = {}) {
        body_.body.text = text;
        const std::optional<api::Caller> caller = caller_;
        audit::Event event;
        http::Response response = api::handle_request({method, path, query, headers_, body_},
                                                      caller, {store, hasher, settings}, event);
        require(text::is_clean_utf8(calls.text()), "only valid UTF-8 reaches the database");
        return response;
    }

    test::Calls calls;
    test::FakeStore store{calls};
    test::FakeHasher hasher{calls};
    api::OperationSettings settings{{test::protected_email}, 1000};

  private:
    api::Caller caller_;
    test::FakeBody body_{calls};
    test::FakeHeaders headers_;
};

} // namespace useradmin::fuzz
