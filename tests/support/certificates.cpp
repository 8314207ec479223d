#include "support/certificates.hpp"

#include "support/fail_test.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"

namespace useradmin::test {

void Certificates::make(const std::string& name, const std::string& subject,
                        const std::vector<std::string>& more) const {
    Command command{{machine::program("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt",
                     "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", subject, "-keyout",
                     file(name + ".key"), "-out", file(name + ".crt")}};
    command.words.insert(command.words.end(), more.begin(), more.end());
    const CommandResult made = test::run(command);
    if (made.status != 0)
        fail_test("openssl failed:\n" + made.errors);
}

void Certificates::revoke(const std::string& authority, const std::string& name,
                          const std::string& list) const {
    write_file(file("index"), "");
    write_file(file("ca.conf"), "[ca]\ndefault_ca = own\n[own]\ndatabase = " + file("index") +
                                    "\ndefault_md = sha256\ndefault_crl_days = 1\n");
    for (const std::vector<std::string>& action :
         {std::vector<std::string>{"-revoke", file(name + ".crt")},
          std::vector<std::string>{"-gencrl", "-out", file(list)}}) {
        Command command{{machine::program("openssl"), "ca", "-config", file("ca.conf"), "-cert",
                         file(authority + ".crt"), "-keyfile", file(authority + ".key")}};
        command.words.insert(command.words.end(), action.begin(), action.end());
        const CommandResult done = test::run(command);
        if (done.status != 0)
            fail_test("openssl failed:\n" + done.errors);
    }
}

} // namespace useradmin::test
