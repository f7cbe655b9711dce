// base/ids_fmt_test.cc: how ids, durations and times read.
#include "base/ids_fmt.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

using namespace std::chrono_literals;

TEST(IdsFmt, AnIdReadsAsItsNumber) {
  EXPECT_EQ(fmt::format("node {} tick {}", NodeId(2), Tick(-17)), "node 2 tick -17");
}

TEST(IdsFmt, ADurationReadsInItsOwnUnit) {
  EXPECT_EQ(fmt::format("{}", Duration(0)), "0 ns");
  EXPECT_EQ(fmt::format("{}", Duration(999)), "999 ns");
  EXPECT_EQ(fmt::format("{}", Duration(1500)), "1.5 us");
  EXPECT_EQ(fmt::format("{}", Duration(250ms)), "250 ms");
  EXPECT_EQ(fmt::format("{}", Duration(999'999'999)), "1 s");
  EXPECT_EQ(fmt::format("{}", Duration(4100ms)), "4.1 s");
  EXPECT_EQ(fmt::format("{}", Duration(-4100ms)), "-4.1 s");
  EXPECT_EQ(fmt::format("{}", Duration(1h)), "3600 s");
}

TEST(IdsFmt, ATimeReadsToTheNanosecond) {
  EXPECT_EQ(fmt::format("{}", Time(12s + 345ns)), "12.000000345 s");
  EXPECT_EQ(fmt::format("{}", Time(-1ns)), "-0.000000001 s");
}

}  // namespace
}  // namespace godwit
