#include "audit/chain.hpp"

#include "crypto/random.hpp"
#include "crypto/sha256.hpp"
#include "text/hex.hpp"
#include "text/number.hpp"
#include "text/printable.hpp"
#include "text/unicode.hpp"
#include "json/writer.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace useradmin::audit {

namespace {

using json::Writer;

constexpr std::string_view number_key = ",\"number\":";
constexpr std::string_view previous_key = ",\"previous\":\"";
constexpr std::string_view hash_key = ",\"hash\":\"";
constexpr std::string_view host_key = ",\"host\":\"";
constexpr std::string_view instance_key = ",\"instance\":\"";
constexpr std::string_view time_key = "{\"time\":\"";
constexpr std::size_t time_size = std::string_view("2026-11-27T08:00:00.000Z").size();
constexpr std::string_view broken_key = ",\"broken\":\"";
constexpr std::string_view end_of_text = "\"";
constexpr std::string_view end_of_line = "\"}";
// Quotes in values are escaped, so no value contains this.
constexpr std::string_view unknown_result = ",\"result\":\"unknown\",";
constexpr std::size_t hash_size = 64;

std::string truncated(std::string_view text) {
    if (text.size() <= max_value_length)
        return std::string(text);
    return std::string(text::utf8_prefix(text, max_value_length)) + "…";
}

void write_text(Writer& writer, std::string_view key, std::string_view text) {
    writer.key(key);
    if (text.empty())
        writer.null();
    else
        writer.string(truncated(text));
}

void write_text_if_any(Writer& writer, std::string_view key, std::string_view text) {
    if (!text.empty())
        writer.key(key).string(truncated(text));
}

void write_texts_if_any(Writer& writer, std::string_view key,
                        const std::vector<std::string>& texts) {
    if (texts.empty())
        return;
    writer.key(key).begin_array();
    for (const std::string& text : texts)
        writer.string(truncated(text));
    writer.end_array();
}

void write_value(Writer& writer, const model::Value& value) {
    if (const auto* text = std::get_if<std::string_view>(&value))
        writer.string(truncated(*text));
    else if (const auto* boolean = std::get_if<bool>(&value))
        writer.boolean(*boolean);
    else if (const auto* time = std::get_if<text::Timestamp>(&value))
        writer.time_or_null(*time);
    else
        writer.null();
}

/// Writes the non-secret fields of a user. If another row is given, writes only the fields that
/// differ, without updatedAt, because the line has its own time.
void write_row(Writer& writer, std::string_view key, const model::User& row,
               const model::User* other) {
    writer.key(key).begin_object();
    for (const model::Field<model::User>& field : model::user_fields) {
        if (model::is_secret(field.name) || (other != nullptr && field.name == "updatedAt"))
            continue;
        const model::Value value = model::value_of(row, field);
        if (other == nullptr || value != model::value_of(*other, field))
            write_value(writer.key(field.name), value);
    }
    writer.end_object();
}

/// Removes a suffix. Returns false if the text does not end with it.
bool take_from_end(std::string_view& text, std::string_view end) {
    if (!text.ends_with(end))
        return false;
    text.remove_suffix(end.size());
    return true;
}

/// Removes the string member `key` from the end of `text`, a JSON object without its closing brace.
/// Returns its value, or std::nullopt if the object does not end with this member or the value is
/// not `count` lower-case hexadecimal digits.
std::optional<std::string_view> take_digits(std::string_view& text, std::string_view key,
                                            std::size_t count) {
    std::string_view rest = text;
    if (!take_from_end(rest, end_of_text) || rest.size() < count)
        return std::nullopt;
    const std::string_view digits = rest.substr(rest.size() - count);
    rest.remove_suffix(count);
    if (!take_from_end(rest, key) || !text::is_lower_hex(digits, count))
        return std::nullopt;
    text = rest;
    return digits;
}

std::optional<std::uint64_t> take_line_number(std::string_view& text) {
    const std::size_t key = text.rfind(number_key);
    if (key == text.npos)
        return std::nullopt;
    const auto number = text::parse_integer<std::uint64_t>(text.substr(key + number_key.size()), 1);
    if (number)
        text = text.substr(0, key);
    return number;
}

/// Removes the host and the instance, if present, from the end of `text`, a JSON object without its
/// closing brace, and stores them in `line`.
void take_origin_of_chain(std::string_view& text, ParsedLine& line) {
    std::string_view rest = text;
    const auto instance = take_digits(rest, instance_key, instance_size);
    if (!instance || !take_from_end(rest, end_of_text))
        return;
    const std::size_t key = rest.rfind(host_key);
    const std::string_view host =
        key != rest.npos ? rest.substr(key + host_key.size()) : std::string_view();
    if (host.empty() || host.find('"') != host.npos)
        return;
    line.host = host;
    line.instance = *instance;
    text = rest.substr(0, key);
}

/// Returns the host name, or "localhost" if it is unknown. Replaces characters other than letters,
/// digits, "-", "." and "_" with "_".
std::string host_name() {
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0')
        return "localhost";
    std::string host(name.data());
    constexpr std::string_view others = "-._";
    std::replace_if(
        host.begin(), host.end(),
        [&](char character) {
            return !text::is_alphanumeric(character) && others.find(character) == others.npos;
        },
        '_');
    return host;
}

/// Removes the chain members from the end of a line and parses them. Returns std::nullopt if they
/// are missing or malformed.
std::optional<ParsedLine> take_chain(std::string_view& text) {
    if (!take_from_end(text, "}"))
        return std::nullopt;
    const auto hash = take_digits(text, hash_key, hash_size);
    const auto previous = hash ? take_digits(text, previous_key, hash_size) : std::nullopt;
    const auto number = previous ? take_line_number(text) : std::nullopt;
    if (!number)
        return std::nullopt;
    ParsedLine read;
    read.position = {*number, std::string(*hash)};
    read.previous = *previous;
    take_origin_of_chain(text, read);
    return read;
}

} // namespace

