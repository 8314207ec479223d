#include "httpd/prometheus.hpp"

#include "text/hex.hpp"
#include "text/unicode.hpp"

#include <array>
#include <utility>

namespace useradmin::httpd {

namespace {

struct Label {
    std::string_view name;
    std::string_view value;
};
using Labels = std::vector<Label>;

/// Formats a number of seconds without trailing zeros.
std::string seconds_of(std::uint64_t microseconds) {
    constexpr std::uint64_t second = 1'000'000;
    std::string text = std::to_string(microseconds / second);
    if (const std::uint64_t rest = microseconds % second) {
        text += '.' + std::to_string(second + rest).substr(1);
        text.erase(text.find_last_not_of('0') + 1);
    }
    return text;
}

/// Builds the text: for each metric, its help and type, then its samples.
class TextWriter {
  public:
    void begin(std::string_view name, std::string_view type, std::string_view meaning) {
        name_ = name;
        (((text_ += "# HELP ") += name) += ' ') += meaning;
        (((text_ += "\n# TYPE ") += name) += ' ') += type;
        text_ += '\n';
    }
    void sample(const Labels& labels, std::uint64_t value, std::string_view suffix = "") {
        sample(labels, std::to_string(value), suffix);
    }
    void sample(const Labels& labels, const std::string& value, std::string_view suffix = "") {
        (text_ += name_) += suffix;
        char before = '{';
        for (const Label& label : labels) {
            ((text_ += std::exchange(before, ',')) += label.name) += "=\"";
            add_escaped(label.value);
            text_ += '"';
        }
        text_ += labels.empty() ? " " : "} ";
        (text_ += value) += '\n';
    }
    /// Writes the cumulative buckets of a histogram.
    void histogram(Labels labels, const Histogram<std::uint64_t>& times) {
        const std::string sum = seconds_of(times.microseconds);
        labels.push_back({"le", {}});
        std::uint64_t count = 0;
        for (std::size_t index = 0; index < times.counts.size(); ++index) {
            const std::string bound =
                index < histogram_bounds.size()
                    ? seconds_of(static_cast<std::uint64_t>(histogram_bounds[index]))
                    : "+Inf";
            labels.back().value = bound;
            sample(labels, count += times.counts[index], "_bucket");
        }
        labels.pop_back();
        sample(labels, sum, "_sum");
        sample(labels, count, "_count");
    }

    std::string take() && { return std::move(text_); }

  private:
    void add_escaped(std::string_view value) {
        const bool is_clean = text::is_clean_utf8(value);
        for (const char character : value)
            if (!is_clean && (character < ' ' || character > '~'))
                (text_ += "\\\\x") += text::hex({&character, 1});
            else if (character == '\n')
                text_ += "\\n";
            else if (character == '\\' || character == '"')
                (text_ += '\\') += character;
            else
                text_ += character;
    }

    std::string text_;
    std::string_view name_;
};

constexpr std::string_view host_label = "virtual_host";

} // namespace

std::string prometheus_text(const ServerMetrics& metrics) {
    TextWriter text;
    // Operations without requests have no samples.
    const auto each_operation = [&](const auto& visit) {
        for (const auto& [host, sums] : metrics.virtual_hosts)
            for (std::size_t index = 0; index < sums.operations.size(); ++index)
                if (sums.operations[index].durations.count() != 0)
                    visit(Labels{{host_label, host},
                                 {"operation", metrics.registry.operation_name(index)}},
                          sums.operations[index]);
    };
    const auto each_host = [&](const auto& visit) {
        for (const auto& [host, sums] : metrics.virtual_hosts)
            visit(Label{host_label, host}, sums);
    };

    text.begin("useradmin_requests_total", "counter",
               "Requests that were answered, by operation and HTTP status.");
    each_operation([&](Labels labels, const MetricsSnapshot::Operation& operation) {
        labels.emplace_back();
        for (std::size_t index = 0; index < operation.statuses.size(); ++index) {
            const std::string status =
                index < counted_statuses.size() ? std::to_string(counted_statuses[index]) : "other";
            labels.back() = {"status", status};
            if (operation.statuses[index] != 0)
                text.sample(labels, operation.statuses[index]);
        }
    });
    text.begin("useradmin_request_duration_seconds", "histogram",
               "From a request's arrival until its reply was sent.");
    each_operation([&](const Labels& labels, const MetricsSnapshot::Operation& operation) {
        text.histogram(labels, operation.durations);
    });
    text.begin("useradmin_refusals_total", "counter",
               "Requests turned away for want of a connection or a hashing slot, or after too many "
               "failed attempts to sign in.");
    each_host([&](const Label& host, const MetricsSnapshot& sums) {
        for (std::size_t index = 0; index < sums.rejections.size(); ++index)
            text.sample({host, {"reason", rejection_names[index]}}, sums.rejections[index]);
    });
    text.begin("useradmin_session_lookups_total", "counter",
               "Session tokens that requests brought, by what came of them.");
    each_host([&](const Label& host, const MetricsSnapshot& sums) {
        for (std::size_t index = 0; index < sums.lookups.size(); ++index)
            text.sample({host, {"result", lookup_names[index]}}, sums.lookups[index]);
    });
    text.begin("useradmin_connection_wait_duration_seconds", "histogram",
               "How long requests waited for a database connection that they got.");
    each_host([&](const Label& host, const MetricsSnapshot& sums) {
        text.histogram({host}, sums.connection_waits);
    });
    text.begin("useradmin_database_duration_seconds", "histogram",
               "How long database connections were held, each time for one piece of work.");
    each_host([&](const Label& host, const MetricsSnapshot& sums) {
        text.histogram({host}, sums.connection_holds);
    });
    text.begin("useradmin_connections_in_use", "gauge",
               "Database connections that requests hold, in all children.");
    each_host([&](const Label& host, const MetricsSnapshot& sums) {
        text.sample({host}, std::to_string(sums.connections_in_use));
    });
    text.begin("useradmin_hash_slots", "gauge", "Passwords that may be hashed at once.");
    text.sample({}, metrics.hash_bounds.permits);
    text.begin("useradmin_hash_slots_in_use", "gauge", "Passwords that are being hashed.");
    text.sample({}, metrics.hashes_in_use.permits);
    text.begin("useradmin_hash_queue_places", "gauge",
               "Requests that may wait at once for their turn to hash.");
    text.sample({}, metrics.hash_bounds.waiters);
    text.begin("useradmin_hash_queue_places_in_use", "gauge",
               "Requests that wait for their turn to hash.");
    text.sample({}, metrics.hashes_in_use.waiters);
    return std::move(text).take();
}

std::string status_lines(std::string_view prometheus_text) {
    std::string lines;
    while (!prometheus_text.empty()) {
        const std::string_view line = prometheus_text.substr(0, prometheus_text.find('\n'));
        prometheus_text.remove_prefix(line.size() + 1);
        const std::size_t blank = line.rfind(' ');
        if (!line.starts_with('#') && line.find("_bucket{") == line.npos)
            (((lines += line.substr(0, blank)) += ':') += line.substr(blank)) += '\n';
    }
    return lines;
}

} // namespace useradmin::httpd
