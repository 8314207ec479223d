#include "mail/templates.hpp"

#include "text/printable.hpp"
#include "text/split.hpp"
#include "text/unicode.hpp"

#include <algorithm>

namespace useradmin::mail {

namespace {

constexpr std::string_view kind_names[] = {"set-password", "invitation", "verify-email"};
constexpr http::Language languages[] = {http::Language::spanish, http::Language::english};
constexpr std::string_view placeholders[] = {"{name}", "{email}", "{link}", "{hours}"};
/// Longer names are truncated.
constexpr std::size_t max_name_size = 100;
/// The longest value is a link: a URL of 1000 bytes, and a token with the user's address and id.
constexpr std::size_t max_value_size = 2048;
/// Encoded in base64, text of this size fits into a pipe, as CommandMailer requires.
constexpr std::size_t max_text_size = 32768;

/// Removes the first line from the text and returns it without its line ending.
std::string_view split_line(std::string_view& rest) {
    std::string_view line = text::take_until(rest, '\n');
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return line;
}

/// Returns the template that this line starts, or nullptr.
Template* find_template(Templates& templates, std::string_view line) {
    for (std::size_t kind = 0; kind < std::size(kind_names); ++kind)
        for (const http::Language language : languages)
            if (line == "[" + std::string(kind_names[kind]) + " " +
                            std::string(http::tag_of(language)) + "]")
                return &templates.all[kind][static_cast<std::size_t>(language)];
    return nullptr;
}

/// Returns the next placeholder with its braces, "{" if it is not closed on its line, or an empty
/// view.
std::string_view next_placeholder(std::string_view text) {
    const std::size_t begin = text.find('{');
    if (begin == text.npos)
        return {};
    const std::size_t end = text.find_first_of("}\n", begin);
    return text.substr(begin, end == text.npos || text[end] == '\n' ? 1 : end + 1 - begin);
}

/// Returns the index in `placeholders`, or its size if there is no such placeholder.
std::size_t index_of(std::string_view placeholder) noexcept {
    return static_cast<std::size_t>(std::ranges::find(placeholders, placeholder) -
                                    std::begin(placeholders));
}

/// Returns what is wrong with the template, or an empty string.
std::string problem_of(const Template& read) {
    constexpr std::size_t max_subject_size = 200;
    if (read.subject.empty() || read.subject.size() > max_subject_size)
        return "requires a subject line of at most 200 bytes";
    if (read.subject.find("{link}") != read.subject.npos ||
        read.text.find("{link}") == read.text.npos)
        return "requires {link} in its text, not in its subject";
    // Each "\n" is sent as CRLF.
    std::size_t size =
        read.text.size() + static_cast<std::size_t>(std::ranges::count(read.text, '\n'));
    for (std::string_view rest : {read.subject, read.text})
        for (auto found = next_placeholder(rest); !found.empty(); found = next_placeholder(rest)) {
            if (index_of(found) == std::size(placeholders))
                return "contains the unknown placeholder '" + std::string(found) +
                       "'; use {name}, {email}, {link} or {hours}";
            size += max_value_size;
            rest = rest.substr(static_cast<std::size_t>(found.data() - rest.data()) + found.size());
        }
    return size <= max_text_size
               ? ""
               : "is too long: the limit is 32 KiB, and each placeholder counts as 2 KiB";
}

/// Returns whether a mail program could show a part of the name as a link: a URL, an address or a
/// host name. Users choose their own names, and could otherwise send links to others in messages
/// from the module.
bool may_contain_link(std::string_view name) {
    const auto is_letter = [&](std::size_t at) {
        return at < name.size() &&
               (text::is_alphanumeric(name[at]) || static_cast<unsigned char>(name[at]) >= 0x80);
    };
    if (name.find_first_of("/:@") != name.npos)
        return true;
    for (std::size_t at = name.find('.'); at != name.npos; at = name.find('.', at + 1))
        if (is_letter(at + 1) && is_letter(at + 2))
            return true;
    return false;
}

} // namespace

constexpr Templates default_templates = {{{
    {{{"Elige tu contraseña",
       "Hola, {name}:\n\nCon este enlace puedes elegir una contraseña nueva para tu cuenta {email}:"
       "\n\n{link}\n\nEl enlace vale {hours} h y una sola vez. Si no esperabas este mensaje, no "
       "hagas nada: tu contraseña no cambia.\n"},
      {"Set your password",
       "Hello {name},\n\nUse this link to set a new password for your account {email}:\n\n"
       "{link}\n\nThe link works once and expires after {hours} h. If you did not expect this "
       "message, ignore it: your password stays the same.\n"}}},
    {{{"Tu cuenta nueva",
       "Hola, {name}:\n\nSe ha creado una cuenta para {email}. Elige tu contraseña con este enlace:"
       "\n\n{link}\n\nEl enlace vale {hours} h y una sola vez.\n"},
      {"Your new account",
       "Hello {name},\n\nAn account has been created for {email}. Set your password with this "
       "link:\n\n{link}\n\nThe link works once and expires after {hours} h.\n"}}},
    {{{"Confirma tu dirección",
       "Hola, {name}:\n\nConfirma con este enlace que {email} es tu dirección:\n\n{link}\n\nEl "
       "enlace vale {hours} h. Si no esperabas este mensaje, no hagas nada.\n"},
      {"Verify your address",
       "Hello {name},\n\nUse this link to confirm that {email} is your address:\n\n{link}\n\nThe "
       "link expires after {hours} h. If you did not expect this message, ignore it.\n"}}},
}}};

std::variant<Templates, std::string> parse_templates(std::string_view text) {
    if (!text::is_clean_utf8(text))
        return "the file is not UTF-8";
    Templates templates = default_templates;
    std::string_view line = split_line(text);
    while (line.empty() && !text.empty())
        line = split_line(text);
    while (!line.empty()) {
        Template* const read = find_template(templates, line);
        if (read == nullptr)
            return "the line '" + text::printable(line.substr(0, 60)) +
                   "' does not begin a template; use a line such as [set-password en]";
        const std::string begin(line);
        read->subject = split_line(text);
        if (!split_line(text).empty())
            return begin + " requires an empty line after its subject";
        const char* const start = text.data();
        const char* end = start;
        for (line = {}; !text.empty(); line = {}) {
            line = split_line(text);
            if (line.starts_with('['))
                break;
            end = text.data();
        }
        read->text = {start, static_cast<std::size_t>(end - start)};
        if (const std::string problem = problem_of(*read); !problem.empty())
            return begin + " " + problem;
    }
    return templates;
}

std::string fill(std::string_view text, const Values& values) {
    const std::string name = may_contain_link(values.name)
                                 ? std::string(values.email)
                                 : text::printable(text::utf8_prefix(values.name, max_name_size));
    const std::string hours = std::to_string(values.lifetime.count());
    const std::string_view contents[] = {name, values.email, values.link, hours, {}};
    std::string out;
    for (auto found = next_placeholder(text); !found.empty(); found = next_placeholder(text)) {
        const auto before = static_cast<std::size_t>(found.data() - text.data());
        out += text.substr(0, before);
        out += contents[index_of(found)];
        text.remove_prefix(before + found.size());
    }
    return out += text;
}

} // namespace useradmin::mail
