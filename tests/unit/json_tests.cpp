#include "json/reader.hpp"
#include "json/writer.hpp"

#include <cJSON.h>
#include <malloc.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include <CppUTest/TestHarness.h>

using namespace std::string_literals;
using namespace std::string_view_literals;
using namespace useradmin;
using Kind = json::Object::Kind;

namespace {

bool parses(std::string_view text) {
    return json::Object::parse(text).has_value();
}

/// Returns whether the parser accepts a member with this value.
bool accepts_value(std::string_view value) {
    return parses("{\"a\":" + std::string(value) + "}");
}

/// Parses an object whose "a" member has this value. Returns the member's string.
std::string text_of(std::string_view value) {
    const auto object = json::Object::parse("{\"a\":" + std::string(value) + "}");
    CHECK_TRUE(object.has_value());
    CHECK_TRUE(object->kind("a") == Kind::string);
    return std::string(object->text("a"));
}

std::string nested(std::size_t depth) {
    // The outer object counts as one level.
    return "{\"a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
}

std::string write_string(std::string_view value) {
    std::string out;
    json::Writer(out).string(value);
    return out;
}

void check_texts(std::string_view expected, std::string_view actual) {
    STRCMP_EQUAL(std::string(expected).c_str(), std::string(actual).c_str());
}

} // namespace

TEST_GROUP(json_reader){};

TEST(json_reader, distinguishes_the_kinds_of_members) {
    const auto object = json::Object::parse(
        R"({"n":null,"t":true,"f":false,"i":-1.5e3,"s":"x","a":[1],"o":{"s":"y"}})");
    CHECK_TRUE(object.has_value());
    CHECK_TRUE(object->kind("n") == Kind::null);
    CHECK_TRUE(object->kind("t") == Kind::boolean);
    CHECK_TRUE(object->kind("f") == Kind::boolean);
    CHECK_TRUE(object->kind("i") == Kind::number);
    CHECK_TRUE(object->kind("s") == Kind::string);
    CHECK_TRUE(object->kind("a") == Kind::array);
    CHECK_TRUE(object->kind("o") == Kind::object);
    CHECK_TRUE(object->kind("x") == Kind::absent);
}

TEST(json_reader, only_strings_are_read_as_strings) {
    const auto object = json::Object::parse(R"({"n":null,"i":1,"s":"x","e":"","a":["y"]})");
    check_texts("x", object->text("s"));
    check_texts("", object->text("e"));
    check_texts("", object->text("n"));
    check_texts("", object->text("i"));
    check_texts("", object->text("a"));
    check_texts("", object->text("x"));
}

TEST(json_reader, only_booleans_are_read_as_booleans) {
    const auto object = json::Object::parse(R"({"t":true,"f":false,"i":1,"s":"true"})");
    CHECK_TRUE(object->boolean("t"));
    CHECK_FALSE(object->boolean("f"));
    CHECK_FALSE(object->boolean("i"));
    CHECK_FALSE(object->boolean("s"));
    CHECK_FALSE(object->boolean("x"));
}

TEST(json_reader, keys_are_compared_exactly) {
    const auto object =
        json::Object::parse(R"({"Role":"a","rol\u0065":"b","role ":"c","":"d","ñ":"e"})");
    check_texts("b", object->text("role")); // an escape is equal to the character
    check_texts("a", object->text("Role"));
    CHECK_TRUE(object->kind("ROLE") == Kind::absent);
    CHECK_TRUE(object->kind("rol") == Kind::absent);
    CHECK_TRUE(object->kind("role\0x"sv) == Kind::absent);
    check_texts("d", object->text(""));
    check_texts("e", object->text("ñ"));
}

TEST(json_reader, the_last_of_many_members_with_the_same_key_counts) {
    std::string text = "{";
    for (const char* const value : {"1", "\"x\"", "true"})
        for (int number = 0; number < 5700; ++number)
            text += "\"" + std::to_string(number) + "\":" + value + ",";
    text.back() = '}';
    auto parsed = json::Object::parse(text);
    const json::Object object = *std::move(parsed);
    const auto keys = object.keys();
    CHECK_EQUAL(5700U, keys.size());
    check_texts("0", keys.front());
    for (const std::string_view key : keys)
        CHECK_TRUE(object.boolean(key));
    CHECK_TRUE(object.kind("5700") == Kind::absent);
}

