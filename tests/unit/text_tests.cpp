#include "text/network.hpp"
#include "text/printable.hpp"
#include "text/timestamp.hpp"
#include "text/unicode.hpp"
#include "text/url.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <CppUTest/TestHarness.h>

using namespace std::string_literals;
using namespace std::string_view_literals;
using namespace useradmin;

namespace {

/// Parses a time. Returns it as responses contain it, or "nothing".
std::string formatted(std::string_view text) {
    const auto time = text::parse_timestamp(text);
    std::string out;
    if (time)
        text::append_iso8601(out, *time);
    return time ? out : "nothing";
}

std::string formatted(std::chrono::milliseconds since_1970) {
    std::string out;
    text::append_iso8601(out, text::Timestamp(since_1970));
    return out;
}

std::string parameter(std::string_view query, std::string_view name) {
    return text::query_parameter(query, name).value_or("absent");
}

void check_texts(const std::string& expected, const std::string& actual) {
    STRCMP_EQUAL(expected.c_str(), actual.c_str());
    CHECK_TRUE(expected == actual); // including U+0000
}

} // namespace

TEST_GROUP(printable){};

TEST(printable, text_escapes_terminal_control_characters) {
    check_texts("a\\x1b[0m\\x7f\\x0a\\x09\\x00b", text::printable("a\x1b[0m\x7f\n\t\0b"sv));
    check_texts("\\u0080\\u009f\xc2\xa0", text::printable("\xc2\x80\xc2\x9f\xc2\xa0"));
    check_texts("\\u202a\\u202e\\u2066\\u2069\\u200f\\u2028\\ufeff\\U000e0041",
                text::printable("\u202a\u202e\u2066\u2069\u200f\u2028\ufeff\U000e0041"));
    check_texts("\\xff\\xc2x", text::printable("\xff\xc2x"));
    check_texts("José 👩\u200d🔬 \"\\", text::printable("José 👩\u200d🔬 \"\\"));
}

TEST(printable, json_has_the_same_value) {
    check_texts(R"({"a\u007f":"\u009b\u202e\udb40\udc41é\n"})",
                text::printable_json("{\"a\x7f\":\"\u009b\u202e\U000e0041é\\n\"}"));
}

TEST_GROUP(utf8){};

TEST(utf8, text_with_sequences_of_every_length_is_valid) {
    CHECK_TRUE(text::is_clean_utf8(""));
    CHECK_TRUE(text::is_clean_utf8("plain ASCII, longer than eight bytes \x01\x7f"));
    CHECK_TRUE(text::is_clean_utf8("\xc2\x80 \xdf\xbf"));                 // limits of two bytes
    CHECK_TRUE(text::is_clean_utf8("\xe0\xa0\x80 \xef\xbf\xbf"));         // limits of three bytes
    CHECK_TRUE(text::is_clean_utf8("\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf")); // limits of four bytes
    CHECK_TRUE(text::is_clean_utf8("\xed\x9f\xbf \xee\x80\x80"));         // next to the surrogates
}

TEST(utf8, ill_formed_bytes_are_rejected_in_any_position) {
    const std::string_view ill_formed[] = {
        "\x80"sv,             // a continuation byte without a start
        "\xbf"sv,             //
        "\xc0\x80"sv,         // U+0000 in two bytes
        "\xc1\xbf"sv,         // overlong, two bytes
        "\xe0\x9f\xbf"sv,     // overlong, three bytes
        "\xf0\x8f\xbf\xbf"sv, // overlong, four bytes
        "\xed\xa0\x80"sv,     // a high surrogate
        "\xed\xbf\xbf"sv,     // a low surrogate
        "\xf4\x90\x80\x80"sv, // above U+10FFFF
        "\xf8\x88\x80\x80\x80"sv,
        "\xfe"sv,
        "\xff"sv,
        "\xc3"sv,         // truncated after one byte
        "\xe2\x82"sv,     // truncated after two bytes
        "\xf0\x9f\x98"sv, // truncated after three bytes
        "\xc3("sv,        // no continuation byte
        "\0"sv,
    };
    for (const auto bytes : ill_formed) {
        for (std::size_t before = 0; before < 17; ++before) {
            const auto text = std::string(before, 'a') + std::string(bytes);
            CHECK_FALSE(text::is_clean_utf8(text));
            CHECK_FALSE(text::is_clean_utf8(text + "a"));
            CHECK_FALSE(text::is_clean_utf8(text + "aaaaaaaaaaaaaaaa"));
        }
    }
}

