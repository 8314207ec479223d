#include "api/openapi.hpp"

#include "api/columns.hpp"
#include "api/operations.hpp"
#include "api/texts.hpp"
#include "openapi_json.hpp"
#include "text/url.hpp"
#include "json/writer.hpp"

#include <cJSON.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>

namespace useradmin::api {

namespace {

// openapi.json describes the whole API, with the messages in Spanish. Some members are extensions:
// "x-if" is the condition for including an object. "x-errors" lists the possible messages of an
// error. "x-every-response" marks a header of every response. "x-every-text" marks a header of
// every response with a message. "x-notes" is appended to the description. "x-every-operation" has
// the responses of every operation. "x-every-path" has the members of every path. "x-other-methods"
// and "x-other-paths" have the responses to other methods and paths, and remain in the document.
// The messages of 403 and 500 are from the routing table; "x-errors" of a 403 lists only others.

struct Delete {
    void operator()(cJSON* tree) const noexcept { cJSON_Delete(tree); }
    void operator()(char* text) const noexcept { cJSON_free(text); }
};
using JsonPtr = std::unique_ptr<cJSON, Delete>;

cJSON* member(const cJSON* object, const char* name) noexcept {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

cJSON* find(cJSON* tree, std::initializer_list<const char*> path) noexcept {
    for (const char* const name : path)
        tree = member(tree, name);
    return tree;
}

/// Adds or replaces a member. Takes ownership of the value.
void set(cJSON* object, const char* name, cJSON* value) {
    if (value == nullptr)
        throw std::bad_alloc();
    if (member(object, name) != nullptr)
        cJSON_ReplaceItemInObjectCaseSensitive(object, name, value);
    else
        cJSON_AddItemToObject(object, name, value);
}

void set(cJSON* object, const char* name, const std::string& text) {
    set(object, name, cJSON_CreateString(text.c_str()));
}

void set(cJSON* object, const char* name, std::int64_t number) {
    set(object, name, cJSON_CreateNumber(static_cast<double>(number)));
}

/// Adds copies of the members that the object lacks.
void add_missing(cJSON* object, const cJSON* defaults) {
    const cJSON* child = nullptr;
    cJSON_ArrayForEach(child, defaults) if (member(object, child->string) == nullptr)
        set(object, child->string, cJSON_Duplicate(child, true));
}

cJSON* parsed(std::string_view json) {
    cJSON* const tree = cJSON_ParseWithLength(json.data(), json.size());
    return tree != nullptr ? tree : throw std::bad_alloc();
}

/// If the node is a message in Spanish, returns the message in English, otherwise nullptr.
const char* english_of(const cJSON* node) {
    static const auto all = all_texts();
    const auto* const found = std::ranges::find_if(all, [node](const Text& text) {
        return cJSON_IsString(node) && text.spanish == node->valuestring;
    });
    return found != all.end() ? found->english.data() : nullptr;
}

template <class Function>
void for_each_response(cJSON* tree, const Function& function) {
    cJSON* child = nullptr;
    cJSON_ArrayForEach(child, tree) {
        const std::string_view name = child->string == nullptr ? "" : child->string;
        if (name == "responses" || name == "x-other-methods" || name == "x-other-paths") {
            cJSON* response = nullptr;
            cJSON_ArrayForEach(response, child) function(response);
        } else {
            for_each_response(child, function);
        }
    }
}

class Document {
  public:
    explicit Document(const DocumentSettings& document_settings)
        : document_settings_(document_settings), settings_(document_settings.settings),
          tree_(parsed(openapi_json)), error_(cJSON_DetachItemFromObjectCaseSensitive(
                                           find(tree_.get(), {"components", "schemas"}), "Error")) {
    }

    std::string text() && {
        remove_unmet(tree_.get());
        add_common();
        add_invitation();
        translate(tree_.get());
        set_info();
        set_limits();
        for_each_response(tree_.get(), [this](cJSON* response) { complete(response); });
        cJSON* header = nullptr;
        cJSON_ArrayForEach(header, find(tree_.get(), {"components", "headers"})) {
            cJSON_DeleteItemFromObjectCaseSensitive(header, "x-every-response");
            cJSON_DeleteItemFromObjectCaseSensitive(header, "x-every-text");
        }
        add_columns(); // last, because a column may be named like a member, such as "responses"
        const std::unique_ptr<char, Delete> printed(cJSON_PrintUnformatted(tree_.get()));
        return printed != nullptr ? std::string(printed.get()) : throw std::bad_alloc();
    }

  private:
    bool is_met(std::string_view condition) const noexcept {
        const auto& carriers = document_settings_.carriers;
        const std::pair<std::string_view, bool> conditions[] = {
            {"extras", settings_.has_extras},
            {"password-links", offers_link(mail::Kind::set_password, settings_)},
            {"verification-links", offers_link(mail::Kind::verify_email, settings_)},
            {"columns", has_readable_columns(settings_)},
            {"editable", settings_.has_extras && !settings_.editable_columns.empty()},
            {"no-extras", !settings_.has_extras},
            {"rank", settings_.guards.rank},
            {"last-superadmin", settings_.guards.last_super_admin},
            {"end-sessions", settings_.ends_sessions},
            {"lower-email", settings_.lowers_email},
            {"unverify-email", settings_.unverifies_email},
            {"trusted-origins", !settings_.trusted_origins.empty()},
            {"language", settings_.language != http::Language::spanish},
            {"vary", !settings_.trusted_origins.empty() || !settings_.language},
            {"cookie", carriers.has_value()},
            {"bearer", carriers && carriers->bearer},
            {"api-key", carriers && carriers->api_key},
        };
        return std::ranges::any_of(conditions, [&](const auto& known) {
            return known.first == condition && known.second;
        });
    }

    /// Removes objects whose "x-if" is not met, and removes "x-if" from the remaining ones.
    void remove_unmet(cJSON* parent) const {
        for (cJSON *child = parent->child, *next = nullptr; child != nullptr; child = next) {
            next = child->next;
            const cJSON* const condition = member(child, "x-if");
            if (condition != nullptr && !is_met(condition->valuestring)) {
                cJSON_Delete(cJSON_DetachItemViaPointer(parent, child));
                continue;
            }
            cJSON_DeleteItemFromObjectCaseSensitive(child, "x-if");
            remove_unmet(child);
        }
    }

    /// Adds the common responses to each operation. Adds the OPTIONS method and the response to
    /// other methods to each path.
    void add_common() {
        const JsonPtr of_operations(
            cJSON_DetachItemFromObjectCaseSensitive(tree_.get(), "x-every-operation"));
        const JsonPtr of_paths(
            cJSON_DetachItemFromObjectCaseSensitive(tree_.get(), "x-every-path"));
        cJSON* path = nullptr;
        cJSON_ArrayForEach(path, member(tree_.get(), "paths")) {
            const std::string_view address = path->string;
            if (!address.starts_with('/'))
                continue;
            const cJSON* operation = nullptr;
            cJSON_ArrayForEach(operation, path) {
                cJSON* const responses = member(operation, "responses");
                if (responses == nullptr)
                    continue;
                add_missing(responses, of_operations.get());
                for (const char* const status : {"403", "500"})
                    add_missing(member(responses, status), member(of_operations.get(), status));
                add_errors(responses, member(operation, "operationId")->valuestring);
            }
            add_missing(path, of_paths.get());
            add_missing(member(path, "options"), member(of_paths.get(), "options"));
            const std::string methods = allowed_methods(address, settings_.has_extras);
            for (cJSON* const response : {find(path, {"options", "responses", "204"}),
                                          find(path, {"x-other-methods", "405"})})
                set(find(response, {"headers", "Allow", "schema"}), "const", methods);
        }
    }

    /// Adds the messages in the operation's entry of the routing table.
    static void add_errors(cJSON* responses, std::string_view name) {
        const Operation& operation = *std::ranges::find(operations(), name, &Operation::name);
        const auto string = [](const Text& text) {
            return cJSON_CreateString(text.spanish.data());
        };
        for (const char* const status : {"500", "5XX"}) {
            set(member(responses, status), "x-errors", cJSON_CreateArray());
            cJSON_AddItemToArray(find(responses, {status, "x-errors"}),
                                 string(operation.failure_text));
        }
        cJSON* const forbidden = member(responses, "403");
        if (member(forbidden, "x-errors") == nullptr)
            set(forbidden, "x-errors", cJSON_CreateArray());
        cJSON* const errors = member(forbidden, "x-errors");
        if (operation.forbidden_text.spanish != texts.forbidden.spanish)
            cJSON_InsertItemInArray(errors, 0, string(operation.forbidden_text));
        cJSON_AddItemToArray(errors, string(texts.forbidden));
        if (operation.method != "GET")
            cJSON_AddItemToArray(errors, string(texts.origin_not_allowed));
    }

    /// Translates the messages. If the language is negotiated, adds the English messages to the
    /// possible values.
    void translate(cJSON* parent) const {
        if (settings_.language == http::Language::spanish)
            return;
        cJSON* child = nullptr;
        cJSON_ArrayForEach(child, parent) {
            translate(child);
            const char* const english = english_of(child);
            if (english == nullptr)
                continue;
            if (settings_.language) {
                if (cJSON_SetValuestring(child, english) == nullptr)
                    throw std::bad_alloc();
            } else if (cJSON_IsArray(parent)) {
                cJSON_AddItemToArray(parent, cJSON_CreateString(english));
            } else if (std::string_view(child->string) == "const") {
                const char* const values[] = {child->valuestring, english};
                set(parent, "enum", cJSON_CreateStringArray(values, std::size(values)));
                cJSON_DeleteItemFromObjectCaseSensitive(parent, "const");
                return;
            }
        }
    }

    void set_info() {
        cJSON* const info = member(tree_.get(), "info");
        set(info, "version", std::string(USERADMIN_VERSION));
        std::string description = member(info, "description")->valuestring;
        const cJSON* note = nullptr;
        cJSON_ArrayForEach(note, member(info, "x-notes")) description.append(" ").append(
            member(note, "text")->valuestring);
        cJSON_DeleteItemFromObjectCaseSensitive(info, "x-notes");
        for (const std::string_view origin : settings_.trusted_origins)
            description.append(" ").append(origin);
        set(info, "description", description);
        std::string url;
        text::append_percent_encoded(url, document_settings_.base, text::path_characters);
        set(member(tree_.get(), "servers")->child, "url", url.empty() ? "/" : url);
        cJSON* const components = member(tree_.get(), "components");
        if (const auto& carriers = document_settings_.carriers)
            set(find(components, {"securitySchemes", "cookie"}), "name",
                std::string(carriers->cookie));
        else
            cJSON_DeleteItemFromObjectCaseSensitive(components, "securitySchemes");
    }

    void set_limits() {
        cJSON* const components = member(tree_.get(), "components");
        cJSON* const limit = find(components, {"parameters", "limit", "schema"});
        set(limit, "maximum", settings_.max_limit);
        set(limit, "default", std::min<std::int64_t>(20, settings_.max_limit));
        cJSON* const schemas = member(components, "schemas");
        set(find(schemas, {"Pagination", "properties", "limit"}), "maximum", settings_.max_limit);
        for (const char* const name : {"Users", "Sessions", "Events", "SignInMethods"})
            if (cJSON* const list = member(schemas, name))
                set(list, "maxItems", settings_.max_limit);
        const std::string size =
            "At most " + std::to_string(document_settings_.max_body) + " bytes.";
        cJSON* path = nullptr;
        cJSON_ArrayForEach(path, member(tree_.get(), "paths")) {
            cJSON* operation = nullptr;
            cJSON_ArrayForEach(operation, path) {
                if (cJSON* const body = member(operation, "requestBody"))
                    set(body, "description", size);
            }
        }
    }

    /// If invitations are enabled, makes the password optional and adds the errors of invitations.
    void add_invitation() {
        if (!offers_link(mail::Kind::invitation, settings_))
            return;
        cJSON* const create = find(tree_.get(), {"paths", "/", "post"});
        cJSON* const required =
            find(create, {"requestBody", "content", "application/json", "schema", "required"});
        cJSON* name = required->child;
        while (std::string_view(name->valuestring) != "password")
            name = name->next;
        cJSON_Delete(cJSON_DetachItemViaPointer(required, name));
        for (const auto& [status, text] : {std::pair("400", texts.email_not_mailable),
                                           {"500", texts.invitation_failed},
                                           {"500", texts.link_failed}})
            cJSON_AddItemToArray(find(create, {"responses", status, "x-errors"}),
                                 cJSON_CreateString(text.spanish.data()));
    }

    static const char* response_schema_of(const store::ExtraColumn& column) noexcept {
        using Kind = store::ExtraColumn::Kind;
        switch (column.kind) {
        case Kind::text:
            return R"({"type":["string","null"]})";
        case Kind::integer:
            if (column.max_value > std::numeric_limits<std::int32_t>::max())
                return R"({"type":["integer","string","null"],"description":)"
                       R"("A string if JavaScript would round the number."})";
            return R"({"type":["integer","null"]})";
        case Kind::boolean:
            return R"({"type":["boolean","null"]})";
        case Kind::time:
            return R"({"$ref":"#/components/schemas/Time"})";
        case Kind::any:
            break;
        }
        return "{}";
    }

    /// Returns the schema of a value that an update accepts for the column.
    static cJSON* request_schema_of(const store::ExtraColumn& column) {
        cJSON* const schema = parsed(column.kind == store::ExtraColumn::Kind::time
                                         ? R"({"type":["string","null"],"description":)"
                                           R"("A time in ISO 8601."})"
                                         : response_schema_of(column));
        if (!column.is_nullable) {
            cJSON* const types = member(schema, "type");
            cJSON_DeleteItemFromArray(types, cJSON_GetArraySize(types) - 1); // "null"
            if (cJSON_GetArraySize(types) == 1)
                set(schema, "type", std::string(types->child->valuestring));
        }
        return schema;
    }

    /// Adds all extra columns of the user table to full rows, the readable columns to the other
    /// responses, and the editable columns to the update.
    void add_columns() {
        cJSON* const components = member(tree_.get(), "components");
        cJSON* const schema = find(components, {"schemas", "FullUser"});
        cJSON_DeleteItemFromObjectCaseSensitive(schema, "$ref"); // to User
        add_missing(schema, find(components, {"schemas", "User"}));
        cJSON_DeleteItemFromObjectCaseSensitive(member(schema, "properties"), "lastSeenAt");
        cJSON* const example = find(components, {"examples", "FullUser", "value", "data"});
        cJSON* const user = find(components, {"schemas", "User", "properties"});
        cJSON* const data = find(tree_.get(), {"paths", "/{id}", "put", "requestBody", "content",
                                               "application/json", "schema", "properties", "data"});
        if (data != nullptr) {
            set(data, "properties", cJSON_CreateObject());
            set(data, "additionalProperties", cJSON_CreateFalse());
        }
        for (const store::ExtraColumn& column : document_settings_.columns) {
            std::string quoted;
            json::Writer(quoted).string(column.name);
            const JsonPtr name(parsed(quoted));
            set(member(schema, "properties"), name->valuestring,
                parsed(response_schema_of(column)));
            set(example, name->valuestring, cJSON_CreateNull());
            cJSON_AddItemToArray(member(schema, "required"), cJSON_Duplicate(name.get(), true));
            if (settings_.has_extras && may_read_column(settings_, column.name))
                set(user, name->valuestring, parsed(response_schema_of(column)));
            if (data != nullptr && may_change_column(settings_, column))
                set(member(data, "properties"), name->valuestring, request_schema_of(column));
        }
    }

    /// Adds the common headers to a response and, if it is an error, the body.
    void complete(cJSON* response) {
        if (member(response, "$ref") != nullptr)
            return;
        if (member(response, "headers") == nullptr)
            set(response, "headers", cJSON_CreateObject());
        cJSON* const headers = member(response, "headers");
        const bool has_text = member(response, "x-errors") != nullptr ||
                              find(response, {"content", "application/json", "schema", "properties",
                                              "message"}) != nullptr;
        const cJSON* header = nullptr;
        cJSON_ArrayForEach(header, find(tree_.get(), {"components", "headers"})) {
            if (member(header, "x-every-response") == nullptr &&
                (!has_text || member(header, "x-every-text") == nullptr))
                continue;
            set(headers, header->string, cJSON_CreateObject());
            set(member(headers, header->string), "$ref",
                std::string("#/components/headers/") + header->string);
        }
        if (const JsonPtr errors{cJSON_DetachItemFromObjectCaseSensitive(response, "x-errors")}) {
            cJSON* const content =
                parsed(R"({"application/json":{"schema":{},"example":{"success":false}}})");
            set(response, "content", content);
            cJSON* const json = content->child;
            set(member(json, "example"), "error", cJSON_Duplicate(errors->child, true));
            set(json, "schema", cJSON_Duplicate(error_.get(), true));
            set(find(json, {"schema", "properties", "error"}), "enum",
                cJSON_Duplicate(errors.get(), true));
        }
    }

    const DocumentSettings& document_settings_;
    const OperationSettings& settings_;
    JsonPtr tree_;
    JsonPtr error_;
};

} // namespace

std::string openapi_document(const DocumentSettings& document_settings) {
    return Document(document_settings).text();
}

} // namespace useradmin::api
