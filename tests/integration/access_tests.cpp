// Who may do what: every caller, operation, target and combination of fields. What is expected is
// written down from the specification's sections 4, 5 and 7, and shares nothing with the service.
#include "scene.hpp"

#include <algorithm>

namespace useradmin::test {

namespace {

using std::optional;
using std::string;
using Texts = std::vector<optional<string>>;

/// A row of "user", and the session that goes with it.
struct Someone {
    string id;
    optional<string> role;
    bool is_banned = false;
    const char* session_ends = "2999-01-01T00:00:00.000Z";
    string email = id + "@example.org";

    string token() const { return "s3cr3t-" + id; }
    /// What the specification takes the role for (1).
    string known_role() const { return role.value_or("user"); }
    /// Whether requests with its token have a session.
    bool has_session() const { return !is_banned && session_ends[0] == '2'; }
};

/// In the order of a list: all were made at the same time.
const std::vector<Someone>& everybody() {
    static const std::vector<Someone> all = {
        {"admin", "admin"},
        {"banned", "superAdmin", true},
        {"editor", "editor"},
        {"expired", "superAdmin", false, "1999-01-01T00:00:00.000Z"},
        {"main", "superAdmin", false, "2999-01-01T00:00:00.000Z", "admin@example.com"},
        {"other-admin", "admin"},
        {"other-super", "superAdmin"},
        {"other-user", "user"},
        {"roleless", std::nullopt},
        {"several", "admin,superAdmin"},
        {"super", "superAdmin"},
        {"user", "user"},
    };
    return all;
}

const Someone* with_id(const string& id) {
    const auto& all = everybody();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](auto& one) { return one.id == id; });
    return found != all.end() ? &*found : nullptr;
}

/// Whoever is nobody has no token.
const std::vector<string>& callers() {
    static const std::vector<string> all = {"",     "user",    "roleless", "editor", "several",
                                            "main", "expired", "banned",   "admin",  "super"};
    return all;
}

/// Whom a caller reads, updates and deletes: itself, the others, and somebody who is not there.
std::vector<string> targets_of(const string& caller) {
    std::vector<string> all = {"other-user", "other-admin", "other-super", "main", "absent"};
    if (!caller.empty() && caller != "main")
        all.push_back(caller);
    return all;
}

/// A status and a text for an error; for a success 200 and nothing.
struct Answer {
    int status = 200;
    string text = {};
};

/// Checks 1 and 2 of every operation: a session, and one of the roles.
optional<Answer> refusal(const Someone* caller, const std::vector<string>& roles,
                         const char* text) {
    if (caller == nullptr || !caller->has_session())
        return Answer{401, "No autorizado"};
    if (std::find(roles.begin(), roles.end(), caller->known_role()) == roles.end())
        return Answer{403, text};
    return std::nullopt;
}

const std::vector<string> administrators = {"admin", "superAdmin"};
const std::vector<string> super_administrators = {"superAdmin"};

bool is_given(const optional<string>& text) {
    return text && !text->empty();
}

/// What a body has under a name, as JSON; absent where there is no text.
void append_member(string& body, const char* name, const optional<string>& text) {
    if (text)
        body += string(body.empty() ? "" : ",") + "\"" + name + "\":\"" + *text + "\"";
}

} // namespace

class Access : public Scene {
  protected:
    void setup() override {
        allow_log("UA0212");
        allow_log("UA0213");
        lay();
    }

    /// Lays the tables as every request finds them.
    static void lay() {
        Suite::current().database().clear();
        for (const Someone& one : everybody()) {
            add_user({one.id, "Name of " + one.id, one.email, one.role.value_or("NULL"), made});
            add_session(one.token(), one.id, one.session_ends);
            if (one.is_banned)
                sql().run("UPDATE \"user\" SET \"banned\" = TRUE WHERE \"id\" = 'banned'");
        }
    }

    Reply send(const string& method, const string& path, const string& caller,
               const optional<string>& body = {}) {
        Request request{method, path, {}, body};
        if (!caller.empty())
            request.headers.push_back("Authorization: Bearer " + with_id(caller)->token());
        auto reply = Suite::current().client().send(request);
        reply.asked += " by " + caller + " " + body.value_or("");
        check_reply(reply);
        return reply;
    }

