// base/json_text_test.cc: what is written is JSON, whatever the text.
#include "base/json_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace godwit {
namespace {

TEST(JsonText, ObjectsAndArraysNest) {
  JsonText json;
  json.begin_object().field("a", 1).key("b").begin_array().value(2).value("x").begin_object();
  json.end_object().begin_array().end_array().end_array().field("c", true).end_object();
  EXPECT_EQ(json.take(), R"({"a":1,"b":[2,"x",{},[]],"c":true})");
}

TEST(JsonText, TextsThatLookLikeJsonStayTexts) {
  JsonText json;
  json.begin_array().value("{").value("[").value(":").value("").value(",\"").end_array();
  EXPECT_EQ(json.take(), R"(["{","[",":","",",\""])");
}

TEST(JsonText, NoByteBreaksTheLine) {
  JsonText json;
  json.value(std::string("a\n\t\0\\\x7f\xff", 7));
  EXPECT_EQ(json.take(), R"("a\u000a\u0009\u0000\\\u007f\ufffd")");
}

TEST(JsonText, NumbersKeepTheirDigits) {
  JsonText json;
  json.begin_array().value(std::numeric_limits<std::uint64_t>::max());
  json.value(std::numeric_limits<std::int64_t>::min()).value(0.25).value(1e300 * 1e300).end_array();
  EXPECT_EQ(json.take(), "[18446744073709551615,-9223372036854775808,0.25,null]");
}

}  // namespace
}  // namespace godwit
