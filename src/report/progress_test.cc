// report/progress_test.cc: what is written, how wide and how often.
#include "report/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "report/xml_balance_fixture.h"

namespace godwit {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

ProgressState state_at(double done) {
  return {.done = done,
          .stage = "epoch 3/10",
          .rate = 1'234'000,
          .rate_unit = "triples/s",
          .loss = 0.34512,
          .quality = 0.41,
          .quality_name = "MRR",
          .local_share = 0.973};
}

int columns_of(const std::string& text) {
  int columns = 0;
  for (const char c : text) columns += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return columns;
}

class ProgressTest : public testing::Test {
 protected:
  ProgressOptions with(ProgressStyle style) const {
    return {.style = style, .columns = [] { return 120; }, .unicode = false};
  }
  std::string taken() { return std::exchange(out_, std::ostringstream()).str(); }

  ManualTime time_;
  std::ostringstream out_;
};

TEST(ProgressText, StyleFollowsFlagsThenTheStream) {
  EXPECT_EQ(progress_style(true, false, false), ProgressStyle::kBar);
  EXPECT_EQ(progress_style(false, false, false), ProgressStyle::kLines);
  EXPECT_EQ(progress_style(true, false, true), ProgressStyle::kJson);
  EXPECT_EQ(progress_style(true, true, true), ProgressStyle::kQuiet);
}

TEST(ProgressText, BarShowsEverythingWhenThereIsRoom) {
  EXPECT_EQ(progress_bar(state_at(0.5), 10, 75, 118, false),
            " 50% [===============               ]  epoch 3/10  1.23M triples/s  loss 0.3451  "
            "MRR 0.41  local 97.3%  ETA 1 min 15 s");
  EXPECT_EQ(progress_bar({.done = 0.25}, 1, ProgressState::kUnknown, 15, true), " 25% ━━╸┄┄┄┄┄┄┄");
}

TEST(ProgressText, BarNeverIsWiderThanToldAndKeepsTheQualityLongest) {
  for (int columns = 0; columns < 140; ++columns) {
    for (const bool unicode : {false, true}) {
      for (const double done : {0.0, 0.333, 0.999, 1.0}) {
        const std::string bar = progress_bar(state_at(done), 10, 75, columns, unicode);
        ASSERT_LE(columns_of(bar), columns) << bar;
        if (bar.find("loss") != std::string::npos) {
          ASSERT_THAT(bar, HasSubstr("MRR"));
        }
      }
    }
  }
  EXPECT_THAT(progress_bar(state_at(0.5), 10, 75, 30, false), HasSubstr("MRR 0.41"));
  EXPECT_EQ(progress_bar(state_at(0.5), 10, 75, 8, false), " 50%");
}

TEST(ProgressText, AHundredPercentIsSaidAtTheEndOnly) {
  EXPECT_THAT(progress_bar(state_at(0.9999), 10, 1, 80, false), HasSubstr(" 99%"));
  EXPECT_THAT(progress_bar(state_at(1), 10, 0, 80, false), HasSubstr("100%"));
  EXPECT_THAT(progress_bar(state_at(1), 10, 0, 120, false), HasSubstr("in 10 s"));
  EXPECT_THAT(progress_bar(state_at(7), 10, 0, 80, false), HasSubstr("100%"));
}

TEST(ProgressText, WhatIsNotKnownIsNotShown) {
  const std::string text = progress_text({.done = 0.1}, 3, ProgressState::kUnknown);
  EXPECT_EQ(text, " 10%       3.0 s");
  const auto json = nlohmann::json::parse(progress_json({.done = 0.1}, 3, ProgressState::kUnknown));
  EXPECT_EQ(json.size(), 3U);
}

TEST(ProgressText, JsonHasTheFields) {
  const auto json = nlohmann::json::parse(progress_json(state_at(0.5), 10, 20));
  EXPECT_EQ(json.at("event"), "progress");
  EXPECT_EQ(json.at("done"), 0.5);
  EXPECT_EQ(json.at("seconds"), 10);
  EXPECT_EQ(json.at("seconds_left"), 20);
  EXPECT_EQ(json.at("rate"), 1'234'000);
  EXPECT_EQ(json.at("rate_unit"), "triples/s");
  EXPECT_EQ(json.at("loss"), 0.34512);
  EXPECT_EQ(json.at("quality"), 0.41);
  EXPECT_EQ(json.at("quality_name"), "MRR");
  EXPECT_EQ(json.at("local_share"), 0.973);
}

TEST(ProgressText, DurationsAreForPeople) {
  EXPECT_EQ(duration_text(0.04), "0.0 s");
  EXPECT_EQ(duration_text(9.94), "9.9 s");
  EXPECT_EQ(duration_text(9.96), "10 s");
  EXPECT_EQ(duration_text(59.6), "1 min 00 s");
  EXPECT_EQ(duration_text(3599.4), "59 min 59 s");
  EXPECT_EQ(duration_text(7500), "2 h 05 min");
  EXPECT_EQ(duration_text(4 * 86400 + 3 * 3600), "4 d 3 h");
  EXPECT_EQ(duration_text(-1), "?");
  EXPECT_EQ(duration_text(ProgressState::kUnknown), "?");
  EXPECT_EQ(duration_text(1e300), "?");
}

TEST_F(ProgressTest, ABarIsRedrawnInPlaceTenTimesASecondAtMost) {
  Progress progress(out_, time_, with(ProgressStyle::kBar));
  for (int i = 0; i < 1000; ++i) {
    progress.show(state_at(i / 1000.0));
    time_.advance(1ms);
  }
  const std::string text = taken();
  EXPECT_EQ(count_of(text, "\r"), 10);
  EXPECT_EQ(count_of(text, "\n"), 0);
}

TEST_F(ProgressTest, FinishDrawsTheLastStateAndEndsTheLineOnce) {
  {
    Progress progress(out_, time_, with(ProgressStyle::kBar));
    progress.show(state_at(0.5));
    (void)taken();
    progress.show(state_at(1));
    EXPECT_EQ(taken(), "");
    progress.finish();
    EXPECT_THAT(out_.str(), testing::StartsWith("\r100% ["));
    EXPECT_THAT(out_.str(), testing::EndsWith("\n"));
    progress.finish();
    progress.clear();
    progress.show(state_at(1));
  }
  EXPECT_EQ(count_of(out_.str(), "\n"), 1);
}

TEST_F(ProgressTest, ABarLeftAloneEndsItsLine) {
  { Progress(out_, time_, with(ProgressStyle::kBar)).show(state_at(0.5)); }
  EXPECT_THAT(taken(), testing::EndsWith("\n"));
  { const Progress never_shown(out_, time_, with(ProgressStyle::kBar)); }
  EXPECT_EQ(taken(), "");
}

TEST_F(ProgressTest, MessagesStandAboveTheBar) {
  Progress progress(out_, time_, with(ProgressStyle::kBar));
  progress.message("first");
  EXPECT_EQ(taken(), "first\n");
  progress.show(state_at(0.5));
  const std::string bar = taken();
  progress.message("second");
  EXPECT_EQ(taken(), "\r\x1b[Ksecond\n" + bar);
  progress.clear();
  EXPECT_EQ(taken(), "\r\x1b[K");
}

TEST_F(ProgressTest, APipeGetsPlainLinesNowAndAgain) {
  Progress progress(out_, time_, with(ProgressStyle::kLines));
  for (int i = 0; i <= 100; ++i) {
    progress.show(state_at(i / 100.0));
    if (i < 100) time_.advance(120ms);
  }
  progress.finish();
  const std::string text = taken();
  EXPECT_EQ(count_of(text, "\n"), 4);  // at 0, 5 and 10 s, and the end at 12 s
  EXPECT_THAT(text, Not(HasSubstr("\r")));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("100%"));
}

