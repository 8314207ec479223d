#include "password/argon2id_key.hpp"

#include <argon2.h>
#include <sodium.h>
#include <sys/mman.h>

#include <string>

namespace useradmin::password {

namespace {

// With the default allocator of libargon2, the glibc arena of every thread that has hashed would
// keep 19 MiB.

int allocate_memory(std::uint8_t** memory, std::size_t size) {
    void* const mapped =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return ARGON2_MEMORY_ALLOCATION_ERROR;
    // With small pages, page faults would take a third of the time.
    madvise(mapped, size, MADV_HUGEPAGE);
    *memory = static_cast<std::uint8_t*>(mapped);
    return ARGON2_OK;
}

void free_memory(std::uint8_t* memory, std::size_t size) {
    munmap(memory, size);
}

} // namespace

std::optional<crypto::Secret> derive_with_libargon2(const Argon2id& work, std::string_view salt,
                                                    std::size_t size, std::string_view password) {
    // The const_cast is safe because libargon2 writes only to the key.
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
    if (!is_ready || work.lanes != 1 || salt.size() != crypto_pwhash_argon2id_SALTBYTES)
        return std::nullopt;
    std::string key(size, '\0');
    const int failed = crypto_pwhash_argon2id(
        reinterpret_cast<unsigned char*>(key.data()), key.size(), password.data(), password.size(),
        reinterpret_cast<const unsigned char*>(salt.data()), work.passes,
        std::size_t{work.memory_kib} * 1024, crypto_pwhash_argon2id_ALG_ARGON2ID13);
    // libsodium leaves copies of the key on the stack.
    constexpr std::size_t stack_size = 16384;
    sodium_stackzero(stack_size);
    if (failed != 0)
        return std::nullopt;
    return crypto::Secret(std::move(key));
}

std::optional<crypto::Secret> derive_argon2id_key(const Argon2id& work, std::string_view salt,
                                                  std::size_t size, std::string_view password) {
    // libsodium is faster: by 20% with AVX-512, and by 50% if the kernel uses huge pages.
    if (auto key = derive_with_libsodium(work, salt, size, password))
        return key;
    return derive_with_libargon2(work, salt, size, password);
}

} // namespace useradmin::password
