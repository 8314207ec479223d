#include "support/text.hpp"

#include <openssl/evp.h>

#include <cstdio>
#include <iterator>
#include <sstream>

namespace useradmin::test {

std::optional<std::string> between(std::string_view text, std::string_view before,
                                   std::string_view after) {
    const auto at = text.find(before);
    if (at == std::string_view::npos)
        return {};
    const auto rest = text.substr(at + before.size());
    const auto end = rest.find(after);
    if (end == std::string_view::npos)
        return {};
    return std::string(rest.substr(0, end));
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

std::string replace_all(std::string text, std::string_view what, std::string_view with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += with.size())
        text.replace(at, what.size(), with);
    return text;
}

std::string percent_encoded(std::string_view text) {
    std::string encoded;
    for (const char character : text) {
        char triple[4];
        std::snprintf(triple, sizeof triple, "%%%02x", static_cast<unsigned char>(character));
        encoded += triple;
    }
    return encoded;
}

std::string component_encoded(std::string_view text) {
    std::string encoded;
    for (const char character : text)
        if (character == '=')
            encoded += "%3D";
        else if (character == '/')
            encoded += "%2F";
        else if (character == '+')
            encoded += "%2B";
        else
            encoded += character;
    return encoded;
}

std::string to_base64(std::string_view bytes) {
    std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
    EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                    reinterpret_cast<const unsigned char*>(bytes.data()),
                    static_cast<int>(bytes.size()));
    text.pop_back(); // the terminating NUL
    return text;
}

std::string from_base64(std::string text) {
    while (text.ends_with('='))
        text.pop_back();
    const std::size_t size = text.size() * 3 / 4;
    text.append((4 - text.size() % 4) % 4, '=');
    std::string bytes(3 * text.size() / 4, '\0');
    EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                    reinterpret_cast<const unsigned char*>(text.data()),
                    static_cast<int>(text.size()));
    bytes.resize(size);
    return bytes;
}

} // namespace useradmin::test
