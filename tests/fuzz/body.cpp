// The body of a request: a JSON object that creates or changes a user.
#include "scene.hpp"

#include "json/writer.hpp"

namespace useradmin::fuzz {

namespace {

using json::Object;
using Kind = Object::Kind;

constexpr std::string_view members[] = {"name", "email", "password", "role", "banned", "banReason"};

/// Checks text against the grammar of RFC 8259 and the limits of json::Object: only objects, at
/// most 64 levels, and no U+0000 or unpaired surrogate.
class Grammar {
  public:
    explicit Grammar(std::string_view text) noexcept : rest_(text) {}

    bool is_object() {
        skip_space();
        const bool is_right = rest_.starts_with('{') && value(1);
        skip_space();
        return is_right && rest_.empty();
    }

  private:
    void skip_space() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n\r"), rest_.size()));
    }
    bool take(std::string_view expected) {
        if (!rest_.starts_with(expected))
            return false;
        rest_.remove_prefix(expected.size());
        return true;
    }
    bool digits() {
        const std::size_t count = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
        rest_.remove_prefix(count);
        return count > 0;
    }
    bool number() {
        take("-");
        if (!take("0") && !digits())
            return false;
        if (take(".") && !digits())
            return false;
        if (take("e") || take("E")) {
            static_cast<void>(take("+") || take("-"));
            return digits();
        }
        return true;
    }
    /// Returns the code unit after "\u", or 0 if there is none.
    unsigned code_unit() {
        if (rest_.size() < 4 ||
            rest_.substr(0, 4).find_first_not_of("0123456789abcdefABCDEF") != rest_.npos)
            return 0;
        const auto unit = std::stoul(std::string(rest_.substr(0, 4)), nullptr, 16);
        rest_.remove_prefix(4);
        return static_cast<unsigned>(unit);
    }
    bool escape() {
        if (!take("u"))
            return !rest_.empty() && std::string_view("\"\\/bfnrt").find(rest_[0]) != rest_.npos &&
                   take(rest_.substr(0, 1));
        const unsigned unit = code_unit();
        if (unit < 0xd800 || unit > 0xdfff)
            return unit != 0;
        if (unit > 0xdbff || !take("\\u"))
            return false;
        const unsigned second = code_unit();
        return second >= 0xdc00 && second <= 0xdfff;
    }
    bool string() {
        if (!take("\""))
            return false;
        while (!rest_.empty() && static_cast<unsigned char>(rest_[0]) >= 0x20) {
            if (take("\""))
                return true;
            if (!take("\\"))
                rest_.remove_prefix(1);
            else if (!escape())
                return false;
        }
        return false;
    }
    /// Parses items separated by commas, up to the closing bracket.
    template <class Item>
    bool items(std::string_view end, const Item& item) {
        skip_space();
        if (take(end))
            return true;
        do {
            if (!item())
                return false;
            skip_space();
        } while (take(","));
        return take(end);
    }
    bool value(int depth) {
        constexpr int deepest = 64;
        skip_space();
        if (take("{"))
            return depth <= deepest && items("}", [&] {
                       skip_space();
                       if (!string())
                           return false;
                       skip_space();
                       return take(":") && value(depth + 1);
                   });
        if (take("["))
            return depth <= deepest && items("]", [&] { return value(depth + 1); });
        if (rest_.starts_with('"'))
            return string();
        return take("true") || take("false") || take("null") || number();
    }

