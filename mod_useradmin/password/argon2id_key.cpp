#include "password/argon2id_key.hpp"

#include "password/hash_memory.hpp"

#include <argon2.h>
#include <sodium.h>

#include <chrono>
#include <ctime>
#include <string>

namespace useradmin::password {

namespace {

// libargon2's default allocation would stay in each thread's glibc arena: 19 MiB for every thread
// that ever hashed.

int allocate_memory(std::uint8_t** memory, std::size_t size) {
    *memory = static_cast<std::uint8_t*>(HashMemory::allocate(size));
    return *memory != nullptr ? ARGON2_OK : ARGON2_MEMORY_ALLOCATION_ERROR;
}

void free_memory(std::uint8_t* memory, std::size_t size) {
    HashMemory::deallocate(memory, size);
}

using Derive = decltype(derive_with_libsodium);

/// Returns the processor time that this thread takes to derive a key.
std::chrono::nanoseconds time_of(Derive& derive, const Argon2id& work) {
    const auto now = [] {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    };
    const auto start = now();
    static_cast<void>(derive(work, "sixteen bytes...", 32, "password"));
    return now() - start;
}

/// Returns whether libsodium is the faster one. It uses AVX2 or AVX-512, but without huge pages it
/// loses time to page faults. HashMemory requests huge pages for libargon2 and keeps its memory.
bool is_libsodium_faster(const Argon2id& work) {
    static_cast<void>(time_of(derive_with_libargon2, work)); // gets the memory
    return time_of(derive_with_libsodium, work) < time_of(derive_with_libargon2, work);
}

bool is_supported_by_libsodium(const Argon2id& work, std::string_view salt) noexcept {
    return work.lanes == 1 && salt.size() == crypto_pwhash_argon2id_SALTBYTES;
}

} // namespace

std::optional<crypto::Secret> derive_with_libargon2(const Argon2id& work, std::string_view salt,
                                                    std::size_t size, std::string_view password) {
    // libargon2 writes to the key only.
    const auto bytes_of = [](std::string_view text) {
        return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
    };
    std::string key(size, '\0');
    argon2_context context{};
    context.out = bytes_of(key);
    context.outlen = static_cast<std::uint32_t>(key.size());
    context.pwd = bytes_of(password);
    context.pwdlen = static_cast<std::uint32_t>(password.size());
    context.salt = bytes_of(salt);
    context.saltlen = static_cast<std::uint32_t>(salt.size());
    context.t_cost = work.passes;
    context.m_cost = work.memory_kib;
    context.lanes = work.lanes;
    context.threads = work.lanes;
    context.version = ARGON2_VERSION_13;
    context.allocate_cbk = allocate_memory;
    context.free_cbk = free_memory;
    if (argon2id_ctx(&context) != ARGON2_OK)
        return std::nullopt;
    return crypto::Secret(std::move(key));
}

std::optional<crypto::Secret> derive_with_libsodium(const Argon2id& work, std::string_view salt,
                                                    std::size_t size, std::string_view password) {
    static const bool is_ready = sodium_init() >= 0;
    if (!is_ready || !is_supported_by_libsodium(work, salt))
        return std::nullopt;
    std::string key(size, '\0');
    if (crypto_pwhash_argon2id(
            reinterpret_cast<unsigned char*>(key.data()), key.size(), password.data(),
            password.size(), reinterpret_cast<const unsigned char*>(salt.data()), work.passes,
            std::size_t{work.memory_kib} * 1024, crypto_pwhash_argon2id_ALG_ARGON2ID13) != 0)
        return std::nullopt;
    return crypto::Secret(std::move(key));
}

std::optional<crypto::Secret> derive_argon2id_key(const Argon2id& work, std::string_view salt,
                                                  std::size_t size, std::string_view password) {
    if (is_supported_by_libsodium(work, salt)) {
        static const bool prefers_libsodium = is_libsodium_faster(work);
        if (prefers_libsodium)
            if (auto key = derive_with_libsodium(work, salt, size, password))
                return key;
    }
    return derive_with_libargon2(work, salt, size, password);
}

} // namespace useradmin::password
