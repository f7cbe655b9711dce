// report/xml_text_test.cc: escapes, and what is no text at all.
#include "report/xml_text.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "report/xml_balance_fixture.h"

namespace godwit {
namespace {

TEST(XmlText, EscapesWhatHasAMeaning) {
  EXPECT_EQ(xml_text("<a b=\"c\">'&'</a>"), "&lt;a b=&quot;c&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
}

TEST(XmlText, LeavesTextOfAnyLanguageAlone) {
  const std::string text = "caf\u00e9 \u2192 \U0001F426 \u65e5\u672c\tx\n";
  EXPECT_EQ(xml_text(text), text);
}

TEST(XmlText, ReplacesWhatIsNotText) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(xml_text(std::string_view("a\0b", 3)), "a" + bad + "b");
  EXPECT_EQ(xml_text("\x1b[1m"), bad + "[1m");
  EXPECT_EQ(xml_text("\xff"), bad);
  EXPECT_EQ(xml_text("\xc3"), bad);                      // cut off
  EXPECT_EQ(xml_text("\xc0\xaf"), bad + bad);            // overlong
  EXPECT_EQ(xml_text("\xed\xa0\x80"), bad + bad + bad);  // a surrogate
  EXPECT_EQ(xml_text("\xe0\x80\xaf"), bad + bad + bad);  // overlong
  EXPECT_EQ(xml_text("\xf5\x80\x80\x80"), bad + bad + bad + bad);
  EXPECT_EQ(xml_text("\xc3<"), bad + "&lt;");
}

TEST(XmlText, AnyBytesGiveWellFormedText) {
  Prng prng(3);
  for (int round = 0; round < 300; ++round) {
    std::string bytes(prng.next() % 40, '\0');
    for (char& c : bytes) c = static_cast<char>(prng.next());
    std::erase(bytes, '\r');
    ASSERT_EQ(xml_fault("<p a=\"" + xml_text(bytes) + "\">" + xml_text(bytes) + "</p>"), "");
  }
}

}  // namespace
}  // namespace godwit
