// launch/launcher_test.cc: jobs of small shell commands, and what comes out of them.
#include "launch/launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "launch/discovery.h"
#include "launch/job_dir.h"
#include "launch/process_table.h"

namespace godwit {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The beginning of a script: node 0 waits until another has made the file.
const std::string kUntilReady =
    "if [ $GODWIT_NODE = 0 ]; then while [ ! -e $TMPDIR/logs/ready ]; do sleep 0.01; done; fi;"
    "if [ $GODWIT_NODE = 0 ]; ";

class Launch : public testing::Test {
 protected:
  Launch() : out_(std::tmpfile()), err_(std::tmpfile()) {
    options_.environment = {{"PATH", "/usr/bin:/bin"}, {"TMPDIR", dir_.path()}};
    options_.supervision.out_fd = fileno(out_);
    options_.supervision.err_fd = fileno(err_);
    options_.log_dir = dir_.path() + "/logs";
  }
  ~Launch() override {
    std::fclose(out_);
    std::fclose(err_);
  }

  Result<LaunchOutcome> run(std::int64_t nodes, const std::string& script) {
    options_.nodes = nodes;
    options_.command = {"sh", "-c", script};
    return launch(options_, disk_, RealTime());
  }

  static std::string written_to(std::FILE* file) {
    return text_of("/proc/self/fd/" + std::to_string(fileno(file)));
  }
  std::string out() { return written_to(out_); }
  std::string err() { return written_to(err_); }

  // What a job leaves in its temporary directory.
  std::vector<std::string> leftovers() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(dir_.path())) {
      if (entry.path().filename() != "logs") names.push_back(entry.path().string());
    }
    return names;
  }

  const JobDir dir_ = JobDir::make("/tmp").value();
  std::FILE* out_;
  std::FILE* err_;
  RealDisk disk_;
  LaunchOptions options_;
};

TEST_F(Launch, LinesAreTaggedAndEachNodeHasALog) {
  const auto outcome = run(3, "echo hello; echo oops >&2; printf half");
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->exit_code, 0);
  EXPECT_FALSE(outcome->failure);
  EXPECT_THAT(lines_of(out()), UnorderedElementsAre("[0] hello", "[1] hello", "[2] hello",
                                                    "[0] half", "[1] half", "[2] half"));
  EXPECT_THAT(lines_of(err()), UnorderedElementsAre("[0] oops", "[1] oops", "[2] oops"));
  EXPECT_THAT(text_of(options_.log_dir + "/node-2.log"),
              AllOf(HasSubstr("hello\n"), HasSubstr("oops\n"), HasSubstr("half")));
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(Launch, EachNodeFindsItsPlace) {
  options_.environment["RANK"] = "7";  // of some other launcher around us
  options_.environment["WORLD_SIZE"] = "9";
  options_.environment["SLURM_STEP_ID"] = "0";
  options_.environment["SLURM_PROCID"] = "5";
  options_.environment["SLURM_NTASKS"] = "6";
  const auto outcome = run(3, "env; stat -c 'mode=%a' ${GODWIT_RENDEZVOUS#unix:}/..; exit 0");
  ASSERT_EQ(outcome.value().exit_code, 0);
  std::vector<Environment> environments(3);
  for (const std::string& line : lines_of(out())) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    environments.at(static_cast<std::size_t>(line[1] - '0'))[line.substr(4, equals - 4)] =
        line.substr(equals + 1);
  }
  const JobPlace first = discover(environments[0], {}, {}).value();
  for (std::int64_t node = 0; node < 3; ++node) {
    const auto place = discover(environments[static_cast<std::size_t>(node)], {}, {});
    ASSERT_TRUE(place.ok()) << place.error().message();
    EXPECT_EQ(place->node, NodeId(node));
    EXPECT_EQ(place->nodes, 3);
    EXPECT_TRUE(place->local);
    EXPECT_EQ(place->token, first.token);
    EXPECT_EQ(place->token.size(), 32U);
    EXPECT_EQ(place->rendezvous, first.rendezvous);
    EXPECT_EQ(place->job, first.job);
  }
}

