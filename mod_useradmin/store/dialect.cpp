#include "store/dialect.hpp"

namespace useradmin::store {

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

} // namespace useradmin::store
