#include "ctl/bulk/user_file.hpp"

#include "ctl/command_error.hpp"
#include "ctl/display.hpp"
#include "text/unicode.hpp"
#include "json/reader.hpp"
#include "json/record.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace useradmin::ctl {

namespace {

// Enough for any real user, including a picture as a data URL.
constexpr std::size_t max_line_size = std::size_t{16} << 20;
constexpr std::size_t piece_size = std::size_t{1} << 16;

/// Returns the known member with this name, or an empty string.
std::string_view known_name(std::string_view name) {
    if (const auto* const field = model::find_user_field(name))
        return field->name;
    for (const std::string_view member : {hash_member, password_member})
        if (member == name)
            return member;
    return {};
}

std::string known_names() {
    std::string names;
    for (const model::Field<model::User>& field : model::user_fields)
        names.append(field.name).append(", ");
    return names.append(hash_member).append(" and ").append(password_member);
}

std::string unknown(std::string_view name) {
    return "has the unknown field \"" + std::string(name) + "\"; the fields are " + known_names();
}

struct CsvCell {
    crypto::Secret text;
    bool is_quoted = false;
    bool is_last = false;
};

/// Returns the offset of a quoted cell's closing quote, or npos. The line starts after the opening
/// quote.
std::size_t closing_quote(std::string_view line) noexcept {
    std::size_t at = line.find('"');
    while (at != line.npos && line.substr(at + 1).starts_with('"'))
        at = line.find('"', at + 2);
    return at;
}

/// Returns a cell's text with doubled quotes unescaped.
crypto::Secret text_in(std::string_view cell) {
    std::string text;
    text.reserve(cell.size()); // a reallocation would leave a copy in memory
    while (!cell.empty()) {
        const std::size_t quote = std::min(cell.find('"'), cell.size() - 1);
        text += cell.substr(0, quote + 1);
        cell.remove_prefix(std::min(quote + 2, cell.size()));
    }
    return crypto::Secret(std::move(text));
}

/// Removes a cell and its separator from the start of a CSV line, and returns the cell. Returns
/// std::nullopt if the quoting is invalid.
std::optional<CsvCell> take_cell(std::string_view& line) {
    CsvCell cell;
    cell.is_quoted = line.starts_with('"');
    if (cell.is_quoted)
        line.remove_prefix(1);
    const std::size_t end =
        cell.is_quoted ? closing_quote(line) : std::min(line.find(','), line.size());
    if (end == line.npos || (!cell.is_quoted && line.substr(0, end).find('"') != line.npos))
        return std::nullopt;
    cell.text = text_in(line.substr(0, end));
    line.remove_prefix(cell.is_quoted ? end + 1 : end);
    if (line.empty())
        cell.is_last = true;
    else if (line.front() != ',')
        return std::nullopt;
    else
        line.remove_prefix(1);
    return cell;
}

std::string_view without_end(std::string_view line) {
    if (line.ends_with('\n'))
        line.remove_suffix(1);
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return line;
}

/// Inserts an apostrophe before each formula in a cell (OWASP, "CSV Injection"). In some locales,
/// spreadsheets also split cells at semicolons and line breaks.
std::string escape_formulas(std::string_view value) {
    constexpr std::string_view signs[] = {"=", "+", "-", "@", "＝", "＋", "－", "＠"};
    constexpr std::string_view separators = ";\t\r\n";
    std::string escaped(value.find_first_of("\t\r\n") == 0 ? "'" : "");
    bool is_start = true;
    for (; !value.empty(); value.remove_prefix(1)) {
        if (is_start && std::ranges::any_of(
                            signs, [&](std::string_view sign) { return value.starts_with(sign); }))
            escaped += '\'';
        const char next = value.front();
        is_start = separators.find(next) != separators.npos || (is_start && next == '"');
        escaped += next;
    }
    return escaped;
}

void append_csv(std::string& out, std::string_view value) {
    const bool needs_quotes = value.empty() || value.find_first_of(",\"\r\n") != value.npos ||
                              value.front() == ' ' || value.back() == ' ';
    if (needs_quotes)
        out += '"';
    while (!value.empty()) {
        const std::size_t length = text::sequence_length(value);
        if (length == 0)
            out += text::replacement_character; // as in JSON: import rejects invalid UTF-8
        else if (value.front() == '"')
            out += "\"\"";
        else
            out.append(value, 0, length);
        value.remove_prefix(std::max<std::size_t>(length, 1));
    }
    if (needs_quotes)
        out += '"';
}

} // namespace