TEST(utf8, a_sequence_has_the_length_of_its_code_point) {
    UNSIGNED_LONGS_EQUAL(1, text::sequence_length("ab"));
    UNSIGNED_LONGS_EQUAL(1, text::sequence_length("\0"sv));
    UNSIGNED_LONGS_EQUAL(2, text::sequence_length("ñb"));
    UNSIGNED_LONGS_EQUAL(3, text::sequence_length("€b"));
    UNSIGNED_LONGS_EQUAL(4, text::sequence_length("😀b"));
    UNSIGNED_LONGS_EQUAL(0, text::sequence_length(""));
    UNSIGNED_LONGS_EQUAL(0, text::sequence_length("\xed\xa0\x80"));
}

TEST_GROUP(search_words){};

TEST(search_words, are_separated_by_white_space) {
    const auto check = [](std::string_view search, const std::vector<std::string_view>& words) {
        CHECK_TRUE(words == text::search_words(search));
    };
    check("ana", {"ana"});
    check(" ana \t  berg\n", {"ana", "berg"});
    check("ana\xc2\xa0"
          "berg\xe3\x80\x80",
          {"ana", "berg"}); // no-break space, ideographic space
    check("a b c d e f g h  i", {"a", "b", "c", "d", "e", "f", "g", "h  i"});
    check("  ", {"  "});
    check("", {""});
    check("\xff \xff", {"\xff", "\xff"});
}

TEST_GROUP(folding){};

TEST(folding, removes_only_combining_marks) {
    text::for_each_fold([](std::string_view point, std::string_view folded) {
        CHECK_EQUAL(folded.empty(), text::has_only_combining_marks(point));
    });
    CHECK_TRUE(text::has_only_combining_marks("\xcc\x81\xcc\x80"));
    CHECK_FALSE(text::has_only_combining_marks("\xcc\x81"
                                               "a"));
    CHECK_FALSE(text::has_only_combining_marks("\xcc\x81\xff"));
}

TEST(folding, removes_case_and_accents) {
    check_texts("angel", text::fold("ÁNGEL"));
    check_texts("angel", text::fold("A\xcc\x81ngel")); // a combining accent
    check_texts("angel@example.com", text::fold("Angel@Example.COM"));
    check_texts("nandu", text::fold("ÑANDÚ"));
    check_texts("strasse", text::fold("Straße"));
    check_texts("istanbul", text::fold("İstanbul"));
    check_texts("αθηνα", text::fold("ΑΘΉΝΑ"));
}

TEST(folding, replaces_letters_that_do_not_decompose) {
    check_texts("lukasz", text::fold("Łukasz"));
    check_texts("odegard", text::fold("ØDEGÅRD"));
    check_texts("yilmaz", text::fold("Yılmaz"));
    check_texts("aesop oeuvre", text::fold("Æsop Œuvre"));
    check_texts("gross", text::fold("GROẞ"));
    check_texts("thordur", text::fold("Þórður"));
    check_texts("dordevic", text::fold("Đorđević"));
    check_texts("hamrun", text::fold("Ħamrun"));
}

TEST(folding, differs_from_the_sort_key) {
    check_texts("angel z", text::sort_key("\xc3\x81NGEL z"));
    check_texts("angel", text::sort_key("A\xcc\x81ngel"));
    check_texts("finance 1", text::sort_key("\xef\xac\x81nance \xc2\xb9"));
    check_texts("\xc3\x9f \xc3\xb8 \xce\xa3 \xd0\x96",
                text::sort_key("\xc3\x9f \xc3\xb8 \xce\xa3 \xd0\x96"));
    check_texts("", text::sort_key("\xcc\x81\xcd\xaf"));
    check_texts("\xf0\x9f\x98\x80", text::sort_key("\xf0\x9f\x98\x80"));
}

