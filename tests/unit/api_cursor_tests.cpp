// Cursors in the links of a list (specification, section 4.1).
#include "api/cursor.hpp"

#include "crypto/sha256.hpp"
#include "text/hex.hpp"

#include <CppUTest/TestHarness.h>

namespace useradmin::test {

TEST_GROUP(api_cursor){};

namespace {

/// Returns a cursor with these fields and a valid checksum for the list.
std::string cursor_with(std::string_view fields, std::string_view list = "list") {
    return crypto::hex(crypto::digest({list, fields})).substr(0, 16) + text::hex(fields);
}

} // namespace

TEST(api_cursor, is_parsed_back_unchanged) {
    for (const api::Cursor& cursor :
         {api::Cursor{2, "2026-01-02T03:04:05.123456", "a", false},
          api::Cursor{2147483647, "", "", true}, api::Cursor{1, {}, "\xc3\xb1 <>", false},
          api::Cursor{7, std::string(400, 'x'), "b", true}}) {
        const std::string text = *api::encode_cursor(cursor, "list");
        CHECK(text.find_first_not_of("0123456789abcdef") == text.npos);
        const auto same = api::decode_cursor(text, "list");
        CHECK(same.has_value());
        CHECK_EQUAL(cursor.page, same->page);
        CHECK(cursor.key == same->key);
        CHECK_EQUAL(cursor.id, same->id);
        CHECK_EQUAL(cursor.is_end, same->is_end);
        CHECK_FALSE(api::decode_cursor(text, "another list").has_value());
    }
    CHECK_FALSE(api::encode_cursor({1, std::string(500, 'x'), "a", false}, "list").has_value());
}

TEST(api_cursor, is_encoded_only_if_it_can_be_decoded) {
    using namespace std::string_literals;
    for (const std::string& key : {"a\0b"s, "a\xff"s})
        CHECK_FALSE(api::encode_cursor({2, key, "a", false}, "list").has_value());
    CHECK_FALSE(api::encode_cursor({2, "a", "\xff", false}, "list").has_value());
}

TEST(api_cursor, that_is_invalid_or_of_another_list_is_ignored) {
    using namespace std::string_literals;
    CHECK(api::decode_cursor(cursor_with(">2\0a"s), "list").has_value());
    CHECK(api::decode_cursor(cursor_with("<2\0a\0key"s), "list").has_value());
    for (const std::string& text : {""s,
                                    "0"s,
                                    "page=2"s,
                                    std::string(16, '0'),
                                    std::string(18, '0'),
                                    std::string(2000, 'a'),
                                    cursor_with(""),
                                    cursor_with(">"),
                                    cursor_with(">2"),
                                    cursor_with(">2 "),
                                    cursor_with(">\0a"s),
                                    cursor_with(">0\0a"s),
                                    cursor_with(">-1\0a"s),
                                    cursor_with(">+1\0a"s),
                                    cursor_with("> 1\0a"s),
                                    cursor_with(">2147483648\0a"s),
                                    cursor_with("=2\0a"s),
                                    cursor_with(">2\0\xff"s),
                                    cursor_with(">2\0a\0\xff"s),
                                    cursor_with(">2\0a\0b\0c"s),
                                    cursor_with(">2\0a"s) + "0",
                                    cursor_with(">2\0a"s) + "00",
                                    cursor_with(">2\0a"s, "another list"),
                                    cursor_with(">2\0"s + std::string(1000, 'x')),
                                    "\xff" + cursor_with(">2\0a"s)})
        CHECK_FALSE_TEXT(api::decode_cursor(text, "list").has_value(), text.c_str());
}

} // namespace useradmin::test
