#include "httpd/server_status.hpp"

#include <array>
#include <cstdio>
#include <initializer_list>

namespace useradmin::httpd {

namespace {

std::string with_decimals(double number, int decimals) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", decimals, number);
    return text.data();
}

/// Lines of the form "Name: value" with a common prefix.
class StatusLines {
  public:
    StatusLines(std::string& text, std::string_view beginning)
        : text_(text), beginning_(beginning) {}

    void add(std::string_view name, std::string_view value) {
        (((text_ += beginning_) += name) += ": ") += value;
        text_ += '\n';
    }
    void add(std::string_view name, std::uint64_t value) { add(name, std::to_string(value)); }
    void add(const MetricsSnapshot& sums) {
        const auto names = operation_names();
        for (std::size_t index = 0; index < sums.operations.size(); ++index) {
            const auto& [statuses, durations] = sums.operations[index];
            const std::string operation(names[index]);
            for (const auto& [status, count] : statuses)
                add("Requests[" + operation + "," + name_of_status(status) + "]", count);
            if (durations.count() != 0)
                add("RequestSeconds[" + operation + "]", seconds_of(durations));
        }
        add("DatabaseSeconds", seconds_of(sums.connection_holds));
        add("ConnectionWaitSeconds", seconds_of(sums.connection_waits));
        add("ConnectionsInUse", std::to_string(sums.connections_in_use));
        for (std::size_t index = 0; index < rejection_names.size(); ++index)
            add("Refusals[" + std::string(rejection_names[index]) + "]", sums.rejections[index]);
        for (std::size_t index = 0; index < lookup_names.size(); ++index)
            add("SessionLookups[" + std::string(lookup_names[index]) + "]", sums.lookups[index]);
    }

  private:
    static std::string seconds_of(const DurationHistogram& times) {
        return with_decimals(times.seconds(), 6);
    }

    std::string& text_;
    std::string beginning_;
};

void add_row(std::string& html, const char* element,
             std::initializer_list<std::string_view> cells) {
    html += "<tr>";
    for (const std::string_view cell : cells) {
        ((html += '<') += element) += '>';
        html += cell;
        ((html += "</") += element) += '>';
    }
    html += "</tr>\n";
}

/// Formats counts by status: "200: 12, 404: 1".
std::string list_of(const std::map<int, std::uint64_t>& statuses) {
    std::string text;
    for (const auto& [status, count] : statuses)
        (text += text.empty() ? "" : ", ") += name_of_status(status) + ": " + std::to_string(count);
    return text;
}

/// Formats the counts that are not zero: "unknown: 2, expired: 1".
template <std::size_t size>
std::string list_of(const std::array<std::string_view, size>& names,
                    const std::array<std::uint64_t, size>& counts) {
    std::string text;
    for (std::size_t index = 0; index < size; ++index)
        if (counts[index] != 0) {
            (text += text.empty() ? "" : ", ") += names[index];
            text += ": " + std::to_string(counts[index]);
        }
    return text;
}

void add_operations(std::string& html, const VirtualHostMetrics& host) {
    const auto names = operation_names();
    for (std::size_t index = 0; index < host.sums.operations.size(); ++index) {
        const auto& [statuses, durations] = host.sums.operations[index];
        const std::uint64_t count = durations.count();
        if (count != 0)
            add_row(html, "td",
                    {host.name, names[index], std::to_string(count), list_of(statuses),
                     with_decimals(1000 * durations.seconds() / static_cast<double>(count), 3)});
    }
}

void add_rest(std::string& html, const VirtualHostMetrics& host) {
    const MetricsSnapshot& sums = host.sums;
    add_row(html, "td",
            {host.name, with_decimals(sums.connection_holds.seconds(), 3),
             with_decimals(sums.connection_waits.seconds(), 3),
             std::to_string(sums.connections_in_use), list_of(lookup_names, sums.lookups),
             list_of(rejection_names, sums.rejections)});
}

} // namespace

std::string status_lines(const ServerMetrics& metrics) {
    std::string text;
    StatusLines all(text, "UserAdmin");
    all.add("HashSlots", metrics.hash_bounds.permits);
    all.add("HashSlotsInUse", metrics.hashes_in_use.permits);
    all.add("HashQueuePlaces", metrics.hash_bounds.waiters);
    all.add("HashQueuePlacesInUse", metrics.hashes_in_use.waiters);
    all.add(metrics.total());
    for (std::size_t index = 0; index < metrics.virtual_hosts.size(); ++index) {
        const auto& [name, sums] = metrics.virtual_hosts[index];
        StatusLines own(text, "UserAdmin[" + std::to_string(index) + "]");
        own.add("VirtualHost", name);
        own.add(sums);
    }
    return text;
}

std::string status_section(const ServerMetrics& metrics) {
    std::string html = "<hr />\n<h1>User administration</h1>\n<p>Hashing slots in use: " +
                       std::to_string(metrics.hashes_in_use.permits) + " of " +
                       std::to_string(metrics.hash_bounds.permits) +
                       ". Waiting for one: " + std::to_string(metrics.hashes_in_use.waiters) +
                       " of at most " + std::to_string(metrics.hash_bounds.waiters) + ".</p>\n";
    const VirtualHostMetrics total{"all", metrics.total()};
    html += "<table border=\"1\">\n";
    add_row(html, "th", {"Virtual host", "Operation", "Requests", "By status", "Mean ms"});
    for (const VirtualHostMetrics& host : metrics.virtual_hosts)
        add_operations(html, host);
    add_operations(html, total);
    html += "</table>\n<table border=\"1\">\n";
    add_row(html, "th",
            {"Virtual host", "Seconds in the database", "Seconds waited for connections",
             "Connections in use", "Sessions looked up", "Refusals"});
    for (const VirtualHostMetrics& host : metrics.virtual_hosts)
        add_rest(html, host);
    add_rest(html, total);
    return html + "</table>\n";
}

} // namespace useradmin::httpd
