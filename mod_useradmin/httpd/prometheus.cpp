#include "httpd/prometheus.hpp"

#include "text/hex.hpp"
#include "text/split.hpp"
#include "text/unicode.hpp"

#include <utility>

namespace useradmin::httpd {

namespace {

struct Label {
    std::string_view name;
    std::string_view value;
};
using Labels = std::vector<Label>;

/// Formats microseconds as seconds without trailing zeros.
std::string seconds_of(std::uint64_t microseconds) {
    constexpr std::uint64_t second = 1'000'000;
    std::string text = std::to_string(microseconds / second);
    if (const std::uint64_t rest = microseconds % second) {
        text += '.' + std::to_string(second + rest).substr(1);
        text.erase(text.find_last_not_of('0') + 1);
    }
    return text;
}

/// Builds the text. For each metric, call begin() and then add the samples.
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
    /// Writes the cumulative buckets of a histogram, its sum and its count.
    void histogram(Labels labels, const Histogram<std::uint64_t>& times) {
        const std::string sum = seconds_of(times.sum_microseconds);
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

} // namespace

std::string prometheus_text(const ServerMetrics& metrics) {
    TextWriter text;
    const auto each_host = [&](const auto& visit) {
        for (const VirtualHostMetrics& host : metrics.virtual_hosts)
            visit(Label{"virtual_host", host.name}, host);
    };
    // Visits only operations that have requests.
    const auto each_operation = [&](const auto& visit) {
        each_host([&](const Label& name, const VirtualHostMetrics& host) {
            for (std::size_t index = 0; index < max_operations; ++index)
                if (const auto& operation = host.sums.operations[index];
                    operation.durations.count() != 0)
                    visit(Labels{name, {"operation", metrics.registry.operation_name(index)}},
                          operation);
        });
    };
    const auto each_delivery = [&](const auto& visit) {
        each_host([&](const Label& name, const VirtualHostMetrics& host) {
            if (host.deliveries)
                visit(name, *host.deliveries);
        });
    };
    const auto write_counts = [&](std::string_view label, const auto& values, auto counts) {
        each_host([&](const Label& name, const VirtualHostMetrics& host) {
            for (std::size_t index = 0; index < values.size(); ++index)
                text.sample({name, {label, values[index]}}, (host.sums.*counts)[index]);
        });
    };
    const auto write_histogram = [&](auto times) {
        each_host([&](const Label& name, const VirtualHostMetrics& host) {
            text.histogram({name}, host.sums.*times);
        });
    };

    // packaging/grafana/generate and tests/checks/metrics parse these calls to begin().
    text.begin("useradmin_requests_total", "counter",
               "Responses sent, by operation and HTTP status.");
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
               "Time from the arrival of a request until its response was sent.");
    each_operation([&](const Labels& labels, const MetricsSnapshot::Operation& operation) {
        text.histogram(labels, operation.durations);
    });
    text.begin("useradmin_refusals_total", "counter",
               "Requests rejected because no connection or hashing slot was available, or after "
               "too many failed sign-in attempts.");
    write_counts("reason", rejection_names, &MetricsSnapshot::rejections);
    text.begin("useradmin_session_lookups_total", "counter",
               "Session tokens and API keys in requests, by result.");
    write_counts("result", lookup_names, &MetricsSnapshot::lookups);
    text.begin("useradmin_connection_wait_duration_seconds", "histogram",
               "How long requests waited for a database connection.");
    write_histogram(&MetricsSnapshot::connection_waits);
    text.begin("useradmin_database_duration_seconds", "histogram",
               "How long requests held a database connection.");
    write_histogram(&MetricsSnapshot::connection_holds);
    text.begin("useradmin_connections_in_use", "gauge",
               "Database connections held by requests, in all children.");
    each_host([&](const Label& name, const VirtualHostMetrics& host) {
        text.sample({name}, std::to_string(host.sums.connections_in_use));
    });
    text.begin("useradmin_database_errors_total", "counter",
               "Database errors, by reason. The error log has the details.");
    write_counts("reason", database_error_names, &MetricsSnapshot::database_errors);
    text.begin("useradmin_database_read_only", "gauge",
               "1 if the database has rejected a write because it is read-only, and has accepted "
               "none since.");
    each_host([&](const Label& name, const VirtualHostMetrics& host) {
        text.sample({name}, std::uint64_t{host.sums.is_read_only});
    });
    text.begin("useradmin_audit_lines_lost_total", "counter",
               "Events that could not be written to the audit log.");
    each_host([&](const Label& name, const VirtualHostMetrics& host) {
        text.sample({name}, host.sums.lost_audit_lines);
    });
    text.begin("useradmin_secondary_storage_up", "gauge",
               "1 if the last delivery reached the secondary storage.");
    each_delivery([&](const Label& name, const DeliverySnapshot& deliveries) {
        if (deliveries.last_result != DeliveryResult::unknown)
            text.sample({name},
                        std::uint64_t{deliveries.last_result != DeliveryResult::unreachable});
    });
    text.begin("useradmin_revocations_delivered_timestamp_seconds", "gauge",
               "Time up to which revocations have reached the secondary storage.");
    each_delivery([&](const Label& name, const DeliverySnapshot& deliveries) {
        text.sample({name}, std::to_string(deliveries.delivered_until));
    });
    text.begin("useradmin_hash_slots", "gauge", "Maximum number of passwords hashed concurrently.");
    text.sample({}, metrics.hash_capacity.permits);
    text.begin("useradmin_hash_slots_in_use", "gauge", "Passwords being hashed.");
    text.sample({}, metrics.hashes_in_use.permits);
    text.begin("useradmin_hash_queue_places", "gauge",
               "Maximum number of requests waiting for a hashing slot.");
    text.sample({}, metrics.hash_capacity.waiters);
    text.begin("useradmin_hash_queue_places_in_use", "gauge",
               "Requests waiting for a hashing slot.");
    text.sample({}, metrics.hashes_in_use.waiters);
    return std::move(text).take();
}

std::string status_lines(std::string_view prometheus_text) {
    std::string lines;
    while (!prometheus_text.empty()) {
        const std::string_view line = text::take_until(prometheus_text, '\n');
        const std::size_t blank = line.rfind(' ');
        if (!line.starts_with('#') && line.find("_bucket{") == line.npos)
            (((lines += line.substr(0, blank)) += ':') += line.substr(blank)) += '\n';
    }
    return lines;
}

} // namespace useradmin::httpd
