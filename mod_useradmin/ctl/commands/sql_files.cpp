#include "ctl/commands/sql_files.hpp"

#include "sql_texts.hpp"
#include "text/split.hpp"

namespace useradmin::ctl {

std::vector<std::string_view> sql_files_with_prefix(const Database& database,
                                                    std::string_view prefix) {
    const std::string path =
        std::string(database.dialect().product().folder) + "/" + std::string(prefix);
    std::vector<std::string_view> texts;
    for (const sql::File& file : sql::files)
        if (file.path.starts_with(path))
            texts.push_back(file.text);
    return texts;
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
