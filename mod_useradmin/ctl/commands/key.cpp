#include "crypto/random.hpp"
#include "crypto/sha256.hpp"
#include "ctl/command.hpp"
#include "ctl/commands/user_lookup.hpp"
#include "ctl/display.hpp"
#include "ctl/duration.hpp"
#include "sign_in/identity.hpp"
#include "json/reader.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <optional>

namespace useradmin::ctl {

namespace {

// The columns of better-auth's API key plugin are 32-bit integers.
constexpr std::int64_t largest_number = std::numeric_limits<std::int32_t>::max();
// The number of characters of a key that the plugin stores for display.
constexpr std::size_t start_length = 6;

/// Returns the option's number as a string, or std::nullopt if the option is missing.
std::optional<std::string> number_text(const Options& options, std::string_view name) {
    if (!options.has(name))
        return std::nullopt;
    return std::to_string(options.number(name, largest_number, 0));
}

/// Returns the window of the rate limit in milliseconds, or std::nullopt if there is no limit.
std::optional<std::string> window_of(const Options& options) {
    if (!options.has("rate")) {
        if (options.has("per"))
            throw UsageError("--per requires --rate");
        return std::nullopt;
    }
    const auto window = parse_duration(options.find("per").value_or("1d"));
    if (!window || *window > std::chrono::milliseconds(largest_number))
        throw UsageError("--per must be a duration of at most 24d, such as 30m, 12h, 7d or 2w");
    return std::to_string(std::chrono::milliseconds(*window).count());
}

/// Returns the permissions as the plugin stores them, or std::nullopt if none are given. Throws
/// CommandError if they are invalid.
model::NullableText permissions_of(const Options& options) {
    const model::NullableText text = options.find("permissions");
    if (!text)
        return text;
    const auto object = json::Object::parse(*text);
    const auto keys = object ? object->keys() : std::vector<std::string_view>();
    if (!object || !std::ranges::all_of(
                       keys, [&](std::string_view key) { return object->texts(key).has_value(); }))
        throw UsageError(
            "--permissions must be a JSON object of arrays of strings: '{\"files\":[\"read\"]}'");
    return text;
}

/// Writes a key without its rate limit.
void write_key(json::Writer& writer, const model::ApiKey& key) {
    writer.begin_object().key("id").string(key.id);
    writer.key("name").string_or_null(key.name).key("start").string_or_null(key.start);
    writer.key("enabled").boolean(key.is_enabled()).key("expiresAt").time_or_null(key.expires_at);
    writer.key("remaining");
    if (key.remaining)
        writer.integer(to_integer(std::string(*key.remaining)));
    else
        writer.null();
    writer.key("lastRequest").time_or_null(key.last_request).end_object();
}

} // namespace

Exit create_key(Context& context) {
    const Options& options = context.options;
    const text::Timestamp now = text::now();
    const auto remaining = number_text(options, "remaining");
    const auto rate = number_text(options, "rate");
    const auto window = window_of(options);
    model::ApiKey key;
    key.name = options.require("name");
    if (const auto expires = options.find("expires"))
        key.expires_at = parse_expiry(*expires, now);
    key.permissions = permissions_of(options);
    const model::User user = find_user(context, options.arguments[0]);
    const std::string id = crypto::random_uuid();
    const std::string text = crypto::random_api_key();
    key.id = id;
    key.user_id = key.reference_id = user.id;
    key.config_id = "default";
    key.start = std::string_view(text).substr(0, start_length);
    key.enabled = "1";
    key.created_at = key.updated_at = now;
    key.remaining = remaining;
    key.rate_limit_enabled = rate ? "1" : "0";
    key.rate_limit_max = rate;
    key.rate_limit_time_window = window;
    key.request_count = "0";
    key.id = value_unless_deleted(
        context.database_store().create_api_key(key, crypto::sha256_base64url(text)));
    if (sign_in::is_banned(user, now))
        print_error(
            display(user) +
            " is banned: the key is rejected until the ban is lifted with 'useradminctl unban'");
    if (context.wants_json())
        print_data(
            [&](json::Writer& writer) { writer.key("id").string(key.id).key("key").string(text); });
    else
        std::puts(text.c_str());
    return Exit::success;
}

Exit list_keys(Context& context) {
    const model::User user = find_user(context, context.options.arguments[0]);
    const auto keys = value_of(context.database_store().list_api_keys(user.id));
    if (context.wants_json()) {
        print_list([&](json::Writer& writer) {
            for (const model::ApiKey& key : keys)
                write_key(writer, key);
        });
        return Exit::success;
    }
    const text::Timestamp now = text::now();
    TextTable listing = {{"ID"},
                         {"NAME", Width::truncated},
                         {"START", Width::truncated},
                         {"ENABLED"},
                         {"EXPIRES"},
                         {"REMAINING"},
                         {"LAST REQUEST"}};
    for (const model::ApiKey& key : keys) {
        const bool has_expired = key.expires_at && *key.expires_at < now;
        listing.add({std::string(key.id), std::string(key.name.value_or("-")),
                     std::string(key.start.value_or("-")), key.is_enabled() ? "yes" : "no",
                     display(key.expires_at) + (has_expired ? " (expired)" : ""),
                     std::string(key.remaining.value_or("-")), display(key.last_request)});
    }
    listing.print();
    print_line(count_of(keys.size(), "key", "keys"));
    return Exit::success;
}

Exit revoke_key(Context& context) {
    const auto revoked = context.database_store().delete_api_key(context.options.arguments[0]);
    if (revoked.is_not_found())
        throw CommandError(Exit::not_found,
                           "there is no API key with that id; see 'useradminctl key list'");
    value_of(revoked);
    if (context.wants_json())
        print_data([](json::Writer& writer) { writer.key("revoked").integer(1); });
    else
        print_line("the API key was deleted");
    return Exit::success;
}

} // namespace useradmin::ctl