FileFormat format_of(std::optional<std::string_view> option, std::string_view file) {
    const std::string_view name = option ? *option : file.substr(file.rfind('.') + 1);
    if (name == "csv")
        return FileFormat::csv;
    if (option && name != "ndjson")
        throw UsageError("--format must be csv or ndjson");
    return FileFormat::ndjson;
}

UserFileReader::UserFileReader(std::FILE* file, FileFormat format) : file_(file), format_(format) {
    // A stdio buffer would retain passwords.
    std::setvbuf(file, nullptr, _IONBF, 0);
    if (format == FileFormat::csv)
        read_header();
}

UserFileReader::~UserFileReader() {
    crypto::wipe(buffer_);
}

void UserFileReader::compact_buffer() {
    const std::size_t rest = buffer_.size() - at_;
    if (at_ == 0 && buffer_.size() + piece_size <= buffer_.capacity())
        return;
    std::string roomy;
    roomy.reserve(std::max(2 * rest, rest + piece_size));
    roomy.append(buffer_, at_);
    crypto::wipe(buffer_);
    buffer_ = std::move(roomy);
    at_ = taken_ = 0;
}

void UserFileReader::commit_line() {
    const std::string_view line = std::string_view(buffer_).substr(taken_, at_ - taken_);
    taken_ = at_;
    line_ += static_cast<std::uint64_t>(std::ranges::count(line, '\n'));
}

std::string_view UserFileReader::read_line() {
    commit_line();
    std::size_t end = 0;
    bool is_quoted = false;
    for (std::size_t looked = at_; end == 0;) {
        for (; looked < buffer_.size() && end == 0; ++looked) {
            is_quoted = is_quoted != (format_ == FileFormat::csv && buffer_[looked] == '"');
            if (buffer_[looked] == '\n' && !is_quoted)
                end = looked + 1;
        }
        if (end > 0)
            break;
        if (buffer_.size() - at_ > max_line_size)
            throw CommandError("line " + std::to_string(line_ + 1) + " has more than " +
                               std::to_string(max_line_size) +
                               " bytes; is a quote missing, or is the file in another format?");
        looked -= at_;
        compact_buffer();
        const std::size_t before = buffer_.size();
        buffer_.resize(before + piece_size);
        // On a terminal, a read after Ctrl-D would wait for another one.
        const std::size_t count =
            std::feof(file_) != 0 ? 0 : std::fread(buffer_.data() + before, 1, piece_size, file_);
        buffer_.resize(before + count);
        bytes_ += count;
        if (std::ferror(file_) != 0)
            throw CommandError("cannot read the file: " + std::generic_category().message(errno));
        if (count == 0) {
            end = buffer_.size();
            break;
        }
    }
    at_ = end;
    return std::string_view(buffer_).substr(taken_, end - taken_);
}

std::string_view UserFileReader::without_mark(std::string_view line) const noexcept {
    return line_ == 0 ? text::without_byte_order_mark(line) : line;
}

