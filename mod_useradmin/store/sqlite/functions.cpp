#include "store/sqlite/functions.hpp"

#include "crypto/sha256.hpp"
#include "text/unicode.hpp"

#include <cmath>
#include <new>
#include <string>

namespace useradmin::store {

namespace {

/// Returns the bytes of a blob, or of any other value as UTF-8 text.
std::string_view bytes_of(sqlite3_value* value) noexcept {
    const void* const data = sqlite3_value_type(value) == SQLITE_BLOB ? sqlite3_value_blob(value)
                                                                      : sqlite3_value_text(value);
    const auto* bytes = static_cast<const char*>(data);
    return {bytes != nullptr ? bytes : "", static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

/// Implements an SQL function with a C++ function of a string.
template <std::string (*of_text)(std::string_view)>
void mapped(sqlite3_context* context, int, sqlite3_value** values) noexcept {
    try {
        const std::string text = of_text(bytes_of(values[0]));
        sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    } catch (...) {
        sqlite3_result_error_nomem(context);
    }
}

/// Appends an injective encoding of a value.
void append_value(std::string& out, sqlite3_value* value) {
    const auto append = [&](char kind, const auto& number) {
        out += kind;
        out.append(reinterpret_cast<const char*>(&number), sizeof number);
    };
    constexpr double max_exact = 9007199254740992; // 2^53
    const int type = sqlite3_value_type(value);
    if (type == SQLITE_NULL) {
        out += 'n';
    } else if (type == SQLITE_INTEGER) {
        append('i', sqlite3_value_int64(value));
    } else if (type == SQLITE_FLOAT) {
        // Encode an integral value as an integer, because a column's affinity may store it as one.
        const double number = sqlite3_value_double(value);
        if (std::trunc(number) == number && std::abs(number) < max_exact)
            append('i', static_cast<sqlite3_int64>(number));
        else
            append('f', number);
    } else {
        const std::string_view bytes = bytes_of(value);
        append(type == SQLITE_TEXT ? 't' : 'b', bytes.size());
        out += bytes;
    }
}

/// useradmin_version(value, …): returns a digest of the values.
void version(sqlite3_context* context, int count, sqlite3_value** values) noexcept {
    constexpr std::size_t max_digits = 32;
    try {
        std::string all;
        for (int index = 0; index < count; ++index)
            append_value(all, values[index]);
        const std::string text = crypto::sha256_hex(all).substr(0, max_digits);
        sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    } catch (...) {
        sqlite3_result_error_nomem(context);
    }
}

} // namespace

void register_functions(sqlite3* database) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
    struct Function {
        const char* name;
        int arguments;
        void (*body)(sqlite3_context*, int, sqlite3_value**) noexcept;
    };
    // SQLite's own functions fold only ASCII.
    constexpr Function functions[] = {{"useradmin_fold", 1, mapped<text::fold>},
                                      {"useradmin_sort_key", 1, mapped<text::sort_key>},
                                      {"useradmin_version", -1, version}};
    for (const auto& [name, arguments, body] : functions)
        if (sqlite3_create_function_v2(database, name, arguments,
                                       SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, body, nullptr,
                                       nullptr, nullptr) != SQLITE_OK)
            throw std::bad_alloc(); // the only possible error
}

} // namespace useradmin::store
