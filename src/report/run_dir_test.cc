// report/run_dir_test.cc: names, full disks, kills and crashes.
#include "report/run_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/memory_disk.h"
#include "report/sample_run_fixture.h"

namespace godwit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

MetricLine line_of(int number) {
  MetricLine line;
  line.add("number", number);
  return line;
}

void append_text(Disk& disk, const std::string& path, std::string_view text) {
  disk.open_append(path)
      .value()
      ->append(std::as_bytes(std::span(text.data(), text.size())))
      .value();
}

TEST(RunName, IsTimeTaskAndData) {
  std::tm when{};
  when.tm_year = 126;
  when.tm_mon = 10;
  when.tm_mday = 6;
  when.tm_hour = 7;
  when.tm_sec = 3;
  EXPECT_EQ(run_name(when, "kge", "wordnet"), "20261106-070003-kge-wordnet");
  EXPECT_EQ(run_name(when, "mf", "/data/my films/"), "20261106-070003-mf-my_films");
  EXPECT_EQ(run_name(when, "mf", "a/../"), "20261106-070003-mf-..");
  EXPECT_EQ(run_name(when, "mf", ""), "20261106-070003-mf-_");
  EXPECT_EQ(run_name(when, "mf", "\xff\n"), "20261106-070003-mf-__");
  EXPECT_LE(run_name(when, "mf", std::string(500, 'x')).size(), 70U);
}

TEST(RunDir, ReadsBackWhatWasWritten) {
  MemoryDisk disk;
  RunDir run = RunDir::make(disk, "runs", "1-mf").value();
  EXPECT_EQ(run.path(), "runs/1-mf");
  run.write_config("rank = 8\n").value();
  run.write_environment("{}\n").value();
  for (const MetricLine& line : sample_run_lines()) run.append(line).value();
  EXPECT_FALSE(open_run(disk, "runs", "latest").value().has_report);
  run.write_report("<html/>").value();
  for (const char* name : {"latest", "1-mf", "runs/1-mf"}) {
    const RunFiles files = open_run(disk, "runs", name).value();
    EXPECT_EQ(files.path, "runs/1-mf");
    EXPECT_EQ(files.config, "rank = 8\n");
    EXPECT_EQ(files.environment, "{}\n");
    EXPECT_EQ(files.metrics, sample_run_lines());
    EXPECT_EQ(files.torn_lines, 0);
    EXPECT_TRUE(files.has_report);
  }
  EXPECT_THAT(disk.list("runs/1-mf").value(), ElementsAre("ckpt", "config.toml", "env.json", "log",
                                                          "metrics.jsonl", "report.html"));
}

TEST(RunDir, NamesThatAreTakenGetANumberAndLatestIsTheNewest) {
  MemoryDisk disk;
  EXPECT_EQ(RunDir::make(disk, "runs", "a").value().path(), "runs/a");
  EXPECT_EQ(RunDir::make(disk, "runs", "a").value().path(), "runs/a-2");
  EXPECT_EQ(RunDir::make(disk, "runs", "a").value().path(), "runs/a-3");
  EXPECT_EQ(disk.read_link("runs/latest").value(), "a-3");
  EXPECT_THAT(disk.list("runs").value(), ElementsAre("a", "a-2", "a-3", "latest"));
}

TEST(RunDir, ALineThatAKillHasTornIsLeftOut) {
  const std::string whole = line_of(2).to_json() + "\n";
  for (std::size_t n = 0; n < whole.size(); ++n) {
    MemoryDisk disk;
    RunDir::make(disk, "runs", "a").value().append(line_of(1)).value();
    append_text(disk, "runs/a/metrics.jsonl", whole.substr(0, n));
    const RunFiles files = open_run(disk, "runs", "a").value();
    ASSERT_THAT(files.metrics, ElementsAre(line_of(1)));
    ASSERT_EQ(files.torn_lines, n == 0 ? 0 : 1);
    // Who goes on begins a new line.
    RunDir::reopen(disk, "runs/a").value().append(line_of(3)).value();
    const auto metrics = open_run(disk, "runs", "a").value().metrics;
    ASSERT_THAT(metrics.back(), line_of(3));
    ASSERT_THAT(metrics.front(), line_of(1));
  }
}