    static bool agrees(const Reply& reply, const Answer& answer) {
        if (answer.status == 200)
            expect_success(reply);
        else
            expect_error(reply, answer.status, answer.text);
        return answer.status == 200;
    }

    /// How many rows the three tables hold, and when users were changed.
    static string rows() {
        string all;
        for (
            const char* query :
            {R"(SELECT count(*) || ' ' || min("updatedAt") || ' ' || max("updatedAt") FROM "user")",
             R"(SELECT count(*) FROM "session")", R"(SELECT count(*) FROM "account")"})
            all += sql().value(query).value_or("-") + "\n";
        return all;
    }

    static constexpr const char* made = "2026-01-01T00:00:00.000Z";
};

TEST_GROUP_BASE(access, Access){};

TEST(access, to_read_a_user_is_as_the_specification_says) {
    for (const string& name : callers())
        for (const string& target : targets_of(name)) {
            const Someone* caller = with_id(name);
            const auto refused =
                refusal(caller, {"user", "admin", "superAdmin", "editor", "admin,superAdmin"}, "");
            const bool is_administrator =
                caller != nullptr &&
                (caller->known_role() == "admin" || caller->known_role() == "superAdmin");
            const Answer answer =
                refused                               ? *refused
                : !is_administrator && name != target ? Answer{403, "No tienes permisos"}
                : with_id(target) == nullptr          ? Answer{404, "Usuario no encontrado"}
                                                      : Answer{};
            const auto reply = send("GET", "/api/users/" + target, name);
            if (agrees(reply, answer)) {
                CHECK_EQUAL(target, ids_of(reply));
                CHECK_EQUAL(with_id(target)->known_role(), text_member(reply, "role"));
            }
        }
}

TEST(access, to_lists_is_as_the_specification_says) {
    const Texts roles = {std::nullopt, "", "user", "admin", "superAdmin", "editor", "none"};
    const Texts searches = {std::nullopt, "", "other", "AMPLE.COM", "nobody's"};
    for (const string& name : callers())
        for (const auto& role : roles)
            for (const auto& search : searches) {
                string query = "limit=1000";
                if (role)
                    query += "&role=" + *role;
                if (search)
                    query += "&search=" + *search;
                const Someone* caller = with_id(name);
                const auto refused =
                    refusal(caller, administrators, "No tienes permisos para ver usuarios");
                const auto reply = send("GET", "/api/users?" + query, name);
                if (!agrees(reply, refused.value_or(Answer{})))
                    continue;
                optional<string> only;
                if (caller->known_role() == "admin")
                    only = "user";
                else if (is_given(role))
                    only = role;
                string ids;
                int total = 0;
                for (const Someone& one : everybody()) {
                    const bool has_role = only && one.known_role() == *only;
                    const bool is_found =
                        is_given(search) &&
                        (*search == "other" ? one.id.find("other") != string::npos
                                            : *search == "AMPLE.COM" && one.id == "main");
                    if ((!only && !is_given(search)) || has_role || is_found) {
                        ids += (ids.empty() ? "" : " ") + one.id;
                        ++total;
                    }
                }
                CHECK_EQUAL_TEXT(ids, ids_of(reply), reply.asked.c_str());
                CHECK_EQUAL(std::to_string(total), *between(reply.body, "\"total\":", ","));
            }
}

