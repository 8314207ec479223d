-- Prints the results of wrk as one line of JSON.
done = function(summary, latency)
    io.write(string.format(
        '\n{"requests":%d,"seconds":%f,"p50":%f,"p99":%f,"failed":%d,"lost":%d}\n',
        summary.requests, summary.duration / 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
        summary.errors.status,
        summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
