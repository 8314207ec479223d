#include "secondary_storage/redis.hpp"

#include "secondary_storage/tls.hpp"

#include <hiredis/hiredis.h>

#include <sys/time.h>

namespace useradmin::secondary_storage {

namespace {

// Scripts, because the application may change the same keys meanwhile. What is not JSON of
// better-auth's form is treated as absent, so it does not hold up other users.

/// Defines list(), the entries of a user's list of sessions, and created_at(token), a text.
/// KEYS[1]: the list. ARGV[1]: the prefix.
constexpr std::string_view readers = R"(
local function list()
  local is_json, entries = pcall(cjson.decode, redis.call('GET', KEYS[1]) or '[]')
  return is_json and type(entries) == 'table' and entries or {}
end
local function created_at(token)
  local text = redis.call('GET', ARGV[1] .. token)
  local is_session, stored = pcall(function() return cjson.decode(text).session.createdAt end)
  return is_session and type(stored) == 'string' and stored or ''
end
)";

/// Returns a token and a time in turns.
constexpr std::string_view list_body = R"(
local found = {}
for _, entry in ipairs(list()) do
  if type(entry) == 'table' and type(entry.token) == 'string' then
    table.insert(found, entry.token)
    table.insert(found, created_at(entry.token))
  end
end
return found)";

/// KEYS[2]: the time before which sessions are refused. ARGV: the prefix, that time in milliseconds
/// and as ISO 8601, or empty texts, its life in seconds, and the tokens to end.
constexpr std::string_view end_body = R"(
local ends = {}
for index = 5, #ARGV do ends[ARGV[index]] = true end
local entries = list()
local kept = {}
for _, entry in ipairs(entries) do
  local token = type(entry) == 'table' and entry.token
  if type(token) == 'string' and (ends[token] or created_at(token) < ARGV[3]) then
    ends[token] = true
  elseif type(entry) == 'table' then
    table.insert(kept, entry)
  end
end
for token in pairs(ends) do redis.call('DEL', ARGV[1] .. token) end
if #kept == 0 then
  redis.call('DEL', KEYS[1])
elseif #kept < #entries then
  local life = redis.call('PTTL', KEYS[1])
  redis.call('SET', KEYS[1], cjson.encode(kept))
  if life > 0 then redis.call('PEXPIRE', KEYS[1], life) end
end
if ARGV[2] ~= '' and (tonumber(redis.call('GET', KEYS[2]) or '') or 0) < tonumber(ARGV[2]) then
  redis.call('SET', KEYS[2], ARGV[2], 'EX', ARGV[4])
end
return 1)";

/// As long as revocations are kept.
constexpr std::string_view refusal_seconds = "2592000";

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

RedisStorage::Connection RedisStorage::connect() {
    if (context_ != nullptr && run({"PING"}))
        return Connection::kept;
    return open() ? Connection::opened : Connection::failed;
}

bool RedisStorage::open() {
    const timeval timeout = to_timeval(timeout_);
    context_.reset(redisConnectWithTimeout(address_.host, address_.port, timeout));
    if (context_ == nullptr || context_->err != 0 ||
        redisSetTimeout(context_.get(), timeout) != REDIS_OK) {
        problem_ = context_ != nullptr ? context_->errstr : "out of memory";
        context_.reset();
        return false;
    }
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
        problem_ = start_tls(*context_, address_.host);
    else
        problem_ = "this build has no TLS";
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
    Reply reply(static_cast<redisReply*>(redisCommandArgv(
        context_.get(), static_cast<int>(words.size()), texts.data(), lengths.data())));
    if (reply != nullptr && reply->type != REDIS_REPLY_ERROR)
        return reply;
    problem_ = reply != nullptr ? std::string(reply->str, reply->len) : context_->errstr;
    context_.reset();
    return nullptr;
}

std::optional<std::vector<StoredSession>> RedisStorage::sessions_of(std::string_view user_id) {
    const std::string prefix = address_.prefix;
    const std::string list = (prefix + "active-sessions-").append(user_id);
    const Reply reply = run({"EVAL", std::string(readers).append(list_body), "1", list, prefix});
    if (reply == nullptr)
        return std::nullopt;
    std::vector<StoredSession> sessions;
    for (std::size_t index = 0; index + 1 < reply->elements; index += 2)
        sessions.push_back({std::string(text_of(*reply->element[index])),
                            std::string(text_of(*reply->element[index + 1]))});
    return sessions;
}

bool RedisStorage::end_sessions(std::string_view user_id, std::span<const std::string_view> tokens,
                                std::optional<text::Timestamp> created_before) {
    const std::string prefix = address_.prefix;
    const std::string list = (prefix + "active-sessions-").append(user_id);
    const std::string refused = (prefix + "revoked-sessions-before-").append(user_id);
    const std::string script = std::string(readers).append(end_body);
    std::string before;
    std::string before_text;
    if (created_before) {
        before = std::to_string(created_before->time_since_epoch().count());
        text::append_iso8601(before_text, *created_before);
    }
    std::vector<std::string_view> words = {"EVAL", script, "2",         list,           refused,
                                           prefix, before, before_text, refusal_seconds};
    words.insert(words.end(), tokens.begin(), tokens.end());
    return run(words) != nullptr;
}

} // namespace useradmin::secondary_storage
