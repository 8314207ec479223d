#include "secondary_storage/redis.hpp"

#include "secondary_storage/tls.hpp"

#include <hiredis/hiredis.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/time.h>

#include <algorithm>
#include <charconv>

namespace useradmin::secondary_storage {

namespace {

// Lua scripts are used because they are atomic, and the application may change the same keys
// concurrently. A value that is not better-auth's JSON is treated as missing, so it does not block
// deliveries for other users. At its memory limit, Redis rejects SET, unless the script has already
// called DEL.

/// Defines two functions: list(key) returns a user's session list. field(token, name) returns a
/// session's field, or '' if it is not a string. ARGV[1]: the key prefix.
constexpr std::string_view readers = R"(
local function list(key)
  local is_json, entries = pcall(cjson.decode, redis.pcall('GET', key) or '[]')
  return is_json and type(entries) == 'table' and entries or {}
end
local function field(token, name)
  local text = redis.pcall('GET', ARGV[1] .. token)
  local is_session, stored = pcall(function() return cjson.decode(text).session[name] end)
  return is_session and type(stored) == 'string' and stored or ''
end
)";

/// Returns an array with three elements for each listed session: the token, the creation time and
/// the id. KEYS[1]: the user's session list.
constexpr std::string_view list_body = R"(
local found = {}
for _, entry in ipairs(list(KEYS[1])) do
  if type(entry) == 'table' and type(entry.token) == 'string' then
    table.insert(found, entry.token)
    table.insert(found, field(entry.token, 'createdAt'))
    table.insert(found, field(entry.token, 'id'))
  end
end
return found)";

/// Defines end_sessions(key, tokens, before). It ends the sessions with these tokens, and the
/// listed sessions created before an ISO 8601 time. If the time is '', it ends only the sessions
/// with these tokens.
constexpr std::string_view ending = R"(
local function end_sessions(key, tokens, before)
  local entries = list(key)
  local kept = {}
  for _, entry in ipairs(entries) do
    local token = type(entry) == 'table' and entry.token
    if type(token) == 'string' and (tokens[token] or field(token, 'createdAt') < before) then
      tokens[token] = true
    elseif type(entry) == 'table' then
      table.insert(kept, entry)
    end
  end
  for token in pairs(tokens) do redis.call('DEL', ARGV[1] .. token) end
  if #kept == 0 then
    redis.call('DEL', key)
  elseif #kept < #entries then
    local life = redis.call('PTTL', key)
    redis.call('SET', key, cjson.encode(kept))
    if life > 0 then redis.call('PEXPIRE', key, life) end
  end
end
)";

/// Ends the sessions with the given tokens. KEYS[1]: the user's session list. ARGV: the key prefix,
/// then the tokens.
constexpr std::string_view tokens_body = R"(
local tokens = {}
for index = 2, #ARGV do tokens[ARGV[index]] = true end
end_sessions(KEYS[1], tokens, '')
return 1)";

/// Ends the sessions of several users. KEYS: for each user, the session list and the key that
/// stores the time before which the application rejects sessions. ARGV: the key prefix, the expiry
/// of the second key in seconds, and for each user the time in milliseconds and in ISO 8601.
constexpr std::string_view users_body = R"(
for index = 1, #KEYS, 2 do
  local refused, before = KEYS[index + 1], ARGV[index + 2]
  end_sessions(KEYS[index], {}, ARGV[index + 3])
  if (tonumber(redis.pcall('GET', refused) or '') or 0) < tonumber(before) then
    redis.call('DEL', refused)
    redis.call('SET', refused, before, 'EX', ARGV[2])
  end
end
return 1)";

/// Sets a key. KEYS[1]: the key. ARGV: the value and the expiry in seconds.
constexpr std::string_view set_body = R"(
redis.call('DEL', KEYS[1])
return redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2]))";

/// The maximum number of users in one call of the script. Such a call blocks Redis for about two
/// milliseconds.
constexpr std::size_t max_users = 100;

/// The lifetime of this module's keys in Redis, in seconds: 30 days, like revocations in the SQL
/// database.
constexpr std::string_view lifetime_seconds = "2592000";

timeval to_timeval(std::chrono::milliseconds time) {
    return {static_cast<time_t>(time.count() / 1000),
            static_cast<suseconds_t>(time.count() % 1000 * 1000)};
}

std::string_view text_of(const redisReply& reply) {
    return reply.type == REDIS_REPLY_STRING ? std::string_view(reply.str, reply.len)
                                            : std::string_view();
}

} // namespace

void RedisStorage::ContextDeleter::operator()(redisContext* context) const noexcept {
    redisFree(context);
}

void RedisStorage::ReplyDeleter::operator()(redisReply* reply) const noexcept {
    freeReplyObject(reply);
}

RedisStorage::RedisStorage(const RedisAddress& address, std::chrono::milliseconds timeout)
    : address_(address), timeout_(timeout) {}

RedisStorage::~RedisStorage() = default;

bool RedisStorage::connect() {
    return (context_ != nullptr && run({"PING"})) || open();
}

bool RedisStorage::open() {
    context_.reset(redisConnectWithTimeout(address_.host, address_.port, to_timeval(timeout_)));
    if (context_ == nullptr || context_->err != 0) {
        problem_ = context_ != nullptr ? context_->errstr : "out of memory";
        context_.reset();
        return false;
    }
    // CGI programs must not inherit the connection. hiredis before 1.4 has no option for this.
    fcntl(context_->fd, F_SETFD, FD_CLOEXEC);
    // The timeout of a blocking read would restart after every byte received.
    fcntl(context_->fd, F_SETFL, fcntl(context_->fd, F_GETFL) | O_NONBLOCK);
    context_->flags &= ~REDIS_BLOCK;
    if (address_.has_tls && !encrypt())
        return false;
    if (address_.password != nullptr) {
        std::vector<std::string_view> words = {"AUTH"};
        if (address_.user != nullptr)
            words.emplace_back(address_.user);
        words.emplace_back(address_.password);
        if (!run(words))
            return false;
    }
    if (address_.database != 0 && !run({"SELECT", std::to_string(address_.database)}))
        return false;
    return run({"PING"}) != nullptr;
}

