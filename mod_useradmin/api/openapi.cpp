#include "api/openapi.hpp"

#include "api/operations.hpp"
#include "api/texts.hpp"
#include "model/records.hpp"
#include "text/unicode.hpp"
#include "text/url.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace useradmin::api {

namespace {

using json::Writer;
using Texts = std::vector<std::string_view>;

// A year beyond 9999 is written as JavaScript writes it.
constexpr std::string_view time_schema =
    R"("format":"date-time",)"
    R"("pattern":"^(\\d{4}|[+]\\d{6})-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$")";

constexpr std::string_view nullable_text = R"({"type":["string","null"]})";
std::string nullable_time() {
    return R"({"type":["string","null"],)" + std::string(time_schema) + "}";
}

/// The members of the example that stand for the fields, without the object's braces.
constexpr std::string_view example_user =
    R"("id":"a3fd0f65-86c7-49df-a047-85608e0fa45d","name":"Marta Núñez",)"
    R"("email":"marta@example.com","role":"user","emailVerified":true,"image":null,)"
    R"("createdAt":"2026-11-21T01:14:19.892Z","updatedAt":"2026-11-21T01:14:19.892Z",)"
    R"("banned":false,"banReason":null,"banExpires":null)";

/// The headers of replies, and where they come, beside the operations' own.
struct Header {
    std::string_view name;
    /// A schema, JSON.
    std::string_view schema;
    std::string_view meaning;
    bool is_always_there;
};

constexpr Header cache_control = {"Cache-Control", R"({"const":"no-store"})", "Nothing is kept.",
                                  true};
constexpr Header content_type_options = {"X-Content-Type-Options", R"({"const":"nosniff"})",
                                         "Browsers guess no other type.", true};
constexpr Header etag = {"ETag", R"({"type":"string","pattern":"^\"[-.0-9A-Za-z]+\"$"})",
                         "Another one whenever the user has changed; for If-Match.", true};
constexpr Header link = {"Link", R"({"type":"string"})",
                         "Where the first, prev, next and last page are (RFC 8288). Absent where "
                         "the query is very long.",
                         false};
constexpr Header total_count = {"X-Total-Count", R"({"type":"integer","minimum":0})",
                                "How many users there are on all pages.", true};
constexpr Header retry_after = {"Retry-After", R"({"type":"integer","minimum":1})",
                                "After how many seconds another attempt may find things better.",
                                true};
constexpr Header authenticate = {"WWW-Authenticate", R"({"type":"string"})",
                                 "What a session may be known by.", false};
constexpr Header vary = {"Vary", R"({"type":"string"})", "What the reply depends on.", true};
constexpr Header cors_headers[] = {
    vary,
    {"Access-Control-Allow-Origin", R"({"type":"string"})",
     "For pages of a trusted origin: that origin.", false},
    {"Access-Control-Allow-Credentials", R"({"const":"true"})",
     "For pages of a trusted origin: they may send cookies.", false},
    {"Access-Control-Expose-Headers", R"({"type":"string"})",
     "For pages of a trusted origin: what they may read.", false},
};
constexpr Header preflight_headers[] = {
    {"Access-Control-Allow-Methods", R"({"type":"string"})",
     "For pages of a trusted origin: the methods that there are.", false},
    {"Access-Control-Allow-Headers", R"({"type":"string"})",
     "For pages of a trusted origin: what they may send.", false},
    {"Access-Control-Max-Age", R"({"type":"integer","minimum":0})",
     "For pages of a trusted origin: how many seconds this may be kept.", false},
};

std::string_view status_description(int status) noexcept {
    switch (status) {
    case 200:
        return "It is done.";
    case 204:
        return "The methods that there are.";
    case 400:
        return "The request is not right.";
    case 401:
        return "There is no session.";
    case 403:
        return "The caller may not do that.";
    case 404:
        return "There is no such user.";
    case 405:
        return "There is no such method here.";
    case 408:
        return "The body took too long to arrive.";
    case 409:
        return "It would leave nobody who may do everything.";
    case 412:
        return "The user is not the one that If-Match names any more.";
    case 413:
        return "The body is too large.";
    case 503:
        return "No database connection, or no turn to hash a password, came free in time.";
    default:
        return "It failed; the server's log says why.";
    }
}

