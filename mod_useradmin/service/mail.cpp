#include "service/mail.hpp"

#include "apr/pool.hpp"
#include "httpd/auth_information.hpp"
#include "httpd/small_file.hpp"
#include "mail/message.hpp"
#include "service/configuration.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace useradmin::service {

const char* read_mail_command(const httpd::ConfigLine& line, const char* const*& command) {
    apr_array_header_t* const words = apr_array_make(line.pool(), 4, sizeof(char*));
    const char* rest = line.copy(line.arguments[0]);
    while (*rest != '\0')
        if (char* const word = ap_getword_conf(line.pool(), &rest); *word != '\0')
            *static_cast<char**>(apr_array_push(words)) = word;
    *static_cast<char**>(apr_array_push(words)) = nullptr;
    command = reinterpret_cast<const char* const*>(words->elts);
    if (apr::view_of(command[0]).substr(0, 1) != "/")
        return "must begin with the absolute path of a program, such as \"/usr/sbin/sendmail -t\"";
    if (!httpd::is_executable_file(command[0]))
        return line.copy("must begin with the path of a program, but " + std::string(command[0]) +
                         " is not an executable file");
    return nullptr;
}

const char* read_mail_from(const httpd::ConfigLine& line, MailSender& sender) {
    sender = {line.copy(line.arguments[0]),
              line.arguments.size() > 1 ? line.copy(line.arguments[1]) : ""};
    const std::string_view name = sender.name;
    if (!mail::is_address(line.arguments[0]))
        return "must be an email address, such as support@example.com";
    if (!text::is_clean_utf8(name) || name.size() > 100 ||
        std::ranges::any_of(name, [](char c) { return c >= '\0' && c < ' '; }))
        return "the name must be UTF-8 text of at most 100 bytes without control characters";
    return nullptr;
}

const char* read_link(const httpd::ConfigLine& line, const char*& address) {
    constexpr std::size_t longest = 1000;
    const std::string_view text = line.arguments[0];
    const std::size_t mark = text.find(mail::token_placeholder);
    const bool is_printable = std::ranges::all_of(text, [](char each) {
        return each > ' ' && each < '\x7f' && each != '<' && each != '>' && each != '"';
    });
    if (!is_printable || text.size() > longest || mark == text.npos ||
        text.find(mail::token_placeholder, mark + 1) != text.npos ||
        !(text.starts_with("https://") || text.starts_with("http://")))
        return "must be a URL that begins with https:// or http:// and contains {token} once, such "
               "as https://app.example.com/reset-password?token={token}";
    address = line.copy(text);
    return nullptr;
}

const char* read_mail_templates(const httpd::ConfigLine& line, const mail::Templates*& templates) {
    const char* path = nullptr;
    if (const char* problem = httpd::PathReader()(line, path))
        return problem;
    const std::optional<std::string> text =
        httpd::read_small_file(line.pool(), path, mail::max_templates_size);
    if (!text)
        return line.copy(
            "'" + std::string(path) +
            "' cannot be read, or is larger than 64 KiB; use a smaller file that httpd can read");
    const auto parsed = mail::parse_templates(line.copy(*text));
    if (const auto* problem = std::get_if<std::string>(&parsed))
        return line.copy("cannot parse " + std::string(path) + ": " + *problem);
    templates = &apr::emplace<mail::Templates>(line.pool(), std::get<mail::Templates>(parsed));
    return nullptr;
}

const char* mail_configuration_error(const ap_conf_vector_t* configuration) {
    const ServiceSettings& settings = settings_of(configuration);
    const bool has_password_link = settings.get<MailPasswordLink>() != nullptr;
    const bool has_verify_link = settings.get<MailVerifyLink>() != nullptr;
    const bool has_sender = settings.get<MailFrom>().address != nullptr;
    if (settings.get<MailCommandLine>() == nullptr)
        return has_password_link || has_verify_link || has_sender
                   ? "mailed links require UserAdminMailCommand, such as UserAdminMailCommand "
                     "\"/usr/sbin/sendmail -t\""
                   : nullptr;
    if (!settings.get<HasExtras>())
        return "UserAdminMailCommand requires UserAdminExtras On";
    if (!has_sender)
        return "UserAdminMailCommand requires UserAdminMailFrom with the sender's address";
    if (!has_password_link && !has_verify_link)
        return "UserAdminMailCommand requires UserAdminMailPasswordLink or UserAdminMailVerifyLink";
    if (has_verify_link && httpd::token_settings(configuration).signing_secret.empty())
        return "UserAdminMailVerifyLink requires AuthUserAdminSecret with the application's "
               "secret, which signs the link";
    return nullptr;
}

std::optional<mail::Settings> mail_settings(const ap_conf_vector_t* configuration) {
    const ServiceSettings& settings = settings_of(configuration);
    if (settings.get<MailCommandLine>() == nullptr)
        return std::nullopt;
    const MailSender sender = settings.get<MailFrom>();
    const mail::Templates* const templates = settings.get<MailTemplates>();
    return mail::Settings{apr::view_of(sender.address),
                          sender.name,
                          apr::view_of(settings.get<MailPasswordLink>()),
                          apr::view_of(settings.get<MailVerifyLink>()),
                          templates != nullptr ? templates : &mail::default_templates,
                          settings.get<MailLimit>(),
                          httpd::token_settings(configuration).signing_secret};
}

} // namespace useradmin::service