TEST(folding, does_not_decompose_a_hangul_syllable) {
    check_texts("각", text::fold("각"));
}

TEST(folding, keeps_what_is_neither_a_letter_nor_an_accent) {
    check_texts("100%_\\ [x]\x7f", text::fold("100%_\\ [X]\x7f"));
    check_texts("日本 😀", text::fold("日本 😀"));
    check_texts("", text::fold(""));
}

TEST(folding, does_not_change_invalid_utf8) {
    check_texts("\xc3\x28"
                "ABC",
                text::fold("\xc3\x28"
                           "ABC"));
}

TEST_GROUP(lower){};

TEST(lower, converts_an_address_like_better_auth) {
    check_texts("ana@example.org", text::lower("ANA@Example.ORG"));
    check_texts("ñandú ω", text::lower("ÑANDÚ Ω"));
    // The address must not turn into one that begins with an ASCII letter.
    check_texts("i\xcc\x87@example.org", text::lower("\xc4\xb0@example.org"));
    check_texts("A\xff", text::lower("A\xff"));
}

TEST_GROUP(nfkc){};

TEST(nfkc, composes_and_replaces_compatibility_characters) {
    check_texts("ñ", text::nfkc("n\xcc\x83"));
    check_texts("pass", text::nfkc("ｐａｓｓ"));
    check_texts("fi", text::nfkc("ﬁ"));
    check_texts("ÁB c", text::nfkc("ÁB\xc2\xa0"
                                   "c"));
    check_texts("password1234", text::nfkc("password1234"));
}

TEST(nfkc, does_not_change_invalid_utf8) {
    check_texts("ｐ\xff", text::nfkc("ｐ\xff"));
}

TEST_GROUP(path_segment){};

TEST(path_segment, is_only_percent_decoded) {
    check_texts("a b", text::decode_path_segment("a%20b"));
    check_texts("a+b", text::decode_path_segment("a+b"));
    check_texts("a/ñ", text::decode_path_segment("a%2F%c3%B1"));
    check_texts("a\0b"s, text::decode_path_segment("a%00b"));
    check_texts("%41", text::decode_path_segment("%2541")); // decoded only once
}

TEST(path_segment, keeps_a_percent_sign_without_two_digits) {
    check_texts("%", text::decode_path_segment("%"));
    check_texts("%4", text::decode_path_segment("%4"));
    check_texts("%4g", text::decode_path_segment("%4g"));
    check_texts("%g4", text::decode_path_segment("%g4"));
    check_texts("%A", text::decode_path_segment("%%41"));
    check_texts("100%", text::decode_path_segment("100%"));
}

TEST_GROUP(query){};

TEST(query, returns_the_value_of_the_parameter) {
    check_texts("2", parameter("page=2&limit=10", "page"));
    check_texts("10", parameter("page=2&limit=10", "limit"));
    check_texts("absent", parameter("page=2&limit=10", "search"));
    check_texts("absent", parameter("", "page"));
}

TEST(query, compares_whole_names_exactly) {
    check_texts("absent", parameter("pages=2&pag=3&Page=4", "page"));
}

TEST(query, a_parameter_without_a_value_is_empty) {
    check_texts("", parameter("search", "search"));
    check_texts("", parameter("search=", "search"));
    check_texts("", parameter("a=1&search&b=2", "search"));
}

TEST(query, plus_and_percent_are_decoded_in_names_and_values) {
    check_texts("José Núñez", parameter("search=Jos%C3%A9+N%c3%ba%C3%B1ez", "search"));
    check_texts("a+b", parameter("search=a%2Bb", "search"));
    check_texts("x", parameter("s%65arch=x", "search"));
    check_texts("x", parameter("my+name=x", "my name"));
    check_texts("100%", parameter("search=100%", "search"));
}

TEST(query, an_encoded_separator_does_not_separate) {
    check_texts("a&b=c", parameter("search=a%26b%3Dc", "search"));
}

TEST(query, only_the_first_equals_sign_separates) {
    check_texts("b=c", parameter("a=b=c", "a"));
}

