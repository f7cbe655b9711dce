// report/metric_line_test.cc: what is written comes back, whatever it is.
#include "report/metric_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "base/prng.h"

namespace godwit {
namespace {

TEST(MetricLine, FieldsKeepTheirOrderAndKind) {
  MetricLine line;
  line.add("seconds", 1.0).add("epoch", 3).add("last", false).add("task", "kge");
  EXPECT_EQ(line.to_json(), R"({"seconds":1.0,"epoch":3,"last":false,"task":"kge"})");
  EXPECT_EQ(parse_metric_line(line.to_json()).value(), line);
}

TEST(MetricLine, RandomLinesComeBackWithTheSameBits) {
  Prng prng(7);
  for (int round = 0; round < 500; ++round) {
    MetricLine line;
    for (int i = 0; i < 6; ++i) {
      const std::string name = "f" + std::to_string(i);
      const std::uint64_t bits = prng.next();
      const double real = std::bit_cast<double>(bits);
      if (i % 3 == 0 && std::isfinite(real)) line.add(name, real);
      if (i % 3 == 1) line.add(name, std::bit_cast<std::int64_t>(bits));
      if (i % 3 == 2) line.add(name, std::string(bits % 5, static_cast<char>(bits % 128)));
    }
    ASSERT_EQ(parse_metric_line(line.to_json()).value(), line) << line.to_json();
  }
}

TEST(MetricLine, TextInAnyLanguageComesBackAndBrokenTextIsStillJson) {
  MetricLine line;
  line.add("word", "caf\u00e9 \"\\\n\t\u2192");
  EXPECT_EQ(parse_metric_line(line.to_json()).value(), line);
  MetricLine broken;
  broken.add("word", "a\xff\xc3");
  EXPECT_THAT(std::string(parse_metric_line(broken.to_json()).value().text("word")),
              testing::StartsWith("a\xEF\xBF\xBD"));
}

TEST(MetricLine, ALineNeverHoldsALineEnd) {
  MetricLine line;
  line.add("te\nxt", "a\nb\r\n");
  EXPECT_EQ(line.to_json().find('\n'), std::string::npos);
}

TEST(MetricLine, NumbersThatAreNotFiniteAreNullAndComeBackAsNan) {
  MetricLine line;
  line.add("loss", std::nan("")).add("rate", INFINITY);
  EXPECT_EQ(line.to_json(), R"({"loss":null,"rate":null})");
  const MetricLine back = parse_metric_line(line.to_json()).value();
  EXPECT_TRUE(std::isnan(back.number("loss").value()));
  EXPECT_TRUE(std::isnan(back.number("rate").value()));
}

TEST(MetricLine, LooksUpByNameAndKind) {
  MetricLine line;
  line.add("real", 0.5).add("whole", 7).add("yes", true).add("text", "x");
  line.add("huge", ~std::uint64_t{0});
  EXPECT_EQ(line.number("real"), 0.5);
  EXPECT_EQ(line.number("whole"), 7.0);
  EXPECT_EQ(line.number("yes"), 1.0);
  EXPECT_EQ(line.number("text"), std::nullopt);
  EXPECT_EQ(line.number("none"), std::nullopt);
  EXPECT_EQ(line.text("text"), "x");
  EXPECT_EQ(line.text("real"), "");
  EXPECT_GT(line.number("huge").value(), 9e18);
}

TEST(MetricLine, ArraysAndObjectsOfLaterVersionsAreLeftOut) {
  const MetricLine line = parse_metric_line(R"({"a":[1,2],"b":{"c":1},"d":2})").value();
  ASSERT_EQ(line.fields.size(), 1U);
  EXPECT_EQ(line.number("d"), 2.0);
}

TEST(MetricLine, WhatIsNotOneObjectIsCorruption) {
  for (const char* text : {"", "[1]", "3", "null", "{", "{}x", "nonsense", R"({"a":1)",
                           R"({"a":1e999})", "{\"a\":\"\xff\"}"}) {
    const auto parsed = parse_metric_line(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code(), ErrorCode::kCorruption);
  }
}

TEST(MetricLine, NoPartOfALineReadsAsAWholeOne) {
  MetricLine line;
  line.add("seconds", 12.5).add("text", "a}b").add("more", true);
  const std::string whole = line.to_json();
  for (std::size_t n = 0; n < whole.size(); ++n) {
    EXPECT_FALSE(parse_metric_line(whole.substr(0, n)).ok()) << n;
  }
}

}  // namespace
}  // namespace godwit
