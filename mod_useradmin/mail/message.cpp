#include "mail/message.hpp"

#include "crypto/random.hpp"
#include "crypto/sha256.hpp"
#include "text/unicode.hpp"

#include <apr_time.h>

#include <algorithm>

namespace useradmin::mail {

namespace {

constexpr std::size_t max_address_length = 254; // RFC 5321, errata 1690

/// Returns whether the text is non-empty and consists of letters, digits and `others`.
bool consists_of(std::string_view text, std::string_view others) noexcept {
    return !text.empty() &&
           std::ranges::all_of(
               text,
               [&](char c) { return text::is_alphanumeric(c) || others.find(c) != others.npos; });
}

/// Appends a string to a header line. Encodes it (RFC 2047) unless it is short and consists of
/// letters, digits, spaces, "-" and "'".
void append_encoded(std::string& out, std::string_view text) {
    constexpr std::size_t max_plain_length = 60;
    // The encoded word then has 64 characters, and the line with "Subject: " has at most 76 (RFC
    // 2047, section 2).
    constexpr std::size_t max_word_size = 39;
    if (text.size() <= max_plain_length && consists_of(text, " -'") && text.front() != ' ' &&
        text.back() != ' ') {
        out += text;
        return;
    }
    while (!text.empty()) {
        const std::string_view word = text::utf8_prefix(text, max_word_size);
        out += "=?utf-8?B?" + crypto::base64_of(word) + "?=";
        text.remove_prefix(word.size());
        out += text.empty() ? "" : "\n ";
    }
}

/// Appends the time in UTC, in the format of RFC 5322, section 3.3.
void append_date(std::string& out, text::Timestamp now) {
    char text[APR_RFC822_DATE_LEN];
    apr_rfc822_date(text, apr_time_from_msec(now.time_since_epoch().count()));
    // RFC 5322 does not allow "GMT" in new messages.
    std::string_view date = text;
    date.remove_suffix(std::string_view("GMT").size());
    out.append(date).append("+0000");
}

/// Appends the text with CRLF line endings, encoded in base64, in lines of 76 characters.
void append_body(std::string& out, std::string_view text) {
    std::string lines;
    for (const char c : text)
        if (c != '\r') // from a template file with CRLF
            lines.append(c == '\n' ? "\r" : "").append(1, c);
    constexpr std::size_t bytes_of_line = 57;
    for (std::string_view rest = lines; !rest.empty();
         rest.remove_prefix(std::min(bytes_of_line, rest.size())))
        out += crypto::base64_of(rest.substr(0, bytes_of_line)) + "\n";
}

} // namespace

bool is_address(std::string_view text) noexcept {
    const std::size_t at = std::min(text.find('@'), text.size());
    return text.size() <= max_address_length && !text.starts_with('-') &&
           consists_of(text.substr(0, at), "!#$%&'*+-/=?^_`{|}~.") &&
           consists_of(text.substr(std::min(at + 1, text.size())), "-.");
}

std::string format(const Message& message) {
    std::string out = "From:";
    if (!message.from_name.empty())
        append_encoded(out += ' ', message.from_name);
    // A line with an encoded word has at most 76 characters (RFC 2047), so fold before the address.
    out.append(out.ends_with("?=") ? "\n <" : " <").append(message.from).append(">\nTo: <");
    out.append(message.to).append(">\nSubject: ");
    append_encoded(out, message.subject);
    append_date(out += "\nDate: ", message.now);
    out += "\nMessage-ID: <" + crypto::random_token();
    out.append(message.from.substr(message.from.find('@'))).append(">\n");
    out += "Auto-Submitted: auto-generated\n"
           "MIME-Version: 1.0\n"
           "Content-Type: text/plain; charset=utf-8\n"
           "Content-Transfer-Encoding: base64\n\n";
    append_body(out, message.text);
    return out;
}

} // namespace useradmin::mail