TEST(access, to_create_a_user_is_as_the_specification_says) {
    const Texts names = {std::nullopt, "", "N"};
    const Texts emails = {std::nullopt, "", "new@example.org", "other-user@example.org"};
    const Texts passwords = {std::nullopt, "", "s3cr3t"};
    const Texts roles = {std::nullopt, "", "user", "admin", "superAdmin", "editor"};
    const string before = rows();
    for (const string& by : callers())
        for (const auto& name : names)
            for (const auto& email : emails)
                for (const auto& password : passwords)
                    for (const auto& role : roles) {
                        string body;
                        append_member(body, "name", name);
                        append_member(body, "email", email);
                        append_member(body, "password", password);
                        append_member(body, "role", role);
                        const Someone* caller = with_id(by);
                        const auto refused = refusal(caller, administrators,
                                                     "No tienes permisos para crear usuarios");
                        const Answer answer =
                            refused ? *refused
                            : !is_given(name) || !is_given(email) || !is_given(password)
                                ? Answer{400, "Faltan campos requeridos"}
                            : caller->known_role() == "admin" && role != "user"
                                ? Answer{403, "Solo puedes crear usuarios con rol 'user'"}
                            : *email != "new@example.org"
                                ? Answer{400, "El email ya está registrado"}
                                : Answer{};
                        const auto reply = send("POST", "/cheap/users", by, "{" + body + "}");
                        if (!agrees(reply, answer))
                            continue;
                        CHECK_EQUAL(is_given(role) ? *role : "user", text_member(reply, "role"));
                        const auto id = text_member(reply, "id");
                        CHECK_EQUAL(1, sql().number(R"(SELECT count(*) FROM "account" WHERE )"
                                                    R"("accountId" = 'new@example.org' AND )"
                                                    R"("providerId" = 'credential' AND )"
                                                    R"("userId" = )" +
                                                    sql_literal(id)));
                        sql().run("DELETE FROM \"account\"");
                        sql().run("DELETE FROM \"user\" WHERE \"id\" = " + sql_literal(id));
                    }
    CHECK_EQUAL_TEXT(before, rows(), "what was refused left something behind");
}

TEST(access, to_update_a_user_is_as_the_specification_says) {
    const Texts names = {std::nullopt, "", "N"};
    const Texts emails = {std::nullopt, "", "new@example.org"};
    const Texts roles = {std::nullopt, "", "user", "superAdmin"};
    const Texts bans = {std::nullopt, "true", "false"};
    const Texts reasons = {std::nullopt, "", "R"};
    for (const string& by : callers())
        for (const string& target : targets_of(by)) {
            const Someone* caller = with_id(by);
            const Someone* changed = with_id(target);
            const string before = rows();
            const auto refused =
                refusal(caller, administrators, "No tienes permisos para editar usuarios");
            const auto each = [&](const optional<string>& name, const optional<string>& email,
                                  const optional<string>& role, const optional<string>& ban,
                                  const optional<string>& reason) {
                string body;
                append_member(body, "name", name);
                append_member(body, "email", email);
                append_member(body, "role", role);
                append_member(body, "banReason", reason);
                if (ban)
                    body += string(body.empty() ? "" : ",") + "\"banned\":" + *ban;
                const bool is_super = !refused && caller->known_role() == "superAdmin";
                const Answer answer =
                    refused              ? *refused
                    : changed == nullptr ? Answer{404, "Usuario no encontrado"}
                    : !is_super && (is_given(role) || ban)
                        ? Answer{403, "No tienes permisos para cambiar roles o banear usuarios"}
                        : Answer{};
                const auto reply = send("PUT", "/api/users/" + target, by, "{" + body + "}");
                if (!agrees(reply, answer))
                    return;
                const auto set = [&](const optional<string>& text, const string& else_it_is) {
                    return is_given(text) ? *text : else_it_is;
                };
                const bool is_banned = is_super && ban ? *ban == "true" : changed->is_banned;
                const string row =
                    "{\"success\":true,\"data\":{\"id\":\"" + target + "\",\"name\":\"" +
                    set(name, "Name of " + target) + "\",\"email\":\"" +
                    set(email, changed->email) + "\",\"role\":\"" +
                    set(is_super ? role : std::nullopt, changed->known_role()) +
                    "\",\"emailVerified\":true,\"image\":null,\"createdAt\":\"" + made +
                    "\",\"updatedAt\":\"" + text_member(reply, "updatedAt") +
                    "\",\"banned\":" + (is_banned ? "true" : "false") +
                    ",\"banReason\":" + (is_super && is_given(reason) ? "\"R\"" : "null") +
                    ",\"banExpires\":null}}";
                expect(reply, 200, row);
                CHECK(text_member(reply, "updatedAt") > made);
                sql().run("UPDATE \"user\" SET \"name\" = " + sql_literal("Name of " + target) +
                          ", \"email\" = " + sql_literal(changed->email) +
                          ", \"role\" = " + (changed->role ? sql_literal(*changed->role) : "NULL") +
                          ", \"banned\" = " + (changed->is_banned ? "TRUE" : "FALSE") +
                          ", \"banReason\" = NULL, \"updatedAt\" = " + sql_literal(made) +
                          " WHERE \"id\" = " + sql_literal(target));
            };
            for (const auto& name : names)
                for (const auto& email : emails)
                    for (const auto& role : roles)
                        for (const auto& ban : bans)
                            for (const auto& reason : reasons)
                                each(name, email, role, ban, reason);
            CHECK_EQUAL_TEXT(before, rows(), "what was refused left something behind");
        }
}