TEST(query, an_empty_part_between_two_separators_is_not_a_parameter) {
    check_texts("1", parameter("&&page=1&", "page"));
    check_texts("absent", parameter("&&page=1&", ""));
    check_texts("x", parameter("&=x", ""));
}

class Networks : public Utest {
  protected:
    static std::string formatted(std::string_view address, unsigned prefix_length = 64) {
        return text::Network::of(address).text(prefix_length);
    }
};

TEST_GROUP_BASE(network, Networks){};

TEST(network, IPv4_address_is_its_own_network) {
    for (const unsigned prefix_length : {48U, 56U, 64U})
        check_texts("192.0.2.1", formatted("192.0.2.1", prefix_length));
    check_texts("0.0.0.0", formatted("0.0.0.0"));
    check_texts("255.255.255.255", formatted("255.255.255.255"));
    CHECK_TRUE(text::Network::of("0.0.0.0").is_ipv4());
    CHECK_TRUE(text::Network::of("192.0.2.1").bits() != text::Network::of("192.0.2.2").bits());
    CHECK_TRUE(text::Network::of("192.0.2.1").widened(48).bits() ==
               text::Network::of("192.0.2.1").bits());
}

TEST(network, IPv6_address_has_its_slash_64) {
    check_texts("2001:db8:0:1::/64", formatted("2001:db8:0:1:2:3:4:5"));
    check_texts("2001:db8:0:1200::/56", formatted("2001:db8:0:12ff::1", 56));
    check_texts("2001:db8:1::/48", formatted("2001:db8:1:ffff::1", 48));
    check_texts("::/64", formatted("::1"));
    CHECK_FALSE(text::Network::of("2001:db8::1").is_ipv4());
    CHECK_TRUE(text::Network::of("2001:db8::1").bits() ==
               text::Network::of("2001:db8::ffff:0:0:1").bits());
    CHECK_TRUE(text::Network::of("2001:db8::1").bits() !=
               text::Network::of("2001:db8:0:1::1").bits());
}

TEST(network, mapped_address_is_IPv4) {
    check_texts("192.0.2.1", formatted("::ffff:192.0.2.1"));
    check_texts("192.0.2.1", formatted("::FFFF:c000:201"));
    check_texts("::/64", formatted("::192.0.2.1"));
}

TEST(network, ignores_a_scope_ID) {
    check_texts("fe80::/64", formatted("fe80::1%eth0"));
    check_texts("fe80::/64", formatted("fe80::1%" + std::string(1000, 'x')));
    check_texts("192.0.2.1", formatted("::ffff:192.0.2.1%1"));
}

TEST(network, invalid_address_is_unspecified) {
    for (const std::string& text :
         {std::string(), std::string("unknown"), std::string("/run/httpd.sock"),
          std::string("192.0.2"), std::string("192.0.2.256"), std::string("192.0.2.1 "),
          std::string("192.0.2.1%1"), std::string("192.0.2.1:80"), std::string("[2001:db8::1]"),
          std::string("2001:db8::1/64"), std::string("%eth0"), std::string("192.0.2.1\0", 10),
          std::string("2001:db8::1\0x", 13), std::string(46, ':'), std::string(100000, '1'),
          std::string("ffff:ffff:ffff:ffff::1")})
        CHECK_TRUE_TEXT(text::Network::of(text).bits() == text::Network().bits(), text.c_str());
}

TEST_GROUP(timestamp){};

TEST(timestamp, the_text_of_postgresql_is_read) {
    check_texts("2026-11-20T23:30:19.717Z", formatted("2026-11-20 23:30:19.717+00"));
    check_texts("2026-11-20T23:30:19.000Z", formatted("2026-11-20 23:30:19+00"));
    check_texts("2026-11-20T23:30:19.700Z", formatted("2026-11-20 23:30:19.7"));
    check_texts("2026-11-20T23:30:19.070Z", formatted("2026-11-20 23:30:19.07"));
}

