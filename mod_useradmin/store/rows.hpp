// The rows of a result.
#pragma once

#include "store/records.hpp"

#include <charconv>
#include <cstddef>
#include <span>

namespace useradmin::store {

/// The rows that a statement gave, read once, row by row and column by column. The texts live as
/// long as the pool that the statement ran with.
class Rows {
  public:
    Rows() noexcept = default;
    /// Cells row after row, all of one width; NULL is nothing. For a statement without rows,
    /// affected is how many it changed.
    Rows(std::span<const Text> cells, std::size_t width, std::int64_t affected) noexcept
        : cells_(cells), width_(width), affected_(affected) {}

    std::size_t count() const noexcept { return width_ > 0 ? cells_.size() / width_ : 0; }
    std::size_t width() const noexcept { return width_; }
    /// How many rows the statement changed.
    std::int64_t affected() const noexcept { return affected_; }

    /// Steps to the next row, first to the first; false past the last.
    bool next() noexcept {
        if (rows_read_ >= count())
            return false;
        at_ = width_ * rows_read_++;
        return true;
    }
    /// The text in the next column of the row; nothing for NULL, and past the last column.
    Text take() noexcept { return at_ < width_ * rows_read_ ? cells_[at_++] : Text(); }

    /// The same, without going on to the column after it.
    Text peek() const noexcept { return at_ < width_ * rows_read_ ? cells_[at_] : Text(); }

    /// The number in the next column of the row; 0 for what is none.
    std::int64_t take_number() noexcept {
        const std::string_view text = take().value_or("");
        std::int64_t number = 0;
        std::from_chars(text.data(), text.data() + text.size(), number);
        return number;
    }
    /// The truth value in the next column of the row, as either database writes it.
    bool take_boolean() noexcept {
        const Text text = take();
        return text && (*text == "t" || *text == "1" || *text == "true");
    }
    /// The record whose fields are the next columns of the row (Table::read).
    template <class Record>
    Record take_record() noexcept {
        Record record;
        const auto take_into = [&](auto& member) {
            using Member = std::decay_t<decltype(member)>;
            if constexpr (std::is_same_v<Member, bool>)
                member = take_boolean();
            else if constexpr (std::is_same_v<Member, Text>)
                member = take();
            else if constexpr (std::is_same_v<Member, std::string_view>)
                member = take().value_or("");
            else if (const Text text = take())
                member = text::parse_timestamp(*text);
            else
                member = {};
        };
        for (const Field<Record>& field : fields<Record>())
            std::visit([&](auto member) { take_into(record.*member); }, field.member);
        return record;
    }

  private:
    std::span<const Text> cells_;
    std::size_t width_ = 0;
    std::int64_t affected_ = 0;
    std::size_t rows_read_ = 0;
    std::size_t at_ = 0;
};

} // namespace useradmin::store
