#include "store/dialect.hpp"

namespace useradmin::store {

std::span<const Dialect* const> dialects() noexcept {
    static const Dialect* const all[] = {&postgresql(), &sqlite()};
    return all;
}

const Dialect* find_dialect(std::string_view driver) noexcept {
    for (const Dialect* dialect : dialects())
        if (driver == dialect->product().driver)
            return dialect;
    return nullptr;
}

std::string fingerprint_of(const TableNames& names, Rows answer) {
    std::string all;
    for (const std::string_view name : {names.user, names.session, names.account, names.last_seen})
        all.append(name) += '\n';
    while (answer.next())
        for (std::size_t column = 0; column < answer.column_count(); ++column)
            all.append(answer.take().value_or("")) += '\n';
    return all;
}

std::string driver_names() {
    std::string names;
    for (const Dialect* dialect : dialects())
        names.append(names.empty() ? "" : " or ").append(dialect->product().driver);
    return names;
}

} // namespace useradmin::store
