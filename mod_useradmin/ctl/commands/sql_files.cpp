#include "ctl/commands/sql_files.hpp"

#include "sql_texts.hpp"
#include "text/split.hpp"

#include <algorithm>

namespace useradmin::ctl {

std::vector<std::string_view> sql_files_with_prefix(const Database& database,
                                                    std::string_view prefix) {
    const std::string path =
        std::string(database.dialect().product().directory) + "/" + std::string(prefix);
    std::vector<std::string_view> texts;
    for (const sql::File& file : sql::files)
        if (file.path.starts_with(path))
            texts.push_back(file.text);
    return texts;
}

std::string replace_placeholders(std::string_view text, const Replacements& replacements) {
    std::string replaced;
    while (!text.empty()) {
        const auto word = std::ranges::find_if(
            replacements, [&](const auto& each) { return text.starts_with(each.first); });
        if (word != replacements.end())
            replaced += word->second;
        else
            replaced += text.front();
        text.remove_prefix(word != replacements.end() ? word->first.size() : 1);
    }
    return replaced;
}

std::vector<std::string> statements_of(std::string_view file) {
    std::vector<std::string> statements;
    std::string statement;
    bool is_in_body = false;
    while (!file.empty()) {
        const std::string_view line = text::take_until(file, '\n');
        if (!is_in_body && (line.empty() || line.starts_with("--")))
            continue;
        for (std::size_t at = 0; (at = line.find(body_quote, at)) != line.npos;
             at += body_quote.size())
            is_in_body = !is_in_body;
        statement.append(line) += '\n';
        if (!is_in_body && line.ends_with(';')) {
            statements.push_back(std::move(statement));
            statement.clear();
        }
    }
    return statements;
}

} // namespace useradmin::ctl