TEST(json_reader, ignores_members_of_nested_objects) {
    const auto object = json::Object::parse(R"({"a":{"role":"x"},"b":[{"role":"y"}]})");
    CHECK_TRUE(object->kind("role") == Kind::absent);
}

TEST(json_reader, every_escape_is_read) {
    check_texts("\"\\/\b\f\n\r\t", text_of(R"("\"\\\/\b\f\n\r\t")"));
    check_texts("Aé€", text_of(R"("\u0041\u00e9\u20AC")"));
    check_texts("\x01\x1f\x7f", text_of(R"("\u0001\u001f\u007f")"));
    check_texts("\\u0000", text_of(R"("\\u0000")")); // a backslash and five characters
    check_texts("\\", text_of(R"("\\")"));
}

TEST(json_reader, an_escape_that_rfc_8259_does_not_define_is_rejected) {
    const std::string_view escapes[] = {R"("\a")",     R"("\v")",     R"("\0")",     R"("\x41")",
                                        R"("\'")",     R"("\U0041")", R"("\u")",     R"("\u004")",
                                        R"("\u00g1")", R"("\u 041")", R"("\u+041")", R"("\u-001")",
                                        R"("\)",       R"("\u00)",    "\"\\\n\""};
    for (const auto escape : escapes)
        CHECK_FALSE(accepts_value(escape));
}

TEST(json_reader, a_surrogate_pair_is_one_character) {
    check_texts("😀", text_of(R"("\ud83d\ude00")"));
    check_texts("😀", text_of(R"("\uD83D\uDE00")"));
    check_texts("\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf", text_of(R"("\ud800\udc00 \udbff\udfff")"));
    check_texts("\xed\x9f\xbf\xee\x80\x80", text_of(R"("\ud7ff\ue000")")); // no surrogates
}

TEST(json_reader, a_lone_surrogate_is_rejected) {
    const std::string_view lone[] = {R"("\ud83d")",       R"("\ude00")",        R"("\ud83dx")",
                                     R"("\ud83d\n")",     R"("\ud83d\u0041")",  R"("\ud83d\ud83d")",
                                     R"("\ude00\ud83d")", R"("\ud83dude00")",   R"("\udfff")",
                                     R"("\ud83d\ue000")", R"("\ud83d\\ude00")", R"("\ud83d\u")"};
    for (const auto text : lone)
        CHECK_FALSE(accepts_value(text));
    CHECK_FALSE(parses(R"({"\ud83d":1})"));
}

TEST(json_reader, u0000_is_rejected_in_strings_and_keys) {
    CHECK_FALSE(accepts_value(R"("\u0000")"));
    CHECK_FALSE(accepts_value(R"("admin\u0000x")"));
    CHECK_FALSE(parses(R"({"role\u0000":"x"})"));
    CHECK_FALSE(accepts_value("\"a\0b\""sv));
    CHECK_FALSE(parses("{\"a\":1}\0"sv));
    CHECK_FALSE(parses("{\0}"sv));
}

TEST(json_reader, a_control_character_in_a_string_is_rejected) {
    for (int byte = 0; byte < 0x20; ++byte)
        CHECK_FALSE(accepts_value("\"" + std::string(1, static_cast<char>(byte)) + "\""));
    check_texts("\x7f", text_of("\"\x7f\""));
}

TEST(json_reader, text_that_is_not_utf8_is_rejected) {
    const std::string_view ill_formed[] = {"\x80",
                                           "\xc0\xaf",
                                           "\xc3",
                                           "\xe0\x80\xaf",
                                           "\xe2\x82",
                                           "\xed\xa0\x80",
                                           "\xf0\x80\x80\xaf",
                                           "\xf4\x90\x80\x80",
                                           "\xff",
                                           "\xfe"};
    for (const auto bytes : ill_formed) {
        CHECK_FALSE(accepts_value("\"" + std::string(bytes) + "\""));
        CHECK_FALSE(parses("{\"" + std::string(bytes) + "\":1}"));
        CHECK_FALSE(parses("{} " + std::string(bytes)));
    }
    CHECK_FALSE(parses("\xff\xfe{\0}\0"sv)); // UTF-16
    check_texts("ñ€😀\xef\xbf\xbf", text_of("\"ñ€😀\xef\xbf\xbf\""));
}

TEST(json_reader, a_byte_order_mark_is_rejected) {
    CHECK_FALSE(parses("\xef\xbb\xbf{}"));
    CHECK_FALSE(parses("{}\xef\xbb\xbf"));
}

TEST(json_reader, only_the_four_characters_of_rfc_8259_are_white_space) {
    CHECK_TRUE(parses(
        " \t\r\n{ \t\r\n\"a\" \t\r\n: \t\r\n[ \t\r\n1 \t\r\n, \t\r\n{ } \t\r\n] \t\r\n} \t\r\n"));
    for (const std::string space :
         {"\v", "\f", "\x01", "\x1f", "\x7f", "\xc2\xa0", "\xe2\x80\xa8"}) {
        CHECK_FALSE(parses(space + "{}"));
        CHECK_FALSE(parses("{}" + space));
        CHECK_FALSE(parses("{" + space + "}"));
        CHECK_FALSE(parses("{\"a\"" + space + ":1}"));
        CHECK_FALSE(parses("{\"a\":" + space + "1}"));
        CHECK_FALSE(parses("{\"a\":1" + space + "}"));
    }
    CHECK_FALSE(parses("/**/{}"));
    CHECK_FALSE(parses("{} // x"));
}

TEST(json_reader, nothing_may_follow_the_object) {
    CHECK_FALSE(parses("{}x"));
    CHECK_FALSE(parses("{}{}"));
    CHECK_FALSE(parses("{},"));
    CHECK_FALSE(parses("{}}"));
    CHECK_FALSE(parses("{} null"));
}

TEST(json_reader, anything_other_than_an_object_is_rejected) {
    for (const auto text : {"", " ", "null", "true", "1", "\"a\"", "[]", "[{}]", "x"})
        CHECK_FALSE(parses(text));
    CHECK_FALSE(parses(std::string_view()));
    CHECK_TRUE(parses("{}"));
}

TEST(json_reader, an_object_truncated_anywhere_is_rejected) {
    const auto whole = R"({"a":[1,{"b":"\ud83d\ude00é"}],"c":-1.5e+3,"d":null,"e":true})"sv;
    CHECK_TRUE(parses(whole));
    for (std::size_t length = 0; length < whole.size(); ++length) {
        CHECK_FALSE(
            parses(std::string(whole.substr(0, length)))); // a copy, so that ASan finds its end
    }
}

TEST(json_reader, text_that_resembles_json_is_rejected) {
    const std::string_view texts[] = {
        "{,}",          "{\"a\"}",       "{\"a\":}",          "{\"a\":1,}",
        "{,\"a\":1}",   "{\"a\" 1}",     "{\"a\":1 \"b\":2}", "{\"a\":1,,\"b\":2}",
        "{\"a\"::1}",   "{a:1}",         "{'a':1}",           "{1:1}",
        "{null:1}",     "{\"a\":'b'}",   "{\"a\":[1}",        "{\"a\":[1,]}",
        "{\"a\":[,1]}", "{\"a\":[1 2]}", "{\"a\":(1)}",       "{\"a\":1]",
        "{\"a\":{]}",   "{\"a\":b}",     "{\"a\":\"b}",       "{\"a\":\"b\"\"c\"}",
        "{\"a\",1}"};
    for (const auto text : texts)
        CHECK_FALSE(parses(text));
}

TEST(json_reader, literals_are_matched_exactly) {
    CHECK_TRUE(accepts_value("true"));
    CHECK_TRUE(accepts_value("false"));
    CHECK_TRUE(accepts_value("null"));
    for (const auto text : {"True", "TRUE", "tru", "truex", "true1", "nul", "nulll", "None",
                            "falsey", "undefined", "NaN", "Infinity", "-Infinity"})
        CHECK_FALSE(accepts_value(text));
}

TEST(json_reader, numbers_follow_the_grammar_of_rfc_8259) {
    for (const auto text : {"0", "-0", "7", "10", "-12", "0.5", "1.50", "1e5", "1E5", "1e+5",
                            "1e-05", "0e0", "-0.0e-0", "1e400", "9223372036854775808"})
        CHECK_TRUE(accepts_value(text));
    for (const auto text :
         {"01",  "-01",  "00",   "1.",    "-1.", ".5",  "-.5",   "+1",    "-",  "--1", "1e",
          "1e+", "1.e5", "0x10", "1_000", "1,5", "1 5", "1.5.5", "1e5.5", "1f", "٣"})
        CHECK_FALSE(accepts_value(text));
}

TEST(json_reader, a_number_may_have_any_number_of_digits) {
    CHECK_TRUE(accepts_value(std::string(1000, '9')));
    CHECK_TRUE(accepts_value("-0." + std::string(100, '0') + "1e+1"));
    CHECK_TRUE(parses("{\"a\":[" + std::string(200, '1') + "," + std::string(64, '2') + "]}"));
}

TEST(json_reader, a_number_of_any_length_keeps_its_value) {
    const std::string zeros(100, '0');
    for (const auto& [json, text] :
         {std::pair("0.1" + zeros, "0.1"),
          {"-12.5" + zeros + "e+1", "-125"},
          {"-0." + zeros + "1e+101", "-1"},
          {"1" + zeros, "1e+100"},
          {"0.1000000000000000055511151231257827021181583404541015625" + zeros, "0.1"},
          {"1e-0000" + zeros, "1"},
          {"1" + zeros + "e-999", "0"},
          {"1" + zeros + "e999", "Infinity"},
          {"-1" + zeros + "e999", "-Infinity"}}) {
        const auto object = json::Object::parse("{\"a\":[" + json + ",2],\"b\":" + json + "}");
        STRCMP_EQUAL((std::string(text) + ",2").c_str(), object->as_text("a").c_str());
        STRCMP_EQUAL(text, object->as_text("b").c_str());
    }
}

TEST(json_reader, numbers_become_strings_as_in_javascript) {
    for (const auto& [json, text] : {std::pair("0", "0"),
                                     {"-0", "0"},
                                     {"5", "5"},
                                     {"-12.50", "-12.5"},
                                     {"1e3", "1000"},
                                     {"123456789012345680000", "123456789012345680000"},
                                     {"1e21", "1e+21"},
                                     {"1.5e-7", "1.5e-7"},
                                     {"2e-10", "2e-10"},
                                     {"0.000001", "0.000001"},
                                     {"1e400", "Infinity"},
                                     {"-1e400", "-Infinity"}}) {
        const auto object = json::Object::parse_value(json);
        STRCMP_EQUAL(text, object->as_text("value").c_str());
    }
}

TEST(json_reader, values_become_strings_as_in_javascript) {
    for (const auto& [json, text] : {std::pair("true", "true"),
                                     {"null", "null"},
                                     {"\"a\"", "a"},
                                     {"{\"a\":1}", "[object Object]"},
                                     {"[]", ""},
                                     {"[1,null,\"x\",[true,2]]", "1,,x,true,2"}}) {
        const auto object = json::Object::parse_value(json);
        STRCMP_EQUAL(text, object->as_text("value").c_str());
    }
    STRCMP_EQUAL("undefined", json::Object::parse("{}")->as_text("value").c_str());
}

TEST(json_reader, a_value_is_not_followed_by_members) {
    for (const char* text : {R"(1,"x":2)", R"(1,"value":2)", R"({},"x":{})", "1}", ""})
        CHECK_FALSE_TEXT(json::Object::parse_value(text).has_value(), text);
}

TEST(json_reader, reads_a_nested_object) {
    const auto object = json::Object::parse(R"({"a":{"b":["c",1.50,{"x":null}]},"d":1})");
    const auto inner = object->object("a");
    STRCMP_EQUAL(R"(["c",1.5,{"x":null}])", inner->as_json("b").c_str());
    STRCMP_EQUAL("null", inner->as_json("d").c_str());
    CHECK_FALSE(object->object("d").has_value());
}

TEST(json_reader, values_become_json_with_all_their_digits) {
    const std::string json =
        R"({"a \"key\"":[9007199254740991,-2147483649,0.1,1e+21,1e999,-1e999,0],)"
        R"("b":{"c":"é\u0001\\"},"d":[],"e":[{},null,true,false]})";
    STRCMP_EQUAL(json.c_str(), json::Object::parse_value(json)->as_json("value").c_str());
}

