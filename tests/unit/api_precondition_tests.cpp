// Entity tags in If-Match (RFC 9110, sections 8.8.3 and 13.1.1).
#include "api/precondition.hpp"
#include "fake_store.hpp"
#include "http/entity_tags.hpp"
#include "support/fail_test.hpp"

#include <CppUTest/TestHarness.h>

namespace useradmin::test {

namespace {

/// Returns the strong tags of a list, each in angle brackets, or "any" for an asterisk.
std::string tags_of(std::string_view list) {
    FakeHeaders headers;
    headers.fields["If-Match"] = list;
    const store::Versions tags = api::if_match_versions(headers);
    if (!tags)
        return "any";
    std::string text;
    for (const std::string_view tag : *tags)
        text.append("<").append(tag).append(">");
    return text;
}

void expect_tags(std::string_view expected, std::string_view list, SourceLocation where = {}) {
    STRCMP_EQUAL_LOCATION(std::string(expected).c_str(), tags_of(list).c_str(),
                          std::string(list).c_str(), where.file,
                          static_cast<std::size_t>(where.line));
}

} // namespace

TEST_GROUP(entity_tags){};

TEST(entity_tags, are_read_from_a_list) {
    expect_tags("<a>", "\"a\"");
    expect_tags("<a><b><c>", "\"a\", \"b\" ,\t\"c\"");
    expect_tags("<a><b>", "\"a\",\"b\"");
    expect_tags("<>", "\"\"");
    expect_tags("<W/c>", "\"W/c\"");
    expect_tags("<!#~\xc3\xb1>", "\"!#~\xc3\xb1\"");
}

TEST(entity_tags, match_any_tag_if_given_as_an_asterisk) {
    expect_tags("any", "*");
    expect_tags("any", " *\t");
    expect_tags("<*>", "\"*\"");
}

TEST(entity_tags, weak_tags_do_not_match) {
    expect_tags("", "W/\"a\"");
    expect_tags("<b>", "W/\"a\", \"b\"");
}

TEST(entity_tags, may_have_empty_list_elements) {
    expect_tags("<a><b>", ", \"a\",, ,\"b\" ,");
    expect_tags("", "");
    expect_tags("", " , ,");
}

TEST(entity_tags, malformed_tags_are_ignored) {
    for (const char* list : {"a", "\"a", "a\"", "\"", "\"a\"b", "*, *", "**", "w/\"a\"", "W/a",
                             "W/ \"a\"", "W/", "'a'", "\"a\xff\""})
        expect_tags("", list);
    expect_tags("<b>", "\"a, *, a, \"b\"");
}

TEST(entity_tags, are_quoted) {
    STRCMP_EQUAL("\"1-2.3\"", http::make_strong_tag("1-2.3").c_str());
    expect_tags("<1-2.3>", http::make_strong_tag("1-2.3"));
}

} // namespace useradmin::test
