#include "httpd/connection_pools.hpp"

#include "apr/pool.hpp"
#include "httpd/configuration_tree.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace useradmin::httpd {

namespace {

/// Applies a mod_dbd directive to a pool. Ignores other directives.
void apply(const ap_directive_t& directive, apr_pool_t* memory, ConnectionPool& pool) {
    const auto words = words_of(directive, memory);
    if (words.empty())
        return;
    const std::string_view word = words[0];
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
}

} // namespace

ConnectionPools::ConnectionPools(const server_rec* servers) {
    const apr::ScopedPool memory(servers->process->pool);
    std::vector<TreeDirective> directives;
    for_each_directive([&](const TreeDirective& found) {
        if (strncasecmp(found.directive.directive, "DBD", 3) == 0)
            directives.push_back(found);
    });
    ConnectionPool of_all;
    for (const auto& [directive, virtual_host] : directives)
        if (virtual_host == nullptr)
            apply(directive, memory.get(), of_all);
    for (const server_rec* server = servers; server != nullptr; server = server->next) {
        ConnectionPool pool = of_all;
        for (const auto& [directive, virtual_host] : directives)
            if (virtual_host != nullptr && is_section_of(*virtual_host, *server))
                apply(directive, memory.get(), pool);
        const auto same = std::ranges::find(pools_, pool);
        of_servers_.push_back(static_cast<unsigned>(same - pools_.begin()));
        if (same == pools_.end())
            pools_.push_back(std::move(pool));
    }
}

} // namespace useradmin::httpd
