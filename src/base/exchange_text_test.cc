// base/exchange_text_test.cc: words for ways to exchange, there and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "godwit/groups.h"

namespace godwit {
namespace {

TEST(ExchangeText, ModesComeBack) {
  for (const ExchangeMode mode :
       {ExchangeMode::kElastic, ExchangeMode::kOuter, ExchangeMode::kAsync, ExchangeMode::kSync}) {
    EXPECT_EQ(parse_exchange_mode(to_string(mode)).value(), mode);
  }
  EXPECT_THAT(parse_exchange_mode("easgd").error().message(), testing::HasSubstr("elastic, outer"));
}

TEST(ExchangeText, CompressionsComeBack) {
  for (const char* text : {"fp32", "bf16", "int8", "topk:0.05", "topk:1"}) {
    EXPECT_EQ(to_string(Compression::parse(text).value()), text);
  }
  EXPECT_EQ(Compression::parse("topk").value().share, 0.01F);
}

TEST(ExchangeText, SharesOutOfRangeAndOtherWordsAreRefused) {
  for (const char* text : {"", "fp16", "topk:0", "topk:1.1", "topk:nan", "topk:", "int8:0.5"}) {
    EXPECT_EQ(Compression::parse(text).error().code(), ErrorCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace godwit