TEST(timestamp, the_formats_of_sqlite_are_read) {
    check_texts("2026-11-20T23:30:19.717Z", formatted("2026-11-20T23:30:19.717Z"));
    check_texts("2026-11-20T23:30:19.000Z", formatted("2026-11-20 23:30:19"));
    check_texts("2026-11-20T23:30:00.000Z", formatted("2026-11-20 23:30"));
    check_texts("2026-11-20T00:00:00.000Z", formatted("2026-11-20"));
}

TEST(timestamp, digits_after_the_millisecond_are_dropped) {
    check_texts("2026-11-20T23:30:19.717Z", formatted("2026-11-20 23:30:19.717999+00"));
    check_texts("2026-12-31T23:59:59.999Z", formatted("2026-12-31 23:59:59.999999999"));
    check_texts("1969-12-31T23:59:59.999Z", formatted("1969-12-31 23:59:59.999999"));
}

TEST(timestamp, an_offset_is_subtracted) {
    check_texts("2026-11-20T18:00:19.717Z", formatted("2026-11-20 23:30:19.717+05:30"));
    check_texts("2026-11-20T18:00:19.717Z", formatted("2026-11-20 23:30:19.717+0530"));
    check_texts("2026-11-21T02:30:19.717Z", formatted("2026-11-20 23:30:19.717-03"));
    check_texts("2027-01-01T02:59:59.000Z", formatted("2026-12-31 23:29:59-03:30"));
    check_texts("1880-01-01T03:30:52.000Z", formatted("1880-01-01 00:00:00-03:30:52"));
    check_texts("2026-11-20T23:00:00.000Z", formatted("2026-11-20 23:30+00:30"));
}

TEST(timestamp, the_leap_day_exists_only_in_leap_years) {
    check_texts("2024-02-29T12:00:00.000Z", formatted("2024-02-29 12:00:00"));
    check_texts("2000-02-29T12:00:00.000Z", formatted("2000-02-29 12:00:00"));
    check_texts("nothing", formatted("2023-02-29 12:00:00"));
    check_texts("nothing", formatted("1900-02-29 12:00:00"));
    check_texts("2024-03-01T00:30:00.000Z", formatted("2024-02-29 23:30:00-01"));
}

TEST(timestamp, times_before_1970_are_read_and_written) {
    check_texts("1969-12-31T23:59:59.001Z", formatted("1969-12-31 23:59:59.001"));
    check_texts("0001-01-01T00:00:00.000Z", formatted("0001-01-01 00:00:00"));
    check_texts("1969-12-31T23:59:59.999Z", formatted(std::chrono::milliseconds(-1)));
}

TEST(timestamp, a_year_outside_1_to_9999_returns_nothing) {
    check_texts("9999-12-31T23:59:59.999Z", formatted("9999-12-31 23:59:59.999999+00"));
    check_texts("nothing", formatted("9999-12-31 23:59:59.999-01"));
    check_texts("nothing", formatted("10000-01-01 00:00:00+00"));
    check_texts("nothing", formatted("294276-12-31 23:59:59+00"));
    check_texts("nothing", formatted("+010000-01-01T00:00:00.000Z"));
    check_texts("nothing", formatted("-000001-01-01T00:00:00.000Z"));
    check_texts("nothing", formatted("0000-12-31 23:59:59.999"));
    check_texts("nothing", formatted("0001-01-01 00:00:00+01"));
    check_texts("9999-12-31T23:59:59.999Z", formatted("253402300799999"));
    check_texts("nothing", formatted("-62135596801"));
    check_texts("nothing", formatted("971890963199999"));
}

TEST(timestamp, a_written_time_is_read_back_unchanged) {
    // 97 days, 1 hour, 1 minute and 1.001 seconds, so that every field changes.
    const std::chrono::milliseconds step{97 * 86'400'000LL + 3'661'001LL};
    for (auto time = text::first_time.time_since_epoch();
         time <= text::last_time.time_since_epoch(); time += 11 * step) {
        const auto read = text::parse_timestamp(formatted(time));
        CHECK_TRUE(read.has_value());
        CHECK_TRUE(read->time_since_epoch() == time);
    }
    for (auto time = -300 * step; time <= 300 * step; time += step)
        CHECK_TRUE(text::parse_timestamp(formatted(time))->time_since_epoch() == time);
}

