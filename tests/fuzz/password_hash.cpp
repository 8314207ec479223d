// A stored password hash, which can be any string in an application's table.
#include "targets.hpp"

#include "password/algorithms.hpp"

#include <algorithm>
#include <string>

namespace useradmin::fuzz {

namespace {

using password::Argon2id;
using password::Bcrypt;

bool is_cheap(const Argon2id& work) noexcept {
    return work.memory_kib <= 128 && work.passes <= 2;
}

void require_bounds(const Argon2id& work) {
    for (const auto& parameter : password::argon2id_parameters)
        require(work.*parameter.value >= parameter.min && work.*parameter.value <= parameter.max,
                "the cost parameters are bounded");
    require(work.memory_kib >= password::min_lane_memory_kib * work.lanes, "each lane has memory");
}

/// Returns the start of a hash with these parameters.
std::string parameters_of(const Argon2id& work) {
    return "$argon2id$v=19$m=" + std::to_string(work.memory_kib) +
           ",t=" + std::to_string(work.passes) + ",p=" + std::to_string(work.lanes) + "$";
}

} // namespace

void fuzz_password_hash(std::string_view stored) {
    constexpr std::string_view password = "correct horse";
    const auto work = password::format_of(stored);
    if (!work) {
        require(password::verify(stored, password) == password::Verdict::unsupported,
                "a hash with unknown parameters is rejected");
    } else if (const auto* const argon2id = std::get_if<Argon2id>(&*work)) {
        require_bounds(*argon2id);
        require(stored.starts_with(parameters_of(*argon2id)),
                "the cost parameters are those in the hash");
        require(std::count(stored.begin(), stored.end(), '$') == 5 && stored.size() <= 256,
                "a hash has five fields of bounded length");
        if (is_cheap(*argon2id))
            require(password::verify(stored, password) != password::Verdict::unsupported,
                    "a hash with known parameters is computed");
    } else if (const auto* const bcrypt = std::get_if<Bcrypt>(&*work)) {
        constexpr std::uint32_t cheap_cost = 5;
        require(bcrypt->cost >= password::min_bcrypt_cost &&
                    bcrypt->cost <= password::max_bcrypt_cost,
                "the cost parameter is bounded");
        require(stored.size() == 60 && stored.starts_with("$2"),
                "a bcrypt hash has 60 characters and starts with $2");
        if (bcrypt->cost <= cheap_cost)
            require(password::verify(stored, password) != password::Verdict::unsupported,
                    "a hash with known parameters is computed");
    } else {
        require(stored.size() == 161 &&
                    stored.find_first_not_of("0123456789abcdefABCDEF:") == stored.npos,
                "better-auth's hash is hexadecimal");
    }
    if (stored.size() > password::max_password_bytes)
        return;
    // The input is the password.
    const auto made = password::hash(Argon2id{8, 1, 1}, stored);
    require(made.has_value(), "hashing succeeds");
    require(password::verify(made->view(), stored) == password::Verdict::match,
            "a password matches its hash");
    require(password::verify(made->view(), std::string(stored) + "x") != password::Verdict::match,
            "another password does not match");
}

} // namespace useradmin::fuzz