bool RedisStorage::encrypt() {
    if constexpr (is_tls_available)
        problem_ = start_tls(*context_, address_.host,
                             [this, deadline = Clock::now() + timeout_](short events) {
                                 return wait_for(events, deadline);
                             });
    else
        problem_ = "this build does not support TLS";
    if (!problem_.empty())
        context_.reset();
    return context_ != nullptr;
}

RedisStorage::Reply RedisStorage::run(std::span<const std::string_view> words) {
    if (context_ == nullptr)
        return nullptr;
    std::vector<const char*> texts;
    std::vector<std::size_t> lengths;
    for (const std::string_view word : words) {
        texts.push_back(word.data() != nullptr ? word.data() : "");
        lengths.push_back(word.size());
    }
    redisAppendCommandArgv(context_.get(), static_cast<int>(words.size()), texts.data(),
                           lengths.data());
    Reply reply = receive();
    if (reply != nullptr && reply->type != REDIS_REPLY_ERROR)
        return reply;
    problem_ = reply != nullptr     ? std::string(reply->str, reply->len)
               : context_->err != 0 ? context_->errstr
                                    : "timed out";
    // Redis repeats the arguments of an unknown command, such as the password of AUTH.
    problem_.resize(std::min(problem_.size(), problem_.find(", with args")));
    context_.reset();
    return nullptr;
}

RedisStorage::Reply RedisStorage::receive() {
    const auto deadline = Clock::now() + timeout_;
    void* reply = nullptr;
    int is_sent = 0;
    while (reply == nullptr)
        if (redisBufferWrite(context_.get(), &is_sent) != REDIS_OK ||
            !wait_for(is_sent != 0 ? POLLIN : POLLIN | POLLOUT, deadline) ||
            redisBufferRead(context_.get()) != REDIS_OK ||
            redisGetReply(context_.get(), &reply) != REDIS_OK)
            return nullptr;
    return Reply(static_cast<redisReply*>(reply));
}

bool RedisStorage::wait_for(short events, Clock::time_point deadline) const noexcept {
    pollfd socket = {context_->fd, events, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    return !is_stopped_ && left.count() > 0 &&
           poll(&socket, 1, static_cast<int>(left.count())) != 0;
}

std::string RedisStorage::key(std::string_view name, std::string_view id) const {
    return std::string(address_.prefix).append(name).append(id);
}

std::optional<std::int64_t> RedisStorage::position(std::string_view database) {
    const Reply reply = run({"GET", key("useradmin-delivered-", database)});
    if (reply == nullptr)
        return std::nullopt;
    const std::string_view text = text_of(*reply);
    std::int64_t position = 0;
    std::from_chars(text.data(), text.data() + text.size(), position);
    return position;
}

bool RedisStorage::set_position(std::string_view database, std::int64_t position) {
    return run({"EVAL", set_body, "1", key("useradmin-delivered-", database),
                std::to_string(position), lifetime_seconds}) != nullptr;
}

std::optional<std::vector<StoredSession>> RedisStorage::sessions_of(std::string_view user_id) {
    const Reply reply = run({"EVAL", std::string(readers).append(list_body), "1",
                             key("active-sessions-", user_id), address_.prefix});
    if (reply == nullptr)
        return std::nullopt;
    std::vector<StoredSession> sessions;
    for (std::size_t index = 0; index + 2 < reply->elements; index += 3)
        sessions.push_back({std::string(text_of(*reply->element[index])),
                            std::string(text_of(*reply->element[index + 1])),
                            std::string(text_of(*reply->element[index + 2]))});
    return sessions;
}

bool RedisStorage::end_sessions(std::string_view user_id,
                                std::span<const std::string_view> tokens) {
    const std::string script = std::string(readers).append(ending).append(tokens_body);
    const std::string list = key("active-sessions-", user_id);
    std::vector<std::string_view> words = {"EVAL", script, "1", list, address_.prefix};
    words.insert(words.end(), tokens.begin(), tokens.end());
    return run(words) != nullptr;
}

bool RedisStorage::end_all_sessions(std::span<const RevokedUser> users) {
    const std::string script = std::string(readers).append(ending).append(users_body);
    for (; !users.empty(); users = users.subspan(std::min(users.size(), max_users))) {
        std::vector<std::string> keys;
        std::vector<std::string> times;
        for (const RevokedUser& user : users.first(std::min(users.size(), max_users))) {
            keys.push_back(key("active-sessions-", user.user_id));
            keys.push_back(key("revoked-sessions-before-", user.user_id));
            times.push_back(std::to_string(user.created_before.time_since_epoch().count()));
            text::append_iso8601(times.emplace_back(), user.created_before);
        }
        const std::string key_count = std::to_string(keys.size());
        std::vector<std::string_view> words = {"EVAL", script, key_count};
        words.insert(words.end(), keys.begin(), keys.end());
        words.insert(words.end(), {address_.prefix, lifetime_seconds});
        words.insert(words.end(), times.begin(), times.end());
        if (run(words) == nullptr)
            return false;
    }
    return true;
}

} // namespace useradmin::secondary_storage
