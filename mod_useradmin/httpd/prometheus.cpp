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

struct Metric {
    std::string_view name;
    std::string_view type;
    std::string_view meaning;
};

/// packaging/grafana/generate and the checks read this list of metrics.
namespace metric {
constexpr Metric requests_total = {"useradmin_requests_total", "counter",
                                   "Replies sent, by operation and HTTP status."};
constexpr Metric request_duration_seconds = {
    "useradmin_request_duration_seconds", "histogram",
    "Time from the arrival of a request until its reply was sent."};
constexpr Metric refusals_total = {"useradmin_refusals_total", "counter",
                                   "Requests rejected because no connection or hashing slot was "
                                   "available, or after too many failed sign-in attempts."};
constexpr Metric session_lookups_total = {"useradmin_session_lookups_total", "counter",
                                          "Session tokens in requests, by result."};
constexpr Metric connection_wait_duration_seconds = {
    "useradmin_connection_wait_duration_seconds", "histogram",
    "How long requests waited for a database connection."};
constexpr Metric database_duration_seconds = {"useradmin_database_duration_seconds", "histogram",
                                              "How long requests held a database connection."};
constexpr Metric connections_in_use = {"useradmin_connections_in_use", "gauge",
                                       "Database connections held by requests, in all children."};
constexpr Metric hash_slots = {"useradmin_hash_slots", "gauge",
                               "Maximum number of passwords hashed concurrently."};
constexpr Metric hash_slots_in_use = {"useradmin_hash_slots_in_use", "gauge",
                                      "Passwords being hashed."};
constexpr Metric hash_queue_places = {"useradmin_hash_queue_places", "gauge",
                                      "Maximum number of requests waiting for a hashing slot."};
constexpr Metric hash_queue_places_in_use = {"useradmin_hash_queue_places_in_use", "gauge",
                                             "Requests waiting for a hashing slot."};
constexpr Metric database_errors_total = {
    "useradmin_database_errors_total", "counter",
    "Database errors, by kind. The error log has the reasons."};
constexpr Metric database_read_only = {
    "useradmin_database_read_only", "gauge",
    "1 if the database has rejected a write because it is read-only, and has accepted none since."};
constexpr Metric audit_lines_lost_total = {"useradmin_audit_lines_lost_total", "counter",
                                           "Events that could not be written to the audit log."};
constexpr Metric secondary_storage_up = {"useradmin_secondary_storage_up", "gauge",
                                         "1 if the last delivery reached the secondary storage."};
constexpr Metric revocations_delivered_timestamp_seconds = {
    "useradmin_revocations_delivered_timestamp_seconds", "gauge",
    "Time up to which revocations have reached the secondary storage."};
} // namespace metric

/// Builds the text. For each metric, call begin() and then add the samples.
class TextWriter {
  public:
    void begin(const Metric& metric) {
        name_ = metric.name;
        (((text_ += "# HELP ") += name_) += ' ') += metric.meaning;
        (((text_ += "\n# TYPE ") += name_) += ' ') += metric.type;
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
    // Visits only operations that have requests.
    const auto each_operation = [&](const auto& visit) {
        for (const auto& [host, sums, deliveries] : metrics.virtual_hosts)
            for (std::size_t index = 0; index < sums.operations.size(); ++index)
                if (sums.operations[index].durations.count() != 0)
                    visit(Labels{{host_label, host},
                                 {"operation", metrics.registry.operation_name(index)}},
                          sums.operations[index]);
    };
    const auto each_host = [&](const auto& visit) {
        for (const auto& [host, sums, deliveries] : metrics.virtual_hosts)
            visit(Label{host_label, host}, sums);
    };
    const auto each_delivery = [&](const auto& visit) {
        for (const auto& [host, sums, deliveries] : metrics.virtual_hosts)
            if (deliveries)
                visit(Label{host_label, host}, *deliveries);
    };

    text.begin(metric::requests_total);
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
    text.begin(metric::request_duration_seconds);
    each_operation([&](const Labels& labels, const MetricsSnapshot::Operation& operation) {
        text.histogram(labels, operation.durations);
    });
    text.begin(metric::refusals_total);
    each_host([&](const Label& host, const MetricsSnapshot& sums) {
        for (std::size_t index = 0; index < sums.rejections.size(); ++index)
            text.sample({host, {"reason", rejection_names[index]}}, sums.rejections[index]);
    });
    text.begin(metric::session_lookups_total);
    each_host([&](const Label& host, const MetricsSnapshot& sums) {
        for (std::size_t index = 0; index < sums.lookups.size(); ++index)
            text.sample({host, {"result", lookup_names[index]}}, sums.lookups[index]);
    });
    text.begin(metric::connection_wait_duration_seconds);
    each_host([&](const Label& host, const MetricsSnapshot& sums) {
        text.histogram({host}, sums.connection_waits);
    });
    text.begin(metric::database_duration_seconds);
    each_host([&](const Label& host, const MetricsSnapshot& sums) {
        text.histogram({host}, sums.connection_holds);
    });
    text.begin(metric::connections_in_use);
    each_host([&](const Label& host, const MetricsSnapshot& sums) {
        text.sample({host}, std::to_string(sums.connections_in_use));
    });
    text.begin(metric::database_errors_total);
    each_host([&](const Label& host, const MetricsSnapshot& sums) {
        for (std::size_t index = 0; index < sums.database_errors.size(); ++index)
            text.sample({host, {"reason", database_error_names[index]}},
                        sums.database_errors[index]);
    });
    text.begin(metric::database_read_only);
    each_host([&](const Label& host, const MetricsSnapshot& sums) {
        text.sample({host}, std::uint64_t{sums.is_read_only});
    });
    text.begin(metric::audit_lines_lost_total);
    each_host([&](const Label& host, const MetricsSnapshot& sums) {
        text.sample({host}, sums.lost_audit_lines);
    });
    text.begin(metric::secondary_storage_up);
    each_delivery([&](const Label& host, const DeliverySnapshot& deliveries) {
        if (deliveries.storage != StorageState::unknown)
            text.sample({host}, std::uint64_t{deliveries.storage != StorageState::unreachable});
    });
    text.begin(metric::revocations_delivered_timestamp_seconds);
    each_delivery([&](const Label& host, const DeliverySnapshot& deliveries) {
        text.sample({host}, std::to_string(deliveries.delivered_until));
    });
    text.begin(metric::hash_slots);
    text.sample({}, metrics.hash_bounds.permits);
    text.begin(metric::hash_slots_in_use);
    text.sample({}, metrics.hashes_in_use.permits);
    text.begin(metric::hash_queue_places);
    text.sample({}, metrics.hash_bounds.waiters);
    text.begin(metric::hash_queue_places_in_use);
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