TEST(access, to_delete_a_user_is_as_the_specification_says) {
    for (const string& by : callers())
        for (const string& target : targets_of(by)) {
            const auto refused = refusal(with_id(by), super_administrators,
                                         "No tienes permisos para eliminar usuarios");
            const Answer answer =
                refused                      ? *refused
                : target == by               ? Answer{400, "No puedes eliminar tu propio usuario"}
                : with_id(target) == nullptr ? Answer{404, "Usuario no encontrado"}
                : target == "main"
                    ? Answer{403, "No se puede eliminar el usuario administrador principal"}
                    : Answer{};
            const string before = rows();
            const auto reply = send("DELETE", "/api/users/" + target, by);
            if (!agrees(reply, answer)) {
                CHECK_EQUAL_TEXT(before, rows(), reply.asked.c_str());
                continue;
            }
            expect(reply, 200, R"({"success":true,"message":"Usuario eliminado correctamente"})");
            for (const char* table : {"user", "session"})
                CHECK_EQUAL(0, sql().number("SELECT count(*) FROM \"" + string(table) +
                                            "\" WHERE \"" + (table[0] == 'u' ? "id" : "userId") +
                                            "\" = " + sql_literal(target)));
            CHECK_EQUAL(static_cast<long>(everybody().size()) - 1, count("user"));
            lay();
        }
}

TEST(access, to_sessions_passwords_and_bans_is_a_superAdmins_alone) {
    struct Operation {
        const char* method;
        const char* rest;
        const char* body;
        const char* forbidden;
    };
    // The session's id follows.
    const string session = "/sessions/";
    const Operation operations[] = {
        {"GET", "/sessions", "", "No tienes permisos para gestionar sesiones"},
        {"DELETE", "/sessions", "", "No tienes permisos para gestionar sesiones"},
        {"DELETE", session.c_str(), "", "No tienes permisos para gestionar sesiones"},
        {"PUT", "/password", R"({"password":"s3cr3t word"})",
         "No tienes permisos para cambiar contraseñas"},
        {"PUT", "/ban", "{}", "No tienes permisos para banear usuarios"},
        {"DELETE", "/ban", "", "No tienes permisos para banear usuarios"},
    };
    // Their ids are their tokens', which no reply may have.
    sql().run(R"(UPDATE "session" SET "id" = "userId")");
    for (const string& by : callers())
        for (const string& target : targets_of(by))
            for (const Operation& operation : operations) {
                const auto refused =
                    refusal(with_id(by), super_administrators, operation.forbidden);
                const bool is_own_ban =
                    target == by && operation.rest == string("/ban") && operation.body[0] != 0;
                const Answer answer =
                    refused                      ? *refused
                    : is_own_ban                 ? Answer{400, "No puedes banear tu propio usuario"}
                    : with_id(target) == nullptr ? Answer{404, "Usuario no encontrado"}
                                                 : Answer{};
                string path = "/extra/users/" + target + operation.rest;
                if (operation.rest == session)
                    path += target;
                const string before = rows();
                const string body = operation.body;
                const auto reply = send(operation.method, path, by,
                                        body.empty() ? std::nullopt : optional<string>(body));
                if (!agrees(reply, answer)) {
                    CHECK_EQUAL_TEXT(before, rows(), reply.asked.c_str());
                } else if (string(operation.method) != "GET") {
                    lay();
                    sql().run(R"(UPDATE "session" SET "id" = "userId")");
                }
            }
}

} // namespace useradmin::test
