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

} // namespace useradmin::test