TEST_F(ProgressTest, AStateIsNotWrittenTwice) {
  Progress progress(out_, time_, with(ProgressStyle::kLines));
  progress.show(state_at(1));
  progress.finish();
  EXPECT_EQ(count_of(out_.str(), "\n"), 1);
}

TEST_F(ProgressTest, TheLineOfTheEndComesOnceWithTheNewestFigure) {
  for (const ProgressStyle style : {ProgressStyle::kLines, ProgressStyle::kJson}) {
    Progress progress(out_, time_, with(style));
    progress.show(state_at(0.5));
    time_.advance(10s);
    ProgressState state = state_at(1);
    state.quality = 0.1111;
    progress.show(state);
    time_.advance(10s);
    state.quality = 0.2222;
    progress.show(state);
    progress.finish();
    const std::string text = taken();
    EXPECT_EQ(count_of(text, "\n"), 2) << text;
    EXPECT_THAT(text, HasSubstr("0.2222"));
    EXPECT_THAT(text, Not(HasSubstr("0.1111")));
  }
}

TEST_F(ProgressTest, JsonIsOneObjectALineAndQuietIsQuiet) {
  {
    Progress progress(out_, time_, with(ProgressStyle::kJson));
    progress.show(state_at(0.2));
    progress.message("for people");
    time_.advance(5s);
    progress.show(state_at(0.4));
    progress.finish();
  }
  std::istringstream lines(taken());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_TRUE(nlohmann::json::parse(line).is_object());
  }
  EXPECT_EQ(count, 2);
  {
    Progress progress(out_, time_, with(ProgressStyle::kQuiet));
    progress.show(state_at(0.2));
    progress.message("x");
    progress.finish();
  }
  EXPECT_EQ(taken(), "");
}

TEST_F(ProgressTest, TimeLeftIsGuessedFromWhatWasDoneHere) {
  Progress progress(out_, time_, with(ProgressStyle::kLines));
  progress.show(state_at(0.6));  // a run that was resumed
  EXPECT_THAT(taken(), Not(HasSubstr("ETA")));
  time_.advance(20s);
  progress.show(state_at(0.8));
  EXPECT_THAT(taken(), HasSubstr("ETA 20 s"));
}

TEST_F(ProgressTest, FollowsTheWidthOfTheWindow) {
  int columns = 120;
  ProgressOptions options = with(ProgressStyle::kBar);
  options.columns = [&] { return columns; };
  Progress progress(out_, time_, options);
  for (const int now : {120, 40, 0}) {
    columns = now;
    time_.advance(1s);
    progress.show(state_at(0.5));
    const int limit = now > 0 ? now : 80;
    EXPECT_LT(static_cast<int>(taken().size()), limit + 4);  // \r and the clearing are 4 bytes
  }
}

}  // namespace
}  // namespace godwit
