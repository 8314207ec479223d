// The rows of a result.
#pragma once

#include "model/records.hpp"

#include <charconv>
#include <cstddef>
#include <span>

namespace useradmin::store {

/// A value of a row. A time is one where the database gave it as such, and else a text.
using Cell = std::variant<std::monostate, std::string_view, text::Timestamp>;

/// The rows that a statement gave, read once, row by row and column by column. The texts live as
/// long as the pool that the statement ran with.
class Rows {
  public:
    Rows() noexcept = default;
    /// Cells row after row, all of one width. For a statement without rows,
    /// affected is how many it changed.
    Rows(std::span<const Cell> cells, std::size_t width, std::int64_t affected) noexcept
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
        end_ = at_ + width_;
        return true;
    }
    /// Whether the next column of the row is NULL; so is what is past the last.
    bool is_null() const noexcept {
        return at_ >= end_ || std::holds_alternative<std::monostate>(cells_[at_]);
    }
    /// The text in the next column of the row; nothing for NULL.
    model::NullableText take() noexcept {
        const Cell* cell = take_cell();
        const auto* text = cell != nullptr ? std::get_if<std::string_view>(cell) : nullptr;
        return text != nullptr ? model::NullableText(*text) : model::NullableText();
    }
    /// The time in the next column of the row; nothing for what is none.
    model::NullableTime take_time() noexcept {
        const Cell* cell = take_cell();
        if (cell == nullptr)
            return {};
        if (const auto* time = std::get_if<text::Timestamp>(cell))
            return *time;
        const auto* text = std::get_if<std::string_view>(cell);
        return text != nullptr ? text::parse_timestamp(*text) : model::NullableTime();
    }

    /// The number in the next column of the row; 0 for what is none.
    std::int64_t take_number() noexcept {
        const std::string_view text = take().value_or("");
        std::int64_t number = 0;
        std::from_chars(text.data(), text.data() + text.size(), number);
        return number;
    }
    /// The truth value in the next column of the row, as either database writes it.
    bool take_boolean() noexcept {
        const model::NullableText text = take();
        return text && (*text == "t" || *text == "1" || *text == "true");
    }
    /// The record whose fields are the next columns of the row (Table::select_list).
    template <class Record>
    Record take_record() noexcept {
        Record record;
        const auto take_into = [&](auto& member) {
            using Member = std::decay_t<decltype(member)>;
            if constexpr (std::is_same_v<Member, bool>)
                member = take_boolean();
            else if constexpr (std::is_same_v<Member, model::NullableText>)
                member = take();
            else if constexpr (std::is_same_v<Member, std::string_view>)
                member = take().value_or("");
            else
                member = take_time();
        };
        for (const model::Field<Record>& field : model::fields<Record>())
            std::visit([&](auto member) { take_into(record.*member); }, field.member);
        return record;
    }

  private:
    const Cell* take_cell() noexcept { return at_ < end_ ? &cells_[at_++] : nullptr; }

    std::span<const Cell> cells_;
    std::size_t width_ = 0;
    std::int64_t affected_ = 0;
    std::size_t rows_read_ = 0;
    std::size_t at_ = 0;
    std::size_t end_ = 0; // of the row
};

} // namespace useradmin::store
