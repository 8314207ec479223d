#include "console/page.hpp"

#include "crypto/sha256.hpp"
#include "files.hpp"

#include <initializer_list>
#include <utility>

namespace useradmin::console {

namespace {

/// Escapes a string for a double-quoted attribute.
std::string escaped(std::string_view text) {
    std::string escaped;
    for (const char character : text)
        if (character == '&')
            escaped += "&amp;";
        else if (character == '"')
            escaped += "&quot;";
        else if (character == '<')
            escaped += "&lt;";
        else
            escaped += character;
    return escaped;
}

/// Replaces each {{name}} in the text with its value.
std::string filled(std::string_view text,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> values) {
    std::string filled;
    for (std::size_t begin = text.find("{{"); begin != text.npos; begin = text.find("{{")) {
        const std::size_t end = text.find("}}", begin);
        const std::string_view name = text.substr(begin + 2, end - begin - 2);
        filled += text.substr(0, begin);
        for (const auto& [known, value] : values)
            if (known == name)
                filled += value;
        text.remove_prefix(end + 2);
    }
    return filled += text;
}

std::string hash_source(std::string_view text) {
    return "'sha256-" + crypto::sha256_base64(text) + "'";
}

} // namespace

Page make_page(const PageSettings& settings) {
    Page page;
    std::string style(files::style);
    if (settings.accent)
        style += accent_style(*settings.accent);
    page.html = filled(files::page,
                       {{"style", style},
                        {"script", files::script},
                        {"base", escaped(settings.base)},
                        {"sign-in", escaped(settings.sign_in)},
                        {"sign-in-page", escaped(settings.sign_in_page)},
                        {"title", escaped(settings.title)},
                        {"logo", escaped(settings.logo)},
                        {"max-limit", std::to_string(settings.max_limit)},
                        {"extras", settings.has_extras ? "on" : "off"},
                        {"history", settings.has_history ? "on" : "off"},
                        {"links", settings.links},
                        {"ends-sessions", settings.ends_sessions ? "on" : "off"},
                        {"application-cache", std::to_string(settings.application_cache.count())}});
    page.tag = crypto::sha256_hex(page.html).substr(0, 32);
    page.policy = "default-src 'none'; script-src " + hash_source(files::script) + "; style-src " +
                  hash_source(style) +
                  "; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
                  "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types "
                  "'none'";
    return page;
}

} // namespace useradmin::console
