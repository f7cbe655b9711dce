// launch/doctor_machine_test.cc: the thresholds, from both sides.
#include "launch/doctor_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kMib = 1 << 20;

TEST(DoctorMachine, Cpu) {
  EXPECT_EQ(judge_cpu("AVX2", true, 4).health, Health::kOk);
  EXPECT_EQ(judge_cpu("AVX2", true, 4).found, "4 processors, AVX2");
  EXPECT_EQ(judge_cpu("SSE4", false, 4).health, Health::kWarn);
  EXPECT_THAT(examine_cpu().found, HasSubstr("processors, "));
}

TEST(DoctorMachine, Memory) {
  EXPECT_EQ(judge_memory(8192 * kMib, 1024 * kMib).health, Health::kOk);
  EXPECT_EQ(judge_memory(8192 * kMib, 1024 * kMib).found, "8.0 GiB, 1.0 GiB available");
  EXPECT_EQ(judge_memory(8192 * kMib, 1023 * kMib).health, Health::kWarn);
  EXPECT_EQ(judge_memory(8192 * kMib, 63 * kMib).health, Health::kFail);
}

TEST(DoctorMachine, Limits) {
  EXPECT_EQ(judge_open_files(1024, 4096).health, Health::kOk);
  EXPECT_EQ(judge_open_files(std::nullopt, std::nullopt).found, "unlimited (at most unlimited)");
  EXPECT_EQ(judge_open_files(1023, 4096).health, Health::kWarn);
  EXPECT_EQ(judge_open_files(63, 63).health, Health::kFail);
  EXPECT_EQ(judge_locked_memory(std::nullopt).health, Health::kOk);
  EXPECT_EQ(judge_locked_memory(64 << 10).health, Health::kOk);
  EXPECT_EQ(judge_locked_memory(0).health, Health::kWarn);
}

TEST(DoctorMachine, SharedMemory) {
  EXPECT_EQ(judge_shared_memory(64 * kMib).health, Health::kOk);
  EXPECT_EQ(judge_shared_memory(63 * kMib).health, Health::kWarn);
  EXPECT_EQ(judge_shared_memory(std::nullopt).found, "missing");
}

TEST(DoctorMachine, HugePages) {
  EXPECT_EQ(judge_huge_pages("always [madvise] never").health, Health::kOk);
  EXPECT_EQ(judge_huge_pages("[always] madvise never").health, Health::kOk);
  EXPECT_EQ(judge_huge_pages("always madvise [never]").health, Health::kWarn);
  EXPECT_EQ(judge_huge_pages("").health, Health::kWarn);
}

TEST(DoctorMachine, Clock) {
  constexpr std::int64_t kNow = 1800000000;
  EXPECT_EQ(judge_clock(Duration(1), kNow).health, Health::kOk);
  EXPECT_EQ(judge_clock(std::chrono::milliseconds(4), kNow).health, Health::kWarn);
  EXPECT_EQ(judge_clock(Duration(1), 0).health, Health::kWarn);
  EXPECT_THAT(judge_clock(Duration(1), 0).fix, HasSubstr("date"));
}

}  // namespace
}  // namespace godwit
