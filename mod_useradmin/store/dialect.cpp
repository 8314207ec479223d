#include "store/dialect.hpp"

namespace useradmin::store {

// Each in a file of its own.
const Dialect& postgresql() noexcept;
const Dialect& sqlite() noexcept;

std::span<const Dialect* const> dialects() noexcept {
    static const Dialect* const all[] = {&postgresql(), &sqlite()};
    return all;
}

const Dialect* dialect_of(std::string_view driver) noexcept {
    for (const Dialect* dialect : dialects())
        if (driver == dialect->product().driver)
            return dialect;
    return nullptr;
}

std::string names_of_drivers() {
    std::string names;
    for (const Dialect* dialect : dialects())
        names.append(names.empty() ? "" : " or ").append(dialect->product().driver);
    return names;
}

} // namespace useradmin::store