TEST(json_reader, nesting_is_limited_to_64_levels) {
    CHECK_TRUE(parses(nested(64)));
    CHECK_FALSE(parses(nested(65)));
    CHECK_FALSE(parses(nested(100'000)));

    const auto objects = [](int depth) {
        std::string text;
        for (int i = 1; i < depth; ++i)
            text += "{\"a\":";
        return text + "{}" + std::string(static_cast<std::size_t>(depth) - 1, '}');
    };
    CHECK_TRUE(parses(objects(64)));
    CHECK_FALSE(parses(objects(65)));

    std::string endless;
    for (int i = 0; i < 100'000; ++i)
        endless += "{\"a\":";
    CHECK_FALSE(parses(endless));
}

TEST(json_reader, many_members_do_not_count_as_nesting) {
    std::string members;
    for (int i = 0; i < 1000; ++i)
        members += "\"k" + std::to_string(i) + "\":{},";
    CHECK_TRUE(parses("{" + members + "\"a\":[[],[],[]]}"));
}

TEST(json_reader, the_input_is_not_needed_after_parsing) {
    std::string text = R"({"password":"hunter2, and more than a short text holds"})";
    const auto object = json::Object::parse(text);
    text.assign(text.size(), 'x');
    check_texts("hunter2, and more than a short text holds", object->text("password"));
}

namespace {

constexpr std::string_view password_text = "hunter2, and more than a short text holds";
int passwords_freed = 0;

/// Like free(), but first searches the memory for the password.
void checking_free(void* memory) {
    if (memory != nullptr) {
        const std::string_view bytes(static_cast<const char*>(memory), malloc_usable_size(memory));
        passwords_freed += bytes.find(password_text.substr(0, 16)) != bytes.npos ? 1 : 0;
    }
    std::free(memory);
}

} // namespace

class JsonMemory : public Utest {
  protected:
    void setup() override {
        cJSON_Hooks hooks{std::malloc, checking_free};
        cJSON_InitHooks(&hooks);
        passwords_freed = 0;
    }
    void teardown() override { cJSON_InitHooks(nullptr); }
};

TEST_GROUP_BASE(json_memory, JsonMemory){};

TEST(json_memory, wipes_a_password_before_freeing_it) {
    CHECK_TRUE(parses("{\"password\":\"" + std::string(password_text) + "\"}"));
    CHECK_EQUAL(0, passwords_freed);
}

TEST(json_memory, rejected_text_leaves_no_password_behind) {
    for (const std::string_view end :
         {"", "}x", ",}", ",\"a\":tru}", ",\"a\":01}", "]", "\"\\u0000\"}", ",\"a\":\"\\ud83d\"}",
          ",\"a\":\"\\ude00\"}", ",\"a\":\"\\ud83d\\u0041\"}"})
        CHECK_FALSE(
            parses("{\"password\":\"" + std::string(password_text) + "\"" + std::string(end)));
    CHECK_EQUAL(0, passwords_freed);
}

TEST_GROUP(json_writer){};

TEST(json_writer, commas_are_added_automatically) {
    std::string out;
    json::Writer writer(out);
    writer.begin_object();
    writer.key("a").integer(1);
    writer.key("b").begin_array().string("x").null().boolean(true).begin_array().end_array();
    writer.begin_object().end_object().integer(2).end_array();
    writer.key("c").begin_object().key("d").boolean(false).end_object();
    writer.key("e").null().end_object();
    check_texts(R"({"a":1,"b":["x",null,true,[],{},2],"c":{"d":false},"e":null})", out);
}

TEST(json_writer, text_is_appended) {
    std::string out = "before";
    json::Writer(out).begin_array().end_array();
    check_texts("before[]", out);
}

TEST(json_writer, escapes_only_what_RFC_8259_requires) {
    check_texts(R"("\"\\")", write_string("\"\\"));
    check_texts(R"("\b\f\n\r\t")", write_string("\b\f\n\r\t"));
    check_texts(R"("\u0000\u0001\u000b\u001f")", write_string("\0\x01\x0b\x1f"sv));
    check_texts("\"/<>&'\x7f\"", write_string("/<>&'\x7f"));
    check_texts("\"ñ€😀\xe2\x80\xa8\"", write_string("ñ€😀\xe2\x80\xa8"));
    check_texts(R"("")", write_string(""));
    check_texts(R"("a\nb\"c")", write_string("a\nb\"c"));
}

