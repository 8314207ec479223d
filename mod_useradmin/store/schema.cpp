#include "store/schema.hpp"

#include "store/statements.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <span>

namespace useradmin::store {

namespace {

std::string snake_case(std::string_view camel_case) {
    std::string snake;
    for (char letter : camel_case) {
        if (letter >= 'A' && letter <= 'Z') {
            snake += '_';
            snake += static_cast<char>(letter - 'A' + 'a');
        } else {
            snake += letter;
        }
    }
    return snake;
}

std::string wrapped(std::string_view text, char quote) {
    std::string out(1, quote);
    for (char character : text) {
        if (character == quote || character == '%')
            out += character;
        out += character;
    }
    return out += quote;
}

bool is_text(const Column& column) {
    constexpr std::string_view text_types[] = {"text", "char", "clob", "string"};
    std::string type = column.type;
    std::transform(
        type.begin(), type.end(), type.begin(),
        [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return std::any_of(std::begin(text_types), std::end(text_types),
                       [&](std::string_view known) { return type.find(known) != type.npos; });
}

/// Looks at one table for what the work that needs it wants of it.
class Examiner {
  public:
    Examiner(const Table& table, Need need, std::vector<Problem>& problems)
        : table_(table), need_(need), problems_(problems) {}

    bool exists() const {
        if (table_.columns.empty())
            note(need_, "there is no table " + table_.sql + "; lay it with 'useradminctl schema'");
        return !table_.columns.empty();
    }

    void has(std::initializer_list<std::string_view> names) const {
        for (std::string_view name : names)
            if (table_.find(name) == nullptr)
                note(need_, "table " + table_.sql + " has no column \"" + std::string(name) +
                                "\"; add it as better-auth's migration does");
    }

    void has_identifier(std::string_view name) const {
        const Column* column = table_.find(name);
        if (column != nullptr && !column->is_uuid() && !is_text(*column))
            note(need_, "table " + table_.sql + ", column \"" + column->name + "\" is of type " +
                            column->type + "; an id must be text or uuid");
    }

    void is_complete_with(std::span<const std::string_view> given) const {
        for (const Column& column : table_.columns) {
            const bool is_given =
                std::any_of(given.begin(), given.end(),
                            [&](std::string_view name) { return table_.find(name) == &column; });
            if (column.demands_value && !is_given)
                note(needs_creation,
                     "table " + table_.sql + ", column \"" + column.name +
                         "\" is NOT NULL; give it a default, or no user can be created");
        }
    }

  private:
    void note(Need need, std::string text) const { problems_.push_back({need, std::move(text)}); }

    const Table& table_;
    Need need_;
    std::vector<Problem>& problems_;
};

} // namespace

std::string quoted(std::string_view identifier) {
    return wrapped(identifier, '"');
}

std::string literal(std::string_view text) {
    return wrapped(text, '\'');
}

std::string quoted_table(std::string_view name) {
    const std::size_t dot = name.find('.');
    if (dot == name.npos)
        return quoted(name);
    return quoted(name.substr(0, dot)) + "." + quoted(name.substr(dot + 1));
}

std::string Column::sql() const {
    return quoted(name);
}

const Column* Table::find(std::string_view camel_case) const {
    for (const std::string& wanted : {std::string(camel_case), snake_case(camel_case)})
        for (const Column& column : columns)
            if (column.name == wanted)
                return &column;
    return nullptr;
}

std::vector<const Column*> Schema::other_user_columns() const {
    std::vector<const Column*> others;
    for (const Column& column : user.columns)
        if (std::none_of(std::begin(user_fields), std::end(user_fields),
                         [&](std::string_view field) { return user.find(field) == &column; }))
            others.push_back(&column);
    return others;
}

void Schema::examine() {
    if (const Examiner users(user, needs_user, problems); users.exists()) {
        users.has({"id", "name", "email"});
        users.has_identifier("id");
        users.is_complete_with(created_user_fields);
    }
    if (const Examiner sessions(session, needs_session, problems); sessions.exists())
        sessions.has({"id", "token", "userId", "expiresAt"});
    if (const Examiner accounts(account, needs_account, problems); accounts.exists()) {
        accounts.has({"id", "accountId", "providerId", "userId", "password"});
        accounts.is_complete_with(created_account_fields);
    }
}

const Problem* Schema::problem_of(unsigned needs) const noexcept {
    for (const Problem& problem : problems)
        if ((problem.need & needs) != 0)
            return &problem;
    return nullptr;
}

} // namespace useradmin::store
