#pragma once

#include "text/logger.hpp"

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::test {

/// Records log lines. Several threads may write at the same time.
class RecordingLogger final : public text::Logger {
  public:
    std::vector<std::string> lines;

    void write(text::Level, std::string_view message) noexcept override {
        const std::lock_guard lock(mutex_);
        lines.emplace_back(message);
    }
    /// Returns all lines, each with a newline.
    std::string text() const {
        const std::lock_guard lock(mutex_);
        std::string all;
        for (const std::string& line : lines)
            (all += line) += '\n';
        return all;
    }

  private:
    mutable std::mutex mutex_;
};

} // namespace useradmin::test
