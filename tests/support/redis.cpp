#include "support/redis.hpp"

#include "support/fail_test.hpp"
#include "support/machine.hpp"
#include "support/ports.hpp"

#include <hiredis/hiredis.h>

namespace useradmin::test {

Redis::Redis(const WorkFolder& work, std::string_view name,
             const std::optional<ServerCertificate>& certificate)
    : folder_(work.make(name)), port_(free_port()), certificate_(certificate) {
    if (certificate_)
        tls_port_ = free_port();
    start();
}

Redis::~Redis() = default;

void Redis::start() {
    process_.reset();
    std::filesystem::remove(folder_ / "log");
    Command command{{machine::program("redis-server"), "--port", std::to_string(port_), "--bind",
                     "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder_.string(),
                     "--requirepass", password_}};
    if (certificate_)
        for (const std::string& word : std::vector<std::string>{
                 "--tls-port", std::to_string(tls_port_), "--tls-cert-file",
                 certificate_->certificate, "--tls-key-file", certificate_->key,
                 "--tls-ca-cert-file", certificate_->certificate, "--tls-auth-clients", "no"})
            command.words.push_back(word);
    process_ = start_server("Redis", command, folder_ / "log", [this] {
        return read_file(folder_ / "log").find("Ready to accept connections") != std::string::npos;
    });
}

void Redis::stop() {
    process_.reset();
}

void Redis::change_password(const std::string& password) {
    run({"CONFIG", "SET", "requirepass", password});
    password_ = password;
    run({"CLIENT", "KILL", "TYPE", "normal"});
}

std::string Redis::url(std::uint16_t port) const {
    return "redis://:s3cr3t%20of%20%40%2Fredis@127.0.0.1:" + std::to_string(port) + "/2";
}

std::string Redis::tls_url(const std::string& host) const {
    return "rediss://:s3cr3t%20of%20%40%2Fredis@" + host + ":" + std::to_string(tls_port_) + "/2";
}

std::optional<std::string> Redis::run(const std::vector<std::string>& words) const {
    const auto send = [](redisContext* context, const std::vector<std::string>& command) {
        std::vector<const char*> texts;
        std::vector<std::size_t> lengths;
        for (const std::string& word : command) {
            texts.push_back(word.data());
            lengths.push_back(word.size());
        }
        return std::unique_ptr<redisReply, void (*)(redisReply*)>(
            static_cast<redisReply*>(redisCommandArgv(context, static_cast<int>(texts.size()),
                                                      texts.data(), lengths.data())),
            [](redisReply* reply) { freeReplyObject(reply); });
    };
    const std::unique_ptr<redisContext, decltype(&redisFree)> context(
        redisConnect("127.0.0.1", port_), redisFree);
    if (context == nullptr || context->err != 0)
        fail_test("Redis cannot be reached");
    send(context.get(), {"AUTH", password_});
    send(context.get(), {"SELECT", "2"});
    const auto reply = send(context.get(), words);
    if (reply == nullptr || reply->type == REDIS_REPLY_ERROR)
        fail_test("Redis: " + std::string(reply != nullptr ? reply->str : context->errstr));
    if (reply->type == REDIS_REPLY_NIL)
        return std::nullopt;
    return reply->type == REDIS_REPLY_INTEGER ? std::to_string(reply->integer)
                                              : std::string(reply->str, reply->len);
}

} // namespace useradmin::test