TEST_F(Launch, TheFirstFailureEndsTheOthersAndIsReported) {
  const auto outcome = run(4,
                           "if [ $GODWIT_NODE = 2 ]; then seq 1 30; exit 42; fi;"
                           "trap 'exit 5' TERM; sleep 100 & wait");
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->exit_code, 42);
  ASSERT_TRUE(outcome->failure);
  EXPECT_EQ(outcome->failure->node, 2);
  EXPECT_EQ(outcome->failure->status, (ExitStatus{42, 0}));
  EXPECT_THAT(outcome->failure->last_lines, SizeIs(20));
  EXPECT_EQ(outcome->failure->last_lines.front(), "11");
  EXPECT_EQ(outcome->failure->last_lines.back(), "30");
  EXPECT_EQ(outcome->failure->log_path, options_.log_dir + "/node-2.log");
}

TEST_F(Launch, ANodeKilledIsALostNode) {
  const auto outcome = run(2, "if [ $GODWIT_NODE = 1 ]; then kill -9 $$; fi; exec sleep 100");
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->exit_code, 3);
  ASSERT_TRUE(outcome->failure);
  EXPECT_EQ(outcome->failure->node, 1);
  EXPECT_EQ(outcome->failure->status.signal, 9);
}

TEST_F(Launch, WhoNoticedTheLossIsNotBlamedForIt) {
  // Node 0 exits with 3 as soon as node 1 is gone, however the two are seen.
  options_.environment["FIFO"] = dir_.path() + "/logs/fifo";
  for (int i = 0; i < 5; ++i) {
    const auto outcome =
        run(2,
            "if [ $GODWIT_NODE = 0 ]; then mkfifo $FIFO; read x < $FIFO; rm $FIFO; exit 3; fi;"
            "while [ ! -p $FIFO ]; do sleep 0.01; done; exec 9> $FIFO; kill -9 $$");
    ASSERT_TRUE(outcome.ok());
    ASSERT_TRUE(outcome->failure);
    EXPECT_EQ(outcome->failure->node, 1);
    EXPECT_EQ(outcome->exit_code, 3);
    std::filesystem::remove(options_.environment["FIFO"]);
  }
}

TEST_F(Launch, WhoDoesNotWantToEndIsKilled) {
  options_.supervision.failure_grace = std::chrono::milliseconds(200);
  const auto outcome = run(2, kUntilReady +
                                  "then exit 1; fi; trap '' TERM; : > $TMPDIR/logs/ready;"
                                  "while :; do sleep 1; done");
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->exit_code, 1);
  EXPECT_EQ(outcome->failure->node, 0);
}

TEST_F(Launch, AStoppedNodeIsWokenToEndInOrder) {
  const auto outcome =
      run(2,
          "PID_FILE=$TMPDIR/logs/pid; if [ $GODWIT_NODE = 0 ]; then"
          "  until grep -qs '^State:.T' /proc/$(cat $PID_FILE)/status; do sleep 0.01; done; exit 1;"
          "fi; trap 'echo saved; exit 0' TERM; echo $$ > $PID_FILE; kill -STOP $$; sleep 100");
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->exit_code, 1);
  EXPECT_THAT(out(), HasSubstr("[1] saved\n"));
}

TEST_F(Launch, TheFileLimitIsRaisedForTheJobAndPutBack) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = 70;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  const auto outcome = run(20, "ulimit -n");
  EXPECT_EQ(outcome.value().exit_code, 0);
  EXPECT_THAT(out(), HasSubstr("[7] 144\n"));
  rlimit after{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &after), 0);
  EXPECT_EQ(after.rlim_cur, 70U);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_F(Launch, WhatANodeLeavesBehindIsEndedAndTheJobIsStillGood) {
  const auto outcome = run(2, "echo $$; sleep 100 >/dev/null 2>&1 & exit 0");
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->exit_code, 0);
  std::set<std::int64_t> groups;
  for (const std::string& line : lines_of(out())) groups.insert(std::stoll(line.substr(4)));
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_THAT(members_of(groups), IsEmpty());
}