TEST(timestamp, a_small_integer_is_seconds_and_a_large_one_milliseconds) {
    check_texts("2026-11-20T23:30:19.000Z", formatted("1795217419"));
    check_texts("2026-11-20T23:30:19.717Z", formatted("1795217419717"));
    check_texts("1970-01-01T00:00:00.000Z", formatted("0"));
    check_texts("1969-12-31T23:59:59.000Z", formatted("-1"));
    check_texts("9999-12-31T23:59:59.000Z", formatted("253402300799"));
    check_texts("1978-01-11T21:31:40.800Z", formatted("253402300800"));
    check_texts("1961-12-21T02:28:19.200Z", formatted("-253402300800"));
}

TEST(timestamp, a_number_out_of_range_returns_nothing) {
    check_texts("nothing", formatted("9223372036854775807"));
    check_texts("nothing", formatted("-9223372036854775808"));
    check_texts("nothing", formatted("99999999999999999999"));
    check_texts("nothing", formatted("1795217419.717"));
    check_texts("nothing", formatted("+1795217419"));
}

TEST(timestamp, infinity_and_years_BC_return_nothing) {
    check_texts("nothing", formatted("infinity"));
    check_texts("nothing", formatted("-infinity"));
    check_texts("nothing", formatted("0044-03-15 12:00:00+00 BC"));
    check_texts("nothing", formatted("0044-03-15 BC"));
}

TEST(timestamp, any_other_text_returns_nothing) {
    const std::string_view others[] = {
        "",
        " ",
        "-",
        "now",
        "2026",
        "2026-11",
        "2026-11-",
        "2026-11-2",
        "2026-11-200",
        "2026-13-01",
        "2026-00-01",
        "2026-11-00",
        "2026-11-31",
        "226-11-20",
        "2026/11/20",
        "20-11-2026",
        "2026-11-20 ",
        "2026-11-20Z",
        "2026-11-20x23:30:19",
        "2026-11-20 23",
        "2026-11-20 23:",
        "2026-11-20 2:30:19",
        "2026-11-20 23:3",
        "2026-11-20 23:30:",
        "2026-11-20 23:30:1",
        "2026-11-20 24:00:00",
        "2026-11-20 23:60:00",
        "2026-11-20 23:30:60",
        "2026-11-20 23:30:19.",
        "2026-11-20 23:30:19.Z",
        "2026-11-20 23:30:19,717",
        "2026-11-20 23:30:19.717z",
        "2026-11-20 23:30:19.717+",
        "2026-11-20 23:30:19.717+0",
        "2026-11-20 23:30:19.717+00:",
        "2026-11-20 23:30:19.717+00:0",
        "2026-11-20 23:30:19.717+24:00",
        "2026-11-20 23:30:19.717+00:60",
        "2026-11-20 23:30:19.717+0000:00",
        "2026-11-20 23:30:19.717+00 ",
        "2026-11-20 23:30:19.717Z\n",
        " 2026-11-20 23:30:19",
        "+2026-11-20",
        "1234567-01-01",
    };
    for (const auto text : others) {
        // "2026" is an integer, which means seconds.
        check_texts(text == "2026" ? "1970-01-01T00:33:46.000Z" : "nothing", formatted(text));
    }
}

TEST(timestamp, parse_date_rejects_numbers_and_dates_out_of_range) {
    for (const char* text : {"2026-11-20", "2026-11-20T23:30:19.717Z", "2026-11-20 23:30:19+02",
                             "0001-01-02", "9999-12-31T23:59:59.999Z"})
        CHECK_TRUE(text::parse_date(text) == text::parse_timestamp(text));
    for (const char* text : {"1795217419717", "0", "-5", "0001-01-01T23:59:59Z",
                             "9999-12-31T23:59:59-01", "12026-01-01", "infinity", "", "soon"})
        CHECK_FALSE(text::parse_date(text).has_value());
}

TEST(timestamp, now_is_the_system_time) {
    const auto before = std::chrono::system_clock::now() - std::chrono::milliseconds(1);
    const auto now = text::now();
    CHECK_TRUE(before <= now);
    CHECK_TRUE(now <= std::chrono::system_clock::now());
}
