// report/bench_report_test.cc: the fields programs rely on.
#include "report/bench_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

const BenchResult kResult{.bench = "store",
                          .case_name = "pull/len=64",
                          .value = 12.5,
                          .unit = "ns/key",
                          .limit = 10,
                          .ratio = 0.8,
                          .note = "30 without prefetch"};

TEST(BenchReport, JsonHasTheSixFieldsInOrder) {
  EXPECT_EQ(to_json_line(kResult),
            R"({"bench":"store","case":"pull/len=64","value":12.5,"unit":"ns/key","limit":10.0,)"
            R"("ratio":0.8})");
}

TEST(BenchReport, FurtherFiguresAreFieldsAndColumns) {
  BenchResult result = kResult;
  result.figures = {{"bytes", 1024}, {"share", 0.25}};
  EXPECT_THAT(to_json_line(result),
              testing::HasSubstr(R"("ratio":0.8,"bytes":1024.0,"share":0.25})"));
  const std::string text = to_text({kResult, result});
  EXPECT_THAT(text, testing::HasSubstr("bytes"));
  EXPECT_THAT(text, testing::HasSubstr("1024"));
}

TEST(BenchReport, TextShowsTheNote) {
  EXPECT_THAT(to_text({kResult}), testing::HasSubstr("30 without prefetch"));
}

}  // namespace
}  // namespace godwit
