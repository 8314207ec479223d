// UserAdminExtras: POST /api/users/bulk
#include "api/body.hpp"
#include "api/envelope.hpp"
#include "api/operations.hpp"
#include "api/precondition.hpp"
#include "api/texts.hpp"
#include "crypto/secret.hpp"
#include "crypto/sha256.hpp"
#include "json/reader.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace useradmin::api {

namespace {

using json::Object;

constexpr std::size_t max_items = 1000;
constexpr std::size_t max_key_length = 255;

/// Returns nullptr if there is no such operation or bulk requests do not support it.
const Operation* operation_named(std::string_view name) noexcept {
    constexpr std::string_view allowed[] = {"update", "delete", "ban", "unban", "end-sessions"};
    const auto all = operations();
    const auto found = std::ranges::find(all, name, &Operation::name);
    return found != all.end() && std::ranges::find(allowed, name) != std::end(allowed) ? &*found
                                                                                       : nullptr;
}

/// One user in a bulk request.
struct Item {
    std::string_view id;
    model::NullableText if_match;
};

/// A parsed request. The views refer to the call and to the parsed JSON.
struct BulkRequest {
    const Operation* operation = nullptr;
    /// The body for each item.
    std::optional<Object> data;
    crypto::Secret data_json;
    /// Idempotency-Key, or empty.
    std::string_view key;
    std::vector<Item> items;
};

/// Returns std::nullopt if the body or Idempotency-Key is invalid.
std::optional<BulkRequest> parse_request(const Call& call, const Object& body,
                                         const std::vector<Object>& items) {
    const http::Headers& headers = call.request.headers;
    const Object::Kind data = body.kind("data");
    const bool has_data = data == Object::Kind::object;
    BulkRequest wanted = {operation_named(body.text("operation")),
                          has_data ? body.object("data") : Object::parse("{}"),
                          crypto::Secret(has_data ? body.as_json("data") : "{}"),
                          headers.find("Idempotency-Key"),
                          {}};
    const bool has_key = headers.has("Idempotency-Key");
    if (wanted.operation == nullptr || items.empty() || items.size() > max_items ||
        !(has_data || data == Object::Kind::null || data == Object::Kind::absent) ||
        wanted.key.empty() == has_key || wanted.key.size() > max_key_length)
        return std::nullopt;
    for (const Object& item : items) {
        if (item.text("id").empty() || !is_string_or_null(item, "ifMatch"))
            return std::nullopt;
        wanted.items.push_back({item.text("id"), item.kind("ifMatch") == Object::Kind::string
                                                     ? model::NullableText(item.text("ifMatch"))
                                                     : model::NullableText()});
    }
    return wanted;
}

/// Handles an item like a single request.
Response response_to(const Item& item, const BulkRequest& wanted, const Call& call,
                     const Service& service) {
    if (!wanted.key.empty())
        service.store.set_idempotency_key(crypto::hex(
            crypto::digest({"bulk", call.caller->id, wanted.key, wanted.operation->name,
                            wanted.data_json.view(), item.id, item.if_match.value_or("")})));
    call.event.operation = wanted.operation->name;
    call.event.is_change = true;
    call.event.target = item.id;
    Response response = wanted.operation->handler({call.request, call.caller, item.id, call.event,
                                                   *wanted.operation, wanted.data,
                                                   if_match_versions(item.if_match)},
                                                  service);
    call.event.status = response.status;
    if (response.is_repeated)
        call.event.is_change = false;
    if (service.next_event)
        service.next_event();
    return response;
}

void write_result(json::Writer& writer, std::string_view id, const Response& response,
                  http::Language language) {
    const bool is_success = response.status < 400;
    writer.begin_object().key("id").string(id).key("status").integer(response.status);
    writer.key("success").boolean(is_success);
    if (response.text)
        writer.key(is_success ? "message" : "error").string(response.text->in(language));
    for (const http::Header& header : response.headers)
        if (header.name == std::string_view("ETag"))
            writer.key("etag").string(header.value);
    writer.end_object();
}

} // namespace

Response change_in_bulk(const Call& call, const Service& service) {
    const std::optional<std::vector<Object>> items =
        call.body ? call.body->objects("items") : std::nullopt;
    const std::optional<BulkRequest> wanted =
        items ? parse_request(call, *call.body, *items) : std::nullopt;
    if (!wanted)
        return error(400, texts.bad_request);

    // Each item has its own audit event.
    call.event.is_change = false;
    const audit::Event whole = call.event;
    const http::Language language = language_of(service.settings, call.request.headers);
    Response response;
    json::Writer writer(response.body);
    writer.begin_object().key("success").boolean(true).key("data").begin_array();
    bool is_available = true;
    for (const Item& item : wanted->items) {
        call.event = whole;
        const Response result = is_available ? response_to(item, *wanted, call, service)
                                             : error(503, texts.unavailable);
        // All items share one time limit, so the remaining ones would time out, too.
        is_available = is_available && result.status != 503;
        write_result(writer, item.id, result, language);
    }
    writer.end_array().end_object();
    service.store.set_idempotency_key({});
    call.event = whole;
    return response;
}

} // namespace useradmin::api