TEST(json_writer, each_byte_that_is_not_utf8_becomes_the_replacement_character) {
    check_texts("\"a\uFFFD(b\"", write_string("a\xc3(b"));
    check_texts("\"\uFFFD\"", write_string("\xff"));
    check_texts("\"\uFFFD\uFFFDé\uFFFD\"", write_string("\xe2\x82é\xf0"));
    check_texts("\"\uFFFD\uFFFD\uFFFD\"", write_string("\xed\xa0\x80"));
}

TEST(json_writer, every_string_is_read_back_unchanged) {
    std::string text;
    for (int byte = 1; byte < 0x80; ++byte)
        text += static_cast<char>(byte);
    text += "ñ€😀";
    std::string out;
    json::Writer(out).begin_object().key("a").string(text).end_object();
    const auto object = json::Object::parse(out);
    CHECK_TRUE(object.has_value());
    CHECK_TRUE(object->text("a") == text);
}

TEST(json_writer, escapes_a_character_in_any_position) {
    for (std::size_t size = 1; size < 40; ++size)
        for (std::size_t at = 0; at < size; ++at) {
            std::string text(size, 'x');
            text[at] = '"';
            std::string expected = text;
            expected.insert(at, 1, '\\');
            check_texts("\"" + expected + "\"", write_string(text));
        }
}

