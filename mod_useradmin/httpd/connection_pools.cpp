#include "httpd/connection_pools.hpp"

#include "apr/pool.hpp"
#include "httpd/configuration_tree.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace useradmin::httpd {

namespace {

/// Applies a mod_dbd directive to a pool. Ignores other directives.
void apply(const ap_directive_t& directive, std::string_view word, ConnectionPool& pool) {
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

/// A mod_dbd directive with its unquoted argument.
struct PoolDirectives {
    TreeDirective where;
    std::string_view word;
};

std::vector<PoolDirectives> pool_directives(apr_pool_t* memory) {
    std::vector<PoolDirectives> directives;
    for_each_directive([&](const TreeDirective& found) {
        const std::string_view name = apr::view_of(found.directive.directive);
        if (name.size() < 3 || strncasecmp(name.data(), "DBD", 3) != 0)
            return;
        const auto words = words_of(found.directive, memory);
        if (!words.empty())
            directives.push_back({found, words[0]});
    });
    return directives;
}

} // namespace

ConnectionPools::ConnectionPools(const server_rec* servers) {
    const apr::ScopedPool memory(servers->process->pool);
    const std::vector<PoolDirectives> directives = pool_directives(memory.get());
    ConnectionPool of_all;
    for (const auto& [where, word] : directives)
        if (where.virtual_host == nullptr)
            apply(where.directive, word, of_all);
    for (const server_rec* server = servers; server != nullptr; server = server->next) {
        ConnectionPool pool = of_all;
        for (const auto& [where, word] : directives)
            if (where.virtual_host != nullptr && is_section_of(*where.virtual_host, *server))
                apply(where.directive, word, pool);
        const auto same = std::ranges::find(pools_, pool);
        of_servers_.push_back(static_cast<unsigned>(same - pools_.begin()));
        if (same == pools_.end())
            pools_.push_back(std::move(pool));
    }
}

} // namespace useradmin::httpd