/// Replies that are the same for all operations that have them.
struct SharedRefusal {
    int status;
    std::string_view text;
    std::string_view name;
};
constexpr SharedRefusal shared_refusals[] = {
    {400, texts::bad_request, "BadRequest"},  {401, texts::no_session, "NoSession"},
    {404, texts::not_found, "NotFound"},      {408, texts::request_timed_out, "TimedOut"},
    {412, texts::user_changed, "Changed"},    {413, texts::body_too_large, "TooLarge"},
    {503, texts::unavailable, "Unavailable"},
};

/// How a resource's path is written, and what its OPTIONS is called.
struct Place {
    std::string_view path;
    std::string_view options;
};
Place place_of(Resource resource) noexcept {
    switch (resource) {
    case Resource::users:
        return {"/", "usersOptions"};
    case Resource::sessions:
        return {"/{id}/sessions", "sessionsOptions"};
    case Resource::session:
        return {"/{id}/sessions/{sessionId}", "sessionOptions"};
    case Resource::password:
        return {"/{id}/password", "passwordOptions"};
    case Resource::ban:
        return {"/{id}/ban", "banOptions"};
    case Resource::user:
    case Resource::none:
        break;
    }
    return {"/{id}", "userOptions"};
}

/// The resources, in the order in which the operations have them.
std::vector<Resource> resources(bool has_extras) {
    std::vector<Resource> all;
    for (const Operation& operation : operations())
        if ((has_extras || !requires_extras(operation.resource)) &&
            std::find(all.begin(), all.end(), operation.resource) == all.end())
            all.push_back(operation.resource);
    return all;
}

bool has_id(Resource resource) noexcept {
    return resource != Resource::users;
}

class Document {
  public:
    explicit Document(const DocumentSettings& surroundings)
        : surroundings_(surroundings), settings_(surroundings.settings) {}

    std::string make() && {
        writer_.begin_object().key("openapi").string("3.1.0");
        write_info();
        write_servers();
        write_security();
        writer_.key("paths").begin_object();
        for (const Resource resource : resources(settings_.has_extras))
            write_path(resource);
        write_other_paths();
        writer_.end_object();
        write_components();
        writer_.end_object();
        return std::move(text_);
    }

  private:
    bool holds(Condition condition) const noexcept {
        return condition == Condition::none || settings_.guards.last_super_admin;
    }

    void write_info() {
        writer_.key("info").begin_object().key("title").string("User administration");
        writer_.key("version").string(USERADMIN_VERSION);
        writer_.key("summary").string("The users of an application, for its administrators");
        std::string text =
            "A caller has the role user, admin or superAdmin. Every reply is a JSON object whose "
            "member success tells whether the request was granted; of a refusal, error says why.";
        if (settings_.guards.rank)
            text += " An admin changes users of the role user alone.";
        if (settings_.guards.last_super_admin)
            text += " One superAdmin who is not banned stays.";
        if (settings_.ends_sessions)
            text += " A ban, another role and another address end the user's sessions.";
        if (settings_.lowers_email)
            text += " Addresses are stored in lower case.";
        if (!settings_.trusted_origins.empty()) {
            text += " Pages of these origins may call it, too:";
            for (const std::string_view origin : settings_.trusted_origins)
                text.append(" ").append(origin);
            text += '.';
        }
        writer_.key("description").string(text);
        writer_.key("license").begin_object().key("name").string("Apache License 2.0");
        writer_.key("identifier").string("Apache-2.0").end_object().end_object();
    }

    void write_servers() {
        std::string url;
        text::append_percent_encoded(url, surroundings_.base, "/!$&'()*+,;=:@");
        writer_.key("servers").begin_array().begin_object();
        writer_.key("url").string(url.empty() ? "/" : url);
        writer_.key("description").string("The base address").end_object().end_array();
    }

