#include "store/plugin_tables.hpp"

#include "store/schema.hpp"
#include "text/unicode.hpp"

namespace useradmin::store {

std::set<std::string> names_of(const PluginTable& plugin) {
    std::set<std::string> names;
    for (const std::string& name :
         {std::string(plugin.name), text::snake_case(plugin.name), text::lower(plugin.name)})
        for (const char* const ending : {"", "s"})
            names.insert(name + ending);
    return names;
}

std::string plugin_table_names() {
    std::string all;
    for (const PluginTable& plugin : plugin_tables)
        for (const std::string& name : names_of(plugin))
            all.append(all.empty() ? "" : ", ").append(literal(name));
    return all;
}

} // namespace useradmin::store