TEST(RunDir, AFullDiskIsToldWithThePathAndHalfALineIsNotRead) {
  MemoryDisk disk;
  RunDir run = RunDir::make(disk, "runs", "a").value();
  run.append(line_of(1)).value();
  run.write_report("old").value();
  disk.set_free_space(5);
  const Result<> failed = run.append(line_of(2));
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(failed.error().message(), HasSubstr("runs/a/metrics.jsonl"));
  const Result<> report = run.write_report("new");
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message(), HasSubstr("runs/a/report.html"));
  disk.set_free_space(MemoryDisk::kUnlimited);
  run.append(line_of(3)).value();
  const RunFiles files = open_run(disk, "runs", "a").value();
  EXPECT_THAT(files.metrics, ElementsAre(line_of(1), line_of(3)));
  EXPECT_EQ(files.torn_lines, 1);
  EXPECT_EQ(disk.size("runs/a/report.html").value(), 3U);
}

TEST(RunDir, WhatIsSyncedSurvivesAPowerFailure) {
  MemoryDisk disk;
  RunDir run = RunDir::make(disk, "runs", "a").value();
  run.append(line_of(1)).value();
  run.sync().value();
  run.append(line_of(2)).value();
  run.write_report("report").value();
  disk.crash();
  const RunFiles files = open_run(disk, "runs", "latest").value();
  EXPECT_THAT(files.metrics, ElementsAre(line_of(1)));
  EXPECT_TRUE(files.has_report);
}

TEST(OpenRun, SaysWhatItLookedFor) {
  MemoryDisk disk;
  const auto fails_with = [&](const std::string& run, ErrorCode code, const std::string& part) {
    const Result<RunFiles> files = open_run(disk, "runs", run);
    ASSERT_FALSE(files.ok()) << run;
    EXPECT_EQ(files.error().code(), code) << files.error().message();
    EXPECT_THAT(files.error().message(), HasSubstr(part));
  };
  fails_with("latest", ErrorCode::kNotFound, "no run in 'runs' yet");
  fails_with("nope", ErrorCode::kNotFound, "'nope'");
  fails_with("", ErrorCode::kNotFound, "''");
  disk.make_dirs("runs/other").value();
  fails_with("other", ErrorCode::kInvalidArgument, "'runs/other' is not the directory of a run");
  disk.make_link("gone", "runs/latest").value();
  fails_with("latest", ErrorCode::kNotFound, "'runs/gone', which is gone");
  append_text(disk, "runs/other/metrics.jsonl", "no json\nnone\n");
  fails_with("other", ErrorCode::kCorruption, "runs/other/metrics.jsonl");
}

TEST(RunDir, WorksOnARealDisk) {
  const std::string root = testing::TempDir() + "godwit_runs_" + std::to_string(::getpid());
  std::filesystem::remove_all(root);
  RealDisk disk;
  {
    RunDir run = RunDir::make(disk, root + "/runs", "a").value();
    run.append(line_of(1)).value();
    run.write_report("<html/>").value();
    (void)RunDir::make(disk, root + "/runs", "a").value();
  }
  EXPECT_EQ(std::filesystem::read_symlink(root + "/runs/latest"), "a-2");
  EXPECT_TRUE(open_run(disk, root + "/runs", "latest").value().metrics.empty());
  EXPECT_THAT(open_run(disk, root + "/runs", "a").value().metrics, ElementsAre(line_of(1)));
  EXPECT_TRUE(std::filesystem::is_directory(root + "/runs/a/ckpt"));
  // A directory named `latest` is somebody's own: it is not replaced.
  std::filesystem::remove(root + "/runs/latest");
  std::filesystem::create_directories(root + "/runs/latest/x");
  const auto refused = RunDir::make(disk, root + "/runs", "b");
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message(), HasSubstr("/runs/latest"));
  std::filesystem::remove_all(root);
}

// The process was killed while it wrote.
TEST(RunDir, WhatIsAddedToAFileBeginsALineOfItsOwn) {
  MemoryDisk disk;
  RunDir run = RunDir::make(disk, "runs", "a").value();
  const std::string path = run.path() + "/steps.csv";
  run.append_to("steps.csv", "j,k\n", "1,2\n").value();
  append_text(disk, path, "2,");
  run.append_to("steps.csv", "j,k\n", "3,2\n").value();
  run.append_to("steps.csv", "j,k\n", "4,2\n").value();
  const auto bytes = disk.read(path).value();
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
            "j,k\n1,2\n2,\n3,2\n4,2\n");
}

}  // namespace
}  // namespace godwit