TEST_F(Launch, WhatANodeLeavesBehindMayEndInOrderToo) {
  const auto outcome =
      run(1,
          "sh -c 'trap \"echo bye; exit 0\" TERM; : > $TMPDIR/logs/up; sleep 100 & wait' &"
          "while [ ! -e $TMPDIR/logs/up ]; do sleep 0.01; done; exit 0");
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->exit_code, 0);
  EXPECT_EQ(out(), "[0] bye\n");
}

TEST_F(Launch, AMegabyteWithoutALineEndArrives) {
  const auto outcome = run(2, "head -c 1048576 /dev/zero | tr '\\0' x");
  ASSERT_TRUE(outcome.ok());
  const std::string text = out();
  EXPECT_EQ(std::count(text.begin(), text.end(), 'x'), 2 << 20);
  EXPECT_EQ(text_of(options_.log_dir + "/node-1.log"), std::string(1 << 20, 'x'));
}

TEST_F(Launch, QuietLeavesOutTheLinesButNotTheLogs) {
  options_.supervision.is_quiet = true;
  ASSERT_EQ(run(1, "echo hello; echo oops >&2")->exit_code, 0);
  EXPECT_EQ(out() + err(), "");
  EXPECT_THAT(text_of(options_.log_dir + "/node-0.log"), HasSubstr("hello\n"));
}

TEST_F(Launch, LogsCanBeLeftOut) {
  options_.writes_logs = false;
  const auto outcome = run(1, "exit 1");
  ASSERT_EQ(outcome->exit_code, 1);
  EXPECT_EQ(outcome->failure->log_path, "");
  EXPECT_FALSE(std::filesystem::exists(options_.log_dir));
}

TEST_F(Launch, BadOptionsStartNothing) {
  EXPECT_EQ(run(0, "true").error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(run(4097, "true").error().message(), HasSubstr("1 to 4096"));
  options_.nodes = 2;
  options_.command = {};
  EXPECT_EQ(launch(options_, disk_, RealTime()).error().code(), ErrorCode::kInvalidArgument);
  options_.command = {"no-such-command"};
  EXPECT_EQ(launch(options_, disk_, RealTime()).error().code(), ErrorCode::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(options_.log_dir));
  EXPECT_THAT(leftovers(), IsEmpty());

  const std::string text = dir_.path() + "/logs";  // a file that is executable but no program
  std::ofstream(text) << "hello";
  std::filesystem::permissions(text, std::filesystem::perms::all);
  options_.command = {text};
  options_.writes_logs = false;
  EXPECT_THAT(launch(options_, disk_, RealTime()).error().message(),
              HasSubstr("starting node 0: cannot execute"));
}

TEST_F(Launch, AnInterruptIsHandedOnOnceAndTheJobMayEndInOrder) {
  options_.supervision.is_quiet = true;
  const auto outcome = run(2, kUntilReady +
                                  "then kill -INT $PPID; fi; trap 'echo saved; exit 0' INT;"
                                  ": > $TMPDIR/logs/ready; sleep 100 & wait; wait");
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->exit_code, 130);
  EXPECT_TRUE(outcome->was_interrupted);
  EXPECT_EQ(text_of(options_.log_dir + "/node-1.log"), "saved\n");
}

TEST_F(Launch, ASecondInterruptKills) {
  const auto outcome =
      run(2,
          "trap '' INT TERM; : > $TMPDIR/logs/$GODWIT_NODE;"
          "while [ ! -e $TMPDIR/logs/1 ]; do sleep 0.01; done;"
          "if [ $GODWIT_NODE = 0 ]; then kill -TERM $PPID; sleep 0.1; kill -INT $PPID; fi;"
          "while :; do sleep 1; done");
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->exit_code, 130);
  EXPECT_FALSE(outcome->failure);
}

}  // namespace
}  // namespace godwit
