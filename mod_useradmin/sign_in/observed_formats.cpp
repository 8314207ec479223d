#include "sign_in/observed_formats.hpp"

#include "password/hash.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace useradmin::sign_in {

namespace {

using password::Argon2id;
using password::Format;

constexpr std::size_t max_formats = 8;
constexpr std::chrono::minutes refresh_interval(5);
constexpr std::chrono::seconds retry_interval(10);

// Measured relative to argon2id with OWASP's parameters: scrypt takes about four times as long, and
// bcrypt with a cost of 10 (1,024 rounds) 2.7 times as long.
constexpr std::uint64_t cost_of_scrypt = 160'000;
constexpr std::uint64_t cost_of_bcrypt_round = 100;

/// Returns the relative cost of a hash, in argon2id's unit: KiB of memory times passes.
std::uint64_t cost_of(const Format& format) noexcept {
    if (const auto* const argon2id = std::get_if<Argon2id>(&format))
        return std::uint64_t{argon2id->memory_kib} * argon2id->passes;
    if (const auto* const bcrypt = std::get_if<password::Bcrypt>(&format))
        return cost_of_bcrypt_round << bcrypt->cost;
    return cost_of_scrypt;
}

/// Parses a name from Store::password_formats(). Returns std::nullopt for "other".
std::optional<Format> parse_sampled_format(const std::string& name) {
    if (name == "scrypt")
        return password::Scrypt();
    if (name.starts_with("$2"))
        return password::format_of(name + std::string(53, '.'));
    // Append a placeholder salt of 16 bytes and hash of 32 bytes.
    return password::format_of(name + std::string(22, 'A') + '$' + std::string(43, 'A'));
}

} // namespace

void ObservedFormats::refresh(store::Store& store, std::string_view tables_id,
                              Clock::time_point now) {
    {
        const std::lock_guard lock(mutex_);
        Clock::time_point& next = next_refreshes_[std::string(tables_id)];
        if (now < next)
            return;
        next = now + refresh_interval;
    }
    const auto names = store.password_formats();
    if (!names) {
        const std::lock_guard lock(mutex_);
        next_refreshes_[std::string(tables_id)] = now + retry_interval;
        return;
    }
    for (const std::string& name : *names)
        if (const auto work = parse_sampled_format(name))
            add(*work);
}

void ObservedFormats::add(const Format& format) {
    const std::lock_guard lock(mutex_);
    if (std::ranges::find(formats_, format) != formats_.end())
        return;
    formats_.push_back(format);
    if (formats_.size() > max_formats)
        formats_.erase(std::ranges::min_element(formats_, {}, cost_of));
}

std::vector<Format> ObservedFormats::all() const {
    const std::lock_guard lock(mutex_);
    return formats_;
}

} // namespace useradmin::sign_in