    std::string_view rest_;
};

/// Serializes an object with the same members.
std::string serialize(const Object& object) {
    std::string text;
    json::Writer writer(text);
    writer.begin_object();
    for (const std::string_view name : members) {
        const Kind kind = object.kind(name);
        if (kind == Kind::absent)
            continue;
        writer.key(name);
        if (kind == Kind::string)
            writer.string(object.text(name));
        else if (kind == Kind::boolean)
            writer.boolean(object.boolean(name));
        else if (kind == Kind::number)
            writer.integer(0);
        else if (kind == Kind::null)
            writer.null();
        else if (kind == Kind::array)
            writer.begin_array().end_array();
        else
            writer.begin_object().end_object();
    }
    writer.end_object();
    return text;
}

void require_same(const Object& object, const Object& again) {
    for (const std::string_view name : members)
        require(object.kind(name) == again.kind(name) && object.text(name) == again.text(name) &&
                    object.boolean(name) == again.boolean(name),
                "an object that is formatted and parsed is the same");
}

/// Checks that a "name" appended to the object overrides an earlier one and leaves the other
/// members unchanged.
void check_appended_name(std::string_view text, const Object& object) {
    std::string longer(text.substr(0, text.rfind('}')));
    longer += longer.find_last_not_of(" \t\r\n") == longer.find('{') ? "" : ",";
    const auto again = Object::parse(longer + R"("name":"the last one"})");
    require(again.has_value() && again->text("name") == "the last one",
            "the last of several equal keys is used");
    require(again->text("email") == object.text("email"), "the other members are unchanged");
}

void require_text(std::string_view text) {
    require(!text.empty() && text::is_clean_utf8(text), "only valid UTF-8 is stored");
}

void check_create(std::string_view text, const std::optional<Object>& object, api::Role role) {
    Scene scene(role);
    const http::Response response = scene.send("POST", "", "", text);
    require_envelope(response, {200, 400, 403, 500});
    if (!object)
        require(response.status == 500, "an invalid body is 500");
    if (response.status != 200)
        return;
    const store::NewUser& user = scene.store.created.value();
    for (const std::string_view stored : {user.name, user.email, user.role})
        require_text(stored);
    require(user.name == object->text("name") && user.email == object->text("email") &&
                scene.hasher.password == object->text("password"),
            "the stored value is the value sent");
    require(user.password_hash == test::FakeHasher::result, "the password is stored as a hash");
    require(role == api::Role::super_admin || user.role == "user",
            "an admin creates only users with the user role");
}

void check_update(std::string_view text, const std::optional<Object>& object, api::Role role) {
    Scene scene(role);
    const http::Response response = scene.send("PUT", "/another", "", text);
    require_envelope(response, {200, 403, 500});
    if (!object)
        require(response.status == 500, "an invalid body is 500");
    if (response.status != 200)
        return;
    bool is_dated = false;
    for (const store::Change& change : scene.store.changes.value()) {
        is_dated = is_dated || change.field == "updatedAt";
        if (const auto* const stored = std::get_if<std::string_view>(&change.value)) {
            require_text(*stored);
            require(*stored == object->text(change.field), "the stored value is the value sent");
        }
        require(role == api::Role::super_admin || change.field == "updatedAt" ||
                    change.field == "name" || change.field == "email",
                "an admin changes only names and addresses");
    }
    require(is_dated, "every change sets updatedAt");
}

void check_ban(std::string_view text, const std::optional<Object>& object) {
    Scene scene(api::Role::super_admin);
    scene.settings.has_extras = true;
    const http::Response response = scene.send("PUT", "/another/ban", "", text);
    require_envelope(response, {200, 400});
    if (!object)
        require(response.status == (text.empty() ? 200 : 400), "an invalid body is 400");
    if (response.status != 200)
        return;
    for (const store::Change& change : scene.store.changes.value()) {
        if (const auto* const stored = std::get_if<std::string_view>(&change.value)) {
            require_text(*stored);
            require(*stored == object->text("reason"), "the stored value is the value sent");
        }
        if (const auto* const time = std::get_if<text::Timestamp>(&change.value))
            require(change.field == "updatedAt" || *time > text::now(), "a ban ends in the future");
    }
}

void check_password(std::string_view text, const std::optional<Object>& object) {
    Scene scene(api::Role::super_admin);
    scene.settings.has_extras = true;
    const http::Response response = scene.send("PUT", "/another/password", "", text);
    require_envelope(response, {200, 400});
    if (response.status != 200)
        return;
    const std::size_t length = text::utf16_length(object->text("password"));
    require(length >= 8 && length <= 128, "a password has from 8 to 128 characters");
    require(scene.hasher.password == object->text("password"),
            "the hashed password is the password sent");
}

} // namespace

void fuzz_body(std::string_view text) {
    const auto object = Object::parse(text);
    require(object.has_value() == (text::is_clean_utf8(text) && Grammar(text).is_object()),
            "exactly the JSON objects are parsed");
    if (object) {
        const auto again = Object::parse(serialize(*object));
        require(again.has_value(), "the output is JSON");
        require_same(*object, *again);
        check_appended_name(text, *object);
    }
    const auto body = Object::parse(text::without_byte_order_mark(text));
    for (const api::Role role : {api::Role::admin, api::Role::super_admin}) {
        check_create(text, body, role);
        check_update(text, body, role);
    }
    check_ban(text, body);
    check_password(text, body);
}

} // namespace useradmin::fuzz
