#include "store/schema.hpp"

#include "store/dialect.hpp"
#include "store/store.hpp"
#include "text/number.hpp"
#include "text/timestamp.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <system_error>
#include <tuple>

namespace useradmin::store {

namespace {

std::string wrapped(std::string_view text, char quote) {
    std::string out(1, quote);
    for (char character : text) {
        if (character == quote)
            out += character;
        out += character;
    }
    return out += quote;
}

// PostgreSQL's limit for identifiers (NAMEDATALEN - 1).
constexpr std::size_t max_identifier_length = 63;

bool is_table_name(std::string_view name) {
    const std::size_t dot = name.find('.');
    if (dot == name.npos)
        return is_identifier(name);
    return is_identifier(name.substr(0, dot)) && is_identifier(name.substr(dot + 1));
}

// Each table in Schema::owned has a letter from A to Z.
constexpr std::size_t max_owned_tables = 26;

/// Returns the column with the name in camelCase or snake_case, or nullptr.
Column* column_named(Table& table, std::string_view name) {
    for (const std::string& wanted : {std::string(name), text::snake_case(name)}) {
        const auto found = std::ranges::find(table.columns, wanted, &Column::name);
        if (found != table.columns.end())
            return &*found;
    }
    return nullptr;
}

/// Maps columns to fields and builds the table's column lists.
template <class Record>
void match(Table& table) {
    const auto columns_of = [&](std::string_view alias, std::string_view left_out = {}) {
        std::string list;
        for (const model::Field<Record>& field : model::fields<Record>())
            list.append(list.empty() ? "" : ", ")
                .append(field.name == left_out ? "NULL"
                                               : table.select_expression(field.name, alias));
        return list;
    };
    for (const model::Field<Record>& field : model::fields<Record>())
        if (Column* const column = column_named(table, field.name))
            column->field = field.name;
    table.select_list = columns_of("");
    table.select_list_u = columns_of("u.");
    table.select_list_s = columns_of("s.", "token");
}

bool is_lower_hexadecimal(char character) noexcept {
    return (character >= '0' && character <= '9') || (character >= 'a' && character <= 'f');
}

bool is_canonical_uuid(std::string_view id) noexcept {
    constexpr std::string_view form = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    return std::ranges::equal(id, form, [](char is, char wanted) {
        return wanted == '-' ? is == '-' : is_lower_hexadecimal(is);
    });
}

/// Returns whether the id is an integer in canonical form (no plus sign, no leading zeros) whose
/// magnitude is at most `largest`.
bool is_canonical_number(std::string_view id, std::int64_t largest) noexcept {
    const auto number = text::parse_integer(id, -largest, largest);
    return number && std::to_string(*number) == id;
}

/// Returns whether the SQLite type is a numeric type. A column of another type with numeric
/// affinity, such as json, may hold any text.
bool is_number_type(std::string_view type) noexcept {
    return std::ranges::any_of(
        std::initializer_list<std::string_view>{"real", "floa", "doub", "numeric", "decimal"},
        [&](std::string_view name) { return type.find(name) != type.npos; });
}

bool is_finite_number(std::string_view text) noexcept {
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stop == end && std::isfinite(number);
}

/// Maps the plugin's columns to fields. Returns whether the table has the columns named in
/// PluginTable and the reference has a suitable type.
bool match_plugin(Table& table, const PluginTable& plugin, const Table& user) {
    for (const std::string_view name : {std::string_view("id"), plugin.owner,
                                        plugin.typical_columns[0], plugin.typical_columns[1]}) {
        Column* const column = column_named(table, name);
        if (column != nullptr)
            column->field = name;
        else if (name != "id")
            return false;
    }
    if (plugin.name == "apiKey")
        match<model::ApiKey>(table);
    else if (plugin.name == "passkey")
        match<model::SignInMethod>(table);
    else if (plugin.name == "twoFactor")
        match<model::SecondFactor>(table);
    else if (plugin.name == "verification")
        match<model::VerificationValue>(table);
    const Column* const key = user.find(plugin.reference == Reference::email ? "email" : "id");
    const Column::Kind kind = table.at(plugin.owner).kind;
    // Integer ids of users and organizations could not be distinguished.
    return key != nullptr && (kind == Column::Kind::text || kind == key->kind) &&
           !(plugin.reference == Reference::user_or_organization && key->is_integer_id());
}

/// Returns a session with a value in each field that every new session has.
model::Session new_session() {
    model::Session session;
    session.expires_at = session.created_at = session.updated_at = text::Timestamp();
    session.ip_address = session.user_agent = "";
    return session;
}

/// Checks one table, and records its problems.
class FieldResolver {
  public:
    FieldResolver(const Table& table, Need need, std::vector<Problem>& problems)
        : table_(table), need_(need), problems_(problems) {}

