// Language negotiation (RFC 9110, section 12.5.4).
#include "http/language.hpp"
#include "support/fail_test.hpp"

#include <CppUTest/TestHarness.h>
#include <string>
#include <string_view>

namespace useradmin::test {

namespace {

void expect_language(std::string_view expected, std::string_view field, SourceLocation where = {}) {
    STRCMP_EQUAL_LOCATION(std::string(expected).c_str(),
                          std::string(http::tag_of(http::preferred_language(field))).c_str(),
                          std::string(field.substr(0, 100)).c_str(), where.file,
                          static_cast<std::size_t>(where.line));
}

} // namespace

TEST_GROUP(accept_language){};

TEST(accept_language, without_a_known_language_is_spanish) {
    for (const char* field : {"", " ", ",", "fr", "de-CH, fr;q=0.5", "eng", "x-en", "i-en"})
        expect_language("es", field);
}

TEST(accept_language, with_one_known_language_returns_it) {
    for (const char* field : {"en", "EN", "en-GB", "en-Latn-US", "En-gb-oed", "fr, en",
                              "en;q=0.001", "fr;q=1.0, en;q=0.1", "\ten\t", "fr,,en,"})
        expect_language("en", field);
    for (const char* field : {"es", "es-419", "fr, es-MX;q=0.2"})
        expect_language("es", field);
}

TEST(accept_language, with_both_languages_returns_the_one_with_the_higher_weight) {
    expect_language("en", "es;q=0.5, en;q=0.6");
    expect_language("es", "es;q=0.6, en;q=0.5");
    expect_language("en", "es;q=0.998,en;q=0.999");
    expect_language("en", "es ; Q=0.9 ,\ten;q=1.");
    expect_language("es", "en;q=0, es;q=0.001");
    // A language has the highest weight of its ranges.
    expect_language("en", "es;q=0.8, en;q=0.1, en-GB;q=0.9");
    expect_language("en", "en-GB;q=0, es;q=0.5, en");
}

TEST(accept_language, with_equal_weights_returns_the_first) {
    expect_language("en", "en, es");
    expect_language("es", "es, en");
    expect_language("en", "fr, en-US;q=0.7, es;q=0.7");
}

TEST(accept_language, with_an_asterisk_accepts_languages_that_are_not_listed) {
    expect_language("es", "*");
    expect_language("es", "*;q=0.5");
    expect_language("es", "fr, *");
    expect_language("en", "es;q=0, *");
    expect_language("en", "*;q=0.5, es;q=0.4");
    expect_language("es", "*;q=0.5, en;q=0.4");
    expect_language("en", "en, *");
    expect_language("en", "*, en");
    expect_language("en", "en;q=0.1, *;q=0");
}

TEST(accept_language, with_no_acceptable_language_is_spanish) {
    for (const char* field : {"en;q=0", "es;q=0", "en;q=0.000, es;q=0", "*;q=0", "fr, en;q=0.0"})
        expect_language("es", field);
}

TEST(accept_language, with_a_malformed_range_ignores_that_range) {
    for (const char* field :
         {"en;q",         "en;q=",      "en;q=2",     "en;q=1.001", "en;q=-1", "en;q=0x1",
          "en;q=0.5;q=1", "en;level=1", "en;q =1",    "en q=1",     "en;;q=1", ";q=1",
          "e n",          "en_GB",      "-en",        "englishes",  "**",      "en/es",
          "\"en\"",       "\xc3\xb1",   "en;q=1 q=0", "en;q=0.a"}) {
        expect_language("es", field);
        expect_language("en", std::string("en;q=0.1, ") + field);
    }
    expect_language("es", std::string_view("en\0", 3));
    expect_language("en", std::string_view("en, \0", 5));
}

TEST(accept_language, may_be_very_long) {
    std::string field;
    while (field.size() < 1000000)
        field += "fr-CA;q=0.5, ,";
    expect_language("en", field + "en;q=0.1");
    expect_language("es", field + "en;q=");
    expect_language("es", std::string(1000000, 'e'));
    expect_language("es", std::string(1000000, '-'));
    expect_language("es", std::string(1000000, ';'));
    expect_language("en", std::string(1000000, ',') + "en");
    expect_language("en", std::string(1000000, ' ') + "en");
}

} // namespace useradmin::test