std::string begin_line(const Event& event, const Origin& origin, text::Timestamp time,
                       std::uint64_t corrects) {
    std::string out;
    out.reserve(1024);
    Writer writer(out);
    writer.begin_object().key("time").time_or_null(time);
    write_text(writer, "server", origin.server);
    write_text(writer, "operation", event.operation);
    writer.key("result").string(text_of(event.result()));
    writer.key("status").integer(event.status);
    write_text_if_any(writer, "reason", event.reason);
    if (event.count > 1)
        writer.key("count").integer(static_cast<std::int64_t>(event.count));
    write_text(writer, "caller", event.caller);
    write_text(writer, "role", event.role);
    write_text_if_any(writer, "impersonatedBy", event.impersonated_by);
    write_text(writer, "address", origin.address);
    write_text(writer, "target", event.target);
    write_text_if_any(writer, "sentTo", event.sent_to);
    const model::User* const before = event.before ? &*event.before : nullptr;
    const model::User* const after = event.after ? &*event.after : nullptr;
    if (before != nullptr)
        write_row(writer, "old", *before, after);
    if (after != nullptr)
        write_row(writer, "new", *after, before);
    write_texts_if_any(writer, "columns", event.columns);
    write_text_if_any(writer, "request", origin.request_id);
    write_text_if_any(writer, "trace", origin.trace);
    if (corrects != 0)
        writer.key("corrects").integer(static_cast<std::int64_t>(corrects));
    // The log may be shown on a terminal, so escape control characters.
    return text::printable_json(out);
}

std::string target_member(std::string_view target) {
    std::string object;
    Writer writer(object);
    write_text(writer.begin_object(), "target", target);
    return "," + text::printable_json(object.substr(1));
}

std::string close_line(std::string open_object, ChainPosition& position) {
    std::string line = std::move(open_object);
    const std::uint64_t number = position.number + 1;
    line.append(number_key).append(std::to_string(number));
    line.append(previous_key).append(position.hash).append(end_of_text);
    position = {number, crypto::sha256_hex(line)};
    line.append(hash_key).append(position.hash).append(end_of_line).append("\n");
    return line;
}

std::optional<ParsedLine> parse_line(std::string_view line) {
    std::string_view rest = line;
    auto read = take_chain(rest);
    if (!read || !line.starts_with("{\""))
        return std::nullopt;
    const std::size_t own = hash_key.size() + hash_size + end_of_line.size();
    read->is_intact = crypto::sha256_hex(line.substr(0, line.size() - own)) == read->position.hash;
    read->is_outcome_unknown = rest.find(unknown_result) != rest.npos;
    if (line.starts_with(time_key))
        read->time = line.substr(time_key.size(), time_size);
    read->broken = take_digits(rest, broken_key, hash_size).value_or("");
    read->members = rest;
    return read;
}

std::optional<ParsedLine> last_line(std::string_view text) {
    return take_from_end(text, "\n") ? take_chain(text) : std::nullopt;
}

void append_broken_line(std::string& open_object, std::string_view partial_line) {
    open_object.append(broken_key).append(crypto::sha256_hex(partial_line)).append(end_of_text);
}

std::string new_instance() {
    std::string bytes(instance_size / 2, '\0');
    crypto::random_bytes({reinterpret_cast<unsigned char*>(bytes.data()), bytes.size()});
    return text::hex(bytes);
}

void append_origin_of_chain(std::string& open_object, std::string_view instance) {
    open_object.append(host_key).append(host_name()).append(end_of_text);
    open_object.append(instance_key).append(instance).append(end_of_text);
}

} // namespace useradmin::audit
