#include "ctl/command.hpp"
#include "ctl/display.hpp"
#include "json/writer.hpp"

#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

namespace useradmin::ctl {

Exit drain(Context& context) {
    const std::string& wanted = context.options.arguments[0];
    const std::string& file = context.settings.drain_file;
    if (wanted != "on" && wanted != "off")
        throw UsageError("the argument must be on or off");
    if (file.empty())
        throw UsageError("the configuration has no UserAdminDrainFile; set it to a file such as "
                         "/run/useradmin-drain, and reload httpd");
    const bool drains = wanted == "on";
    errno = 0;
    const bool is_done = drains ? std::ofstream(file, std::ios::app).is_open()
                                : unlink(file.c_str()) == 0 || errno == ENOENT;
    if (!is_done)
        throw CommandError("cannot change " + file + ": " + std::generic_category().message(errno) +
                           "; run the command as an account that may write there");
    const bool is_named = context.options.has("file");
    const std::string where = is_named ? "where UserAdminDrainFile is " + file + ", " : "";
    const std::string option = is_named ? " --file " + file : "";
    if (context.wants_json())
        print_data([&](json::Writer& writer) { writer.key("drains").boolean(drains); });
    else
        print_line(where + (drains ? "useradmin-health returns 503, so load balancers send no new "
                                     "requests; to undo this, run: useradminctl drain off" +
                                         option
                                   : "useradmin-health returns 200 again if the database answers"));
    return Exit::success;
}

} // namespace useradmin::ctl
