// base/parse_number_test.cc: whole or not at all.
#include "base/parse_number.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

TEST(ParseNumber, TakesWholeNumbersOnly) {
  EXPECT_EQ(parse_number<std::int64_t>("-12"), -12);
  EXPECT_EQ(parse_number<float>("0.5"), 0.5F);
  for (const char* text : {"", " 1", "1 ", "1x", "x", "99999999999999999999"}) {
    EXPECT_FALSE(parse_number<std::int64_t>(text)) << text;
  }
}

}  // namespace
}  // namespace godwit