void UserFileReader::read_header() {
    std::string_view line = without_end(without_mark(read_line()));
    for (bool is_last = false; !is_last;) {
        const auto cell = take_cell(line);
        const std::string_view name = cell ? known_name(cell->text.view()) : std::string_view();
        if (name.empty())
            throw CommandError("the header (line 1) " +
                               (cell ? unknown(cell->text.view()) : "is quoted incorrectly"));
        if (std::ranges::find(header_, name) != header_.end())
            throw CommandError("line 1 has \"" + std::string(name) + "\" twice");
        header_.push_back(name);
        is_last = cell->is_last;
    }
}

void UserFileReader::read_cells(std::string_view line, FileLine& read) const {
    for (const std::string_view name : header_) {
        auto cell = take_cell(line);
        if (!cell || cell->is_last != (name == header_.back())) {
            read.problem =
                cell ? "must have " + count_of(header_.size(), "cell", "cells") + ", like line 1"
                     : "is quoted incorrectly: enclose cells that contain quotes, commas or line "
                       "breaks in quotes, and double the quotes inside them";
            return;
        }
        const bool is_null = cell->text.view().empty() && !cell->is_quoted;
        read.cells.push_back({name, is_null ? std::nullopt : std::optional(std::move(cell->text))});
    }
}

void UserFileReader::read_members(std::string_view line, FileLine& read) const {
    using Kind = json::Object::Kind;
    const auto object = json::Object::parse(line);
    if (!object) {
        read.problem = "is not a JSON object in UTF-8";
        return;
    }
    for (const std::string_view key : object->keys()) {
        const std::string_view name = known_name(key);
        if (name.empty()) {
            read.problem = unknown(key);
            return;
        }
        std::optional<crypto::Secret> text;
        const Kind kind = object->kind(key);
        if (kind == Kind::boolean && model::has_user_field<bool>(name))
            text = crypto::Secret(object->boolean(key) ? "true" : "false");
        else if (kind == Kind::string)
            text = crypto::Secret(std::string(object->text(key)));
        else if (kind != Kind::null) {
            read.problem = "has a \"" + std::string(name) + "\" that is not a " +
                           (model::has_user_field<bool>(name) ? "boolean" : "string") + " or null";
            return;
        }
        read.cells.push_back({name, std::move(text)});
    }
}

std::optional<FileLine> UserFileReader::next() {
    for (;;) {
        const std::string_view taken = read_line();
        FileLine read;
        read.number = line_ + 1;
        if (taken.empty())
            return std::nullopt;
        const std::string_view line = without_end(without_mark(taken));
        if (line.empty())
            continue;
        if (!text::is_clean_utf8(line))
            read.problem = "is not valid UTF-8, or contains U+0000";
        else if (format_ == FileFormat::csv)
            read_cells(line, read);
        else
            read_members(line, read);
        return read;
    }
}

std::uint64_t UserFileReader::lines_read() {
    commit_line();
    return line_;
}

void UserFileWriter::append_header(std::string& out) const {
    if (format_ != FileFormat::csv)
        return;
    for (const model::Field<model::User>& field : model::user_fields)
        out.append(field.name).append(",");
    out.append(hash_member).append("\n");
}

void UserFileWriter::append_cell(std::string& out, std::string_view value) {
    const std::string escaped = escape_formulas(value);
    const bool escapes = formulas_ == Formulas::escape;
    append_csv(out, escapes ? std::string_view(escaped) : value);
    if (!escapes && escaped != value)
        ++formulas_kept_;
}

void UserFileWriter::append(std::string& out, const store::bulk::Row& row) {
    if (format_ == FileFormat::ndjson) {
        json::Writer writer(out);
        writer.begin_object();
        json::write_fields(writer, row.user);
        writer.key(hash_member).string_or_null(row.password_hash);
        writer.end_object();
        out += '\n';
        return;
    }
    for (const model::Field<model::User>& field : model::user_fields) {
        if (const auto text = model::text_of(model::value_of(row.user, field)))
            append_cell(out, *text);
        out += ',';
    }
    if (row.password_hash)
        append_cell(out, *row.password_hash);
    out += '\n';
}

} // namespace useradmin::ctl
