#pragma once

#include "httpd/directives.hpp"
#include "httpd/httpd.hpp"
#include "mail/mailer.hpp"

namespace useradmin::service {

/// The value of `UserAdminMailFrom`.
struct MailSender {
    const char* address = nullptr;
    const char* name = "";
};

const char* read_mail_command(const httpd::ConfigLine& line, const char* const*& command);
const char* read_mail_from(const httpd::ConfigLine& line, MailSender& sender);
const char* read_link(const httpd::ConfigLine& line, const char*& address);
const char* read_mail_templates(const httpd::ConfigLine& line, const mail::Templates*& templates);

} // namespace useradmin::service