    bool exists() const {
        if (!table_.exists())
            note(need_, table_.absence_reason.empty()
                            ? "table " + table_.name +
                                  " does not exist; create it with 'useradminctl schema'"
                            : table_.absence_reason);
        return table_.exists();
    }

    void has(std::initializer_list<std::string_view> names) const {
        for (std::string_view name : names)
            if (table_.find(name) == nullptr)
                note(need_, "table " + table_.name + " has no column \"" + std::string(name) +
                                "\"; run better-auth's migration");
    }

    void has_identifier() const {
        const Column* column = table_.find("id");
        if (column == nullptr || column->kind == Column::Kind::text ||
            column->kind == Column::Kind::uuid || column->kind == Column::Kind::integer)
            return;
        note(need_, "column \"" + column->name + "\" of table " + table_.name + " has the type " +
                        column->type + "; an id must be text, uuid or an integer");
    }

    /// Records a problem for each column that requires a value on INSERT but has none in the
    /// record.
    template <class Record>
    void is_complete_with(const Record& given, Need need) const {
        for (const Column& column : table_.columns) {
            const auto is_given = [&](const model::Field<Record>& field) {
                return field.name == column.field && !column.is_generated_id() &&
                       !std::holds_alternative<std::monostate>(value_of(given, field));
            };
            const auto known = model::fields<Record>();
            if (column.requires_value && !std::ranges::any_of(known, is_given))
                note(need,
                     "column \"" + column.name + "\" of table " + table_.name +
                         " is NOT NULL and has no default, so adding a row without a value for it "
                         "fails; give it a default");
        }
    }

  private:
    void note(Need need, std::string text) const { problems_.push_back({need, std::move(text)}); }

