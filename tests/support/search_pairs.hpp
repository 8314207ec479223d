// Names in many scripts, each with a search that finds it.
#pragma once

namespace useradmin::test {

struct SearchPair {
    const char* stored;
    const char* searched;
};

inline constexpr SearchPair search_pairs[] = {
    // Latin
    {"Łukasz Ødegård Œuvre", "lukasz ODEGARD oeuvre"},
    {"Jürgen Groß", "jurgen GROSS"},
    {"GROẞMANN", "großmann"},
    {"Nguyễn Thị Hường", "nguyen thi huong"},
    {"Nguye\u0302\u0303n Ðặng", "NGUYỄN dang"},
    {"İpek Işık", "ipek isik"},
    {"ISIK", "ışık"},
    // Greek
    {"ΓΙΏΡΓΟΣ Νίκος", "γιωργος νικοσ"},
    {"Ὀδυσσεύς", "οδυσσευς"},
    // Cyrillic
    {"Семён Чайка", "семен ЧАИКА"},
    {"Чаи\u0306кин", "чайкин"},
    // Hebrew
    {"שָׁלוֹם", "שלום"},
    {"שלום", "שָׁלוֹם"},
    // Arabic
    {"أحمد", "احمد"},
    {"محمّد", "محمد"},
    // Syriac
    {"ܡܰܪܝܰܡ", "ܡܪܝܡ"},
    // Devanagari
    {"प्रिया", "प्रिया"},
    {"क़मर", "कमर"},
    {"हिन्दी", "हनद"}, // vowel signs are marks, too
    {"हनद", "हिन्दी"},
    // Bengali
    {"কো", "ক\u09c7\u09be"},
    // Tamil
    {"தமிழ்", "தமழ"},
    // Thai
    {"สมชัย", "สมชย"},
    {"น้ำ", "นำ"},
    // Khmer
    {"ខ្មែរ", "ខមរ"},
    // Myanmar
    {"မြန်မာ", "မနမ"},
    // Japanese
    {"ダビデ", "タビデ"},
    {"ハ\u309aウロ", "パウロ"},
    {"パウロ", "ハ\u309aウロ"},
    {"か\u3099く", "がく"},
    // Korean
    {"다라", "다라"},
    {"\u1103\u1161\u1105\u1161", "다라"},
    {"김철수", "\u1100\u1175\u11b7"},
    // Chinese
    {"王小明", "小明"},
};

} // namespace useradmin::test
