#include "httpd/connection_pools.hpp"

#include "apr/pool.hpp"
#include "httpd/configuration_tree.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

namespace useradmin::httpd {

namespace {

/// Applies a mod_dbd directive to a server's pool and statements. Ignores other directives.
void apply(const ap_directive_t& directive, apr_pool_t* memory, ConnectionPool& pool,
           std::vector<std::string>& init_statements) {
    const auto arguments = arguments_of(directive, memory);
    if (arguments.empty())
        return;
    const std::string_view word = arguments[0];
    const int number = std::atoi(word.data()); // NOLINT(cert-err34-c): as mod_dbd reads it
    if (is_named(directive, "DBDriver"))
        pool.driver = word;
    else if (is_named(directive, "DBDParams"))
        pool.parameters = word;
    else if (is_named(directive, "DBDMin"))
        pool.min = number;
    else if (is_named(directive, "DBDKeep"))
        pool.keep = number;
    else if (is_named(directive, "DBDMax"))
        pool.max = number;
    else if (is_named(directive, "DBDExptime"))
        pool.expiry_seconds = number;
    else if (is_named(directive, "DBDInitSQL"))
        init_statements.emplace_back(word);
}

/// Removes the server's <VirtualHost> section from the unclaimed sections. Returns it, or nullptr
/// if there is none. Call for each server in the order of httpd's list, because the sections of a
/// file that is included twice have the same line.
const ap_directive_t* take_section_of(const server_rec& server,
                                      std::vector<const ap_directive_t*>& sections) {
    // httpd's list begins with the last section.
    const auto found =
        std::find_if(sections.rbegin(), sections.rend(), [&](const ap_directive_t* section) {
            return static_cast<unsigned>(section->line_num) == server.defn_line_number &&
                   apr::view_of(section->filename) == apr::view_of(server.defn_name);
        });
    if (found == sections.rend())
        return nullptr;
    const ap_directive_t* const section = *found;
    sections.erase(std::next(found).base());
    return section;
}

} // namespace

ConnectionPools::ConnectionPools(const server_rec* servers) {
    const apr::ScopedPool memory(servers->process->pool);
    std::vector<TreeDirective> directives;
    std::vector<const ap_directive_t*> sections;
    for_each_directive([&](const TreeDirective& found) {
        if (is_named(found.directive, "<VirtualHost"))
            sections.push_back(&found.directive);
        if (text::starts_with_ignoring_case(found.directive.directive, "DBD"))
            directives.push_back(found);
    });
    ConnectionPool of_all;
    std::vector<std::string> statements_of_all;
    for (const auto& [directive, virtual_host] : directives)
        if (virtual_host == nullptr)
            apply(directive, memory.get(), of_all, statements_of_all);
    for (const server_rec* server = servers; server != nullptr; server = server->next) {
        ConnectionPool pool = of_all;
        std::vector<std::string> statements;
        const ap_directive_t* const section = take_section_of(*server, sections);
        for (const auto& [directive, virtual_host] : directives)
            if (virtual_host != nullptr && virtual_host == section)
                apply(directive, memory.get(), pool, statements);
        // mod_dbd runs the statements of the main server last.
        statements.insert(statements.end(), statements_of_all.begin(), statements_of_all.end());
        const auto same = std::ranges::find(pools_, pool);
        server_databases_.push_back(
            {static_cast<unsigned>(same - pools_.begin()), std::move(statements)});
        if (same == pools_.end())
            pools_.push_back(std::move(pool));
    }
}

} // namespace useradmin::httpd