    const Table& table_;
    Need need_;
    std::vector<Problem>& problems_;
};

} // namespace

bool is_identifier(std::string_view name) {
    return !name.empty() && name.size() <= max_identifier_length && text::is_clean_utf8(name);
}

std::variant<TableNames, std::string> parse_table_names(std::span<const std::string_view> words) {
    if (words.size() != 3 || !std::ranges::all_of(words, is_table_name) || words[0] == words[1] ||
        words[0] == words[2] || words[1] == words[2])
        return std::string(
            "the names of three different tables (user, session and account), each with or "
            "without a schema, such as user session account or auth.user auth.session "
            "auth.account");
    return TableNames{words[0], words[1], words[2]};
}

std::string quoted_identifier(std::string_view identifier) {
    return wrapped(identifier, '"');
}

std::string literal(std::string_view text) {
    return wrapped(text, '\'');
}

std::string own_table(const TableNames& names, std::string_view name) {
    return std::string(names.user.substr(0, names.user.find('.') + 1)).append(name);
}

std::string quoted_table(std::string_view name) {
    const std::size_t dot = name.find('.');
    if (dot == name.npos)
        return quoted_identifier(name);
    return quoted_identifier(name.substr(0, dot)) + "." + quoted_identifier(name.substr(dot + 1));
}

std::string qualified_operator(std::string_view schema, std::string_view name) {
    std::string sql(1, ' ');
    if (schema.empty())
        sql.append(name);
    else
        sql.append("OPERATOR(").append(schema).append(".").append(name).append(")");
    return sql += ' ';
}

std::string Column::sql() const {
    return wrapped(name, dialect->product().identifier_quote);
}

std::string Column::op(std::string_view name) const {
    return qualified_operator(operator_schema, name);
}

std::string Table::op(std::string_view name) const {
    return qualified_operator(builtin_schema, name);
}

std::string Table::function(std::string_view name) const {
    return std::string(builtin_schema) + (builtin_schema.empty() ? "" : ".") + std::string(name) +
           "(";
}

bool Column::can_hold_id(std::string_view id) const noexcept {
    switch (kind) {
    case Kind::uuid:
        return is_canonical_uuid(id);
    case Kind::integer:
        return is_canonical_number(id, max_value);
    default:
        return true;
    }
}

bool Column::is_declared_as_time() const noexcept {
    return kind == Kind::timestamp ||
           (kind == Kind::other && sql_type.empty() &&
            (type.find("date") != type.npos || type.find("time") != type.npos));
}

std::string Column::iso_text() const {
    const std::string text = sql();
    return "iif(" + text +
           " GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*', "
           "coalesce(strftime('%Y-%m-%dT%H:%M:%fZ', " +
           text + "), " + text + "), " + text + ")";
}

bool Column::can_hold_text(std::string_view value) const noexcept {
    if (!operator_schema.empty())
        return true;
    switch (kind) {
    case Kind::integer:
        // To SQLite, "interval" and "floating point" are integer types, because they contain "int".
        return type.find("interval") != type.npos ||
               (type.find("point") != type.npos
                    ? is_finite_number(value)
                    : text::parse_integer<std::int64_t>(value).has_value());
    case Kind::boolean:
        return value == "0" || value == "1";
    case Kind::other:
        if (is_declared_as_time())
            return !has_unix_times() || text::parse_date(value) ||
                   text::parse_integer<std::int64_t>(value);
        return !is_number_type(type) || is_finite_number(value);
    default:
        return true;
    }
}

bool Column::can_hold_sort_key(std::string_view key) const noexcept {
    constexpr std::string_view shortest = "2026-11-20T23:30:19";
    constexpr std::string_view longest = "2026-11-20T23:30:19.717123";
    switch (kind) {
    case Kind::timestamp:
        return key.size() >= shortest.size() && key.size() <= longest.size() && key[4] == '-' &&
               key[10] == 'T' && key.find_first_of("Z+-", 10) == key.npos && text::parse_date(key);
    case Kind::integer:
        return is_canonical_number(key, max_value);
    case Kind::text:
        // An SQLite column without a type does not convert the values that it is compared with.
        return !type.empty();
    case Kind::other:
        // SQLite accepts any string. Floating-point numbers are rejected, because they do not
        // compare exactly.
        return operator_schema.empty() && text::parse_timestamp(key);
    default:
        return false;
    }
}

const Column* Table::find(std::string_view field) const noexcept {
    for (const Column& column : columns)
        if (!field.empty() && column.field == field)
            return &column;
    return nullptr;
}

const Column* Table::find_column(std::string_view name) const {
    if (const Column* const known = find(name))
        return known;
    for (const std::string& wanted : {std::string(name), text::snake_case(name)})
        for (const Column& column : columns)
            if (column.field.empty() && column.name == wanted)
                return &column;
    return nullptr;
}

std::string Table::select_expression(std::string_view field, std::string_view alias) const {
    const Column* const column = find(field);
    if (column == nullptr)
        return "NULL";
    return std::string(column->select_prefix)
        .append(alias)
        .append(column->sql())
        .append(column->select_suffix);
}

Table& Schema::table(char letter) noexcept {
    if (letter >= 'A' && letter <= 'Z')
        return owned[static_cast<std::size_t>(letter - 'A')].table;
    return letter == 'u'   ? user
           : letter == 's' ? session
           : letter == 'a' ? account
           : letter == 't' ? attempt
           : letter == 'd' ? disabled_key
                           : revocation;
}

const Table& Schema::table(char letter) const noexcept {
    return const_cast<Schema*>(this)->table(letter);
}

void Schema::set_table_names(const TableNames& names) {
    const auto name_table = [](Table& table, std::string_view name) {
        table.name = quoted_table(name);
        table.sql = table.name;
    };
    name_table(user, names.user);
    name_table(session, names.session);
    name_table(account, names.account);
    name_table(revocation, own_table(names, revocation_table));
    name_table(attempt, own_table(names, attempt_table));
}

std::vector<const Column*> Schema::extra_user_columns() const {
    std::vector<const Column*> others;
    for (const Column& column : user.columns)
        if (column.field.empty())
            others.push_back(&column);
    return others;
}

std::string Schema::full_user(std::string_view version) const {
    return user.select_list + ", " + std::string(version) + extra_columns;
}

void Schema::resolve_last_seen(std::string_view name) {
    const auto is_of_times = [](const Column& column) {
        // SQLite has no time type.
        return column.kind == Column::Kind::timestamp ||
               (column.operator_schema.empty() && column.kind != Column::Kind::boolean);
    };
    if (!name.empty()) {
        if (const Column* const column = user.find_column(name);
            column == nullptr || !is_of_times(*column))
            last_seen_problem =
                (column == nullptr
                     ? "table " + user.name + " has no column \"" + std::string(name) + "\""
                     : "column \"" + column->name + "\" of table " + user.name + " has the type " +
                           column->type) +
                "; UserAdminLastSeen must name a timestamp column";
        else
            user.last_seen = {*column, column->sql()};
        return;
    }
    const Column* const id = user.find("id");
    const Column* const owner = session.find("userId");
    const Column* const updated = session.find("updatedAt");
    if (id == nullptr || session.find("id") == nullptr || owner == nullptr || updated == nullptr ||
        owner->kind != id->kind || !is_of_times(*updated) || !session.find("id")->is_readable ||
        !owner->is_readable || !updated->is_readable)
        return;
    std::string newest = "(SELECT " + user.function("max") + "useradmin_s." + updated->sql() +
                         ") FROM " + session.sql + " useradmin_s WHERE useradmin_s." +
                         owner->sql() + id->op("=") + user.sql + "." + id->sql() + ")";
    // In SQLite, a subquery has no affinity. Without the cast, a number would be compared with a
    // text argument.
    if (updated->has_unix_times())
        newest = "CAST(" + newest + " AS integer)";
    user.last_seen = {*updated, std::move(newest), true};
    user.last_seen->column.is_nullable = true;
}

void Schema::resolve_fields(const TableNames& names) {
    match<model::User>(user);
    match<model::Session>(session);
    match<model::Account>(account);
    if (user.exists())
        resolve_last_seen(names.last_seen);
    select_list_caller = session.select_expression("expiresAt", "s.") + ", " +
                         session.select_expression("impersonatedBy", "s.");
    for (const std::string_view field : {"id", "role", "banned", "banExpires"})
        select_list_caller.append(", ").append(user.select_expression(field, "u."));
    const Column* const second_factor = column_named(user, "twoFactorEnabled");
    second_factor_column = second_factor != nullptr ? second_factor->sql() : "";
    second_factor_expression = second_factor != nullptr ? "u." + second_factor_column : "NULL";
    const Column* const account_id = account.find("accountId");
    const bool has_account_id = account_id != nullptr && account_id->is_readable;
    account_id_expression = has_account_id ? account.select_expression("accountId", "a.") : "NULL";
    if (const FieldResolver users(user, needs_user, problems); users.exists()) {
        users.has({"id", "name", "email"});
        users.has_identifier();
        users.is_complete_with(user_row(NewUser{}), needs_creation);
    }
    if (const FieldResolver sessions(session, needs_session, problems); sessions.exists()) {
        sessions.has({"id", "token", "userId", "expiresAt"});
        sessions.is_complete_with(new_session(), needs_session_creation);
    }
    if (const FieldResolver accounts(account, needs_account, problems); accounts.exists()) {
        accounts.has({"id", "accountId", "providerId", "userId", "password"});
        accounts.is_complete_with(account_row(NewUser{}), needs_creation);
    }
    if (!revocation.absence_reason.empty())
        problems.push_back({needs_revocations, revocation.absence_reason});
    // Without this table, the number of mail messages could not be limited, and a change with an
    // idempotency key could be made twice.
    FieldResolver(attempt, needs_attempt_table, problems).exists();
}

void Schema::resolve_plugins(const std::map<std::string, Table>& tables) {
    std::map<std::string, Table> others = tables;
    for (const PluginTable& plugin : plugin_tables)
        for (const std::string& name : names_of(plugin))
            if (const auto found = tables.find(name);
                found != tables.end() && owned.size() < max_owned_tables) {
                Table table = found->second;
                const bool is_one_of_three =
                    table.sql == user.sql || table.sql == session.sql || table.sql == account.sql;
                const bool is_known = match_plugin(table, plugin, user);
                if (is_known || is_one_of_three)
                    others.erase(name);
                if (is_known && !is_one_of_three)
                    owned.push_back({&plugin, std::move(table)});
            }
    for (const auto& [name, table] : others)
        unknown_plugin_tables.push_back(table.name);
    if (const OwnedTable* const keys = api_keys(); keys == nullptr)
        problems.push_back({needs_api_keys,
                            "AuthUserAdminApiKey: found no table of better-auth's API key plugin "
                            "whose keys belong to users; if the application does not use the "
                            "plugin, run: useradminctl schema --api-keys"});
    else
        // A limit in a column of another name would be ignored.
        FieldResolver(keys->table, needs_api_keys, problems)
            .has({"id", "enabled", "expiresAt", "createdAt", "updatedAt", "remaining",
                  "refillAmount", "refillInterval", "lastRefillAt", "rateLimitEnabled",
                  "rateLimitTimeWindow", "rateLimitMax", "requestCount", "lastRequest",
                  "permissions"});
    if (second_factors() == nullptr)
        problems.push_back({needs_second_factors,
                            "better-auth's twoFactor table does not exist or lacks the columns "
                            "\"userId\", \"secret\" and \"backupCodes\" "
                            "(AuthUserAdminSecondFactor); run better-auth's migration"});
    else if (second_factor_column.empty())
        problems.push_back({needs_second_factor_flag,
                            "table " + user.name +
                                " has no column \"twoFactorEnabled\", but table " +
                                second_factors()->table.name +
                                " has second factors, so sign-in rejects every password; rename "
                                "the column, or set AuthUserAdminSecondFactor ignore"});
    const OwnedTable* const values = verifications();
    for (const auto& [need, directive] :
         {std::pair(needs_second_factors, "AuthUserAdminSecondFactor"),
          {needs_mail, "UserAdminMailCommand"}})
        if (values != nullptr)
            FieldResolver(values->table, need, problems).has({"id"});
        else
            problems.push_back(
                {need, std::string("table \"verification\" does not exist or lacks the columns "
                                   "\"identifier\", \"value\" and \"expiresAt\" (") +
                           directive + "); run better-auth's migration"});
}

const OwnedTable* Schema::plugin_table(std::string_view name) const noexcept {
    const OwnedTable* found = nullptr;
    // If both owner columns of apiKey exist, the last entry has the column that current versions of
    // better-auth use.
    for (const OwnedTable& each : owned)
        if (each.plugin->name == name)
            found = &each;
    return found;
}

std::optional<MethodTable> Schema::method_table(model::MethodKind kind) const noexcept {
    if (kind == model::MethodKind::account)
        return MethodTable{'a', "userId"};
    const OwnedTable* const methods = kind == model::MethodKind::passkey   ? plugin_table("passkey")
                                      : kind == model::MethodKind::api_key ? api_keys()
                                                                           : nullptr;
    if (methods == nullptr || methods->table.find("id") == nullptr)
        return std::nullopt;
    return MethodTable{letter(*methods), methods->plugin->owner};
}

bool Schema::has_same_size_and_scale(const Schema& other) const noexcept {
    return std::tie(user.estimated_rows, scale, scale_name, has_outdated_scale,
                    public_lacks_schema_usage) ==
           std::tie(other.user.estimated_rows, other.scale, other.scale_name,
                    other.has_outdated_scale, other.public_lacks_schema_usage);
}

bool OwnedTable::can_disable_rows() const noexcept {
    if (plugin->name != "apiKey" || table.find("id") == nullptr)
        return false;
    const Column& enabled = table.at("enabled");
    return table.at("id").is_readable && owner().is_readable && enabled.is_readable &&
           enabled.is_writable &&
           // SQLite has no boolean type.
           (enabled.kind == Column::Kind::boolean || enabled.operator_schema.empty());
}

const OwnedTable* Schema::disabled_keys() const noexcept {
    for (const OwnedTable& each : owned)
        if (each.plugin->name == disabled_keys_table && each.can_delete_rows() &&
            each.table.allows_insert && each.table.at("keyId").is_readable)
            return &each;
    return nullptr;
}

bool Schema::has_disabled_key_table() const {
    return plugin_table(disabled_keys_table) != nullptr ||
           std::ranges::any_of(
               unknown_plugin_tables,
               [](const std::string& name) {
                   return name.ends_with(quoted_identifier(disabled_keys_table));
               });
}

const Problem* Schema::find_problem(unsigned needs) const noexcept {
    for (const Problem& problem : problems)
        if ((problem.need & needs) != 0)
            return &problem;
    return nullptr;
}

} // namespace useradmin::store
