#pragma once

#include "model/records.hpp"

#include <charconv>
#include <cstddef>
#include <span>

namespace useradmin::store {

/// A value of a row. std::monostate is NULL. A time is a string if the database returned it as
/// text.
using Cell = std::variant<std::monostate, std::string_view, text::Timestamp>;

/// Reads the rows of a result once, in order. Strings are valid for the lifetime of the pool that
/// was passed to the Client.
class Rows {
  public:
    Rows() noexcept = default;
    /// `cells` are the values in row-major order. `affected` is the number of rows changed by a
    /// statement without result rows.
    Rows(std::span<const Cell> cells, std::size_t column_count, std::int64_t affected) noexcept
        : cells_(cells), column_count_(column_count), affected_(affected) {}

    std::size_t count() const noexcept {
        return column_count_ > 0 ? cells_.size() / column_count_ : 0;
    }
    std::size_t column_count() const noexcept { return column_count_; }
    std::int64_t affected() const noexcept { return affected_; }

    /// Advances to the next row. The first call advances to the first row. Returns false at the
    /// end.
    bool next() noexcept {
        if (rows_read_ >= count())
            return false;
        at_ = column_count_ * rows_read_++;
        end_ = at_ + column_count_;
        return true;
    }
    /// Returns whether the next column is NULL or past the end.
    bool is_null() const noexcept {
        return at_ >= end_ || std::holds_alternative<std::monostate>(cells_[at_]);
    }
    /// Reads the next column as a string. Returns std::nullopt if it is NULL, a decoded time, or
    /// past the end.
    model::NullableText take() noexcept {
        const Cell* cell = take_cell();
        const auto* text = cell != nullptr ? std::get_if<std::string_view>(cell) : nullptr;
        return text != nullptr ? model::NullableText(*text) : model::NullableText();
    }
    /// Reads the next column as a time. Returns std::nullopt if it is not a time.
    model::NullableTime take_time() noexcept {
        const Cell* cell = take_cell();
        if (cell == nullptr)
            return {};
        if (const auto* time = std::get_if<text::Timestamp>(cell))
            return *time;
        const auto* text = std::get_if<std::string_view>(cell);
        return text != nullptr ? text::parse_timestamp(*text) : model::NullableTime();
    }

    /// Reads the next column as a number. Returns 0 if it is not a number.
    std::int64_t take_number() noexcept {
        const std::string_view text = take().value_or("");
        std::int64_t number = 0;
        std::from_chars(text.data(), text.data() + text.size(), number);
        return number;
    }
    /// Reads the next column as a boolean, in the format of either database. NULL is false.
    bool take_boolean() noexcept {
        const model::NullableText text = take();
        return text && (*text == "t" || *text == "1" || *text == "true");
    }
    /// Reads the columns of Table::select_list into a record.
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
    std::size_t column_count_ = 0;
    std::int64_t affected_ = 0;
    std::size_t rows_read_ = 0;
    std::size_t at_ = 0;
    std::size_t end_ = 0; // the end of the row
};

} // namespace useradmin::store