    void write_security() {
        writer_.key("security").begin_array();
        if (const auto& carriers = surroundings_.carriers) {
            writer_.begin_object().key("cookie").begin_array().end_array().end_object();
            if (carriers->bearer)
                writer_.begin_object().key("bearer").begin_array().end_array().end_object();
        }
        writer_.end_array();
    }

    // --- Operations ---

    void write_path(Resource resource) {
        writer_.key(place_of(resource).path).begin_object();
        if (resource == Resource::session)
            writer_.key("parameters")
                .raw(R"([{"$ref":"#/components/parameters/id"},)"
                     R"({"$ref":"#/components/parameters/sessionId"}])");
        else if (has_id(resource))
            writer_.key("parameters").raw(R"([{"$ref":"#/components/parameters/id"}])");
        for (const Operation& operation : operations())
            if (operation.resource == resource) {
                write_operation(operation, operation.method);
                if (operation.method == "GET")
                    write_operation(operation, "HEAD");
            }
        write_options(resource);
        // What another method gets. OpenAPI has no place for it.
        writer_.key("x-other-methods").begin_object();
        writer_.key("405").begin_object().key("description").string(status_description(405));
        writer_.key("headers").begin_object();
        write_headers({});
        write_allow(resource);
        writer_.end_object();
        write_error_content({texts::method_not_allowed});
        writer_.end_object().end_object().end_object();
    }

    void write_operation(const Operation& operation, std::string_view method) {
        const Description& description = operation.description;
        const bool has_content = method != "HEAD";
        writer_.key(text::lower(method)).begin_object();
        writer_.key("operationId")
            .string(std::string(operation.name) + (has_content ? "" : "Head"));
        writer_.key("summary").string(std::string(description.summary) +
                                      (has_content ? "" : ", without the body"));
        writer_.key("description").string(description.text);
        write_parameters(description);
        if (!description.body.empty())
            write_request_body(description);
        writer_.key("responses").begin_object();
        writer_.key("200").begin_object().key("description").string(status_description(200));
        writer_.key("headers").begin_object();
        write_headers(headers_of(description.content));
        writer_.end_object();
        if (has_content)
            write_content(description);
        writer_.end_object();
        for (const auto& [status, texts] : refusals_of(operation))
            write_refusal(status, texts, has_content);
        // HTTP's own errors that no operation knows of: 411, 414, 415, 417, 429, 431; 501, 505.
        write_range("4XX", texts::bad_request, "httpd does not take such a request.", has_content);
        write_range("5XX", operation.failure_text, "httpd does not do such a thing.", has_content);
        writer_.end_object().end_object();
    }

    void write_parameters(const Description& description) {
        if (description.parameters.empty() && !description.supports_if_match)
            return;
        writer_.key("parameters").begin_array();
        for (const Parameter& parameter : description.parameters) {
            writer_.begin_object().key("name").string(parameter.name);
            writer_.key("in").string("query");
            writer_.key("description").string(parameter.meaning);
            write_parameter_schema(parameter);
            if (!parameter.example.empty())
                writer_.key("example").string(parameter.example);
            writer_.end_object();
        }
        if (description.supports_if_match)
            writer_.raw(R"({"$ref":"#/components/parameters/ifMatch"})");
        writer_.end_array();
    }

    void write_parameter_schema(const Parameter& parameter) {
        writer_.key("schema").begin_object();
        switch (parameter.type) {
        case Type::text:
            writer_.key("type").string("string");
            break;
        case Type::page_number:
            write_whole_number(1, std::numeric_limits<std::int32_t>::max());
            writer_.key("default").integer(1);
            break;
        case Type::page_size:
            write_whole_number(1, settings_.max_limit);
            writer_.key("default").integer(std::min<std::int64_t>(20, settings_.max_limit));
            break;
        case Type::boolean:
            writer_.key("type").string("boolean");
            break;
        case Type::time:
            writer_.key("type").string("string").key("examples");
            writer_.raw(R"(["2026-11-20T23:30:19.717Z","2026-11-20"])");
            break;
        }
        if (!parameter.words.empty())
            write_texts("enum", parameter.words);
        writer_.end_object();
    }

    void write_whole_number(std::int64_t least, std::int64_t most) {
        writer_.key("type").string("integer");
        writer_.key("minimum").integer(least).key("maximum").integer(most);
    }

    void write_texts(std::string_view key, std::span<const std::string_view> texts) {
        writer_.key(key).begin_array();
        for (const std::string_view text : texts)
            writer_.string(text);
        writer_.end_array();
    }

    void write_request_body(const Description& description) {
        writer_.key("requestBody")
            .begin_object()
            .key("required")
            .boolean(!description.is_body_optional);
        writer_.key("description")
            .string("At most " + std::to_string(surroundings_.max_body) + " bytes.");
        begin_json();
        writer_.begin_object().key("type").string("object").key("properties").begin_object();
        std::vector<std::string_view> required;
        for (const Member& member : description.body) {
            writer_.key(member.name).begin_object();
            const std::string type =
                std::string("\"") + (member.type == Type::boolean ? "boolean" : "string") + '"';
            writer_.key("type").raw(member.may_be_null ? "[" + type + ",\"null\"]" : type);
            if (member.is_required) {
                required.push_back(member.name);
                writer_.key("minLength").integer(1);
            }
            writer_.key("description").string(member.meaning).end_object();
        }
        writer_.end_object();
        if (!required.empty())
            write_texts("required", required);
        writer_.end_object().key("example").raw(description.body_example);
        end_json();
        writer_.end_object();
    }

    /// What the value of application/json is comes between.
    void begin_json() {
        writer_.key("content").begin_object().key("application/json").begin_object();
        writer_.key("schema");
    }
    void end_json() { writer_.end_object().end_object(); }

    static std::vector<Header> headers_of(Content content) {
        switch (content) {
        case Content::users:
            return {total_count, link};
        case Content::user:
        case Content::full_user:
            return {etag};
        case Content::sessions:
        case Content::confirmation:
            break;
        }
        return {};
    }

    void write_content(const Description& description) {
        begin_json();
        switch (description.content) {
        case Content::users:
            begin_success();
            write_list_of("User");
            writer_.key("pagination").raw(R"({"$ref":"#/components/schemas/Pagination"})");
            end_success({"data", "pagination"});
            writer_.key("example").raw(
                R"({"success":true,"data":[{)" + std::string(example_user) +
                R"(}],"pagination":{"page":1,"limit":1,"total":1,"totalPages":1}})");
            break;
        case Content::user:
            begin_success();
            writer_.key("data").raw(R"({"$ref":"#/components/schemas/User"})");
            end_success({"data"});
            writer_.key("example").raw(R"({"success":true,"data":{)" + std::string(example_user) +
                                       "}}");
            break;
        case Content::full_user:
            begin_success();
            writer_.key("data").raw(R"({"$ref":"#/components/schemas/FullUser"})");
            end_success({"data"});
            write_full_example();
            break;
        case Content::sessions:
            begin_success();
            write_list_of("Session");
            end_success({"data"});
            writer_.key("example").raw(
                R"({"success":true,"data":[{"id":"e2f5ad0c-0d0f-4f7f-9a0e-3f8a2b1f5c11",)"
                R"("createdAt":"2026-11-21T01:14:19.892Z","updatedAt":"2026-11-21T01:14:19.892Z",)"
                R"("expiresAt":"2026-11-28T01:14:19.892Z","ipAddress":"192.0.2.17",)"
                R"("userAgent":"Mozilla/5.0"}]})");
            break;
        case Content::confirmation:
            begin_success();
            writer_.key("message").begin_object().key("const").string(description.confirmation);
            writer_.end_object();
            end_success({"message"});
            writer_.key("example").begin_object().key("success").boolean(true);
            writer_.key("message").string(description.confirmation).end_object();
            break;
        }
        end_json();
    }

    /// The data of a success that are at most so many as a page has.
    void write_list_of(std::string_view schema) {
        writer_.key("data").raw(R"({"type":"array","items":{"$ref":"#/components/schemas/)" +
                                std::string(schema) + R"("},"maxItems":)" +
                                std::to_string(settings_.max_limit) + "}");
    }

    void write_full_example() {
        std::string example(example_user);
        for (const store::ExtraColumn& column : surroundings_.columns) {
            example += ',';
            Writer(example).escaped_key(column.name).null();
        }
        writer_.key("example").raw(R"({"success":true,"data":{)" + example + "}}");
    }

    void begin_success() {
        writer_.begin_object().key("type").string("object").key("properties").begin_object();
        writer_.key("success").raw(R"({"const":true})");
    }
    void end_success(std::vector<std::string_view> names) {
        names.insert(names.begin(), "success");
        writer_.end_object();
        write_texts("required", names);
        writer_.key("additionalProperties").boolean(false).end_object();
    }

    // --- Errors ---

    /// The texts of each status that the operation may answer.
    std::map<int, Texts> refusals_of(const Operation& operation) const {
        std::map<int, Texts> all;
        const auto add = [&](int status, std::string_view text) {
            Texts& of_status = all[status];
            if (std::find(of_status.begin(), of_status.end(), text) == of_status.end())
                of_status.push_back(text);
        };
        const Description& description = operation.description;
        for (const Refusal& refusal : description.refusals)
            if (holds(refusal.condition))
                add(refusal.status, refusal.text);
        add(400, texts::bad_request);
        add(401, texts::no_session);
        // Where a Require of httpd's turns the caller away.
        add(403, texts::get_forbidden);
        if (operation.changes_something)
            add(403, texts::origin_not_allowed);
        if (has_id(operation.resource))
            add(404, texts::not_found);
        add(408, texts::request_timed_out);
        if (description.supports_if_match)
            add(412, texts::user_changed);
        add(413, texts::body_too_large);
        add(500, operation.failure_text);
        add(503, texts::unavailable);
        return all;
    }

    static std::vector<Header> headers_of(int status) {
        return status == 401   ? std::vector{authenticate}
               : status == 503 ? std::vector{retry_after}
                               : std::vector<Header>();
    }

    /// The name of a reply that is the same everywhere; empty for others.
    static std::string_view shared_name(int status, const Texts& texts) {
        for (const auto& [shared, text, name] : shared_refusals)
            if (status == shared && texts == Texts{text})
                return name;
        return {};
    }

    /// Where nothing has content, as with HEAD, nothing is shared.
    void write_refusal(int status, const Texts& texts, bool has_content) {
        const std::string_view name = has_content ? shared_name(status, texts) : "";
        writer_.key(std::to_string(status));
        if (!name.empty()) {
            writer_.begin_object().key("$ref");
            writer_.string("#/components/responses/" + std::string(name)).end_object();
            return;
        }
        write_error(status_description(status), headers_of(status), texts, has_content);
    }

    void write_range(std::string_view range, std::string_view text, std::string_view meaning,
                     bool has_content) {
        writer_.key(range);
        write_error(meaning, {}, {text}, has_content);
    }

    void write_error(std::string_view meaning, const std::vector<Header>& headers,
                     const Texts& texts, bool has_content) {
        writer_.begin_object().key("description").string(meaning).key("headers").begin_object();
        write_headers(headers);
        writer_.end_object();
        if (has_content)
            write_error_content(texts);
        writer_.end_object();
    }

    void write_error_content(const Texts& texts) {
        begin_json();
        writer_.begin_object().key("type").string("object").key("properties").begin_object();
        writer_.key("success").raw(R"({"const":false})").key("error").begin_object();
        writer_.key("type").string("string");
        write_texts("enum", texts);
        writer_.end_object().end_object().key("required").raw(R"(["success","error"])");
        writer_.key("additionalProperties").boolean(false).end_object();
        writer_.key("example").begin_object().key("success").boolean(false);
        writer_.key("error").string(texts.front()).end_object();
        end_json();
    }

    // --- What is no operation ---

    void write_options(Resource resource) {
        writer_.key("options").begin_object();
        writer_.key("operationId").string(place_of(resource).options);
        writer_.key("summary").string("The methods that there are");
        writer_.key("responses").begin_object().key("204").begin_object();
        writer_.key("description").string(status_description(204)).key("headers").begin_object();
        write_headers({});
        write_allow(resource);
        if (!settings_.trusted_origins.empty())
            for (const Header& header : preflight_headers)
                write_header(header);
        writer_.end_object().end_object();
        write_refusal(400, {texts::bad_request}, true);
        write_refusal(401, {texts::no_session}, true);
        write_refusal(403, {texts::get_forbidden}, true);
        writer_.end_object().end_object();
    }

    /// What a path that stands for nothing gets.
    void write_other_paths() {
        writer_.key("x-other-paths").begin_object();
        write_refusal(400, {texts::bad_request}, true);
        write_refusal(401, {texts::no_session}, true);
        write_refusal(403, {texts::get_forbidden, texts::origin_not_allowed}, true);
        write_refusal(404, {texts::not_found}, true);
        writer_.end_object();
    }

    // --- Parts that several use ---

    /// The members of headers: those of every reply, and a reply's own.
    void write_headers(const std::vector<Header>& own) {
        write_header(cache_control);
        write_header(content_type_options);
        for (const Header& header : own)
            write_header(header);
        if (!settings_.trusted_origins.empty())
            for (const Header& header : cors_headers)
                write_header(header);
    }

    void write_header(const Header& header) {
        writer_.key(header.name).begin_object().key("$ref");
        writer_.string("#/components/headers/" + std::string(header.name)).end_object();
    }

    void write_allow(Resource resource) {
        writer_.key("Allow").begin_object();
        writer_.key("description").string(status_description(204)).key("required").boolean(true);
        writer_.key("schema").begin_object().key("const").string(methods_of(resource));
        writer_.end_object().end_object();
    }

    void write_header_component(const Header& header) {
        writer_.key(header.name).begin_object();
        writer_.key("description").string(header.meaning);
        if (header.is_always_there)
            writer_.key("required").boolean(true);
        writer_.key("schema").raw(header.schema).end_object();
    }

    void write_components() {
        writer_.key("components").begin_object();
        write_security_schemes();
        writer_.key("parameters").begin_object();
        writer_.key("id").raw(R"({"name":"id","in":"path","required":true,)"
                              R"("description":"The user's id.",)"
                              R"("schema":{"type":"string","minLength":1},)"
                              R"("example":"a3fd0f65-86c7-49df-a047-85608e0fa45d"})");
        if (settings_.has_extras)
            writer_.key("sessionId")
                .raw(R"({"name":"sessionId","in":"path","required":true,)"
                     R"("description":"The session's id.",)"
                     R"("schema":{"type":"string","minLength":1},)"
                     R"("example":"e2f5ad0c-0d0f-4f7f-9a0e-3f8a2b1f5c11"})");
        writer_.key("ifMatch").raw(
            R"({"name":"If-Match","in":"header","description":"The ETag of the user that is )"
            R"(meant, or several of them. Where the user has changed since, nothing is done.",)"
            R"("schema":{"type":"string"},"example":"\"812-0.14\""})");
        writer_.end_object().key("headers").begin_object();
        for (const Header& header : {cache_control, content_type_options, etag, total_count, link,
                                     retry_after, authenticate})
            write_header_component(header);
        if (!settings_.trusted_origins.empty()) {
            for (const Header& header : cors_headers)
                write_header_component(header);
            for (const Header& header : preflight_headers)
                write_header_component(header);
        }
        writer_.end_object().key("responses").begin_object();
        for (const auto& [status, text, name] : shared_refusals) {
            writer_.key(name);
            write_error(status_description(status), headers_of(status), {text}, true);
        }
        writer_.end_object().key("schemas").begin_object();
        write_user_schema("User", "A user.", {});
        write_user_schema("FullUser", "A user, with the columns that the table has beside.",
                          surroundings_.columns);
        write_pagination_schema();
        if (settings_.has_extras)
            write_session_schema();
        writer_.end_object().end_object();
    }

    void write_security_schemes() {
        const auto& carriers = surroundings_.carriers;
        if (!carriers)
            return;
        writer_.key("securitySchemes").begin_object();
        writer_.key("cookie").begin_object().key("type").string("apiKey");
        writer_.key("in").string("cookie").key("name").string(carriers->cookie);
        writer_.key("description")
            .string("The cookie of the application's session; also with the prefix __Secure- or "
                    "__Host-, unless the name has one.")
            .end_object();
        if (carriers->bearer) {
            writer_.key("bearer").begin_object().key("type").string("http");
            writer_.key("scheme").string("bearer");
            writer_.key("description").string("The token of a session.").end_object();
        }
        writer_.end_object();
    }

    void write_user_schema(std::string_view name, std::string_view meaning,
                           std::span<const store::ExtraColumn> further) {
        writer_.key(name).begin_object().key("type").string("object");
        writer_.key("description").string(meaning).key("properties").begin_object();
        for (const model::Field<model::User>& field : model::user_fields)
            writer_.key(field.name).raw(schema_of(field));
        for (const store::ExtraColumn& column : further)
            writer_.escaped_key(column.name).raw(schema_of(column.kind));
        writer_.end_object().key("required").begin_array();
        for (const model::Field<model::User>& field : model::user_fields)
            writer_.string(field.name);
        for (const store::ExtraColumn& column : further)
            writer_.string(column.name);
        writer_.end_array().key("additionalProperties").boolean(false).end_object();
    }

    static std::string schema_of(const model::Field<model::User>& field) {
        const auto schema = [&](auto member) -> std::string {
            using Value = std::decay_t<decltype(std::declval<model::User>().*member)>;
            if constexpr (std::is_same_v<Value, bool>)
                return R"({"type":"boolean"})";
            else if constexpr (std::is_same_v<Value, model::NullableTime>)
                return nullable_time();
            else if constexpr (std::is_same_v<Value, model::NullableText>)
                return field.null_substitute.empty() ? std::string(nullable_text)
                                                     : R"({"type":"string"})";
            else
                return R"({"type":"string"})";
        };
        return std::visit(schema, field.member);
    }

    static std::string schema_of(store::ExtraColumn::Kind kind) {
        using Kind = store::ExtraColumn::Kind;
        switch (kind) {
        case Kind::text:
            return std::string(nullable_text);
        case Kind::integer:
            return R"({"type":["integer","null"]})";
        case Kind::boolean:
            return R"({"type":["boolean","null"]})";
        case Kind::time:
            return nullable_time();
        case Kind::any:
            break;
        }
        return "{}";
    }

    void write_session_schema() {
        constexpr std::string_view times[] = {"createdAt", "updatedAt", "expiresAt"};
        constexpr std::string_view texts[] = {"ipAddress", "userAgent"};
        std::vector<std::string_view> names = {"id"};
        writer_.key("Session").begin_object().key("type").string("object");
        writer_.key("properties").begin_object().key("id").raw(R"({"type":"string"})");
        for (const std::string_view name : times) {
            writer_.key(name).raw(nullable_time());
            names.push_back(name);
        }
        for (const std::string_view name : texts) {
            writer_.key(name).raw(nullable_text);
            names.push_back(name);
        }
        writer_.end_object();
        write_texts("required", names);
        writer_.key("additionalProperties").boolean(false).end_object();
    }

    void write_pagination_schema() {
        writer_.key("Pagination").begin_object().key("type").string("object");
        writer_.key("properties").begin_object();
        const auto number = [&](std::string_view name, std::int64_t least, std::int64_t most) {
            writer_.key(name).begin_object();
            write_whole_number(least, most);
            writer_.end_object();
        };
        constexpr std::int64_t most = std::int64_t{1} << 53;
        number("page", 1, std::numeric_limits<std::int32_t>::max());
        number("limit", 1, settings_.max_limit);
        number("total", 0, most);
        number("totalPages", 0, most);
        writer_.end_object();
        write_texts("required",
                    std::vector<std::string_view>{"page", "limit", "total", "totalPages"});
        writer_.key("additionalProperties").boolean(false).end_object();
    }

    const DocumentSettings& surroundings_;
    const OperationSettings& settings_;
    std::string text_;
    Writer writer_{text_};
};

} // namespace

std::string openapi_document(const DocumentSettings& document_settings) {
    return Document(document_settings).make();
}

} // namespace useradmin::api