TEST(json_writer, integers_are_written_up_to_both_limits) {
    std::string out;
    json::Writer writer(out);
    writer.begin_array().integer(0).integer(-1);
    writer.integer(std::numeric_limits<std::int64_t>::min());
    writer.integer(std::numeric_limits<std::int64_t>::max()).end_array();
    check_texts("[0,-1,-9223372036854775808,9223372036854775807]", out);
}

TEST(json_writer, embeds_json_without_white_space_outside_strings) {
    std::string out;
    json::Writer(out)
        .begin_object()
        .key("a")
        .json(R"({"a b" : "c : \" d\\" , "e": [1, 2]})")
        .key("b")
        .json(" null\n")
        .end_object();
    check_texts(R"({"a":{"a b":"c : \" d\\","e":[1,2]},"b":null})", out);
}

TEST(json_writer, escapes_keys) {
    std::string out;
    json::Writer(out).begin_object().key("c\"d\xff").null().end_object();
    check_texts("{\"c\\\"d\xef\xbf\xbd\":null}", out);
}

TEST(json_writer, replaces_invalid_utf_8_in_embedded_json) {
    std::string out;
    json::Writer(out).json(
        "{\"\xc3\x91\xf1\": [\"a\xff\xc3\", \"\xc3\\\"\xed\xa0\x80\", \"\xf0\x9f\x98\x80\"]}");
    check_texts("{\"Ñ\xef\xbf\xbd\":[\"a\xef\xbf\xbd\xef\xbf\xbd\","
                "\"\xef\xbf\xbd\\\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\","
                "\"\xf0\x9f\x98\x80\"]}",
                out);
}
