// base/log_test.cc: the line, the levels, the sinks and the limit.
#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

namespace godwit {
namespace {

using namespace std::chrono_literals;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

struct Lines {
  Log log_at(LogLevel level) {
    return Log::to_callback(
        [this](LogLevel said, std::string_view line) {
          levels.push_back(said);
          lines.emplace_back(line);
        },
        {.name = "node 2", .level = level});
  }
  std::vector<LogLevel> levels;
  std::vector<std::string> lines;
};

TEST(Log, ALineHasTimeLevelNameAndMessage) {
  Lines seen;
  const Log log = seen.log_at(LogLevel::kDebug);
  log.warn("{} rows on node {}", 3, NodeId(1));
  log.error("bad");
  ASSERT_EQ(seen.lines.size(), 2U);
  EXPECT_THAT(seen.lines[0], MatchesRegex("20[0-9][0-9]-[01][0-9]-[0-3][0-9]T"
                                          "[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\\.[0-9][0-9][0-9]Z "
                                          "warn  \\[node 2\\] 3 rows on node 1"));
  EXPECT_THAT(seen.lines[1], MatchesRegex(".*Z error \\[node 2\\] bad"));
}

TEST(Log, SaysOnlyWhatIsAtOrAboveItsLevel) {
  Lines seen;
  const Log log = seen.log_at(LogLevel::kWarn);
  log.debug("a");
  log.info("b");
  log.warn("c");
  log.error("d");
  EXPECT_THAT(seen.levels, ElementsAre(LogLevel::kWarn, LogLevel::kError));
  EXPECT_FALSE(log.is_on(LogLevel::kInfo));
}

// Says when it is turned into text.
struct Expensive {
  int* formatted;
};

}  // namespace
}  // namespace godwit

template <>
struct fmt::formatter<godwit::Expensive> : godwit::internal::PlainFormatter {
  template <class Context>
  auto format(const godwit::Expensive& value, Context& context) const {
    ++*value.formatted;
    return context.out();
  }
};

namespace godwit {
namespace {

TEST(Log, FormatsNothingWhenTheLevelIsOff) {
  Lines seen;
  const Log log = seen.log_at(LogLevel::kWarn);
  int formatted = 0;
  log.info("{}", Expensive{&formatted});
  EXPECT_EQ(formatted, 0);
  log.warn("{}", Expensive{&formatted});
  EXPECT_EQ(formatted, 1);
}

TEST(Log, WithoutANameThereIsNoBracket) {
  std::string line;
  const Log log = Log::to_callback([&](LogLevel, std::string_view text) { line = text; }, {});
  log.info("hello");
  EXPECT_THAT(line, MatchesRegex(".*Z info  hello"));
}

TEST(Log, WritesToStderr) {
  testing::internal::CaptureStderr();
  Log::to_stderr({.name = "x"}).error("to {}", "stderr");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), MatchesRegex(".*error \\[x\\] to stderr\n"));
}

TEST(Log, AppendsToAFileLineByLine) {
  const std::string path = testing::TempDir() + "godwit_log_" + std::to_string(::getpid());
  std::filesystem::remove(path);
  Log::to_file(path, {}).value().info("first");
  Result<Log> log = Log::to_file(path, {});
  log.value().info("second");
  std::ifstream file(path);  // while the log is still open
  std::string first;
  std::string second;
  std::getline(file, first);
  std::getline(file, second);
  EXPECT_THAT(first, HasSubstr("info  first"));
  EXPECT_THAT(second, HasSubstr("info  second"));
  std::filesystem::remove(path);
}

TEST(Log, AFileThatCannotBeOpenedIsAnErrorWithItsPath) {
  const Result<Log> log = Log::to_file("/proc/no/such/file.log", {});
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(log.error().message(), HasSubstr("/proc/no/such/file.log"));
}

TEST(Log, ARepeatedLineIsSaidOncePerIntervalWithACount) {
  ManualTime time;
  Lines seen;
  const Log log = seen.log_at(LogLevel::kInfo);
  LogLimit limit(time, 5s);
  for (int i = 0; i < 4; ++i) log.every(limit, LogLevel::kWarn, "slow {}", i);
  time.advance(5s - 1ns);
  log.every(limit, LogLevel::kWarn, "slow {}", 4);
  ASSERT_EQ(seen.lines.size(), 1U);
  EXPECT_THAT(seen.lines[0], MatchesRegex(".*slow 0"));
  time.advance(1ns);
  log.every(limit, LogLevel::kWarn, "slow {}", 5);
  ASSERT_EQ(seen.lines.size(), 2U);
  EXPECT_THAT(seen.lines[1], MatchesRegex(".*slow 5 \\(4 more like this were left out\\)"));
  time.advance(5s);
  log.every(limit, LogLevel::kWarn, "slow {}", 6);
  ASSERT_EQ(seen.lines.size(), 3U);
  EXPECT_THAT(seen.lines[2], MatchesRegex(".*slow 6"));
}

TEST(Log, ALevelThatIsOffDoesNotUseUpTheLimit) {
  ManualTime time;
  Lines seen;
  const Log log = seen.log_at(LogLevel::kWarn);
  LogLimit limit(time, 5s);
  log.every(limit, LogLevel::kInfo, "quiet");
  log.every(limit, LogLevel::kWarn, "loud");
  EXPECT_EQ(seen.lines.size(), 1U);
}

TEST(Log, LinesOfManyThreadsComeWhole) {
  Lines seen;
  const Log log = seen.log_at(LogLevel::kInfo);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&log, i] {
      for (int k = 0; k < 200; ++k) log.info("thread {} line {} end", i, k);
    });
  }
  threads.clear();
  EXPECT_EQ(seen.lines.size(), 600U);
  for (const std::string& line : seen.lines) {
    EXPECT_THAT(line, ContainsRegex("\\] thread [0-9]+ line [0-9]+ end$"));
  }
}

}  // namespace
}  // namespace godwit
